"""What one request knows: the opened graph, who is calling, and the loaders of its lists."""

from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime
from functools import cached_property
from typing import Protocol, TypeAlias

import strawberry
from starlette.requests import Request
from strawberry.fastapi import BaseContext

from api.auth import Identification, identify
from api.limits import Limits
from api.loaders import Loaders
from api.runtime import Runtime
from graph.bootstrap import Graph
from graph.readers import NOBODY, Reader


class _Identified(Protocol):
    @property
    def id(self) -> str: ...


class Entry(Protocol):
    """A mailbox entry, the graph's or the API's."""

    @property
    def seen_at(self) -> datetime | None:
        """When its owner was first shown it."""
        ...

    @property
    def message(self) -> _Identified:
        """The message."""
        ...


class Context(BaseContext):
    """The context of one request."""

    def __init__(self, runtime: Runtime, identification: Identification) -> None:
        super().__init__()
        self.runtime = runtime
        self.identification = identification

    @property
    def graph(self) -> Graph:
        """The opened graph."""
        return self.runtime.graph

    @property
    def limits(self) -> Limits:
        """The published limits."""
        return self.runtime.limits

    @property
    def handle(self) -> str:
        """The caller's handle. Raises Unauthenticated for nobody."""
        return self.identification.required().handle

    @property
    def reader(self) -> Reader:
        """The caller as a reader. Raises Unauthenticated for nobody."""
        return self.identification.required().reader

    @cached_property
    def loaders(self) -> Loaders:
        """The loaders of this request."""
        caller = self.identification.caller
        return Loaders(self.graph, NOBODY if caller is None else caller.reader)

    def shown(self, mailbox: str, entries: Iterable[Entry]) -> None:
        """Note that the caller is shown entries of a mailbox, for ``seenAt``; of another's mailbox nothing is noted."""
        if mailbox == self.handle and self._noted:
            self.runtime.shown.add(mailbox, (entry.message.id for entry in entries if entry.seen_at is None))

    def shown_messages(self, ids: Iterable[str]) -> None:
        """Note that the caller is shown messages whose entries, if he has any, are not at hand."""
        if self._noted:
            self.runtime.shown.add(self.handle, ids)

    @property
    def _noted(self) -> bool:
        """Whether what the caller is shown is noted: a key that writes nothing leaves no mark by reading either."""
        return self.identification.required().writes

    def begin_mutation(self) -> None:
        """Forget what was loaded: of several mutations in one request, each reads back what it wrote.

        Raises Refused with FORBIDDEN for a key that writes nothing.
        """
        self.__dict__.pop("loaders", None)
        self.identification.check_writes()


Info: TypeAlias = strawberry.Info[Context, None]


def context_getter(runtime: Runtime) -> Callable[[Request], Awaitable[Context]]:
    """Return the FastAPI dependency that makes the context of a request."""

    async def get_context(request: Request) -> Context:
        identification = await identify(runtime.graph, request.headers.get("authorization"))
        if identification.caller is not None:
            runtime.note_seen(identification.caller)
        return Context(runtime, identification)

    return get_context
