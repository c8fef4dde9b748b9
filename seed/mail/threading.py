"""The steps that turn mail records into a plan. Pure; see ``seed.mail.planning`` for the words."""

import heapq
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from seed.mail.planning import Duplicate, KnownMail, Link, MailRecord, Plan, PlannedMail, ThreadGroup
from seed.mail.problems import DateSource

_NEVER = datetime.max.replace(tzinfo=UTC)
_Parent = tuple[str | None, Link | None, str | None]
_ROOT: _Parent = (None, None, None)


def plan_threads(
    records: Iterable[MailRecord],
    known: Mapping[str, KnownMail],
    *,
    awaited: Mapping[str, str] | None = None,
    by_subject: bool = False,
) -> Plan:
    """Return where each mail goes.

    ``known`` holds the mails of earlier imports by Message-ID; ``awaited`` the ids that earlier mails answer but that
    were not here yet, each with the thread that waits for it. With ``by_subject`` a reply that names no mail it answers
    is put under one of these mails by its subject. The same input gives the same plan.
    """
    fresh, present, duplicates = _sorted_out(records, known)
    parents = {record.message_id: _parent_of(record, fresh, known) for record in fresh.values()}
    if by_subject:
        _answer_by_subject(fresh, present, parents)
    broken = _break_cycles(fresh, parents)
    ordered = _in_order(fresh, parents, known)
    families = _Families()
    for record in (*present, *fresh.values()):
        for ancestor in record.ancestors:
            families.join(record.message_id, ancestor)
    threads = {message: mail.thread_id for message, mail in known.items()}
    groups = _groups(ordered, parents, families, {**(awaited or {}), **threads}, threads)
    mails = tuple(
        PlannedMail(record, *parents[record.message_id], groups[record.message_id], date, source)
        for record, date, source in ordered
    )
    changed = tuple(record for record in present if known[record.message_id].digest not in (None, record.digest))
    return Plan(mails, present, changed, duplicates, broken)


def _sorted_out(
    records: Iterable[MailRecord], known: Mapping[str, KnownMail]
) -> tuple[dict[str, MailRecord], tuple[MailRecord, ...], tuple[Duplicate, ...]]:
    first: dict[str, MailRecord] = {}
    duplicates: list[Duplicate] = []
    for record in sorted(records, key=lambda record: record.position):
        kept = first.setdefault(record.message_id, record)
        if kept is not record:
            duplicates.append(Duplicate(record, kept, conflicting=record.digest != kept.digest))
    present = tuple(record for message, record in first.items() if message in known)
    fresh = {message: record for message, record in first.items() if message not in known}
    return fresh, present, tuple(duplicates)


def _parent_of(record: MailRecord, fresh: Mapping[str, MailRecord], known: Mapping[str, KnownMail]) -> _Parent:
    ancestors = list(record.ancestors)
    if not ancestors:
        return _ROOT
    here = next((found for found in ancestors if found in fresh or found in known), None)
    if here is None:
        return None, None, ancestors[0]
    if here == record.in_reply_to:
        return here, Link.IN_REPLY_TO, None
    if record.references and here == record.references[-1]:
        return here, Link.REFERENCES, None
    return here, Link.ANCESTOR, ancestors[0]


def _answer_by_subject(
    fresh: Mapping[str, MailRecord], present: Iterable[MailRecord], parents: dict[str, _Parent]
) -> None:
    """Give a parent to each reply that names none: by its subject, the newest start of that topic before it.

    A start is a mail whose subject is no reply's. Without one, the oldest reply of the topic that names no parent
    stands for it.
    """
    starts: dict[str, list[MailRecord]] = {}
    bare: dict[str, list[MailRecord]] = {}
    for record in (*present, *fresh.values()):
        if not record.topic:
            continue
        if not record.is_reply:
            starts.setdefault(record.topic, []).append(record)
        elif next(record.ancestors, None) is None:
            bare.setdefault(record.topic, []).append(record)
    for topic, replies in bare.items():
        before = sorted(starts.get(topic, ()), key=_age)
        ages = [_age(start) for start in before]
        eldest = min(replies, key=_age)
        for record in replies:
            earlier = bisect_left(ages, _age(record))
            above = before[earlier - 1] if earlier else eldest
            if above is not record and record.message_id in fresh:
                parents[record.message_id] = (above.message_id, Link.SUBJECT, None)


def _break_cycles(fresh: Mapping[str, MailRecord], parents: dict[str, _Parent]) -> tuple[MailRecord, ...]:
    """Make one mail of every cycle a root, and return those that were.

    It is one that answers by nothing but its subject where there is such a one, for which it is no fault; else the
    oldest.
    """
    broken: list[MailRecord] = []
    settled: set[str] = set()
    for start in fresh:
        path: list[str] = []
        on_path: set[str] = set()
        message: str | None = start
        while message is not None and message in fresh and message not in settled:
            if message in on_path:
                circle = path[path.index(message) :]
                guessed = [found for found in circle if parents[found][1] is Link.SUBJECT]
                oldest = min((fresh[found] for found in guessed or circle), key=_age)
                parents[oldest.message_id] = _ROOT
                if not guessed:
                    broken.append(oldest)
                break
            path.append(message)
            on_path.add(message)
            message = parents[message][0]
        settled.update(path)
    return tuple(broken)


def _age(record: MailRecord) -> tuple[datetime, str]:
    # Not the position: which mail becomes the root must not depend on how the files are named.
    return record.date or _NEVER, record.message_id


def _in_order(
    fresh: Mapping[str, MailRecord], parents: Mapping[str, _Parent], known: Mapping[str, KnownMail]
) -> list[tuple[MailRecord, datetime | None, DateSource]]:
    """Return the mails parents first, else by date, each with the date it gets and where that is from."""
    answers: dict[str, list[str]] = {}
    dates: dict[str, tuple[datetime | None, DateSource]] = {}
    waiting: list[tuple[datetime, int, str]] = []

    def ready(record: MailRecord, parent_date: datetime | None) -> None:
        dates[record.message_id] = _date_of(record, parent_date)
        heapq.heappush(waiting, (dates[record.message_id][0] or _NEVER, record.position, record.message_id))

    for message, record in fresh.items():
        parent = parents[message][0]
        if parent is not None and parent in fresh:
            answers.setdefault(parent, []).append(message)
        else:
            ready(record, known[parent].date if parent is not None else None)
    ordered: list[tuple[MailRecord, datetime | None, DateSource]] = []
    while waiting:
        message = heapq.heappop(waiting)[2]
        ordered.append((fresh[message], *dates[message]))
        for answer in answers.get(message, ()):
            ready(fresh[answer], dates[message][0])
    return ordered


def _date_of(record: MailRecord, parent_date: datetime | None) -> tuple[datetime | None, DateSource]:
    if record.date is not None and record.date_source is not None:
        return record.date, record.date_source
    if parent_date is not None:
        return parent_date, DateSource.PARENT
    return None, DateSource.IMPORT_TIME


class _Families:
    """Which ids belong together: a union of sets, smaller under larger, paths halved."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}
        self._size: dict[str, int] = {}

    def of(self, message: str) -> str:
        above = self._above
        above.setdefault(message, message)
        while above[message] != message:
            above[message] = above[above[message]]
            message = above[message]
        return message

    def join(self, one: str, other: str) -> None:
        large, small = self.of(one), self.of(other)
        if large == small:
            return
        if self._size.get(large, 1) < self._size.get(small, 1):
            large, small = small, large
        self._above[small] = large
        self._size[large] = self._size.get(large, 1) + self._size.get(small, 1)


def _groups(
    ordered: list[tuple[MailRecord, datetime | None, DateSource]],
    parents: Mapping[str, _Parent],
    families: _Families,
    claimed: Mapping[str, str],
    threads: Mapping[str, str],
) -> dict[str, ThreadGroup]:
    """Return each mail's thread. An answer is always in its parent's; a root in that of its family.

    A family that touches several existing threads takes the one whose id sorts first, the oldest.
    """
    of_family: dict[str, ThreadGroup] = {}
    for message, thread in claimed.items():
        family = families.of(message)
        if family not in of_family or thread < (of_family[family].existing or ""):
            of_family[family] = ThreadGroup(thread, thread)
    groups: dict[str, ThreadGroup] = {}
    for record, _, _ in ordered:
        message = record.message_id
        parent = parents[message][0]
        if parent is None:
            groups[message] = of_family.setdefault(families.of(message), ThreadGroup(None, message))
        elif parent in groups:
            groups[message] = groups[parent]
        else:
            groups[message] = ThreadGroup(threads[parent], threads[parent])
    return groups
