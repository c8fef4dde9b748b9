"""The wheel alone: what an installation has that no checkout stands behind.

An editable installation shows the whole repository to Python, so a file that the wheel lacks goes unnoticed there.
"""

import subprocess
import sys
import sysconfig
import venv
import zipfile
from importlib.metadata import version
from pathlib import Path

import httpx
import pytest

from tests.integration.server import clean_environment, running

ROOT = Path(__file__).parents[2]
PACKAGES = ("graph", "api", "cli", "seed", "cypher")
#: What belongs to the code although it is none.
DATA = ("*.cypher", "*.toml", "api/web/**/*")


def call(*arguments: str | Path, cwd: Path) -> str:
    done = subprocess.run(  # noqa: S603 (the project's own programs)
        list(map(str, arguments)), capture_output=True, check=False, cwd=cwd, env=clean_environment(), text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel with the build backend that is installed here, without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    call(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder, cwd=ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel alone, and return the folder of the environment's programs.

    The dependencies are those of the environment that runs the tests. It is named in a path file, and Python reads no
    path files in a folder that is itself named in one, so the editable installation there is not seen.
    """
    folder = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(folder, symlinks=True)
    bin_folder = folder / "bin"
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))
    call(
        *(sys.executable, "-m", "pip", "--python", bin_folder / "python", "--disable-pip-version-check"),
        *("install", "--no-deps", "--no-index", "--quiet", wheel),
        cwd=folder,
    )
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return bin_folder


def test_it_has_every_file_of_the_packages(wheel: Path) -> None:
    wanted = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for pattern in ("*.py", *DATA)
        for path in (ROOT.glob(pattern) if "/" in pattern else (ROOT / package).rglob(pattern))
        if path.is_file() and path.relative_to(ROOT).parts[0] == package
    }
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert wanted - names == set()
    for example in ("graph/engine/jgo.lock.toml", "cypher/keys/caller.cypher", "api/web/explorer.html"):
        assert example in names
    assert {name.partition("/")[0] for name in names} - set(PACKAGES) == {
        f"heliograph-{version('heliograph')}.dist-info"
    }


def test_it_is_not_the_checkout_that_is_imported(installed: Path) -> None:
    places = call(
        installed / "python",
        "-c",
        f"import importlib; print(*(importlib.import_module(name).__file__ for name in {PACKAGES}), sep='\\n')",
        cwd=installed,
    )
    assert [Path(place).is_relative_to(installed.parent) for place in places.splitlines()] == [True] * len(PACKAGES)


def test_it_starts_answers_and_ends_without_a_trace(installed: Path, tmp_path: Path) -> None:
    program = installed / "heliograph"
    assert call(program, "--version", cwd=tmp_path) == f"heliograph {version('heliograph')}\n"
    with running(tmp_path / "home", tmp_path / "ready.json", command=(str(program),), cwd=tmp_path) as server:
        answer = httpx.post(
            server.ready["graphqlUrl"],
            json={"query": "{ health { status engine { source } } }"},
            headers={"authorization": f"Bearer {server.ready['operatorKey']}"},
            timeout=60,
        ).json()
        assert answer == {"data": {"health": {"status": "ok", "engine": {"source": "embedded"}}}}
        page = httpx.get(server.ready["graphqlUrl"], headers={"accept": "text/html"}, timeout=60)
        assert page.status_code == 200
        assert server.family
        code, printed = server.stop()
        assert code == 0, printed
        assert "Traceback" not in printed
        assert server.orphans() == []
