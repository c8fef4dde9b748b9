"""Messages as JSON Lines, in the names that ``heliograph import jsonl`` reads."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from api.context import Info

if TYPE_CHECKING:
    from api.schema.messages import Message


#: What some readers take for the end of a line, though JSON does not.
_BREAKS = {ord(letter): f"\\u{ord(letter):04x}" for letter in "\x85\u2028\u2029"}


async def json_lines(info: Info, messages: Sequence["Message"]) -> str:
    """Return the messages in order, one a line; what one answers is named only if the caller may see it."""
    loaders, ids = info.context.loaders, [str(message.id) for message in messages]
    bodies = await loaders.body.load_many(ids)
    recipients = await loaders.recipients.load_many(ids)
    references = await loaders.references.load_many(ids)
    answered = {named.answers for named in references if named is not None and named.answers is not None}
    visible = {card.id for card in await loaders.message.load_many(sorted(answered)) if card is not None}
    lines: list[str] = []
    for message, body, addressees, named in zip(messages, bodies, recipients, references, strict=True):
        said: dict[str, Any] = {
            "id": message.id,
            "from": message.sender.handle,
            "to": [one.address for one in addressees or () if one.kind == "TO"],
            "cc": [one.address for one in addressees or () if one.kind == "CC"],
            "createdAt": message.created_at.isoformat().replace("+00:00", "Z"),
            "thread": message.thread_id,
            "subject": message.subject,
            "bodyText": body or "",
            "tags": message.tags,
            "priority": message.priority.value,
            "expectsReply": message.expects_reply,
            "retracted": message.retracted,
        }
        if named is not None and named.answers in visible:
            said["inReplyTo"] = named.answers
        lines.append(json.dumps(said, ensure_ascii=False, separators=(",", ":")).translate(_BREAKS) + "\n")
    return "".join(lines)
