"""Rebuilding a thread: causal order with depth, gaps kept in place, from whichever member one starts.

Rows come parents before children, siblings by time and then id. A member that the reader may not see, and a parent that
never arrived, are one and the same kind of placeholder, and only where something visible hangs below it: a gap shows
its place and nothing else (DESIGN §3.10).

Messages that answer each other in a circle, which only a damaged archive could bring, are all there too: the oldest of
the circle answers nothing then.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Member:
    """A message of a thread without its text. ``missing`` is the outside id of a parent that never arrived.

    ``sender`` is known of a visible one; ``asks`` when that expects a reply and was not retracted.
    """

    id: str
    created_at: datetime
    parent: str | None
    visible: bool
    missing: str | None = None
    sender: str | None = None
    asks: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """One row of a rebuilt thread.

    ``message`` and ``parent`` are ids, None where hidden. ``anchor`` is the next visible message at or below this row,
    and ``above`` how many levels below this row it sits: together they name the row without naming what is hidden.
    """

    depth: int
    message: str | None
    parent: str | None
    anchor: str
    above: int

    @property
    def hidden(self) -> bool:
        """Whether this row is a gap."""
        return self.message is None


def rebuild(members: Sequence[Member]) -> list[Place]:
    """Return the rows of a thread in causal order; none when nothing is visible. It never recurses, however deep."""
    known = {member.id: member for member in members}
    eldest = _eldest_of_circles(known)
    children: dict[str | None, list[str]] = defaultdict(list)
    gaps: dict[str, datetime] = {}
    for member in members:
        if member.id in eldest:
            children[None].append(member.id)
        elif member.parent in known:
            children[member.parent].append(member.id)
        elif member.missing is not None:
            gap = _gap(member.missing)
            children[gap].append(member.id)
            gaps[gap] = min(gaps.get(gap, member.created_at), member.created_at)
        else:
            children[None].append(member.id)
    children[None].extend(gaps)
    times = {member.id: member.created_at for member in members} | gaps
    for siblings in children.values():
        siblings.sort(key=lambda id_: (times[id_], id_))
    visible = {member.id for member in members if member.visible}
    return _anchored(_walk(children, visible), visible)


def after(places: Sequence[Place], anchor: str, above: int) -> int | None:
    """Return the index of the row after the one that an earlier page ended with, or None when that row is gone."""
    for index, place in enumerate(places):
        if place.message == anchor:
            row = index
            for _ in range(above):
                row = _parent_row(places, row)
                if row < 0:
                    return None
            return row + 1
    return None


def _eldest_of_circles(known: Mapping[str, Member]) -> set[str]:
    """Return the oldest member of each circle; no other member of it needs to lose what it answers."""
    eldest: set[str] = set()
    settled: set[str] = set()
    for start in known:
        path: dict[str, int] = {}
        here: str | None = start
        while here is not None and here in known and here not in settled and here not in path:
            path[here] = len(path)
            here = known[here].parent
        if here in path:
            circle = [known[id_] for id_ in path if path[id_] >= path[here]]
            eldest.add(min(circle, key=lambda member: (member.created_at, member.id)).id)
        settled |= path.keys()
    return eldest


def _gap(missing: str) -> str:
    # No id of ours begins with a space, so a gap never meets a member.
    return f" {missing}"


def _walk(children: dict[str | None, list[str]], visible: set[str]) -> list[tuple[str, int, str | None]]:
    """Return (id, depth, parent) in order, without hidden branches in which nothing is visible."""
    order: list[tuple[str, int, str | None]] = []
    stack: list[tuple[str, int, str | None]] = [(id_, 0, None) for id_ in reversed(children[None])]
    while stack:
        id_, depth, parent = stack.pop()
        order.append((id_, depth, parent))
        stack.extend((child, depth + 1, id_) for child in reversed(children.get(id_, ())))
    wanted: set[str] = set()
    for id_, _, parent in reversed(order):
        if id_ in visible or id_ in wanted:
            wanted.add(id_)
            if parent is not None:
                wanted.add(parent)
    return [row for row in order if row[0] in wanted]


def _anchored(rows: list[tuple[str, int, str | None]], visible: set[str]) -> list[Place]:
    places: list[Place] = []
    anchor, anchor_depth = "", 0
    for id_, depth, parent in reversed(rows):
        shown = id_ in visible
        if shown:
            anchor, anchor_depth = id_, depth
        places.append(
            Place(
                depth=depth,
                message=id_ if shown else None,
                parent=parent if parent in visible else None,
                anchor=anchor,
                above=anchor_depth - depth,
            )
        )
    places.reverse()
    return places


def _parent_row(places: Sequence[Place], row: int) -> int:
    depth = places[row].depth
    while row >= 0 and places[row].depth >= depth:
        row -= 1
    return row
