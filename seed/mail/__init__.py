"""The mail importer's pure part: bytes to records, records to a plan. It never talks to a database.

``survey`` a path, ``parse_mail`` each of its ``mails``, ``plan_threads`` of their ``MailRecord``, then write
``Plan.mails`` in order, reading each again by its ``Place``.
"""

from seed.mail.handles import UNKNOWN_SENDER, handle_for
from seed.mail.maildir import LeftOut
from seed.mail.parsing import ParsedMail, ParseLimits, parse_mail
from seed.mail.planning import (
    Duplicate,
    KnownMail,
    Link,
    MailRecord,
    Plan,
    PlannedMail,
    ThreadGroup,
    mentioned_ids,
)
from seed.mail.problems import DateSource, Problem
from seed.mail.reading import MailSource, Place, RawMail, survey
from seed.mail.report import ImportReport, Tally
from seed.mail.threading import plan_threads

__all__ = [
    "UNKNOWN_SENDER",
    "DateSource",
    "Duplicate",
    "ImportReport",
    "KnownMail",
    "LeftOut",
    "Link",
    "MailRecord",
    "MailSource",
    "ParseLimits",
    "ParsedMail",
    "Place",
    "Plan",
    "PlannedMail",
    "Problem",
    "RawMail",
    "Tally",
    "ThreadGroup",
    "handle_for",
    "mentioned_ids",
    "parse_mail",
    "plan_threads",
    "survey",
]
