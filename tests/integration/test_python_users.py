"""The Python that docs/python.md shows is that of its files, and these run on a real graph (issue 5, Python users)."""

import asyncio
import inspect
import os
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from neomodel import StructuredNode

import graph.model
from graph.bootstrap import Graph
from graph.engine.home import EngineHome, EngineState
from graph.errors import ConfigurationError, EngineError
from graph.handovers import accept_handovers
from graph.model import AgentIdentity, connected
from graph.readers import Reader
from graph.retracting import retract
from tests.support import Agents

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
EXAMPLES = ROOT / "docs" / "examples"


def environment(graph: Graph) -> dict[str, str]:
    """Return what names the shared graph to another process."""
    connection = graph.connection
    if connection.source == "embedded":
        return {"HELIOGRAPH_HOME": str(graph.settings.home)}
    return named(graph)


def named(graph: Graph) -> dict[str, str]:
    connection = graph.connection
    return {
        "NEO4J_URI": connection.uri,
        "NEO4J_USERNAME": connection.username,
        "NEO4J_PASSWORD": connection.password.get_secret_value(),
        "NEO4J_DATABASE": connection.database,
    }


async def run(script: str, *words: str, where: dict[str, str]) -> str:
    """Run an example as its user would, every warning an error, and return what it prints."""
    paths = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-W",
        "error",
        str(EXAMPLES / script),
        *words,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths, **where},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert (process.returncode, err.decode()) == (0, "")
    return out.decode()


def test_the_page_shows_what_is_in_the_files() -> None:
    files = [path.read_text(encoding="utf-8") for path in sorted(EXAMPLES.glob("*.py"))]
    files.append(inspect.cleandoc(graph.model.__doc__ or "").replace("\n    ", "\n"))
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 4
    assert [block for block in blocks if not any(block in file for file in files)] == []
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(re.findall(r"\(examples/(\w+\.py)\)", PAGE))


def test_the_page_names_every_class_and_every_way_from_one_to_another() -> None:
    named = set(re.findall(r"`(\w+)`", PAGE))
    nodes = [
        found for found in vars(graph.model).values() if inspect.isclass(found) and issubclass(found, StructuredNode)
    ]
    assert {node.__name__ for node in nodes} - named == set()
    ways = {name for node in nodes for name in node.defined_properties(properties=False, aliases=False)}
    assert ways
    assert ways - named == set()


async def test_what_an_agent_wrote(graph: Graph, agents: Agents) -> None:
    ada, bea, cy = await agents("ada", "bea", "cy")
    past = agents.ago(timedelta(days=40))
    question = await past.send(
        ada, cy, bea, subject="Who has the oil?", body_text="The lamp\nis low.", tags=("lamp",), expects_reply=True
    )
    await past.reply(bea, question)
    await past.send(ada, "@all", subject="Fog", tickets=("neo#1",))
    gone = await past.send(ada, bea, subject="A secret", body_text="a secret body", expects_reply=True)
    await retract(graph.database, graph.clock, Reader.alone(ada), gone)
    late = await agents.send(ada, bea, subject="Wick", expects_reply=True)
    await agents.reply(ada, late, body_text="Well?")

    now = datetime.now(UTC)
    begin, end = (f"{now - timedelta(days=days):%Y-%m-%d}" for days in (50, 20))
    at = f"{now - timedelta(days=40):%Y-%m-%d}"
    printed = await run("retrospective.py", ada, begin, end, where=environment(graph))
    assert re.sub(r"\d\d:\d\d to", "… to", printed).splitlines() == [
        f"# What {ada} wrote from {begin} to {end}",
        "",
        "3 messages.",
        "",
        f"* {at} … to {bea}, {cy}: **Who has the oil?**",
        "  about #lamp",
        "  > The lamp",
        "  > is low.",
        f"  answered by {bea}",
        "",
        f"* {at} … to @all: **Fog**",
        "  about neo#1",
        "  > High water at six.",
        "",
        f"* {at} … to {bea}: **(retracted)**",
    ]
    # From the other end, with everything, and by the address of the server.
    whole = await run("retrospective.py", ada, where=named(graph))
    assert "5 messages." in whole
    assert whole.count("**still waits for an answer**") == 1
    assert "secret" not in whole


async def test_what_a_session_left(graph: Graph, agents: Agents) -> None:
    ada, bea = await agents("ada", "bea")
    await agents.hand_over(ada, "watch-1", "Read the log.")
    await accept_handovers(graph.database, graph.clock, ada, "watch-2", None, graph.limits)
    await agents.send(ada, bea, subject="Wick", origin_session="watch-2")
    await agents.send(bea, ada, subject="About it")
    memory = await agents.remember(ada, "Bea has the oil.", session="watch-2")
    assert memory
    with connected(graph.connection):
        agent: Any = AgentIdentity.nodes.get(handle=ada)
        (session,) = [one for one in agent.sessions.all() if one.externalId == "watch-2"]
    printed = await run("retrospective.py", session.typeid, where=environment(graph))
    lines = printed.splitlines()
    assert lines[0] == f"# Session watch-2 of {ada}"
    assert [line for line in lines if line.startswith("## ")] == [
        "## Taken over from",
        "## Written",
        "## Spoken of",
        "## Remembered",
    ]
    taken, written, remembered = (lines.index(f"## {part}") for part in ("Taken over from", "Written", "Remembered"))
    assert "  > Read the log." in lines[taken:written]
    assert [line for line in lines[written:remembered] if "**Wick**" in line]
    assert lines[-1].endswith("Bea has the oil.")
    assert "About it" not in printed


async def test_who_is_central_and_how_long_answers_take(graph: Graph, agents: Agents) -> None:
    ada, bea, cy, dot = sorted(await agents("ada", "bea", "cy", "dot"))
    for other in (bea, cy):
        question = await agents.ago(timedelta(hours=10)).send(ada, other, expects_reply=True)
        await agents.ago(timedelta(hours=7 if other == bea else 9)).reply(other, question)
        await agents.ago(timedelta(hours=1)).reply(other, question)
    await agents.send(ada, dot, "@all")
    await agents.ago(timedelta(days=100)).send(bea, cy)

    printed = (await run("analysis.py", ada, bea, cy, where=environment(graph))).splitlines()
    assert printed[:4] == [
        f"{ada} wrote to {bea}: 1",
        f"{ada} wrote to {cy}: 1",
        f"{bea} wrote to {ada}: 2",
        f"{cy} wrote to {ada}: 2",
    ]
    assert printed[4].startswith(f"{ada}: rank 0.4")
    assert printed[4].endswith("between 1.000")
    assert printed[7:] == [f"{bea} answers within 3:00:00", f"{cy} answers within 1:00:00"]


async def test_a_server_is_found_or_what_is_missing_is_said(
    graph: Graph, agents: Agents, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ada,) = await agents("ada")
    monkeypatch.setenv("HELIOGRAPH_HOME", str(tmp_path))
    with pytest.raises(EngineError, match="heliograph up"), connected():
        pass
    home = EngineHome(tmp_path)
    home.prepare()
    home.make_password()
    home.write_state(EngineState("stopped", 7687))
    with pytest.raises(EngineError, match="HELIOGRAPH_HOME"), connected():
        pass
    monkeypatch.setenv("NEO4J_URI", graph.connection.uri)
    with pytest.raises(ConfigurationError, match="NEO4J_PASSWORD"), connected():
        pass
    for name, value in named(graph).items():
        monkeypatch.setenv(name, value)
    with connected():
        assert AgentIdentity.nodes.get(handle=ada).address == ada
