"""The graph's own records of its schema changes; no mail is here."""

from neomodel import IntegerProperty, StringProperty, StructuredNode

from graph.model.properties import MomentProperty


class SchemaMigration(StructuredNode):
    """One applied file of ``cypher/schema/``."""

    version = IntegerProperty()
    name = StringProperty()
    checksum = StringProperty()
    applied_at = MomentProperty(db_property="appliedAt")


class SchemaLock(StructuredNode):
    """What two starting processes take turns at, by its one name ``schema``."""

    name = StringProperty(unique_index=True)
    lock = IntegerProperty()
