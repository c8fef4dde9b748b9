"""Making the environment: which Python is taken, and what is said when there is none."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    """Return a folder that is the whole PATH, with what the script needs and no Python."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("dirname", "echo", "printf"):
        command(folder, tool, f'exec /usr/bin/{tool} "$@"')
    return folder


def command(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def install(tmp_path: Path, bin_folder: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(  # noqa: S603 (the project's own script)
        ["/bin/sh", str(ROOT / "scripts" / "install.sh"), str(tmp_path / "venv")],
        capture_output=True,
        check=False,
        env={"PATH": str(bin_folder), **environment},
        text=True,
    )


def test_without_a_python_it_says_what_to_install(tmp_path: Path, bin_folder: Path) -> None:
    done = install(tmp_path, bin_folder)
    assert done.returncode == 1
    assert done.stderr.startswith("error: No Python 3.11, 3.12 or 3.13 was found")
    assert done.stderr.count("\n") == 1


def test_a_command_of_the_right_name_that_does_not_run_is_passed_over(tmp_path: Path, bin_folder: Path) -> None:
    command(bin_folder, "python3.13", "echo 'not chosen' >&2; exit 127")
    command(bin_folder, "python3.12", "exit 1")
    assert "No Python" in install(tmp_path, bin_folder).stderr


def test_a_python_without_ensurepip_says_which_package_is_missing(tmp_path: Path, bin_folder: Path) -> None:
    python = shlex.quote(sys.executable)
    command(bin_folder, "python3", f'case "$2" in *ensurepip*) exit 1;; esac; exec {python} "$@"')
    version = ".".join(map(str, sys.version_info[:2]))
    done = install(tmp_path, bin_folder)
    assert done.returncode == 1
    assert f"apt install python{version}-venv" in done.stderr


def test_a_python_that_is_named_and_unfit_is_not_replaced_by_another(tmp_path: Path, bin_folder: Path) -> None:
    command(bin_folder, "python3", f'exec {shlex.quote(sys.executable)} "$@"')
    done = install(tmp_path, bin_folder, PYTHON="python3.9")
    assert done.returncode == 1
    assert "PYTHON is 'python3.9'" in done.stderr
    assert not (tmp_path / "venv").exists()
