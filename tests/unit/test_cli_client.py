"""Asking a server: which one, and what every kind of wrong answer becomes."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from pydantic import SecretStr

from cli.client import Remote, UnexpectedAnswer, ask, check_url, find_operator, find_remote, is_loopback
from cli.identity import ClientIdentity, IdentitySource
from cli.profile import Profile
from graph.errors import ConfigurationError, Unauthenticated


class Canned(BaseHTTPRequestHandler):
    """Answers every request with the server's canned answer, and keeps the Authorization header."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.server.seen = self.headers["authorization"]  # type: ignore[attr-defined]
        status, body = self.server.answer  # type: ignore[attr-defined]
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[HTTPServer]:
    with HTTPServer(("127.0.0.1", 0), Canned) as http:
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield http
        http.shutdown()
        thread.join()


def remote(server: HTTPServer, key: str | None = None) -> Remote:
    client = ClientIdentity(IdentitySource.OPTION, "a test's", key=None if key is None else SecretStr(key))
    return Remote(f"http://127.0.0.1:{server.server_port}", client, Profile(Path("profile.toml")))


def canned(server: HTTPServer, status: int, body: bytes) -> None:
    server.answer = status, body  # type: ignore[attr-defined]


@pytest.mark.parametrize(("key", "header"), [("hg_a", "Bearer hg_a"), (None, None)])
def test_the_key_goes_into_the_header_alone(
    server: HTTPServer, key: str | None, header: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    canned(server, 200, b'{"data": {"health": {"status": "ok"}}}')
    assert ask(remote(server, key), "{ health { status } }") == {"health": {"status": "ok"}}
    assert server.seen == header  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("status", "body"), [(200, b"<html>"), (404, b"[]"), (200, b'{"detail": "no"}'), (502, b"\xff")]
)
def test_another_program_at_the_url_is_recognised(server: HTTPServer, status: int, body: bytes) -> None:
    canned(server, status, body)
    with pytest.raises(UnexpectedAnswer, match=rf"not a Heliograph server \(HTTP status {status}\)"):
        ask(remote(server), "{ health { status } }")


def test_a_key_that_is_refused_is_named_by_its_source(server: HTTPServer) -> None:
    canned(server, 401, b'{"errors": [{"message": "Not good here.", "extensions": {"code": "UNAUTHENTICATED"}}]}')
    with pytest.raises(Unauthenticated, match=r"Not good here\..*a test's"):
        ask(remote(server, "hg_a"), "{ health { status } }")


def test_any_other_error_keeps_its_code(server: HTTPServer) -> None:
    canned(server, 503, b'{"errors": [{"message": "Down.", "extensions": {"code": "DATABASE_UNREACHABLE"}}]}')
    with pytest.raises(UnexpectedAnswer, match=r"Down\. \(DATABASE_UNREACHABLE"):
        ask(remote(server), "{ health { status } }")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000"),
        ("http://127.0.0.1:8000/graphql", "http://127.0.0.1:8000"),
        ("https://mail.example/heliograph/graphql/", "https://mail.example/heliograph"),
    ],
)
def test_a_url_may_be_written_in_several_ways(written: str, meant: str) -> None:
    assert check_url(written) == meant


@pytest.mark.parametrize(
    "url", ["", "127.0.0.1:8000", "bolt://127.0.0.1:7687", "http://", "http://a:port", "http://[::1"]
)
def test_what_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError, match="URL"):
        check_url(url)


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://localhost:1", True),
        ("http://127.0.0.7", True),
        ("http://[::1]:8", True),
        ("http://mail.example", False),
    ],
)
def test_this_machine_is_recognised(url: str, local: bool) -> None:
    assert is_loopback(url) is local


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("HELIOGRAPH_KEY", "hg_env")
    monkeypatch.delenv("HELIOGRAPH_URL", raising=False)
    (tmp_path / "heliograph").mkdir()
    return tmp_path / "heliograph" / "profile.toml"


def test_the_url_is_the_options_then_the_environments_then_the_profiles(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find_remote(None, None, None).url == "http://127.0.0.1:8000"
    config.write_text('url = "http://profile"')
    assert find_remote(None, None, None).url == "http://profile"
    monkeypatch.setenv("HELIOGRAPH_URL", "http://environment")
    assert find_remote(None, None, None).url == "http://environment"
    assert find_remote("http://option", None, None).url == "http://option"


def test_an_operators_act_falls_back_to_the_key_of_the_usual_home_on_this_machine_alone(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "operator.key").write_text("hg_operator\n")
    monkeypatch.setenv("HELIOGRAPH_HOME", str(tmp_path))
    assert find_operator(None, None, None).client.key == SecretStr("hg_env")
    monkeypatch.delenv("HELIOGRAPH_KEY")
    assert find_operator(None, None, None).client.key == SecretStr("hg_operator")
    assert find_operator("http://elsewhere.example", None, None).client.key is None
    (tmp_path / "operator.key").unlink()
    assert find_operator(None, None, None).client.key is None


def test_a_home_means_its_operators_key(config: Path, tmp_path: Path) -> None:
    (tmp_path / "operator.key").write_text("hg_operator\n")
    assert find_remote(None, None, tmp_path).client.key == SecretStr("hg_operator")
    with pytest.raises(ConfigurationError, match="Both --key-file and --home"):
        find_remote(None, tmp_path / "operator.key", tmp_path)
