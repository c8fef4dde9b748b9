"""LDBC's short reads IS2, IS6 and IS7, each one request (issue 5, point 4), against what the test knows it sent."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from bench.walks.ldbc import FORUM_OF_MESSAGE, RECENT, RECENT_MESSAGES, REPLIES_OF_MESSAGE
from tests.api.client import Person
from tests.api.conftest import People

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Told:
    """A message as the test knows it: who may see it, what it answers, and the subject it was given."""

    id: str
    text: str
    sender: str
    readers: frozenset[str]
    parent: "Told | None"
    thread: str

    @property
    def root(self) -> "Told":
        """What it began with, found by walking up."""
        return self if self.parent is None else self.parent.root


@dataclass(frozen=True)
class Ship:
    """A crew, and all that it wrote to each other, in order."""

    crew: tuple[Person, ...]
    told: Sequence[Told]

    def seen(self, reader: Person) -> list[Told]:
        """Return what somebody may see, in order."""
        return [one for one in self.told if reader.handle in one.readers]

    def first(self, reader: Person, one: Told) -> Told:
        """Return the oldest message of a conversation that somebody may see."""
        return next(other for other in self.seen(reader) if other.root is one.root)


@pytest_asyncio.fixture(scope="module")
async def ship(people: People) -> Ship:
    """Let four people write at random, six times in ten an answer to what they see."""
    chance = random.Random(6)  # noqa: S311 - alike in every run
    crew = await people("ada", "bea", "cy", "dan")
    told: list[Told] = []
    for number in range(70):
        sender = chance.choice(crew)
        known = [one for one in told if sender.handle in one.readers]
        parent = chance.choice(known) if known and chance.random() < 0.6 else None
        to = chance.sample([one.handle for one in crew if one is not sender], chance.choice((1, 1, 2)))
        text = f"Number {number}"
        said = {"subject": text, "bodyText": f"{text}."} | ({} if parent is None else {"inReplyTo": parent.id})
        sent = await sender.sends(*to, **said)
        readers = frozenset({sender.handle, *to})
        told.append(Told(sent["id"], text, sender.handle, readers, parent, sent["thread"]["id"]))
    return Ship(crew, told)


async def test_recent_messages_come_with_what_began_their_conversation(ship: Ship) -> None:
    for reader in ship.crew:
        for person in ship.crew:
            data = await reader.ask(RECENT_MESSAGES, person=person.handle)
            expected = [one for one in reversed(ship.seen(reader)) if one.sender == person.handle][:RECENT]
            nodes = [edge["node"] for edge in data["neighbors"]["edges"]]
            assert [(node["id"], node["bodyText"]) for node in nodes] == [(one.id, f"{one.text}.") for one in expected]
            begun = [node["thread"]["firstMessage"] for node in nodes]
            firsts = [ship.first(reader, one) for one in expected]
            assert [(one["id"], one["sender"]["handle"]) for one in begun] == [(one.id, one.sender) for one in firsts]


async def test_the_forum_of_a_message_is_its_thread_and_who_began_it(ship: Ship) -> None:
    assert len({one.root.id for one in ship.told}) < len(ship.told)
    for reader in ship.crew:
        for one in ship.told:
            message = (await reader.ask(FORUM_OF_MESSAGE, message=one.id))["message"]
            if reader.handle not in one.readers:
                assert message is None
                continue
            first = ship.first(reader, one)
            assert message["thread"] == {
                "id": one.root.thread,
                "subject": first.text,
                "firstMessage": {"sender": {"handle": first.sender, "displayName": None}},
            }


async def test_replies_of_a_message_are_those_that_answer_it(ship: Ship) -> None:
    for reader in ship.crew:
        for one in ship.told:
            message = (await reader.ask(REPLIES_OF_MESSAGE, message=one.id))["message"]
            if reader.handle not in one.readers:
                assert message is None
                continue
            expected = [reply for reply in ship.seen(reader) if reply.parent is one]
            nodes = [edge["node"] for edge in message["replies"]["edges"]]
            assert [node["id"] for node in nodes] == [reply.id for reply in expected]
            assert [node["sender"]["handle"] for node in nodes] == [reply.sender for reply in expected]


@pytest.mark.parametrize("written", [RECENT_MESSAGES, FORUM_OF_MESSAGE, REPLIES_OF_MESSAGE])
def test_what_is_documented_is_what_is_measured(written: str) -> None:
    page = (ROOT / "docs/ldbc.md").read_text(encoding="utf-8")
    assert written.strip() in re.findall(r"```graphql\n(.*?)\n```", page, re.DOTALL)
