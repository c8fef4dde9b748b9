"""The words that the engine and the rest of the program share: how to connect, and how to let go again."""

from dataclasses import dataclass
from typing import Literal, Protocol

from pydantic import SecretStr


@dataclass(frozen=True)
class Connection:
    """What a driver needs to reach the database. The password's repr is masked."""

    source: Literal["embedded", "uri"]
    uri: str
    username: str
    password: SecretStr
    database: str


@dataclass(frozen=True)
class ServerInfo:
    """What answers at a connection: ``Neo4j`` and its version, such as ``5.26.25`` or ``2026.09.0``."""

    product: str
    version: str


class Engine(Protocol):
    """A database that is there until it is closed."""

    @property
    def connection(self) -> Connection:
        """How to reach it. It stays the same for as long as the engine is open, also across restarts."""

    @property
    def run(self) -> int | None:
        """Which run of the server this is, where Heliograph hosts it; None for a server of somebody else's."""

    def end(self, run: int) -> bool:
        """End that run of the server by force, so that it is started again; False when it is not the present one."""

    async def close(self) -> None:
        """Let go of the database, and stop it if this process started it. A second call does nothing."""


class Progress(Protocol):
    """Told how a long step goes on. Every method may be called from any thread."""

    def start(self, total: int, description: str) -> None:
        """Begin a step of so many units. Steps do not overlap."""

    def advance(self, amount: int = 1) -> None:
        """Count finished units."""

    def done(self) -> None:
        """End the step, finished or failed."""
