"""An import's report as people see it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from cli import importing
from cli.importing import show
from cli.main import run
from seed.jsonl import importing as jsonl_importing
from seed.jsonl.report import LinesReport
from seed.mail import importing as mail_importing
from seed.mail.maildir import LeftOut
from seed.mail.problems import DateSource, Problem
from seed.mail.report import ImportReport


def test_figures_come_first_then_what_was_odd_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    report = ImportReport(read=3, added=2, already_present=1, threads_new=2)
    report.skip("4.eml", "permission denied")
    problem = next(iter(Problem))
    report.problems[problem].add("2.eml")
    source = next(source for source in DateSource if source is not DateSource.HEADER)
    report.dates[source].add("3.eml")
    report.dates[DateSource.HEADER].count += 1
    show(report.as_dict(), "@archive")
    title, *figures = capsys.readouterr().out.splitlines()
    assert title == "Imported into @archive"
    assert [line.split()[-1] for line in figures[:6]] == ["3", "2", "1", "0", "2", "0"]
    assert figures[7:] == [
        "oddity\tmails\tsuch as",
        "could not be read\t1\t4.eml: permission denied",
        f"date: {source.value}\t1\t3.eml",
        f"{problem.value}\t1\t2.eml",
    ]


def test_what_an_earlier_run_did_and_what_a_maildir_said_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    report = ImportReport(read=9, read_earlier=7, added=5, added_read=2, already_present=4)
    report.left_out[LeftOut.DRAFT].add("cur/1.host:2,D")
    report.changed.add("cur/2.host:2,")
    show(report.as_dict(), "@archive")
    printed = capsys.readouterr().out.splitlines()
    figures = {line[2:-1].strip(): line[-1] for line in printed if line.startswith("  ")}
    assert (figures["of them by an earlier run"], figures["of them as read"], figures["already here"]) == (
        "7",
        "2",
        "4",
    )
    assert printed[-2:] == ["left out: DRAFT\t1\tcur/1.host:2,D", "here with other content\t1\tcur/2.host:2,"]


def test_a_clean_import_has_no_second_table(capsys: pytest.CaptureFixture[str]) -> None:
    show(ImportReport(read=1, added=1, threads_new=1).as_dict(), "@archive")
    assert "oddity" not in capsys.readouterr().out


def test_no_mail_says_what_to_give_instead(capsys: pytest.CaptureFixture[str]) -> None:
    show(ImportReport().as_dict(), "@archive")
    assert "give an mbox file" in capsys.readouterr().err


@pytest.mark.parametrize("problems", [0, 2])
@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_what_was_left_out_makes_the_command_fail_after_its_report(
    problems: int,
    as_json: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    """Whoever deletes the source when the import is done must not lose what was refused (LESSONS 19)."""

    @asynccontextmanager
    async def opened(_: object) -> AsyncIterator[None]:
        yield

    async def lines(*_: object, **__: object) -> LinesReport:
        return LinesReport(read=3, added=3 - problems, problems=problems)

    async def mail(*_: object, **__: object) -> ImportReport:
        report = ImportReport(read=3, added=3)
        for number in range(problems):
            report.skip(f"{number}.eml", "permission denied")
        return report

    monkeypatch.setattr(importing, "opened", opened)
    monkeypatch.setattr(jsonl_importing, "import_lines", lines)
    monkeypatch.setattr(mail_importing, "import_mail", mail)
    home = ["--home", str(tmp_path), *as_json]
    for command in (["jsonl", "-"], ["mail", str(tmp_path), "--into", "@archive"]):
        assert run(["import", *command, *home]) == (1 if problems else 0)
        assert "read" in capsys.readouterr().out


def test_what_the_options_of_import_mail_ask_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[tuple[object, object]] = []

    @asynccontextmanager
    async def opened(_: object) -> AsyncIterator[None]:
        yield

    async def mail(*_: object, **said: object) -> ImportReport:
        asked.append((said["by_subject"], said["everything"]))
        return ImportReport()

    monkeypatch.setattr(importing, "opened", opened)
    monkeypatch.setattr(mail_importing, "import_mail", mail)
    command = ["import", "mail", str(tmp_path), "--into", "@archive", "--home", str(tmp_path)]
    for options in ([], ["--thread-by-subject"], ["--everything"]):
        assert run([*command, *options]) == 0
    assert asked == [(False, False), (True, False), (False, True)]
