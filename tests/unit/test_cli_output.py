"""What is printed: plain and unfolded in a pipe, and never what would steer a terminal."""

import io
import json
import sys
import threading

import pytest
from rich.console import Console

from cli import progress
from cli.output import fail, print_fields, print_json, print_lines, print_table, safe
from cli.progress import Steps


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_table_in_a_pipe_is_lines_of_cells(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("id", "subject"), [("1", "[bold]tide[/]\n" * 60), ("2", "ebb")], title="Mail")
    header, first, second = capsys.readouterr().out.splitlines()
    assert header == "id\tsubject"
    assert first == "1\t" + "[bold]tide[/]\N{REPLACEMENT CHARACTER}" * 60
    assert second == "2\tebb"


def test_a_table_at_a_terminal_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", terminal := Terminal())
    print_table(("id", "subject"), [("1", "[bold]tide[/]")], title="Mail")
    assert "[bold]tide[/]" in terminal.getvalue()
    assert "┃" in terminal.getvalue()


def test_long_lines_are_not_folded(capsys: pytest.CaptureFixture[str]) -> None:
    print_lines("curl " + "x" * 500)
    print_fields([("url", "y" * 500)], title="Server")
    fail("z" * 300 + "\nand more")
    said = capsys.readouterr()
    assert said.out.splitlines() == ["curl " + "x" * 500, "Server", "  url  " + "y" * 500]
    assert said.err == f"error: {'z' * 300} and more\n"


def test_no_control_character_reaches_a_terminal() -> None:
    assert safe("a\x1b]0;title\x07b\nc\u202ed").plain == "a\ufffd]0;title\ufffdb\nc\ufffdd"


def test_json_is_for_every_program(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"subject": "Grüße", "count": None})
    assert json.loads(capsys.readouterr().out) == {"subject": "Grüße", "count": None}


def test_steps_in_a_pipe_are_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    with Steps("Opening Neo4j") as steps:
        steps.advance()
        steps.start(231, "Fetching Neo4j 2026.09.0")
        steps.advance(231)
        steps.done()
        steps.done()
    assert capsys.readouterr().err == "Fetching Neo4j 2026.09.0 (231) …\n"


def advance(steps: Steps, times: int) -> None:
    for _ in range(times):
        steps.advance()


def test_steps_at_a_terminal_count_from_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(file=io.StringIO(), force_terminal=True)
    monkeypatch.setattr(progress, "remarks", lambda: console)
    with Steps("Opening Neo4j") as steps:
        steps.start(800, "Fetching")
        threads = [threading.Thread(target=advance, args=(steps, 100)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        counted = steps._bars.tasks[-1].completed
        steps.done()
    assert counted == 800
