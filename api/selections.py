"""What a query selects, for the few fields whose price is paid before the rest is read."""

from collections.abc import Iterable

from strawberry.types.nodes import SelectedField, Selection

from api.context import Info


def selects(info: Info, name: str) -> bool:
    """Tell whether the field being resolved is asked for its field of that name, directly or through fragments."""
    return any(_named(field.selections, name) for field in info.selected_fields)


def _named(selections: Iterable[Selection], name: str) -> bool:
    return any(
        selection.name == name if isinstance(selection, SelectedField) else _named(selection.selections, name)
        for selection in selections
    )
