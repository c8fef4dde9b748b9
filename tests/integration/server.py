"""A Heliograph that runs as a program of its own, for tests that are its users."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

COMMAND = (sys.executable, "-m", "cli")
START_SECONDS = 180
STOP_SECONDS = 60


@dataclass(frozen=True)
class Server:
    """A server that is ready. ``ready`` is what its ready file says."""

    process: "subprocess.Popen[str]"
    home: Path
    ready: Mapping[str, Any]
    family: Sequence[psutil.Process]

    def stop(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Send a signal, wait for the end, and return the exit code and what was printed."""
        self.process.send_signal(number)
        printed, _ = self.process.communicate(timeout=STOP_SECONDS)
        return self.process.returncode, printed

    def orphans(self) -> list[psutil.Process]:
        """Return what the server started and left running, after giving it a moment to end."""
        return psutil.wait_procs(self.family, timeout=STOP_SECONDS)[1]


@contextmanager
def running(
    home: Path, ready_file: Path, *options: str, command: Sequence[str] = COMMAND, cwd: Path | None = None
) -> Iterator[Server]:
    """Start ``heliograph up`` on a free port and yield it once it is ready. What still runs afterwards is killed."""
    arguments = [*command, "up", "--home", str(home), "--port", "0", "--ready-file", str(ready_file), *options]
    process = subprocess.Popen(  # noqa: S603 (the project's own program)
        arguments,
        cwd=cwd,
        env=clean_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    family: list[psutil.Process] = []
    with process:
        try:
            ready = _wait(process, ready_file)
            family = psutil.Process(process.pid).children(recursive=True)
            yield Server(process, home, ready, family)
        finally:
            process.kill()
            for member in family:
                with contextlib.suppress(psutil.NoSuchProcess):
                    member.kill()


def clean_environment() -> dict[str, str]:
    """Return the environment without settings of Heliograph, Neo4j or Python's search path."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("HELIOGRAPH_", "NEO4J_", "PYTHON")) or name.startswith("HELIOGRAPH_ENGINE_")
    }


def _wait(process: "subprocess.Popen[str]", ready_file: Path) -> Mapping[str, Any]:
    deadline = time.monotonic() + START_SECONDS
    while not ready_file.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            raise AssertionError(f"the server did not become ready:\n{process.communicate()[0]}")
        time.sleep(0.1)
    ready: Mapping[str, Any] = json.loads(ready_file.read_text(encoding="utf-8"))
    return ready
