"""Everything that can go wrong, as one tree with codes.

::

    HeliographError                 has a code, a message for a person, and data for a program
    ├── Refused                     an expected "no": the API answers it as data, never as a defect
    │   └── UnknownAddress          nobody has that address; carries it, so that candidates can be found
    ├── Unauthenticated             the caller did not say who they are, or the key is not good here
    ├── ConfigurationError          a setting is missing or unusable
    │   ├── HomeUnusable            the home folder cannot be made, read or written
    │   └── PortTaken               another program listens on the port
    ├── DatabaseError               the database cannot answer; never shown as an empty page
    │   ├── DatabaseUnreachable     nothing answers at the address
    │   ├── DatabaseLoginFailed     it answers, but refuses the name or the password
    │   ├── DatabaseUnsupported     it answers, but is not Neo4j 5.26 or later
    │   ├── DatabaseTimeout         a query ran longer than it may
    │   ├── DatabaseConflict        a unique key that was to be created exists already
    │   └── MigrationFailed         a schema change could not be applied, or the graph is newer than the code
    └── EngineError                 the embedded server cannot be had
        ├── JarsUnavailable         a jar is not here and cannot be fetched
        ├── JarCorrupt              a jar's content is not what the lock says
        ├── StoreLocked             another program has the store open
        └── EngineStartFailed       the server did not become ready

Driver exceptions become these in one place, ``graph.database.translated``; engine failures in ``graph.engine``.
"""

from enum import StrEnum
from typing import ClassVar


class RefusalCode(StrEnum):
    """Why a request that was understood is not carried out."""

    INVALID_INPUT = "INVALID_INPUT"
    UNKNOWN_ADDRESS = "UNKNOWN_ADDRESS"
    AMBIGUOUS_ADDRESS = "AMBIGUOUS_ADDRESS"
    NOT_FOUND = "NOT_FOUND"
    ADDRESS_RETIRED = "ADDRESS_RETIRED"
    FORBIDDEN = "FORBIDDEN"
    BLOCKED = "BLOCKED"
    STALE_OWNER = "STALE_OWNER"
    CONFLICT = "CONFLICT"
    IDEMPOTENCY_CONFLICT = "IDEMPOTENCY_CONFLICT"
    STATE_MISMATCH = "STATE_MISMATCH"
    ALREADY_ACCEPTED = "ALREADY_ACCEPTED"
    IDENTITY_UNBOUND = "IDENTITY_UNBOUND"
    RESERVED_TAG = "RESERVED_TAG"
    LIMIT_EXCEEDED = "LIMIT_EXCEEDED"
    STATE_MALFORMED = "STATE_MALFORMED"
    STATE_OF_ANOTHER_MAILBOX = "STATE_OF_ANOTHER_MAILBOX"
    STATE_AHEAD = "STATE_AHEAD"
    STATE_TOO_OLD = "STATE_TOO_OLD"
    CYPHER_OFF = "CYPHER_OFF"
    CYPHER_REFUSED = "CYPHER_REFUSED"


class HeliographError(Exception):
    """Base of the tree. ``code`` is for programs, the message for people; both are safe to show."""

    code: ClassVar[str] = "INTERNAL"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Refused(HeliographError):
    """An expected refusal. ``field`` names the argument, ``candidates`` what could be meant instead.

    ``retryable`` is true only where the same request may succeed later without change.
    ``rule`` is the id of the seed's rule where there is one.
    """

    code: ClassVar[str] = "REFUSED"

    def __init__(
        self,
        refusal: RefusalCode,
        message: str,
        *,
        field: str | None = None,
        candidates: tuple[str, ...] = (),
        rule: str | None = None,
        retryable: bool = False,
    ) -> None:
        super().__init__(message)
        self.refusal = refusal
        self.field = field
        self.candidates = candidates
        self.rule = rule
        self.retryable = retryable


class UnknownAddress(Refused):
    """Nobody here has ``address``. Whoever answers the caller adds the nearest candidates."""

    def __init__(self, address: str, message: str, *, field: str, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(RefusalCode.UNKNOWN_ADDRESS, message, field=field, candidates=candidates)
        self.address = address


class Unauthenticated(HeliographError):
    """No key, or a key that is not known here or was revoked."""

    code = "UNAUTHENTICATED"


class ConfigurationError(HeliographError):
    """A setting is missing, malformed or cannot be used."""

    code = "CONFIGURATION"


class HomeUnusable(ConfigurationError):
    """The home folder cannot be created, read or written."""

    code = "HOME_UNUSABLE"


class PortTaken(ConfigurationError):
    """Another program already listens on the port."""

    code = "PORT_TAKEN"


class DatabaseError(HeliographError):
    """The database could not answer."""

    code = "DATABASE_ERROR"


class DatabaseUnreachable(DatabaseError):
    """Nothing answers at the database's address, or the connection broke and did not come back in time."""

    code = "DATABASE_UNREACHABLE"


class DatabaseLoginFailed(DatabaseError):
    """The database refuses the user name or the password."""

    code = "DATABASE_LOGIN_FAILED"


class DatabaseUnsupported(DatabaseError):
    """What answers is not Neo4j, or is older than 5.26."""

    code = "DATABASE_UNSUPPORTED"


class DatabaseTimeout(DatabaseError):
    """A query ran longer than its time limit and was stopped."""

    code = "DATABASE_TIMEOUT"


class DatabaseConflict(DatabaseError):
    """A unique key that was to be created exists already. Use cases turn it into a refusal that names the key."""

    code = "DATABASE_CONFLICT"


class MigrationFailed(DatabaseError):
    """A schema change failed, was edited after it was applied, or the graph is newer than this program."""

    code = "MIGRATION_FAILED"


class EngineError(HeliographError):
    """The embedded Neo4j server cannot be had."""

    code = "ENGINE_ERROR"


class JarsUnavailable(EngineError):
    """A jar of the lock is not on this machine and cannot be fetched."""

    code = "JARS_UNAVAILABLE"


class JarCorrupt(EngineError):
    """A jar's content does not have the hash that the lock names."""

    code = "JAR_CORRUPT"


class StoreLocked(EngineError):
    """Another program has the embedded server's store open."""

    code = "STORE_LOCKED"


class EngineStartFailed(EngineError):
    """The embedded server ended, or did not become ready in time."""

    code = "ENGINE_START_FAILED"
