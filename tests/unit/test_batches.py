"""How a batch is told to the database: everything once, and each message by its places (DESIGN §3.3, §4)."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from graph.batches import Written, parameters, write
from graph.database import Row, Transaction
from graph.records import milliseconds, moment
from graph.rules.planning import Via

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def written(number: int, sender: str, *to: str, thread: str = "", tags: tuple[str, ...] = ()) -> Written:
    """Return a message to these mailboxes; it begins a thread of its own unless one is named."""
    return Written(
        id=f"msg_{number}",
        sender=sender,
        sender_class="AGENT",
        subject=f"number {number}",
        body_text="",
        created_at=NOW + timedelta(seconds=number),
        delivered_at=NOW,
        thread=thread or f"thr_{number}",
        new_thread=not thread,
        to=to,
        deliveries=[(address, Via.DIRECT) for address in to],
        provenance="NATIVE",
        idempotency_key=None,
        content_hash=None,
        tags=tags,
    )


def test_names_are_listed_once_and_messages_point_at_them() -> None:
    batch = parameters(
        [
            written(1, "@ada", "@bea", "@cy", tags=("tide", "log")),
            replace(written(2, "@bea", "@bea", thread="thr_1", tags=("log",)), cc=("@ada",)),
            replace(written(3, "@dot", thread="thr_0"), to=("@all",), deliveries=[("@cy", Via.BROADCAST)]),
        ],
        NOW,
    )
    addresses, threads, concepts = batch["addresses"], batch["threads"], batch["concepts"]
    assert addresses == ["@bea", "@cy", "@ada", "@dot", "@all"]
    assert (batch["others"], batch["broadcasts"]) == (["@ada", "@dot"], ["@all"])
    assert concepts == ["log", "tide"]
    assert threads == ["thr_1", "thr_0"]
    for message in batch["messages"]:
        assert addresses[message["author"]] == message["sender"]
        assert threads[message["thread"]] == message["threadId"]
        assert [concepts[place] for place in message["concepts"]] == list(message["tags"])
    to = [[addresses[place] for place in message["to"]] for message in batch["messages"]]
    cc = [[addresses[place] for place in message["cc"]] for message in batch["messages"]]
    assert (to, cc) == ([["@bea", "@cy"], ["@bea"], ["@all"]], [[], ["@ada"], []])


def test_each_mailbox_counts_its_entries_in_the_order_they_were_sent() -> None:
    batch = parameters([written(1, "@ada", "@bea"), written(2, "@cy", "@dot", "@bea"), written(3, "@ada", "@bea")], NOW)
    assert batch["receiving"] == [{"address": "@bea", "entries": 3}, {"address": "@dot", "entries": 1}]
    places = [
        [(batch["addresses"][entry["box"]], entry["place"]) for entry in message["entries"]]
        for message in batch["messages"]
    ]
    assert places == [[("@bea", 0)], [("@dot", 0), ("@bea", 1)], [("@bea", 2)]]


def test_threads_that_begin_and_threads_that_go_on_are_counted_apart() -> None:
    batch = parameters(
        [
            written(4, "@bea", "@ada", thread="thr_z"),
            written(1, "@ada", "@bea"),
            written(2, "@bea", "@ada", thread="thr_1"),
            written(3, "@bea", "@ada", thread="thr_a"),
            written(5, "@bea", "@ada", thread="thr_z"),
        ],
        NOW,
    )
    (begun,) = batch["begun"]
    assert (begun["id"], begun["subject"], begun["count"]) == ("thr_1", "number 1", 2)
    assert moment(begun["createdAt"]) == NOW + timedelta(seconds=1)
    assert moment(begun["lastMessageAt"]) == NOW + timedelta(seconds=2)
    joined = [(thread["id"], thread["count"], moment(thread["lastMessageAt"])) for thread in batch["joined"]]
    assert joined == [("thr_a", 1, NOW + timedelta(seconds=3)), ("thr_z", 2, NOW + timedelta(seconds=5))]


def test_something_is_to_be_done_only_where_that_is_said() -> None:
    queue = replace(written(1, "@ada", "@bea", "role:review"), pending=("role:review",))
    (message,) = parameters([queue], NOW)["messages"]
    assert [entry["pending"] for entry in message["entries"]] == [None, True]


@pytest.mark.parametrize("year", [1, 1969, 1970, 2026, 9999])
def test_times_travel_as_whole_milliseconds(year: int) -> None:
    at = datetime(year, 5, 6, 7, 8, 9, 123_000, tzinfo=UTC)
    assert moment(milliseconds(at)) == at
    assert moment(milliseconds(at + timedelta(microseconds=999))) == at


@pytest.mark.parametrize(
    "answer",
    [
        None,
        {"messages": 0, "entries": 1, "bound": True},
        {"messages": 1, "entries": 0, "bound": True},
        {"messages": 1, "entries": 1, "bound": False},
        {"messages": 1, "entries": 1, "bound": None},
    ],
)
async def test_a_batch_that_was_not_written_as_it_was_meant_is_not_kept(answer: Row | None) -> None:
    class Answering:
        async def one(self, *_: Any) -> Row | None:
            return answer

    with pytest.raises(LookupError):
        await write(cast("Transaction", Answering()), [written(1, "@ada", "@bea")], NOW)
