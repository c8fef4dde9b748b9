from datetime import timedelta
from pathlib import Path

import pytest

from graph.bootstrap import Graph
from graph.errors import RefusalCode, Refused
from graph.identities import IdentityKind, NewIdentity, identity_cards, register
from graph.importing import KNOWN, WAITING, import_target, imported_senders, stored_mail
from graph.messages import bodies, message_cards
from graph.readers import Reader
from graph.rules.importing import other_handle
from graph.threads import thread_cards
from seed.mail import ImportReport, Problem
from seed.mail.importing import import_mail
from tests.letters import START, Letters, tree
from tests.support import Agents, profiled


@pytest.fixture
def letters(tmp_path: Path) -> Letters:
    return Letters(tmp_path / "mails")


async def test_mail_arrives_with_its_date_its_sender_and_its_thread(
    graph: Graph, agents: Agents, letters: Letters
) -> None:
    (ada,) = await agents("ada")
    letters.write("b@x", "a@x", sender="gull", subject="Re: Oil", day=1, text="There is some in the cellar.")
    letters.write("a@x")
    report = await import_mail(graph, letters.folder, ada)
    assert (report.read, report.added, report.replies_with_parent, report.threads_new) == (2, 2, 1, 1)

    page = await agents.inbox(ada)
    answer, question = page.page.items
    assert page.unread_count == 2
    assert [(entry.uid, entry.unread, entry.via, entry.tags) for entry in page.page.items] == [
        (2, True, "DIRECT", ()),
        (1, True, "DIRECT", ()),
    ]
    assert (question.message.subject, question.message.created_at) == ("Oil", START)
    assert answer.message.created_at == START + timedelta(days=1)
    assert question.delivered_at > answer.message.created_at
    assert {question.message.provenance, answer.message.provenance} == {"IMPORTED"}
    assert [question.message.sender, answer.message.sender] == [letters.sender("keeper"), letters.sender("gull")]
    assert question.message.id < answer.message.id < await agents.send(ada, ada)
    thread = question.message.thread
    assert answer.message.thread == thread
    assert (await thread_cards(graph.database, Reader.alone(ada), [thread]))[thread].subject == "Oil"
    assert await tree(graph, agents, ada) == {"a@x": (None, 0), "b@x": ("a@x", 1)}
    assert await bodies(graph.database, [answer.message.id]) == {answer.message.id: "There is some in the cellar."}


async def test_senders_are_people_marked_as_imported_whom_no_broadcast_reaches(
    graph: Graph, agents: Agents, letters: Letters
) -> None:
    ada, bea = await agents("ada", "bea")
    letters.write("a@x")
    await import_mail(graph, letters.folder, ada)
    keeper = letters.sender("keeper")
    card = (await identity_cards(graph.database, [keeper]))[keeper]
    assert (card.display_name, card.kind, card.status, card.imported) == ("Keeper", "HUMAN", "ACTIVE", True)
    await agents.send(ada, "@all")
    assert len(await agents.entries(bea)) == 1
    assert await agents.entries(keeper) == []


async def test_what_an_imported_sender_writes_later_is_native_and_the_imported_stays_imported(
    graph: Graph, agents: Agents, letters: Letters
) -> None:
    (ada,) = await agents("ada")
    letters.write("a@x")
    await import_mail(graph, letters.folder, ada)
    keeper = letters.sender("keeper")
    (imported,) = [entry.message for entry in await agents.entries(ada)]
    answer = await agents.reply(ada, imported.id)
    follow_up = await agents.reply(keeper, answer)
    cards = await message_cards(graph.database, Reader.alone(keeper), [imported.id, answer, follow_up])
    assert {id_: card.provenance for id_, card in cards.items()} == {
        imported.id: "IMPORTED",
        answer: "NATIVE",
        follow_up: "NATIVE",
    }
    assert [place.depth for place in await agents.thread(keeper, imported.thread)] == [0, 1, 2]


async def test_mail_from_an_address_whose_handle_is_taken_here_is_not_said_to_be_from_its_holder(
    graph: Graph, agents: Agents, letters: Letters
) -> None:
    (ada,) = await agents("ada")
    handle = letters.sender("keeper")
    await register(graph.database, graph.clock, NewIdentity(handle, "The real one"), graph.limits)
    before = await identity_cards(graph.database, [handle])
    letters.write("a@x")
    letters.write("b@x", "a@x")
    await import_mail(graph, letters.folder, ada)
    other = other_handle(handle, 1)
    assert {entry.message.sender for entry in await agents.entries(ada)} == {other}
    assert await identity_cards(graph.database, [handle]) == before
    assert (await identity_cards(graph.database, [other]))[other].display_name == "Keeper"
    # The next import finds the same stand-in.
    assert await imported_senders(graph.database, graph.clock, {handle: "Nobody"}) == {handle: other}
    assert (await identity_cards(graph.database, [other]))[other].display_name == "Keeper"


async def test_a_sender_for_whom_no_handle_is_left_is_refused(graph: Graph, letters: Letters) -> None:
    handle = letters.sender("keeper")
    for taken in (handle, *(other_handle(handle, attempt) for attempt in range(1, 5))):
        await register(graph.database, graph.clock, NewIdentity(taken), graph.limits)
    with pytest.raises(Refused, match="has no handle left") as refused:
        await imported_senders(graph.database, graph.clock, {handle: None})
    assert refused.value.refusal is RefusalCode.CONFLICT


async def test_odd_mail_is_imported_counted_and_named(graph: Graph, agents: Agents, letters: Letters) -> None:
    (ada,) = await agents("ada")
    letters.write("a@x", day=None)
    letters.write("long@x", subject="Oil " * 1000, text="oil " * 300_000)
    (letters.folder / "bare.eml").write_bytes(b"")
    began = graph.clock.now()
    report = await import_mail(graph, letters.folder, ada)
    assert report.added == report.read == 3
    assert report.problems[Problem.MISSING_DATE].names == ["a@x.eml", "bare.eml"]
    assert report.problems[Problem.TRUNCATED].names == ["long@x.eml"]
    assert report.as_dict()["seconds"] == pytest.approx(report.seconds, abs=0.001)
    cards = {entry.message.subject[:3]: entry.message for entry in await agents.entries(ada)}
    assert cards[""].sender == "@unknown-sender"
    dateless = [entry.message for entry in await agents.entries(ada) if entry.message.created_at >= began]
    assert len(dateless) == 2
    assert max(len(entry.message.subject) for entry in await agents.entries(ada)) <= graph.limits.subject_characters


async def test_ids_that_are_too_long_for_a_key_are_imported_once_as_well(
    graph: Graph, agents: Agents, letters: Letters
) -> None:
    (ada,) = await agents("ada")
    for end in "ab":
        letters.write("a@x")
        (letters.folder / "a@x.eml").rename(letters.folder / f"{end}.eml")
        text = (letters.folder / f"{end}.eml").read_text().replace("<a@x>", f"<{'a' * 400}@{end}>")
        (letters.folder / f"{end}.eml").write_text(text)
    assert (await import_mail(graph, letters.folder, ada)).added == 2
    assert (await import_mail(graph, letters.folder, ada)).added == 0


async def test_an_unknown_mailbox_is_refused_with_the_nearest_ones(
    graph: Graph, agents: Agents, letters: Letters
) -> None:
    (archive,) = await agents("archive")
    letters.write("a@x")
    with pytest.raises(Refused, match="Nobody here is known as") as refused:
        await import_mail(graph, letters.folder, f"{archive}x")
    assert (refused.value.refusal, refused.value.field) == (RefusalCode.UNKNOWN_ADDRESS, "into")
    assert archive in refused.value.candidates
    assert letters.sender("keeper") not in await identity_cards(graph.database, [letters.sender("keeper")])


@pytest.mark.parametrize("written", ["@all", "@self", "not an address"])
async def test_what_is_no_single_mailbox_is_refused(graph: Graph, written: str) -> None:
    with pytest.raises(Refused) as refused:
        await import_target(graph.database, written)
    assert (refused.value.refusal, refused.value.field) == (RefusalCode.INVALID_INPUT, "into")


async def test_an_mbox_is_imported_with_progress_by_its_bytes(
    graph: Graph, agents: Agents, letters: Letters, tmp_path: Path
) -> None:
    (ada,) = await agents("ada", kind=IdentityKind.HUMAN)
    letters.write("a@x")
    letters.write("b@x", "a@x")
    mbox = tmp_path / "lamp.mbox"
    mails = [path.read_text() for path in sorted(letters.folder.iterdir())]
    mbox.write_text("".join(f"From keeper Thu May  6 07:08:09 2004\n{mail}\n\n" for mail in mails))
    steps: list[tuple[str, int]] = []

    class Watches:
        def start(self, total: int, description: str) -> None:
            steps.append((description, total))

        def advance(self, amount: int = 1) -> None:
            steps.append(("advanced", amount))

        def done(self) -> None:
            steps.append(("done", 0))

    report: ImportReport = await import_mail(graph, mbox, ada, progress=Watches())
    assert report.added == 2
    size = mbox.stat().st_size
    assert steps == [
        ("Reading mail", size),
        ("advanced", size),
        ("done", 0),
        (f"Adding mail to {ada}", 2),
        ("advanced", 2),
        ("done", 0),
    ]


async def test_looking_up_mails_reads_no_more_than_what_was_asked_for(
    graph: Graph, agents: Agents, letters: Letters
) -> None:
    (ada,) = await agents("ada")
    for number in range(10):
        letters.write(f"{number}@x", f"gone{number}@x")
    await import_mail(graph, letters.folder, ada)
    stored = await stored_mail(graph.database, ada, ["3@x", "gone4@x", "other@x"])
    assert (list(stored.known), list(stored.awaited)) == (["3@x"], ["gone4@x"])
    for query in (KNOWN, WAITING):
        profile = await profiled(graph.database, query, {"mailbox": ada, "ids": ["other@x", "another@x"]})
        assert not [step for step in profile.steps if "Scan" in step.operator], profile
