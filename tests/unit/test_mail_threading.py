from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from seed.mail import (
    DateSource,
    ImportReport,
    KnownMail,
    Link,
    MailRecord,
    Plan,
    PlannedMail,
    Problem,
    ThreadGroup,
    mentioned_ids,
    parse_mail,
    plan_threads,
)

START = datetime(2002, 9, 1, tzinfo=UTC)


def record(
    position: int,
    message_id: str,
    answers: str | None = None,
    references: tuple[str, ...] = (),
    *,
    day: int | None = 0,
    digest: str = "",
) -> MailRecord:
    date = None if day is None else START + timedelta(days=day)
    source = None if day is None else DateSource.HEADER
    return MailRecord(position, f"{position}.eml", message_id, answers, references, date, source, digest or message_id)


def by_id(plan: Plan) -> dict[str, PlannedMail]:
    return {mail.record.message_id: mail for mail in plan.mails}


def test_answers_come_after_what_they_answer_and_else_by_date() -> None:
    plan = plan_threads(
        [record(0, "c", "b", day=1), record(1, "x", day=2), record(2, "b", "a", day=0), record(3, "a", day=3)], {}
    )
    assert [mail.record.message_id for mail in plan.mails] == ["x", "a", "b", "c"]
    mails = by_id(plan)
    assert (mails["c"].parent, mails["c"].link) == ("b", Link.IN_REPLY_TO)
    assert mails["a"].group == mails["b"].group == mails["c"].group == ThreadGroup(None, "a")
    assert mails["x"].group == ThreadGroup(None, "x")


def test_the_parent_is_the_nearest_mail_that_is_here() -> None:
    mails = by_id(
        plan_threads(
            [
                record(0, "a"),
                record(1, "b", None, ("a",)),
                record(2, "c", "gone", ("a", "b")),
                record(3, "d", "gone", ("a", "gone")),
                record(4, "e", "gone", ()),
                record(5, "f", None, ("lost", "gone")),
                record(6, "g", None, ("elsewhere",)),
            ],
            {},
        )
    )
    placed = {name: (mail.parent, mail.link, mail.missing_parent) for name, mail in mails.items()}
    assert placed == {
        "a": (None, None, None),
        "b": ("a", Link.REFERENCES, None),
        "c": ("b", Link.REFERENCES, None),
        "d": ("a", Link.ANCESTOR, "gone"),
        "e": (None, None, "gone"),
        "f": (None, None, "gone"),
        "g": (None, None, "elsewhere"),
    }
    # One mail that is not here holds the thread together all the same.
    assert {mails[name].group for name in "abcdef"} == {ThreadGroup(None, "a")}
    assert mails["g"].group == ThreadGroup(None, "g")


def test_the_first_of_two_equal_ids_is_kept_and_a_different_one_is_a_conflict() -> None:
    plan = plan_threads([record(0, "a"), record(1, "a"), record(2, "a", digest="other")], {})
    assert [mail.record.position for mail in plan.mails] == [0]
    assert [(found.record.position, found.kept.position, found.conflicting) for found in plan.duplicates] == [
        (1, 0, False),
        (2, 0, True),
    ]


def test_the_oldest_of_a_cycle_becomes_the_root() -> None:
    plan = plan_threads(
        [record(0, "a", "c", day=2), record(1, "b", "a", day=1), record(2, "c", "b", day=3), record(3, "d", "d")], {}
    )
    assert [found.message_id for found in plan.broken_cycles] == ["b"]
    mails = by_id(plan)
    assert [mails[name].parent for name in "abcd"] == ["c", None, "b", None]
    assert mails["a"].group == mails["b"].group == mails["c"].group


def test_a_missing_date_is_that_of_the_parent_or_of_the_import() -> None:
    records = [
        record(0, "a", day=4),
        record(1, "b", "a", day=None),
        record(2, "c", day=None),
        record(3, "d", "k", day=None),
    ]
    mails = by_id(plan_threads(records, {"k": KnownMail("thr_1", START)}))
    assert (mails["b"].date, mails["b"].date_source) == (START + timedelta(days=4), DateSource.PARENT)
    assert (mails["c"].date, mails["c"].date_source) == (None, DateSource.IMPORT_TIME)
    assert (mails["d"].date, mails["d"].date_source) == (START, DateSource.PARENT)


def test_a_second_import_adds_nothing_and_later_mail_joins_its_thread() -> None:
    first = [record(0, "a"), record(1, "b", "a")]
    known = {"a": KnownMail("thr_1", START), "b": KnownMail("thr_1", START)}
    again = plan_threads(first, known)
    assert again.mails == ()
    assert [found.message_id for found in again.already_present] == ["a", "b"]
    later = plan_threads([record(0, "c", "b"), record(1, "late"), record(2, "z")], known, awaited={"late": "thr_2"})
    mails = by_id(later)
    assert mails["c"].parent == "b"
    assert mails["c"].group == ThreadGroup("thr_1", "thr_1")
    # An earlier mail answers this one, so its thread is where it belongs.
    assert (mails["late"].parent, mails["late"].group) == (None, ThreadGroup("thr_2", "thr_2"))
    assert mails["z"].group == ThreadGroup(None, "z")


def test_a_family_of_two_known_threads_takes_the_older_and_answers_stay_with_their_parent() -> None:
    known = {"a": KnownMail("thr_1"), "b": KnownMail("thr_2")}
    records = [record(0, "c", "a", ("gone",)), record(1, "d", "b", ("gone",)), record(2, "e", "gone")]
    mails = by_id(plan_threads(records, known))
    assert [mails[name].group.existing for name in "cde"] == ["thr_1", "thr_2", "thr_1"]


def test_what_the_store_must_be_asked() -> None:
    assert mentioned_ids([record(0, "a", "b", ("c", "a"))]) == {"a", "b", "c"}


def test_a_chain_of_a_hundred_thousand_and_a_ring() -> None:
    size = 100_000
    chain = [record(n, str(n), str(n - 1) if n else None) for n in range(size)]
    plan = plan_threads(reversed(chain), {})
    assert [mail.record.position for mail in plan.mails] == list(range(size))
    assert {mail.group for mail in plan.mails} == {ThreadGroup(None, "0")}
    ring = [record(n, str(n), str((n + 1) % size)) for n in range(size)]
    assert len(plan_threads(ring, {}).broken_cycles) == 1


IDS = st.integers(min_value=0, max_value=9).map(str)
RECORDS = st.lists(
    st.tuples(IDS, st.none() | IDS, st.lists(IDS, max_size=3).map(tuple), st.none() | st.integers(0, 5)), max_size=15
)


@given(RECORDS, st.sets(IDS, max_size=3))
def test_every_plan_is_writable_in_its_order(
    rows: list[tuple[str, str | None, tuple[str, ...], int | None]], old: set[str]
) -> None:
    known = {message: KnownMail(f"thr_{message}") for message in old}
    records = [record(n, own, answers, refs, day=day) for n, (own, answers, refs, day) in enumerate(rows)]
    plan = plan_threads(records, known)
    assert plan == plan_threads(list(reversed(records)), known)
    here = set(old)
    groups: dict[str, ThreadGroup] = {}
    for mail in plan.mails:
        message = mail.record.message_id
        assert message not in here
        if mail.parent is not None:
            assert mail.parent in here
            expected = groups.get(mail.parent, ThreadGroup(f"thr_{mail.parent}", f"thr_{mail.parent}"))
            assert mail.group == expected
        here.add(message)
        groups[message] = mail.group
    assert here == old | {found.message_id for found in records}
    assert len(plan.mails) + len(plan.already_present) + len(plan.duplicates) == len(records)


def test_the_report_counts_and_names() -> None:
    report = ImportReport()
    raws = {
        "a.eml": b"From: a@example.org\nMessage-ID: <a@x>\nDate: Thu, 1 Jan 2004 00:00:00 +0000\n\nx",
        "b.eml": b"From: a@example.org\nMessage-ID: <b@x>\nIn-Reply-To: <a@x>\n\nx",
        "c.eml": b"From: a@example.org\nMessage-ID: <b@x>\n\nother",
        "d.eml": b"From: a@example.org\nMessage-ID: <d@x>\nIn-Reply-To: <gone@x>\nDate: never\n\nx",
    }
    records = []
    for position, (name, raw) in enumerate(raws.items()):
        parsed = parse_mail(name, raw)
        report.saw(parsed)
        records.append(MailRecord.of(parsed, position))
    report.skip("e.eml", "Permission denied")
    plan = plan_threads(records, {})
    report.planned(plan)
    report.wrote(plan.mails)
    report.threads_new += 2
    assert report.replies_with_parent == 1
    assert report.as_dict() == {
        "read": 4,
        "readEarlier": 0,
        "added": 3,
        "addedRead": 0,
        "alreadyPresent": 0,
        "changed": {"count": 0, "names": []},
        "leftOut": {},
        "skipped": {"count": 1, "names": ["e.eml: Permission denied"]},
        "duplicates": {"count": 0, "names": []},
        "conflictingDuplicates": {"count": 1, "names": ["c.eml (kept: b.eml)"]},
        "problems": {
            "MISSING_DATE": {"count": 2, "names": ["b.eml", "c.eml"]},
            "BAD_DATE": {"count": 1, "names": ["d.eml"]},
        },
        "dates": {
            "HEADER": {"count": 1, "names": []},
            "PARENT": {"count": 1, "names": ["b.eml"]},
            "IMPORT_TIME": {"count": 1, "names": ["d.eml"]},
        },
        "repliesWithParent": 1,
        "repliesByLink": {"IN_REPLY_TO": 1},
        "missingParents": {"count": 1, "names": ["d.eml"]},
        "arrivedParents": 0,
        "forked": 0,
        "cycles": {"count": 0, "names": []},
        "threads": {"new": 2, "joined": 0},
        "seconds": 0.0,
    }


def test_a_report_keeps_only_the_first_names() -> None:
    report = ImportReport()
    for number in range(100):
        report.saw(parse_mail(f"{number}.eml", b""))
    assert report.problems[Problem.NO_TEXT].count == 100
    assert len(report.problems[Problem.NO_TEXT].names) == 20


def by_topic(
    position: int, message_id: str, *, reply: bool = True, answers: str | None = None, day: int = 0
) -> MailRecord:
    return replace(record(position, message_id, answers, day=day), topic="oil", is_reply=reply)


def test_a_reply_that_names_no_mail_is_put_under_one_by_its_subject_only_where_that_is_asked_for() -> None:
    records = [
        by_topic(0, "start", reply=False),
        by_topic(1, "b", day=1),
        by_topic(2, "again", reply=False, day=2),
        by_topic(3, "c", day=3),
        by_topic(4, "early", day=-1),
        # These say what they answer, or are about nothing, or of another topic.
        by_topic(5, "d", answers="b", day=4),
        by_topic(6, "e", answers="gone", day=4),
        replace(by_topic(7, "f", day=4), topic=""),
        replace(by_topic(8, "g", day=4), topic="wicks"),
    ]
    mails = by_id(plan_threads(records, {}, by_subject=True))
    assert {name: mail.parent for name, mail in mails.items()} == {
        "start": None,
        "b": "start",
        "again": None,
        "c": "again",
        "early": None,
        "d": "b",
        "e": None,
        "f": None,
        "g": None,
    }
    assert (mails["b"].link, mails["d"].link) == (Link.SUBJECT, Link.IN_REPLY_TO)
    assert mails["d"].group == mails["start"].group == ThreadGroup(None, "start")
    off = by_id(plan_threads(records, {}))
    assert {name: mail.parent for name, mail in off.items() if mail.parent} == {"d": "b"}


def test_replies_without_a_start_hang_under_the_oldest_of_them() -> None:
    records = [by_topic(0, "c", day=3), by_topic(1, "b", day=1), by_topic(2, "a", day=2)]
    mails = by_id(plan_threads(records, {}, by_subject=True))
    assert {name: mail.parent for name, mail in mails.items()} == {"a": "b", "b": None, "c": "b"}


def test_a_subject_joins_what_is_here_already_and_gives_way_in_a_circle() -> None:
    known = {"start": KnownMail("thr_1", START)}
    later = plan_threads([by_topic(0, "start", reply=False), by_topic(1, "b", day=1)], known, by_subject=True)
    assert by_id(later)["b"].group == ThreadGroup("thr_1", "thr_1")
    odd = plan_threads([by_topic(0, "s", reply=False, answers="r"), by_topic(1, "r", day=1)], {}, by_subject=True)
    assert {name: mail.parent for name, mail in by_id(odd).items()} == {"s": "r", "r": None}
    assert odd.broken_cycles == ()


def test_what_is_here_with_other_content_is_told() -> None:
    known = {"a": KnownMail("thr_1", START, "a"), "b": KnownMail("thr_1", START, "other"), "c": KnownMail("thr_1")}
    plan = plan_threads([record(0, "a"), record(1, "b"), record(2, "c")], known)
    assert [found.message_id for found in plan.changed] == ["b"]
    assert len(plan.already_present) == 3
