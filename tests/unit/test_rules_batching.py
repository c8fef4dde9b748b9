"""Drafts of one batch fare as if they had been sent one after the other (issue 4, bulk; DESIGN §3.9)."""

from datetime import UTC, datetime

from graph.ids import Prefix, new_id
from graph.rules.batching import Earlier
from graph.rules.drafts import Draft, MessageInput, check_draft
from graph.rules.limits import MessageLimits
from graph.rules.planning import DraftFacts, NewSession, PlannedMessage, RecipientKind, Via

NOW = datetime(2026, 1, 1, tzinfo=UTC)
THREAD = new_id(Prefix.THREAD, NOW)
SESSION = NewSession("ses_new", "@ada", "watch-1", NOW)


def draft(
    sender: str = "@ada",
    *,
    key: str | None = None,
    origin: str | None = None,
    related: tuple[str, ...] = (),
    thread: str | None = None,
) -> Draft:
    """Return a draft to @bea with what matters here."""
    said = MessageInput(
        "Tide tables",
        "High water at six.",
        ("@bea",),
        thread=thread,
        origin_session=origin,
        related_sessions=related,
        idempotency_key=key,
    )
    return check_draft(sender, said, MessageLimits())


def earlier(of: Draft, *, session: NewSession | None = None) -> Earlier:
    """Return what is known once this draft is planned."""
    noted = Earlier()
    noted.note(
        PlannedMessage(
            id="msg_first",
            draft=of,
            content_hash="hash of it",
            created_at=NOW,
            thread=THREAD,
            new_thread=False,
            forked_from=None,
            parent=None,
            addresses=(("@bea", RecipientKind.TO),),
            deliveries=(("@bea", Via.DIRECT),),
            skipped=0,
            origin_session=None if session is None else session.id,
            new_session=session,
            related_sessions=(),
            task=None,
        )
    )
    return noted


def test_a_key_that_an_earlier_draft_uses_is_used() -> None:
    noted = earlier(draft(key="tide"))
    assert noted.amended(draft(key="tide"), DraftFacts()).duplicate == ("msg_first", "hash of it")
    assert noted.amended(draft(key="ebb"), DraftFacts()).duplicate is None
    assert noted.amended(draft("@cy", key="tide"), DraftFacts()).duplicate is None, "keys belong to their sender"
    stored = DraftFacts(duplicate=("msg_stored", "hash"))
    assert noted.amended(draft(key="tide"), stored) == stored


def test_a_session_that_an_earlier_draft_opens_is_open() -> None:
    noted = earlier(draft(origin="watch-1"), session=SESSION)
    assert noted.amended(draft(origin="watch-1"), DraftFacts()).origin_session == "ses_new"
    assert noted.amended(draft(origin="watch-2"), DraftFacts()).origin_session is None
    assert noted.amended(draft("@cy", origin="watch-1"), DraftFacts()).origin_session is None
    assert noted.amended(draft(origin="watch-1"), DraftFacts(origin_session="ses_old")).origin_session == "ses_old"
    facts = DraftFacts(related_sessions={"watch-0": "ses_zero"})
    known = noted.amended(draft(related=("watch-1", "watch-0", "watch-9")), facts).related_sessions
    assert known == {"watch-0": "ses_zero", "watch-1": "ses_new"}


def test_who_wrote_or_received_an_earlier_draft_takes_part_in_its_thread() -> None:
    noted = earlier(draft(thread=THREAD))
    for who, expected in (("@ada", True), ("@bea", True), ("@cy", False)):
        assert noted.amended(draft(who, thread=THREAD), DraftFacts()).participates is expected
    assert not noted.amended(draft(thread=new_id(Prefix.THREAD, NOW)), DraftFacts()).participates
    assert noted.amended(draft("@cy", thread=THREAD), DraftFacts(participates=True)).participates


def test_nothing_is_added_where_nothing_came_before() -> None:
    for one in (draft(), draft(key="tide"), draft(origin="watch-1", thread=THREAD)):
        assert Earlier().amended(one, DraftFacts()) == DraftFacts()
