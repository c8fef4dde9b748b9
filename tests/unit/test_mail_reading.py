import io
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.errors import RefusalCode, Refused
from seed.mail import LeftOut, MailSource, RawMail, reading, survey
from seed.mail.mbox import spans, unquoted

MBOX = (
    b"From a@example.org Thu Sep 12 13:39:47 2002\nSubject: one\n\nFrom here on it is text.\n\n"
    b"From now on too.\n>From was quoted\n\n"
    b"From - no date\nSubject: two\n\nbody\n\n"
    b"From b@example.org Thu Sep 12 13:39:48 2002\nSubject: three\n\nend\n"
)


def read(source: MailSource) -> list[RawMail]:
    skipped: list[str] = []
    mails = list(source.mails(lambda name, reason: skipped.append(f"{name}: {reason}")))
    assert skipped == []
    for mail in mails:
        assert source.load(mail.place) == mail.content
    assert sum(mail.size for mail in mails) == source.total_bytes
    return mails


def test_an_mbox_is_split_where_mails_begin(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    path.write_bytes(MBOX)
    source = survey(path)
    assert source.mail_count is None
    mails = read(source)
    assert [mail.name for mail in mails] == ["archive#1", "archive#2", "archive#3"]
    assert mails[0].content.endswith(b"From now on too.\nFrom was quoted\n")
    assert mails[1].content == b"From - no date\nSubject: two\n\nbody\n"


def test_an_empty_mbox_has_no_mails(tmp_path: Path) -> None:
    path = tmp_path / "empty.mbox"
    path.touch()
    assert read(survey(path)) == []


def test_a_single_mail_is_a_source(tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_bytes(b"Subject: x\n\nFrom here\n")
    source = survey(path)
    assert source.mail_count == 1
    assert [mail.content for mail in read(source)] == [b"Subject: x\n\nFrom here\n"]


def test_a_tree_gives_its_eml_files_in_order_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / ".hidden").mkdir()
    for name in ("b.eml", "a.EML", "sub/c.eml", "notes.txt", ".d.eml", ".hidden/e.eml"):
        (tmp_path / name).write_bytes(b"Subject: x\n\n")
    (tmp_path / "link.eml").symlink_to(tmp_path / "b.eml")
    source = survey(tmp_path)
    assert [mail.name for mail in read(source)] == ["a.EML", "b.eml", "sub/c.eml"]
    assert source.mail_count == 3


def test_a_tree_without_eml_gives_every_regular_file(tmp_path: Path) -> None:
    (tmp_path / "00001.7c53").write_bytes(b"From x\nSubject: x\n\n")
    (tmp_path / "00002.9a4b").write_bytes(b"Subject: y\n\n")
    assert [mail.name for mail in read(survey(tmp_path))] == ["00001.7c53", "00002.9a4b"]


def test_a_maildir_gives_what_was_delivered(tmp_path: Path) -> None:
    for folder in ("cur", "new", "tmp"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "1.host").write_bytes(b"Subject: x\n\n")
    (tmp_path / "index").write_bytes(b"\x00")
    assert [mail.name for mail in read(survey(tmp_path))] == ["cur/1.host", "new/1.host"]


def maildir(folder: Path, **mails: str) -> None:
    """Make a Maildir with mails of these names; the keyword says in which of its folders."""
    for name in ("cur", "new", "tmp"):
        (folder / name).mkdir(parents=True)
    for place, names in mails.items():
        for name in names.split():
            (folder / place / name).write_bytes(b"Subject: x\n\n")


def test_a_maildir_tells_what_was_read_and_what_its_owner_threw_away(tmp_path: Path) -> None:
    maildir(tmp_path, new="1.host", cur="2.host:2, 3.host:2,FRS 4.host:2,ST 5.host:2,DS 6.host")
    source = survey(tmp_path)
    assert {file.name: file.seen for file in source.files} == {
        "cur/2.host:2,": False,
        "cur/3.host:2,FRS": True,
        "cur/6.host": False,
        "new/1.host": False,
    }
    assert source.left_out == ((LeftOut.DRAFT, "cur/5.host:2,DS"), (LeftOut.TRASHED, "cur/4.host:2,ST"))
    everything = survey(tmp_path, everything=True)
    assert (len(everything.files), everything.left_out) == (6, ())


def test_the_folders_of_a_maildir_are_part_of_it_but_for_what_was_thrown_away(tmp_path: Path) -> None:
    """Maildir++ (``.Sent``), and the layout with plain folders; what lies beside the mails is none."""
    maildir(tmp_path, cur="1.host:2,S")
    for name in (".Sent", ".Work.2003", ".Trash", ".Work.Drafts", ".Junk", "Lists/Lamp", "Trash", "Trash/Old"):
        maildir(tmp_path / name, new="2.host")
    (tmp_path / ".hidden").mkdir()
    for name in (".hidden/3.eml", "dovecot-uidlist", "Lists/subscriptions", "cur/.nfs1", ".Sent/maildirfolder"):
        (tmp_path / name).write_bytes(b"Subject: y\n\n")
    source = survey(tmp_path)
    assert [mail.name for mail in read(source)] == [
        ".Sent/new/2.host",
        ".Work.2003/new/2.host",
        "Lists/Lamp/new/2.host",
        "cur/1.host:2,S",
    ]
    assert source.left_out == (
        (LeftOut.DRAFT, ".Work.Drafts/new/2.host"),
        (LeftOut.JUNK, ".Junk/new/2.host"),
        (LeftOut.TRASHED, ".Trash/new/2.host"),
        (LeftOut.TRASHED, "Trash/Old/new/2.host"),
        (LeftOut.TRASHED, "Trash/new/2.host"),
    )
    # A folder that is named itself is wanted.
    assert len(survey(tmp_path / ".Trash").files) == 1


def test_a_mail_that_its_owner_looks_at_meanwhile_is_found_by_its_new_name(tmp_path: Path) -> None:
    maildir(tmp_path, new="1.host 2.host", cur="3.host:2,")
    source = survey(tmp_path)
    (tmp_path / "new" / "1.host").rename(tmp_path / "cur" / "1.host:2,S")
    (tmp_path / "cur" / "3.host:2,").rename(tmp_path / "cur" / "3.host:2,RS")
    assert [mail.name for mail in read(source)] == ["cur/3.host:2,", "new/1.host", "new/2.host"]
    (tmp_path / "new" / "2.host").unlink()
    skipped: list[str] = []
    assert len(list(source.mails(lambda name, reason: skipped.append(f"{name}: {reason}")))) == 2
    assert skipped == ["new/2.host: No such file or directory"]


def test_a_maildir_beside_other_mail_is_taken_with_it(tmp_path: Path) -> None:
    maildir(tmp_path / "box", cur="1.host:2,S old.mbox")
    for name in ("a.eml", "notes.txt"):
        (tmp_path / name).write_bytes(b"Subject: y\n\n")
    assert [mail.name for mail in read(survey(tmp_path))] == ["a.eml", "box/cur/1.host:2,S", "box/cur/old.mbox"]
    (tmp_path / "a.eml").unlink()
    assert [mail.name for mail in read(survey(tmp_path))] == ["box/cur/1.host:2,S", "box/cur/old.mbox"]


def test_an_mbox_is_read_on_from_where_one_of_its_mails_begins(tmp_path: Path) -> None:
    path = tmp_path / "archive"
    path.write_bytes(MBOX)
    source = survey(path)
    mails = read(source)
    for number, mail in enumerate(mails[1:], start=2):
        assert mail.place.span is not None
        assert list(source.of_file(0, mail.place.span.offset, number)) == mails[number - 1 :]


@pytest.mark.parametrize("name", ["missing", "nul\x00", "lone\udcff", "file/below", "picture.png"])
def test_a_path_that_is_no_mail_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_bytes(b"Subject: x\n\n")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    with pytest.raises(Refused) as refused:
        survey(tmp_path / name)
    assert refused.value.refusal is RefusalCode.INVALID_INPUT
    assert refused.value.field == "path"
    assert "folder of mails" in refused.value.message
    refused.value.message.encode("utf-8")


def test_a_pipe_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Refused, match="neither a file nor a folder"):
        survey(tmp_path / "pipe")


def test_a_mail_that_went_away_or_is_too_long_is_skipped_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAIL_BYTES_LIMIT", 30)
    for name in ("a.eml", "b.eml", "c.eml"):
        (tmp_path / name).write_bytes(b"Subject: x\n\n")
    (tmp_path / "d.eml").write_bytes(b"Subject: x\n\n" + b"y" * 30)
    source = survey(tmp_path)
    (tmp_path / "b.eml").unlink()
    skipped: list[str] = []
    mails = list(source.mails(lambda name, reason: skipped.append(f"{name}: {reason}")))
    assert [mail.name for mail in mails] == ["a.eml", "c.eml"]
    assert skipped == ["b.eml: No such file or directory", "d.eml: is longer than 30 bytes"]
    (tmp_path / "c.eml").unlink()
    with pytest.raises(Refused, match="changed while it was imported"):
        source.load(mails[1].place)


@given(
    st.lists(st.sampled_from([b"From a 10:00 2002\n", b"From me\n", b"\n", b"A: b\n", b"text", b"\r\n", b">From x\n"]))
)
def test_the_spans_are_the_whole_file(lines: list[bytes]) -> None:
    content = b"".join(lines)
    found = list(spans(io.BytesIO(content)))
    assert sum(span.length for span in found) == len(content)
    assert all(span.length > 0 for span in found)
    at = 0
    for span in found:
        assert span.offset == at
        at += span.length


@pytest.mark.parametrize(
    ("stored", "original"),
    [(b">From a\n>>From b\n> From c\n\n", b"From a\n>From b\n> From c\n"), (b"x\r\n\r\n", b"x\r\n"), (b"x", b"x")],
)
def test_quoting_is_undone(stored: bytes, original: bytes) -> None:
    assert unquoted(stored) == original
