"""Drafts of one batch behave as if they had been sent one after the other.

The facts of every draft are loaded before any of them is written. What an earlier draft of the same batch will have
changed by then is added here: its idempotency key is used, its session is open, its thread has another participant.
"""

from dataclasses import replace

from graph.rules.drafts import Draft
from graph.rules.planning import DraftFacts, PlannedMessage


class Earlier:
    """What the planned messages of a batch make true for the drafts behind them."""

    def __init__(self) -> None:
        self._keys: dict[tuple[str, str], tuple[str, str]] = {}
        self._sessions: dict[tuple[str, str], str] = {}
        self._participants: set[tuple[str, str]] = set()

    def note(self, message: PlannedMessage) -> None:
        """Remember a message that will be written. A refused draft leaves nothing, and is not to be noted."""
        draft, session = message.draft, message.new_session
        if draft.idempotency_key is not None and message.content_hash is not None:
            self._keys[draft.sender, draft.idempotency_key] = message.id, message.content_hash
        if session is not None:
            self._sessions[session.agent, session.external_id] = session.id
        self._participants.add((draft.sender, message.thread))
        self._participants.update((address, message.thread) for address, _ in message.deliveries)

    def amended(self, draft: Draft, facts: DraftFacts) -> DraftFacts:
        """Return the facts of a draft as they are once the messages noted so far are written."""
        sender, key, origin = draft.sender, draft.idempotency_key, draft.origin_session
        duplicate = facts.duplicate
        if duplicate is None and key is not None:
            duplicate = self._keys.get((sender, key))
        if not draft.has_references:
            return facts if duplicate is facts.duplicate else replace(facts, duplicate=duplicate)
        opened = {
            name: self._sessions[sender, name] for name in draft.related_sessions if (sender, name) in self._sessions
        }
        return replace(
            facts,
            duplicate=duplicate,
            participates=facts.participates or (sender, draft.thread) in self._participants,
            origin_session=facts.origin_session or (None if origin is None else self._sessions.get((sender, origin))),
            related_sessions=opened | dict(facts.related_sessions),
        )
