"""Which codes the tests of this run raised: each error of the tree, and each refusal, as it came into being."""

from collections.abc import Callable
from typing import Any

import pytest

from graph.errors import HeliographError, RefusalCode, Refused

#: The codes that were raised so far, in this process.
RAISED: set[str] = set()


def tree(kind: type[HeliographError] = HeliographError) -> list[type[HeliographError]]:
    """Return the classes of ``graph.errors`` from ``kind`` on, itself first."""
    own = [child for child in kind.__subclasses__() if child.__module__ == HeliographError.__module__]
    return [kind, *(found for child in own for found in tree(child))]


#: Every code of the tree but that of a defect, which is masked and never raised as such.
CODES = {code.value for code in RefusalCode} | {
    kind.code for kind in tree() if kind is not HeliographError and not issubclass(kind, Refused)
}


def record(patch: pytest.MonkeyPatch) -> None:
    """Note every error of the tree from now on, until the patch is undone."""

    def noting(init: Callable[..., None], code: Callable[[Any], str]) -> Callable[..., None]:
        def noted(self: HeliographError, *arguments: object, **named: object) -> None:
            init(self, *arguments, **named)
            RAISED.add(code(self))

        return noted

    patch.setattr(HeliographError, "__init__", noting(HeliographError.__init__, lambda error: error.code))
    patch.setattr(Refused, "__init__", noting(Refused.__init__, lambda refused: refused.refusal.value))
