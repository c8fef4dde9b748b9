"""The jars, fetched from repositories that are loopback web servers."""

import hashlib
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from graph.engine.jars import PACKAGED_LOCK, Jar, JarLock, JarStore, read_lock
from graph.errors import ConfigurationError, EngineError, JarCorrupt, JarsUnavailable

CONTENTS = {f"org/example/part{n}/1.0/part{n}-1.0.jar": f"jar number {n}".encode() * 1000 for n in range(20)}
LOCK = JarLock(
    "2026.09.0",
    tuple(
        Jar(f"org.example:part{n}:1.0", path, hashlib.sha256(content).hexdigest())
        for n, (path, content) in enumerate(CONTENTS.items())
    ),
)


class Repository:
    """A web server that serves ``files`` and remembers what it was asked for."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.asked: list[str] = []
        repository = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.removeprefix("/maven/")
                repository.asked.append(path)
                content = repository.files.get(path)
                self.send_response(404 if content is None else 200)
                self.send_header("Content-Length", str(len(content or b"")))
                self.end_headers()
                self.wfile.write(content or b"")

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/maven/"
        self.thread.start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[dict[str, bytes]], Repository]]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    started: list[Repository] = []

    def start(files: dict[str, bytes]) -> Repository:
        started.append(Repository(dict(files)))
        return started[-1]

    yield start
    for repository in started:
        repository.stop()


class Count:
    """A progress that adds up; ``advance`` is called from several threads."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.steps: list[tuple[int, str]] = []
        self.finished = 0
        self.ended = 0

    def start(self, total: int, description: str) -> None:
        self.steps.append((total, description))

    def advance(self, amount: int = 1) -> None:
        with self.lock:
            self.finished += amount

    def done(self) -> None:
        self.ended += 1


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


class TestLock:
    def test_the_packaged_lock_names_every_jar_with_its_hash(self) -> None:
        lock = read_lock()
        assert lock.version == "2026.09.0"
        assert len(lock.jars) == 231
        assert all(len(jar.sha256) == 64 for jar in lock.jars)
        assert len({jar.path for jar in lock.jars}) == 231

    def test_paths_follow_the_maven_layout(self) -> None:
        paths = {jar.coordinate: jar.path for jar in read_lock().jars}
        assert paths["org.neo4j:neo4j:2026.09.0"] == "org/neo4j/neo4j/2026.09.0/neo4j-2026.09.0.jar"
        native = next(name for name in paths if name.endswith(":linux-x86_64"))
        assert paths[native].endswith("-linux-x86_64.jar")

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("this is not = toml = at all", "cannot be read"),
            ('[[dependencies]]\ngroupId = "org.neo4j"', "cannot be read"),
            ("", "does not name org.neo4j:neo4j"),
            (
                '[[dependencies]]\ngroupId = "org.neo4j"\nartifactId = "neo4j"\nversion = "5.26.25"',
                "no SHA-256 for org.neo4j:neo4j:5.26.25",
            ),
        ],
    )
    def test_an_unusable_lock_is_refused_with_its_name(self, tmp_path: Path, text: str, reason: str) -> None:
        path = tmp_path / "other.lock.toml"
        path.write_text(text)
        with pytest.raises(ConfigurationError, match=reason) as caught:
            read_lock(path)
        assert str(path) in caught.value.message
        assert "HELIOGRAPH_ENGINE_LOCK" in caught.value.message

    def test_a_missing_lock_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError, match="cannot be read"):
            read_lock(tmp_path / "absent")

    def test_the_packaged_lock_is_part_of_the_package(self) -> None:
        assert PACKAGED_LOCK.is_file()


class TestEnsure:
    def test_fetches_everything_once_and_reports_it(
        self, tmp_path: Path, serve: Callable[[dict[str, bytes]], Repository]
    ) -> None:
        repository = serve(CONTENTS)
        store = JarStore(tmp_path, (repository.url,))
        count = Count()
        paths = store.ensure(LOCK, count)
        assert [path.read_bytes() for path in paths] == list(CONTENTS.values())
        assert (count.steps, count.finished, count.ended) == ([(20, "Fetching Neo4j 2026.09.0")], 20, 1)
        assert store.ensure(LOCK, count) == paths
        assert len(repository.asked) == 20
        assert len(count.steps) == 1
        assert files_in(tmp_path) == set(CONTENTS)

    def test_fetches_an_altered_jar_again(
        self, tmp_path: Path, serve: Callable[[dict[str, bytes]], Repository]
    ) -> None:
        repository = serve(CONTENTS)
        store = JarStore(tmp_path, (repository.url,))
        altered = store.ensure(LOCK)[3]
        altered.write_bytes(b"x" * altered.stat().st_size)
        store.ensure(LOCK)
        assert altered.read_bytes() == CONTENTS[LOCK.jars[3].path]
        assert len(repository.asked) == 21

    def test_refuses_what_does_not_have_the_hash_and_keeps_none_of_it(
        self, tmp_path: Path, serve: Callable[[dict[str, bytes]], Repository]
    ) -> None:
        jar = LOCK.jars[7]
        repository = serve({**CONTENTS, jar.path: b"something else"})
        with pytest.raises(JarCorrupt, match=jar.coordinate) as caught:
            JarStore(tmp_path, (repository.url,)).ensure(LOCK)
        assert jar.sha256 in caught.value.message
        assert jar.path not in files_in(tmp_path)
        assert not [name for name in files_in(tmp_path) if name.endswith(".part")]

    def test_asks_the_next_repository_for_what_one_does_not_have(
        self, tmp_path: Path, serve: Callable[[dict[str, bytes]], Repository]
    ) -> None:
        mirror, central = serve({LOCK.jars[0].path: b"altered by the mirror"}), serve(CONTENTS)
        paths = JarStore(tmp_path, (mirror.url, central.url)).ensure(LOCK)
        assert [path.read_bytes() for path in paths] == list(CONTENTS.values())
        assert len(mirror.asked) == len(central.asked) == 20

    def test_names_a_jar_that_no_repository_has(
        self, tmp_path: Path, serve: Callable[[dict[str, bytes]], Repository]
    ) -> None:
        jar = LOCK.jars[11]
        repository = serve({path: content for path, content in CONTENTS.items() if path != jar.path})
        count = Count()
        with pytest.raises(JarsUnavailable, match=jar.coordinate) as caught:
            JarStore(tmp_path, (repository.url,)).ensure(LOCK, count)
        assert "HTTP status 404" in caught.value.message
        assert count.ended == 1

    def test_names_a_missing_jar_and_the_ways_out_without_a_network(
        self, tmp_path: Path, serve: Callable[[dict[str, bytes]], Repository]
    ) -> None:
        repository = serve({})
        repository.stop()
        with pytest.raises(JarsUnavailable, match=r"org\.example:part\d+:1\.0") as caught:
            JarStore(tmp_path, (repository.url,)).ensure(LOCK)
        assert str(tmp_path) in caught.value.message
        assert "NEO4J_URI" in caught.value.message

    def test_works_without_a_network_once_everything_is_here(
        self, tmp_path: Path, serve: Callable[[dict[str, bytes]], Repository]
    ) -> None:
        repository = serve(CONTENTS)
        store = JarStore(tmp_path, (repository.url,))
        store.ensure(LOCK)
        repository.stop()
        assert len(store.ensure(LOCK)) == 20

    def test_says_where_jars_cannot_be_stored(
        self, tmp_path: Path, serve: Callable[[dict[str, bytes]], Repository]
    ) -> None:
        # A path under a file cannot be written by anybody, root included.
        folder = tmp_path / "file" / "repository"
        folder.parent.write_text("")
        with pytest.raises(JarsUnavailable, match="cannot be stored") as caught:
            JarStore(folder, (serve(CONTENTS).url,)).ensure(LOCK)
        assert str(folder) in caught.value.message

    def test_stops_when_it_is_cancelled(self, tmp_path: Path, serve: Callable[[dict[str, bytes]], Repository]) -> None:
        cancel = threading.Event()
        cancel.set()
        with pytest.raises(EngineError, match="was stopped"):
            JarStore(tmp_path, (serve(CONTENTS).url,)).ensure(LOCK, cancel=cancel)
        assert files_in(tmp_path) == set()


class TestConfigured:
    def test_mirrors_of_the_settings_file_come_before_maven_central(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, serve: Callable[[dict[str, bytes]], Repository]
    ) -> None:
        repository = serve(CONTENTS)
        settings = tmp_path / "jgo.conf"
        settings.write_text(
            f"[settings]\nrepo_cache = {tmp_path / 'jars'}\n[repositories]\nmirror = {repository.url}\n"
        )
        monkeypatch.setenv("JGO_CONFIG_FILE", str(settings))
        store = JarStore.configured()
        assert store.folder == tmp_path / "jars"
        assert len(store.ensure(LOCK)) == 20  # All from the mirror: nobody else has these.

    def test_an_unreadable_settings_file_is_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        settings = tmp_path / "jgo.conf"
        settings.write_text("no section\n")
        monkeypatch.setenv("JGO_CONFIG_FILE", str(settings))
        with pytest.raises(ConfigurationError, match=r"jgo\.conf"):
            JarStore.configured()
