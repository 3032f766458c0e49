"""`tohlab prefix` with a cache: what edits of a session cost, and whether a recorded session only grows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click

from tohlab.cli import _UNPRINTABLE
from tohlab.errors import MissingExtra, PrefixError

if TYPE_CHECKING:
    from tohlab.edits import EditUse, Scene, SessionUse, Setup
    from tohlab.prefix.append_only import AppendOnlyCheck
    from tohlab.tokens import TokenMeter

PLAIN_NAME: Final = "plain"
UPPER_BOUND: Final = "lcp"
"""What a share is called where no cache was named: the longest common prefix, which is an upper bound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The command line."""

    directory: str | None
    edits: tuple[Any, ...] | None
    skill: str | None
    dialect: str
    encoding: str
    as_json: bool
    policies: tuple[str, ...]
    price: str | None
    prices: Path | None
    when: Literal["session", "resume"]
    session: Path | None
    fail_under: float | None
    figure: Path | None


def answer(asked: Asked) -> int:
    """Print what was asked for and return the exit code."""
    from tohlab.edits import edit_costs, get_setups
    from tohlab.tokens import get_meter
    from tohlab.tokens.prices import PriceTable

    meter = get_meter(asked.encoding)
    prices = PriceTable.from_file(asked.prices) if asked.prices else None
    setups = get_setups(asked.policies) if asked.policies else ()
    for setup in setups:
        setup.price(asked.price, prices)
    scenes, check = _scenes(asked, meter)
    uses = _session_uses(scenes, check, setups, meter)
    rows: tuple[EditUse, ...] = ()
    if setups:
        with _Progress(hidden=asked.as_json) as bar:
            rows = edit_costs(
                scenes, setups, asked.edits, meter, price=asked.price, prices=prices, progress=bar.step
            )
    bounds = _bounds(scenes, asked, meter)
    shares = _shares(rows, bounds, check, uses, asked)
    low = [
        (name, share) for name, share in shares if asked.fail_under is not None and share < asked.fail_under
    ]
    if asked.figure:
        _draw(rows, asked.figure)
    if asked.as_json:
        _print_json(asked, meter, rows, bounds, check, uses, low)
    else:
        _print(asked, rows, bounds, check, uses)
        _print_gate(asked, shares, low)
    return 1 if low else 0


def _scenes(asked: Asked, meter: TokenMeter) -> tuple[tuple[Scene, ...], AppendOnlyCheck | None]:
    from tohlab.dialects.harness import FileTree
    from tohlab.dialects.harnesses import harness_names
    from tohlab.dialects.installed import installed
    from tohlab.edits import PLAIN, harness_scene, long_conversation, read_session, recorded_scene
    from tohlab.prefix.append_only import check_append_only

    if asked.session is not None:
        requests = read_session(asked.session)
        scene = recorded_scene(requests, asked.session.name)
        sent = [exchange.request for exchange in scene.sent]
        whole = sent if len(requests) > 1 else [*sent, scene.appended]
        return (scene,), check_append_only(whole, meter=meter)
    if asked.directory is None:
        raise PrefixError("there is neither a folder nor a session")
    tree = installed(FileTree.at(asked.directory))[0].tree
    names = (PLAIN_NAME, *harness_names()) if asked.dialect == "all" else (asked.dialect,)
    conversation = long_conversation()
    scenes = tuple(
        harness_scene(
            tree,
            PLAIN if name == PLAIN_NAME else name,
            conversation,
            when=asked.when,
            skill=asked.skill,
        )
        for name in names
    )
    return scenes, None


def _session_uses(
    scenes: Sequence[Scene], check: AppendOnlyCheck | None, setups: Sequence[Setup], meter: TokenMeter
) -> tuple[SessionUse, ...]:
    from tohlab.edits import session_use

    if check is None:
        return ()
    whole = check.requests > len(scenes[0].sent)
    return tuple(session_use(scenes[0], setup, meter, whole=whole) for setup in setups)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bound:
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


def _bounds(scenes: Sequence[Scene], asked: Asked, meter: TokenMeter) -> tuple[_Bound, ...]:
    from tohlab.edits.costs import shared_with_sent
    from tohlab.edits.scene import ALL_EDITS, TITLES
    from tohlab.tokens import measure

    return tuple(
        _Bound(
            scene=scene,
            edit=edit,
            title=TITLES[edit],
            shared_tokens=shared_with_sent(scene.sent, scene.after(edit), meter),
            total_tokens=measure(scene.after(edit), meter).total_tokens,
            keepable_tokens=shared_with_sent(scene.sent, scene.appended, meter),
        )
        for scene in scenes
        for edit in (asked.edits or tuple(e for e in ALL_EDITS if e in scene.edited))
    )


def _shares(
    rows: Sequence[EditUse],
    bounds: Sequence[_Bound],
    check: AppendOnlyCheck | None,
    uses: Sequence[SessionUse],
    asked: Asked,
) -> list[tuple[str, float]]:
    """What the gate looks at: a recorded session itself unless an edit is chosen, else every chosen edit."""
    if check is not None and asked.edits is None:
        if uses:
            return [(f"the session, {use.setup}", use.kept_share) for use in uses]
        return [(f"the session, {UPPER_BOUND}", check.kept_share)]
    if rows:
        return [(f"{row.scene}, {row.setup}: {row.title}", row.kept_share) for row in rows]
    return [(f"{b.scene.title}, {UPPER_BOUND}: {b.title}", b.kept_share) for b in bounds]


def _print_json(
    asked: Asked,
    meter: TokenMeter,
    rows: Sequence[EditUse],
    bounds: Sequence[_Bound],
    check: AppendOnlyCheck | None,
    uses: Sequence[SessionUse],
    low: Sequence[tuple[str, float]],
) -> None:
    from tohlab.edits.costs import RENDERER

    data: dict[str, Any] = {"encoding": meter.name, "renderer": RENDERER, "dialect": asked.dialect}
    if check is not None:
        data |= {"dialect": "", "session": str(asked.session), "check": check.to_dict()}
        data["session_reads"] = [use.to_dict() for use in uses]
    data["shared"] = [
        {
            "dialect": b.scene.dialect,
            "edit": b.edit,
            "shared_tokens": b.shared_tokens,
            "total_tokens": b.total_tokens,
            "shared_share": b.share,
            "kept_share": b.kept_share,
        }
        for b in bounds
    ]
    data["rows"] = [row.to_dict() for row in rows]
    data["fail_under"] = asked.fail_under
    data["below"] = [{"what": name, "share": share} for name, share in low]
    click.echo(json.dumps(data, indent=2))


def _print(
    asked: Asked,
    rows: Sequence[EditUse],
    bounds: Sequence[_Bound],
    check: AppendOnlyCheck | None,
    uses: Sequence[SessionUse],
) -> None:
    if check is not None:
        click.echo(_clean(check.sentence))
        click.echo(f"kept {check.shared_tokens:,} of {check.before_tokens:,} tokens ({check.kept_share:.1%})")
        for use in uses:
            part = f"{use.read_tokens:,} of {use.before_tokens:,} tokens"
            click.echo(f"{use.setup} reads {part} ({use.kept_share:.1%})")
        click.echo()
    if rows:
        _print_costs(rows, one_edit=asked.edits is not None)
    else:
        _print_bounds(bounds)
    if asked.edits is None:
        for scene in dict.fromkeys(bound.scene.title for bound in bounds):
            missing = next(b.scene.missing for b in bounds if b.scene.title == scene)
            for why in dict.fromkeys(missing.values()):
                which = ", ".join(edit for edit in missing if missing[edit] == why)
                click.echo(_clean(f"{scene}: no row for {which}: {why}"))


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


def _print_costs(rows: Sequence[EditUse], *, one_edit: bool) -> None:
    for scene, when in dict.fromkeys((row.scene, row.when) for row in rows):
        own = [row for row in rows if (row.scene, row.when) == (scene, when)]
        told = f"; a change of the skills: {own[0].how}" if own[0].how else ""
        click.echo(_clean(f"{scene} ({when}{told})"))
        if one_edit:
            _print_one_edit(own)
        else:
            _print_grid(own, "share")
            if any(row.cost_usd is not None for row in own):
                _print_grid([row for row in own if row.cost_usd is not None], "cost")
    for line in _notes(rows, one_edit=one_edit):
        click.echo(line)


def _print_one_edit(rows: Sequence[EditUse]) -> None:
    from rich.console import Console
    from rich.text import Text

    right = ("of", "shared", "read", "%", "lost", "$/1000", "turns", "even")
    click.echo(f"{rows[0].title}, in tokens ({rows[0].meter}, {rows[0].renderer} renderer)")
    table = _table(None, ("cache", *right), right)
    for row in rows:
        table.add_row(
            Text(row.setup),
            f"{row.total_tokens:,}",
            f"{row.shared_tokens:,}",
            f"{row.read_tokens:,}",
            f"{int(100 * row.reused_share)}",
            f"{row.lost_tokens:,}",
            "-" if row.cost_usd is None else f"{float(row.cost_usd) * 1000:.1f}",
            "-" if row.turns_worth is None else f"{row.turns_worth:.1f}",
            "-" if row.break_even_turns is None else f"{row.break_even_turns:,}",
        )
    Console().print(table)
    for row in rows:
        click.echo(_clean(f"- {row.setup}: {row.sentence}"))


def _print_grid(rows: Sequence[EditUse], shown: Literal["share", "cost"]) -> None:
    """Edits by caches, in as many tables as the terminal's width asks for."""
    from rich.console import Console
    from rich.text import Text

    from tohlab.edits import EditGrid

    console, grid = Console(), EditGrid.of(rows, shown, titles=False)
    room = console.width - max(map(len, grid.rows)) - 2
    groups: list[list[int]] = [[]]
    for j, column in enumerate(grid.columns):
        if groups[-1] and sum(len(grid.columns[k]) + 2 for k in groups[-1]) + len(column) + 2 > room:
            groups.append([])
        groups[-1].append(j)
    click.echo(_clean(grid.title))
    for group in groups:
        heads = [grid.columns[j] for j in group]
        table = _table(None, ("edit", *heads), heads)
        for name, line in zip(grid.rows, grid.cells, strict=True):
            table.add_row(Text(_clean(name)), *(grid.text(line[j]) for j in group))
        console.print(table)


def _notes(rows: Sequence[EditUse], *, one_edit: bool) -> list[str]:
    from tohlab.edits import get_setups

    notes = [
        "shared: the longest common prefix, the most that any cache could read; lost: what the same request "
        "without the edit would read; turns: for how many appended turns its input would pay; even: so many "
        "turns until shorter requests have paid for the edit."
        if one_edit
        else "LCP: the longest common prefix, the most that any cache could read. One edit with its tokens, "
        "its price and the reason: --edit NAME"
    ]
    priced = dict.fromkeys(
        (r.setup, r.price_model, r.price_date, r.price_status) for r in rows if r.price_model
    )
    notes += [f"{setup}: input prices of {model}, {day}, {status}" for setup, model, day, status in priced]
    named = get_setups(tuple(dict.fromkeys(row.setup for row in rows if not row.price_model)))
    notes += [f"{setup.name}: no price: {setup.no_price}" for setup in named]
    notes += [
        f"{policy}: rules are {status}"
        for policy, status in dict.fromkeys((r.policy, r.status) for r in rows)
    ]
    return notes


def _print_bounds(bounds: Sequence[_Bound]) -> None:
    from rich.console import Console
    from rich.text import Text

    right = ("of", "shared", "%")
    table = _table(
        "The most that any cache could read of the next request", ("harness", "edit", *right), right
    )
    for bound in bounds:
        name = bound.scene.dialect or bound.scene.title
        share = f"{int(100 * bound.share)}"
        cells = (f"{bound.total_tokens:,}", f"{bound.shared_tokens:,}", share)
        table.add_row(Text(_clean(name)), Text(bound.title), *cells)
    Console().print(table)
    click.echo("Caches read less: name one with --policy, or all of them with --policy all.")


def _print_gate(asked: Asked, shares: Sequence[tuple[str, float]], low: Sequence[tuple[str, float]]) -> None:
    if asked.fail_under is None:
        return
    if not low:
        least = min((share for _, share in shares), default=1.0)
        click.echo(f"passed: the smallest share is {least:.4f}, not below {asked.fail_under:g}")
    for name, share in low:
        click.echo(_clean(f"failed: {name}: {share:.4f} is below {asked.fail_under:g}"), err=True)


def _draw(rows: Sequence[EditUse], path: Path) -> None:
    from tohlab.edits import EditGrid

    if not rows:
        raise PrefixError("--figure draws edits by caches; name caches with --policy")
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("matplotlib", "notebook") from error
    grid = EditGrid.of(rows)
    figure = Figure(figsize=grid.size, layout="constrained")
    grid.plot(figure.add_subplot())
    try:
        figure.savefig(path, dpi=150)
    except (OSError, ValueError) as error:
        raise PrefixError(f"{path}: cannot be written ({error})") from error
    click.echo(f"drawn: {path}", err=True)


class _Progress:
    """A bar on standard error for long tables; nothing where that is no terminal."""

    def __init__(self, *, hidden: bool) -> None:
        self._hidden = hidden
        self._bar: Any = None

    def __enter__(self) -> _Progress:
        return self

    def step(self, done: int, total: int) -> None:
        if self._bar is None:
            from tqdm import tqdm

            # None: tqdm looks itself whether standard error is a terminal
            self._bar = tqdm(total=total, unit="row", leave=False, disable=self._hidden or None)
        self._bar.update(done - self._bar.n)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


def _clean(text: str) -> str:
    """Text from files without what would steer a terminal."""
    from tohlab.ecma import to_well_formed

    return _UNPRINTABLE.sub("\ufffd", to_well_formed(text))
