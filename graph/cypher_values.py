"""What a query of an analyst's own answers, as JSON (docs/analysts-cypher.md).

What JSON has stays as it is. Everything else becomes an object whose ``$type`` says what it is; a map of the query's
own that has such a key is wrapped as ``{"$type": "Map", "entries": …}``, so that nothing is mistaken.
"""

import base64
import math
from collections.abc import Mapping
from typing import Any

from neo4j.graph import Node, Path, Relationship
from neo4j.spatial import Point
from neo4j.time import Date, DateTime, Duration, Time
from neo4j.vector import Vector

from graph.errors import RefusalCode, Refused

#: The key that says what an object is.
TYPE = "$type"
#: The largest whole number that every reader of JSON keeps exactly.
EXACT_MOST = 2**53 - 1
_DEEPEST = 100

Json = Any


def as_json(value: object, depth: int = 0) -> Json:
    """Return a value as JSON. Raises Refused with LIMIT_EXCEEDED for one that stands too many lists deep."""
    if depth > _DEEPEST:
        raise Refused(
            RefusalCode.LIMIT_EXCEEDED, f"The query returns lists or maps that stand {_DEEPEST} deep.", field="query"
        )
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return _of_number(value)
    if isinstance(value, list):
        return [as_json(item, depth + 1) for item in value]
    if isinstance(value, Node | Relationship | Path):
        return _of_graph(value, depth)
    if isinstance(value, Mapping):
        entries = {str(name): as_json(item, depth + 1) for name, item in value.items()}
        return {TYPE: "Map", "entries": entries} if TYPE in entries else entries
    return {TYPE: _type_of(value), **_content_of(value)}


def _of_number(value: float) -> Json:
    if isinstance(value, int):
        return value if abs(value) <= EXACT_MOST else {TYPE: "Integer", "value": str(value)}
    if math.isfinite(value):
        return value
    return {TYPE: "Float", "value": "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"}


def _of_graph(value: Node | Relationship | Path, depth: int) -> Json:
    if isinstance(value, Node):
        return {
            TYPE: "Node",
            "elementId": value.element_id,
            "labels": sorted(value.labels),
            "properties": _properties(value, depth),
        }
    if isinstance(value, Relationship):
        start, end = value.nodes
        return {
            TYPE: "Relationship",
            "elementId": value.element_id,
            "type": value.type,
            "start": None if start is None else start.element_id,
            "end": None if end is None else end.element_id,
            "properties": _properties(value, depth),
        }
    return {
        TYPE: "Path",
        "nodes": [_of_graph(node, depth) for node in value.nodes],
        "relationships": [_of_graph(relationship, depth) for relationship in value.relationships],
    }


def _properties(value: Node | Relationship, depth: int) -> Json:
    return {name: as_json(item, depth + 1) for name, item in sorted(value.items())}


def _type_of(value: object) -> str:
    """Return Cypher's name of a type."""
    if isinstance(value, DateTime | Time):
        return f"{'' if value.tzinfo else 'Local'}{type(value).__name__}"
    if isinstance(value, Date | Duration | Point | Vector):
        return next(kind.__name__ for kind in (Date, Duration, Point, Vector) if isinstance(value, kind))
    return "Bytes" if isinstance(value, bytes | bytearray) else "Unknown"


def _content_of(value: object) -> dict[str, Json]:
    match value:
        case DateTime() | Time() | Date() | Duration():
            return {"value": value.iso_format()}
        case Point():
            return {"srid": value.srid, "coordinates": list(value)}
        case bytes() | bytearray():
            return {"base64": base64.b64encode(value).decode("ascii")}
        case Vector():
            return {"values": [as_json(item) for item in value.to_native()]}
        case _:
            return {"value": str(value)}
