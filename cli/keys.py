"""``heliograph key``: issue, list and revoke keys straight on the graph, as an operator on the server's machine."""

from datetime import datetime
from typing import Annotated

import typer

from cli.options import HomeOption, JsonOption
from cli.output import print_json, print_lines, print_table, remark
from cli.running import opened, run
from graph.errors import RefusalCode, Refused
from graph.identities import IdentityKind, NewIdentity, identity_cards, register
from graph.keys import IssuedKey, NewKey, Scope, issued_keys, revoke
from graph.rules.addresses import check_handle
from graph.settings import load_settings

keys = typer.Typer(no_args_is_help=True, help="Issue, list and revoke the keys that identities sign in with.")

ANALYST_READS = (
    "Who holds a key of scope analyst reads everything in this graph: every mailbox, every message and handover, "
    "and the private memories of every agent. Each request with it is logged."
)

HandleArgument = Annotated[str, typer.Argument(help="Whose key, such as @ada.")]


@keys.command("create")
def create(
    handle: HandleArgument,
    scope: Annotated[
        list[Scope] | None,
        typer.Option(
            help="agent (the default) acts as the identity; operator also manages the server; analyst reads everything "
            "and writes nothing, unless agent is said too. Say it again for each."
        ),
    ] = None,
    register_it: Annotated[bool, typer.Option("--register", help="Register the identity first.")] = False,
    kind: Annotated[IdentityKind, typer.Option(help="With --register: what the identity is.")] = IdentityKind.AGENT,
    display_name: Annotated[str | None, typer.Option(help="With --register: the identity's name for people.")] = None,
    home: HomeOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Issue a key to an identity and print it. It cannot be shown again."""
    if display_name is not None and not register_it:
        raise typer.BadParameter("it belongs to --register, which is not given", param_hint="--display-name")
    identity = NewIdentity(check_handle(handle, "HANDLE"), display_name, kind)
    said = list(dict.fromkeys(scope or [Scope.AGENT]))
    # Who manages the server acts as himself too; who analyses it need not.
    scopes = {*said, Scope.AGENT} if Scope.OPERATOR in said else set(said)
    named = ",".join(said)

    async def work() -> NewKey:
        async with opened(load_settings(home=home)) as graph:
            if register_it:
                await register(graph.database, graph.clock, identity, graph.limits)
            return await graph.keys.issue(graph.database, graph.clock, identity.handle, scopes)

    key = run(work())
    if Scope.ANALYST in scopes:
        remark(ANALYST_READS)
    if as_json:
        print_json({"handle": identity.handle, "scope": named, "key": key.secret.get_secret_value(), "id": key.id})
        return
    remark(f"A key of scope {named} for {identity.handle}; keep it, for it cannot be shown again:")
    print_lines(key.secret.get_secret_value())


@keys.command("list")
def list_keys(handle: HandleArgument, home: HomeOption = None, *, as_json: JsonOption = False) -> None:
    """List the keys that were issued to an identity, oldest first; never the keys themselves."""
    owner = check_handle(handle, "HANDLE")

    async def work() -> list[IssuedKey]:
        async with opened(load_settings(home=home)) as graph:
            if not await identity_cards(graph.database, [owner]):
                raise Refused(
                    RefusalCode.NOT_FOUND,
                    f"HANDLE {owner!r} is nobody here; register it with `heliograph key create {owner} --register`.",
                    field="HANDLE",
                )
            return await issued_keys(graph.database, owner)

    found = run(work())
    if as_json:
        print_json([_as_dict(key) for key in found])
    elif not found:
        remark(f"{owner} has no keys; make one with `heliograph key create {owner} `.")
    else:
        print_table(
            ("id", "scopes", "created", "revoked"),
            ((key.id, ",".join(key.scopes), _moment(key.created_at), _moment(key.revoked_at)) for key in found),
        )


@keys.command("revoke")
def revoke_key(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="The key's id, as `heliograph key list` shows it.")],
    home: HomeOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Revoke a key: from the next request on it opens nothing."""

    async def work() -> str:
        async with opened(load_settings(home=home)) as graph:
            return await revoke(graph.database, graph.clock, key_id)

    owner = run(work())
    if as_json:
        print_json({"id": key_id, "handle": owner})
    else:
        print_lines(f"Revoked {key_id} of {owner}.")


def _as_dict(key: IssuedKey) -> dict[str, object]:
    return {
        "id": key.id,
        "scopes": list(key.scopes),
        "createdAt": key.created_at.isoformat(),
        "revokedAt": None if key.revoked_at is None else key.revoked_at.isoformat(),
    }


def _moment(at: datetime | None) -> str:
    return "" if at is None else at.isoformat(sep=" ", timespec="seconds")
