"""What edits cost: edits by caches by harnesses, on one session.

Every request of the session is sent to an empty cache, in order and at its time; then the next request, with
one edit in it. Beside it stands its twin, the same request without the edit. What the twin reads and the
edited request does not is lost to the edit. The longest common prefix is given as well, as what it is: the
most that any cache could read.

The published table that this one follows (30 turns, 26,004 tokens) is in the project's notes; how ours
differs, and why, is the chapter "What an edit costs".
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any, Final

from tohlab.edits.names import ALL_EDITS, TITLES, EditName
from tohlab.edits.scene import Exchange, Scene
from tohlab.edits.setups import TABLE, Setup, get_setups, prices_of
from tohlab.prefix.changes import LaidOut
from tohlab.prefix.explain import Warmed
from tohlab.prefix.explanation import Explanation
from tohlab.prefix.policies.base import Use
from tohlab.prefix.policies.cached import cached_request
from tohlab.tokens.cost import cost_usd
from tohlab.tokens.meter import TokenMeter, get_meter
from tohlab.tokens.prices import PER_TOKENS, Price, PriceTable
from tohlab.tokens.usage import Usage

RENDERER: Final = "plain"
"""How requests are written out: tools, system text, messages, without a template's own tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditUse:
    """What the next request reads and pays after one edit, in one cache, under one harness."""

    scene: str
    """The harness's title, or the file's name."""
    dialect: str
    """The harness's name; empty for a recorded session."""
    when: str
    """`session` or `resume`; see `Scene`."""
    how: str
    """What a change of the skills does there: `append`, `rewrite`, ...; empty for a recorded session."""
    edit: EditName
    title: str
    """The edit, for a person."""
    setup: str
    """See `SETUPS`."""
    policy: str
    status: str
    """How sure the policy's rules are."""
    meter: str
    renderer: str
    shared_tokens: int
    """The longest common prefix with what was sent and answered before: an upper bound."""
    total_tokens: int
    """Of the next request. The four classes below add up to it."""
    read_tokens: int
    write_tokens: int
    """Written and counted as such, for the short lifetime."""
    long_write_tokens: int
    plain_tokens: int
    twin_read_tokens: int
    """What the request without the edit reads."""
    keepable_tokens: int
    """What that one shares with what was sent and answered before: the most that could be kept."""
    sentence: str
    """What happened, why and where, and what is cheapest."""
    cost_usd: Decimal | None = None
    """The next request's input; None without a price, as the others."""
    twin_cost_usd: Decimal | None = None
    price_model: str = ""
    price_date: str = ""
    price_status: str = ""
    price_until: str = ""
    """The last day on which the price holds, as an ISO date; empty if none is stated."""
    price_expiry: str = ""
    """The same for a person, and whether the day that was asked about lies after it."""
    price_note: str = ""
    """What its table says of it, and of peak hours, which are left out."""
    price_expired: bool = False
    """Whether `price_until` lies before the day that was asked about; False where none was."""
    break_even_turns: int | None = None
    """How many turns later the edit has paid for itself by shorter requests: 0 where it costs nothing more,
    None where it never does, and without a price."""

    @property
    def reused_share(self) -> float:
        """The part of the next request that is read, 0 to 1."""
        return self.read_tokens / self.total_tokens if self.total_tokens else 1.0

    @property
    def shared_share(self) -> float:
        """The part of it that is shared with what was sent before, 0 to 1: the most that could be read."""
        return self.shared_tokens / self.total_tokens if self.total_tokens else 1.0

    @property
    def kept_share(self) -> float:
        """What is read of what could be kept, 0 to 1: what a gate looks at, since an edit that only appends
        makes the request longer and loses nothing."""
        return min(self.read_tokens / self.keepable_tokens, 1.0) if self.keepable_tokens else 1.0

    @property
    def lost_tokens(self) -> int:
        """What the twin reads and this request does not; 0 where it reads more."""
        return max(self.twin_read_tokens - self.read_tokens, 0)

    @property
    def extra_cost_usd(self) -> Decimal | None:
        """What the edit costs in its own request; negative where that is cheaper."""
        if self.cost_usd is None or self.twin_cost_usd is None:
            return None
        return self.cost_usd - self.twin_cost_usd

    @property
    def turns_worth(self) -> float | None:
        """For how many appended turns the edited request's input would pay; None without a price."""
        if self.cost_usd is None or not self.twin_cost_usd:
            return None
        return float(self.cost_usd / self.twin_cost_usd)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: every field and the derived numbers; amounts are texts."""
        result: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        for name in (
            "reused_share",
            "shared_share",
            "kept_share",
            "lost_tokens",
            "turns_worth",
            "extra_cost_usd",
        ):
            result[name] = getattr(self, name)
        for name in ("cost_usd", "twin_cost_usd", "extra_cost_usd"):
            if result[name] is not None:
                result[name] = f"{result[name].normalize():f}"
        return result


def edit_costs(
    scenes: Scene | Iterable[Scene],
    setups: str | Setup | Iterable[str | Setup] = TABLE,
    edits: Iterable[EditName] | None = None,
    meter: TokenMeter | None = None,
    *,
    price: str | None = None,
    prices: PriceTable | None = None,
    on: date | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[EditUse, ...]:
    """Return what edits cost: scene by scene, in each of them edit by edit, and for each setup by setup.

    Args:
        scenes: sessions with their next request; see `harness_scene` and `recorded_scene`.
        setups: caches, by the names of `setup_names()` or `policy_names()`, or `all`.
        edits: which; unless given, every one that a scene has.
        meter: what counts; `o200k_base` unless told otherwise.
        price: the model by whose price all is paid; each setup's own unless given. A cache for which
            nobody is paid by the token has none beside others that have one.
        prices: your own table of prices.
        on: the day of use, in UTC: rows say whether their price still held on it. None looks at no day.
        progress: called after each row with how many are done and how many there are.

    Raises:
        UnknownPolicy: no such policy or setup.
        PrefixError: an edit that a scene does not have, or that there is not at all.
        PriceError, UnknownPrice: a price that was asked for is not there, or none of the caches has one.
        EncodingUnavailable: no meter was given and the default encoding cannot be had.
    """
    meter = meter or get_meter()
    chosen = get_setups(setups)
    paid = prices_of(chosen, price, prices)
    all_scenes = (scenes,) if isinstance(scenes, Scene) else tuple(scenes)
    wanted = None if edits is None else tuple(edits)
    for scene in all_scenes:
        for edit in wanted or ():
            scene.after(edit)
    work = [
        (scene, edit)
        for scene in all_scenes
        for edit in (wanted if wanted is not None else tuple(e for e in ALL_EDITS if e in scene.edited))
    ]
    rows: list[EditUse] = []
    for scene, edits_there in itertools.groupby(work, key=lambda pair: pair[0]):
        asked = _Asked(scene, meter)
        for _, edit in edits_there:
            for setup in chosen:
                rows.append(_row(asked, edit, setup, paid[setup.name], on))
                if progress is not None:
                    progress(len(rows), len(work) * len(chosen))
    return tuple(rows)


class _Asked:
    """One scene, of which every request is laid out once and every cache is filled once."""

    def __init__(self, scene: Scene, meter: TokenMeter) -> None:
        self.scene, self.meter = scene, meter
        self._laid = LaidOut(meter)
        self._warmed: dict[str, Warmed] = {}
        self._found: dict[tuple[str, EditName], Explanation] = {}
        self._shared: dict[EditName, int] = {}

    def explained(self, edit: EditName, setup: Setup) -> Explanation:
        """Return what a cache makes of the next request after an edit."""
        if setup.name not in self._warmed:
            sent = [setup.sent(exchange) for exchange in self.scene.sent]
            self._warmed[setup.name] = Warmed(sent, setup.rules, self._laid)
        key = (setup.name, edit)
        if key not in self._found:
            after = setup.sent(self.scene.next_exchange(edit))
            self._found[key] = self._warmed[setup.name].explain(after)
        return self._found[key]

    def shared(self, edit: EditName) -> int:
        """Return what the next request shares with what was sent and answered before."""
        if edit not in self._shared:
            self._shared[edit] = shared_with_sent(self.scene.sent, self.scene.after(edit), self.meter)
        return self._shared[edit]


def _row(
    asked: _Asked,
    edit: EditName,
    setup: Setup,
    price: Price | None,
    on: date | None,
) -> EditUse:
    scene, meter = asked.scene, asked.meter
    found, twin = asked.explained(edit, setup), asked.explained("append", setup)
    cost, twin_cost = _paid(found.use, price), _paid(twin.use, price)
    return EditUse(
        scene=scene.title,
        dialect=scene.dialect,
        when=scene.when,
        how=scene.how or "",
        edit=edit,
        title=TITLES[edit],
        setup=setup.name,
        policy=found.policy,
        status=found.status,
        meter=meter.name,
        renderer=RENDERER,
        shared_tokens=asked.shared(edit),
        total_tokens=found.use.total_tokens,
        read_tokens=found.use.read_tokens,
        write_tokens=found.use.write_tokens,
        long_write_tokens=found.use.long_write_tokens,
        plain_tokens=found.use.plain_tokens,
        twin_read_tokens=twin.use.read_tokens,
        keepable_tokens=asked.shared("append"),
        sentence=_sentence(found, twin, edit, cost, twin_cost, price, on),
        cost_usd=cost,
        twin_cost_usd=twin_cost,
        price_model=price.model if price else "",
        price_date=price.date if price else "",
        price_status=price.status if price else "",
        price_until=price.until if price else "",
        price_expiry=price.expiry(on) if price else "",
        price_note=price.off_peak_note if price else "",
        price_expired=price is not None and on is not None and price.expired(on),
        break_even_turns=_break_even(found, twin, price),
    )


def _sentence(
    found: Explanation,
    twin: Explanation,
    edit: EditName,
    cost: Decimal | None,
    twin_cost: Decimal | None,
    price: Price | None,
    on: date | None,
) -> str:
    text = found.sentence
    lost = max(twin.use.read_tokens - found.use.read_tokens, 0)
    if found.lost_tokens != lost:  # time took a part of it, which the edit has nothing to do with
        text += (
            f" Without the edit the request would read {twin.use.read_tokens:,} at that time, so {lost:,} "
            "are lost to the edit."
        )
    if cost is None or twin_cost is None or edit == "append":
        return text
    extra = cost - twin_cost
    more = "more" if extra >= 0 else "less"
    late = price is not None and on is not None and price.expired(on)
    told = f" (the price {price.expiry(on)})" if price is not None and late else ""
    return f"{text} Its input costs ${abs(extra):.4f} {more} than without the edit{told}."


def shared_with_sent(sent: Sequence[Exchange], request: Any, meter: TokenMeter) -> int:
    """Return the longest prefix that a request shares with the last one sent and its answer, in tokens."""
    last = cached_request(sent[-1].request, meter, output=sent[-1].answer)
    return cached_request(request, meter).tokens.common(last.output or last.tokens)


def _paid(use: Use, price: Price | None) -> Decimal | None:
    """What the input costs, outside of peak hours."""
    if price is None:
        return None
    usage = Usage(
        plain_tokens=use.plain_tokens,
        read_tokens=use.read_tokens,
        short_write_tokens=use.write_tokens,
        long_write_tokens=use.long_write_tokens,
        output_tokens=0,
    )
    return cost_usd(usage, replace(price, peak=None)).total_usd


def _break_even(found: Explanation, twin: Explanation, price: Price | None) -> int | None:
    """What the edit costs once, over what later turns save by being shorter; they read all they can."""
    cost, twin_cost = _paid(found.use, price), _paid(twin.use, price)
    if price is None or cost is None or twin_cost is None:
        return None
    extra = cost - twin_cost
    if extra <= 0:
        return 0
    read = price.rates.read if found.next_use.read_tokens else None
    rate = price.rates.input if read is None else read
    saved = (twin.use.total_tokens - found.use.total_tokens) * rate / PER_TOKENS
    return None if saved <= 0 else math.ceil(extra / saved)
