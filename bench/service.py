"""Heliograph as its users run it: ``heliograph up`` in a process of its own, on a temporary home."""

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path


@asynccontextmanager
async def service() -> AsyncIterator[tuple[Path, str]]:
    """Run the service during the block, and give its home and its URL. Raises RuntimeError when it does not start."""
    with tempfile.TemporaryDirectory(prefix="heliograph-bench-") as folder:
        home, ready_file = Path(folder) / "home", Path(folder) / "ready.json"
        command = [sys.executable, "-m", "cli", "up", "--home", str(home), "--port", "0"]
        process = subprocess.Popen(  # noqa: ASYNC220, S603 - it returns at once, and runs our own command
            [*command, "--ready-file", str(ready_file)], stdout=subprocess.DEVNULL
        )
        try:
            while not ready_file.exists():
                if process.poll() is not None:
                    raise RuntimeError(f"Heliograph ended with {process.returncode} before it was ready; see above.")
                await asyncio.sleep(0.1)
            yield home, json.loads(ready_file.read_text(encoding="utf-8"))["url"]
        finally:
            process.terminate()
            await asyncio.to_thread(process.wait)
