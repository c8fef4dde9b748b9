"""Property types that neomodel lacks."""

from datetime import UTC, datetime
from enum import StrEnum

from neo4j.time import DateTime
from neomodel import DateTimeNeo4jFormatProperty, StringProperty


class MomentProperty(DateTimeNeo4jFormatProperty):
    """A moment, kept as the database's own DATETIME: aware in Python, and in UTC when it was read."""

    def inflate(self, value: DateTime, *args: object, **kwargs: object) -> datetime:
        """Return the moment in UTC."""
        native: datetime = super().inflate(value, *args, **kwargs)
        return native.astimezone(UTC)

    def deflate(self, value: datetime, *args: object, **kwargs: object) -> DateTime:
        """Return what the database keeps. Raises ValueError for a naive time, which would be kept as another type."""
        if value.tzinfo is None:
            raise ValueError(f"{self.name} {value.isoformat()} has no time zone; give an aware datetime.")
        kept: DateTime = super().deflate(value, *args, **kwargs)
        return kept


def one_of(values: type[StrEnum]) -> StringProperty:
    """Return a text property that holds one of the enumeration's values and refuses any other."""
    return StringProperty(choices={member.value: member.value for member in values})
