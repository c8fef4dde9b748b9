"""What single mail headers say: ids, senders, dates. Pure; nothing here raises for any text."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parseaddr, parsedate_tz
from hashlib import sha256

from seed.mail.text import decode_header_text, one_line

_BRACKETED = re.compile(r"<([^<>]+)>")
# The lengths are bounded so that a long word without an @ is not read again from each of its letters.
_BARE_ADDRESS = re.compile(r"[^\s<>()\[\],;:\"'@]{1,64}@[^\s<>()\[\],;:\"'@]{1,255}")
# How the public archives of Mailman write a sender: ``user at example.org (Name)``.
_ARCHIVED_SENDER = re.compile(r"\A\s*([^\s@<>()]+) at ([^\s@<>()]+\.[^\s@<>()]+)\s*(?:\((.*)\)\s*)?\Z", re.DOTALL)
_LONGEST_ID = 512
_LONGEST_SENDER = 4096
_LONGEST_NAME = 200
_LONGEST_ADDRESS = 320
EARLIEST_DATE = datetime(1970, 1, 1, tzinfo=UTC)
LATEST_DATE = datetime(2100, 1, 1, tzinfo=UTC)


def message_ids(value: str) -> tuple[str, ...]:
    """Return the ids of a Message-ID, In-Reply-To or References header in order, without angle brackets.

    An id that is written twice is there twice: of References the last place of an id is the one that tells how near it
    is. Outside brackets only a value made of nothing but ids counts, as some mailers forget the brackets and many
    write sentences.
    """
    found = _BRACKETED.findall(value)
    if not found:
        words = value.split()
        found = words if all("@" in word for word in words) else []
    ids = (_normalised_id(written) for written in found)
    return tuple(written for written in ids if written)


def _normalised_id(written: str) -> str:
    # Folding may have put white space into an id; none belongs there.
    bare = one_line(written).replace(" ", "")
    if len(bare) <= _LONGEST_ID:
        return bare
    return f"sha256.{sha256(bare.encode('utf-8', 'replace')).hexdigest()}@overlong-id.invalid"


def parent_id(value: str, *, addresses: Iterable[str] = ()) -> str | None:
    """Return the id that an In-Reply-To header names, or None.

    Mailers put a sentence around it, ``Message from NAME <address> of "date" <id>``, so it is the last one.
    ``addresses`` are those of the mail's own headers: such a sentence without an id would name one of them.
    """
    known = {address.lower() for address in addresses}
    candidates = [found for found in message_ids(value) if found.lower() not in known]
    return candidates[-1] if candidates else None


def addresses_in(values: Iterable[str]) -> frozenset[str]:
    """Return every mail address written in these header values, in lower case."""
    return frozenset(found.lower() for value in values for found in _BARE_ADDRESS.findall(value))


def sender_of(value: str) -> tuple[str | None, str | None, bool]:
    """Return name and address of the first sender of a From header, and whether a charset was repaired.

    The address is in lower case. Either is None where the header has none.
    """
    # An honest sender is far shorter; the standard parser recurses on nested comments.
    value = value[:_LONGEST_SENDER]
    archived = _ARCHIVED_SENDER.match(value)
    if archived:
        name, address = archived[3] or "", f"{archived[1]}@{archived[2]}"
    else:
        name, address = _parsed_sender(value)
    text, repaired = decode_header_text(name)
    clean = one_line(address).replace(" ", "").lower()[:_LONGEST_ADDRESS]
    return text[:_LONGEST_NAME] or None, clean or None, repaired


def _parsed_sender(value: str) -> tuple[str, str]:
    try:
        name, address = parseaddr(value)
    except (RecursionError, ValueError, IndexError):
        name, address = "", ""
    if "@" not in address:
        bare = _BARE_ADDRESS.search(value)
        if not bare:
            return name or (value if "@" not in value else ""), ""
        name, address = name or value[: bare.start()].strip(" <\"'("), bare[0]
    return name, address


def date_of(value: str, *, latest: datetime = LATEST_DATE) -> datetime | None:
    """Return the moment in UTC, or None when it is no date, before 1970 or after ``latest``.

    A date without a time zone is taken as UTC.
    """
    try:
        fields = parsedate_tz(one_line(value[:256]))
        if fields is None:
            return None
        offset = timezone(timedelta(seconds=fields[9] or 0))
        moment = datetime(*fields[:5], min(fields[5], 59), tzinfo=offset).astimezone(UTC)
    except (ValueError, TypeError, OverflowError, IndexError, AttributeError):
        return None
    return moment if EARLIEST_DATE <= moment <= latest else None


def received_date(values: Iterable[str], *, latest: datetime = LATEST_DATE) -> datetime | None:
    """Return the newest date that a Received header carries after its last semicolon, or None."""
    dates = (date_of(value.rpartition(";")[2], latest=latest) for value in values if ";" in value)
    return max((date for date in dates if date is not None), default=None)


def envelope_date(line: str, *, latest: datetime = LATEST_DATE) -> datetime | None:
    """Return the date of an mbox ``From `` line (``From address Thu Sep 12 13:39:47 2002``), or None."""
    words = line.split()
    for start in range(1, min(len(words), 8)):
        # The address itself may hold blanks, so the date begins at the first word from which one can be read.
        if (date := date_of(" ".join(words[start:]), latest=latest)) is not None:
            return date
    return None
