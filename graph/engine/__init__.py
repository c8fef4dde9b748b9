"""Where Neo4j comes from: a server named by ``NEO4J_URI``, or one that Heliograph hosts itself.

::

    engine = await open_engine(load_settings())
    ...                                            # connect to engine.connection
    await engine.close()
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graph.engine.connection import Connection, Engine, Progress, ServerInfo
    from graph.engine.probing import probe
    from graph.engine.sources import open_engine

__all__ = ["Connection", "Engine", "Progress", "ServerInfo", "open_engine", "probe"]

_HOMES = {
    "Connection": "graph.engine.connection",
    "Engine": "graph.engine.connection",
    "Progress": "graph.engine.connection",
    "ServerInfo": "graph.engine.connection",
    "open_engine": "graph.engine.sources",
    "probe": "graph.engine.probing",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used.

    The server's child process runs a module of this package. Importing the driver and the settings there as well would
    cost it half a second and tens of megabytes that it has no use for.
    """
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
