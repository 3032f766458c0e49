"""What `tohlab route batch` prints for a person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from tohlab.cli._console import make_console
from tohlab.cli._table import print_table, table
from tohlab.printable import printable

if TYPE_CHECKING:
    from tohlab.routing.batch import BatchState, Collection, Submission


def print_submission(found: Submission, store: str, console: Console | None = None) -> None:
    """Print what was submitted, and what was not."""
    say = _sayer(console)
    batches = "1 batch" if len(found.batch_ids) == 1 else f"{len(found.batch_ids)} batches"
    named = f": {', '.join(found.batch_ids)}" if found.batch_ids else ""
    say(f"submitted {found.submitted} requests in {batches}{named}")
    for count, what in (
        (found.stored, "are answered already"),
        (found.under_way, "are in a batch under way"),
        (found.refused, "were refused by the service before; --again submits them once more"),
    ):
        if count:
            say(f"{count} {what}")
    if found.submitted or found.under_way:
        say(f"collect them with: tohlab route batch collect --store {store} --wait")


def print_batches(found: Sequence[BatchState], console: Console | None = None) -> None:
    """Print where each batch is."""
    console = console or make_console()
    if not found:
        _sayer(console)("no batches")
        return
    rows = table("Batches", "batch", "model", "status", "done", "collected", right=("done",))
    for state in found:
        rows.add_row(
            Text(printable(state.batch_id or "(not made yet)")),
            Text(printable(state.model)),
            Text(printable(state.status)),
            f"{state.done}/{state.requests}",
            "yes" if state.collected else "no",
        )
    print_table(rows, console)
    for state in found:
        if state.detail:
            _sayer(console)(f"{state.batch_id}: {state.detail}")


def print_collection(found: Collection, store: str, console: Console | None = None) -> None:
    """Print what was collected, what failed, and what is to be done."""
    console = console or make_console()
    say = _sayer(console)
    print_batches(found.batches, console)
    say(f"{found.answered} new answers are in {store}")
    if found.expired:
        say(f"{found.expired} requests expired; submit again takes up only those")
    if found.failed:
        say("no answer: " + ", ".join(f"infra:{kind} {count}" for kind, count in found.failed))
    for count, what in (
        (found.duplicates, "lines were for a request that had one already (the first one counts)"),
        (found.unknown, "lines were for requests that are in no such batch (not stored)"),
        (found.unreadable, "lines were not whole; --again reads them once more"),
    ):
        if count:
            say(f"{count} {what}")
    if found.other_models:
        names = ", ".join(found.other_models)
        say(
            f"answers of another model were not stored: {names}. If that is the same model: "
            f"tohlab route batch collect --store {store} --again --answers-as NAME"
        )
    if found.under_way:
        say(f"{found.under_way} requests are under way; --wait waits for them")


def _sayer(console: Console | None) -> _Sayer:
    return _Sayer(console or make_console())


class _Sayer:
    def __init__(self, console: Console) -> None:
        self._console = console

    def __call__(self, text: str) -> None:
        self._console.print(Text(printable(text, lines=True)))
