"""``heliograph cypher``: where the query and its parameters come from, and how rows are printed (issue 5)."""

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from cli import cypher
from cli.client import Remote
from cli.main import run

ROWS = [["@ada", 2, None], ["@bea, B", {"$type": "Date", "value": "2026-01-01"}, {"$type": "Node", "labels": ["X"]}]]
COLUMNS = ["who", "n", "x"]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, Any]]:
    """Answer like a server with two rows; return what was asked."""
    seen: list[Mapping[str, Any]] = []

    def ask(remote: Remote, query: str, variables: Mapping[str, Any]) -> Mapping[str, Any]:
        seen.append(variables)
        cut = variables["query"].startswith("CUT")
        found = {"columns": COLUMNS, "rows": ROWS, "rowCount": 2, "byteCount": 40}
        return {"cypher": {**found, "truncated": cut, "truncatedBy": "ROWS" if cut else None}}

    monkeypatch.setattr(cypher, "ask", ask)
    return seen


def test_parameters_are_json_or_text(asked: list[Any]) -> None:
    said = ["-p", "who=@ada", "-p", "n=3", "-p", 'l=["a", 1]', "-p", "text=a=b", "-p", 'quoted="3"', "-p", "empty="]
    assert run(["cypher", "RETURN $who", *said]) == 0
    assert asked == [
        {
            "query": "RETURN $who",
            "parameters": {"who": "@ada", "n": 3, "l": ["a", 1], "text": "a=b", "quoted": "3", "empty": ""},
        }
    ]


@pytest.mark.parametrize("wrong", ["who", "=3"])
def test_a_parameter_without_name_or_value_is_explained(
    asked: list[Any], wrong: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["cypher", "RETURN 1", "-p", wrong]) == 1
    assert "is not name=value" in capsys.readouterr().err
    assert asked == []


def test_the_query_comes_from_a_file_or_from_standard_input(
    asked: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "q.cypher"
    file.write_text("// mine\nRETURN 1", encoding="utf-8")
    assert run(["cypher", "-f", str(file)]) == 0
    for arguments in ([], ["-"]):
        monkeypatch.setattr("sys.stdin", io.StringIO("RETURN 2"))
        assert run(["cypher", *arguments]) == 0
    assert [one["query"] for one in asked] == ["// mine\nRETURN 1", "RETURN 2", "RETURN 2"]
    assert run(["cypher", "RETURN 3", "-f", str(file)]) == 1
    assert run(["cypher", "-f", str(tmp_path / "none")]) == 1


def test_rows_are_printed_for_people_for_programs_and_for_sheets(
    asked: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["cypher", "RETURN 1"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "who\tn\tx",
        "@ada\t2\t",
        '@bea, B\t2026-01-01\t{"$type": "Node", "labels": ["X"]}',
    ]
    assert run(["cypher", "RETURN 1", "--csv"]) == 0
    assert (
        capsys.readouterr().out.splitlines()[2] == '"@bea, B",2026-01-01,"{""$type"": ""Node"", ""labels"": [""X""]}"'
    )
    assert run(["cypher", "RETURN 1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == ROWS
    assert run(["cypher", "RETURN 1", "--json", "--csv"]) == 1


def test_an_answer_that_was_cut_says_so(asked: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["cypher", "CUT"]) == 0
    assert "limit of rows, 2 rows" in capsys.readouterr().err
