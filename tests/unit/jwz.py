"""JWZ's threading as its author describes it, plainly: the other opinion that ours is compared with.

Written from the steps of the published description ("message threading", steps 1 to 4 and 7; subjects, steps 5 and 6,
are not looked at). A message refers to at most one other here, which is both its References and its In-Reply-To.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class Mail:
    """A mail: its id, its date and the id that it refers to."""

    id: str
    date: datetime
    refers_to: str | None


@dataclass
class Container:
    """A place in the tree, empty where the mail of that id never came."""

    id: str
    mail: Mail | None = None
    parent: "Container | None" = None
    children: list["Container"] = field(default_factory=list)

    @property
    def date(self) -> datetime:
        """The mail's date; of an empty container that of its first child, by date."""
        return self.mail.date if self.mail else min(child.date for child in self.children)

    def holds(self, other: "Container") -> bool:
        """Tell whether the other is this one or below it."""
        here: Container | None = other
        while here is not None and here is not self:
            here = here.parent
        return here is self


def thread(mails: Iterable[Mail]) -> list[tuple[int, str | None]]:
    """Return depth and id of each row, parents first, siblings by date; None is the id of an empty container."""
    table: dict[str, Container] = {}
    for mail in mails:
        # 1: a container for each mail and for what it refers to, linked unless that makes a loop.
        own = table.setdefault(mail.id, Container(mail.id))
        own.mail = mail
        if mail.refers_to is not None:
            above = table.setdefault(mail.refers_to, Container(mail.refers_to))
            if not own.holds(above):
                own.parent = above
                above.children.append(own)
    # 2: the root set.
    roots = [one for one in table.values() if one.parent is None]
    # 4: empty containers go. Here none has a parent, since nobody knows what a mail refers to that never came.
    pruned: list[Container] = []
    for root in roots:
        pruned += root.children if root.mail is None and len(root.children) == 1 else [root]
    # 7: siblings by date.
    rows: list[tuple[int, str | None]] = []
    stack = [(0, one) for one in _latest_first(pruned)]
    while stack:
        depth, one = stack.pop()
        rows.append((depth, one.mail.id if one.mail else None))
        stack.extend((depth + 1, child) for child in _latest_first(one.children))
    return rows


def _latest_first(siblings: Sequence[Container]) -> list[Container]:
    return sorted(siblings, key=lambda one: one.date, reverse=True)
