"""What `tohlab route --dry-run` prints: what is wrong, who is near whom, and what asking would use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from tohlab.cli._console import make_console
from tohlab.cli._table import print_table, table
from tohlab.printable import printable

if TYPE_CHECKING:
    from tohlab.routing.budget import Estimate
    from tohlab.routing.lints import LintReport

_SHOWN = 12


def print_dry_run(found: LintReport, estimate: Estimate | None, console: Console | None = None) -> None:
    """Print the lints, the nearest neighbours and the estimate."""
    console = console or make_console()

    def say(text: str) -> None:
        console.print(Text(printable(text, lines=True)))

    say(
        f"{found.dataset}: {found.n_cases} cases, {found.n_skills} skills, dialect {found.dialect}; nothing "
        f"is asked. {_many(found.count('error'), 'error')}, {_many(found.count('warning'), 'warning')}"
    )
    for lint in found.lints:
        where = f" (line {', '.join(map(str, lint.lines[:4]))})" if lint.lines else ""
        say(f"{lint.level}: {lint.message}{where} [{lint.code}]")
    near = table("Nearest neighbours", "skill", "most like", "cosine", right=("cosine",))
    for row in found.neighbours[:_SHOWN]:
        near.add_row(Text(printable(row.skill)), Text(printable(row.neighbour)), f"{row.cosine:.2f}")
    if len(found.neighbours) > _SHOWN:
        near.caption = f"{len(found.neighbours) - _SHOWN} more; all of them with --json"
    if found.neighbours:
        print_table(near, console)
    if estimate is None:
        say("no estimate: correct the errors first")
        return
    longest = "" if estimate.completion_tokens is None else f", at most {estimate.completion_tokens:,} out"
    money = ""
    if estimate.low_usd is not None:
        most = "more" if estimate.high_usd is None else f"{estimate.high_usd:.4f}"
        money = f"; {estimate.low_usd:.4f} to {most} USD"
    kept = f" ({estimate.stored} more are in the store)" if estimate.stored else ""
    say(
        f"to be asked: {estimate.requests} requests{kept}, {estimate.prompt_tokens:,} tokens in "
        f"({estimate.meter}, without the service's template){longest}{money}"
    )


def _many(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"
