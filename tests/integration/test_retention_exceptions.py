"""What a policy's tags protect, and that nothing of what went is left to be read (DESIGN §3.5, §3.10)."""

import secrets
from datetime import timedelta

import pytest

from graph.bootstrap import Graph
from graph.errors import RefusalCode, Refused
from graph.ontology import define_concept
from graph.queries import Query
from graph.retention import apply_retention
from graph.rules.ontology import ConceptInput
from graph.rules.retention import Policy
from graph.rules.retention_ledger import RetentionReport
from tests.support import Agents

#: Nothing that other tests write is as old.
AGE = timedelta(days=365 * 42)
EVERYTHING = """
MATCH (n) WHERE any(key IN keys(n) WHERE toStringOrNull(n[key]) CONTAINS $marker) RETURN labels(n) AS at
UNION ALL
MATCH ()-[r]->() WHERE any(key IN keys(r) WHERE toStringOrNull(r[key]) CONTAINS $marker) RETURN [type(r)] AS at
"""


async def _run(graph: Graph, *tags: str, dry: bool = False) -> RetentionReport:
    return await apply_retention(graph.database, graph.clock, Policy(AGE.days - 10, None, tags), dry_run=dry)


async def _found(graph: Graph, marker: str) -> list[object]:
    return [row["at"] for row in await graph.database.fetch(Query("test", EVERYTHING), {"marker": marker})]


async def test_a_tag_protects_its_concept_under_every_name_it_ever_had(graph: Graph, agents: Agents) -> None:
    """An alias is the concept it stands for, and mail that was filed under a name before it was an alias stays too."""
    ada, bea = await agents("ada", "bea")
    past, mark = agents.ago(AGE), secrets.token_hex(3)
    cat, feline, moggy, oldkitty = (f"{name}-{mark}" for name in ("cat", "feline", "moggy", "oldkitty"))
    before = await past.send(ada, bea, tags=(oldkitty,))
    said = ConceptInput(cat, aliases=(feline, moggy, oldkitty))
    await define_concept(graph.database, graph.clock, said, graph.limits)
    kitten = ConceptInput(f"kitten-{mark}", broader=(cat,))
    await define_concept(graph.database, graph.clock, kitten, graph.limits)
    kept = [before, *[await past.send(ada, bea, tags=(tag,)) for tag in (cat, feline, moggy, oldkitty)]]
    own = await past.send(ada, bea)
    await agents.tag(bea, own, add=(moggy,))
    for tag in (feline, cat, oldkitty):
        narrower, plain = await past.send(ada, bea, tags=(kitten.name,)), await past.send(ada, bea)
        counted, done = await _run(graph, tag, dry=True), await _run(graph, tag)
        assert counted.messages == done.messages >= 2
        left = [entry.message.id for entry in await agents.entries(bea)]
        assert left == [own, *reversed(kept)]
        assert not {narrower, plain} & set(left)


async def test_a_tag_that_means_nothing_here_is_refused_before_anything_goes(graph: Graph, agents: Agents) -> None:
    ada, bea = await agents("ada", "bea")
    old = await agents.ago(AGE).send(ada, bea, tags=("decision",))
    for dry in (True, False):
        with pytest.raises(Refused, match=r"exceptTags 'decison-of-nobody' means nothing here: .* leave it out") as no:
            await _run(graph, "decision", "decison-of-nobody", dry=dry)
        assert (no.value.refusal, no.value.field) == (RefusalCode.INVALID_INPUT, "exceptTags")
    assert [entry.message.id for entry in await agents.entries(bea)] == [old]
    await _run(graph)


async def test_nothing_that_was_said_is_left_in_the_graph(graph: Graph, agents: Agents) -> None:
    """The thread has a copy of its first subject; it goes with the message, and with a tombstone's."""
    ada, bea = await agents("ada", "bea")
    past, marker = agents.ago(AGE), f"marker{secrets.token_hex(6)}"
    question = await past.send(ada, bea, subject=f"Q {marker}", body_text=marker, idempotency_key=marker)
    await agents.reply(bea, question, subject="Mine")
    assert ["Thread"] in await _found(graph, marker)
    assert (await _run(graph)).tombstones >= 1
    assert await _found(graph, marker) == []


async def test_a_subject_stays_while_a_member_has_it(graph: Graph, agents: Agents) -> None:
    ada, bea = await agents("ada", "bea")
    subject = f"marker{secrets.token_hex(6)}"
    question = await agents.ago(AGE).send(ada, bea, subject=subject)
    await agents.reply(bea, question, subject=subject)
    await _run(graph)
    assert ["Thread"] in await _found(graph, subject)
