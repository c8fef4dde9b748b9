"""Concepts in the API: what tags stand for, and the operators' ontology of them."""

from datetime import datetime
from enum import StrEnum

import strawberry

from api.context import Info
from api.relay import After, First, PageInfo, check_first, decode_cursor, encode_cursor, page_info
from api.schema.inputs import said
from api.schema.nodes import Node
from api.schema.refusals import Refusal
from graph import concepts as naming
from graph.errors import Refused
from graph.ontology import define_concept
from graph.records import ConceptCard
from graph.rules.ontology import ConceptInput
from graph.rules.tags import canonical_prefix, canonical_tag

PREFIX = "concept:"
#: More concepts than a cursor passes over that this server made.
SKIP_MOST = 1_000_000_000


@strawberry.enum(description="Who tagged a message.")
class ConceptSource(StrEnum):
    """SENDER is a tag that it was sent with; AUTO was found in its text, after it was sent."""

    SENDER = "SENDER"
    AUTO = "AUTO"


@strawberry.type(description="What a tag stands for. Its id is 'concept:' and its name.")
class Concept(Node):
    """A concept that the caller may see."""

    name: str
    description: str | None
    registered: bool = strawberry.field(description="Whether an operator defined it; everybody sees those.")
    created_at: datetime

    @classmethod
    def of(cls, card: ConceptCard) -> "Concept":
        """Return the API's concept."""
        return cls(
            id=strawberry.ID(PREFIX + card.name),
            name=card.name,
            description=card.description,
            registered=card.registered,
            created_at=card.created_at,
        )

    @strawberry.field(description="Other names; a tag written so is this one.")
    async def aliases(self, info: Info) -> list[str]:
        """Return the aliases in order."""
        return list((await self._relations(info)).aliases)

    @strawberry.field(description="The concepts that include this one, by name.")
    async def broader(self, info: Info) -> list["Concept"]:
        """Return the next broader concepts."""
        return await load_concepts(info, (await self._relations(info)).broader)

    @strawberry.field(description="The concepts that this one includes, by name; at most 200.")
    async def narrower(self, info: Info) -> list["Concept"]:
        """Return the next narrower concepts."""
        return await load_concepts(info, (await self._relations(info)).narrower)

    @strawberry.field(description="Entries of your inbox with this tag, counted no further than 10,000.")
    async def entry_count(self, info: Info) -> int:
        """Return how many entries."""
        return (await self._counts(info)).entries

    @strawberry.field(description="Unread ones of them, counted no further than 10,000.")
    async def unread_count(self, info: Info) -> int:
        """Return how many unread entries."""
        return (await self._counts(info)).unread

    @strawberry.field(description="Whether there may be more than the counts say.")
    async def counts_capped(self, info: Info) -> bool:
        """Return whether counting stopped early."""
        return (await self._counts(info)).capped

    async def _relations(self, info: Info) -> naming.Relations:
        return await info.context.loaders.concept_relations.load(self.name) or naming.Relations((), (), ())

    async def _counts(self, info: Info) -> naming.Counts:
        return await info.context.loaders.concept_counts.load(self.name) or naming.Counts(0, 0, capped=False)


@strawberry.type(description="A concept of a message, and who tagged it so.")
class MessageConcept:
    """A concept on a message."""

    concept: Concept
    source: ConceptSource

    @classmethod
    def of(cls, tagged: naming.TaggedWith) -> "MessageConcept":
        """Return the API's concept of a message."""
        return cls(concept=Concept.of(tagged.concept), source=ConceptSource(tagged.source))


async def load_concept(info: Info, name: str) -> Concept | None:
    """Return the concept of that canonical name or alias; None for one that the caller may not see."""
    card = await info.context.loaders.concept.load(name)
    return None if card is None else Concept.of(card)


async def load_concepts(info: Info, names: tuple[str, ...]) -> list[Concept]:
    """Return the concepts of these names that the caller may see, in order."""
    found = await info.context.loaders.concept.load_many(names)
    return [Concept.of(card) for card in found if card is not None]


@strawberry.type
class ConceptEdge:
    """A concept and its place in the list."""

    cursor: str
    node: Concept


@strawberry.type(description="A page of concepts, by name.")
class ConceptConnection:
    """A page of concepts."""

    edges: list[ConceptEdge]
    page_info: PageInfo


@strawberry.input(description="Which concepts to list.")
class ConceptFilter:
    """A filter of concepts."""

    prefix: str | None = strawberry.field(default=strawberry.UNSET, description="How their names begin.")
    registered: bool | None = strawberry.UNSET


@strawberry.input(
    description="What an operator says of a concept. What is left out stays; lists take the place of those before."
)
class DefineConceptInput:
    """A concept to define."""

    name: str
    description: str | None = strawberry.UNSET
    aliases: list[str] | None = strawberry.field(
        default=strawberry.UNSET, description="Other names, none of them a registered concept or another's alias."
    )
    broader: list[str] | None = strawberry.field(
        default=strawberry.UNSET, description="Registered concepts that include this one."
    )


@strawberry.type(description="The concept as it is now.")
class DefineConceptPayload:
    """The result of defining."""

    concept: Concept | None = None
    refusal: Refusal | None = None


@strawberry.type
class ConceptQuery:
    """Queries of concepts."""

    @strawberry.field(description="The concepts that are registered, or on anything that you may see; by name.")
    async def concepts(
        self,
        info: Info,
        first: First = 20,
        after: After = None,
        filter: ConceptFilter | None = strawberry.UNSET,  # noqa: A002 - the contract's name
    ) -> ConceptConnection:
        """Return a page of concepts."""
        reader, graph = info.context.reader, info.context.graph
        key = decode_cursor("concepts", after, str, int)
        chosen = filter or ConceptFilter()
        page = await naming.concepts(
            graph.database,
            reader,
            canonical_prefix(said(chosen.prefix) or "", "prefix", graph.limits),
            said(chosen.registered),
            check_first(first, info.context.limits),
            None if key is None else (str(key[0]), min(max(int(key[1]), 0), SKIP_MOST)),
        )
        cursors = [encode_cursor("concepts", card.name, 0) for card in page.items]
        end = encode_cursor("concepts", *page.end) if page.has_next and page.end is not None else None
        edges = [
            ConceptEdge(cursor=cursor, node=Concept.of(card)) for card, cursor in zip(page.items, cursors, strict=True)
        ]
        return ConceptConnection(
            edges=edges, page_info=page_info(cursors, has_next=page.has_next, after=after, end=end)
        )

    @strawberry.field(description="One concept, by its name or an alias; null when there is none that you may see.")
    async def concept(self, info: Info, name: str) -> Concept | None:
        """Return a concept by its name."""
        info.context.identification.required()
        return await load_concept(info, canonical_tag(name, "name", info.context.graph.limits))


@strawberry.type
class ConceptMutation:
    """Mutations of the ontology."""

    @strawberry.mutation(description="Registers a concept, its aliases and what is broader. For operators.")
    async def define_concept(self, info: Info, input: DefineConceptInput) -> DefineConceptPayload:  # noqa: A002 - the contract's name
        """Define a concept."""
        graph = info.context.graph
        info.context.identification.required()
        aliases, broader = said(input.aliases), said(input.broader)
        try:
            info.context.begin_mutation()
            info.context.identification.operator()
            meant = ConceptInput(
                input.name,
                said(input.description),
                None if aliases is None else tuple(aliases),
                None if broader is None else tuple(broader),
            )
            name = await define_concept(graph.database, graph.clock, meant, graph.limits)
        except Refused as refused:
            return DefineConceptPayload(refusal=Refusal.of(refused))
        return DefineConceptPayload(concept=await load_concept(info, name))
