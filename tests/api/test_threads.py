"""Threads through the API: causal order, depth, gaps, forks (DESIGN §3.8, §3.10; LESSONS 9)."""

from tests.api.client import THREAD, Person
from tests.api.conftest import People


async def _chain(ada: Person, bea: Person) -> list[str]:
    """Send a chain of twelve, each answering the one before."""
    ids = [(await ada.sends(bea.handle, subject="Root"))["id"]]
    for number in range(1, 12):
        writer = (ada, bea)[number % 2]
        ids.append((await writer.sends(inReplyTo=ids[-1], subject=f"Reply {number}"))["id"])
    return ids


async def test_a_chain_with_a_branch_comes_back_from_any_member(people: People) -> None:
    """Issue: a reply chain of 12 with a branch and a late answer to an old message, right from whichever member."""
    ada, bea = await people("ada", "bea")
    chain = await _chain(ada, bea)
    branch = (await ada.sends(bea.handle, inReplyTo=chain[5], subject="Branch"))["id"]
    branched = (await bea.sends(inReplyTo=branch, subject="On the branch"))["id"]
    late = (await bea.sends(ada.handle, inReplyTo=chain[2], subject="Late"))["id"]

    expected = [(id_, depth) for depth, id_ in enumerate(chain)]
    expected += [(branch, 6), (branched, 7), (late, 3)]
    parents = dict(zip(chain[1:], chain, strict=False)) | {branch: chain[5], branched: branch, late: chain[2]}
    for reader in (ada, bea):
        for member in (*chain, branch, branched, late):
            rows = await reader.thread(member)
            assert [(row["message"]["id"], row["depth"]) for row in rows] == expected
            assert {row["message"]["id"]: row["parent"] for row in rows if row["parent"]} == parents
    thread = (await ada.ask(THREAD, id=late))["thread"]
    assert thread["messageCount"] == thread["messages"]["totalCount"] == 15
    assert {who["handle"] for who in thread["participants"]} == {ada.handle, bea.handle}
    assert thread["subject"] == "Root"


async def test_a_thread_read_in_pages_is_the_same_thread(people: People) -> None:
    """LESSONS 8: pages of a thread add up to it, also when a reply arrives between two of them."""
    ada, bea = await people("ada", "bea")
    chain = await _chain(ada, bea)
    whole = await ada.thread(chain[0])
    rows, after = [], None
    while True:
        thread = (await ada.ask(THREAD, id=chain[0], first=5, after=after))["thread"]["messages"]
        rows += [edge["node"] for edge in thread["edges"]]
        if not thread["pageInfo"]["hasNextPage"]:
            break
        after = thread["pageInfo"]["endCursor"]
    assert rows == whole

    first = (await ada.ask(THREAD, id=chain[0], first=5))["thread"]["messages"]
    earlier = await bea.sends(ada.handle, inReplyTo=chain[0], subject="Beside the chain")
    rest = await ada.thread(chain[0], after=first["pageInfo"]["endCursor"])
    assert [row["message"]["id"] for row in rest] == [*chain[5:], earlier["id"]]


async def test_what_one_may_not_read_is_a_gap_in_its_place(people: People) -> None:
    """DESIGN §3.10: a message between two of mine keeps its place, without id; a hidden end leaves no trace."""
    ada, bea, cy = await people("ada", "bea", "cy")
    root = await ada.sends(bea.handle, cy.handle, subject="For both")
    aside = await bea.sends(ada.handle, inReplyTo=root["id"], subject="Between us")
    back = await ada.sends(bea.handle, cy.handle, inReplyTo=aside["id"], subject="For both again")
    await bea.sends(ada.handle, inReplyTo=back["id"], subject="Between us again")

    rows = await cy.thread(back["id"])
    assert [(row["depth"], row["hidden"], row["parent"]) for row in rows] == [
        (0, False, None),
        (1, True, root["id"]),
        (2, False, None),
    ]
    assert rows[1]["message"] is None
    thread = (await cy.ask(THREAD, id=root["id"]))["thread"]
    assert thread["messageCount"] == 2
    assert {who["handle"] for who in thread["participants"]} == {ada.handle, bea.handle, cy.handle}
    assert aside["id"] not in str(thread)
    # Paging ends on a gap and goes on after it.
    page = (await cy.ask(THREAD, id=root["id"], first=2))["thread"]["messages"]
    (last,) = await cy.thread(root["id"], after=page["pageInfo"]["endCursor"])
    assert last["message"]["id"] == back["id"]


async def test_the_subject_is_that_of_the_oldest_message_one_may_see(people: People) -> None:
    """DESIGN §3.10: a thread's first words are not for who came in later."""
    ada, bea, cy = await people("ada", "bea", "cy")
    root = await ada.sends(bea.handle, subject="Confidential")
    joined = await bea.sends(cy.handle, inReplyTo=root["id"], subject="Have a look")

    thread = (await cy.ask(THREAD, id=joined["id"]))["thread"]
    assert thread["subject"] == "Have a look"
    assert "Confidential" not in str(thread)
    assert (await cy.ask(THREAD, id=root["id"]))["thread"] is None
    assert (await cy.ask(THREAD, id=thread["id"]))["thread"]["id"] == thread["id"]


async def test_a_fork_is_visible_from_both_sides(people: People) -> None:
    """DESIGN §3.8: naming a new thread forks it."""
    ada, bea, cy = await people("ada", "bea", "cy")
    root = await ada.sends(bea.handle)
    fork = await bea.sends(cy.handle, inReplyTo=root["id"], thread="new")

    assert fork["thread"] != root["thread"]
    old = (await bea.ask(THREAD, id=root["id"]))["thread"]
    new = (await bea.ask(THREAD, id=fork["id"]))["thread"]
    assert [one["id"] for one in old["forks"]] == [new["id"]]
    assert new["forkedFrom"]["id"] == root["id"]
    assert [row["depth"] for row in await bea.thread(fork["id"])] == [0]
    # Each side shows the other only to who takes part in both.
    assert (await ada.ask(THREAD, id=root["id"]))["thread"]["forks"] == []
    assert (await cy.ask(THREAD, id=fork["id"]))["thread"]["forkedFrom"] is None


async def test_a_new_root_in_a_thread_is_for_participants(people: People) -> None:
    """DESIGN §3.8: who takes no part in a thread cannot put anything into it, nor learn that it is there."""
    ada, bea, eve = await people("ada", "bea", "eve")
    thread = (await ada.sends(bea.handle))["thread"]["id"]
    root = await bea.sends(ada.handle, thread=thread)
    assert root["thread"]["id"] == thread
    assert [row["depth"] for row in await ada.thread(thread)] == [0, 0]

    absent = "thr_01h2xcejqtf2nbrexx3vqjhp41"
    theirs, nobodys = [(await eve.tries(bea.handle, thread=named))["refusal"] for named in (thread, absent)]
    assert theirs["code"] == nobodys["code"] == "NOT_FOUND"
    assert theirs["message"].replace(thread, "") == nobodys["message"].replace(absent, "")
    other = await ada.sends(bea.handle)
    mixed = await ada.tries(bea.handle, inReplyTo=other["id"], thread=thread)
    assert mixed["refusal"]["code"] == "CONFLICT"


async def test_replies_of_a_message_are_those_one_may_see(people: People) -> None:
    ada, bea, cy = await people("ada", "bea", "cy")
    root = await ada.sends(bea.handle, cy.handle)
    ids = [(await bea.sends(ada.handle, inReplyTo=root["id"]))["id"] for _ in range(3)]
    shared = (await bea.sends(ada.handle, cy.handle, inReplyTo=root["id"]))["id"]
    query = """
    query($id: ID!, $after: String) { message(id: $id) { replies(first: 2, after: $after) {
      edges { node { id inReplyTo { ... on Message { id } } } } pageInfo { hasNextPage endCursor } totalCount
    } } }
    """
    first = (await ada.ask(query, id=root["id"]))["message"]["replies"]
    second = (await ada.ask(query, id=root["id"], after=first["pageInfo"]["endCursor"]))["message"]["replies"]
    edges = first["edges"] + second["edges"]
    assert [edge["node"]["id"] for edge in edges] == [*ids, shared]
    assert {edge["node"]["inReplyTo"]["id"] for edge in edges} == {root["id"]}
    assert first["totalCount"] == 4
    for_cy = (await cy.ask(query, id=root["id"]))["message"]["replies"]
    assert [edge["node"]["id"] for edge in for_cy["edges"]] == [shared]
    assert for_cy["totalCount"] == 1
