"""What ``heliograph up`` says once it is ready."""

import json
import stat
import subprocess
from pathlib import Path

import pytest
from pydantic import SecretStr

from cli.readiness import Ready, claim_ready_file, remove_ready_file, write_ready_file
from graph.errors import ConfigurationError


def ready(home: Path = Path("/data"), password_file: Path | None = Path("/data/neo4j/password")) -> Ready:
    return Ready(
        url="http://127.0.0.1:8000",
        key_file=home / "operator.key",
        operator_key=SecretStr("hg_operator"),
        bolt_uri="bolt://127.0.0.1:27000",
        bolt_user="neo4j",
        bolt_password=SecretStr("sesame"),
        password_file=password_file,
        pid=42,
    )


def test_the_ready_file_is_private_and_complete(tmp_path: Path) -> None:
    path = tmp_path / "ready.json"
    write_ready_file(path, ready())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert json.loads(path.read_text()) == {
        "url": "http://127.0.0.1:8000",
        "graphqlUrl": "http://127.0.0.1:8000/graphql",
        "operatorKey": "hg_operator",
        "boltUri": "bolt://127.0.0.1:27000",
        "boltPassword": "sesame",
        "pid": 42,
    }
    assert list(tmp_path.iterdir()) == [path]


def test_the_file_of_an_earlier_server_is_removed_first_and_ones_own_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "ready.json"
    path.write_text("stale")
    path.chmod(0o644)
    claim_ready_file(path)
    assert not path.exists()
    write_ready_file(path, ready())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    remove_ready_file(path)
    remove_ready_file(path)
    assert not path.exists()


def test_a_place_that_cannot_be_written_is_refused_before_anything_starts(tmp_path: Path) -> None:
    for path in (tmp_path / "absent" / "ready.json", tmp_path):
        with pytest.raises(ConfigurationError, match=r"ready file .* cannot be written"):
            claim_ready_file(path)


def test_what_is_printed_holds_no_secret() -> None:
    said = f"{ready().as_text()}{ready().without_secrets()}{ready()}"
    assert "hg_operator" not in said
    assert "sesame" not in said


def test_the_request_can_be_pasted_whatever_the_home_is_called(tmp_path: Path) -> None:
    home = tmp_path / 'my data\'s "home" $HOME'
    home.mkdir()
    (home / "operator.key").write_text("hg_operator\n")
    (request,) = (line for line in ready(home).as_text().splitlines() if line.lstrip().startswith("curl"))
    echoing = 'curl() { printf "%s\\n" "$@"; }\n' + request
    done = subprocess.run(["/bin/sh", "-c", echoing], check=True, capture_output=True, text=True)  # noqa: S603 (ours)
    assert done.stdout.splitlines() == [
        "-s",
        "http://127.0.0.1:8000/graphql",
        "-H",
        "Authorization: Bearer hg_operator",
        "-H",
        "content-type: application/json",
        "-d",
        '{"query":"{ health { status } }"}',
    ]


def test_a_database_of_somebody_elses_has_no_password_file() -> None:
    text = ready(password_file=None).as_text()
    assert 'cypher-shell -a bolt://127.0.0.1:27000 -u neo4j -p "$NEO4J_PASSWORD"' in text
    assert ready(password_file=None).without_secrets()["boltPasswordFile"] is None
