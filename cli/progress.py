"""Shows how long steps go on: bars on a terminal, one line a step elsewhere. Implements ``graph.engine.Progress``."""

from types import TracebackType
from typing import Self

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from cli.output import remark, remarks


class _Count(MofNCompleteColumn):
    """So many of so many, and nothing where it is not known how many."""

    def render(self, task: Task) -> Text:
        return Text() if task.total is None else super().render(task)


class Steps:
    """Steps that happen while the block runs. Every method may be called from any thread.

    ``waiting`` says what the whole block waits for; it is shown at a terminal while no better is known.
    """

    def __init__(self, waiting: str) -> None:
        console = remarks()
        self._terminal = console.is_terminal
        self._waiting = waiting
        self._bars = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            _Count(),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not self._terminal,
        )
        self._step: TaskID | None = None

    def __enter__(self) -> Self:
        self._bars.start()
        self._bars.add_task(self._waiting, total=None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def start(self, total: int, description: str) -> None:
        """Begin a step of so many units."""
        if not self._terminal:
            remark(f"{description} ({total}) …")
        self._step = self._bars.add_task(description, total=total)

    def advance(self, amount: int = 1) -> None:
        """Count finished units; nothing before the first step."""
        if self._step is not None:
            self._bars.advance(self._step, amount)

    def done(self) -> None:
        """End the step, finished or failed."""
        if self._step is not None:
            self._bars.remove_task(self._step)
            self._step = None
