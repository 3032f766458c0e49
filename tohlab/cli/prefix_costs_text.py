"""What `tohlab prefix` prints of edits by caches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

from tohlab.cli._harness import print_whole
from tohlab.cli.prefix_session import notes_of, reported_line
from tohlab.printable import printable

if TYPE_CHECKING:
    from tohlab.edits import EditUse, Recorded, Scene, SessionUse
    from tohlab.prefix.append_only import AppendOnlyCheck


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """What an edit keeps of what was sent, whatever the cache."""

    scene: Scene
    edit: str
    title: str
    shared_tokens: int
    total_tokens: int
    keepable_tokens: int

    @property
    def kept_share(self) -> float:
        return self.shared_tokens / self.keepable_tokens if self.keepable_tokens else 1.0

    @property
    def share(self) -> float:
        return self.shared_tokens / self.total_tokens if self.total_tokens else 1.0


def print_all(
    edits: tuple[Any, ...] | None,
    rows: Sequence[EditUse],
    bounds: Sequence[Bound],
    check: AppendOnlyCheck | None,
    uses: Sequence[SessionUse],
    recorded: Sequence[Recorded] = (),
) -> None:
    if check is not None:
        click.echo(clean(check.sentence))
        click.echo(f"kept {check.shared_tokens:,} of {check.before_tokens:,} tokens ({check.kept_share:.1%})")
        if not check.append_only:
            click.echo("note: requests are counted from 0, so the first one is request 0")
        for use in uses:
            click.echo(clean(use.sentence))
        said: dict[str, list[str]] = {}
        for use in uses:
            for note in use.notes:
                said.setdefault(note, []).append(use.setup)
        for note, names in said.items():
            click.echo(clean(f"note: {', '.join(names)}: {note}"))
        for line in (reported_line(recorded), *notes_of(recorded)):
            if line:
                click.echo(clean(line))
        click.echo()
    if rows:
        _print_costs(rows, [one.body.model for one in recorded], one_edit=edits is not None)
    else:
        _print_bounds(bounds)
    if edits is None:
        for scene in dict.fromkeys(bound.scene.title for bound in bounds):
            missing = next(b.scene.missing for b in bounds if b.scene.title == scene)
            for why in dict.fromkeys(missing.values()):
                which = ", ".join(edit for edit in missing if missing[edit] == why)
                click.echo(clean(f"{scene}: no row for {which}: {why}"))


def _table(title: str | None, heads: Sequence[str], right: Sequence[str]) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 0),
    )
    for head in heads:
        table.add_column(head, justify="right" if head in right else "left", no_wrap=True)
    return table


def _print_costs(rows: Sequence[EditUse], models: Sequence[str], *, one_edit: bool) -> None:
    scenes = dict.fromkeys((row.scene, row.when) for row in rows)
    if len(scenes) > 1:
        _print_side_by_side(rows)
    for scene, when in scenes if len(scenes) == 1 else ():
        own = [row for row in rows if (row.scene, row.when) == (scene, when)]
        told = f"; a change of the skills: {own[0].how}" if own[0].how else ""
        click.echo(clean(f"{scene} ({when}{told})"))
        if one_edit:
            _print_one_edit(own)
        else:
            _print_grid(own, "share")
            if any(row.cost_usd is not None for row in own):
                _print_grid(own, "cost")
    for line in _notes(rows, models, one_edit=one_edit and len(scenes) == 1):
        click.echo(line)


def _print_side_by_side(rows: Sequence[EditUse]) -> None:
    """Harnesses as rows: by edits for one cache, by caches for one edit, else a table for each cache."""
    from tohlab.edits.names import SKILL_EDITS

    setups = tuple(dict.fromkeys(row.setup for row in rows))
    edits = tuple(dict.fromkeys(row.edit for row in rows))
    told = f"({rows[0].when}); tokens of {rows[0].meter}, {rows[0].renderer} renderer"
    priced = any(row.cost_usd is not None for row in rows)
    if len(edits) == 1 and len(setups) > 1:
        click.echo(clean(f"{rows[0].title}: % of the next request that is read, each harness {told}"))
        _print_harnesses(rows, setups, lambda row: row.setup, _percent)
        if priced:
            click.echo("US dollars for a thousand such requests' input")
            _print_harnesses(rows, setups, lambda row: row.setup, _dollars)
        return
    if len(edits) == 1:
        click.echo(clean(f"{rows[0].title}, {setups[0]}, each harness {told}"))
        _print_numbers(rows, tuple(row.dialect or row.scene for row in rows), "harness")
        return
    shown = edits if len(setups) == 1 else ("append", *SKILL_EDITS)
    same: dict[tuple[str, ...], list[str]] = {}
    for setup in setups:
        cells = tuple(_percent(row) for row in rows if row.setup == setup and row.edit in shown)
        same.setdefault(cells, []).append(setup)
    for names in same.values():  # caches that read the same are told once
        own = [row for row in rows if row.setup == names[0]]
        click.echo(clean(f"{', '.join(names)}: % of the next request that is read, each harness {told}"))
        _print_harnesses(own, [edit for edit in edits if edit in shown], lambda row: row.edit, _percent)
    rest = [edit for edit in edits if edit not in shown]
    if rest:
        click.echo(
            f"Not shown here, where only the edits of skills are: {', '.join(rest)}. One of them with its "
            "numbers: --edit NAME; all of one harness: --dialect NAME; all: --json"
        )


def _percent(row: EditUse) -> str:
    return f"{int(100 * row.reused_share)}"


def _dollars(row: EditUse) -> str:
    return "-" if row.cost_usd is None else f"{float(row.cost_usd) * 1000:.1f}"


def _print_harnesses(
    rows: Sequence[EditUse],
    columns: Sequence[str],
    column_of: Callable[[EditUse], str],
    text: Callable[[EditUse], str],
) -> None:
    """A row for each harness with how it tells of a change, in as many tables as the width asks for."""
    found = {(row.scene, column_of(row)): row for row in rows}
    first = {row.scene: row for row in rows}
    names = [(row.dialect or row.scene, row.how or "-") for row in first.values()]
    lines = [
        [text(found[scene, column]) if (scene, column) in found else "-" for column in columns]
        for scene in first
    ]
    _print_columns(("harness", "on a change"), names, columns, lines)


def _print_numbers(rows: Sequence[EditUse], names: Sequence[str], head: str) -> None:
    """One edit's numbers."""
    heads = ("of", "shared", "read", "%", "lost", "$/1000", "turns", "even")
    lines = [
        [
            f"{row.total_tokens:,}",
            f"{row.shared_tokens:,}",
            f"{row.read_tokens:,}",
            _percent(row),
            f"{row.lost_tokens:,}",
            _dollars(row),
            "-" if row.turns_worth is None else f"{row.turns_worth:.1f}",
            "-" if row.break_even_turns is None else f"{row.break_even_turns:,}",
        ]
        for row in rows
    ]
    _print_columns((head,), [(name,) for name in names], heads, lines)


def _print_columns(
    heads: Sequence[str],
    names: Sequence[Sequence[str]],
    columns: Sequence[str],
    lines: Sequence[Sequence[str]],
) -> None:
    from rich.text import Text

    from tohlab.cli._console import make_console

    console = make_console()
    named = [[clean(cell) for cell in row] for row in names]
    left = sum(max(map(len, (head, *(row[i] for row in named)))) + 1 for i, head in enumerate(heads))
    widths = [max(len(column), *(len(line[j]) for line in lines)) for j, column in enumerate(columns)]
    for group in _groups(widths, console.width - left - 2):
        shown = [columns[j] for j in group]
        table = _table(None, (*heads, *shown), shown)
        for row, line in zip(named, lines, strict=True):
            table.add_row(*(Text(cell) for cell in row), *(line[j] for j in group))
        print_whole(console, table)


def _groups(widths: Sequence[int], room: int) -> list[list[int]]:
    """Columns in as many groups as a width asks for, at least one in each."""
    groups: list[list[int]] = [[]]
    for j, width in enumerate(widths):
        if groups[-1] and sum(widths[k] + 1 for k in groups[-1]) + width + 1 > room:
            groups.append([])
        groups[-1].append(j)
    return groups


def _print_one_edit(rows: Sequence[EditUse]) -> None:
    click.echo(f"{rows[0].title}, in tokens ({rows[0].meter}, {rows[0].renderer} renderer)")
    _print_numbers(rows, [row.setup for row in rows], "cache")
    for row in rows:
        click.echo(clean(f"- {row.setup}: {row.sentence}"))


def _print_grid(rows: Sequence[EditUse], shown: Literal["share", "cost"]) -> None:
    """Edits by caches."""
    from tohlab.edits import EditGrid

    grid = EditGrid.of(rows, shown, titles=False)
    click.echo(clean(grid.title))
    lines = [[grid.text(value) for value in line] for line in grid.cells]
    _print_columns(("edit",), [(name,) for name in grid.rows], grid.columns, lines)


def _notes(rows: Sequence[EditUse], models: Sequence[str], *, one_edit: bool) -> list[str]:
    """What stands below a table; `models` are those that a session's bodies name, one each."""
    from tohlab.edits import get_setups
    from tohlab.prefix.policies import get_policy

    notes = [
        "shared: the longest common prefix, the most that any cache could read; lost: what the same request "
        "without the edit would read; turns: for how many appended turns its input would pay; even: so many "
        "turns until shorter requests have paid for the edit."
        if one_edit
        else "LCP: the longest common prefix, the most that any cache could read. One edit with its tokens, "
        "its price and the reason: --edit NAME"
    ]
    priced = {row.setup: row for row in rows if row.price_model}
    notes += [_price_note(row) for row in priced.values()]
    named = get_setups(tuple(dict.fromkeys(row.setup for row in rows if not row.price_model)))
    notes += [f"{setup.name}: no price: {setup.no_price}" for setup in named]
    notes += [
        f"{policy}: rules are {status}"
        for policy, status in dict.fromkeys((r.policy, r.status) for r in rows)
    ]
    for policy in dict.fromkeys(row.policy for row in rows):
        notes += [
            f"{policy}: assumed: {knob.name} {knob.value:,g} ({knob.low:,g} to {knob.high:,g}): {knob.source}"
            for knob in get_policy(policy).assumed_for(models)
        ]
        notes += [f"{policy}: not modelled: {text}" for text in get_policy(policy).not_modelled]
    return notes


def _price_note(row: EditUse) -> str:
    told = [f"{row.setup}: input prices of {row.price_model}", row.price_date, row.price_status]
    if row.price_expiry:
        told.append(row.price_expiry)
    return clean(", ".join(told) + (f". {row.price_note}" if row.price_note else ""))


def warn_of_expired(rows: Sequence[EditUse]) -> None:
    """Say on standard error which prices no longer hold on a day."""
    for setup, model, said in dict.fromkeys(
        (row.setup, row.price_model, row.price_expiry) for row in rows if row.price_expired
    ):
        text = f"warning: {setup}: the price of {model} {said}"
        click.echo(clean(f"{text}; give a newer one with --prices"), err=True)


def _print_bounds(bounds: Sequence[Bound]) -> None:
    from rich.text import Text

    from tohlab.cli._console import make_console

    right = ("of", "shared", "%")
    table = _table(
        "The most that any cache could read of the next request", ("harness", "edit", *right), right
    )
    for bound in bounds:
        name = bound.scene.dialect or bound.scene.title
        share = f"{int(100 * bound.share)}"
        cells = (f"{bound.total_tokens:,}", f"{bound.shared_tokens:,}", share)
        table.add_row(Text(clean(name)), Text(bound.title), *cells)
    print_whole(make_console(), table)
    click.echo("Caches read less: name one with --policy, or all of them with --policy all.")


def print_gate(
    fail_under: float | None,
    shares: Sequence[tuple[str, float]],
    low: Sequence[tuple[str, float]],
) -> None:
    if fail_under is None:
        return
    if not low:
        least = min((share for _, share in shares), default=1.0)
        click.echo(f"passed: the smallest share is {least:.4f}, not below {fail_under:g}")
    for name, share in low:
        click.echo(clean(f"failed: {name}: {share:.4f} is below {fail_under:g}"), err=True)


def clean(text: str) -> str:
    """Text from files without what would steer a terminal."""
    return printable(text, lines=True)
