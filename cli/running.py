"""Runs one command's asynchronous part, so that a signal ends it as cleanly as its own end does."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from types import FrameType, TracebackType
from typing import Any, Self, TypeVar

import typer

from cli.progress import Steps
from graph.bootstrap import Graph, open_graph
from graph.settings import Settings

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
Result = TypeVar("Result")
#: What shells report of a program that a signal ended is this plus the signal's number.
_SIGNALLED = 128


class StopSignals:
    """Turns the first signal that asks a program to stop into the cancellation of the task that entered this.

    Later ones are ignored, since stopping is under way by then and ends by itself.
    """

    def __init__(self) -> None:
        self.received: signal.Signals | None = None

    def __enter__(self) -> Self:
        task = asyncio.current_task()
        loop = asyncio.get_running_loop()
        if task is None:
            raise RuntimeError("Signals can only stop a task.")

        def stop(number: int, _: FrameType | None) -> None:
            if self.received is None:
                self.received = signal.Signals(number)
                loop.call_soon_threadsafe(task.cancel)

        # What the program was started to ignore (SIGHUP under nohup) stays ignored.
        heard = [number for number in _STOPPING if signal.getsignal(number) is not signal.SIG_IGN]
        self._before = {number: signal.signal(number, stop) for number in heard}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a command's work and return its result. Raises typer.Exit when a signal ended it."""
    with asyncio.Runner(loop_factory=_event_loop()) as runner:
        return runner.run(_interruptible(work))


def _event_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return what makes the event loop: uvloop where it is installed, which is faster."""
    try:
        import uvloop
    except ImportError:  # There is none for Windows and PyPy.
        return None
    return uvloop.new_event_loop


async def _interruptible(work: Coroutine[Any, Any, Result]) -> Result:
    with StopSignals() as signals:
        try:
            return await work
        except asyncio.CancelledError:
            if signals.received is None:
                raise
            raise typer.Exit(_SIGNALLED + signals.received) from None


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Graph]:
    """Open the graph that the settings name, showing what is waited for, and close it after the block."""
    where = "Neo4j" if settings.neo4j_uri is None else f"Neo4j at {settings.neo4j_uri}"
    with Steps(f"Opening {where}") as steps:
        graph = await open_graph(settings, progress=steps)
    try:
        yield graph
    finally:
        await _to_the_end(graph.close())


async def _to_the_end(closing: Coroutine[Any, Any, None]) -> None:
    """Await what closes something, also when a signal arrives meanwhile: it only asks for what is happening anyway."""
    task = asyncio.create_task(closing)
    while not task.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.shield(task)
    task.result()
