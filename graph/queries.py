"""The project's Cypher, loaded once and by name from ``cypher/``.

A query is named after its file: ``query("mailbox/inbox")`` is ``cypher/mailbox/inbox.cypher``. Text is never
assembled; values travel as parameters only.
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import LiteralString


@dataclass(frozen=True, slots=True)
class Query:
    """One named query. ``text`` is what the server gets; it begins with the comment that says what it answers."""

    name: str
    text: LiteralString


@cache
def query(name: str) -> Query:
    """Return the query of that name. Raises FileNotFoundError where ``cypher/`` has no such file."""
    text = files("cypher").joinpath(*f"{name}.cypher".split("/")).read_text(encoding="utf-8")
    # The driver asks for literal text so that nobody builds queries from strings; a packaged file is as fixed as one.
    return Query(name=name, text=text)
