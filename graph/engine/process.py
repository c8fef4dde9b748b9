"""The child process from its parent's side: started, waited for, stopped, and its failures explained."""

import contextlib
import json
import logging
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, Any, cast

from graph.engine.host import Launch
from graph.errors import EngineError, EngineStartFailed, HeliographError, PortTaken, StoreLocked

READY_SECONDS = 120.0
STOP_SECONDS = 60.0

_LOG_BYTES = 4 * 1024 * 1024
_SOURCES = Path(__file__).parents[2]

_POLL_SECONDS = 0.25

logger = logging.getLogger(__name__)


class HostProcess:
    """One run of :mod:`graph.engine.host`, from construction to :meth:`stop`.

    ``lock`` is inherited, so that the home's lock stays held until the server is really gone.
    """

    def __init__(self, launch: Launch, log: Path, lock: int) -> None:
        self._home = launch.home
        self._log = log
        self._events: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        if log.exists() and log.stat().st_size > _LOG_BYTES:
            log.replace(log.with_suffix(".old.log"))
        with log.open("ab") as log_file:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "graph.engine.host"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log_file,
                cwd=log.parent,
                env=_environment(),
                pass_fds=(lock,),
                start_new_session=True,  # A terminal's Ctrl-C must reach this process alone.
            )
        self._reader = threading.Thread(target=self._read, name="neo4j-events", daemon=True)
        self._reader.start()
        self._stdin = cast("IO[bytes]", self._process.stdin)
        with contextlib.suppress(BrokenPipeError):  # A child that died already is noticed by its events' end.
            self._stdin.write(launch.line())
            self._stdin.flush()

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the child still runs."""
        return self._process.poll() is None

    @property
    def status(self) -> str:
        """How the child ended, for people."""
        code = self._process.wait()
        return f"exit status {code}" if code >= 0 else f"signal {-code}"

    def wait_ready(self, cancel: threading.Event) -> None:
        """Return once the server answers.

        Raises the EngineError or ConfigurationError that tells why it does not, also when ``cancel`` is set meanwhile.
        The child has to be stopped afterwards in any case.
        """
        deadline = time.monotonic() + READY_SECONDS
        while not cancel.is_set():
            if time.monotonic() > deadline:
                raise EngineStartFailed(
                    f"The embedded Neo4j server was not ready after {READY_SECONDS:.0f} s and was given up. Start "
                    f"again when the machine is less busy. If it stays so, look into its log, {self._log}."
                )
            with contextlib.suppress(queue.Empty):
                event = self._events.get(timeout=_POLL_SECONDS)
                if event["event"] == "ready":
                    return
                if event["event"] == "failed":
                    raise explain(event["causes"], self._home, self._log)
                if event["event"] == "exited":
                    raise EngineStartFailed(
                        f"The embedded Neo4j server ended while it started ({self.status}). The end of its log, "
                        f"{self._log}, says:\n{self._log_tail()}"
                    )
        raise EngineError("The start of the embedded Neo4j server was given up because Heliograph stops.")

    def stop(self) -> None:
        """Shut the server down cleanly, or end it by force if it does not follow. Does nothing once it has ended."""
        with contextlib.suppress(BrokenPipeError):
            self._stdin.close()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            logger.warning("embedded Neo4j (pid %d) did not stop in %.0f s and is ended", self.pid, STOP_SECONDS)
            self._process.kill()
            self._process.wait()
        self._reader.join()

    def _read(self) -> None:
        """Pass the child's events on until it ends."""
        try:
            with cast("IO[bytes]", self._process.stdout) as lines:
                for line in lines:
                    self._events.put(json.loads(line))
        finally:
            self._events.put({"event": "exited"})

    def _log_tail(self, lines: int = 5) -> str:
        """Return the last lines of the log."""
        return "\n".join(self._log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])


def explain(causes: list[tuple[str, str]], home: str, log: Path) -> HeliographError:
    """Turn Java's chain of causes, outermost first, into an error that says what to do."""
    classes = {name for name, _ in causes}
    if classes & {"PortBindException", "BindException"}:
        return PortTaken(
            "The embedded Neo4j server cannot listen on its Bolt port, which another program uses: end that "
            "program, or set HELIOGRAPH_ENGINE_PORT to a free port or to 0, which chooses one."
        )
    if classes & {"FileLockException", "StoreLockException", "OverlappingFileLockException"}:
        return StoreLocked(
            f"Another program has the Neo4j store in {home} open: stop it (a Neo4j server or a backup that "
            "was started on that folder by hand), or choose another home folder by --home or HELIOGRAPH_HOME."
        )
    reason = "\n".join(f"  {name}: {message}" for name, message in causes)
    return EngineStartFailed(
        "The embedded Neo4j server could not start. Java gives these causes, the deepest last; more is in its log, "
        f"{log}.\n{reason}"
    )


def _environment() -> dict[str, str]:
    """Return the child's environment: ours without our settings, which hold secrets that the server has no use for."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HELIOGRAPH_", "NEO4J_"))}
    # The child must run the very code that this process runs, wherever the user started it.
    kept["PYTHONPATH"] = os.pathsep.join(filter(None, (str(_SOURCES), kept.get("PYTHONPATH"))))
    return kept
