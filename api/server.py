"""Running the application on a socket of our own, so that a taken port is known before anything is started."""

import asyncio
import errno
import signal
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from graph.errors import ConfigurationError, PortTaken

LOOPBACK = "127.0.0.1"
MAX_PORT = 65535
BACKLOG = 2048
# How long requests that are being answered may take to finish once the server was told to stop.
GRACE_SECONDS = 10

OnReady = Callable[[str], Awaitable[None] | None]


def bind(host: str = LOOPBACK, port: int = 0) -> socket.socket:
    """Return a listening socket; port 0 takes a free one. The caller closes it, or ``serve`` does.

    Listening begins here and not when the application is ready: only then can no second server have the port.
    Raises PortTaken, or ConfigurationError when the address cannot be used at all.
    """
    if not 0 <= port <= MAX_PORT:
        raise ConfigurationError(f"Port {port} for {host} is out of range: give 1 to {MAX_PORT}, or 0 for a free one.")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise ConfigurationError(f"Host {host!r} with port {port} is no address of this machine: {error}.") from error
    listener = socket.socket(family, kind, protocol)
    try:
        # Lets a server that was just stopped start again while old connections time out; never shares a live port.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(
                f"Port {port} on {host} is taken by another program: stop that one, give another port, "
                "or port 0 for a free one."
            ) from error
        raise ConfigurationError(f"Cannot listen on {host}, port {port}: {error}.") from error
    listener.setblocking(False)
    return listener


def url_of(listener: socket.socket) -> str:
    """Return the address under which a program on this machine reaches a listening socket."""
    host, port = listener.getsockname()[:2]
    # Nothing is bound here: an address that stands for every one of this machine is told as its loopback one.
    host = {"0.0.0.0": LOOPBACK, "::": "[::1]"}.get(  # noqa: S104
        host, f"[{host}]" if ":" in host else host
    )
    return f"http://{host}:{port}"


async def serve(
    app: ASGIApp,
    host: str = LOOPBACK,
    port: int = 0,
    *,
    on_ready: OnReady | None = None,
    listener: socket.socket | None = None,
    stop: asyncio.Event | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM arrives or ``stop`` is set, then let running requests finish and return.

    ``listener`` is a socket from ``bind``, taken over and closed here; without it one is bound to ``host`` and
    ``port``. ``on_ready`` gets the server's address once the application answers. Raises what ``bind`` raises, and
    what the application's lifespan raised at its start.
    """
    sock = listener if listener is not None else bind(host, port)
    watched = _Watched(app)
    server = _Server(_config(watched), url_of(sock), on_ready)
    watcher = asyncio.create_task(_stop_when(stop, server)) if stop else None
    try:
        await server.serve(sockets=[sock])
    except SystemExit:
        # The server means to end the process; what to do about a failed start is for our caller to say.
        raise watched.failure or RuntimeError("The application did not start: the reason is in the log.") from None
    finally:
        if watcher:
            watcher.cancel()
        sock.close()


class _Watched:
    """Passes everything on to the application, and keeps what ended its lifespan."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.failure: Exception | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await self._app(scope, receive, send)
            return
        try:
            await self._app(scope, receive, send)
        except Exception as error:
            self.failure = error
            raise


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        ws="websockets-sansio",
    )


async def _stop_when(stop: asyncio.Event, server: uvicorn.Server) -> None:
    await stop.wait()
    server.should_exit = True


class _Server(uvicorn.Server):
    """Says when it is ready, and returns after a signal instead of raising it again."""

    def __init__(self, config: uvicorn.Config, url: str, on_ready: OnReady | None) -> None:
        super().__init__(config)
        self._url = url
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then call ``on_ready``."""
        await super().startup(sockets)
        if self.started and self._on_ready:
            said = self._on_ready(self._url)
            if said is not None:
                await said

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle the signals that stop a server while it runs. A second SIGINT does not wait for requests."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self._on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        if self.should_exit and number == signal.SIGINT:
            self.force_exit = True
        self.should_exit = True
