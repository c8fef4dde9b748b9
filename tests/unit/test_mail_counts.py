"""The importer's threads, counted beside an independent count from the files (issue 5, the corpus)."""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import example, given
from hypothesis import strategies as st

from seed.mail import MailRecord, ParsedMail, Plan, PlannedMail, parse_mail, plan_threads, survey
from tests.archives import PEOPLE, Letter, drawn, write_maildir, write_mbox, write_tree
from tests.mailcount import Count, count

DOMAIN = "lamp.example"
NUMBERS = st.integers(0, 9)
LETTERS = st.lists(
    st.builds(
        Letter,
        id=st.integers(0, 7),
        answers=st.none() | NUMBERS,
        references=st.lists(NUMBERS, max_size=3).map(tuple),
        minute=st.integers(0, 9),
        sender=st.sampled_from(PEOPLE),
    ),
    max_size=14,
)


def planned(path: Path) -> Count:
    """Return what the importer's plan of an archive comes to."""
    skipped: list[str] = []
    mails = [parse_mail(raw.name, raw.content) for raw in survey(path).mails(lambda name, _: skipped.append(name))]
    assert skipped == []
    plan = _plan(mails)
    levels: dict[str, int] = {}
    for row in plan.mails:
        levels[row.record.message_id] = _level(row, levels)
    threads = Counter(mail.group for mail in plan.mails)
    wrote = Counter(mails[mail.record.position].sender_address or "" for mail in plan.mails)
    return Count(
        mails=len(plan.mails),
        repeated=len(plan.duplicates),
        threads=len(threads),
        alone=sum(size == 1 for size in threads.values()),
        missing_parents=len({mail.missing_parent for mail in plan.mails if mail.parent is None} - {None}),
        deepest=max(levels.values(), default=0),
        largest=max(threads.values(), default=0),
        top=tuple(sorted(wrote.items(), key=lambda item: (-item[1], item[0]))[:10]),
    )


# Its References name the mail it answers twice, before and after what that one answers.
NAMED_TWICE = [Letter(0, None, (), 0, "ada"), Letter(1, None, (0,), 1, "bea"), Letter(2, None, (1, 0, 1), 2, "cy")]


@given(LETTERS)
@example(NAMED_TWICE)
def test_whatever_an_archive_holds_both_count_the_same(letters: list[Letter]) -> None:
    with TemporaryDirectory() as folder:
        path = write_tree(Path(folder, "tree"), letters, DOMAIN)
        assert planned(path) == count(path)


def test_large_archives_of_every_form_count_the_same(tmp_path: Path) -> None:
    for seed in range(6):
        letters = drawn(seed, 300)
        forms = [
            write_tree(tmp_path / f"tree{seed}", letters, DOMAIN),
            write_mbox(tmp_path / f"{seed}.mbox", letters, DOMAIN),
            write_maildir(tmp_path / f"Maildir{seed}", letters, DOMAIN),
        ]
        counts = [count(path) for path in forms]
        assert [planned(path) for path in forms] == counts
        assert counts[0] == counts[1]
        # The archives have in them what they are for.
        assert (counts[0].mails, counts[0].repeated, counts[0].missing_parents) == (300, 37, 3)
        assert _plan([parse_mail("", letter.written(DOMAIN)) for letter in letters]).broken_cycles


def _plan(mails: list[ParsedMail]) -> Plan:
    return plan_threads([MailRecord.of(mail, position) for position, mail in enumerate(mails)], {})


def _level(mail: PlannedMail, levels: dict[str, int]) -> int:
    if mail.parent is not None:
        return levels[mail.parent] + 1
    return 1 if mail.missing_parent is None else 2
