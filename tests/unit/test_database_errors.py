"""What the driver raises becomes our own tree in one place (DESIGN §3.12: failure is an error, never an empty page)."""

from typing import cast

import pytest
from neo4j import AsyncDriver
from neo4j import exceptions as driver_errors

from graph import errors
from graph.database import Database, _wrote, translated
from graph.queries import query


def _server_error(code: str) -> driver_errors.Neo4jError:
    return driver_errors.Neo4jError._hydrate_neo4j(code=code, message="as the server says it")


@pytest.mark.parametrize(
    ("raised", "becomes"),
    [
        (driver_errors.ServiceUnavailable("gone"), errors.DatabaseUnreachable),
        (driver_errors.SessionExpired("gone"), errors.DatabaseUnreachable),
        (ConnectionResetError("gone"), errors.DatabaseUnreachable),
        (_server_error("Neo.ClientError.Security.Unauthorized"), errors.DatabaseLoginFailed),
        (_server_error("Neo.ClientError.Schema.ConstraintValidationFailed"), errors.DatabaseConflict),
        (_server_error("Neo.ClientError.Transaction.TransactionTimedOut"), errors.DatabaseTimeout),
        (_server_error("Neo.TransientError.General.DatabaseUnavailable"), errors.DatabaseUnreachable),
        (_server_error("Neo.ClientError.Statement.SyntaxError"), errors.DatabaseError),
        (driver_errors.DriverError("odd"), errors.DatabaseError),
        (UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"), errors.Refused),
    ],
)
def test_each_kind_has_its_own(raised: Exception, becomes: type[errors.HeliographError]) -> None:
    with pytest.raises(errors.HeliographError) as caught, translated():
        raise raised
    assert type(caught.value) is becomes
    assert "as the server says it" not in caught.value.message


def test_a_broken_write_says_that_it_may_have_happened_and_what_to_do() -> None:
    """DESIGN §3.9: the connection may break after the commit; the same key again is always safe."""
    for writing, told in ((True, True), (False, False)):
        with pytest.raises(errors.DatabaseUnreachable) as caught, translated(writing=writing):
            raise driver_errors.ServiceUnavailable("gone")
        assert ("idempotencyKey" in caught.value.message) is told


class _Gone:
    """A driver whose server has just gone away."""

    async def execute_query(self, *_: object, **__: object) -> None:
        raise driver_errors.ServiceUnavailable("gone")


async def test_reading_back_after_a_write_does_not_sound_as_if_nothing_had_happened() -> None:
    database = Database(cast("AsyncDriver", _Gone()), "neo4j")
    for wrote in (False, True):
        token = _wrote.set(wrote)
        try:
            with pytest.raises(errors.DatabaseUnreachable) as caught:
                await database.fetch(query("health/component"))
        finally:
            _wrote.reset(token)
        assert ("idempotencyKey" in caught.value.message) is wrote
