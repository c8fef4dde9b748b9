"""An import's report as people see it."""

import pytest

from cli.importing import show
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


def test_a_clean_import_has_no_second_table(capsys: pytest.CaptureFixture[str]) -> None:
    show(ImportReport(read=1, added=1, threads_new=1).as_dict(), "@archive")
    assert "oddity" not in capsys.readouterr().out


def test_no_mail_says_what_to_give_instead(capsys: pytest.CaptureFixture[str]) -> None:
    show(ImportReport().as_dict(), "@archive")
    assert "give an mbox file" in capsys.readouterr().err
