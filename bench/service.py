"""Heliograph as its users run it: ``heliograph up`` in a process of its own, on a temporary home."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

#: What the log says of a transaction that two writers made each other repeat.
TRIED_AGAIN = "tried again"

#: A server rests that took less than this part of a core for a second; it is waited for so many seconds at most.
RESTING, REST_MOST = 0.1, 120


@contextmanager
def temporary_home() -> Iterator[Path]:
    """Give a folder that is a home during the block."""
    with tempfile.TemporaryDirectory(prefix="heliograph-bench-") as folder:
        yield Path(folder) / "home"


@dataclass(frozen=True, slots=True)
class Service:
    """A running service: where it answers, what it logs, and its process."""

    url: str
    log: Path
    process: int

    def retried(self) -> int:
        """Return how many transactions were tried again until now."""
        return self.log.read_text(encoding="utf-8", errors="replace").count(TRIED_AGAIN)

    async def rest(self) -> int:
        """Wait until the service and its database have nothing to do, and return how many seconds that took.

        After a load the full-text index still merges its parts, which belongs to the load and not to the size.
        """
        before = self._processor_seconds()
        for second in range(REST_MOST):
            await asyncio.sleep(1)
            now = self._processor_seconds()
            if now - before < RESTING:
                return second
            before = now
        return REST_MOST

    def _processor_seconds(self) -> float:
        process = psutil.Process(self.process)
        times = [one.cpu_times() for one in (process, *process.children(recursive=True))]
        return sum(one.user + one.system for one in times)


@asynccontextmanager
async def service(home: Path, **environment: str) -> AsyncIterator[Service]:
    """Run a service on that home during the block; a second one shares the database of the first.

    Raises RuntimeError when it does not start.
    """
    with tempfile.TemporaryDirectory(prefix="heliograph-bench-") as folder:
        ready_file, log = Path(folder) / "ready.json", Path(folder) / "log"
        command = [sys.executable, "-m", "cli", "up", "--home", str(home), "--port", "0"]
        with log.open("wb") as errors:
            process = subprocess.Popen(  # noqa: ASYNC220, S603 - it returns at once, and runs our own command
                [*command, "--ready-file", str(ready_file)],
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env={**os.environ, **environment},
            )
        try:
            while not ready_file.exists():
                if process.poll() is not None:
                    raise RuntimeError(f"Heliograph ended with {process.returncode}: {log.read_text(encoding='utf-8')}")
                await asyncio.sleep(0.1)
            yield Service(json.loads(ready_file.read_text(encoding="utf-8"))["url"], log, process.pid)
        finally:
            process.terminate()
            await asyncio.to_thread(process.wait)
