"""Search finds what one may see and nothing else, whole pages of it, newest first (DESIGN §2, §3.5, §3.10)."""

import asyncio
import unicodedata
from datetime import UTC, datetime, timedelta

import pytest
import pytest_asyncio
from hypothesis import example, given, settings
from hypothesis import strategies as st

from graph import search as searching
from graph.bootstrap import Graph
from graph.database import Transaction
from graph.errors import DatabaseTimeout, Refused
from graph.migrations import migrate, migrations
from graph.queries import Query
from graph.readers import Reader
from graph.rules.searching import search_terms
from graph.search import SearchFilter, own_entries, search, search_total
from tests.crowd import Ticking, bulk
from tests.integration.test_retention import _Kept
from tests.support import Agents, message

WORDS = Query(
    "test/words", "MATCH (m:Message) RETURN m.id AS id, m.readers AS readers, m.moments AS moments ORDER BY id"
)
STRIP = Query("test/strip", "MATCH (m:Message) REMOVE m.readers, m.moments RETURN count(*) AS stripped")
FORGET = Query("test/forget", "MATCH (s:SchemaMigration {version: 4}) DELETE s")


async def found(
    graph: Graph, reader: Reader | str, query: str, chosen: SearchFilter | None = None, *, first: int = 100
) -> list[str]:
    """Return the ids of everything that is found, page by page, and check the total against it."""
    caller = Reader.alone(reader) if isinstance(reader, str) else reader
    terms, chosen = search_terms(query, graph.limits), chosen or SearchFilter()
    ids: list[str] = []
    page = await search(graph.database, caller, terms, chosen, first, None)
    ids += [card.id for card in page.items]
    while page.has_next:
        page = await search(graph.database, caller, terms, chosen, first, page.end)
        ids += [card.id for card in page.items]
    total = await search_total(graph.database, caller, terms, chosen)
    assert (total.count, total.capped) == (len(ids), False)
    return ids


async def test_everybody_finds_what_he_may_see(graph: Graph, agents: Agents) -> None:
    """The sender, To, Cc and a broadcast's audience; not a stranger, and not who came later."""
    ada, bea, cy, eve = await agents("ada", "bea", "cy", "eve")
    direct = await agents.send(ada, bea, subject="Zirconium", cc=(cy,))
    note = await agents.send(ada, ada, subject="A note", body_text="More zirconium.")
    everyone = await agents.send(bea, "@all", body_text="ZIRCONIUM for all")
    (late,) = await agents("late")
    assert await found(graph, ada, "zirconium") == [everyone, note, direct]
    assert await found(graph, bea, "zirconium") == [everyone, direct]
    assert await found(graph, cy, "zirconium") == [everyone, direct]
    assert await found(graph, eve, "zirconium") == [everyone]
    assert await found(graph, late, "zirconium") == []
    # A mailbox that is open to a reader, of a role or by a grant, is as good as his own.
    assert await found(graph, Reader(late, (late, ada)), "zirconium") == [everyone, note]


async def test_a_reader_of_thousands_of_mailboxes_searches_them_all(graph: Graph, agents: Agents) -> None:
    ada, bea, cy = await agents("ada", "bea", "cy")
    sent = await agents.send(ada, bea, subject="Beryllium")
    many = tuple(f"role:crew-{number}" for number in range(3_000))
    assert await found(graph, Reader(cy, (cy, *many, bea)), "beryllium") == [sent]
    assert await found(graph, Reader(cy, (cy, *many)), "beryllium") == []


async def test_every_word_must_be_there_in_subject_or_body(graph: Graph, agents: Agents) -> None:
    ada, bea = await agents("ada", "bea")
    first = await agents.send(ada, bea, subject="Tide tables", body_text="High water at six, foo-bar.")
    second = await agents.send(ada, bea, subject="The tide", body_text="Six feet of water, and high. 潮汐表")
    assert await found(graph, bea, "TIDE water") == [second, first]
    assert await found(graph, bea, "tables six") == [first]
    assert await found(graph, bea, '"high water"') == [first]
    assert await found(graph, bea, "foo-bar") == [first]
    assert await found(graph, bea, "潮汐") == [second]
    assert await found(graph, bea, "the of") == [second], "there are no stop words"
    assert await found(graph, bea, "tide - water") == [second, first], "what is no word is left out"
    for nothing in ("tid", "tables feet", "", " ", "---", '"..." !', "-tide -water nix"):
        assert await found(graph, bea, nothing) == [], nothing


async def test_filters(graph: Graph, agents: Agents) -> None:
    ada, bea, cy = await agents("ada", "bea", "cy")
    question = await agents.send(ada, bea, cy, subject="Cobalt", tags=("plan", "log"))
    answer = await agents.reply(bea, question, body_text="Cobalt, yes.", tags=("log",))
    other = await agents.send(cy, bea, subject="Cobalt")
    await agents.read(bea, question)
    thread = (await agents.entries(bea))[-1].message.thread
    times = {
        card.id: card.created_at
        for card in (await search(graph.database, Reader.alone(bea), ("cobalt",), SearchFilter(), 10, None)).items
    }

    async def chosen(reader: str, **said: object) -> list[str]:
        return await found(graph, reader, "cobalt", SearchFilter(**said))  # type: ignore[arg-type]

    assert await chosen(bea, sender=ada) == [question]
    assert await chosen(bea, sender=bea) == [answer]
    assert await chosen(bea, tags=("log",)) == [answer, question]
    assert await chosen(bea, tags=("log", "plan")) == [question]
    assert await chosen(bea, thread=thread) == [answer, question]
    assert await chosen(bea, unread=True) == [other]
    assert await chosen(bea, unread=False) == [question], "what one sent is neither read nor unread"
    assert await chosen(ada, unread=True) == [answer]
    assert await chosen(bea, since=times[answer]) == [other, answer]
    assert await chosen(bea, until=times[answer]) == [answer, question]
    assert await chosen(bea, since=times[answer], until=times[answer], tags=("log",)) == [answer]
    assert await chosen(bea, since=times[other] + timedelta(milliseconds=1)) == []
    assert await chosen(bea, until=datetime(9999, 12, 31, 23, 59, 59, 999999, UTC)) == [other, answer, question]
    assert await chosen(bea, since=datetime(1, 1, 1, tzinfo=UTC)) == [other, answer, question]
    assert await chosen(bea, until=datetime(1, 1, 1, tzinfo=UTC)) == []


async def test_pages_are_whole_in_order_and_stay_while_mail_arrives(
    graph: Graph, agents: Agents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows of every width, down to a millisecond that holds more than fits, give the same pages (LESSONS 8)."""
    ada, bea, eve = await agents("ada", "bea", "eve")
    clock = Ticking(graph.clock.now() - timedelta(days=900))
    written: list[str] = []
    for pause in (timedelta(0), timedelta(milliseconds=40), timedelta(hours=7), timedelta(days=400)):
        clock._last += pause
        for to in (bea, eve):
            sent = await bulk(graph, clock, ada, [message(to, subject="Nickel")] * 8)
            written += [one.id for one in sent if to == bea]
    still = Frozen(graph.clock.now() - timedelta(hours=1))
    written += [one.id for one in await bulk(graph, still, ada, [message(bea, subject="Nickel")] * 16)]
    expected = sorted(written, reverse=True)
    assert await found(graph, bea, "nickel") == expected
    monkeypatch.setattr(searching, "PLAIN_HITS", 11)
    monkeypatch.setattr(searching, "FILTERED_HITS", 11)
    assert await found(graph, bea, "nickel", first=9) == expected
    assert await found(graph, bea, "nickel", SearchFilter(unread=True), first=9) == expected
    reader = Reader.alone(bea)
    page = await search(graph.database, reader, ("nickel",), SearchFilter(), 10, None)
    await agents.send(ada, bea, subject="Nickel")
    after = await search(graph.database, reader, ("nickel",), SearchFilter(), 10, page.end)
    assert [card.id for card in (*page.items, *after.items)] == expected[:20]


class Frozen:
    """A clock that stands still."""

    def __init__(self, present: datetime) -> None:
        self._present = present

    def now(self) -> datetime:
        """Return the one moment it knows."""
        return self._present


async def test_a_filter_that_finds_little_is_a_short_page_that_goes_on(
    graph: Graph, agents: Agents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN §5: a page scans a bounded number of hits and then says that there may be more."""
    ada, bea = await agents("ada", "bea")
    rare = await agents.send(ada, bea, subject="Vanadium", tags=("rare",))
    await bulk(graph, Ticking(graph.clock.now() + timedelta(hours=1)), ada, [message(bea, subject="Vanadium")] * 120)
    monkeypatch.setattr(searching, "FILTERED_HITS", 20)
    monkeypatch.setattr(searching, "SCAN_MOST", 40)
    reader, chosen = Reader.alone(bea), SearchFilter(tags=("rare",))
    page = await search(graph.database, reader, ("vanadium",), chosen, 5, None)
    assert (page.items, page.has_next) == ((), True)
    assert await found(graph, bea, "vanadium", chosen) == [rare]


async def test_a_search_waits_for_the_index_with_an_end(
    graph: Graph, agents: Agents, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bea = await agents("ada", "bea")
    sent = await agents.send(ada, bea, subject="Xenon")
    with monkeypatch.context() as patch:
        patch.setattr(searching, "ANSWER_SECONDS", 0)
        with pytest.raises(DatabaseTimeout):
            await found(graph, bea, "xenon")
    assert await found(graph, bea, "xenon") == [sent]


async def test_writers_do_not_keep_a_search_from_ending(graph: Graph, agents: Agents) -> None:
    """Each search waits for what was committed before it, not for what comes meanwhile, and finds all of the former."""
    bea, *senders = await agents("bea", *(f"sender{number}" for number in range(8)))
    acknowledged: list[str] = []
    over = asyncio.Event()

    async def send(sender: str) -> None:
        while not over.is_set():
            acknowledged.append(await agents.send(sender, bea, subject="Radon"))

    async with asyncio.TaskGroup() as group:
        for sender in senders:
            group.create_task(send(sender))
        for _ in range(20):
            # A page reads 5,000 hits at most, and a fast machine writes more than that meanwhile.
            before = set(acknowledged[-500:])
            page = await search(graph.database, Reader.alone(bea), ("radon",), SearchFilter(), 10_000, None)
            assert before <= {card.id for card in page.items}
        over.set()


async def test_mail_of_the_future_and_of_long_ago_is_found_in_its_place(graph: Graph, agents: Agents) -> None:
    ada, bea = await agents("ada", "bea")
    dates = [datetime(year, 6, 1, tzinfo=UTC) for year in (1965, 1971, 2004, 2090, 2500)]
    ids = [(await bulk(graph, Frozen(date), ada, [message(bea, subject="Argon")]))[0].id for date in dates]
    ids.insert(3, await agents.send(ada, bea, subject="Argon"))
    assert await found(graph, bea, "argon", first=1) == ids[::-1]
    assert await found(graph, bea, "argon", SearchFilter(until=datetime(2000, 1, 1, tzinfo=UTC))) == ids[1::-1]
    assert await found(graph, bea, "argon", SearchFilter(until=datetime(1966, 1, 1, tzinfo=UTC))) == ids[:1]
    assert await found(graph, bea, "argon", SearchFilter(since=datetime(2100, 1, 1, tzinfo=UTC))) == ids[-1:]


async def test_own_entries_are_of_the_one_mailbox(graph: Graph, agents: Agents) -> None:
    ada, bea = await agents("ada", "bea")
    sent = await agents.send(ada, bea)
    assert list(await own_entries(graph.database, bea, [sent])) == [sent]
    assert await own_entries(graph.database, ada, [sent]) == {}


HOSTILE = (
    "readers:*",
    'readers:/.*/ subject:"x"',
    ") OR readers:[* TO *] (",
    '" OR readers:d* OR "',
    '\\" OR readers:d* OR \\"',
    "cadmium AND NOT cadmium",
    "* ? ~ ^ && || ! ( ) { } [ ] : / \\ +- NOT",
    "*:* _exists_:readers TO",
    '"unbalanced',
    "潮汐 🌊 ½ \u202e ́",
)


@pytest_asyncio.fixture(scope="module")
async def asker(graph: Graph, agents: Agents) -> str:
    """Return somebody who may see one message of two."""
    ada, bea, eve = await agents("ada", "bea", "eve")
    await agents.send(ada, bea, subject="Cadmium", body_text=" ".join(HOSTILE))
    await agents.send(ada, eve, subject="Not for you", body_text=" ".join(HOSTILE))
    return bea


@settings(max_examples=100)
@given(query=st.text(max_size=40) | st.lists(st.sampled_from([*HOSTILE, "cadmium", '"', "\\", "*"])).map(" ".join))
@example(query='"\\')
@example(query="cadmium\\")
async def test_whatever_is_asked_finds_nothing_outside_the_rights(graph: Graph, asker: str, query: str) -> None:
    try:
        terms = search_terms(query, graph.limits)
    except Refused:
        return
    page = await search(graph.database, Reader.alone(asker), terms, SearchFilter(), 100, None)
    assert [card.subject for card in page.items] in (["Cadmium"], [])
    # A text in which the index finds no word finds nothing.
    if not any(character.isalnum() for character in query):
        words = {character for character in query if unicodedata.category(character) in ("So", "Nl", "Lo")}
        assert words or page.items == ()


async def test_mail_from_before_search_is_found_after_the_schema_change(graph: Graph, agents: Agents) -> None:
    """The words beside the text that the schema change computes are those that the write path writes."""
    ada, bea, cy = await agents("ada", "bea.b_c-d", "cy")
    await agents.send(ada, bea, cy, "@all", subject="Osmium")
    before = await graph.database.fetch(WORDS)

    async def strip(tx: Transaction) -> None:
        await tx.run(STRIP)
        await tx.run(FORGET)

    await graph.database.write(strip)
    assert await found(graph, bea, "osmium") == []
    assert len(before) > 1
    assert await migrate(graph.database, graph.clock) == [4]
    assert await graph.database.fetch(WORDS) == before
    assert len(await found(graph, bea, "osmium")) == 1


def test_the_schema_change_goes_through_messages_in_batches() -> None:
    (change,) = [migration for migration in migrations() if migration.version == 4]
    assert ["$after" in statement.text for statement in change.statements] == [False, True]


async def test_what_retention_took_out_of_a_mailbox_is_not_found_there(graph: Graph, agents: Agents) -> None:
    """The words that say whose mail it is follow the entries, so that no page and no total counts what is gone."""
    ada, bea, cy = await agents("ada", "bea", "cy")
    ids = [await agents.send(ada, bea, cy, subject="Francium") for _ in range(3)]
    await _Kept(graph, 1).run(bea)
    assert await found(graph, bea, "francium") == ids[2:]
    assert await found(graph, cy, "francium") == ids[::-1]
    total = await search_total(graph.database, Reader.alone(bea), ("francium",), SearchFilter())
    assert (total.count, total.capped) == (1, False)
