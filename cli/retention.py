"""``heliograph retention``: delete old mail by a policy, an operator's act on the server's machine."""

from typing import Annotated

import typer

from cli.options import HomeOption, JsonOption
from cli.output import print_fields, print_json, remark
from cli.progress import Steps
from cli.running import opened, run
from graph.retention import apply_retention
from graph.rules.limits import MessageLimits
from graph.rules.retention import check_policy, days_of
from graph.rules.retention_ledger import RetentionReport
from graph.settings import load_settings

retention = typer.Typer(no_args_is_help=True, help="Delete old mail by a policy.")


@retention.callback()
def _group() -> None:
    """Keep ``run`` a command of its own while it is the only one."""


@retention.command("run")
def run_policy(
    older_than: Annotated[
        str | None, typer.Option("--older-than", help="Delete messages older than this: 90d, 12w or 2y.")
    ] = None,
    keep: Annotated[
        int | None, typer.Option("--keep", help="Keep so many of the newest entries of each mailbox.")
    ] = None,
    except_tags: Annotated[
        list[str] | None, typer.Option("--except-tag", help="Never delete messages with this tag. May be repeated.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count what would go, and change nothing.")] = False,
    home: HomeOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Delete what is too old or too much. It is safe to stop and to repeat; what others answered leaves its place."""
    days = None if older_than is None else days_of(older_than)
    policy = check_policy(days, keep, except_tags or (), MessageLimits())

    async def work() -> RetentionReport:
        async with opened(load_settings(home=home)) as graph:
            with Steps("Applying retention") as steps:
                return await apply_retention(graph.database, graph.clock, policy, dry_run=dry_run, progress=steps)

    report = run(work())
    if as_json:
        print_json(as_dict(report))
    else:
        show(report)


def as_dict(report: RetentionReport) -> dict[str, object]:
    """Return a report as plain data."""
    return {
        "dryRun": report.dry_run,
        "messages": report.messages,
        "entries": report.entries,
        "mailboxes": report.mailboxes,
        "tombstones": report.tombstones,
        "collected": report.collected,
        "oldest": None if report.oldest is None else report.oldest.isoformat(),
        "newest": None if report.newest is None else report.newest.isoformat(),
        "hasMore": report.has_more,
    }


def show(report: RetentionReport) -> None:
    """Print a report for a person."""
    fields = [
        ("messages", str(report.messages)),
        ("mailbox entries", str(report.entries)),
        ("mailboxes", str(report.mailboxes)),
        ("tombstones left", str(report.tombstones)),
        ("tombstones collected", str(report.collected)),
    ]
    if report.oldest is not None and report.newest is not None:
        fields += [("oldest", report.oldest.isoformat()), ("newest", report.newest.isoformat())]
    print_fields(fields, title="Would be deleted" if report.dry_run else "Deleted")
    if report.dry_run:
        remark("Nothing was changed; leave --dry-run out to delete.")
