"""What analysts ask: whoever sees everything leaves a line in the log for each request (decision 0017)."""

import json
import logging
import re
from collections.abc import Iterator

from graphql import FieldNode, FragmentSpreadNode, InlineFragmentNode
from strawberry.extensions import SchemaExtension

from api.context import Context
from api.cost import fragments_of, operations_of
from api.errors import API_KEY
from api.trace import current_trace_id

logger = logging.getLogger("api.analyst")
# Also where the server logs warnings alone.
logger.setLevel(logging.INFO)

#: So much of a document is kept in the log, and so many of the fields it asks the root for.
LOGGED_CHARACTERS, LOGGED_FIELDS = 2_000, 30

_SPACE = re.compile(r"\s+")


class Audit(SchemaExtension):
    """Logs each operation of a caller who sees everything, before it runs; its variables may hold anything and stay."""

    def on_execute(self) -> Iterator[None]:
        """Write the line, where there is one to write."""
        context = self.execution_context.context
        caller = context.identification.caller if isinstance(context, Context) else None
        if caller is not None and caller.analyst:
            logger.info(
                "Trace %s: %s with key %s runs %s, asking for %s: %s",
                current_trace_id(),
                caller.handle,
                caller.key,
                self.execution_context.operation_name or "an operation without a name",
                ", ".join(self._fields()) or "nothing",
                # One line, whatever the text holds; a key that somebody wrote into it is none of the log's.
                json.dumps(_bounded(API_KEY.sub("hg_…", self.execution_context.query or "")), ensure_ascii=False),
            )
        yield

    def _fields(self) -> list[str]:
        document, name = self.execution_context.graphql_document, self.execution_context.operation_name
        if document is None:
            return []
        asked = [one for one in operations_of(document) if name is None or (one.name and one.name.value == name)]
        fragments = fragments_of(document)
        fields: dict[str, None] = {}
        spread: set[str] = set()
        waiting = [operation.selection_set for operation in asked]
        while waiting:
            for selection in waiting.pop().selections:
                if isinstance(selection, FieldNode):
                    fields[selection.name.value] = None
                elif isinstance(selection, InlineFragmentNode):
                    waiting.append(selection.selection_set)
                elif isinstance(selection, FragmentSpreadNode) and selection.name.value not in spread:
                    spread.add(selection.name.value)
                    waiting.append(fragments[selection.name.value].selection_set)
        return list(fields)[:LOGGED_FIELDS]


def _bounded(text: str) -> str:
    short = _SPACE.sub(" ", text).strip()
    return short if len(short) <= LOGGED_CHARACTERS else f"{short[:LOGGED_CHARACTERS]}…"
