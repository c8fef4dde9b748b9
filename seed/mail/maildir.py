"""What the names in a Maildir say: where its mails are, which were read, and what its owner threw away. Pure."""

import re
from enum import StrEnum

DELIVERED = frozenset({"cur", "new"})
"""The two folders of a Maildir that hold mails."""
_INFO = re.compile(r"[:;!]2,([A-Za-z]*)\Z")


class LeftOut(StrEnum):
    """Why a mail of a Maildir is no mail to import: by its own flag, or by the folder that it is in."""

    TRASHED = "TRASHED"
    DRAFT = "DRAFT"
    JUNK = "JUNK"


_FOLDERS = {
    "trash": LeftOut.TRASHED,
    "deleted items": LeftOut.TRASHED,
    "deleted messages": LeftOut.TRASHED,
    "drafts": LeftOut.DRAFT,
    "junk": LeftOut.JUNK,
    "spam": LeftOut.JUNK,
}


def was_seen(name: str) -> bool:
    """Tell whether a mail's file name (``1.host:2,FS``) has the flag S."""
    return "S" in _flags(name)


def unique_name(name: str) -> str:
    """Return what stays of a mail's file name when its flags change."""
    return _INFO.sub("", name)


def left_out(name: str) -> LeftOut | None:
    """Return why a mail is left out by the flags of its file name, if it is: T is trashed, D a draft."""
    flags = _flags(name)
    return LeftOut.TRASHED if "T" in flags else LeftOut.DRAFT if "D" in flags else None


def left_out_folder(name: str) -> LeftOut | None:
    """Return why all of a folder (``.Trash``, ``.Work.Drafts``, ``Junk``) is left out, if it is."""
    return next((_FOLDERS[part] for part in name.casefold().split(".") if part in _FOLDERS), None)


def _flags(name: str) -> str:
    found = _INFO.search(name)
    return found[1] if found else ""
