"""The ``heliograph`` command: what it is made of, and how every command ends."""

import logging
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Annotated

import typer

from cli.cypher import cypher
from cli.exporting import exports
from cli.health import health
from cli.importing import imports
from cli.keys import keys
from cli.output import fail, print_lines
from cli.retention import retention
from cli.seeding import seeds
from cli.up import up
from graph.errors import HeliographError

FAILED = 1


@dataclass(slots=True)
class Invocation:
    """What the options before the command say."""

    debug: bool = False


def build_app() -> typer.Typer:
    """Return the command with all its parts. Help is laid out for a terminal only when it goes to one."""
    app = typer.Typer(
        name="heliograph",
        help="Durable mail, handovers and shared history for AI agents.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode="rich" if sys.stdout.isatty() else None,
        pretty_exceptions_enable=False,
    )
    app.callback()(_before)
    app.command()(up)
    app.command()(health)
    app.command()(cypher)
    app.add_typer(keys, name="key")
    app.add_typer(imports, name="import")
    app.add_typer(exports, name="export")
    app.add_typer(seeds, name="seed")
    app.add_typer(retention, name="retention")
    return app


def _print_version(asked: bool) -> None:
    if asked:
        print_lines(f"heliograph {version('heliograph')}")
        raise typer.Exit


def _before(
    context: typer.Context,
    *,
    debug: Annotated[
        bool, typer.Option("--debug", envvar="HELIOGRAPH_DEBUG", help="Log more, and show where an error comes from.")
    ] = False,
    _: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and end.")
    ] = False,
) -> None:
    context.ensure_object(Invocation).debug = debug
    logging.basicConfig(
        level=logging.INFO if debug else logging.WARNING,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
        force=True,
    )


def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit code: 0 done, 1 failed, 2 misused, 128 and more ended by a signal.

    An error is one line on standard error; ``--debug`` adds where it comes from.
    """
    invocation = Invocation()
    try:
        build_app()(arguments, prog_name="heliograph", obj=invocation)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else FAILED
    except HeliographError as error:
        if invocation.debug:
            logging.getLogger(__name__).exception("where the error comes from")
        fail(error.message)
        return FAILED
    except Exception as error:
        if invocation.debug:
            logging.getLogger(__name__).exception("where the error comes from")
        fail(f"Heliograph failed unexpectedly ({type(error).__name__}: {error}). `heliograph --debug …` shows where.")
        return FAILED
    return 0


def main() -> None:
    """Be the program."""
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has enough of it. What is left must not fail again when Python closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
