"""What can be wrong with a mail, and where a date may come from. Nothing here stops an import; all of it is counted."""

from enum import StrEnum


class Problem(StrEnum):
    """One kind of defect. A mail is imported with what could be read of it."""

    MISSING_MESSAGE_ID = "MISSING_MESSAGE_ID"
    """No usable Message-ID; one was made from the mail's SHA-256."""
    MISSING_DATE = "MISSING_DATE"
    """No Date header."""
    BAD_DATE = "BAD_DATE"
    """A Date header that is not a date, or one before 1970 or in the far future."""
    BAD_CHARSET = "BAD_CHARSET"
    """Text that is not in the charset it names, or names one that does not exist; it was repaired."""
    BROKEN_HEADERS = "BROKEN_HEADERS"
    """Lines among the headers that are no headers, or no headers at all."""
    BROKEN_BODY = "BROKEN_BODY"
    """A MIME structure or transfer encoding that does not hold together."""
    MISSING_SENDER = "MISSING_SENDER"
    """No address in From or Sender."""
    NO_TEXT = "NO_TEXT"
    """No readable text; the body names the attachments, if there are any."""
    TRUNCATED = "TRUNCATED"
    """The subject or the body was longer than the limit and was cut; the text says so."""


class DateSource(StrEnum):
    """Which evidence a mail's date rests on, best first."""

    HEADER = "HEADER"
    RECEIVED = "RECEIVED"
    PARENT = "PARENT"
    ENVELOPE = "ENVELOPE"
    """The ``From `` line that an mbox puts before each mail."""
    IMPORT_TIME = "IMPORT_TIME"
    """No evidence: the writer uses the time of the import."""
