"""Handles for the people of imported mail: one address, one handle, for ever. Pure."""

import base64
import re
from hashlib import sha256

UNKNOWN_SENDER = "@unknown-sender"
_LONGEST = 64
_PLAIN_LOCAL = re.compile(r"[a-z0-9][a-z0-9._-]*")
_PLAIN_DOMAIN = re.compile(r"[a-z0-9.-]*[a-z0-9-]")
_FOREIGN = re.compile(r"[^a-z0-9._-]+")
_HASH_LENGTH = 16


def handle_for(address: str | None) -> str:
    """Return the handle of a mail address: ``steve.x@example.org`` is ``@steve.x_at_example.org``.

    Letters' case makes no difference. An address whose plain form would be too long or lose a character gets a form
    ending in two underscores and 80 bits of its SHA-256. No plain form ends so, and a domain holds no underscore in a
    plain form, so the plain forms read back to one address only: no two addresses share a handle. No address at all
    is ``@unknown-sender``.
    """
    if address is None or not (bare := address.strip().lower()):
        return UNKNOWN_SENDER
    local, at, domain = bare.rpartition("@")
    plain = f"{local}_at_{domain}"
    if at and _PLAIN_LOCAL.fullmatch(local) and _PLAIN_DOMAIN.fullmatch(domain) and len(plain) <= _LONGEST:
        return f"@{plain}"
    digest = sha256(bare.encode("utf-8", "surrogatepass")).digest()
    suffix = base64.b32encode(digest).decode("ascii").lower()[:_HASH_LENGTH]
    readable = _FOREIGN.sub("-", bare.replace("@", "_at_")).lstrip("._-")[: _LONGEST - _HASH_LENGTH - 2]
    return f"@{readable.rstrip('._-') or 'mail'}__{suffix}"
