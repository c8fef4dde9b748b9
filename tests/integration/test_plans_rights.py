"""What the lists of roles, rights and queues cost: what the page needs, and not what else there is (DESIGN §2, §5)."""

import secrets

from graph.bootstrap import Graph
from graph.permissions import block, grant
from graph.queries import query
from graph.queues import SCAN_MOST, claim, finish
from graph.readers import Reader
from graph.roles import NewRole, add_member, create_role
from graph.rules.rights import Permission, RoleDelivery
from tests.crowd import Ticking, bulk
from tests.integration.test_plans import READS_ALL
from tests.support import Agents, Profile, message, profiled


async def _queue(graph: Graph, agents: Agents, finished: int) -> tuple[Reader, str]:
    """Make a queue whose first entries are finished, with 30 that are not."""
    ada, bea = await agents("ada", "bea")
    new = NewRole(f"role:desk-{secrets.token_hex(3)}", delivery=RoleDelivery.QUEUE)
    role = await create_role(graph.database, graph.clock, new, graph.limits)
    await add_member(graph.database, graph.clock, role, bea)
    await bulk(graph, Ticking(graph.clock.now()), ada, [message(role)] * (finished + 30))
    reader = Reader(bea, (bea, role))
    for _ in range(finished):
        held = await claim(graph.database, graph.clock, reader, role, None, 60)
        await finish(graph.database, graph.clock, reader, role, held.message, held.token)
    return reader, role


def _reads_all(profile: Profile) -> list[str]:
    return [step.operator for step in profile.steps if READS_ALL.search(step.operator)]


async def test_the_next_free_entry_costs_the_same_however_many_are_finished(graph: Graph, agents: Agents) -> None:
    hits = []
    for finished in (5, 60):
        _, role = await _queue(graph, agents, finished)
        asked = {"mailbox": role, "at": graph.clock.now(), "window": SCAN_MOST}
        profile = await profiled(graph.database, query("queues/next"), asked)
        assert len(profile.rows) == 1
        assert "DELIVERED_TO(mailbox, pending, uid)" in str(profile)
        assert _reads_all(profile) == [], str(profile)
        hits.append(profile.hits)
    assert hits[1] <= hits[0] + 5, hits


async def test_rights_cost_what_the_mailbox_gives(graph: Graph, agents: Agents) -> None:
    ada, *many = await agents("ada", *(f"agent{number}" for number in range(30)))
    for other in many:
        await grant(graph.database, graph.clock, ada, other, Permission.CAN_READ_INBOX_OF)
        await block(graph.database, graph.clock, many[0], other) if other != many[0] else None
    types = [permission.value for permission in Permission]
    asked = {"mailbox": ada, "types": types, "afterAgent": "", "afterType": "", "limit": 21}
    given = await profiled(graph.database, query("rights/allowed_by"), asked)
    asked = {"agent": many[0], "afterMailbox": "", "afterType": "", "limit": 21}
    held = await profiled(graph.database, query("rights/allowed_to"), asked)
    assert (len(given.rows), len(held.rows)) == (21, 1)
    for profile in (given, held):
        assert profile.hits <= 500, str(profile)
        assert _reads_all(profile) == [], str(profile)


async def test_a_page_of_roles_is_read_in_the_order_of_its_index(graph: Graph) -> None:
    suffix = secrets.token_hex(3)
    for number in range(25):
        await create_role(graph.database, graph.clock, NewRole(f"role:page-{suffix}-{number:02}"), graph.limits)
    asked = {"after": f"role:page-{suffix}", "limit": 21}
    profile = await profiled(graph.database, query("roles/list"), asked)
    assert len(profile.rows) == 21
    assert profile.hits <= 150, str(profile)
    assert _reads_all(profile) == [], str(profile)
    assert not [step for step in profile.steps if step.operator in {"Sort", "Top"}], str(profile)
