"""Starts the embedded server on a home folder whose lock this process holds."""

import asyncio
import contextlib
import logging
import random
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import SecretStr

from graph.engine.conf import LOOPBACK, write_conf
from graph.engine.connection import Connection, Progress
from graph.engine.home import EngineHome, EngineState
from graph.engine.host import Launch
from graph.engine.jars import JarStore, read_lock
from graph.engine.login import log_in
from graph.engine.process import HostProcess
from graph.errors import HomeUnusable, PortTaken
from graph.settings import Settings

# Outside the ranges from which systems take ports for outgoing connections. In those, a driver that tries to reconnect
# to a server that is just being restarted can be given the server's own port, and so take it away from it.
_PORTS = range(20_000, 32_000)
_PORT_TRIES = 20

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Running:
    """A server that answers, and how to reach it."""

    process: HostProcess
    port: int
    connection: Connection


class Launcher:
    """What does not change from one start to the next."""

    def __init__(self, settings: Settings, home: EngineHome, jars: JarStore, cancel: threading.Event) -> None:
        self._settings = settings
        self._home = home
        self._jars = jars
        self._cancel = cancel

    def launch(self, lock: int, port: int, progress: Progress | None = None) -> Running:
        """Return a server that answers on the given port, or on a free one for port 0.

        Takes a few seconds, and at first the time to download. Raises an Engine-, Configuration- or DatabaseError.
        """
        jars = read_lock(self._settings.engine_lock)
        self._home.check_version(jars.version)
        self._note(phase="fetching")
        classpath = self._jars.ensure(jars, progress, self._cancel)
        for candidate in (port,) if port else self._candidates():
            try:
                running = self._launch_at(candidate, classpath, lock)
            except PortTaken:
                if port:
                    raise
                continue
            self._note(phase="ready", port=candidate, pid=running.process.pid, version=jars.version)
            return running
        raise PortTaken(
            f"No free port was found on {LOOPBACK} in {_PORT_TRIES} tries between {_PORTS.start} and {_PORTS.stop}: "
            "set HELIOGRAPH_ENGINE_PORT to a free port."
        )

    def stop(self, process: HostProcess) -> None:
        """Stop the server and note that it is stopped."""
        began = time.monotonic()
        process.stop()
        with contextlib.suppress(HomeUnusable):  # The folder may be gone by now; the server is stopped all the same.
            self._note(phase="stopped")
        logger.info("embedded Neo4j stopped after %.1f s", time.monotonic() - began)

    def _candidates(self) -> Iterator[int]:
        """Yield ports to try: first the last one, which attached processes and people's notes still name."""
        last = self._home.read_state().port
        if last:
            yield last
        yield from random.sample(_PORTS, _PORT_TRIES)

    def _launch_at(self, port: int, classpath: list[Path], lock: int) -> Running:
        """Start the server on this port, wait until it answers, and log in."""
        began = time.monotonic()
        if not _is_free(port):
            raise PortTaken(
                f"The port {port} on {LOOPBACK} is used by another program: end that program, or set "
                "HELIOGRAPH_ENGINE_PORT to a free port or to 0, which chooses one."
            )
        connection = embedded_connection(port, self._home.read_password() or self._home.make_password())
        launch = Launch(
            home=str(self._home.folder),
            conf=str(self._home.conf),
            heap=self._settings.engine_heap,
            classpath=[str(path) for path in classpath],
        )
        with self._home.usable():
            write_conf(self._home.conf, port)
            process = HostProcess(launch, self._home.log, lock)
        try:
            self._note(phase="starting", port=port, pid=process.pid)
            process.wait_ready(self._cancel)
            server = asyncio.run(log_in(connection))
        except BaseException:
            self.stop(process)
            raise
        logger.info(
            "embedded Neo4j %s is ready at %s after %.1f s (pid %d)",
            server.version,
            connection.uri,
            time.monotonic() - began,
            process.pid,
        )
        return Running(process, port, connection)

    def _note(
        self,
        *,
        phase: Literal["fetching", "starting", "ready", "stopped"],
        pid: int | None = None,
        port: int | None = None,
        version: str | None = None,
    ) -> None:
        """Tell other processes how far the server is. The port and the version stay as they were unless given."""
        last = self._home.read_state()
        self._home.write_state(EngineState(phase, port or last.port, pid, version or last.version))


def embedded_connection(port: int, password: str) -> Connection:
    """Return how to reach the embedded server."""
    return Connection("embedded", f"bolt://{LOOPBACK}:{port}", "neo4j", SecretStr(password), "neo4j")


def _is_free(port: int) -> bool:
    """Tell whether a server could listen on the port now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As Java does, so that connections of an ended server, which linger for a minute, do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True
