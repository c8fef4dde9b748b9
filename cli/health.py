"""``heliograph health``: how the server is, whom it sees, and who this client thinks it is."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.client import Remote, ask, find_remote
from cli.options import JsonOption, KeyFileOption, UrlOption
from cli.output import print_fields, print_json, print_table, remark
from graph.errors import Unauthenticated

QUERY = """
query Health {
  health {
    status version schemaVersion
    engine { product version source }
    identity { source bound handle }
    mailbox {
      unreadCount
      inbox { uid unread deliveredAt message { id subject sender { handle } } }
      sent { id subject createdAt recipients { address kind } }
    }
  }
}
"""
_GOOD = "ok"


def health(
    url: UrlOption = None,
    key_file: KeyFileOption = None,
    home: Annotated[
        Path | None,
        typer.Option("--home", help="Home folder of a server on this machine, whose operator's key to use."),
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Show how the server is, whom it takes this client for, and where the client's own identity comes from.

    Ends with 0 when the server answers, is well, and knows the key if there is one; else with 1.
    """
    remote = find_remote(url, key_file, home)
    answer = ask(remote, QUERY)["health"]
    if as_json:
        print_json({"url": remote.url, "server": answer, "client": remote.client.as_dict()})
    else:
        _show(remote, answer)
    if remote.client.key is not None and not answer["identity"]["bound"]:
        raise Unauthenticated(
            f"The server does not know {remote.client.detail}: it was revoked, or belongs to another server. "
            "`heliograph key create HANDLE` makes a new one."
        )
    if answer["status"].lower() != _GOOD:
        raise typer.Exit(1)


def _show(remote: Remote, answer: Mapping[str, Any]) -> None:
    engine, seen, client = answer["engine"], answer["identity"], remote.client
    print_fields(
        [
            ("url", remote.url),
            ("status", answer["status"]),
            ("version", answer["version"]),
            ("schema", answer["schemaVersion"]),
            ("engine", f"{engine['product']} {engine['version']} ({engine['source']})"),
            ("identity", f"{seen['handle'] or 'nobody'} ({seen['source']}{'' if seen['bound'] else ', not bound'})"),
        ],
        title="Server",
    )
    print_fields(
        [("source", f"{client.source.value}: {client.detail}")]
        + ([("claims", client.handle)] if client.handle else []),
        title="Client",
    )
    if answer["mailbox"] is not None:
        _show_mailbox(answer["mailbox"])
    elif client.key is None:
        remark(
            "Without a key the server knows nobody: put one into HELIOGRAPH_KEY, or its file's path as key_file into "
            f"{remote.profile.path}. `heliograph key create HANDLE` makes one."
        )


def _show_mailbox(mailbox: Mapping[str, Any]) -> None:
    print_fields([("unread", str(mailbox["unreadCount"]))], title="Mailbox")
    if mailbox["inbox"]:
        print_table(
            ("uid", "unread", "from", "subject", "delivered"),
            (
                (
                    str(entry["uid"]),
                    "unread" if entry["unread"] else "",
                    entry["message"]["sender"]["handle"],
                    entry["message"]["subject"],
                    entry["deliveredAt"],
                )
                for entry in mailbox["inbox"]
            ),
            title="Newest in the inbox",
        )
    if mailbox["sent"]:
        print_table(
            ("to", "subject", "sent"),
            (
                (
                    ", ".join(recipient["address"] for recipient in message["recipients"]),
                    message["subject"],
                    message["createdAt"],
                )
                for message in mailbox["sent"]
            ),
            title="Newest sent",
        )
    if not mailbox["inbox"] and not mailbox["sent"]:
        remark("No mail yet: send some with the mutation sendMessage.")
