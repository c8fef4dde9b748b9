"""Every published limit in one place, and the error that names the one exceeded.

The API publishes these numbers under ``limits``, with each field's name in camel case; a refusal carries that same
name, so that a client can look up what it ran into.
"""

from dataclasses import dataclass, field

from graphql import GraphQLError

from graph.rules.cypher.limits import CypherLimits
from graph.rules.limits import MessageLimits

LIMIT_EXCEEDED = "LIMIT_EXCEEDED"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may ask for. Cost is counted by ``api.cost``; bytes and seconds by ``api.http``."""

    max_depth: int = 15
    max_aliases: int = 30
    max_tokens: int = 2000
    max_cost: int = 10_000
    max_request_bytes: int = 4 * 1024 * 1024
    request_timeout_seconds: float = 30.0
    first_max: int = 100
    first_default: int = 20
    changes_max: int = 500
    path_hops_max: int = 6
    paths_max: int = 20
    subgraph_hops_max: int = 3
    subgraph_nodes_max: int = 100
    search_hops_max: int = 2
    cypher_characters: int = 10_000
    cypher_parameter_bytes: int = 64 * 1024
    cypher_rows: int = 1_000
    cypher_bytes: int = 2 * 1024 * 1024
    cypher_seconds: float = 10.0
    messages: MessageLimits = field(default_factory=MessageLimits)

    @property
    def cypher(self) -> CypherLimits:
        """The limits of analysts' own queries."""
        return CypherLimits(
            characters=self.cypher_characters,
            parameter_bytes=self.cypher_parameter_bytes,
            rows=self.cypher_rows,
            bytes=self.cypher_bytes,
            seconds=self.cypher_seconds,
        )


def limit_exceeded(limit: str, allowed: float, found: float, message: str) -> GraphQLError:
    """Return the error for one exceeded limit. ``limit`` is its published name, ``found`` what the request had."""
    return GraphQLError(
        message,
        extensions={"code": LIMIT_EXCEEDED, "limit": limit, "allowed": allowed, "found": found},
    )
