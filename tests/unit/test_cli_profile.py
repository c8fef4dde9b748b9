"""The profile file: what it may say, and how every mistake in it is named."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from cli.profile import Profile, profile_path, read_key_file, read_profile
from graph.errors import ConfigurationError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "profile.toml"


def test_no_file_is_an_empty_profile(path: Path) -> None:
    assert read_profile(path) == Profile(path)
    assert read_profile(path / "below-a-file-that-is-not-there") == Profile(path / "below-a-file-that-is-not-there")


def test_a_key_may_stand_in_the_profile(path: Path) -> None:
    path.write_text('url = "https://mail.example"\nkey = "hg_a"\n')
    assert read_profile(path) == Profile(path, "https://mail.example", SecretStr("hg_a"))


def test_a_key_may_stand_in_a_file_beside_it(path: Path) -> None:
    path.write_text('key_file = "ada.key"\n')
    path.with_name("ada.key").write_text("hg_b\n")
    assert read_profile(path).key == SecretStr("hg_b")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("url = ", "cannot be read"),
        ('server = "x"', "has 'server'"),
        ("url = 3", "has 3 for 'url'"),
        ('url = ""', "has '' for 'url'"),
        ('key = "a"\nkey_file = "b"', "both 'key' and 'key_file'"),
        ('key_file = "absent.key"', "absent.key cannot be read"),
        ("\x00", "cannot be read"),
    ],
)
def test_a_mistake_is_named(path: Path, content: str, complaint: str) -> None:
    path.write_text(content)
    with pytest.raises(ConfigurationError, match=complaint):
        read_profile(path)


@pytest.mark.parametrize(("content", "complaint"), [(b" \n", "is empty"), (b"\xff", "cannot be read")])
def test_a_key_file_without_a_key_is_named(path: Path, content: bytes, complaint: str) -> None:
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=complaint):
        read_key_file(path)


def test_the_profile_lies_in_the_users_configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert profile_path().name == "profile.toml"
    assert profile_path().parent.name == "heliograph"
