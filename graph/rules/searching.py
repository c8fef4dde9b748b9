"""What somebody asks the full-text index: words, which are text whatever they look like, and whose mail to look in.

The index knows a query language in which a word may be an operator, a pattern or the name of another field. Nothing a
caller writes gets to be any of that: each word is quoted and said to be of the subject or the body. The rights are part
of the same query, so what one may not see is not even counted (DESIGN §2, §3.10).
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from graph.errors import RefusalCode, Refused
from graph.rules.limits import MessageLimits
from graph.rules.readers import delivered_token, sent_token
from graph.rules.text import check_text

#: A phrase in quotation marks, or what stands between spaces. A mark without its partner is dropped.
_PART = re.compile(r'"([^"]*)"|([^\s"]+)')
#: The index takes about a thousand words in one query; more readers than this become patterns of so many each.
_PLAIN_TOKENS, _PATTERN_TOKENS = 256, 500
#: A word that no message has among its readers.
_NEVER = "readers:none"


def search_terms(query: str, limits: MessageLimits) -> tuple[str, ...]:
    """Return the words and quoted phrases of what somebody wrote, each once; none for blank text.

    Raises Refused for text that is none, or larger than the limits.
    """
    check_text(query, "query", characters=limits.search_characters, empty=True)
    parts = (phrase or word for phrase, word in _PART.findall(query))
    terms = tuple(dict.fromkeys(term for part in parts if (term := " ".join(part.split()))))
    if len(terms) > limits.search_words:
        raise Refused(
            RefusalCode.LIMIT_EXCEEDED,
            f"query has {len(terms)} words; at most {limits.search_words} are allowed (searchWords).",
            field="query",
        )
    return terms


def readable_by(reader: str, mailboxes: Iterable[str]) -> str:
    """Return the clause of the messages that ``reader`` wrote or that lie in one of these mailboxes."""
    tokens = [sent_token(reader), *map(delivered_token, dict.fromkeys(mailboxes))]
    if len(tokens) > _PLAIN_TOKENS:
        parts = (tokens[start : start + _PATTERN_TOKENS] for start in range(0, len(tokens), _PATTERN_TOKENS))
        tokens = [f"/{'|'.join(part)}/" for part in parts]
    return f"+readers:({' '.join(tokens)})^0"


def written_by(sender: str) -> str:
    """Return the clause of the messages that this identity wrote."""
    return f"+readers:{sent_token(sender)}^0"


def within(words: Sequence[str]) -> str:
    """Return the clause of the messages in a window of time (``graph.rules.moments``), its words newest first.

    The rank of a message's word, 1 for the last, is its whole score: a literal pattern counts as nothing but its boost,
    and every other clause counts for nothing. So of too many hits the index keeps the newest.
    """
    ranked = (f"/{word}/^{len(words) - position}" for position, word in enumerate(words))
    return f"+moments:({' '.join(ranked)})"


def of_agent(agent: str, field: str) -> str:
    """Return the clause of what is this agent's by a field, and of others whose handles have the same words in them."""
    return f'+{field}:"{agent}"^0'


def saying(terms: Sequence[str], fields: Sequence[str] = ("subject", "bodyText")) -> str:
    """Return the clauses of what has every term in one of the fields, of a message in the subject or in the body.

    The index splits terms into words by rules of its own, and leaves out a term in which it finds none, such as "---".
    The last clause holds when one term or more was not left out: without it, "---" would find everything.
    """
    each = [_anywhere(term, fields) for term in terms]
    return " ".join([*(f"+({one})^0" for one in each), f"+({' '.join([*each, _NEVER])})^0"])


def spellings(term: str) -> tuple[str, ...]:
    """Return the term as it is, and with its accents composed and apart: the index keeps texts in either form."""
    return tuple(dict.fromkeys((term, *(unicodedata.normalize(form, term) for form in ("NFC", "NFD")))))


def _anywhere(term: str, fields: Sequence[str]) -> str:
    quoted = ('"' + re.sub(r'(["\\])', r"\\\1", one) + '"' for one in spellings(term))
    return " ".join(f"{field}:{one}" for one in quoted for field in fields)
