"""What an import of lines did, in numbers, and what was wrong by line."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from graph.errors import Refused

PROBLEMS_KEPT = 50


class Problem(NamedTuple):
    """Why a line was not imported."""

    line: int
    field: str | None
    message: str


@dataclass(slots=True)
class LinesReport:
    """Counts of one import: a line that was read is added, already present, repeated in the file, or has a problem."""

    read: int = 0
    added: int = 0
    already_present: int = 0
    repeated: int = 0
    entries: int = 0
    threads_new: int = 0
    identities_created: int = 0
    missing_parents: int = 0
    """Messages that answer one which is not here; its place is a gap until it comes."""
    problems: int = 0
    first_problems: list[Problem] = field(default_factory=list)
    ignored_fields: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def wrong(self, line: int, refused: Refused) -> None:
        """Count a line that cannot be imported."""
        self.problems += 1
        if len(self.first_problems) < PROBLEMS_KEPT:
            self.first_problems.append(Problem(line, refused.field, refused.message))

    def as_dict(self) -> dict[str, object]:
        """Return the report as plain data for ``--json``."""
        return {
            "read": self.read,
            "added": self.added,
            "alreadyPresent": self.already_present,
            "repeated": self.repeated,
            "entries": self.entries,
            "threadsNew": self.threads_new,
            "identitiesCreated": self.identities_created,
            "missingParents": self.missing_parents,
            "problems": {"count": self.problems, "first": [problem._asdict() for problem in self.first_problems]},
            "ignoredFields": dict(self.ignored_fields.most_common(PROBLEMS_KEPT)),
            "seconds": round(self.seconds, 3),
        }
