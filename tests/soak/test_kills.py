"""``kill -9`` in the middle of sending, over and over: what was acknowledged is there, and nothing is half there.

Eight senders go on through it (DESIGN §3.1, §3.3, §3.9). HELIOGRAPH_SOAK_KILLS says how often to kill, 20 unless set.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.server import bind
from graph.bootstrap import open_graph
from graph.database import Database
from graph.engine.home import EngineHome
from graph.errors import DatabaseError
from graph.rules.drafts import MessageInput
from graph.sending import send_message
from graph.settings import load_settings
from tests.api.client import SEND
from tests.soak.senders import KILLS, PATIENCE_SECONDS, Answer, Findings, Letter, Soak, TryAgain, report
from tests.support import Agents

# The senders' own bound holds instead; it is far longer than a test may usually take.
pytestmark = [pytest.mark.soak, pytest.mark.timeout(0)]

NAMES = ("ada", "bea", "cas", "dot", "eli", "fay", "gus", "hal")
REGISTER = """
mutation Register($input: RegisterAgentInput!) { registerAgent(input: $input) { key refusal { code message } } }
"""


async def test_the_database_is_killed(
    own_environment: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The process that lost its database starts it again, and senders see errors meanwhile, nothing worse."""
    async with asyncio.timeout(PATIENCE_SECONDS), await open_graph(load_settings(home=tmp_path / "home")) as graph:
        home = EngineHome(graph.settings.home)
        killed: set[int] = set()

        async def send(letter: Letter) -> Answer:
            said = MessageInput(
                subject="Soak",
                body_text=letter.key,
                to=letter.to,
                in_reply_to=letter.parent,
                tags=("soak", letter.sender[1:4]),
                idempotency_key=letter.key,
            )
            try:
                sent = await send_message(graph.committer, graph.clock, letter.sender, said, graph.limits)
            except DatabaseError as error:
                raise TryAgain from error
            return Answer(sent.message, sent.duplicate)

        async def kill() -> None:
            pid = home.read_state().pid
            assert pid is not None
            assert pid not in killed, "the database that answers is a new one after each kill"
            killed.add(pid)
            os.kill(pid, signal.SIGKILL)

        soak = Soak(await Agents(graph)(*NAMES), send)
        async with soak.sending():
            await soak.kills(kill, KILLS)

        findings = await Findings.of(soak, graph.database)
        with capsys.disabled():
            report(f"The database, killed {KILLS} times", soak, findings)
        assert findings == Findings([], [], [])
        assert len(soak.back_after) == len(killed) == KILLS
        assert soak.interrupted > 0


@dataclass
class Service:
    """Heliograph as a process of its own on one home and one port, started again whenever it was killed."""

    home: Path
    port: int
    log: Path
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def ready_file(self) -> Path:
        """Where it says how to reach it."""
        return self.home.with_suffix(".ready")

    async def start(self) -> dict[str, Any]:
        """Start it and return what it says once it is ready."""
        command = [sys.executable, "-m", "cli", "up", "--home", str(self.home), "--port", str(self.port)]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: ASYNC220, S603 - it returns at once, and runs our own command
                [*command, "--ready-file", str(self.ready_file)], stdout=log, stderr=log
            )
        while not self.ready_file.exists():
            assert self._process.poll() is None, self.log.read_text(encoding="utf-8")
            await asyncio.sleep(0.05)
        said: dict[str, Any] = json.loads(self.ready_file.read_text(encoding="utf-8"))
        return said

    async def kill(self) -> None:
        """End it by force, then start it as whoever watches over services does."""
        assert self._process is not None
        self._process.kill()
        await asyncio.to_thread(self._process.wait)
        self.ready_file.unlink()
        await self.start()

    async def stop(self) -> None:
        """Ask it to stop, and wait until it has."""
        if self._process is not None:
            self._process.terminate()
            await asyncio.to_thread(self._process.wait)


async def test_the_whole_service_is_killed(
    own_environment: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its database ends with it; the next start of both recovers, and clients that try again lose nothing."""
    with bind() as listener:
        port: int = listener.getsockname()[1]
    service = Service(tmp_path / "home", port, tmp_path / "service.log")
    try:
        async with asyncio.timeout(PATIENCE_SECONDS), httpx.AsyncClient(timeout=60) as http:
            ready = await service.start()
            await _soak_over_http(service, ready, http, capsys)
    finally:
        await service.stop()


async def _soak_over_http(
    service: Service, ready: dict[str, Any], http: httpx.AsyncClient, capsys: pytest.CaptureFixture[str]
) -> None:
    async def answer(key: str, query: str, **variables: object) -> dict[str, Any]:
        """Return the data of an answer. Raises TryAgain where the service or its database is away."""
        try:
            response = await http.post(
                ready["graphqlUrl"],
                json={"query": query, "variables": variables},
                headers={"authorization": f"Bearer {key}"},
            )
        except httpx.TransportError as error:
            raise TryAgain from error
        said: dict[str, Any] = response.json()
        if "errors" in said:
            assert said["errors"][0]["extensions"]["code"].startswith("DATABASE_"), said
            raise TryAgain
        data: dict[str, Any] = said["data"]
        return data

    keys: dict[str, str] = {}
    for name in NAMES:
        made = (await answer(ready["operatorKey"], REGISTER, input={"handle": f"@{name}"}))["registerAgent"]
        assert made["refusal"] is None, made
        keys[f"@{name}"] = made["key"]

    async def send(letter: Letter) -> Answer:
        said: dict[str, object] = {
            "to": letter.to,
            "subject": "Soak",
            "bodyText": letter.key,
            "inReplyTo": letter.parent,
            "tags": ["soak", letter.sender[1:]],
            "idempotencyKey": letter.key,
        }
        payload = (await answer(keys[letter.sender], SEND, input=said))["sendMessage"]
        assert payload["refusal"] is None, payload
        return Answer(payload["message"]["id"], payload["duplicate"])

    soak = Soak(list(keys), send)
    async with soak.sending():
        await soak.kills(service.kill, KILLS)

    password: str = ready["boltPassword"]
    async with Database.connect(ready["boltUri"], "neo4j", password, "neo4j") as database:
        findings = await Findings.of(soak, database)
    with capsys.disabled():
        report(f"The whole service, killed {KILLS} times", soak, findings)
    assert findings == Findings([], [], [])
    assert len(soak.back_after) == KILLS
    assert soak.interrupted > 0
