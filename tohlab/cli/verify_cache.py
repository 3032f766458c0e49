"""`tohlab model verify-cache`: the cache policy of llama.cpp held against the engine on this machine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tohlab.serve import CacheProof


@click.command("verify-cache")
@click.option(
    "--requests",
    type=click.IntRange(1),
    default=250,
    show_default=True,
    help="Random requests to each server.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the random edits.")
@click.option(
    "--server",
    "servers",
    multiple=True,
    metavar="NAME",
    help="Only this server, by its name in the table; may be given several times.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the same facts as JSON, mismatches in full.")
@click.pass_context
def command(ctx: click.Context, requests: int, seed: int, servers: tuple[str, ...], as_json: bool) -> None:
    """Whether the predicted reuse is what the engine on this machine reports.

    Servers of several kinds (slots, memory store, moved pieces) are started one after another on 127.0.0.1
    with a model of random weights. Each gets random requests: turns, repeats, edits of skills and tools,
    other sessions. The reused tokens that the policy predicts are compared with those that the server
    reports. Nothing is downloaded. Exit code 1 where they differ.

    \b
    Examples:
      tohlab model verify-cache                          eight servers, 250 requests each
      tohlab model verify-cache --requests 1000 --seed 7
      tohlab model verify-cache --server two-slots
    """
    from tohlab.serve import SETTINGS, proof_rows, prove_cache

    names = [setting.name for setting in SETTINGS]
    for name in servers:
        if name not in names:
            raise click.BadParameter(
                f"no server {name!r}; there are: {', '.join(names)}", param_hint="--server"
            )
    chosen = [setting for setting in SETTINGS if not servers or setting.name in servers]
    proofs: list[CacheProof] = []
    with _ProgressBar(len(chosen) * requests) as bar:
        for setting in chosen:
            bar.describe(setting.name)
            proofs.append(prove_cache(setting, requests=requests, seed=seed, progress=bar.advance))
    holds = all(proof.holds for proof in proofs)
    if as_json:
        row = {"holds": holds, "engine": proofs[0].engine, "servers": [proof.to_dict() for proof in proofs]}
        click.echo(json.dumps(row, indent=2))
    else:
        click.echo(f"engine {proofs[0].engine}, {proofs[0].model} model with random weights, seed {seed}\n")
        _print_table(proof_rows(proofs))
        for proof in proofs:
            for mismatch in proof.mismatches[:3]:
                click.echo(f"\n{proof.setting.name}, {mismatch.sentence}")
    if not holds:
        ctx.exit(1)


def _print_table(rows: list[tuple[str, ...]]) -> None:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        first, *rest = row
        cells = [
            first.ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True)),
        ]
        click.echo("  ".join(cells))


class _ProgressBar:
    """A progress bar on standard error; rich draws nothing where that is no terminal."""

    def __init__(self, total: int) -> None:
        self._total = total

    def __enter__(self) -> _ProgressBar:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._bar.start()
        self._task = self._bar.add_task("", total=self._total)
        return self

    def describe(self, what: str) -> None:
        self._bar.update(self._task, description=what)

    def advance(self) -> None:
        self._bar.advance(self._task)

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
