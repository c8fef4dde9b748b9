import os
import subprocess
import sys
from pathlib import Path

import pytest

from graph.engine.conf import write_conf
from graph.engine.home import EngineHome, EngineState
from graph.engine.launcher import _PORTS
from graph.engine.process import _environment, explain
from graph.errors import EngineError, EngineStartFailed, HeliographError, HomeUnusable, PortTaken, StoreLocked


@pytest.fixture
def home(tmp_path: Path) -> EngineHome:
    home = EngineHome(tmp_path / "home")
    home.prepare()
    return home


class TestPrepare:
    def test_makes_private_folders_and_may_be_called_again(self, home: EngineHome) -> None:
        home.prepare()
        assert home.home.stat().st_mode & 0o777 == 0o700
        assert home.folder.stat().st_mode & 0o777 == 0o700
        assert sorted(path.name for path in home.folder.iterdir()) == ["logs"]

    @pytest.mark.parametrize("below", [".", "deeper"])
    def test_a_path_under_a_file_is_refused_also_for_root(self, tmp_path: Path, below: str) -> None:
        file = tmp_path / "file"
        file.write_text("")
        with pytest.raises(HomeUnusable) as caught:
            EngineHome(file / below).prepare()
        assert str(file) in caught.value.message
        assert "HELIOGRAPH_HOME" in caught.value.message


class TestLock:
    def test_is_held_until_its_descriptor_is_closed(self, home: EngineHome) -> None:
        lock = home.try_lock()
        assert lock is not None
        assert home.try_lock() is None
        os.close(lock)
        again = home.try_lock()
        assert again is not None
        os.close(again)

    def test_is_held_by_a_child_that_outlives_its_parents_hold(self, home: EngineHome) -> None:
        lock = home.try_lock()
        assert lock is not None
        child = subprocess.Popen(
            [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE, pass_fds=(lock,)
        )
        os.close(lock)
        assert home.try_lock() is None
        child.communicate()
        free = home.try_lock()
        assert free is not None
        os.close(free)


class TestState:
    def test_comes_back_as_it_was_kept(self, home: EngineHome) -> None:
        state = EngineState("ready", 20_001, 4242, "2026.09.0")
        home.write_state(state)
        assert home.read_state() == state
        assert (home.folder / "engine.json").stat().st_mode & 0o777 == 0o600

    @pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"phase": "ready", "colour": "red"}'])
    def test_what_is_not_a_state_counts_as_none(self, home: EngineHome, text: str) -> None:
        (home.folder / "engine.json").write_text(text)
        assert home.read_state() == EngineState()


class TestPassword:
    def test_is_random_private_and_kept(self, home: EngineHome) -> None:
        assert home.read_password() is None
        password = home.make_password()
        assert home.read_password() == password
        assert home.password_file.stat().st_mode & 0o777 == 0o600
        assert home.make_password() != password


class TestVersion:
    @pytest.mark.parametrize("version", ["2026.09.0", "2026.09.3", "2026.10.0", "2027.1.0"])
    def test_the_same_or_a_newer_neo4j_may_open_the_store(self, home: EngineHome, version: str) -> None:
        home.write_state(EngineState(version="2026.09.1"))
        home.check_version(version)

    @pytest.mark.parametrize("version", ["5.26.25", "2026.08.9", "2025.12.0"])
    def test_an_older_one_may_not(self, home: EngineHome, version: str) -> None:
        home.write_state(EngineState(version="2026.09.1"))
        with pytest.raises(EngineError, match=r"last opened by Neo4j 2026\.09\.1") as caught:
            home.check_version(version)
        assert version in caught.value.message
        assert "HELIOGRAPH_ENGINE_LOCK" in caught.value.message

    def test_any_may_open_a_new_one(self, home: EngineHome) -> None:
        home.check_version("5.26.25")


class TestExplain:
    @pytest.mark.parametrize(
        ("causes", "kind"),
        [
            (["RuntimeException", "LifecycleException", "PortBindException", "BindException"], PortTaken),
            (["RuntimeException", "UnableToStartServerException", "FileLockException"], StoreLocked),
            (["RuntimeException", "IllegalArgumentException"], EngineStartFailed),
        ],
    )
    def test_java_causes_become_errors(self, causes: list[str], kind: type[HeliographError]) -> None:
        error = explain([(name, f"{name} says so") for name in causes], "/home/neo4j", Path("/home/neo4j/engine.log"))
        assert type(error) is kind

    def test_an_unknown_cause_is_passed_on_with_the_logs_place(self) -> None:
        error = explain([("IOException", "No space left on device")], "/home/neo4j", Path("/home/neo4j/engine.log"))
        assert "IOException: No space left on device" in error.message
        assert "/home/neo4j/engine.log" in error.message


def test_the_server_listens_on_loopback_alone(tmp_path: Path) -> None:
    path = tmp_path / "neo4j.conf"
    write_conf(path, 20_001)
    conf = dict(line.split("=", 1) for line in path.read_text().splitlines())
    assert conf["server.bolt.listen_address"] == "127.0.0.1:20001"
    assert conf["server.http.enabled"] == conf["server.https.enabled"] == "false"
    assert conf["dbms.usage_report.enabled"] == "false"


def test_chosen_ports_are_none_that_systems_use_for_outgoing_connections() -> None:
    ephemeral = Path("/proc/sys/net/ipv4/ip_local_port_range")
    lowest = int(ephemeral.read_text().split()[0]) if ephemeral.exists() else 32_768
    assert _PORTS.stop <= lowest


def test_the_child_does_not_get_our_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELIOGRAPH_PEPPER", "secret")
    monkeypatch.setenv("NEO4J_PASSWORD", "secret")
    environment = _environment()
    assert "secret" not in environment.values()
    assert environment["PATH"] == os.environ["PATH"]
