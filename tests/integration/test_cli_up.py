"""The command as its users meet it: one server, the small commands beside it, and its end."""

import json
import signal
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from graph.engine.home import EngineHome
from tests.integration.server import COMMAND, Server, clean_environment, running

HEALTH = "{ health { status identity { source bound handle } } }"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("up")
    with running(folder / "home", folder / "ready.json") as started:
        yield started


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Return an empty folder for the user's configuration."""
    return tmp_path / "config"


def heliograph(*arguments: str, config: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(  # noqa: S603 (the project's own program)
        [*COMMAND, *arguments],
        capture_output=True,
        check=False,
        env=clean_environment() | {"XDG_CONFIG_HOME": str(config)} | environment,
        text=True,
    )


def ask(server: Server, key: str) -> dict[str, Any]:
    response = httpx.post(
        server.ready["graphqlUrl"], json={"query": HEALTH}, headers={"authorization": f"Bearer {key}"}, timeout=60
    )
    answer: dict[str, Any] = response.json()
    return answer


def test_the_ready_file_says_all_that_a_program_needs(server: Server) -> None:
    file = server.home.with_name("ready.json")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert set(server.ready) == {"url", "graphqlUrl", "operatorKey", "boltUri", "boltPassword", "pid"}
    assert server.ready["pid"] == server.process.pid
    assert server.ready["graphqlUrl"] == f"{server.ready['url']}/graphql"
    assert server.ready["boltPassword"] == EngineHome(server.home).read_password()
    assert server.ready["operatorKey"] == (server.home / "operator.key").read_text().strip()
    identity = ask(server, server.ready["operatorKey"])["data"]["health"]["identity"]
    assert identity == {"source": "api-key", "bound": True, "handle": "@operator"}


def test_a_key_made_beside_the_server_opens_it_until_it_is_revoked(server: Server, config: Path) -> None:
    home = ("--home", str(server.home))
    made = heliograph("key", "create", "Ada", "--register", "--display-name", "Ada L", *home, config=config)
    assert made.returncode == 0, made.stderr
    key = made.stdout.strip()
    assert made.stdout == f"{key}\n"
    assert ask(server, key)["data"]["health"]["identity"]["handle"] == "@ada"

    second = json.loads(
        heliograph("key", "create", "@ada", "--scope", "operator", "--json", *home, config=config).stdout
    )
    assert (second["handle"], second["scope"]) == ("@ada", "operator")
    listed = json.loads(heliograph("key", "list", "@ada", "--json", *home, config=config).stdout)
    assert [entry["scopes"] for entry in listed] == [["agent"], ["agent", "operator"]]
    assert listed[1]["id"] == second["id"]

    analyst = heliograph("key", "create", "@ada", "--scope", "analyst", *home, config=config)
    assert "private memories of every agent" in analyst.stderr
    scopes = ("--scope", "agent", "--scope", "analyst", "--json")
    both = json.loads(heliograph("key", "create", "@ada", *scopes, *home, config=config).stdout)
    assert both["scope"] == "agent,analyst"
    listed = json.loads(heliograph("key", "list", "@ada", "--json", *home, config=config).stdout)
    assert [entry["scopes"] for entry in listed[2:]] == [["analyst"], ["agent", "analyst"]]

    revoked = heliograph("key", "revoke", listed[0]["id"], *home, config=config)
    assert revoked.stdout == f"Revoked {listed[0]['id']} of @ada.\n"
    unresolved = {"source": "unresolved", "bound": False, "handle": None}
    assert ask(server, key)["data"]["health"]["identity"] == unresolved
    assert ask(server, second["key"])["data"]["health"]["identity"]["handle"] == "@ada"


def test_what_cannot_be_done_with_keys_is_said_in_one_line(server: Server, config: Path) -> None:
    home = ("--home", str(server.home))
    for arguments in (
        ["key", "create", "@nobody", *home],
        ["key", "create", "@operator", "--register", *home],
        ["key", "create", "@all", *home],
        ["key", "list", "@nobody", *home],
        ["key", "revoke", "cred_unknown", *home],
    ):
        done = heliograph(*arguments, config=config)
        assert (done.returncode, done.stdout) == (1, ""), arguments
        assert done.stderr.startswith("error: "), arguments
        assert done.stderr.count("\n") == 1, arguments


def test_health_shows_the_server_and_where_ones_own_identity_comes_from(server: Server, config: Path) -> None:
    url = ("--url", server.ready["url"])
    known = json.loads(heliograph("health", *url, "--home", str(server.home), "--json", config=config).stdout)
    assert known["server"]["identity"] == {"source": "api-key", "bound": True, "handle": "@operator"}
    assert known["server"]["engine"]["source"] == "embedded"
    assert known["server"]["mailbox"] is not None
    assert known["client"]["source"] == "option"

    claimed = heliograph("health", *url, config=config, HELIOGRAPH_IDENTITY="@ada")
    assert claimed.returncode == 0
    assert "unresolved" in claimed.stdout
    assert "@ada" in claimed.stdout
    assert "HELIOGRAPH_KEY" in claimed.stderr

    (config / "heliograph").mkdir(parents=True)
    profile = f"url = {json.dumps(server.ready['url'])}\nkey_file = {json.dumps(str(server.home / 'operator.key'))}\n"
    (config / "heliograph" / "profile.toml").write_text(profile)
    by_profile = json.loads(heliograph("health", "--json", config=config).stdout)
    assert by_profile["client"]["source"] == "profile"
    assert by_profile["server"]["identity"]["handle"] == "@operator"


def test_a_key_of_another_server_is_noticed(server: Server, config: Path) -> None:
    done = heliograph("health", "--url", server.ready["url"], config=config, HELIOGRAPH_KEY="hg_" + "a" * 43)
    assert done.returncode == 1
    assert "unresolved" in done.stdout
    assert done.stderr.startswith("error: The server does not know the key in HELIOGRAPH_KEY")


def test_mail_is_imported_once(server: Server, config: Path, tmp_path: Path) -> None:
    (tmp_path / "mail").mkdir()
    lines = ("From: Ann <ann@mail.example>", "Subject: Tide", "Message-ID: <1@mail.example>", "", "High water at six.")
    (tmp_path / "mail" / "1.eml").write_text("\n".join(lines))
    home = ("--home", str(server.home))
    assert heliograph("key", "create", "@archive", "--register", *home, config=config).returncode == 0
    importing = ("import", "mail", str(tmp_path / "mail"), "--into", "@archive", *home)
    first = heliograph(*importing, config=config)
    assert first.returncode == 0, first.stderr
    assert "date: " in first.stdout  # The mail has none, and that is said.
    again = json.loads(heliograph(*importing, "--json", config=config).stdout)
    assert (again["read"], again["added"], again["alreadyPresent"]) == (1, 0, 1)
    stranger = heliograph("import", "mail", str(tmp_path / "mail"), "--into", "@archiv", *home, config=config)
    assert stranger.returncode == 1
    assert "@archive" in stranger.stderr


def test_a_second_server_shares_the_database_and_leaves_it_running(server: Server) -> None:
    with running(server.home, server.home.with_name("second.json")) as second:
        assert second.ready["boltUri"] == server.ready["boltUri"]
        assert second.ready["url"] != server.ready["url"]
        assert second.family == []
        assert second.stop(signal.SIGINT)[0] == 0
    assert ask(server, server.ready["operatorKey"])["data"]["health"]["status"] == "ok"


def test_the_end_is_clean(server: Server) -> None:
    """Runs last, since it ends the server that the tests above share."""
    engine = [child for child in server.family if "graph.engine.host" in child.cmdline()]
    assert len(engine) == 1
    code, printed = server.stop()
    assert code == 0, printed
    assert printed.rstrip().endswith("Heliograph has stopped.")
    assert "Traceback" not in printed
    assert server.orphans() == []
    assert not server.home.with_name("ready.json").exists()
