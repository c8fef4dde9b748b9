"""Retention over the API and at the command line: an operator's, and a dry run unless he says otherwise."""

from datetime import timedelta
from pathlib import Path

import pytest

from cli.main import run
from cli.retention import show
from graph.bootstrap import Graph
from graph.rules.retention_ledger import RetentionReport
from tests.api.client import Data, Person
from tests.api.conftest import People
from tests.support import Agents

APPLY = """
mutation Apply($input: RetentionInput!) {
  applyRetention(input: $input) {
    report { dryRun messages entries mailboxes tombstones collected oldest newest hasMore }
    refusal { code field message }
  }
}
"""


async def _apply(person: Person, **said: object) -> Data:
    payload: Data = (await person.ask(APPLY, input=said))["applyRetention"]
    return payload


async def test_only_an_operator_may(people: People, nobody: Person) -> None:
    (ada,) = await people("ada")
    payload = await _apply(ada, olderThanDays=1)
    assert payload["report"] is None
    assert payload["refusal"]["code"] == "FORBIDDEN"
    assert (await nobody.refused(APPLY, input={"olderThanDays": 1}))["code"] == "UNAUTHENTICATED"


async def test_a_policy_without_a_reason_is_refused(operator: Person) -> None:
    for said in ({}, {"olderThanDays": None}, {"keepPerMailbox": 0}, {"olderThanDays": 3, "exceptTags": [""]}):
        payload = await _apply(operator, **said)
        assert payload["report"] is None
        assert payload["refusal"]["code"] == "INVALID_INPUT"


async def test_a_tag_that_means_nothing_here_is_refused(operator: Person) -> None:
    payload = await _apply(operator, olderThanDays=36_000, exceptTags=["no-such-thing"], dryRun=False)
    assert payload["report"] is None
    assert (payload["refusal"]["code"], payload["refusal"]["field"]) == ("INVALID_INPUT", "exceptTags")
    assert "'no-such-thing' means nothing here" in payload["refusal"]["message"]


async def test_it_only_counts_unless_told_to_delete(graph: Graph, people: People, operator: Person) -> None:
    ada, bea = await people("ada", "bea")
    sent = await ada.sends(bea.handle)
    # Nothing that is written now is a day old; by a hundred years from the first mail on nothing is left out.
    for said in ({"olderThanDays": 36_000}, {"olderThanDays": 36_000, "dryRun": None}):
        payload = await _apply(operator, **said)
        assert payload["refusal"] is None
        assert payload["report"] == {
            "dryRun": True,
            "messages": 0,
            "entries": 0,
            "mailboxes": 0,
            "tombstones": 0,
            "collected": 0,
            "oldest": None,
            "newest": None,
            "hasMore": False,
        }
    assert (await _apply(operator, olderThanDays=36_000, dryRun=False))["report"]["dryRun"] is False
    assert [entry["message"]["id"] for entry in await bea.entries()] == [sent["id"]]


async def test_deleted_mail_is_not_found_and_a_reader_sees_a_gap(
    graph: Graph, agents: Agents, people: People, operator: Person
) -> None:
    """Invariant 10: an old message of one's own and one of others are the same placeholder."""
    ada, bea = await people("ada", "bea")
    # Whatever as old the other tests have left goes first, so that what is counted below is this test's.
    await _apply(operator, olderThanDays=365 * 41 - 5, dryRun=False)
    old = await agents.ago(timedelta(days=365 * 41)).send(ada.handle, bea.handle)
    answer = await bea.sends(inReplyTo=old)
    before = (await bea.inbox())["state"]
    payload = await _apply(operator, olderThanDays=365 * 41 - 5, dryRun=False)
    assert payload["report"]["messages"] == payload["report"]["tombstones"] == 1
    for person in (ada, bea):
        rows = await person.thread(answer["id"])
        assert [(row["depth"], row["hidden"], row["parent"]) for row in rows] == [(0, True, None), (1, False, None)]
        assert (await person.ask("query($id: ID!) { message(id: $id) { id } }", id=old))["message"] is None
        assert (await person.ask("query($id: ID!) { node(id: $id) { id } }", id=old))["node"] is None
    # What bea knows of her mailbox holds an entry that no change tells her about any more; so she begins anew.
    assert (await bea.changes(before))["refusal"]["code"] == "STATE_TOO_OLD"
    assert (await bea.changes((await bea.inbox())["state"]))["refusal"] is None
    shown = "query($id: ID!) { message(id: $id) { inReplyTo { __typename } thread { messageCount subject } } }"
    message = (await ada.ask(shown, id=answer["id"]))["message"]
    assert message["inReplyTo"] is None
    assert message["thread"] == {"messageCount": 1, "subject": answer["subject"]}
    assert (await bea.tries(inReplyTo=old))["refusal"]["code"] == "NOT_FOUND"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--older-than", "soon"], "older-than 'soon' is not an age"),
        (["--older-than", "90"], "older-than '90' is not an age; write days, weeks or years, such as 90d"),
        ([], "Neither olderThanDays nor keepPerMailbox"),
        (["--keep", "0"], "keepPerMailbox is 0"),
    ],
)
def test_the_command_refuses_what_cannot_be_meant(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(["retention", "run", *arguments, "--home", str(tmp_path)]) == 1
    assert says in capsys.readouterr().err


def test_a_report_is_read_by_people(graph: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    now = graph.clock.now()
    show(RetentionReport(True, 3, 5, 2, 1, 0, now, now, False))
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == "Would be deleted"
    assert out.splitlines()[1].split() == ["messages", "3"]
    assert "Nothing was changed" in err
    show(RetentionReport(False, 0, 0, 0, 0, 0, None, None, False))
    assert "oldest" not in capsys.readouterr().out
