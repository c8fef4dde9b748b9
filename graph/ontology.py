"""The operators' ontology: which concepts are registered, what else they are called, and which are broader."""

from graph.clock import Clock
from graph.database import Database, Transaction
from graph.queries import query
from graph.rules.limits import MessageLimits
from graph.rules.ontology import ConceptInput, KnownConcept, check_broader, check_concept, check_names, cycle

LOCK, REGISTERED = query("concepts/lock"), query("concepts/registered")
PATH, DEFINE = query("concepts/path"), query("concepts/define")


async def define_concept(database: Database, clock: Clock, said: ConceptInput, limits: MessageLimits) -> str:
    """Register a concept, or say more of one, and return its canonical name.

    Raises Refused with INVALID_INPUT, LIMIT_EXCEEDED or RESERVED_TAG for what cannot be meant, NOT_FOUND for a broader
    concept that is not registered, and CONFLICT for an alias of another and for a circle; then nothing was stored.
    """
    meant = check_concept(said, limits)
    now = clock.now()

    async def work(tx: Transaction) -> str:
        rows = await tx.run(LOCK, {"names": sorted({meant.name, *(meant.aliases or ())}), "at": now})
        check_names(meant, {row["name"]: KnownConcept(row["registered"], row["aliasOf"]) for row in rows})
        registered = await tx.run(REGISTERED, {"names": meant.broader or ()})
        broader = check_broader(meant, {row["name"]: row["concept"] for row in registered} | _itself(meant))
        if broader:
            await _refuse_circles(tx, meant.name, broader)
        await tx.run(
            DEFINE,
            {
                "name": meant.name,
                "at": now,
                "description": meant.description,
                "aliases": meant.aliases,
                "broader": broader,
            },
        )
        return meant.name

    return await database.write(work)


def _itself(meant: ConceptInput) -> dict[str, str]:
    # It will be registered when this is done, and so will its aliases be aliases; the circle is what is wrong then.
    return dict.fromkeys((meant.name, *(meant.aliases or ())), meant.name)


async def _refuse_circles(tx: Transaction, name: str, broader: tuple[str, ...]) -> None:
    if name in broader:
        raise cycle([name, name])
    found = await tx.one(PATH, {"below": name, "above": broader})
    if found is not None:
        raise cycle([name, *found["names"]])
