"""The embedded server's folder, ``neo4j`` in the home folder, and what Heliograph keeps in it beside the store.

``engine.lock``
    Held (``flock``) by the process that runs the server and by the server itself, so it is free exactly when no server
    that Heliograph started has the store open. Two processes that start at once are told apart by it.
``engine.json``
    Where the server is or was, for processes that attach to it.
``password``
    The password of the server's user ``neo4j``. Mode 0600, like all of these.
"""

import contextlib
import fcntl
import json
import os
import secrets
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from graph.errors import EngineError, HomeUnusable


@dataclass(frozen=True)
class EngineState:
    """The last known state of the server. ``version`` is that of the last Neo4j that opened the store."""

    phase: Literal["fetching", "starting", "ready", "stopped"] = "stopped"
    port: int = 0
    pid: int | None = None
    version: str | None = None


class EngineHome:
    """Paths and small files. All methods raise HomeUnusable where the folder cannot be used."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = home / "neo4j"
        self.conf = self.folder / "neo4j.conf"
        self.log = self.folder / "logs" / "engine.log"
        self.password_file = self.folder / "password"
        self.lock_file = self.folder / "engine.lock"
        self._state_file = self.folder / "engine.json"

    def prepare(self) -> None:
        """Create the folders, private to the user, and make sure that they can be written."""
        with self.usable():
            for folder in (self.home, self.folder, self.log.parent):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder):
                pass

    def try_lock(self) -> int | None:
        """Return a descriptor that holds the lock until it and its inherited copies are closed, or None if it is held.

        The lock belongs to the open file and not to the process, so a child that inherits it keeps it.
        """
        with self.usable():
            descriptor = os.open(self.lock_file, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
                return None
        return descriptor

    def read_state(self) -> EngineState:
        """Return the state, or the default one where none is kept or it is not readable as one."""
        try:
            return EngineState(**json.loads(self._state_file.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return EngineState()

    def write_state(self, state: EngineState) -> None:
        """Keep the state for other processes. They see the old one or the new one, never a part."""
        with self.usable():
            descriptor, name = tempfile.mkstemp(dir=self.folder, prefix=".engine.", suffix=".json")
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(asdict(state), file)
            Path(name).replace(self._state_file)

    def read_password(self) -> str | None:
        """Return the password, or None where none is kept."""
        with self.usable(), contextlib.suppress(FileNotFoundError):
            return self.password_file.read_text(encoding="utf-8").strip() or None
        return None

    def make_password(self) -> str:
        """Make a random password, keep it and return it. Only the holder of the lock may call this."""
        password = secrets.token_urlsafe(24)
        with self.usable():
            descriptor = os.open(self.password_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(password + "\n")
                file.flush()
                os.fsync(descriptor)  # The server will soon know it; losing it would lock the user out of the store.
        return password

    def check_version(self, version: str) -> None:
        """Raise EngineError when the store was last opened by a newer Neo4j, which an older one cannot read."""
        last = self.read_state().version
        if last is not None and _release(last) > _release(version):
            raise EngineError(
                f"The store in {self.folder} was last opened by Neo4j {last}, and Neo4j {version} cannot open a "
                "newer one's store: choose another home folder (--home or HELIOGRAPH_HOME), or use jars of that "
                "version or a later one (HELIOGRAPH_ENGINE_LOCK; unset, the packaged ones are used)."
            )

    @contextlib.contextmanager
    def usable(self) -> Iterator[None]:
        """Turn the operating system's refusals into HomeUnusable."""
        try:
            yield
        except OSError as error:
            raise HomeUnusable(
                f"The home folder {self.home} cannot be used ({error.strerror}: {error.filename}): give another one by "
                "--home or HELIOGRAPH_HOME, or make this one a folder that you may write and that has space left."
            ) from error


def _release(version: str) -> tuple[int, ...]:
    """Return the part of a version by which stores are compatible: 5.26 of 5.26.25, 2026.9 of 2026.09.0."""
    return tuple(int(part) for part in version.split(".")[:2])
