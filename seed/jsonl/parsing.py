"""What one line says: a message of another system, checked and in canonical form. Pure."""

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from graph.errors import RefusalCode, Refused
from graph.rules.addresses import AddressKind, parse_address
from graph.rules.drafts import Priority
from graph.rules.limits import MessageLimits
from graph.rules.tags import HANDOVER_TAG, canonical_tags
from graph.rules.text import check_text, is_one_line, shown

KNOWN_FIELDS = frozenset(
    {"id", "from", "to", "cc", "subject", "bodyText", "createdAt", "tags", "priority", "expectsReply", "inReplyTo"}
    | {"thread", "read"}
)
_ID_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class ParsedLine:
    """A message as its line says it. ``id``, ``in_reply_to`` and ``thread`` are names of the other system.

    ``digest`` is a hash of what was said but for ``read``; a line without an id is known by it.
    """

    id: str
    sender: str
    to: tuple[str, ...]
    cc: tuple[str, ...]
    subject: str
    body_text: str
    created_at: datetime
    tags: tuple[str, ...]
    priority: Priority
    expects_reply: bool
    in_reply_to: str | None
    thread: str | None
    read: frozenset[str]
    digest: str
    ignored: tuple[str, ...]

    @property
    def handles(self) -> tuple[str, ...]:
        """Everybody it names, with the field that does."""
        return (self.sender, *self.to, *self.cc)


def parse_line(content: bytes, limits: MessageLimits, latest: datetime) -> ParsedLine:
    """Return what a line says. Raises Refused for the first thing wrong in it, naming field, value and remedy.

    Nothing may have been written later than ``latest``.
    """
    said = _object(content)
    sender = _handle(_text(said, "from"), "from")
    to, cc = _handles(said, "to"), _handles(said, "cc")
    cc = tuple(handle for handle in cc if handle not in to)
    if not to:
        raise _invalid("to", 'to is empty; name at least one recipient, such as ["@ada"].')
    if len(to) + len(cc) > limits.recipients:
        raise Refused(
            RefusalCode.LIMIT_EXCEEDED,
            f"to and cc name {len(to) + len(cc)} recipients; at most {limits.recipients} are allowed.",
            field="to",
        )
    subject = check_text(_text(said, "subject", ""), "subject", characters=limits.subject_characters, empty=True)
    if not is_one_line(subject):
        raise _invalid("subject", f"subject {shown(subject)} holds control characters; write one line.")
    tags = canonical_tags(_texts(said, "tags"), "tags", limits)
    if HANDOVER_TAG in tags:
        raise Refused(
            RefusalCode.RESERVED_TAG,
            f"tags: '{HANDOVER_TAG}' is for handovers, which a session writes here; leave it out.",
            field="tags",
        )
    read = frozenset(_handles(said, "read"))
    if strangers := read - {*to, *cc}:
        raise _invalid("read", f"read names {shown(min(strangers))}, who is no recipient; name recipients only.")
    fields: dict[str, Any] = {
        "sender": sender,
        "to": to,
        "cc": cc,
        "subject": subject.strip(),
        "body_text": check_text(_text(said, "bodyText", ""), "bodyText", octets=limits.body_bytes, empty=True),
        "created_at": _moment(_text(said, "createdAt"), latest),
        "tags": tags,
        "priority": _priority(_text(said, "priority", Priority.NORMAL)),
        "expects_reply": _truth(said, "expectsReply"),
        "in_reply_to": _name(said, "inReplyTo"),
        "thread": _name(said, "thread"),
    }
    digest = _digest(fields)
    id_ = _name(said, "id")
    if id_ is not None and id_ == fields["in_reply_to"]:
        raise _invalid("inReplyTo", f"inReplyTo {shown(id_)} is the message itself; name the one it answers.")
    ignored = tuple(sorted(map(str, said.keys() - KNOWN_FIELDS)))
    return ParsedLine(id=id_ or f"sha256:{digest}", read=read, digest=digest, ignored=ignored, **fields)


def _digest(fields: dict[str, Any]) -> str:
    """Return the same hash for the same message, in whatever order recipients and tags are written."""
    lists = {name: sorted(fields[name]) for name in ("to", "cc", "tags")}
    said = fields | lists | {"created_at": fields["created_at"].isoformat()}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _object(content: bytes) -> dict[str, Any]:
    try:
        said = json.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise _invalid(None, f"byte {error.start + 1} is not UTF-8; write the file in UTF-8.") from error
    except json.JSONDecodeError as error:
        raise _invalid(None, f"it is not JSON ({error.msg} at character {error.colno}); write one object.") from error
    except (ValueError, RecursionError) as error:
        raise _invalid(None, f"it cannot be read ({type(error).__name__}); write one plain object.") from error
    if not isinstance(said, dict):
        raise _invalid(None, f"{shown(_spelled(said))} is not an object; write one, such as {{…}}.")
    return said


def _text(said: dict[str, Any], field: str, default: str | None = None) -> str:
    value = said.get(field)
    if value is None:
        if default is None:
            raise _invalid(field, f"{field} is missing; every line has one.")
        return default
    if not isinstance(value, str):
        raise _invalid(field, f"{field} {shown(_spelled(value))} is not text; write it in quotes.")
    return value


def _texts(said: dict[str, Any], field: str) -> list[str]:
    value = said.get(field)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _invalid(field, f'{field} {shown(_spelled(value))} is not a list of texts; write it as ["…"].')
    return value


def _truth(said: dict[str, Any], field: str) -> bool:
    value = said.get(field)
    if value is None or isinstance(value, bool):
        return bool(value)
    raise _invalid(field, f"{field} {shown(_spelled(value))} is neither true nor false; write one of them.")


def _name(said: dict[str, Any], field: str) -> str | None:
    """Return a name of the other system: text, or a whole number as many systems have them."""
    value = said.get(field)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return None if value is None else check_text(_text(said, field), field, characters=_ID_CHARACTERS)


def _handles(said: dict[str, Any], field: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_handle(item, field) for item in _texts(said, field)))


def _handle(written: str, field: str) -> str:
    address = parse_address(written, field)
    if address.kind is AddressKind.IDENTITY:
        return address.text
    raise _invalid(
        field, f"{field} {shown(written)} is not one identity; name those who sent or got it, such as '@ada'."
    )


def _moment(written: str, latest: datetime) -> datetime:
    try:
        moment = datetime.fromisoformat(written.strip())
        if moment.tzinfo is not None:
            moment = moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise _invalid(
            "createdAt", f"createdAt {shown(written)} is not a time; write it as 2004-05-06T07:08:09Z."
        ) from error
    if moment.tzinfo is None:
        # A date alone is a midnight here, and a zone after it would be refused again.
        raise _invalid(
            "createdAt", f"createdAt {shown(written)} has no time zone; write one, such as {moment.isoformat()}Z."
        )
    if moment > latest:
        raise _invalid("createdAt", f"createdAt {shown(written)} is yet to come; write when it was sent.")
    return moment


def _priority(written: str) -> Priority:
    try:
        return Priority(written.upper())
    except ValueError as error:
        names = ", ".join(Priority)
        raise _invalid("priority", f"priority {shown(written)} is not one of {names}; write one of them.") from error


def _spelled(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "…"


def _invalid(field: str | None, message: str) -> Refused:
    return Refused(RefusalCode.INVALID_INPUT, message, field=field)
