"""The functions and procedures that an analyst's query may call, and the words that only look like calls.

What is not named here is refused, so that a newer Neo4j brings nothing in by itself. Left out on purpose: ``reduce``
and ``allReduce`` (loops within one expression), ``file`` and ``linenumber``, and everything of plugins.
"""

PROCEDURES = frozenset(
    {
        "db.labels",
        "db.relationshipTypes",
        "db.propertyKeys",
        "db.index.fulltext.queryNodes",
        "db.index.fulltext.queryRelationships",
    }
)

_TESTS = "exists isempty isnan"
_VALUES = """
    coalesce elementid endnode head id last length nullif properties randomuuid size startnode timestamp
    toboolean tobooleanornull tofloat tofloatornull tointeger tointegerornull tostring tostringornull type valuetype
    char_length character_length
"""
_AGGREGATES = "avg collect count max min percentilecont percentiledisc stdev stdevp sum"
_LISTS = """
    keys labels nodes range relationships reverse tail tobooleanlist tofloatlist tointegerlist tostringlist
"""
_NUMBERS = """
    abs acos asin atan atan2 ceil cos cosh cot coth degrees e exp floor haversin log log10 pi radians rand round sign
    sin sinh sqrt tan tanh
"""
_TEXTS = """
    btrim left lower ltrim normalize replace right rtrim split substring tolower toupper trim upper
"""
_TIMES = """
    date date.truncate datetime datetime.fromepoch datetime.fromepochmillis datetime.truncate duration duration.between
    duration.indays duration.inmonths duration.inseconds localdatetime localdatetime.truncate localtime
    localtime.truncate time time.truncate
"""
_PLACES = """
    point point.distance point.withinbbox vector.similarity.cosine vector.similarity.euclidean
"""
_PATHS = "shortestpath allshortestpaths"

FUNCTIONS = frozenset(
    f"{_TESTS} {_VALUES} {_AGGREGATES} {_LISTS} {_NUMBERS} {_TEXTS} {_TIMES} {_PLACES} {_PATHS}".split()
)

#: Called with ``(x IN list WHERE …)``: each is a loop over the list.
LIST_TESTS = frozenset({"all", "any", "none", "single"})

#: Words of the language after which a bracket opens that is no call.
_CLAUSES = """
    call distinct filter let limit match offset optional order return skip union unwind using where with yield
    all any group groups path paths scan seek
"""
_OPERATORS = """
    and as asc ascending by case contains desc descending else end ends exists in is not null on or starts then when xor
"""
BEFORE_BRACKETS = frozenset(f"{_CLAUSES} {_OPERATORS}".split())

#: Clauses that stand before a bracket as calls do, and write.
WRITING = frozenset({"create", "merge", "delete", "insert", "foreach"})

#: What a query may begin with. EXPLAIN, PROFILE and CYPHER with its options come first where they come, so are refused.
BEGINNINGS = frozenset({"match", "optional", "with", "unwind", "return", "call"})

#: Words that a plan does not show for what they do, wherever they stand, and what is wrong with each.
FORBIDDEN = {
    "use": "USE reads another database or graph",
    "load": "LOAD reads files and addresses",
    "transactions": "TRANSACTIONS belong to the server",
    "repeatable": "REPEATABLE walks circles without end",
    "shortest": "SHORTEST finds paths in steps that nothing stops (shortestPath() and allShortestPaths() can be)",
}
