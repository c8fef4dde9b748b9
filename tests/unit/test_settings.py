from pathlib import Path

import pytest

from graph.errors import ConfigurationError
from graph.settings import Settings, load_settings, variable_name


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for field in Settings.model_fields:
        monkeypatch.delenv(variable_name(field), raising=False)


def test_defaults_name_the_embedded_server_and_a_home_of_the_user() -> None:
    settings = load_settings()
    assert settings.neo4j_uri is None
    assert settings.home.is_absolute()
    assert (settings.neo4j_username, settings.neo4j_database) == ("neo4j", "neo4j")
    assert not settings.auto_tagging
    assert (settings.engine_heap, settings.engine_port, settings.engine_lock) == ("1g", 0, None)


def test_every_field_is_set_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {
        "HELIOGRAPH_HOME": "/srv/heliograph",
        "NEO4J_URI": "neo4j+s://graph.example:7687",
        "NEO4J_USERNAME": "ada",
        "NEO4J_PASSWORD": "not-for-logs",
        "NEO4J_DATABASE": "mail",
        "HELIOGRAPH_ENGINE_HEAP": "512m",
        "HELIOGRAPH_ENGINE_LOCK": "/srv/lts.lock.toml",
        "HELIOGRAPH_ENGINE_PORT": "7687",
        "HELIOGRAPH_SWEEP_SECONDS": "2.5",
        "HELIOGRAPH_SENDS_TOGETHER": "1",
        "HELIOGRAPH_PEPPER": "also-secret",
        "HELIOGRAPH_ANALYST_CYPHER": "true",
        "HELIOGRAPH_AUTO_TAGGING": "true",
    }
    assert set(values) == {variable_name(field) for field in Settings.model_fields}
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    settings = load_settings()
    assert settings.home == Path("/srv/heliograph")
    assert settings.neo4j_uri == "neo4j+s://graph.example:7687"
    assert settings.neo4j_password is not None
    assert settings.neo4j_password.get_secret_value() == "not-for-logs"
    assert settings.engine_port == 7687
    assert settings.sweep_seconds == 2.5
    assert settings.sends_together == 1
    assert settings.analyst_cypher
    assert settings.auto_tagging
    assert "not-for-logs" not in repr(settings)
    assert "also-secret" not in repr(settings)


def test_a_variable_set_to_nothing_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_URI", "")
    monkeypatch.setenv("NEO4J_PASSWORD", "")
    assert load_settings().neo4j_uri is None
    assert load_settings().neo4j_password is None


def test_an_override_wins_over_the_environment_and_none_does_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HELIOGRAPH_HOME", "/srv/heliograph")
    assert load_settings(home=tmp_path).home == tmp_path
    assert load_settings(home=None).home == Path("/srv/heliograph")


def test_a_home_is_made_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load_settings(home="~/mail").home == tmp_path / "mail"
    monkeypatch.chdir(tmp_path)
    assert load_settings(home="mail").home == tmp_path / "mail"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("HELIOGRAPH_ENGINE_HEAP", "12x"),
        ("HELIOGRAPH_ENGINE_HEAP", "0g"),  # Java would refuse it, far from here
        ("HELIOGRAPH_ENGINE_PORT", "65536"),
        ("HELIOGRAPH_ENGINE_PORT", "bolt"),
        ("HELIOGRAPH_HOME", "~nobody-of-that-name/mail"),
        ("NEO4J_URI", "http://localhost:7474"),  # the browser's address, a common mix-up
        ("NEO4J_URI", "localhost:7687"),
        ("NEO4J_URI", "bolt://"),
        ("HELIOGRAPH_AUTO_TAGGING", "sometimes"),
    ],
)
def test_an_unusable_value_is_named_with_its_variable_and_the_remedy(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigurationError) as caught:
        load_settings()
    field = next(field for field in Settings.model_fields if variable_name(field) == variable)
    assert variable in caught.value.message
    assert repr(value) in caught.value.message
    assert str(Settings.model_fields[field].description) in caught.value.message


def test_a_password_in_the_address_is_refused_and_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_URI", "bolt://ada:not-for-logs@graph.example")
    with pytest.raises(ConfigurationError) as caught:
        load_settings()
    assert "not-for-logs" not in caught.value.message
    assert "@graph.example" in caught.value.message


def test_an_unusable_secret_is_masked() -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_settings(pepper=12345678)
    assert "HELIOGRAPH_PEPPER" in caught.value.message
    assert "12345678" not in caught.value.message


def test_all_unusable_values_are_named_at_once() -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_settings(engine_heap="much", engine_port=-1)
    assert len(caught.value.message.splitlines()) == 2


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="engine_hep is not a setting"):
        load_settings(engine_hep="1g")
