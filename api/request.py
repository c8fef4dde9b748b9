"""Reading a GraphQL request: the media type to answer in, and the four parameters, each checked."""

import json
import re
from functools import lru_cache
from http import HTTPStatus

from strawberry.http import GraphQLRequestData

from api.errors import BAD_REQUEST, HttpError

JSON = "application/json"
RESPONSE_JSON = "application/graphql-response+json"

_CHARSET = re.compile(r"charset\s*=\s*\"?([^\s;\"]+)")


def bad_request(message: str) -> HttpError:
    """Return the refusal of a request that is malformed."""
    return HttpError(HTTPStatus.BAD_REQUEST, BAD_REQUEST, message)


@lru_cache(maxsize=256)
def negotiated(accept: str) -> str:
    """Return the media type to answer in. Raises HttpError when the client takes none that we have."""
    weights: dict[str, float] = {}
    for part in accept.lower().split(","):
        name, *parameters = (piece.strip() for piece in part.split(";"))
        if name:
            weights[name] = max(weights.get(name, 0.0), _quality(parameters))
    as_json = next((weights[name] for name in (JSON, "application/*", "*/*") if name in weights), 0.0)
    as_response = weights.get(RESPONSE_JSON, 0.0)
    if as_response > 0 and as_response >= as_json:
        return RESPONSE_JSON
    if as_json > 0 or not weights:
        return JSON
    raise HttpError(
        HTTPStatus.NOT_ACCEPTABLE,
        "NOT_ACCEPTABLE",
        f"The Accept header takes neither {RESPONSE_JSON} nor {JSON}, the two forms an answer can have here.",
    )


def _quality(parameters: list[str]) -> float:
    """Return the weight that an Accept entry gives, 1 where it says nothing readable."""
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        if key.strip() == "q":
            try:
                return float(value)
            except ValueError:
                return 1.0
    return 1.0


def check_content_type(header: str) -> None:
    """Raise HttpError unless the body is JSON in UTF-8. A form's media types are how other sites' pages post."""
    name, _, rest = header.lower().partition(";")
    charset = _CHARSET.search(rest)
    if name.strip() != JSON or (charset and charset[1] not in ("utf-8", "utf8")):
        raise HttpError(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "UNSUPPORTED_MEDIA_TYPE",
            f"The Content-Type is {header[:100]!r}; it must be {JSON}, in UTF-8.",
            headers={"accept-post": f"{JSON}; charset=utf-8"},
        )


def decoded(text: str | bytes, what: str) -> object:
    """Return parsed JSON. Raises HttpError saying where it is malformed."""
    try:
        return json.loads(text.decode("utf-8") if isinstance(text, bytes) else text, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise bad_request(f"{what} is not UTF-8: the byte at {error.start} does not belong there.") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise bad_request(f"{what} is not JSON: {error.msg} at {place}.") from None
    except (RecursionError, ValueError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else "a number in it cannot be read"
        raise bad_request(f"{what} is not usable JSON: {reason}.") from None


def _no_constant(name: str) -> None:
    raise ValueError(name)


def request_data(parameters: object) -> GraphQLRequestData:
    """Check the types of the four parameters of a GraphQL request."""
    if isinstance(parameters, list):
        raise bad_request(
            "The request body is a list: several operations in one request are not supported, send one each."
        )
    if not isinstance(parameters, dict):
        raise bad_request("The request body must be a JSON object with the key query.")
    query = parameters.get("query")
    if not isinstance(query, str):
        found = "missing" if query is None else f"of type {type(query).__name__}"
        raise bad_request(f"The parameter query is {found}: it must be a string that holds a GraphQL document.")
    operation_name = parameters.get("operationName")
    if not isinstance(operation_name, str | None):
        raise bad_request("The parameter operationName must be a string or null.")
    for name in ("variables", "extensions"):
        if not isinstance(parameters.get(name), dict | None):
            raise bad_request(f"The parameter {name} must be an object or null.")
    return GraphQLRequestData(
        query=query,
        variables=parameters.get("variables"),
        operation_name=operation_name,
        extensions=parameters.get("extensions"),
    )
