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

#: What the log says of a transaction that two writers made each other repeat.
TRIED_AGAIN = "tried again"


@contextmanager
def temporary_home() -> Iterator[Path]:
    """Give a folder that is a home during the block."""
    with tempfile.TemporaryDirectory(prefix="heliograph-bench-") as folder:
        yield Path(folder) / "home"


@dataclass(frozen=True, slots=True)
class Service:
    """A running service: where it answers, and what it logs."""

    url: str
    log: Path

    def retried(self) -> int:
        """Return how many transactions were tried again until now."""
        return self.log.read_text(encoding="utf-8", errors="replace").count(TRIED_AGAIN)


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
            yield Service(json.loads(ready_file.read_text(encoding="utf-8"))["url"], log)
        finally:
            process.terminate()
            await asyncio.to_thread(process.wait)
