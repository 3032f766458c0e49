"""`tohlab prefix` with a cache: what edits of a session cost, and whether a recorded session only grows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click

from tohlab.cli.prefix_costs_text import Bound, print_all, print_gate, warn_of_expired
from tohlab.errors import MissingExtra, PrefixError, UnknownPrice

if TYPE_CHECKING:
    from tohlab.edits import EditUse, Recorded, Scene, SessionUse, Setup
    from tohlab.prefix.append_only import AppendOnlyCheck
    from tohlab.tokens import TokenMeter

PLAIN_NAME: Final = "plain"
EVERY: Final = "all"
"""In place of a harness's name: every harness, and the plain list."""
UPPER_BOUND: Final = "lcp"
"""What a share is called where no cache was named: the longest common prefix, which is an upper bound."""

_MOST_MODELS: Final = 60
"""Named in an error."""


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
    on: datetime | None
    when: Literal["session", "resume"]
    session: Path | None
    model: str | None
    fail_under: float | None
    figure: Path | None


def answer(asked: Asked) -> int:
    """Print what was asked for and return the exit code."""
    from tohlab.cli.prefix_session import print_first
    from tohlab.edits import edit_costs, get_setups
    from tohlab.edits.recorded import setups_for
    from tohlab.edits.setups import prices_of
    from tohlab.tokens import get_meter
    from tohlab.tokens.prices import PriceTable

    meter = get_meter(asked.encoding)
    prices = PriceTable.from_file(asked.prices) if asked.prices else None
    get_setups(asked.policies)  # a wrong name is said before anything is read
    recorded = _recorded(asked)
    if len(recorded) == 1 and not any(m.role == "assistant" for m in recorded[0].request.messages):
        print_first(recorded[0], asked, meter)
        return 0
    scenes, check = _scenes(asked, recorded, meter)
    setups = get_setups(asked.policies)
    if recorded:
        setups = setups_for(scenes[0], asked.policies, prices, priced=asked.price is not None)
    try:
        prices_of(setups, asked.price, prices)
    except UnknownPrice as error:
        raise _no_price(error, asked) from error
    on = (asked.on or datetime.now(UTC)).date()
    uses = _session_uses(scenes, check, setups, meter)
    rows: tuple[EditUse, ...] = ()
    if setups:
        with _Progress(hidden=asked.as_json) as bar:
            rows = edit_costs(
                scenes,
                setups,
                asked.edits,
                meter,
                price=asked.price,
                prices=prices,
                on=on,
                progress=bar.step,
            )
    bounds = _bounds(scenes, asked, meter)
    shares = _shares(rows, bounds, check, uses, asked)
    low = [
        (name, share) for name, share in shares if asked.fail_under is not None and share < asked.fail_under
    ]
    if asked.figure:
        _draw(rows, asked.figure)
    if asked.as_json:
        _print_json(asked, meter, rows, bounds, check, uses, low, recorded)
    else:
        print_all(asked.edits, rows, bounds, check, uses, recorded)
        print_gate(asked.fail_under, shares, low)
    warn_of_expired(rows)
    return 1 if low else 0


def _no_price(error: UnknownPrice, asked: Asked) -> UnknownPrice:
    """The same error with the options that help."""
    whose = f"{asked.prices} has" if asked.prices else "the table that comes with tohlab has"
    more = f" and {len(error.known) - _MOST_MODELS:,} more" if len(error.known) > _MOST_MODELS else ""
    return UnknownPrice(
        error.what,
        model=error.model,
        nearest=error.nearest,
        known=error.known,
        remedy=f"Name a model with --price; {whose} {', '.join(error.known[:_MOST_MODELS]) or 'none'}{more}. "
        "Or give a table of your own that has it with --prices FILE.",
    )


def _recorded(asked: Asked) -> tuple[Recorded, ...]:
    from dataclasses import replace

    from tohlab.edits import read_session

    if asked.session is None:
        return ()
    found = read_session(asked.session)
    if asked.model is None:
        return found
    return tuple(replace(one, body=replace(one.body, model=asked.model)) for one in found)


def _scenes(
    asked: Asked, recorded: tuple[Recorded, ...], meter: TokenMeter
) -> tuple[tuple[Scene, ...], AppendOnlyCheck | None]:
    from tohlab.dialects.harness import FileTree
    from tohlab.dialects.harnesses import harness_names
    from tohlab.dialects.installed import installed
    from tohlab.dialects.registry import check_name
    from tohlab.edits import PLAIN, harness_scene, long_conversation, recorded_scene
    from tohlab.prefix.append_only import check_append_only

    if asked.session is not None:
        scene = recorded_scene(recorded, asked.session.name)
        sent = [exchange.request for exchange in scene.sent]
        whole = sent if len(recorded) > 1 else [*sent, scene.appended]
        check = check_append_only(whole, meter=meter)
        if not check.before_tokens:
            raise PrefixError(
                f"{asked.session}: the requests before the last one hold no tokens, so there is nothing to "
                "keep and nothing to measure; record the session with its texts"
            )
        return (scene,), check
    if asked.directory is None:
        raise PrefixError("there is neither a folder nor a session")
    known = (PLAIN_NAME, *harness_names())
    check_name(asked.dialect, (*known, EVERY))
    tree = installed(FileTree.at(asked.directory))[0].tree
    names = known if asked.dialect == EVERY else (asked.dialect,)
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


def _bounds(scenes: Sequence[Scene], asked: Asked, meter: TokenMeter) -> tuple[Bound, ...]:
    from tohlab.edits.costs import shared_with_sent
    from tohlab.edits.names import ALL_EDITS, TITLES
    from tohlab.tokens import measure

    return tuple(
        Bound(
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
    bounds: Sequence[Bound],
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
    bounds: Sequence[Bound],
    check: AppendOnlyCheck | None,
    uses: Sequence[SessionUse],
    low: Sequence[tuple[str, float]],
    recorded: Sequence[Recorded],
) -> None:
    from tohlab.cli.prefix_session import notes_of, reported
    from tohlab.edits.costs import RENDERER
    from tohlab.prefix.policies import get_policy

    data: dict[str, Any] = {"encoding": meter.name, "renderer": RENDERER, "dialect": asked.dialect}
    if check is not None:
        data |= {"dialect": "", "session": str(asked.session), "check": check.to_dict()}
        data["session_reads"] = [use.to_dict() for use in uses]
        data["reported"] = reported(recorded)
        data["notes"] = list(notes_of(recorded))
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
    policies = dict.fromkeys(row.policy for row in rows)
    data["not_modelled"] = {name: list(get_policy(name).not_modelled) for name in policies}
    data["fail_under"] = asked.fail_under
    data["below"] = [{"what": name, "share": share} for name, share in low]
    click.echo(json.dumps(data, indent=2))


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
