"""What a line of a JSON Lines file may say, and what is said of one that cannot be imported."""

import contextlib
import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.importing import show_lines
from graph.errors import RefusalCode, Refused
from graph.rules.limits import MessageLimits
from seed.jsonl import lines
from seed.jsonl.importing import _parents_first
from seed.jsonl.lines import opened_lines, read_lines
from seed.jsonl.parsing import ParsedLine, parse_line
from seed.jsonl.report import LinesReport

LATEST = datetime(2026, 1, 1, tzinfo=UTC)
LINE: dict[str, Any] = {"from": "@ada", "to": ["@bea"], "createdAt": "2019-05-06T07:08:09Z"}


def parsed(**said: Any) -> ParsedLine:
    return parse_line(json.dumps(LINE | said).encode(), MessageLimits(), LATEST)


def test_the_smallest_line_says_who_wrote_to_whom_and_when() -> None:
    line = parsed()
    assert (line.sender, line.to, line.cc, line.subject, line.body_text) == ("@ada", ("@bea",), (), "", "")
    assert line.created_at == datetime(2019, 5, 6, 7, 8, 9, tzinfo=UTC)
    assert (line.tags, line.priority, line.expects_reply, line.in_reply_to, line.thread) == (
        (),
        "NORMAL",
        False,
        None,
        None,
    )
    assert line.id == f"sha256:{line.digest}"


def test_what_is_said_otherwise_is_the_same_message() -> None:
    one = parsed(id=7, to=["@bea", "@cy"], cc=["@bea"], tags=["#Tide", "lamp"], createdAt="2019-05-06T09:08:09+02:00")
    other = parsed(id="7", to=["Cy", "@@bea"], cc=[], tags=["lamp", "tide"], read=["@cy"], colour="blue")
    assert (one.id, one.digest) == (other.id, other.digest)
    assert other.ignored == ("colour",)
    assert one.digest != parsed(id=7, to=["@bea", "@cy"], tags=["tide"]).digest


@pytest.mark.parametrize(
    ("said", "field", "says"),
    [
        ({"from": None}, "from", "from is missing"),
        ({"from": 7}, "from", "from '7' is not text"),
        ({"from": "@all"}, "from", "is not one identity"),
        ({"from": "a b"}, "from", "is not an address"),
        ({"to": []}, "to", "to is empty"),
        ({"to": "@bea"}, "to", "is not a list of texts"),
        ({"to": ["role:keeper"]}, "to", "is not one identity"),
        ({"to": [f"@a{n}" for n in range(101)]}, "to", "at most 100"),
        ({"cc": [None]}, "cc", "is not a list of texts"),
        ({"subject": "a\nb"}, "subject", "control characters"),
        ({"subject": "x" * 501}, "subject", "at most 500"),
        ({"bodyText": "\x00"}, "bodyText", "NUL"),
        ({"bodyText": "\ud800"}, "bodyText", "lone surrogate"),
        ({"createdAt": None}, "createdAt", "createdAt is missing"),
        ({"createdAt": "yesterday"}, "createdAt", "'yesterday' is not a time"),
        (
            {"createdAt": "2019-05-06T07:08:09"},
            "createdAt",
            "has no time zone; write one, such as 2019-05-06T07:08:09Z",
        ),
        ({"createdAt": "2019-05-06"}, "createdAt", "write one, such as 2019-05-06T00:00:00Z"),
        ({"createdAt": "2040-05-06T07:08:09Z"}, "createdAt", "is yet to come"),
        ({"createdAt": "0001-01-01T00:00:00+14:00"}, "createdAt", "is not a time"),
        ({"tags": [" "]}, "tags", "tags"),
        ({"tags": ["sunset-protocol-handover"]}, "tags", "is for handovers"),
        ({"priority": "urgent"}, "priority", "'urgent' is not one of LOW, NORMAL, HIGH"),
        ({"expectsReply": "yes"}, "expectsReply", "neither true nor false"),
        ({"id": ""}, "id", "id is empty"),
        ({"id": 1.5}, "id", "is not text"),
        ({"id": "a", "inReplyTo": "a"}, "inReplyTo", "is the message itself"),
        ({"read": ["@cy"]}, "read", "'@cy', who is no recipient"),
    ],
)
def test_a_bad_value_is_refused_with_field_value_and_remedy(said: dict[str, Any], field: str, says: str) -> None:
    with pytest.raises(Refused) as refused:
        parsed(**said)
    assert refused.value.field == field
    assert says in refused.value.message


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"{", "it is not JSON"),
        (b"[]", "is not an object"),
        (b'"\xff"', "byte 2 is not UTF-8"),
        (b"[" * 100_000, "it cannot be read"),
        (b"1" * 10_000, "it cannot be read"),
    ],
)
def test_what_is_no_object_is_refused(content: bytes, says: str) -> None:
    with pytest.raises(Refused, match=says):
        parse_line(content, MessageLimits(), LATEST)


@given(
    st.binary(max_size=60)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda v: (
            st.lists(v, max_size=3) | st.dictionaries(st.sampled_from(["id", "from", "to", "read", "x"]), v, max_size=4)
        ),
    ).map(lambda value: json.dumps(value).encode())
)
def test_whatever_stands_in_a_line_it_is_a_message_or_refused(content: bytes) -> None:
    with contextlib.suppress(Refused):
        parse_line(content, MessageLimits(), LATEST)


def test_lines_are_numbered_as_an_editor_does_and_long_ones_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST_LINE", 8)
    found = list(read_lines(io.BytesIO(b"\xef\xbb\xbf{}\n\n \n0123456789012345678\nabcdefg\nlast")))
    assert [(line.number, line.content) for line in found] == [
        (1, b"{}\n"),
        (4, None),
        (5, b"abcdefg\n"),
        (6, b"last"),
    ]
    assert [line.size for line in found] == [6, 20, 8, 4]


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused, opened_lines(str(tmp_path / "none.jsonl")):
        pass
    assert refused.value.refusal is RefusalCode.INVALID_INPUT


def test_answers_come_after_what_they_answer_and_circles_do_not_matter() -> None:
    said = [("d", "c"), ("b", "a"), ("c", "b"), ("x", "y"), ("y", "x"), ("a", None)]
    ordered = _parents_first([(number, parsed(id=id_, inReplyTo=above)) for number, (id_, above) in enumerate(said)])
    names = [line.id for _, line in ordered]
    assert names[:4] == ["a", "b", "c", "d"]
    assert set(names[4:]) == {"x", "y"}


def test_the_report_names_bad_lines(capsys: pytest.CaptureFixture[str]) -> None:
    report = LinesReport(read=2, added=1)
    report.wrong(2, Refused(RefusalCode.INVALID_INPUT, "to is empty", field="to"))
    report.ignored_fields["colour"] = 2
    show_lines(report.as_dict())
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == "Imported"
    assert out.splitlines()[-2:] == ["line\tfield\tproblem", "2\tto\tto is empty"]
    assert "colour (2)" in err
