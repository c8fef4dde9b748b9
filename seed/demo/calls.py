"""Calls of the API, as any client makes them."""

import json
from collections.abc import Mapping
from typing import Any

import httpx

from graph.errors import HeliographError

NODES = "query Nodes($ids: [ID!]!) { nodes(ids: $ids) { id } }"
REGISTER = """
mutation Register($input: RegisterAgentInput!) {
  registerAgent(input: $input) { key refusal { code message } }
}
"""
SEND = """
mutation Send($input: SendMessageInput!) {
  sendMessage(input: $input) { message { id } refusal { code message } }
}
"""
REMEMBER = """
mutation Remember($input: RememberInput!) {
  remember(input: $input) { memory { id } refusal { code message } }
}
"""
MEMORY = "query Memory($id: ID!) { memory(id: $id) { id } }"
HAND_OVER = """
mutation HandOver($input: HandoverInput!) {
  writeHandover(input: $input) { handover { message { id } } refusal { code message } }
}
"""
PENDING = """
query Pending($tags: [String!]) {
  handovers(filter: { pending: true, tags: $tags }) { edges { node { message { id } } } }
}
"""
ACCEPT = """
mutation Accept($input: AcceptHandoversInput!) {
  acceptHandovers(input: $input) { accepted { message { id } } refusal { code message } }
}
"""
MARK_READ = """
mutation MarkRead($ids: [ID!]) {
  markRead(ids: $ids) { results { id refusal { code message } } refusal { code message } }
}
"""


class DemoFailed(HeliographError):
    """The server did not answer as the demo needs it."""

    code = "DEMO_FAILED"


class Caller:
    """Somebody with a key."""

    def __init__(self, http: httpx.AsyncClient, key: str) -> None:
        self._http = http
        self._headers = {"authorization": f"Bearer {key}"}

    async def ask(self, query: str, **variables: object) -> dict[str, Any]:
        """Return the data of an answer. Raises DemoFailed for one that is none, or has errors."""
        body = {"query": query, "variables": variables}
        try:
            response = await self._http.post("/graphql", json=body, headers=self._headers)
            answer = response.json()
        except (httpx.HTTPError, httpx.InvalidURL, json.JSONDecodeError, UnicodeDecodeError) as error:
            raise DemoFailed(
                f"No Heliograph answers at {self._http.base_url} ({type(error).__name__}); start one with `make up`, "
                "or name the right URL."
            ) from error
        if not isinstance(answer, Mapping) or answer.get("errors") or not isinstance(answer.get("data"), Mapping):
            raise DemoFailed(f"The server could not do a step of the demo: {_first_error(answer)}")
        return dict(answer["data"])

    async def do(self, mutation: str, **said: object) -> dict[str, Any]:
        """Return the payload of a mutation with one input. Raises DemoFailed when it is refused."""
        ((name, payload),) = (await self.ask(mutation, **said)).items()
        if (refusal := payload["refusal"]) is not None:
            raise DemoFailed(f"The server refused a step of the demo, {name}: {refusal['message']}")
        return dict(payload)


def _first_error(answer: object) -> str:
    if isinstance(answer, Mapping) and isinstance(answer.get("errors"), list) and answer["errors"]:
        return str(answer["errors"][0].get("message"))
    return "it answers, but not as Heliograph does."
