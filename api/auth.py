"""Who is calling: the bearer key decides, and nothing else. Loopback is not a credential (DESIGN §7)."""

from dataclasses import dataclass
from typing import Literal

from graph.bootstrap import Graph
from graph.errors import RefusalCode, Refused, Unauthenticated
from graph.keys import Caller, Scope

NO_KEY = "No API key was sent; send one as 'Authorization: Bearer hg_…'."
BAD_KEY = "This API key is not known here: it was revoked, or is of another server. An operator issues keys."
BAD_HEADER = "The Authorization header is not 'Bearer <key>'; send 'Authorization: Bearer hg_…'."


@dataclass(frozen=True, slots=True)
class Identification:
    """Who the server takes the caller for, and why it knows nobody where it does not."""

    caller: Caller | None
    reason: str = ""

    @property
    def source(self) -> Literal["api-key", "unresolved"]:
        """How the caller is known."""
        return "unresolved" if self.caller is None else "api-key"

    def required(self) -> Caller:
        """Return the caller. Raises Unauthenticated for nobody."""
        if self.caller is None:
            raise Unauthenticated(self.reason)
        return self.caller

    def bound(self) -> Caller:
        """Return the caller. Raises Refused with IDENTITY_UNBOUND for nobody, so that a sunset can go on without it."""
        if self.caller is None:
            raise Refused(
                RefusalCode.IDENTITY_UNBOUND,
                f"No handover was written: {self.reason} Finish the sunset without it.",
                rule="seed-000",
            )
        return self.caller

    def check_writes(self) -> None:
        """Raise Refused with FORBIDDEN for a caller whose key only reads. Nobody is refused by name elsewhere."""
        if self.caller is not None and not self.caller.writes:
            raise Refused(
                RefusalCode.FORBIDDEN,
                "A key of scope 'analyst' reads everything and writes nothing; write with a key of scope 'agent'.",
            )

    def operator(self) -> Caller:
        """Return the caller. Raises Unauthenticated for nobody, Refused with FORBIDDEN for one who is no operator."""
        caller = self.required()
        if Scope.OPERATOR not in caller.scopes:
            raise Refused(RefusalCode.FORBIDDEN, "Only a key of scope 'operator' may do this.")
        return caller


async def identify(graph: Graph, authorization: str | None) -> Identification:
    """Return who the Authorization header says is calling. Raises DatabaseError when that cannot be looked up."""
    if authorization is None:
        return Identification(None, NO_KEY)
    scheme, _, key = authorization.partition(" ")
    if scheme.lower() != "bearer" or not key.strip():
        return Identification(None, BAD_HEADER)
    caller = await graph.keys.caller(graph.database, key.strip())
    return Identification(caller, "" if caller is not None else BAD_KEY)
