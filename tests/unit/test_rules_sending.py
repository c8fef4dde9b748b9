"""Drafts and plans: what a send becomes before and after the graph was asked (DESIGN §3.2, §3.6 to §3.9)."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.errors import RefusalCode, Refused, UnknownAddress
from graph.ids import Prefix, is_id, new_id, prefix_of
from graph.rules.drafts import Draft, MessageInput, check_draft
from graph.rules.limits import MessageLimits
from graph.rules.planning import (
    DraftFacts,
    Duplicate,
    FreshIds,
    Parent,
    PlannedMessage,
    RecipientKind,
    Via,
    plan,
)
from graph.rules.rights import Box, Standing

LIMITS = MessageLimits()
NOW = datetime(2026, 1, 1, tzinfo=UTC)
IDS = FreshIds.made(NOW)
BOXES = {
    handle: Box(handle, kind, status)
    for handle, kind, status in (
        ("@ada", "AGENT", "ACTIVE"),
        ("@bea", "AGENT", "ACTIVE"),
        ("@cy", "AGENT", "ACTIVE"),
        ("@hal", "HUMAN", "ACTIVE"),
        ("@old", "AGENT", "RETIRED"),
    )
}
PARENT = Parent(new_id(Prefix.MESSAGE, NOW), True, "@bea", new_id(Prefix.THREAD, NOW), ("@ada",))


def _draft(*to: str, **said: object) -> Draft:
    message = MessageInput("Tide tables", "High water at six.", tuple(to) or None)
    return check_draft("@ada", replace(message, **said), LIMITS)  # type: ignore[arg-type]  # fields by name


def _plan(draft: Draft, facts: DraftFacts | None = None) -> PlannedMessage:
    planned = plan(draft, facts or DraftFacts(), Standing(BOXES), IDS)
    assert isinstance(planned, PlannedMessage)
    return planned


def _hash(draft: Draft, facts: DraftFacts | None = None) -> str:
    found = _plan(replace(draft, idempotency_key=draft.idempotency_key or "key"), facts).content_hash
    assert found is not None
    return found


def test_oneself_is_resolved_and_each_address_counts_once() -> None:
    draft = _draft("@self", "Bea", "@@bea", cc=("@bea", "cy", "@ada"))
    assert draft.to == ("@ada", "@bea")
    assert draft.cc == ("@cy",)


def test_the_content_hash_is_of_the_content_alone() -> None:
    assert _hash(_draft("@bea", idempotency_key="a")) == _hash(_draft("bea", idempotency_key="b"))
    assert _hash(_draft("@bea", "@cy", tags=("x", "Y"))) == _hash(_draft("cy", "@bea", tags=("#y", "x")))
    changes: list[dict[str, object]] = [{"subject": "x"}, {"body_text": "x"}, {"cc": ("@cy",)}, {"tags": ("x",)}]
    hashes = {_hash(_draft("@bea", **change)) for change in changes}
    assert len(hashes | {_hash(_draft("@bea"))}) == 5


def test_what_has_no_key_has_no_retries_to_compare() -> None:
    assert _plan(_draft("@bea")).content_hash is None


def test_the_content_is_the_same_however_things_are_named() -> None:
    """DESIGN §3.9: a session by either of its ids, the one who is answered with or without `to`."""
    facts = DraftFacts(parent=PARENT, origin_session=IDS.session, related_sessions={"s-2": "ses_2", "ses_2": "ses_2"})
    first = _hash(_draft(in_reply_to=PARENT.id, origin_session="s-1", related_sessions=("s-2",)), facts)
    named: dict[str, object] = {"origin_session": IDS.session, "related_sessions": ("ses_2",)}
    assert _hash(_draft("@bea", in_reply_to=PARENT.id, **named), facts) == first
    assert _hash(_draft("@cy", in_reply_to=PARENT.id, **named), facts) != first
    # The send that opens the session has it under the id it will have.
    assert _hash(_draft("@bea", origin_session="s-1")) == _hash(
        _draft("@bea", origin_session="s-1"), DraftFacts(origin_session=IDS.session)
    )


def test_a_broadcast_goes_to_active_agents_but_the_sender() -> None:
    """DESIGN §3.7; a direct address beats the broadcast, also for people and for oneself."""
    assert dict(_plan(_draft("@all")).deliveries) == {"@bea": Via.BROADCAST, "@cy": Via.BROADCAST}
    deliveries = dict(_plan(_draft("@all", "@hal", cc=("@cy", "@self"))).deliveries)
    assert deliveries == {"@bea": Via.BROADCAST, "@hal": Via.DIRECT, "@cy": Via.DIRECT, "@ada": Via.DIRECT}


def test_to_comes_before_cc() -> None:
    planned = _plan(_draft("@cy", cc=("@bea",)))
    assert planned.addresses == (("@cy", RecipientKind.TO), ("@bea", RecipientKind.CC))


def test_an_unknown_address_names_itself() -> None:
    with pytest.raises(UnknownAddress) as refused:
        _plan(_draft("@bea", cc=("@bee",)))
    assert (refused.value.address, refused.value.field) == ("@bee", "cc")


def test_a_reply_joins_its_parents_thread() -> None:
    planned = _plan(_draft(in_reply_to=PARENT.id), DraftFacts(parent=PARENT))
    assert (planned.thread, planned.new_thread, planned.forked_from) == (PARENT.thread, False, None)
    assert planned.addresses == (("@bea", RecipientKind.TO),)


def test_a_follow_up_to_oneself_goes_to_the_same_people() -> None:
    own = replace(PARENT, author="@ada", recipients=("@bea", "@cy"))
    planned = _plan(_draft(in_reply_to=own.id), DraftFacts(parent=own))
    assert [address for address, _ in planned.addresses] == ["@bea", "@cy"]


def test_a_new_thread_is_a_fork_of_the_parents() -> None:
    planned = _plan(_draft("@bea", in_reply_to=PARENT.id, thread="new"), DraftFacts(parent=PARENT))
    assert (planned.thread, planned.new_thread, planned.forked_from) == (IDS.thread, True, PARENT.id)


def test_an_answer_to_a_memory_begins_a_thread() -> None:
    memory = Parent(new_id(Prefix.MEMORY, NOW), True, "@bea", None)
    planned = _plan(_draft(in_reply_to=memory.id), DraftFacts(parent=memory))
    assert (planned.new_thread, planned.forked_from) == (True, None)


def test_what_is_hidden_and_what_is_not_there_are_refused_alike() -> None:
    """DESIGN §3.10."""
    draft = _draft("@bea", in_reply_to=PARENT.id)
    messages = []
    for facts in (DraftFacts(), DraftFacts(parent=replace(PARENT, visible=False))):
        with pytest.raises(Refused) as refused:
            _plan(draft, facts)
        messages.append((refused.value.refusal, refused.value.message))
    assert len(set(messages)) == 1


def test_the_same_key_is_the_same_message_or_a_conflict() -> None:
    """DESIGN §3.9: it is looked at before anything else, so that a retry is answered whatever has changed since."""
    draft = _draft("@nobody", idempotency_key="k")
    content = _hash(replace(draft, to=("@bea",)))
    facts = DraftFacts(duplicate=("msg", content))
    assert plan(replace(draft, to=("@bea",)), facts, Standing({}), IDS) == Duplicate("msg")
    with pytest.raises(Refused) as refused:
        plan(draft, DraftFacts(duplicate=("msg", "other")), Standing(BOXES), IDS)
    assert refused.value.refusal is RefusalCode.IDEMPOTENCY_CONFLICT


def test_naming_a_session_as_ones_own_opens_it_and_a_reference_does_not() -> None:
    planned = _plan(_draft("@bea", origin_session="s-1"))
    assert planned.new_session is not None
    assert (planned.new_session.external_id, planned.origin_session) == ("s-1", planned.new_session.id)
    known = _plan(_draft("@bea", origin_session="s-1"), DraftFacts(origin_session="ses_x"))
    assert (known.new_session, known.origin_session) == (None, "ses_x")
    for said in ({"origin_session": new_id(Prefix.SESSION, NOW)}, {"related_sessions": ("s-1",)}):
        with pytest.raises(Refused) as refused:
            _plan(_draft("@bea", **said))
        assert refused.value.refusal is RefusalCode.NOT_FOUND


@pytest.mark.parametrize(
    "named", [IDS.message, IDS.thread, IDS.session.upper(), "@ada", "ticket:x#1", "a\nb", "role:x", "", "\ud800"]
)
def test_an_id_of_another_kind_is_no_session(named: str) -> None:
    with pytest.raises(Refused) as refused:
        _draft("@bea", origin_session=named)
    assert (refused.value.refusal, refused.value.field) == (RefusalCode.INVALID_INPUT, "originSession")


def test_a_harness_may_name_its_sessions_as_it_likes() -> None:
    for named in ("ses_4f2a", "48197e2e-3e95-47eb-9eb8-bbb032948845", "run #15"):
        assert _draft("@bea", origin_session=named).origin_session == named


def test_a_handover_as_an_answer_is_to_oneself_or_refused() -> None:
    """Seed 000: also where a reply leaves out to whom it goes."""
    said = {"tags": ("sunset-protocol-handover",), "origin_session": "s", "in_reply_to": PARENT.id}
    own = replace(PARENT, author="@ada", recipients=("@ada",))
    assert dict(_plan(_draft(**said), DraftFacts(parent=own)).deliveries) == {"@ada": Via.DIRECT}
    with pytest.raises(Refused) as refused:
        _plan(_draft(**said), DraftFacts(parent=PARENT))
    assert refused.value.refusal is RefusalCode.RESERVED_TAG


@given(st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(2200, 1, 1)))  # noqa: DTZ001 - made aware below
def test_ids_sort_by_their_time(moment: datetime) -> None:
    """DESIGN §2: and they say which label to look under."""
    at = moment.replace(tzinfo=UTC)
    id_ = new_id(Prefix.MESSAGE, at)
    assert is_id(id_, Prefix.MESSAGE)
    assert prefix_of(id_) is Prefix.MESSAGE
    assert (id_ < IDS.message) == (at < NOW) or int(at.timestamp() * 1000) == int(NOW.timestamp() * 1000)


@given(st.text())
def test_no_other_text_is_an_id(text: str) -> None:
    assert prefix_of(text) is None or text.split("_", maxsplit=1)[0] in set(Prefix)
