"""The graph's own records of its schema and its ontology; no mail is here."""

# ruff: noqa: N815 - the attributes have the names that the graph has

from neomodel import IntegerProperty, StringProperty, StructuredNode

from graph.model.properties import MomentProperty


class SchemaMigration(StructuredNode):
    """One applied file of ``cypher/schema/``."""

    version = IntegerProperty()
    name = StringProperty()
    checksum = StringProperty()
    appliedAt = MomentProperty()


class SchemaLock(StructuredNode):
    """What two starting processes take turns at, by its one name ``schema``."""

    name = StringProperty(unique_index=True)
    lock = IntegerProperty()


class Ontology(StructuredNode):
    """What operators take turns at, by its one name ``ontology``; ``version`` rises with every change of a concept."""

    name = StringProperty(unique_index=True)
    version = IntegerProperty()
    lock = IntegerProperty()
