"""The sizes that a message and its parts may have; the API publishes them under ``limits``."""

from dataclasses import dataclass

#: How many members of a thread it is rebuilt from, the oldest ones.
THREAD_MEMBERS = 20_000


@dataclass(frozen=True, slots=True)
class MessageLimits:
    """Largest sizes. Characters are Unicode code points, bytes are of the UTF-8 form."""

    recipients: int = 100
    subject_characters: int = 500
    body_bytes: int = 1024 * 1024
    tags: int = 32
    tag_characters: int = 64
    tickets: int = 50
    related_sessions: int = 50
    memories: int = 50
    idempotency_key_characters: int = 200
    external_id_characters: int = 200
    display_name_characters: int = 200
    description_characters: int = 2_000
    memory_bytes: int = 1024 * 1024
    task_note_characters: int = 500
    batch_ids: int = 500
    search_characters: int = 500
    search_words: int = 32
    bulk_messages: int = 100
    concept_names: int = 50
    thread_members: int = THREAD_MEMBERS
