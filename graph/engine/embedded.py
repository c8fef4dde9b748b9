"""The embedded Neo4j server: hosted by this process in a child, or attached to while another process hosts it."""

import asyncio
import contextlib
import logging
import os
import signal
import threading
import time
from concurrent.futures import Future

from graph.engine.connection import Connection, Progress
from graph.engine.home import EngineHome
from graph.engine.jars import JarStore
from graph.engine.launcher import Launcher, embedded_connection
from graph.engine.probing import probe
from graph.engine.process import READY_SECONDS, HostProcess
from graph.errors import DatabaseError, EngineError, EngineStartFailed, HeliographError, HomeUnusable
from graph.settings import Settings

_POLL_SECONDS = 0.25
# Waited before each start that follows a failed one. A server that dies after it was ready is started again at once.
_BACKOFF_SECONDS = (0.0, 1.0, 2.0, 5.0, 10.0, 30.0)

logger = logging.getLogger(__name__)


class EmbeddedServer:
    """One process's hold on the server of a home folder.

    Whoever holds the home's lock is the owner, runs the server as a child and restarts it when it dies. Everybody else
    attaches to it and waits for the lock. It becomes free when owner and child are both gone, and whoever gets it then
    is the next owner, on the same port and with the same password, so that open drivers simply reconnect.

    All of this happens in one thread: it blocks (locks, hashes, Java), and has to go on while the event loop is busy.
    """

    def __init__(self, settings: Settings, *, progress: Progress | None = None, jars: JarStore | None = None) -> None:
        self._progress = progress
        self._home = EngineHome(settings.home)
        self._closing = threading.Event()
        self._launcher = Launcher(settings, self._home, jars or JarStore.configured(), self._closing)
        self._port = settings.engine_port
        self._connection: Connection | None = None
        self._lock: int | None = None
        self._process: HostProcess | None = None
        self._opened: Future[None] = Future()
        self._closed: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, name="neo4j-supervisor", daemon=True)

    @property
    def connection(self) -> Connection:
        """How to reach the server, the same for as long as this is open. Raises RuntimeError before :meth:`open`."""
        if self._connection is None:
            raise RuntimeError("The embedded server has not been opened.")
        return self._connection

    @property
    def is_owner(self) -> bool:
        """Whether this process runs the server, and did not merely attach to it."""
        return self._lock is not None

    @property
    def run(self) -> int | None:
        """The process id of the server, whoever runs it; None while there is none."""
        if self._process is not None:
            return self._process.pid
        state = self._home.read_state()
        return state.pid if state.phase == "ready" else None

    def end(self, run: int) -> bool:
        """Kill the server if that is the process it runs in; whoever owns it then starts it again.

        There is no asking it: what must be ended is what does not stop, and a shutdown waits for it. The store
        recovers by itself, as after any crash.
        """
        if self.run != run:
            return False
        with contextlib.suppress(ProcessLookupError):
            os.kill(run, signal.SIGKILL)
        return True

    async def open(self) -> None:
        """Start the server or attach to it, and return once it answers. Raises what keeps it from that."""
        self._thread.start()
        try:
            await asyncio.wrap_future(self._opened)
        except asyncio.CancelledError:
            self._closing.set()
            raise

    async def close(self) -> None:
        """Stop the server if this process runs it. Processes that are attached to it then start it again."""
        self._closing.set()
        if self._thread.ident is not None:
            await asyncio.wrap_future(self._closed)

    def _run(self) -> None:
        """Be the thread: join, supervise, release."""
        self._opened.set_running_or_notify_cancel()  # From here on a cancelled waiter does not cancel the futures.
        self._closed.set_running_or_notify_cancel()
        try:
            self._join()
            self._opened.set_result(None)
            self._supervise()
        except BaseException as error:  # It is raised in the task that waits.
            if self._opened.done():
                logger.critical("the embedded Neo4j is no longer supervised", exc_info=error)
            else:
                self._opened.set_exception(error)
        finally:
            try:
                self._release()
            finally:
                self._closed.set_result(None)

    def _join(self) -> None:
        """Become the owner of a running server, or attach to one."""
        self._home.prepare()
        deadline = time.monotonic() + READY_SECONDS
        while not self._closing.is_set():
            self._lock = self._home.try_lock()
            if self._lock is not None:
                self._start(self._lock, self._progress)
                return
            state = self._home.read_state()
            if state.phase == "ready" and self._attach(state.port):
                logger.info("attached to the embedded Neo4j on port %d (pid %s)", state.port, state.pid)
                return
            if state.phase == "fetching":  # The other process downloads, which takes as long as it takes.
                deadline = time.monotonic() + READY_SECONDS
            if time.monotonic() > deadline:
                raise EngineStartFailed(
                    f"Another process (pid {state.pid or 'unknown'}) holds {self._home.lock_file}, but its Neo4j "
                    f"server did not become ready in {READY_SECONDS:.0f} s: end that process and start again, or "
                    "choose another home folder by --home or HELIOGRAPH_HOME."
                )
            self._closing.wait(_POLL_SECONDS)
        raise EngineError("Opening the embedded Neo4j server was given up because Heliograph stops.")

    def _attach(self, port: int) -> bool:
        """Connect to what the state names, and tell whether that really is this home's server.

        It is if it takes this home's password, which is random and which no other server has.
        """
        password = self._home.read_password()
        if password is None:
            return False
        connection = embedded_connection(port, password)
        try:
            asyncio.run(probe(connection))
        except DatabaseError:
            return False
        self._port, self._connection = port, connection
        return True

    def _start(self, lock: int, progress: Progress | None = None) -> None:
        """Start the server as its owner. From the first time on it has a port, and keeps it."""
        running = self._launcher.launch(lock, self._port, progress)
        self._process, self._port = running.process, running.port
        self._connection = self._connection or running.connection

    def _supervise(self) -> None:
        """Keep the server running until this is closed."""
        failures = 0
        while not self._closing.wait(_POLL_SECONDS):
            if self._process is not None and self._process.alive:
                continue
            if self._lock is None:
                with contextlib.suppress(HomeUnusable):  # A home folder that was removed cannot be taken over.
                    self._lock = self._home.try_lock()
            if self._lock is None:
                continue
            if self._closing.wait(_BACKOFF_SECONDS[min(failures, len(_BACKOFF_SECONDS) - 1)]):
                return
            failures = 0 if self._restart(self._lock) else failures + 1

    def _restart(self, lock: int) -> bool:
        """Start the server again, and tell whether that worked. The log says why not."""
        if self._process is None:
            logger.warning("the embedded Neo4j has no owner any more; this process starts it")
        else:
            process, self._process = self._process, None
            process.stop()
            logger.error("the embedded Neo4j (pid %d) died (%s) and is restarted", process.pid, process.status)
        try:
            self._start(lock)
        except HeliographError as error:
            if not self._closing.is_set():
                logger.warning("the embedded Neo4j could not be started and will be tried again: %s", error)
        except Exception:
            # Whatever it was, a supervisor that gave up would leave the program without a database for good.
            logger.exception("the embedded Neo4j could not be started and will be tried again")
        return self._process is not None

    def _release(self) -> None:
        """Stop what this process runs, and let others have the home folder."""
        try:
            if self._process is not None:
                self._launcher.stop(self._process)
        finally:
            if self._lock is not None:
                os.close(self._lock)
            self._process = self._lock = None
