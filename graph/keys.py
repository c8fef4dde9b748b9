"""API keys: 256 random bits, shown once, kept only as an HMAC whose pepper lies outside the graph (DESIGN §7).

Whoever reads the whole graph has nothing to log in with, and neither key nor pepper is ever a query parameter.
"""

import contextlib
import hashlib
import hmac
import os
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from pydantic import SecretStr

from graph.clock import Clock
from graph.database import Database, Row, Transaction
from graph.errors import ConfigurationError, HomeUnusable, RefusalCode, Refused
from graph.ids import Prefix, new_id
from graph.queries import query
from graph.readers import Reader
from graph.records import moment, optional_moment
from graph.rules.text import shown
from graph.settings import Settings

CREATE, CALLER, LIST, REVOKE = query("keys/create"), query("keys/caller"), query("keys/list"), query("keys/revoke")

KEY_PREFIX = "hg_"
_PEPPER_LEAST = 32


class Scope(StrEnum):
    """What a key allows beyond being its identity. One of scope analyst alone reads everything and writes nothing."""

    AGENT = "agent"
    ANALYST = "analyst"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who a good key belongs to; ``key`` is its id."""

    key: str
    handle: str
    scopes: frozenset[Scope]
    last_seen_at: datetime | None
    reader: Reader

    @property
    def analyst(self) -> bool:
        """Whether the key sees everything."""
        return Scope.ANALYST in self.scopes

    @property
    def writes(self) -> bool:
        """Whether anything may be written with the key, as its identity."""
        return Scope.AGENT in self.scopes or not self.analyst


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just issued: its id, by which it can be revoked, and the secret, which is shown this once."""

    id: str
    secret: SecretStr


class KeyRing:
    """Issues keys and recognises them, with one pepper."""

    def __init__(self, pepper: SecretStr) -> None:
        self._pepper = pepper.get_secret_value().encode()

    def digest(self, key: str) -> str:
        """Return what the graph keeps of a key."""
        return hmac.new(self._pepper, key.encode(), hashlib.sha256).hexdigest()

    async def issue(self, database: Database, clock: Clock, handle: str, scopes: Iterable[Scope]) -> NewKey:
        """Issue a key to an identity and return it, this once. Raises Refused when nobody has the handle."""
        key, minted = self.mint(scopes, clock.now())

        async def work(tx: Transaction) -> bool:
            return await tx.one(CREATE, {**minted, "handle": handle}) is not None

        if not await database.write(work):
            raise Refused(
                RefusalCode.NOT_FOUND, f"handle {shown(handle)} is nobody here; register it first.", field="handle"
            )
        return NewKey(minted["id"], key)

    def mint(self, scopes: Iterable[Scope], at: datetime) -> tuple[SecretStr, Row]:
        """Return a new key, and what ``keys/create`` must write to make it one, save the handle."""
        key = KEY_PREFIX + secrets.token_urlsafe(32)
        return SecretStr(key), {
            "id": new_id(Prefix.CREDENTIAL, at),
            "digest": self.digest(key),
            "scopes": sorted(scope.value for scope in scopes),
            "at": at,
        }

    async def caller(self, database: Database, key: str) -> Caller | None:
        """Return whose key this is; None when it is not one of ours, was revoked, or is of another server."""
        if not key.startswith(KEY_PREFIX) or not key.isascii():
            return None
        rows = await database.fetch(CALLER, {"digest": self.digest(key)})
        if not rows:
            return None
        (row,) = rows
        scopes = frozenset(map(Scope, row["scopes"]))
        return Caller(
            key=row["id"],
            handle=row["handle"],
            scopes=scopes,
            last_seen_at=optional_moment(row["lastSeenAt"]),
            reader=Reader(row["handle"], tuple(row["mailboxes"]), everything=Scope.ANALYST in scopes),
        )


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """What is known of a key that was issued; not the key."""

    id: str
    scopes: tuple[str, ...]
    created_at: datetime
    revoked_at: datetime | None


async def issued_keys(database: Database, handle: str) -> list[IssuedKey]:
    """Return the keys issued to an identity, oldest first."""
    rows = await database.fetch(LIST, {"handle": handle})
    return [
        IssuedKey(row["id"], tuple(row["scopes"]), moment(row["createdAt"]), optional_moment(row["revokedAt"]))
        for row in rows
    ]


async def revoke(database: Database, clock: Clock, key_id: str) -> str:
    """Revoke a key by its id, from the next request on, and return whose it was. Raises Refused when there is none."""
    now = clock.now()

    async def work(tx: Transaction) -> str | None:
        row = await tx.one(REVOKE, {"id": key_id, "at": now})
        return None if row is None else row["handle"]

    handle = await database.write(work)
    if handle is None:
        raise Refused(RefusalCode.NOT_FOUND, f"id {shown(key_id)} is not a key that was issued here.", field="id")
    return handle


def load_pepper(settings: Settings) -> SecretStr:
    """Return the pepper: HELIOGRAPH_PEPPER, else the file ``pepper`` in the home folder, made on first use.

    Raises ConfigurationError for one that is too short, HomeUnusable when the file cannot be made or read.
    """
    if settings.pepper is not None:
        if len(settings.pepper.get_secret_value()) < _PEPPER_LEAST:
            raise ConfigurationError(
                f"HELIOGRAPH_PEPPER is shorter than {_PEPPER_LEAST} characters; choose a longer one."
            )
        return settings.pepper
    path = settings.home / "pepper"
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            write_secret(path, secrets.token_urlsafe(48))
        return SecretStr(path.read_text(encoding="ascii").strip())
    except (OSError, UnicodeDecodeError) as error:
        raise HomeUnusable(f"The pepper {path} cannot be made or read ({error}); choose another --home.") from error


def write_secret(path: Path, secret: str) -> None:
    """Write a new file that only its owner reads, whole or not at all. Raises FileExistsError when there is one."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secret + "\n")
        # A link, unlike a rename, fails when the name is taken, so that of two starting processes one pepper wins.
        os.link(temporary, path)
    finally:
        temporary.unlink()
