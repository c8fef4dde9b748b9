"""State tokens: how far a client has followed one mailbox, opaque to it (DESIGN §3.3).

A token grants nothing; whoever hands one in is authorised anew, and one of another mailbox is refused as such.
"""

import base64
import binascii
import hashlib
import json

from graph.errors import RefusalCode, Refused
from graph.rules.states import State
from graph.rules.text import shown

#: The largest number that the database holds, and that a state can name.
MOST = 2**63 - 1


def encode_state(mailbox: str, state: State) -> str:
    """Return a state of a mailbox as clients hold it. A state has one token, and a token is of one mailbox."""
    text = json.dumps(["state", _digest(mailbox), state.modseq, state.uid_next], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode_state(mailbox: str, token: str, field: str) -> State:
    """Return the state that a token names. Raises Refused with STATE_MALFORMED or STATE_OF_ANOTHER_MAILBOX."""
    state, digest = _parsed(token)
    if state is None:
        raise Refused(
            RefusalCode.STATE_MALFORMED,
            f"{field} {shown(token)} is not a state; name one that an inbox page or mailboxChanges gave.",
            field=field,
        )
    if digest != _digest(mailbox):
        raise Refused(
            RefusalCode.STATE_OF_ANOTHER_MAILBOX,
            f"{field} {shown(token)} is a state of another mailbox than {mailbox}; keep one state for each.",
            field=field,
        )
    return state


def _parsed(token: str) -> tuple[State | None, str]:
    try:
        padded = token.encode("ascii") + b"=" * (-len(token) % 4)
        kind, digest, modseq, uid_next = json.loads(base64.urlsafe_b64decode(padded))
    except (ValueError, TypeError, binascii.Error, RecursionError):
        return None, ""
    whole = kind == "state" and isinstance(digest, str) and all(type(part) is int for part in (modseq, uid_next))
    if not whole or not (0 <= modseq <= MOST and 1 <= uid_next <= MOST):
        return None, ""
    return State(modseq, uid_next), digest


def _digest(mailbox: str) -> str:
    return hashlib.sha256(f"state:{mailbox}".encode()).hexdigest()[:16]
