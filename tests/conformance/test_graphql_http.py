"""GraphQL over HTTP: every server audit of the npm package graphql-http, one test each.

The ids are written down here, so that an audit which a new version of the package drops or adds is noticed.
"""

import pytest

Results = dict[str, dict[str, str | None]]

# fmt: off
AUDIT_IDS = [
    "22EB", "4655", "47DE", "80D8", "82A3", "BF61", "78D5", "2C94", "5A70", "9C48", "9ABE", "03D4",
    "A5BF", "423L", "LKJ0", "LKJ1", "LKJ2", "LKJ3", "34A2", "13EE", "6C00", "6C01", "6C02", "6C03",
    "8161", "B8B3", "94B0", "0220", "94B1", "0221", "94B2", "0222", "4760", "4761", "4762", "4763",
    "2EA1", "28B9", "D6D5", "6A70", "58B0", "58B1", "58B2", "58B3", "428F", "1B7A", "B6DC", "BCF8",
    "B7N8", "8764", "3E3A", "572B", "FDE2", "7B9B", "865D", "556A", "D586", "51FE", "74FF", "5E5B",
    "86EE",
]
# fmt: on


@pytest.mark.parametrize("audit_id", AUDIT_IDS)
async def test_audit_passes(audits: Results, audit_id: str) -> None:
    """The server does what the audit wants, be it a MUST, a SHOULD or a MAY."""
    result = audits[audit_id]
    assert result["status"] == "ok", f"{result['name']}: {result['reason']}"


async def test_no_audit_is_left_out(audits: Results) -> None:
    """The list above is all there is."""
    assert sorted(audits) == sorted(AUDIT_IDS)
    assert len(AUDIT_IDS) == 61
