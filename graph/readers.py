"""Who reads, and which mailboxes are open to him: his own, his queues', and those granted him (DESIGN §3.10)."""

from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Reader:
    """A caller as reading queries know him: what he sent, and what lies in one of ``mailboxes``, he may see.

    An analyst sees ``everything``, in those queries that say so.
    """

    handle: str
    mailboxes: tuple[str, ...]
    everything: bool = False

    @classmethod
    def alone(cls, handle: str) -> Self:
        """Return a reader of nothing but his own mailbox."""
        return cls(handle, (handle,))

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by which every reading query knows him."""
        return {"reader": self.handle, "mailboxes": list(self.mailboxes), "everything": self.everything}


#: Whoever sends no key reads nothing.
NOBODY = Reader("", ())
