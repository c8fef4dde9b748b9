"""What every test may ask for: a clean environment, one real Neo4j for the whole run, and fresh identities on it."""

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from hypothesis import settings

from graph.bootstrap import Graph, open_graph
from graph.settings import Settings, load_settings, variable_name
from tests.codes import record
from tests.support import Agents

# A deadline would be a timed assertion, and fail on a busy machine.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

#: What only a whole run can tell.
OF_A_WHOLE_RUN = "test_a_whole_run_raises_every_code"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put what a whole run tells at its end, and leave it out of a run of some of the tests."""
    here = Path(__file__).parent
    every = {path for path in here.rglob("test_*.py") if not path.is_relative_to(here / "soak")}
    whole = not config.option.keyword and every <= {item.path for item in items}
    last = [item for item in items if item.name == OF_A_WHOLE_RUN]
    items[:] = [item for item in items if item not in last] + (last if whole else [])
    if not whole:
        config.hook.pytest_deselected(items=last)


@pytest.fixture(scope="session", autouse=True)
def raised_codes() -> Iterator[None]:
    """Note which codes are raised."""
    with pytest.MonkeyPatch.context() as patch:
        record(patch)
        yield


@pytest.fixture(scope="session", autouse=True)
def own_environment() -> Iterator[None]:
    """Hide the developer's settings from the tests, and take those that are meant for them.

    A setting for the run is its field's name in capitals after ``HELIOGRAPH_TEST_``: with HELIOGRAPH_TEST_NEO4J_URI and
    HELIOGRAPH_TEST_NEO4J_PASSWORD the tests use that server instead of an embedded one, and
    HELIOGRAPH_TEST_ENGINE_LOCK runs them on the embedded Neo4j of another lock file.
    """
    with pytest.MonkeyPatch.context() as patch:
        for field in Settings.model_fields:
            patch.delenv(variable_name(field), raising=False)
            if meant := os.environ.get(f"HELIOGRAPH_TEST_{field.upper()}"):
                patch.setenv(variable_name(field), meant)
        yield


@pytest_asyncio.fixture(scope="session")
async def graph(own_environment: None, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Graph]:
    """Open one graph for the whole run. All tests share it, so each uses identities of its own (see ``agents``)."""
    async with await open_graph(load_settings(home=tmp_path_factory.mktemp("home"))) as opened:
        yield opened


@pytest.fixture(scope="session")
def agents(graph: Graph) -> Agents:
    """Return the use cases of the shared graph, ready to register identities that no other test has."""
    return Agents(graph)
