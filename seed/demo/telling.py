"""Telling the story: who is in it is registered, then each step is done by whom the story says, in order."""

import tomllib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import httpx

from graph.engine import Progress
from graph.rules.tags import HANDOVER_TAG
from seed.demo import calls
from seed.demo.calls import Caller, DemoFailed

Step = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Look:
    """A query to look at the demo with: what it shows, whose key it needs, and its text, ready to paste."""

    shows: str
    handle: str
    query: str


@dataclass(frozen=True, slots=True)
class DemoSummary:
    """What was written. ``keys`` are the agents' keys by handle: they are shown this once and kept nowhere.

    ``already_there``: an earlier load told the story; then nothing was written, and there are no keys to show.
    """

    already_there: bool
    written: Mapping[str, int]
    keys: Mapping[str, str] = field(repr=False)
    looks: tuple[Look, ...]

    def as_dict(self) -> dict[str, int]:
        """Return what was written, in figures."""
        return dict(self.written)


async def load(
    url: str,
    operator_key: str,
    *,
    progress: Progress | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
) -> DemoSummary:
    """Tell the story to the server at ``url`` and return what was written; a second call writes nothing.

    ``transport`` reaches a server that is not on the network. Raises DemoFailed when nothing answers, the key is not an
    operator's, or some of the story's handles belong to others.
    """
    story = tomllib.loads(files("seed.demo").joinpath("story.toml").read_text(encoding="utf-8"))
    async with httpx.AsyncClient(base_url=url, timeout=60, transport=transport) as http:
        operator = Caller(http, operator_key)
        if await _is_there(operator, [who["handle"] for who in story["identity"]]):
            return DemoSummary(already_there=True, written=_Telling({}).written, keys={}, looks=_looks({}))
        keys = {}
        for who in story["identity"]:
            said = {"handle": who["handle"], "displayName": who["name"], "kind": who["kind"]}
            keys[who["handle"]] = (await operator.do(calls.REGISTER, input=said))["key"]
        telling = _Telling({handle: Caller(http, key) for handle, key in keys.items()})
        telling.written["identities"] = len(keys)
        if progress is not None:
            progress.start(len(story["step"]), "Telling the demo's story")
        try:
            for step in story["step"]:
                await telling.tell(step)
                if progress is not None:
                    progress.advance()
        finally:
            if progress is not None:
                progress.done()
    return DemoSummary(already_there=False, written=telling.written, keys=keys, looks=_looks(telling.ids))


async def _is_there(operator: Caller, handles: list[str]) -> bool:
    nodes = (await operator.ask(calls.NODES, ids=handles))["nodes"]
    taken = [handle for handle, node in zip(handles, nodes, strict=True) if node is not None]
    if taken and taken != handles:
        raise DemoFailed(
            f"The demo needs the handles {', '.join(handles)}, and {', '.join(taken)} is taken; load it into a server "
            "with another --home."
        )
    return bool(taken)


class _Telling:
    """The story so far: who can speak, and the ids of what was written, by the names the story gives them."""

    def __init__(self, callers: Mapping[str, Caller]) -> None:
        self._callers = callers
        self._sessions: set[tuple[str, str]] = set()
        self.ids: dict[str, str] = {}
        self.written = dict.fromkeys(("identities", "sessions", "messages", "memories", "handovers"), 0)

    async def tell(self, step: Step) -> None:
        """Do one step."""
        how: dict[str, Callable[[Caller, Step], Awaitable[None]]] = {
            "mail": self._mail,
            "memory": self._memory,
            "lookup": self._lookup,
            "handover": self._handover,
            "accept": self._accept,
            "read": self._read,
        }
        await how[step["do"]](self._callers[step["by"]], step)
        if "session" in step:
            self._sessions.add((step["by"], step["session"]))
            self.written["sessions"] = len(self._sessions)

    async def _mail(self, caller: Caller, step: Step) -> None:
        said = {
            "to": step.get("to"),
            "cc": step.get("cc"),
            "subject": step["subject"],
            "bodyText": step["body"].strip(),
            "inReplyTo": self.ids[step["answers"]] if "answers" in step else None,
            "thread": "new" if step.get("fork") else None,
            "tags": step.get("tags"),
            "priority": step.get("priority", "NORMAL"),
            "expectsReply": step.get("expects_reply", False),
            "originSession": step.get("session"),
            "relatedSessions": step.get("related"),
            "tickets": step.get("tickets"),
            "memories": self._named(step.get("memories")),
            "idempotencyKey": _key(step),
        }
        self.ids[step["name"]] = (await caller.do(calls.SEND, input=said))["message"]["id"]
        self.written["messages"] += 1

    async def _memory(self, caller: Caller, step: Step) -> None:
        said = {"text": step["text"].strip(), "tags": step["tags"], "idempotencyKey": _key(step)}
        self.ids[step["name"]] = (await caller.do(calls.REMEMBER, input=said))["memory"]["id"]
        self.written["memories"] += 1

    async def _lookup(self, caller: Caller, step: Step) -> None:
        if (await caller.ask(calls.MEMORY, id=step["memory"]))["memory"] is not None:
            raise DemoFailed(f"The demo tells of the memory {step['memory']} that is gone, and the server has it.")

    async def _handover(self, caller: Caller, step: Step) -> None:
        said = {
            "session": step["session"],
            "bodyText": step["body"].strip(),
            "tags": step["tags"],
            "tickets": step["tickets"],
            "memories": self._named(step["memories"]),
            "idempotencyKey": _key(step),
        }
        written = await caller.do(calls.HAND_OVER, input=said)
        self.ids[step["name"]] = written["handover"]["message"]["id"]
        self.written["messages"] += 1
        self.written["handovers"] += 1

    async def _accept(self, caller: Caller, step: Step) -> None:
        pending = (await caller.ask(calls.PENDING, tags=[HANDOVER_TAG]))["handovers"]["edges"]
        found = [edge["node"]["message"]["id"] for edge in pending]
        taken = (await caller.do(calls.ACCEPT, input={"session": step["session"], "ids": found}))["accepted"]
        if [handover["message"]["id"] for handover in taken] != [self.ids["sunset"]]:
            raise DemoFailed("The handover of the demo's first session did not reach its second one.")

    async def _read(self, caller: Caller, step: Step) -> None:
        await caller.do(calls.MARK_READ, ids=self._named(step["messages"]))

    def _named(self, names: list[str] | None) -> list[str] | None:
        return None if names is None else [self.ids[name] for name in names]


def _key(step: Step) -> str:
    return f"demo:{step['name']}"


def _looks(ids: Mapping[str, str]) -> tuple[Look, ...]:
    """Return queries to look with; the thread's only where its id is known."""
    handover = Look(
        "the handover that the second session found",
        "@neo-opus-ada",
        "{ handovers(filter: {pending: null}) { edges { node { acceptedBy { externalId } session { externalId } "
        "message { subject bodyText tickets { key } } } } } }",
    )
    if "cull-question" not in ids:
        return (handover,)
    thread = Look(
        "a thread with its answers in causal order",
        "@neo-opus-ada",
        f'{{ thread(id: "{ids["cull-question"]}") {{ subject participants {{ handle }} messages {{ edges {{ node {{ '
        "depth message { sender { handle } createdAt bodyText } } } } } }",
    )
    return (handover, thread)
