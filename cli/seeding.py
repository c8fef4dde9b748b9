"""``heliograph seed``: a story to look at, told to a running server over its API."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import typer
from pydantic import SecretStr

from cli.client import find_operator
from cli.options import HomeOption, JsonOption, KeyFileOption, UrlOption
from cli.output import print_fields, print_json, print_lines, remark
from cli.progress import Steps
from cli.running import run
from graph.errors import Unauthenticated

if TYPE_CHECKING:
    from seed.demo import DemoSummary

seeds = typer.Typer(no_args_is_help=True, help="Put something to look at into a running server.")


@seeds.callback()
def _group() -> None:
    """Keep ``demo`` a command of its own while it is the only one."""


@seeds.command("demo")
def demo(
    url: UrlOption = None, key_file: KeyFileOption = None, home: HomeOption = None, *, as_json: JsonOption = False
) -> None:
    """Load the demo with an operator's key: a session that hands over to the next, and the mail around it."""
    remote = find_operator(url, key_file, home)
    if remote.client.key is None:
        raise Unauthenticated(
            "Loading the demo needs an operator's key: give --key-file the file that `heliograph up` names, or --home "
            "the server's home folder."
        )
    summary = run(load_demo(remote.url, remote.client.key))
    if as_json:
        print_json(
            {
                "alreadyThere": summary.already_there,
                "written": summary.as_dict(),
                "keys": dict(summary.keys),
                "looks": [asdict(look) for look in summary.looks],
            }
        )
    else:
        show_demo(summary, remote.graphql_url)


def show_demo(summary: "DemoSummary", graphql_url: str) -> None:
    """Say what was told, with the keys, which are shown this once, and queries to look at it with."""
    if summary.already_there:
        remark("The demo is there already; nothing was added, and its keys were shown when it was loaded.")
        remark("`heliograph key create HANDLE` issues another key to one of its agents.")
    else:
        print_fields(((name, str(value)) for name, value in summary.as_dict().items()), title="The demo is loaded")
        print_fields(summary.keys.items(), title="Its keys, shown this once")
    for look in summary.looks:
        print_lines(f"\n{look.shows}, with the key of {look.handle}, at {graphql_url}:\n{look.query}")


async def load_demo(url: str, operator_key: SecretStr) -> "DemoSummary":
    """Load the demo, showing how it goes on, and return what was done."""
    # Imported here, so that the other commands do without it.
    from seed.demo import load

    with Steps("Loading the demo") as steps:
        return await load(url, operator_key.get_secret_value(), progress=steps)
