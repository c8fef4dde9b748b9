"""The embedded server's own configuration file."""

from pathlib import Path

LOOPBACK = "127.0.0.1"

_FIXED = {
    # A hosted Neo4j, unlike an installed one, lets everybody in by default.
    "dbms.security.auth_enabled": "true",
    "server.bolt.enabled": "true",
    "server.http.enabled": "false",
    "server.https.enabled": "false",
    "dbms.usage_report.enabled": "false",
    # Without these two a clean shutdown waits ten seconds for connections that nobody uses.
    "internal.server.bolt.thread_pool_shutdown_wait_time": "0s",
    "internal.server.bolt.connection_shutdown_wait_time": "0s",
    # Nobody who may query should be able to read files through the server.
    "dbms.security.allow_csv_import_from_file_urls": "false",
    # Nor to have it ask anybody on the network: of all addresses none may be loaded from.
    "internal.dbms.cypher_ip_blocklist": "0.0.0.0/0,::/0",
    # What one transaction may hold on the heap, in all that it sorts, collects and is yet to write.
    "db.memory.transaction.max": "256m",
    "server.memory.pagecache.size": "512m",
    # A transaction log is preallocated at its full size, once for each database, and kept for recovery only.
    "db.tx_log.rotation.size": "32m",
    "db.tx_log.rotation.retention_policy": "64M size",
}


def write_conf(path: Path, port: int) -> None:
    """Write the file for a server that listens on that loopback port and nowhere else."""
    lines = {**_FIXED, "server.bolt.listen_address": f"{LOOPBACK}:{port}"}
    path.write_text("".join(f"{name}={value}\n" for name, value in lines.items()), encoding="utf-8")
