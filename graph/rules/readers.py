"""Who may read a message, as the full-text index knows it: tokens beside the text, written when it is sent (DESIGN §2).

A token is one word to every analyzer, and no token is the beginning or an inflection of another: the letter says how
the message is somebody's, the rest is the hexadecimal form of the address.
"""

from collections.abc import Iterable


def reader_tokens(sender: str, mailboxes: Iterable[str]) -> list[str]:
    """Return the tokens of a message that ``sender`` wrote and that lies in ``mailboxes``, each once and sorted."""
    return sorted({sent_token(sender), *map(delivered_token, mailboxes)})


def delivered_token(mailbox: str) -> str:
    """Return the token of every message that lies in this mailbox."""
    return f"d{mailbox.encode().hex()}"


def sent_token(sender: str) -> str:
    """Return the token of every message that this identity wrote."""
    return f"s{sender.encode().hex()}"
