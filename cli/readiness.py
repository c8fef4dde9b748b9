"""What ``heliograph up`` says once it is ready: to people as text, to programs as a file or a line of JSON."""

import contextlib
import json
import os
import shlex
import tempfile
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from graph.bootstrap import Graph
from graph.engine.home import EngineHome
from graph.errors import ConfigurationError

_REQUEST = '{"query":"{ health { status } }"}'


@dataclass(frozen=True, slots=True)
class Ready:
    """A server that answers, and everything that its users need.

    ``password_file`` is None where the database is somebody else's, whose password Heliograph keeps nowhere.
    """

    url: str
    key_file: Path
    operator_key: SecretStr
    bolt_uri: str
    bolt_user: str
    bolt_password: SecretStr
    password_file: Path | None
    pid: int

    @classmethod
    def of(cls, graph: Graph, url: str, key_file: Path) -> "Ready":
        """Return what there is to say of an opened graph that is served at ``url``."""
        connection = graph.connection
        embedded = connection.source == "embedded"
        return cls(
            url=url,
            key_file=key_file,
            operator_key=SecretStr(key_file.read_text(encoding="ascii").strip()),
            bolt_uri=connection.uri,
            bolt_user=connection.username,
            bolt_password=connection.password,
            password_file=EngineHome(graph.settings.home).password_file if embedded else None,
            pid=os.getpid(),
        )

    @property
    def graphql_url(self) -> str:
        """Where GraphQL and the explorer are."""
        return f"{self.url}/graphql"

    def with_secrets(self) -> dict[str, object]:
        """Return the ready file's content."""
        return {
            "url": self.url,
            "graphqlUrl": self.graphql_url,
            "operatorKey": self.operator_key.get_secret_value(),
            "boltUri": self.bolt_uri,
            "boltPassword": self.bolt_password.get_secret_value(),
            "pid": self.pid,
        }

    def without_secrets(self) -> dict[str, object]:
        """Return what may be printed: the files of the secrets instead of the secrets."""
        return {
            "url": self.url,
            "graphqlUrl": self.graphql_url,
            "operatorKeyFile": str(self.key_file),
            "boltUri": self.bolt_uri,
            "boltUser": self.bolt_user,
            "boltPasswordFile": None if self.password_file is None else str(self.password_file),
            "pid": self.pid,
        }

    def as_text(self) -> str:
        """Return what a person reads. Each command stands on a line of its own and can be pasted as it is."""
        key = shlex.quote(str(self.key_file))
        if self.password_file is None:
            password, where = '"$NEO4J_PASSWORD"', "the password in NEO4J_PASSWORD"
        else:
            password, where = (
                f'"$(cat {shlex.quote(str(self.password_file))})"',
                f"the password in {self.password_file}",
            )
        request = (
            f'curl -s {self.graphql_url} -H "Authorization: Bearer $(cat {key})" '
            f"-H 'content-type: application/json' -d '{_REQUEST}'"
        )
        return "\n".join(
            (
                f"Heliograph answers at {self.url}",
                "",
                f"  GraphQL, explorer  {self.graphql_url}",
                f"  Operator's key     {self.key_file}",
                f"  Neo4j              {self.bolt_uri}, user {self.bolt_user}, {where}",
                "",
                "Ask it:",
                f"  {request}",
                "",
                "Register an agent, and make it a key:",
                f"  heliograph key create @ada --register --home {shlex.quote(str(self.key_file.parent))}",
                "",
                "Look into the graph, with Neo4j Browser at that address or with:",
                f"  cypher-shell -a {shlex.quote(self.bolt_uri)} -u {shlex.quote(self.bolt_user)} -p {password}",
                "",
            )
        )


def claim_ready_file(path: Path) -> None:
    """Remove what an earlier server left, so that nobody takes it for ready. Raises ConfigurationError."""
    try:
        path.unlink(missing_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise _unusable(path, error) from error


def write_ready_file(path: Path, ready: Ready) -> None:
    """Write the ready file, mode 0600, whole or not at all. Raises ConfigurationError when it cannot be written."""
    try:
        # Made beside the target, private from its first byte, and moved there when it is complete.
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(ready.with_secrets(), file)
                file.write("\n")
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise _unusable(path, error) from error


def remove_ready_file(path: Path) -> None:
    """Remove the ready file, so that nobody takes a server that has ended for ready. Does nothing where that fails."""
    with contextlib.suppress(OSError):
        path.unlink()


def _unusable(path: Path, error: OSError) -> ConfigurationError:
    return ConfigurationError(
        f"The ready file {path} cannot be written ({error.strerror or error}): give --ready-file a file in a folder "
        "that exists and that you may write."
    )
