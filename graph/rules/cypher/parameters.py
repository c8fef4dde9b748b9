"""The parameters of an analyst's query: JSON that Neo4j can take as it is."""

import json
import math
from collections.abc import Mapping
from typing import Any

from graph.errors import RefusalCode, Refused
from graph.rules.cypher.limits import CypherLimits

FIELD = "parameters"
_DEEPEST = 16
_LARGEST = 2**63 - 1


def check_parameters(given: object, limits: CypherLimits) -> Mapping[str, Any]:
    """Return the parameters by name; none for null. Raises Refused for what is no map, too large or no value there."""
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise Refused(
            RefusalCode.INVALID_INPUT,
            f'{FIELD} is {type(given).__name__} and not a JSON object of names and values, such as {{"who": "@ada"}}.',
            field=FIELD,
        )
    _check_value(given, FIELD, 0)
    size = len(json.dumps(given, ensure_ascii=False, allow_nan=False).encode("utf-8", errors="surrogatepass"))
    if size > limits.parameter_bytes:
        raise Refused(
            RefusalCode.LIMIT_EXCEEDED,
            f"{FIELD} has {size} bytes as JSON; at most {limits.parameter_bytes} (cypherParameterBytes) are allowed.",
            field=FIELD,
        )
    return given


def _check_value(value: object, place: str, depth: int) -> None:
    if depth > _DEEPEST:
        raise _unusable(place, f"stands more than {_DEEPEST} lists and maps deep")
    if isinstance(value, list):
        for index, item in enumerate(value):
            _check_value(item, f"{place}[{index}]", depth + 1)
    elif isinstance(value, dict):
        for name, item in value.items():
            _check_value(name, f"a name in {place}", depth + 1)
            _check_value(item, f"{place}.{name}"[:80], depth + 1)
    elif fault := _fault_of(value):
        raise _unusable(place, fault)


def _fault_of(value: object) -> str | None:
    """Return what is wrong with a single value; None where nothing is."""
    match value:
        case bool() | None:
            return None
        case int():
            return "is a whole number of more than 64 bits; send it as text" if abs(value) > _LARGEST else None
        case float():
            return None if math.isfinite(value) else "is no finite number"
        case str():
            lone = any("\ud800" <= character <= "\udfff" for character in value)
            return "holds a lone surrogate" if lone else None
        case _:
            return f"is {type(value).__name__}, which JSON does not have"


def _unusable(place: str, why: str) -> Refused:
    return Refused(RefusalCode.INVALID_INPUT, f"{ascii(place)[1:-1]} {why}.", field=FIELD)
