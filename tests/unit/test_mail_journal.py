"""What an interrupted import had read is not read again, and never believed where it may be wrong (issue 5)."""

import os
from pathlib import Path

import pytest

from graph.errors import Refused
from seed.mail import ImportReport, ParsedMail, ParseLimits, Problem, collecting, parse_mail, survey
from seed.mail.collecting import Collection
from seed.mail.journal import opened_journal
from tests.archives import Letter, drawn, write_mbox, write_tree

DOMAIN = "lamp.example"
LIMITS = ParseLimits()


class Reads:
    """Reads archives, some mails at a time, and knows which mails it parsed."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home = folder / "home"
        self.parsed: list[str] = []
        monkeypatch.setattr(collecting, "READ_AT_ONCE", 7)
        monkeypatch.setattr(collecting, "parse_mail", self._parse)

    def _parse(self, name: str, raw: bytes, *, limits: ParseLimits) -> ParsedMail:
        self.parsed.append(name)
        return parse_mail(name, raw, limits=limits)

    def some(self, path: Path, times: int = 10_000, limits: ParseLimits = LIMITS) -> Collection:
        """Read so many times some mails, as far as there are any, and leave the journal there."""
        self.parsed.clear()
        source = survey(path)
        with opened_journal(self.home, source, limits) as journal:
            collection = Collection(source, journal, limits, ImportReport())
            for _ in range(times):
                if not collection.read_some():
                    break
        return collection

    @property
    def journal(self) -> Path:
        (found,) = self.home.iterdir()
        return found


@pytest.fixture
def reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reads:
    return Reads(tmp_path, monkeypatch)


@pytest.mark.parametrize("form", ["tree", "mbox"])
def test_reading_goes_on_where_it_ended_and_comes_to_the_same(reads: Reads, tmp_path: Path, form: str) -> None:
    path = (write_tree if form == "tree" else write_mbox)(tmp_path / form, drawn(1), DOMAIN)
    reads.some(path, 3)
    first = list(reads.parsed)
    assert len(first) == 21
    again = reads.some(path)
    assert len(reads.parsed) == 45 - 21
    assert not set(first) & set(reads.parsed)
    assert (again.report.read, again.report.read_earlier) == (45, 21)
    reads.journal.unlink()
    whole = reads.some(path)
    assert (again.records, again.places, again.senders) == (whole.records, whole.places, whole.senders)
    assert [again.mail(record) for record in again.records] == [whole.mail(record) for record in whole.records]
    assert again.report.as_dict() == {**whole.report.as_dict(), "readEarlier": 21}
    reads.some(path)
    assert reads.parsed == []


def test_a_line_that_was_torn_is_read_again(reads: Reads, tmp_path: Path) -> None:
    path = write_mbox(tmp_path / "mbox", drawn(2), DOMAIN)
    reads.some(path, 2)
    content = reads.journal.read_bytes()
    for torn in (content[:-1], content[:-40], content[:10], content + b"\0" * 30, b""):
        reads.journal.write_bytes(torn)
        assert reads.some(path).report.read == 45
        # The first line is about the journal itself.
        assert len(reads.parsed) == 45 - max(0, torn.count(b"\n") - 1)


def test_a_file_that_changed_meanwhile_is_read_again(reads: Reads, tmp_path: Path) -> None:
    path = write_tree(tmp_path / "tree", drawn(3), DOMAIN)
    reads.some(path)
    (path / "00003.eml").write_bytes(Letter(900, None, (), 0, "ada", "Longer than before it was.").written(DOMAIN))
    (path / "00004.eml").unlink()
    (path / "00004a.eml").write_bytes(Letter(901, None, (), 0, "ada").written(DOMAIN))
    again = reads.some(path)
    assert reads.parsed == ["00003.eml", "00004a.eml"]
    assert [record.message_id for record in again.records][3:5] == [f"900@{DOMAIN}", f"901@{DOMAIN}"]
    reads.some(path)
    assert reads.parsed == []


def test_an_mbox_that_grew_is_read_again(reads: Reads, tmp_path: Path) -> None:
    path = write_mbox(tmp_path / "mbox", drawn(4)[:9], DOMAIN)
    reads.some(path)
    write_mbox(path, [Letter(900, None, (), 0, "ada")], DOMAIN)
    assert len(reads.some(path).records) == len(reads.parsed) == 10


def test_other_limits_read_everything_again(reads: Reads, tmp_path: Path) -> None:
    path = write_tree(tmp_path / "tree", drawn(5), DOMAIN)
    reads.some(path)
    short = reads.some(path, limits=ParseLimits(body_bytes=5))
    assert len(reads.parsed) == 45
    assert short.report.problems[Problem.TRUNCATED].count == 45


def test_what_could_not_be_read_is_told_again_and_tried_again(
    reads: Reads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("seed.mail.reading.MAIL_BYTES_LIMIT", 300)
    letters = [Letter(1, None, (), 0, "ada"), Letter(2, None, (), 0, "ada", "x" * 400), Letter(3, None, (), 0, "ada")]
    box = write_mbox(tmp_path / "mbox", letters, DOMAIN)
    told = [reads.some(box).report.as_dict() for _ in range(2)]
    assert told[1] == {**told[0], "readEarlier": 2}
    assert told[0]["skipped"] == {"count": 1, "names": ["mbox#2: is longer than 300 bytes"]}
    assert reads.parsed == []
    tree = write_tree(tmp_path / "tree", letters, DOMAIN)
    reads.journal.unlink()
    assert reads.some(tree).report.skipped.names == ["00001.eml: is longer than 300 bytes"]
    monkeypatch.setattr("seed.mail.reading.MAIL_BYTES_LIMIT", 3000)
    assert reads.some(tree).report.read == 3
    assert reads.parsed == ["00001.eml"]


def test_two_imports_at_once_do_not_write_into_one_journal(reads: Reads, tmp_path: Path) -> None:
    path = write_tree(tmp_path / "tree", drawn(6), DOMAIN)
    source = survey(path)
    with opened_journal(reads.home, source, LIMITS) as first:
        reads.some(path)
        assert len(reads.parsed) == 45
        assert len(reads.journal.read_bytes().splitlines()) == 1
        first.drop()
    assert list(reads.home.iterdir()) == []
    # Nor does an import fail where there can be no journal.
    reads.home.rmdir()
    reads.home.write_text("A file stands where the folder would be.")
    assert reads.some(path).report.read == 45


def test_a_journal_that_is_closed_takes_no_more(reads: Reads, tmp_path: Path) -> None:
    """A thread that still reads when an import was cancelled writes nowhere."""
    collection = reads.some(write_tree(tmp_path / "tree", drawn(7), DOMAIN), 1)
    before = reads.journal.read_bytes()
    assert len(collection.read_some()) == 7
    assert reads.journal.read_bytes() == before


def test_a_mail_that_is_not_what_was_noted_is_refused_and_then_read_again(
    reads: Reads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file's size and time do not tell of it."""
    monkeypatch.setattr(collecting, "KEPT_CHARACTERS", 0)
    path = write_tree(tmp_path / "tree", [Letter(number, None, (), 0, "ada") for number in range(3)], DOMAIN)
    changed = path / "00001.eml"
    reads.some(path)
    status = changed.stat()
    changed.write_bytes(changed.read_bytes().replace(b"oil", b"ink"))
    os.utime(changed, ns=(status.st_atime_ns, status.st_mtime_ns))
    source = survey(path)
    with opened_journal(reads.home, source, LIMITS) as journal:
        collection = Collection(source, journal, LIMITS, ImportReport())
        collection.read_some()
        assert reads.parsed == ["00000.eml", "00001.eml", "00002.eml"]
        with pytest.raises(Refused, match=r"path: 00001\.eml changed while it was imported"):
            collection.mail(collection.records[1])
    again = reads.some(path)
    assert "ink" in again.mail(again.records[1]).body_text
