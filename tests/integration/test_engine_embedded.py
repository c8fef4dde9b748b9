"""The embedded server with real processes. Each start of Java takes seconds, so few tests show much each."""

import asyncio
import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from pydantic import SecretStr

from bench.scripts import bare_driver
from graph.engine import Connection, ServerInfo, open_engine, probe
from graph.engine.embedded import EmbeddedServer
from graph.engine.home import EngineHome
from graph.engine.host import CARRIERS
from graph.errors import (
    ConfigurationError,
    DatabaseLoginFailed,
    DatabaseUnreachable,
    EngineStartFailed,
    HomeUnusable,
    PortTaken,
    StoreLocked,
)
from graph.settings import Settings, load_settings

# Far longer than anything takes: it only keeps a broken program from waiting for ever.
PATIENCE_SECONDS = 150

OWNER = """
import asyncio, sys
from pathlib import Path
from graph.engine import open_engine
from graph.settings import load_settings

async def main():
    await open_engine(load_settings(home=Path(sys.argv[1])))
    print("ready", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


async def eventually(condition: Callable[[], bool]) -> None:
    """Wait in a thread, since what is waited for is told by no event."""

    def wait() -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            assert time.monotonic() < deadline
            time.sleep(0.1)

    await asyncio.to_thread(wait)


async def answer(connection: Connection) -> ServerInfo:
    """Probe until something answers."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            with suppress(DatabaseUnreachable):
                return await probe(connection)
            await asyncio.sleep(0.1)


def start_owner(home: Path) -> "subprocess.Popen[bytes]":
    """Start another process that opens this home, and return it once its server is ready."""
    script = [sys.executable, "-c", OWNER, str(home)]
    owner = subprocess.Popen(script, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 (our own script)
    assert owner.stdout is not None
    assert owner.stdout.readline() == b"ready\n"
    return owner


def child_pid(home: Path) -> int:
    pid = EngineHome(home).read_state().pid
    assert pid is not None
    return pid


def has_ended(pid: int) -> bool:
    """Whether the process has ended. One whose parent has not asked for its end yet is a zombie."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return load_settings(home=tmp_path_factory.mktemp("engine") / "home")


@pytest.fixture(scope="module")
async def servers(settings: Settings) -> AsyncIterator[tuple[EmbeddedServer, EmbeddedServer]]:
    """Two that were opened at once on one new home: first the one that runs the server, then the attached one."""
    pair = EmbeddedServer(settings), EmbeddedServer(settings)
    await asyncio.gather(*(server.open() for server in pair))
    owner, attached = sorted(pair, key=lambda server: not server.is_owner)
    yield owner, attached
    await attached.close()
    await owner.close()


async def test_two_that_start_at_once_share_one_server(servers: tuple[EmbeddedServer, EmbeddedServer]) -> None:
    owner, attached = servers
    assert (owner.is_owner, attached.is_owner) == (True, False)
    assert owner.connection == attached.connection
    assert owner.connection.source == "embedded"
    assert (await probe(attached.connection)).product == "Neo4j"


async def test_the_server_listens_on_one_loopback_port(
    settings: Settings, servers: tuple[EmbeddedServer, EmbeddedServer]
) -> None:
    sockets = psutil.Process(child_pid(settings.home)).net_connections("tcp")
    listening = {(each.laddr.ip, each.laddr.port) for each in sockets if each.status == psutil.CONN_LISTEN}
    port = int(servers[0].connection.uri.rsplit(":", 1)[1])
    assert listening in ({("127.0.0.1", port)}, {("::ffff:127.0.0.1", port)})


async def test_virtual_threads_have_carriers_enough_on_any_machine(
    servers: tuple[EmbeddedServer, EmbeddedServer],
) -> None:
    """Decision 0023: as many as there are cores were all held by waiting index samplers on two, and commits stood."""
    asked = (
        'CALL dbms.queryJmx("java.lang:type=Runtime") YIELD attributes RETURN attributes.InputArguments.value AS said'
    )
    async with bare_driver(servers[0].connection) as driver:
        rows, _, _ = await driver.execute_query(asked)
    assert f"-Djdk.virtualThreadScheduler.parallelism={CARRIERS}" in rows[0]["said"]


async def test_what_the_home_keeps_is_private(
    settings: Settings, servers: tuple[EmbeddedServer, EmbeddedServer]
) -> None:
    home = EngineHome(settings.home)
    assert home.read_password() == servers[0].connection.password.get_secret_value()
    for path in (home.password_file, home.lock_file, home.folder / "engine.json"):
        assert path.stat().st_mode & 0o777 == 0o600


async def test_the_factory_password_no_longer_works(servers: tuple[EmbeddedServer, EmbeddedServer]) -> None:
    with pytest.raises(DatabaseLoginFailed):
        await probe(replace(servers[0].connection, password=SecretStr("neo4j")))


async def test_a_third_attaches_and_leaves_the_server_running(
    settings: Settings, servers: tuple[EmbeddedServer, EmbeddedServer]
) -> None:
    third = await open_engine(settings)
    assert third.connection == servers[0].connection
    await third.close()
    await third.close()
    await probe(servers[0].connection)


class TestNamedByUri:
    """The same server, as one that somebody else runs."""

    async def test_it_is_used_and_left_running(
        self, settings: Settings, servers: tuple[EmbeddedServer, EmbeddedServer]
    ) -> None:
        connection = servers[0].connection
        engine = await open_engine(
            load_settings(
                home=settings.home,
                neo4j_uri=connection.uri.replace("bolt://", "neo4j://"),
                neo4j_password=connection.password,
            )
        )
        assert engine.connection.source == "uri"
        await engine.close()
        await probe(connection)

    async def test_a_wrong_password_is_refused(self, servers: tuple[EmbeddedServer, EmbeddedServer]) -> None:
        wrong = load_settings(neo4j_uri=servers[0].connection.uri, neo4j_password="wrong")  # noqa: S106
        with pytest.raises(DatabaseLoginFailed, match="NEO4J_USERNAME and NEO4J_PASSWORD"):
            await open_engine(wrong)

    async def test_an_unknown_database_is_refused(self, servers: tuple[EmbeddedServer, EmbeddedServer]) -> None:
        connection = servers[0].connection
        elsewhere = load_settings(
            neo4j_uri=connection.uri, neo4j_password=connection.password, neo4j_database="nowhere"
        )
        with pytest.raises(ConfigurationError, match="NEO4J_DATABASE is 'nowhere'"):
            await open_engine(elsewhere)


async def test_a_server_that_was_killed_is_restarted_by_its_owner(
    settings: Settings, servers: tuple[EmbeddedServer, EmbeddedServer]
) -> None:
    owner, attached = servers
    before = owner.connection
    killed = child_pid(settings.home)
    os.kill(killed, signal.SIGKILL)
    await eventually(lambda: has_ended(killed))
    assert (await answer(before)).product == "Neo4j"
    assert child_pid(settings.home) != killed
    assert owner.connection == attached.connection == before
    assert not attached.is_owner


async def test_an_owner_that_was_killed_leaves_no_orphan_and_is_followed_by_who_is_attached(tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path / "home")
    with await asyncio.to_thread(start_owner, settings.home) as owner:
        attached = EmbeddedServer(settings)
        await attached.open()
        assert not attached.is_owner
        first = child_pid(settings.home)
        owner.kill()
    await eventually(lambda: has_ended(first))
    await eventually(lambda: attached.is_owner)
    await answer(attached.connection)
    second = child_pid(settings.home)
    await attached.close()
    assert has_ended(second)
    assert EngineHome(settings.home).read_state().phase == "stopped"

    # The store is free now, for another program to lock as Neo4j does.
    with (settings.home / "neo4j" / "data" / "databases" / "store_lock").open("rb+") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        with pytest.raises(StoreLocked, match="Another program has the Neo4j store") as caught:
            await open_engine(settings)
    assert str(settings.home) in caught.value.message


async def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(PortTaken, match=f"port {port} on 127.0.0.1 is used") as caught:
            await open_engine(load_settings(home=tmp_path, engine_port=port))
    assert "HELIOGRAPH_ENGINE_PORT" in caught.value.message


async def test_a_home_under_a_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(HomeUnusable, match="HELIOGRAPH_HOME"):
        await open_engine(load_settings(home=file / "home"))


async def test_a_java_that_cannot_start_is_explained_by_the_end_of_its_log(tmp_path: Path) -> None:
    with pytest.raises(EngineStartFailed, match=r"engine\.log"):
        await open_engine(load_settings(home=tmp_path, engine_heap="900000g"))
    assert EngineHome(tmp_path).read_state().phase == "stopped"


async def test_a_start_that_is_cancelled_leaves_nothing_running(tmp_path: Path) -> None:
    server = EmbeddedServer(load_settings(home=tmp_path))
    opening = asyncio.create_task(server.open())
    await eventually(lambda: EngineHome(tmp_path).read_state().phase == "starting")
    pid = child_pid(tmp_path)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    await server.close()
    assert has_ended(pid)
