"""``heliograph import``: mail from outside, an operator's act on the server's machine."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.options import HomeOption, JsonOption
from cli.output import print_fields, print_json, print_table, remark
from cli.progress import Steps
from cli.running import opened, run
from graph.errors import DatabaseError
from graph.settings import load_settings

imports = typer.Typer(no_args_is_help=True, help="Bring in what was written elsewhere.")


@imports.command("mail")
def mail(
    path: Annotated[
        Path,
        typer.Argument(exists=True, readable=True, help="An mbox file, a Maildir, or a folder of .eml files."),
    ],
    into: Annotated[str, typer.Option(help="Address whose mailbox gets the mail, such as @archive.")],
    thread_by_subject: Annotated[
        bool,
        typer.Option("--thread-by-subject", help="Put replies that name no mail under one of the same subject."),
    ] = False,
    everything: Annotated[
        bool, typer.Option("--everything", help="Take what a Maildir's owner threw away, drafts and junk too.")
    ] = False,
    home: HomeOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Import mail. It is safe to repeat: mail that is already here is counted and not added again.

    Run it again after an interruption: it goes on from there. Exits with 1, after the report, when there was mail that
    could not be read.
    """
    # Imported here, so that the other commands do without a mail parser.
    from seed.mail.importing import import_mail
    from seed.mail.report import ImportReport

    async def work() -> ImportReport:
        async with opened(load_settings(home=home)) as graph:
            try:
                with Steps(f"Importing {path}") as steps:
                    return await import_mail(
                        graph, path, into, by_subject=thread_by_subject, everything=everything, progress=steps
                    )
            except (asyncio.CancelledError, DatabaseError):
                remark("The import was interrupted. What it added stays; the same command goes on from there.")
                raise

    report: Mapping[str, Any] = run(work()).as_dict()
    if as_json:
        print_json(report)
    else:
        show(report, into)
    _fail_for(report["skipped"])


@imports.command("jsonl")
def jsonl(
    path: Annotated[str, typer.Argument(metavar="FILE", help="A file with one JSON object a line, or - to read it.")],
    source: Annotated[
        str, typer.Option(help="Name of the system it comes from; within it an id is one message.")
    ] = "jsonl",
    create_identities: Annotated[
        bool, typer.Option("--create-identities", help="Make senders and recipients that are not here.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first line with a problem.")] = False,
    home: HomeOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Import messages of another system. It is safe to repeat: what is already here is counted and not added again.

    Exits with 1, after the report, when there were lines that could not be imported; the good ones are here then.
    """
    from seed.jsonl.importing import LinesInput, import_lines
    from seed.jsonl.report import LinesReport

    said = LinesInput(path, source, create_identities, strict)

    async def work() -> LinesReport:
        async with opened(load_settings(home=home)) as graph:
            with Steps(f"Importing {path}") as steps:
                return await import_lines(graph, said, progress=steps)

    report: Mapping[str, Any] = run(work()).as_dict()
    if as_json:
        print_json(report)
    else:
        show_lines(report)
    _fail_for(report["problems"])


def _fail_for(left_out: Mapping[str, Any]) -> None:
    """End with 1 if something was left out: what comes next, such as deleting the source, may rest on it."""
    if left_out["count"]:
        raise typer.Exit(1)


def show_lines(report: Mapping[str, Any]) -> None:
    """Print the report of importing lines: what was done, then what was wrong, line by line."""
    print_fields(
        [
            ("read", str(report["read"])),
            ("added", str(report["added"])),
            ("already here", str(report["alreadyPresent"])),
            ("repeated", str(report["repeated"])),
            ("mailbox entries", str(report["entries"])),
            ("new threads", str(report["threadsNew"])),
            ("identities made", str(report["identitiesCreated"])),
            ("answers to what is not here", str(report["missingParents"])),
            ("with problems", str(report["problems"]["count"])),
            ("seconds", f"{report['seconds']:.1f}"),
        ],
        title="Imported",
    )
    problems = report["problems"]["first"]
    if problems:
        rows = [(str(problem["line"]), problem["field"] or "", problem["message"]) for problem in problems]
        print_table(("line", "field", "problem"), rows, title="Lines that were not imported")
    if len(problems) < report["problems"]["count"]:
        remark(f"These are the first {len(problems)} of {report['problems']['count']} lines with problems.")
    if report["ignoredFields"]:
        fields = ", ".join(f"{name} ({count})" for name, count in report["ignoredFields"].items())
        remark(f"Fields that mean nothing here were ignored: {fields}.")


def show(report: Mapping[str, Any], into: str) -> None:
    """Print the report of a mail import: what was done, then what was wrong with the mail, if anything was."""
    print_fields(
        [
            ("read", str(report["read"])),
            *([("of them by an earlier run", str(report["readEarlier"]))] if report["readEarlier"] else []),
            ("added", str(report["added"])),
            *([("of them as read", str(report["addedRead"]))] if report["addedRead"] else []),
            ("already here", str(report["alreadyPresent"])),
            ("replies under a parent", str(report["repliesWithParent"])),
            ("new threads", str(report["threads"]["new"])),
            ("threads joined", str(report["threads"]["joined"])),
            ("seconds", f"{report['seconds']:.1f}"),
        ],
        title=f"Imported into {into}",
    )
    oddities = [
        ("could not be read", report["skipped"]),
        *((f"left out: {reason}", tally) for reason, tally in report["leftOut"].items()),
        ("here with other content", report["changed"]),
        ("repeated", report["duplicates"]),
        ("repeated with other content", report["conflictingDuplicates"]),
        ("answers mail that is not here", report["missingParents"]),
        ("answers itself in a circle", report["cycles"]),
        *((f"date: {source}", tally) for source, tally in report["dates"].items() if tally["names"]),
        *report["problems"].items(),
    ]
    rows = [(what, str(tally["count"]), ", ".join(tally["names"])) for what, tally in oddities if tally["count"]]
    if rows:
        print_table(("oddity", "mails", "such as"), rows, title="What was odd in it")
    if not report["read"]:
        remark("There was no mail in it: give an mbox file, a Maildir, or a folder with .eml files somewhere below it.")
