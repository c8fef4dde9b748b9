"""Tags and the ontology under parallel clients: nothing lost, nothing doubled, no circle (DESIGN §3.3)."""

import asyncio
import secrets

from graph.bootstrap import Graph
from graph.concepts import relations
from graph.errors import RefusalCode, Refused
from graph.ontology import define_concept
from graph.rules.ontology import ConceptInput
from tests.soak.audit import faults, mailbox_audit
from tests.support import Agents


async def test_tagging_reading_and_sending_at_once_leave_the_tag_index_whole(graph: Graph, agents: Agents) -> None:
    ada, bea, cy = await agents("ada", "bea", "cy")
    ids = [await agents.send(ada, bea, tags=("tide", "log")) for _ in range(6)]
    words = [f"word-{number}" for number in range(4)]
    await asyncio.gather(
        *(agents.tag(bea, *ids, add=(word,), remove=("tide",)) for word in words),
        *(agents.tag(bea, id_, remove=("log",)) for id_ in ids),
        *(agents.read(bea, id_) for id_ in ids[::2]),
        *(agents.send(cy, bea, ada, tags=(word, "tide")) for word in reversed(words)),
        *(agents.tag(ada, id_, add=("mine",)) for id_ in ids),
    )
    assert await faults(graph.database, [ada, bea, cy]) == []
    box = await mailbox_audit(graph.database, bea)
    own = {entry.message: set(entry.tags) for entry in box.entries}
    assert [own[id_] for id_ in ids] == [set(words)] * len(ids)


async def attempt(graph: Graph, said: ConceptInput) -> RefusalCode | None:
    """Define a concept and return None, or why it was refused."""
    try:
        await define_concept(graph.database, graph.clock, said, graph.limits)
    except Refused as refused:
        return refused.refusal
    return None


async def test_of_definitions_that_close_a_circle_together_one_is_refused(graph: Graph, agents: Agents) -> None:
    """No two of the four share a concept that they write, so that only taking turns can stop the circle."""
    for _ in range(3):
        word = secrets.token_hex(4)
        names = [f"{word}-{number}" for number in range(4)]
        for name in names:
            await define_concept(graph.database, graph.clock, ConceptInput(name), graph.limits)

        above = [*names[1:], names[0]]
        said = [ConceptInput(name, broader=(other,)) for name, other in zip(names, above, strict=True)]
        outcomes = await asyncio.gather(*(attempt(graph, one) for one in said))
        assert [outcome for outcome in outcomes if outcome is not None] == [RefusalCode.CONFLICT]
        known = await relations(graph.database, names)
        assert sum(len(found.broader) for found in known.values()) == 3


async def test_of_two_concepts_that_want_one_alias_one_gets_it(graph: Graph, agents: Agents) -> None:
    word = secrets.token_hex(4)

    said = [ConceptInput(f"{word}-{number}", aliases=(f"{word}-alias",)) for number in range(4)]
    outcomes = await asyncio.gather(*(attempt(graph, one) for one in said))
    assert outcomes.count(None) == 1
    assert outcomes.count(RefusalCode.CONFLICT) == 3
