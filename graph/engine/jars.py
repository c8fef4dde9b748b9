"""Neo4j's jars: exactly those that a lock file names, each with the content that the lock's hash names.

No resolver runs here. The lock has been resolved once, when it was made; this module only fetches and checks.
"""

import configparser
import hashlib
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import httpx
from jgo.config import GlobalSettings
from jgo.constants import MAVEN_CENTRAL_URL
from jgo.env import LockFile

from graph.engine.connection import Progress
from graph.errors import ConfigurationError, EngineError, JarCorrupt, JarsUnavailable

PACKAGED_LOCK = Path(__file__).with_name("jgo.lock.toml")

_WORKERS = 8
_ATTEMPTS = 3
_TIMEOUT = httpx.Timeout(30.0, connect=10.0)
_SERVER_ERROR = 500
_SHA256_LENGTH = 64


@dataclass(frozen=True)
class Jar:
    """One entry of a lock. ``path`` is relative, both to a repository's address and to the local folder."""

    coordinate: str
    path: str
    sha256: str


@dataclass(frozen=True)
class JarLock:
    """The jars of one Neo4j version, in classpath order."""

    version: str
    jars: tuple[Jar, ...]


def read_lock(path: Path | None = None) -> JarLock:
    """Return the lock file's content; the packaged one by default.

    Raises ConfigurationError when it cannot be read, does not name Neo4j, or has an entry without a hash.
    """
    path = path or PACKAGED_LOCK
    remedy = "set HELIOGRAPH_ENGINE_LOCK to a jgo lock file that holds Neo4j, or unset it to use the packaged one"
    try:
        entries = LockFile.load(path).dependencies
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"The jar lock {path} cannot be read ({error}): {remedy}.") from error
    jars = []
    version = None
    for entry in entries:
        name = f"{entry.groupId}:{entry.artifactId}:{entry.version}" + (f":{entry.classifier}" * bool(entry.classifier))
        if entry.sha256 is None or len(entry.sha256) != _SHA256_LENGTH:
            raise ConfigurationError(f"The jar lock {path} has no SHA-256 for {name}, so it is refused: {remedy}.")
        file = f"{entry.artifactId}-{entry.version}" + (f"-{entry.classifier}" * bool(entry.classifier)) + ".jar"
        folder = f"{entry.groupId.replace('.', '/')}/{entry.artifactId}/{entry.version}"
        jars.append(Jar(name, f"{folder}/{file}", entry.sha256.lower()))
        if (entry.groupId, entry.artifactId) == ("org.neo4j", "neo4j"):
            version = entry.version
    if version is None:
        raise ConfigurationError(f"The jar lock {path} does not name org.neo4j:neo4j: {remedy}.")
    return JarLock(version, tuple(jars))


class JarStore:
    """The local folder of jars and the repositories behind it."""

    def __init__(self, folder: Path, repositories: tuple[str, ...]) -> None:
        self.folder = folder
        self._repositories = repositories

    @classmethod
    def configured(cls) -> "JarStore":
        """Return the store that the user's Maven and jgo settings name: mirrors first, then Maven Central."""
        try:
            settings = GlobalSettings.load()
        except (OSError, ValueError, configparser.Error) as error:
            raise ConfigurationError(f"The jgo settings file cannot be read: correct or remove it. {error}") from error
        return cls(settings.repo_cache.expanduser(), (*settings.repositories.values(), MAVEN_CENTRAL_URL))

    def ensure(
        self, lock: JarLock, progress: Progress | None = None, cancel: threading.Event | None = None
    ) -> list[Path]:
        """Return the paths of the lock's jars, in its order, after fetching those that are absent or altered.

        Every jar's content has been checked against its hash when this returns.
        Raises JarsUnavailable or JarCorrupt, naming the jar, and EngineError once ``cancel`` is set.
        """
        with ThreadPoolExecutor(_WORKERS, thread_name_prefix="jars") as pool:
            good = pool.map(lambda jar: _sha256(self.folder / jar.path) == jar.sha256, lock.jars)
            missing = [jar for jar, is_good in zip(lock.jars, good, strict=True) if not is_good]
            if missing:
                fetch = _Fetch(self.folder, self._repositories, cancel or threading.Event())
                with _reported(progress, len(missing), f"Fetching Neo4j {lock.version}") as advance, fetch:
                    _run_all(pool, fetch, missing, advance)
        return [self.folder / jar.path for jar in lock.jars]


class _Fetch:
    """One round of downloads over a shared client. Entering opens the client, leaving closes it."""

    def __init__(self, folder: Path, repositories: tuple[str, ...], cancel: threading.Event) -> None:
        self._folder = folder
        self._repositories = repositories
        self._cancel = cancel
        self.stop = threading.Event()

    def __enter__(self) -> Self:
        # The client takes proxies and certificate files from the environment, as pip and uv do.
        self._client = httpx.Client(follow_redirects=True, timeout=_TIMEOUT)
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def __call__(self, jar: Jar) -> None:
        """Bring one jar to its place, from the first repository that has it with the right content."""
        problems: list[str] = []
        corrupt = False
        for repository in self._repositories:
            for _ in range(_ATTEMPTS):
                try:
                    self._download(f"{repository.rstrip('/')}/{jar.path}", jar)
                except _WrongContent:
                    corrupt = True
                except httpx.HTTPStatusError as error:
                    problems.append(f"HTTP status {error.response.status_code}")
                    if error.response.status_code >= _SERVER_ERROR:
                        continue
                except (httpx.HTTPError, httpx.InvalidURL) as error:
                    problems.append(f"{type(error).__name__}: {error}")
                    continue
                except OSError as error:
                    raise JarsUnavailable(
                        f"The jar {jar.coordinate} cannot be stored in {self._folder} ({error.strerror or error}): "
                        "make room or give write access there, or name another folder by M2_REPO."
                    ) from error
                else:
                    return
                break  # Only a broken connection or server is worth another try at the same place.
        if corrupt:
            raise JarCorrupt(
                f"The jar {jar.coordinate} that the Maven repositories serve does not have the SHA-256 that the lock "
                f"names ({jar.sha256}), so it was thrown away. Try again; if it stays so, check the proxy and the "
                "mirrors in the jgo settings: something on the way alters files."
            )
        raise JarsUnavailable(
            f"The jar {jar.coordinate} is not in {self._folder} with the right content and cannot be fetched "
            f"({problems[-1]}). The first start needs the network once: connect, or set HTTPS_PROXY or a mirror in the "
            "jgo settings, and start again; or copy that folder from a machine that has it; or set NEO4J_URI to use "
            "a running Neo4j server."
        )

    def _download(self, url: str, jar: Jar) -> None:
        """Fetch to a temporary file beside the target and move it there once its hash is right.

        So a jar at its final path is always whole, whatever ends this process, and two processes may fetch at once.
        """
        self._check()
        target = self._folder / jar.path
        target.parent.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256()
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
        try:
            with os.fdopen(descriptor, "wb") as file, self._client.stream("GET", url) as response:
                response.raise_for_status()
                for chunk in response.iter_bytes():
                    self._check()
                    digest.update(chunk)
                    file.write(chunk)
            if digest.hexdigest() != jar.sha256:
                raise _WrongContent
            Path(name).chmod(0o644)  # mkstemp makes it private, but the folder is shared by all Maven tools.
            Path(name).replace(target)
        finally:
            Path(name).unlink(missing_ok=True)

    def _check(self) -> None:
        """Give up where the caller stops or another jar failed."""
        if self._cancel.is_set() or self.stop.is_set():
            raise _Cancelled("Fetching the jars was stopped.")


class _WrongContent(Exception):
    """What was downloaded does not have the lock's hash."""


class _Cancelled(EngineError):
    """The downloads were given up because the caller stopped, or another one of them failed."""


def _run_all(pool: ThreadPoolExecutor, fetch: _Fetch, jars: list[Jar], advance: Callable[[], None]) -> None:
    """Fetch the jars side by side. The first failure stops the others and is raised."""

    def one(jar: Jar) -> None:
        try:
            fetch(jar)
        except BaseException:
            fetch.stop.set()
            raise
        advance()

    futures = [pool.submit(one, jar) for jar in jars]
    errors = [error for error in (future.exception() for future in futures) if error is not None]
    for error in sorted(errors, key=lambda error: isinstance(error, _Cancelled)):
        raise error


@contextmanager
def _reported(progress: Progress | None, total: int, description: str) -> Iterator[Callable[[], None]]:
    """Report a step, and yield what counts one unit of it."""
    if progress is None:
        yield lambda: None
        return
    progress.start(total, description)
    try:
        yield progress.advance
    finally:
        progress.done()


def _sha256(path: Path) -> str | None:
    """Return the hash of a file's content, or None when there is no readable file."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
