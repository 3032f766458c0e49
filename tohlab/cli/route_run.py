"""What a live run needs around it: where its answers are kept, and a bar while it asks."""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tohlab.printable import printable

if TYPE_CHECKING:
    from rich.console import Console

    from tohlab.routing import Progress, ReplyStore, RoutingReport


def check_scored(reports: Mapping[str, RoutingReport | None]) -> None:
    """End a command whose report is printed with exit code 3 where a run gives no verdict, and say so.

    Args:
        reports: what each run found, by the run's name (empty for a single one); None for no score.

    Raises:
        click.exceptions.Exit: fewer than half of a run's answers could be scored.
    """
    found = {name: "none" if report is None else report.too_few for name, report in reports.items()}
    poor = [f"{name}: {told}" if name else told for name, told in found.items() if told]
    if poor:
        why = printable("; ".join(poor))
        click.echo(
            f"tohlab: no verdict, fewer than half of the answers could be scored: {why}; ask again", err=True
        )
        raise click.exceptions.Exit(3)


@contextlib.contextmanager
def kept_answers(path: str | None, *, live: bool, mode: str | None) -> Iterator[ReplyStore | None]:
    """The store that was asked for; a live run without one gets a file of its own, deleted at a good end."""
    from tohlab.routing import ReplyStore

    if path is not None or not live:
        with _ended_like_ctrl_c(live), ReplyStore(path or ":memory:") as store:
            yield store
        return
    if mode == "off":
        yield None
        return
    name = _new_file()
    answers = 0
    finished = False
    try:
        with _ended_like_ctrl_c(), ReplyStore(name) as store:
            try:
                yield store
                finished = True
            except BaseException as error:
                if name not in str(error) and len(store):
                    click.echo(f"the answers are kept in {name}; go on with --store {name}", err=True)
                raise
            finally:
                answers = len(store)
    finally:
        if finished or not answers:
            for suffix in ("", "-wal", "-shm"):
                Path(name + suffix).unlink(missing_ok=True)


@contextlib.contextmanager
def _ended_like_ctrl_c(live: bool = True) -> Iterator[None]:
    """While a run asks, SIGTERM (`kill`, a scheduler's end of a job) stops it as Ctrl-C does: it says what
    was answered, where that is, and how to go on."""
    if not live or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


def _new_file() -> str:
    try:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tohlab" / "runs"
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix="route-", suffix=".sqlite", dir=folder)
    except (OSError, RuntimeError):  # no home, or one that cannot be written
        handle, name = tempfile.mkstemp(prefix="tohlab-route-", suffix=".sqlite")
    os.close(handle)
    return name


@contextlib.contextmanager
def progress_bar(live: bool) -> Iterator[Callable[[Progress], None] | None]:
    """A bar on standard error that says why nothing moves; none where nobody watches."""
    if not live:
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
    )
    from rich.progress import Progress as Bar

    console: Console = Console(stderr=True)
    columns = (
        TextColumn("asking"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None)

        def show(progress: Progress) -> None:
            notes = [f"{progress.failed} failed"] if progress.failed else []
            notes += [f"{progress.at_once} at once"] if progress.at_once > 1 else []
            notes += [f"waiting: {progress.waiting}"] if progress.waiting else []
            bar.update(task, total=progress.total, completed=progress.done, description=", ".join(notes))

        yield show
