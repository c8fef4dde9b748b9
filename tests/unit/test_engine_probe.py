"""What a probe says about servers that are no good. Each is a few lines that speak as much Bolt as they need."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr

from graph.engine import Connection, open_engine, probe, probing
from graph.errors import ConfigurationError, DatabaseUnreachable, DatabaseUnsupported
from graph.settings import load_settings

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

BOLT_4_4 = bytes([0, 0, 4, 4])
NO_COMMON_VERSION = bytes(4)


@asynccontextmanager
async def serving(talk: Talk) -> AsyncIterator[Connection]:
    """Serve one kind of conversation on a loopback port, and yield how to connect to it."""

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await talk(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(converse, "127.0.0.1", 0)
    async with server:
        yield connection(server.sockets[0].getsockname()[1])


def connection(port: int) -> Connection:
    return Connection("uri", f"bolt://127.0.0.1:{port}", "neo4j", SecretStr("not-for-logs"), "neo4j")


def bolt(agent: str) -> Talk:
    """Return a server that says it is ``agent`` and agrees to everything."""

    def text(value: str) -> bytes:
        return bytes([0xD0, len(value)]) + value.encode()

    success = b"\xb1\x70\xa2" + text("server") + text(agent) + text("connection_id") + text("bolt-1")

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(20)
        writer.write(BOLT_4_4)
        while True:
            while size := int.from_bytes(await reader.readexactly(2)):
                await reader.readexactly(size)
            writer.write(len(success).to_bytes(2) + success + bytes(2))
            await writer.drain()

    return talk


@pytest.mark.parametrize(
    ("agent", "version"),
    [("Neo4j/5.26.0", "5.26.0"), ("Neo4j/2026.09.0", "2026.09.0"), ("Neo4j/5.27-aura", "5.27-aura")],
)
async def test_a_supported_server_is_named_with_its_version(agent: str, version: str) -> None:
    async with serving(bolt(agent)) as place:
        server = await probe(place)
    assert (server.product, server.version) == ("Neo4j", version)


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ("Neo4j/4.4.11", "is Neo4j 4.4.11"),
        ("Neo4j/5.25.9", "is Neo4j 5.25.9"),
        ("Neo4j/v5.11.0 compatible graph database server - Memgraph", "Memgraph"),  # it imitates an old name
    ],
)
async def test_an_old_server_or_another_product_is_refused(agent: str, said: str) -> None:
    async with serving(bolt(agent)) as place:
        with pytest.raises(DatabaseUnsupported, match=said) as caught:
            await probe(place)
    assert place.uri in caught.value.message
    assert "5.26 or later" in caught.value.message


async def test_a_bolt_server_without_a_common_version_is_refused() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(20)
        writer.write(NO_COMMON_VERSION)
        await writer.drain()

    async with serving(talk) as place:
        with pytest.raises(DatabaseUnsupported):
            await probe(place)


async def test_a_bolt_server_that_does_not_call_itself_neo4j_is_refused() -> None:
    async with serving(bolt("OtherGraph/7.0")) as place:
        with pytest.raises(DatabaseUnsupported):
            await probe(place)


async def test_a_web_server_is_told_apart() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(20)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()

    async with serving(talk) as place:
        with pytest.raises(DatabaseUnsupported, match="speaks HTTP"):
            await probe(place)


async def test_a_server_that_talks_otherwise_is_refused() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.example ESMTP\r\n")
        await reader.readexactly(20)

    async with serving(talk) as place:
        with pytest.raises(DatabaseUnsupported):
            await probe(place)


async def test_nobody_there_is_unreachable_and_says_what_to_do() -> None:
    async with serving(bolt("Neo4j/5.26.0")) as place:
        pass
    with pytest.raises(DatabaseUnreachable) as caught:
        await probe(place)
    assert place.uri in caught.value.message
    assert "NEO4J_URI" in caught.value.message
    assert "not-for-logs" not in caught.value.message


async def test_a_server_that_hangs_up_is_unreachable() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(20)

    async with serving(talk) as place:
        with pytest.raises(DatabaseUnreachable):
            await probe(place)


async def test_a_server_that_says_nothing_is_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "_CONNECT_SECONDS", 0.3)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        await reader.read()

    async with serving(talk) as place:
        with pytest.raises(DatabaseUnreachable):
            await probe(place)


async def test_an_unknown_host_is_unreachable() -> None:
    with pytest.raises(DatabaseUnreachable):
        await probe(Connection("uri", "bolt://graph.invalid:7687", "neo4j", SecretStr("x"), "neo4j"))


async def test_an_address_without_a_password_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NEO4J_PASSWORD", raising=False)
    with pytest.raises(ConfigurationError, match="NEO4J_PASSWORD is not"):
        await open_engine(load_settings(home=tmp_path, neo4j_uri="bolt://127.0.0.1:1"))


async def test_a_named_server_is_probed_and_left_alone(tmp_path: Path) -> None:
    async with serving(bolt("Neo4j/5.26.0")) as place:
        settings = load_settings(home=tmp_path / "home", neo4j_uri=place.uri, neo4j_password="x")  # noqa: S106
        engine = await open_engine(settings)
        assert engine.connection.source == "uri"
        await engine.close()
        assert not settings.home.exists()
        await probe(place)


async def test_the_repr_of_a_connection_hides_its_password() -> None:
    assert "not-for-logs" not in repr(connection(7687))
