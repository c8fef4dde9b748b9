"""``heliograph seed``: a story to look at, told to a running server over its API."""

from collections.abc import Mapping

import typer
from pydantic import SecretStr

from cli.client import find_remote
from cli.options import HomeOption, JsonOption, KeyFileOption, UrlOption
from cli.output import print_fields, print_json, remark
from cli.progress import Steps
from cli.running import run
from graph.errors import Unauthenticated

seeds = typer.Typer(no_args_is_help=True, help="Put something to look at into a running server.")


@seeds.callback()
def _group() -> None:
    """Keep ``demo`` a command of its own while it is the only one."""


@seeds.command("demo")
def demo(
    url: UrlOption = None, key_file: KeyFileOption = None, home: HomeOption = None, *, as_json: JsonOption = False
) -> None:
    """Load the demo with an operator's key: a session that hands over to the next, and the mail around it."""
    remote = find_remote(url, key_file, home)
    if remote.client.key is None:
        raise Unauthenticated(
            "Loading the demo needs an operator's key: give --key-file the file that `heliograph up` names, or --home "
            "the server's home folder."
        )
    summary = run(load_demo(remote.url, remote.client.key))
    if as_json:
        print_json(dict(summary))
    else:
        print_fields(((name, str(value)) for name, value in summary.items()), title="The demo is loaded")
        remark(f"Look at it in the explorer: {remote.graphql_url}")


async def load_demo(url: str, operator_key: SecretStr) -> Mapping[str, object]:
    """Load the demo, showing how it goes on, and return what was done, in figures."""
    # Imported here, so that the other commands do without it.
    from seed.demo import load

    with Steps("Loading the demo") as steps:
        summary = await load(url, operator_key.get_secret_value(), progress=steps)
    return summary.as_dict()
