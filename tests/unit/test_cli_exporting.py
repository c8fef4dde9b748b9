"""Exports by the command: whole files, also after they were cut off (issue 5)."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from cli import exporting
from cli.client import Remote
from cli.main import run

MESSAGES = [{"id": f"msg_{n}", "createdAt": f"2026-01-01T00:00:0{n // 2}Z", "bodyText": "\u00e9"} for n in range(7)]
LINES = [json.dumps(one, ensure_ascii=False) + "\n" for one in MESSAGES]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, Any]]:
    """Answer like a server with seven messages, two of each second, in pages of three; return what was asked."""
    seen: list[Mapping[str, Any]] = []

    def ask(remote: Remote, query: str, variables: Mapping[str, Any]) -> Mapping[str, Any]:
        seen.append(variables)
        if "conversationGraph" in query:
            return {
                "conversationGraph": {"export": "graph", "messages": 9, "capped": True, "since": "s", "truncated": True}
            }
        if "subgraph" in query:
            return {"subgraph": None if variables["seed"] == "@nobody" else {"export": "piece", "stopped": True}}
        places = [place for place, one in enumerate(MESSAGES) if one["createdAt"] >= variables["since"]]
        left = [place for place in places if variables["after"] is None or place > int(variables["after"])]
        page = left[:3]
        found = {
            "edges": [{"node": {"id": MESSAGES[place]["id"]}} for place in page],
            "pageInfo": {"hasNextPage": len(left) > 3, "endCursor": str(page[-1]) if page else None},
            "totalCount": len(places),
            "jsonLines": "".join(LINES[place] for place in page),
        }
        return {"correspondence": found} if variables["between"] else {"senderHistory": {"messages": found}}

    monkeypatch.setattr(exporting, "ask", ask)
    return seen


@pytest.mark.parametrize("whose", [[], ["--of", "@ada"], ["--between", "@ada", "--between", "@bea"]])
def test_all_messages_are_written(asked: list[Any], whose: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", "messages", *whose]) == 0
    assert capsys.readouterr().out == "".join(LINES)
    assert [one["counting"] for one in asked] == [True, False, False]


@pytest.mark.parametrize("octets", [0, 5, 71, 72, 73, 74, 200, 290, 10_000])
def test_a_file_that_was_cut_off_is_gone_on_with(asked: list[Any], octets: int, tmp_path: Path) -> None:
    """Wherever it was cut off, also within a letter, each message is there once in the end."""
    out = tmp_path / "mail.jsonl"
    whole = "".join(LINES).encode()
    out.write_bytes(whole[:octets])
    assert run(["export", "messages", "-o", str(out)]) == 0
    assert out.read_bytes() == whole
    kept = whole[:octets].count(b"\n")
    assert asked[0]["since"] == (MESSAGES[kept - 1]["createdAt"] if kept else exporting.EVER)
    assert run(["export", "messages", "-o", str(out)]) == 0
    assert out.read_bytes() == whole


@pytest.mark.parametrize("text", ["Not JSON\n", "[1]\n", '{"id": "1"}\n', '{"id": 1, "createdAt": 5}\n'])
def test_another_file_is_left_alone(asked: list[Any], text: str, tmp_path: Path) -> None:
    out = tmp_path / "notes.txt"
    out.write_text(text)
    assert run(["export", "messages", "-o", str(out)]) == 1
    assert out.read_text() == text
    assert asked == []


def test_whose_messages_is_said_once(asked: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", "messages", "--of", "@ada", "--between", "@bea"]) == 1
    assert "name one of them" in capsys.readouterr().err


def test_a_graph_says_what_it_leaves_out(asked: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "graph.dot"
    assert run(["export", "graph", "--format", "dot", "--by", "threads", "-o", str(out)]) == 0
    assert out.read_text() == "graph"
    assert (asked[0]["format"], asked[0]["by"]) == ("DOT", "THREADS")
    said = capsys.readouterr().err
    assert "newest 9 messages" in said
    assert "with most mail" in said


def test_what_the_graph_is_of_is_said(asked: list[Any]) -> None:
    words = ["--among", "@ada", "--among", "@bea", "--tag", "tide", "--thread", "thr_1"]
    assert run(["export", "graph", "--format", "json", *words]) == 0
    chosen = {"since": None, "until": None, "among": ["@ada", "@bea"], "tags": ["tide"], "thread": "thr_1"}
    assert asked[0]["filter"] == chosen
    assert run(["export", "graph", "--format", "json"]) == 0
    assert asked[1]["filter"] == dict.fromkeys(chosen)


def test_a_ticket_is_of_a_correspondence(asked: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", "messages", "--ticket", "neo#1"]) == 1
    assert "without --between" in capsys.readouterr().err
    assert run(["export", "messages", "--between", "@ada", "--between", "@bea", "--ticket", "neo#1"]) == 0
    assert asked[0]["ticket"] == "neo#1"


def test_a_piece_of_the_graph_is_written(asked: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "piece.graphml"
    words = ["--format", "graphml", "--hops", "2", "--via", "sent_by", "-o", str(out)]
    assert run(["export", "subgraph", "ticket:neo#1", *words]) == 0
    assert out.read_text() == "piece"
    assert asked[0] == {"seed": "ticket:neo#1", "hops": 2, "limit": 100, "via": ["SENT_BY"], "format": "GRAPHML"}
    assert "more around it" in capsys.readouterr().err
    assert run(["export", "subgraph", "@nobody", "--format", "dot"]) == 1
    assert "@nobody is no node" in capsys.readouterr().err
