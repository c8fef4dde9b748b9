import asyncio
import random
from pathlib import Path

import pytest

from graph.bootstrap import Graph
from graph.errors import RefusalCode, Refused
from graph.messages import bodies
from seed.mail import collecting
from seed.mail import importing as mail_importing
from seed.mail.importing import import_mail
from tests.letters import Letters, tree
from tests.support import Agents


@pytest.fixture
def letters(tmp_path: Path) -> Letters:
    return Letters(tmp_path / "mails")


async def test_a_second_import_adds_nothing(graph: Graph, agents: Agents, letters: Letters) -> None:
    ada, bea = await agents("ada", "bea")
    letters.write("a@x")
    letters.write("b@x", "a@x")
    letters.write("c@x", "gone@x")
    await import_mail(graph, letters.folder, ada)
    before = await agents.entries(ada)
    again = await import_mail(graph, letters.folder, ada)
    assert (again.read, again.added, again.already_present, again.threads_new) == (3, 0, 3, 0)
    assert await agents.entries(ada) == before
    # Another mailbox is another matter: it gets messages of its own.
    assert (await import_mail(graph, letters.folder, bea)).added == 3
    assert await agents.entries(ada) == before


async def test_answers_to_a_mail_that_is_not_here_share_one_gap_until_it_comes(
    graph: Graph, agents: Agents, letters: Letters
) -> None:
    (ada,) = await agents("ada")
    letters.write("b@x", "a@x", day=1)
    letters.write("c@x", "a@x", day=2)
    report = await import_mail(graph, letters.folder, ada)
    assert (report.missing_parents.count, report.threads_new) == (2, 1)
    thread = (await agents.entries(ada))[0].message.thread
    places = await agents.thread(ada, thread)
    assert [(place.depth, place.hidden, place.parent) for place in places] == [
        (0, True, None),
        (1, False, None),
        (1, False, None),
    ]

    letters.write("a@x")
    report = await import_mail(graph, letters.folder, ada)
    assert (report.added, report.already_present, report.arrived_parents) == (1, 2, 2)
    assert (report.threads_new, report.threads_joined) == (0, 1)
    assert await tree(graph, agents, ada) == {"a@x": (None, 0), "b@x": ("a@x", 1), "c@x": ("a@x", 1)}
    assert len(await agents.thread(ada, thread)) == 3


async def test_two_mails_that_answer_each_other_make_no_circle_though_one_comes_later(
    graph: Graph, agents: Agents, letters: Letters
) -> None:
    (ada,) = await agents("ada")
    letters.write("a@x", "b@x")
    await import_mail(graph, letters.folder, ada)
    letters.write("b@x", "a@x", day=1)
    await import_mail(graph, letters.folder, ada)
    assert await tree(graph, agents, ada) == {"a@x": (None, 0), "b@x": ("a@x", 1)}
    (thread,) = {entry.message.thread for entry in await agents.entries(ada)}
    assert not any(place.hidden for place in await agents.thread(ada, thread))


@pytest.mark.parametrize("seed", range(4))
async def test_an_archive_that_grows_ends_as_if_it_had_come_at_once(
    graph: Graph, agents: Agents, letters: Letters, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - a repeatable choice, not a secret
    ancestors: dict[int, tuple[int, ...]] = {}
    for number in range(20):
        parent = chance.choice([None, *range(number)])
        ancestors[number] = () if parent is None else (*ancestors[parent], parent)
    grown, at_once = await agents("grown", "once")
    order = chance.sample(range(20), 20)
    for some in (order[:6], order[6:13], order[13:]):
        for number in some:
            letters.write(f"{number}@x", *(f"{above}@x" for above in ancestors[number]), day=number)
        await import_mail(graph, letters.folder, grown)
    await import_mail(graph, letters.folder, at_once)
    expected = {f"{number}@x": (f"{above[-1]}@x" if above else None, len(above)) for number, above in ancestors.items()}
    assert await tree(graph, agents, at_once) == expected
    assert await tree(graph, agents, grown) == expected


async def test_two_imports_at_once_add_each_mail_once(
    graph: Graph, agents: Agents, letters: Letters, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_importing, "BATCH_MAILS", 3)
    (ada,) = await agents("ada")
    for number in range(20):
        letters.write(f"{number}@x", *([f"{number // 3}@x"] if number else []), sender=f"gull{number % 7}", day=number)
    reports = await asyncio.gather(*(import_mail(graph, letters.folder, ada) for _ in range(3)))
    assert sum(report.added for report in reports) == 20
    assert all(report.added + report.already_present == 20 for report in reports)
    assert sum(report.threads_new for report in reports) == 1
    page = await agents.inbox(ada)
    assert [entry.uid for entry in page.page.items] == list(range(20, 0, -1))
    assert page.unread_count == 20
    found = await tree(graph, agents, ada)
    assert {id_: parent for id_, (parent, _) in found.items()} == {
        f"{number}@x": f"{number // 3}@x" if number else None for number in range(20)
    }


class Stops:
    """Progress that ends an import after some mails were written, as a person at a terminal does."""

    def __init__(self, after: int) -> None:
        self.left = after
        self.writing = False
        self.ended = 0

    def start(self, _total: int, description: str) -> None:
        self.writing = description.startswith("Adding")

    def advance(self, amount: int = 1) -> None:
        self.left -= amount if self.writing else 0
        if self.writing and self.left <= 0:
            raise asyncio.CancelledError

    def done(self) -> None:
        self.ended += 1


async def test_an_import_that_was_ended_in_the_middle_is_completed_by_the_next(
    graph: Graph, agents: Agents, letters: Letters, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_importing, "BATCH_MAILS", 3)
    (ada,) = await agents("ada")
    for number in range(11):
        letters.write(f"{number}@x", *([f"{number - 1}@x"] if number % 4 else []), day=number)
    stops = Stops(after=6)
    with pytest.raises(asyncio.CancelledError):
        await import_mail(graph, letters.folder, ada, progress=stops)
    assert stops.ended == 2
    assert len(await agents.entries(ada)) == 6
    report = await import_mail(graph, letters.folder, ada)
    assert (report.added, report.already_present) == (5, 6)
    found = await tree(graph, agents, ada)
    assert {id_: depth for id_, (_, depth) in found.items()} == {f"{number}@x": number % 4 for number in range(11)}


class Meddles:
    """Progress during which somebody changes a mail after it was read."""

    def __init__(self, mail: Path) -> None:
        self.mail = mail

    def start(self, _total: int, _description: str) -> None:
        pass

    def advance(self, _amount: int = 1) -> None:
        self.mail.write_bytes(self.mail.read_bytes() + b" More.")

    def done(self) -> None:
        pass


async def test_mails_that_are_not_kept_in_memory_are_read_again(
    graph: Graph, agents: Agents, letters: Letters, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "KEPT_CHARACTERS", 30)
    (ada,) = await agents("ada")
    for number in range(4):
        letters.write(f"{number}@x", text=f"This is light {number}.")
    assert (await import_mail(graph, letters.folder, ada)).added == 4
    texts = await bodies(graph.database, [entry.message.id for entry in await agents.entries(ada)])
    assert sorted(texts.values()) == [f"This is light {number}." for number in range(4)]


async def test_a_mail_that_changes_while_it_is_imported_ends_the_import(
    graph: Graph, agents: Agents, letters: Letters, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "KEPT_CHARACTERS", 0)
    (ada,) = await agents("ada")
    letters.write("a@x")
    with pytest.raises(Refused, match=r"path: a@x\.eml changed while it was imported") as refused:
        await import_mail(graph, letters.folder, ada, progress=Meddles(letters.folder / "a@x.eml"))
    assert (refused.value.refusal, refused.value.field) == (RefusalCode.INVALID_INPUT, "path")
    assert await agents.entries(ada) == []
