"""A draft: what somebody asked to be sent, checked and in canonical form, before the graph was looked at."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import UTC
from enum import StrEnum

from graph.errors import RefusalCode, Refused
from graph.ids import Prefix, is_id, prefix_of
from graph.rules.addresses import parse_address, resolve_self
from graph.rules.limits import MessageLimits
from graph.rules.tags import HANDOVER_TAG, canonical_tags
from graph.rules.tasks import TaskRequest
from graph.rules.text import check_text, is_one_line, shown
from graph.rules.tickets import ticket_key

#: Said instead of a thread's id, it begins a new thread; with ``inReplyTo`` the new one is forked from that message.
NEW_THREAD = "new"


class Priority(StrEnum):
    """How soon a reader should look; lists are not ordered by it."""

    LOW = "LOW"
    NORMAL = "NORMAL"
    HIGH = "HIGH"


@dataclass(frozen=True, slots=True)
class MessageInput:
    """What a caller says of a message. ``to`` is None where it was left out, which only a reply may."""

    subject: str
    body_text: str
    to: tuple[str, ...] | None = None
    cc: tuple[str, ...] = ()
    in_reply_to: str | None = None
    thread: str | None = None
    tags: tuple[str, ...] = ()
    priority: Priority = Priority.NORMAL
    expects_reply: bool = False
    origin_session: str | None = None
    related_sessions: tuple[str, ...] = ()
    tickets: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()
    task: TaskRequest | None = None
    idempotency_key: str | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A message input in canonical form: addresses resolved, tags and tickets canonical, every size checked."""

    sender: str
    subject: str
    body_text: str
    to: tuple[str, ...] | None
    cc: tuple[str, ...]
    in_reply_to: str | None
    thread: str | None
    tags: tuple[str, ...]
    priority: Priority
    expects_reply: bool
    origin_session: str | None
    related_sessions: tuple[str, ...]
    tickets: tuple[str, ...]
    memories: tuple[str, ...]
    task: TaskRequest | None
    idempotency_key: str | None

    @property
    def is_handover(self) -> bool:
        """Whether this is a handover to oneself (seed 000)."""
        return HANDOVER_TAG in self.tags

    @property
    def has_references(self) -> bool:
        """Whether it refers to anything that must be looked up before it can be written; its key is not counted."""
        named = (self.in_reply_to, self.thread, self.origin_session)
        return any(name is not None for name in named) or bool(self.related_sessions or self.memories)

    @property
    def recipients(self) -> tuple[str, ...]:
        """The addresses as written, To before Cc."""
        return (self.to or ()) + self.cc


_CONTENT = tuple(one.name for one in fields(Draft) if one.name not in {"idempotency_key", "task"})


def check_draft(sender: str, said: MessageInput, limits: MessageLimits) -> Draft:
    """Return the draft that ``said`` means when ``sender`` says it. Raises Refused for the first thing wrong in it."""
    to = None if said.to is None else _addresses(sender, said.to, "to", limits)
    cc = tuple(a for a in _addresses(sender, said.cc, "cc", limits) if a not in (to or ()))
    answers = said.in_reply_to is not None
    if not to and not (to is None and answers):
        raise Refused(
            RefusalCode.INVALID_INPUT,
            "to is empty; name at least one address, such as '@ada' (only a reply may leave it out altogether).",
            field="to",
        )
    if len(to or ()) + len(cc) > limits.recipients:
        raise Refused(
            RefusalCode.LIMIT_EXCEEDED,
            f"to and cc name {len(to or ()) + len(cc)} recipients; at most {limits.recipients} are allowed. "
            "Write to '@all', or send in parts.",
            field="to",
        )
    draft = Draft(
        sender=sender,
        subject=_one_line(check_text(said.subject, "subject", characters=limits.subject_characters)),
        body_text=check_text(said.body_text, "bodyText", octets=limits.body_bytes, empty=True),
        to=to,
        cc=cc,
        in_reply_to=said.in_reply_to if said.in_reply_to is None else check_parent(said.in_reply_to),
        thread=said.thread if said.thread is None else _thread(said.thread),
        tags=canonical_tags(said.tags, "tags", limits),
        priority=said.priority,
        expects_reply=said.expects_reply,
        origin_session=optional_session(said.origin_session, "originSession", limits),
        related_sessions=_several(
            (check_session(item, "relatedSessions", limits) for item in said.related_sessions),
            "relatedSessions",
            limits.related_sessions,
        ),
        tickets=_several((ticket_key(item, "tickets") for item in said.tickets), "tickets", limits.tickets),
        memories=_several(
            (check_id(item, Prefix.MEMORY, "memories") for item in said.memories), "memories", limits.memories
        ),
        task=None if said.task is None else _task(said.task),
        idempotency_key=check_idempotency_key(said.idempotency_key, limits),
    )
    _check_handover(draft)
    return draft


def check_id(written: str, prefix: Prefix, field: str) -> str:
    """Return ``written`` when it is an id with that prefix. Raises Refused with INVALID_INPUT otherwise."""
    if not is_id(written, prefix):
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"{field} {shown(written)} is not an id of that kind; it looks like '{prefix}_01h2xcejqtf2nbrexx3vqjhp41'.",
            field=field,
        )
    return written


def check_parent(written: str) -> str:
    """Return the id of what is answered: a message or a memory. Raises Refused for anything else."""
    if not (is_id(written, Prefix.MESSAGE) or is_id(written, Prefix.MEMORY)):
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"inReplyTo {shown(written)} is neither a message's id ('msg_…') nor a memory's ('mem_…').",
            field="inReplyTo",
        )
    return written


def check_session(written: str, field: str, limits: MessageLimits) -> str:
    """Return a session's name: its id, or the id its harness gave it. Raises Refused for text that can be neither."""
    name = check_text(written, field, characters=limits.external_id_characters).strip()
    if not is_one_line(name):
        raise Refused(RefusalCode.INVALID_INPUT, f"{field} {shown(name)} holds control characters.", field=field)
    kind = prefix_of(name.lower())
    if kind not in {None, Prefix.SESSION} or name.startswith(("@", "role:", "ticket:", "concept:")):
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"{field} {shown(name)} is an id of another kind; name a session by its id ('ses_…') or its harness's.",
            field=field,
        )
    if kind is Prefix.SESSION and name != name.lower():
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"{field} {shown(name)} is a session's id in capitals; write it as given.",
            field=field,
        )
    return name


def optional_session(written: str | None, field: str, limits: MessageLimits) -> str | None:
    """Return ``check_session`` of what was written, or None when nothing was."""
    return None if written is None else check_session(written, field, limits)


def check_idempotency_key(written: str | None, limits: MessageLimits) -> str | None:
    """Return the key, or None when none was given. Raises Refused for an empty or overlong one."""
    if written is None:
        return None
    return check_text(written, "idempotencyKey", characters=limits.idempotency_key_characters)


def _check_handover(draft: Draft) -> None:
    if not draft.is_handover:
        return
    # A reply that names nobody is looked at once it is known whom it answers.
    if draft.to not in {None, (draft.sender,)} or draft.cc:
        raise handover_to_others()
    if draft.origin_session is None:
        raise Refused(
            RefusalCode.RESERVED_TAG,
            f"The tag '{HANDOVER_TAG}' needs the session it comes from; name it in originSession.",
            field="originSession",
        )
    if draft.task is not None:
        raise Refused(
            RefusalCode.RESERVED_TAG,
            f"The tag '{HANDOVER_TAG}' is for a handover, which carries no task; leave the tag or the task out.",
            field="task",
        )


def handover_to_others() -> Refused:
    """Return the refusal of a handover that would go to anybody but its sender (seed 000)."""
    return Refused(
        RefusalCode.RESERVED_TAG,
        f"The tag '{HANDOVER_TAG}' is for a handover to oneself; send it to '@self' alone, or leave the tag out.",
        field="tags",
    )


def _addresses(sender: str, written: tuple[str, ...], field: str, limits: MessageLimits) -> tuple[str, ...]:
    # Thousands of addresses are refused before any of them is parsed.
    if len(written) > limits.recipients:
        raise Refused(
            RefusalCode.LIMIT_EXCEEDED,
            f"{field} names {len(written)} recipients; at most {limits.recipients} are allowed. "
            "Write to '@all', or send in parts.",
            field=field,
        )
    return tuple(dict.fromkeys(resolve_self(parse_address(item, field), sender) for item in written))


def _one_line(subject: str) -> str:
    if not is_one_line(subject):
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f"subject {shown(subject)} holds control characters; write one line.",
            field="subject",
        )
    return subject.strip()


def _several(items: Iterable[str], field: str, most: int) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(items))
    if len(found) > most:
        raise Refused(
            RefusalCode.LIMIT_EXCEEDED, f"{field} names {len(found)}; at most {most} are allowed.", field=field
        )
    return found


def _thread(written: str) -> str:
    return written if written == NEW_THREAD else check_id(written, Prefix.THREAD, "thread")


def _task(said: TaskRequest) -> TaskRequest:
    """Return the task with its time in UTC and whole milliseconds, as it comes back."""
    if said.expires_at is None:
        return said
    moment = said.expires_at.astimezone(UTC)
    return TaskRequest(moment.replace(microsecond=moment.microsecond // 1000 * 1000))


def content_hash(draft: Draft) -> str:
    """Return a hash over everything a draft says, so that a retry with the same key and other content is noticed."""
    said = {name: getattr(draft, name) for name in _CONTENT}
    # What was sent before there were tasks has a hash without one, and must keep it.
    if draft.task is not None:
        expires_at = draft.task.expires_at
        said["task"] = {"expires_at": None if expires_at is None else expires_at.isoformat()}
    # Sets in all but name: another order of the same recipients, tags or references is the same content.
    for name in ("to", "cc", "tags", "related_sessions", "tickets", "memories"):
        if said[name] is not None:
            said[name] = sorted(said[name])
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
