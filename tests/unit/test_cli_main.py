"""How commands end: exit codes, one line for an error, and no traceback unless asked for."""

import logging
import socket
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from cli import health
from cli.main import run


@pytest.fixture(autouse=True)
def same_logging() -> Iterator[None]:
    """Put logging back as it was: the command sets it for the whole process."""
    root = logging.getLogger()
    before = root.handlers[:], root.level
    root.handlers.clear()
    yield
    root.handlers[:], level = before
    root.setLevel(level)


@pytest.fixture(autouse=True)
def no_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("HELIOGRAPH_URL", "HELIOGRAPH_KEY", "HELIOGRAPH_IDENTITY", "HELIOGRAPH_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    # Whatever gh the developer has is signed in, or slow.
    monkeypatch.setattr("cli.client.ask_gh", lambda: None)


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"heliograph {version('heliograph')}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["up", "--port", "70000"],
        ["fly"],
        ["key", "create"],
        ["key", "create", "@ada", "--scope", "emperor"],
        ["key", "create", "@ada", "--display-name", "Ada"],
        ["import", "mail", "no/such/path", "--into", "@ada"],
    ],
)
def test_misuse_ends_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 2
    assert "Usage:" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["up"], ["health"], ["key", "create"], ["import", "mail"], ["seed", "demo"]])
def test_every_command_explains_itself_and_has_json(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*command, "--help"]) == 0
    assert "--json" in capsys.readouterr().out


def test_a_taken_port_is_an_error_before_anything_starts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert run(["up", "--home", str(tmp_path / "home"), "--port", str(port)]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"error: Port {port} on 127.0.0.1 is taken")
    assert said.err.count("\n") == 1
    assert not (tmp_path / "home").exists()


def test_a_home_under_a_file_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert run(["key", "list", "@ada", "--home", str(tmp_path / "file" / "home")]) == 1
    assert capsys.readouterr().err.startswith("error: ")


def test_no_server_is_an_error_that_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
    assert run(["health", "--url", url]) == 1
    said = capsys.readouterr()
    assert said.err.startswith(f"error: No Heliograph answers at {url}")
    assert "heliograph up" in said.err


def test_the_demo_needs_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HELIOGRAPH_HOME", str(tmp_path))
    assert run(["seed", "demo"]) == 1
    assert "operator's key" in capsys.readouterr().err


@pytest.mark.parametrize("debug", [False, True])
def test_a_defect_is_one_line_unless_debugging(
    debug: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("wheel")

    monkeypatch.setattr(health, "find_remote", broken)
    assert run([*["--debug"][:debug], "health"]) == 1
    said = capsys.readouterr().err
    assert "error: Heliograph failed unexpectedly (KeyError: 'wheel')" in said
    assert ("Traceback" in said) is debug
