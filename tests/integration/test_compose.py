"""The container files: whole and consistent always, and run for real where a Docker engine answers."""

import gc
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import SecretStr

from graph.bootstrap import ensure_operator, open_graph
from graph.engine.host import CARRIERS
from graph.engine.jars import read_lock
from graph.settings import load_settings

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    composed: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    found: dict[str, Any] = composed["services"]
    assert {name.partition(":")[0] for service in found.values() for name in service["volumes"]} == set(
        composed["volumes"]
    )
    return found


def copied() -> list[str]:
    """Return what the Dockerfile takes from the repository."""
    lines = [line.split()[1:-1] for line in DOCKERFILE.splitlines() if re.match(r"COPY (?!--from)", line)]
    return [name for names in lines for name in names]


def test_what_the_image_is_built_from_exists_and_is_not_ignored() -> None:
    allowed = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    patterns = [re.escape(line[1:]).replace(r"\*", ".*") for line in allowed if line.startswith("!")]
    for name in copied():
        assert (ROOT / name).exists(), name
        assert any(re.fullmatch(pattern, name) for pattern in patterns), name


def test_the_image_has_every_package_of_the_wheel() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert set(project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) <= set(copied())


def test_images_are_pinned(services: dict[str, Any]) -> None:
    bases = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    assert len(set(bases)) == 1
    assert re.fullmatch(r"python:3\.1[123]\.\d+-slim-[a-z]+", bases[0])
    # The same Neo4j in the container and embedded, so that what was tested is what runs.
    assert services["neo4j"]["image"] == f"neo4j:{read_lock().version}-community"


def test_virtual_threads_have_as_many_carriers_as_in_the_embedded_server(services: dict[str, Any]) -> None:
    """Decision 0023."""
    additional = services["neo4j"]["environment"]["NEO4J_server_jvm_additional"]
    assert additional == f"-Djdk.virtualThreadScheduler.parallelism={CARRIERS}"


def test_it_does_not_run_as_root() -> None:
    last = DOCKERFILE.rpartition("\nFROM ")[2]
    assert "\nUSER heliograph\n" in last


def test_ports_are_open_to_this_machine_alone(services: dict[str, Any]) -> None:
    ports = [port for service in services.values() for port in service["ports"]]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_the_password_is_asked_for_and_is_the_same_on_both_sides(services: dict[str, Any]) -> None:
    required = re.compile(r"\$\{NEO4J_PASSWORD:\?[^}]+\}")
    assert required.search(services["neo4j"]["environment"]["NEO4J_AUTH"])
    assert required.fullmatch(services["heliograph"]["environment"]["NEO4J_PASSWORD"])
    assert services["heliograph"]["depends_on"] == {"neo4j": {"condition": "service_healthy"}}


def docker_problem() -> str | None:
    """Return why no Docker engine answers, or None when one does.

    Asked in a process of its own, because the client leaves its socket open when nothing answers.
    """
    asking = "import docker; docker.from_env().ping()"
    done = subprocess.run([sys.executable, "-c", asking], capture_output=True, check=False, text=True)  # noqa: S603 (ours)
    return done.stderr.strip().splitlines()[-1] if done.returncode else None


# The client of the containers leaves sockets to the garbage collector.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.docker
async def test_heliograph_works_on_the_image_of_the_compose_file(
    services: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if problem := docker_problem():
        pytest.skip(f"no Docker engine answers here ({problem})")
    from testcontainers.community.neo4j import Neo4jContainer

    with Neo4jContainer(services["neo4j"]["image"], password="correct-horse") as container:  # noqa: S106 (its own)
        monkeypatch.setenv("NEO4J_URI", container.get_connection_url())
        settings = load_settings(home=tmp_path / "home", neo4j_password=SecretStr("correct-horse"))
        async with await open_graph(settings) as graph:
            assert graph.connection.source == "uri"
            key = (await ensure_operator(graph)).read_text(encoding="ascii").strip()
            caller = await graph.keys.caller(graph.database, key)
            assert caller is not None
            assert caller.handle == "@operator"
    gc.collect()
