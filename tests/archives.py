"""Archives of made-up mails for tests: with missing parents, duplicates, circles, and whatever else seeds bring."""

import mailbox
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

START = datetime(2003, 4, 5, 6, 7, 8, tzinfo=UTC)
PEOPLE = ("ada", "bea", "cy", "dot")


@dataclass(frozen=True)
class Letter:
    """A mail of an archive by numbers: whom it answers, and what its References name, the farthest first."""

    id: int
    answers: int | None
    references: tuple[int, ...]
    minute: int
    sender: str
    text: str = "The lamp needs oil."

    def written(self, domain: str, subject: str = "") -> bytes:
        """Return it as it is in a file. Ids and senders are of a domain, so that archives do not meet."""
        lines = [
            f"From: {self.sender.title()} <{self.sender}@{domain}>",
            f"Message-ID: <{self.id}@{domain}>",
            f"Date: {START + timedelta(minutes=self.minute):%a, %d %b %Y %H:%M:%S} +0000",
            f"Subject: {subject or f'Letter {self.id}'}",
        ]
        if self.answers is not None:
            lines.append(f"In-Reply-To: <{self.answers}@{domain}>")
        if self.references:
            lines.append("References: " + "\n ".join(f"<{id_}@{domain}>" for id_ in self.references))
        return "\n".join([*lines, "", self.text, ""]).encode()


def drawn(seed: int, size: int = 40) -> list[Letter]:
    """Return letters that descend from each other; some answer what is not there, some come twice, some go round."""
    chance = random.Random(seed)  # noqa: S311 - a repeatable choice, not a secret
    lines: dict[int, tuple[int, ...]] = {}
    letters: list[Letter] = []
    for number in range(size):
        # Numbers from 1000 on are of mails that nobody has.
        parent = chance.choice([None, *range(max(0, number - 8), number), *range(1000, 1003)])
        line = () if parent is None else (*lines.get(parent, ()), parent)[-chance.randint(1, 5) :]
        lines[number] = line
        answers = parent if chance.random() < 0.8 else None
        references = line if answers is None or chance.random() < 0.7 else ()
        if chance.random() < 0.1:
            # It says that it answers a later one, which may answer it in turn.
            answers = chance.randrange(size)
        letters.append(Letter(number, answers, references, chance.randint(0, 5000), chance.choice(PEOPLE)))
    for one, other in ((0, 1), (1, 0)):
        letters[one] = replace(letters[one], answers=other, references=())
    letters += [
        letter if chance.random() < 0.5 else Letter(letter.id, None, (), 9, "eve", "Something else.")
        for letter in chance.sample(letters[2:], size // 8)
    ]
    chance.shuffle(letters)
    return letters


def write_tree(folder: Path, letters: Sequence[Letter], domain: str) -> Path:
    """Write letters as files of a tree, in their order."""
    folder.mkdir(parents=True)
    for number, letter in enumerate(letters):
        (folder / f"{number:05}.eml").write_bytes(letter.written(domain))
    return folder


def write_mbox(path: Path, letters: Sequence[Letter], domain: str) -> Path:
    """Write letters into an mbox."""
    box = mailbox.mbox(path)
    for letter in letters:
        box.add(letter.written(domain))
    box.close()
    return path


def write_maildir(folder: Path, letters: Sequence[Letter], domain: str) -> Path:
    """Write letters into a Maildir, by turns as new and as seen ones."""
    for name in ("cur", "new", "tmp"):
        (folder / name).mkdir(parents=True)
    for number, letter in enumerate(letters):
        place = f"new/{number:05}.host" if number % 2 else f"cur/{number:05}.host:2,S"
        (folder / place).write_bytes(letter.written(domain))
    return folder
