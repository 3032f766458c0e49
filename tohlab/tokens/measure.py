"""What a request costs, segment by segment, in tokens of a named meter.

A count names its meter and its renderer, since one tool alone can be 47 or 331 tokens depending on who writes
it out. The renderer here is `plain`: each tool as compact JSON, the system text, each text of a message, each
tool call as compact JSON. Every one of these stands alone, because chat formats put special tokens between
them; the tokens of the chat template itself (role headers, separators, a provider's hidden texts) are not
counted. Inside one segment everything is encoded together, and each token is given to the part in which its
first character lies, so that parts always add up to the whole.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from tohlab.dialects import Dialect, get_dialect
from tohlab.request import Message, Request, Span, TextBlock, ToolCall
from tohlab.skills.model import SkillSource, Snapshot
from tohlab.tokens.ledger import Trunk, layout_of, memory_of
from tohlab.tokens.meter import TokenMeter, get_meter

RENDERER: Final = "plain"
"""The name of the way in which requests are written out for counting; see this module's head."""

FRAME: Final = "frame"
"""The name of what lies between a text's named spans."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentCost:
    """What one stretch of a request costs: a whole segment, or one named part of it."""

    path: str
    """The segment's address, such as `tools[0]` or `messages[3].content[0]`; its parts share it."""
    kind: str
    """`tool`, `system`, `tool-call`, or the kind of its message (`user`, `skill-catalog`, …)."""
    name: str
    """The tool's name; a span's label; `frame` for what lies between spans; else empty."""
    role: str
    tokens: int
    """Without the chat template's own tokens."""
    characters: int
    """Python code points."""


class _Later:
    __slots__ = ("_later",)
    _later: Callable[[], tuple[SegmentCost, ...]] | None
    """What makes `segments` when they are first asked for; None once they are there. No field of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestCost(_Later):
    """What a request costs. `segments` add up to `total_tokens` exactly."""

    meter: str
    """Which meter counted, such as `o200k_base`."""
    renderer: str
    """How the request was written out for counting: `plain`, without any chat template's tokens."""
    total_tokens: int
    segments: tuple[SegmentCost, ...]
    """In wire order. A segment with named spans gives its frame first, then each span."""

    @classmethod
    def _of(cls, meter: str, total_tokens: int, segments: Callable[[], tuple[SegmentCost, ...]]) -> Self:
        # A turn of a long session adds a few segments to thousands, and often only the total is looked at:
        # so nothing that grows with the session is done before it is wanted.
        cost = object.__new__(cls)
        put = object.__setattr__
        put(cost, "meter", meter)
        put(cost, "renderer", RENDERER)
        put(cost, "total_tokens", total_tokens)
        put(cost, "_later", segments)
        return cost

    def __getattr__(self, name: str) -> tuple[SegmentCost, ...]:
        later = self._later if name == "segments" else None
        if later is None:  # there is no such name, or another thread has just made them
            return object.__getattribute__(self, name)  # type: ignore[no-any-return]  # it raises
        segments = later()
        object.__setattr__(self, "segments", segments)
        object.__setattr__(self, "_later", None)
        return segments

    def rows(self) -> tuple[dict[str, Any], ...]:
        """Return one plain dict a segment: kind, name, path, role, tokens, characters."""
        return tuple(
            {
                "kind": s.kind,
                "name": s.name,
                "path": s.path,
                "role": s.role,
                "tokens": s.tokens,
                "characters": s.characters,
            }
            for s in self.segments
        )

    def by_kind(self) -> Mapping[str, int]:
        """Return the tokens of each kind, in the order in which the kinds first appear."""
        result: dict[str, int] = {}
        for segment in self.segments:
            result[segment.kind] = result.get(segment.kind, 0) + segment.tokens
        return result


def measure(request: Request, meter: TokenMeter | None = None) -> RequestCost:
    """Return what `request` costs, segment by segment.

    Requests of one session measured one after another cost only what each turn added: the meter's last few
    requests are remembered.

    Args:
        request: what is sent; it may be empty, which costs 0.
        meter: what counts; `o200k_base` unless told otherwise.

    Raises:
        EncodingUnavailable: no meter was given and the default encoding cannot be had.
    """
    meter = meter or get_meter()
    layout = layout_of(request, meter)
    trunk, messages = layout.trunk, len(request.messages)

    def segments() -> tuple[SegmentCost, ...]:
        with memory_of(meter).lock:
            if len(trunk.cost_ends) <= messages:
                _add_costs(trunk, messages, meter)
            return tuple(trunk.costs[: trunk.cost_ends[messages]])

    return RequestCost._of(meter.name, layout.total_tokens, segments)


def _add_costs(trunk: Trunk, messages: int, meter: TokenMeter) -> None:
    """Make the costs of a trunk's beginning up to so many messages, as far as they are not there yet."""
    costs, cost_ends, ends = trunk.costs, trunk.cost_ends, trunk.ends
    del costs[cost_ends[-1] if cost_ends else 0 :]  # what an interrupted call left
    if not cost_ends:
        for at, segment in enumerate(trunk.before_messages):
            tokens = ends[at + 1] - ends[at]
            parts = (segment.path, segment.kind, segment.name, segment.text, segment.spans)
            costs += _costs_of(*parts, segment.role, tokens, meter)
        cost_ends.append(len(costs))
    at = trunk.message_ends[len(cost_ends) - 1]
    for index in range(len(cost_ends) - 1, messages):
        message = trunk.messages[index]
        for path, kind, role, name, text, spans in message.places(index):
            tokens = ends[at + 1] - ends[at]
            costs += _costs_of(path, kind, name, text, spans, role, tokens, meter)
            at += 1
        cost_ends.append(len(costs))


def _costs_of(
    path: str,
    kind: str,
    name: str,
    text: str,
    spans: Sequence[Span],
    role: str,
    tokens: int,
    meter: TokenMeter,
) -> list[SegmentCost]:
    """The costs of one segment: its own, or those of its frame and its named parts."""
    characters = len(text)
    if not spans:
        return [SegmentCost(path=path, kind=kind, name=name, role=role, tokens=tokens, characters=characters)]
    shares = share_out(text, spans, meter)
    named = [
        SegmentCost(
            path=path, kind=kind, name=span.label, role=role, tokens=share, characters=span.stop - span.start
        )
        for span, share in zip(spans, shares, strict=True)
    ]
    frame = SegmentCost(
        path=path,
        kind=kind,
        name=FRAME,
        role=role,
        tokens=tokens - sum(shares),
        characters=characters - sum(cost.characters for cost in named),
    )
    return [frame, *named]


def share_out(text: str, spans: Sequence[Span], meter: TokenMeter) -> tuple[int, ...]:
    """Return the tokens of each span when `text` is encoded as one piece.

    A token belongs to the span in which its first character lies; what belongs to none is the frame's. Spans
    must be disjoint and in order.
    """
    _, starts = meter.encode_with_offsets(text)
    return tuple(bisect_left(starts, span.stop) - bisect_left(starts, span.start) for span in spans)


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogRow:
    """One row of what a catalog costs."""

    kind: str
    """`tool`, `catalog` (its frame) or `skill`."""
    name: str
    tokens: int
    """What every request of a session pays for it."""
    loaded_tokens: int | None = None
    """For a skill: what loading it adds, as the `skill` tool's result. None where it was not asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogCost:
    """What having skills costs before any is used. `rows` add up to `total_tokens` exactly."""

    encoding: str
    dialect: str
    renderer: str
    total_tokens: int
    rows: tuple[CatalogRow, ...]
    """The skill tool's schema, the catalog's frame, then each skill in catalog order."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; `loaded_tokens` appears only where it was asked for."""
        rows: list[dict[str, Any]] = []
        for row in self.rows:
            plain: dict[str, Any] = {"kind": row.kind, "name": row.name, "tokens": row.tokens}
            if row.loaded_tokens is not None:
                plain["loaded_tokens"] = row.loaded_tokens
            rows.append(plain)
        return {
            "encoding": self.encoding,
            "dialect": self.dialect,
            "renderer": self.renderer,
            "total_tokens": self.total_tokens,
            "rows": rows,
        }


def measure_catalog(
    source: SkillSource,
    dialect: str | Dialect = "toh",
    meter: TokenMeter | None = None,
    *,
    bodies: bool = False,
    snapshot: Snapshot | None = None,
) -> CatalogCost:
    """Return what the skills of `source` cost in every request: the skill tool and the catalog, row by row.

    The total is that of `measure` on a request with the skill tool and the initial catalog message. Without
    any skill that a model may load there is no catalog message, and the tool's schema is all.

    Args:
        source: where the skills are.
        dialect: whose wording, by name or as an instance.
        meter: what counts; `o200k_base` unless told otherwise.
        bodies: also read each body and say what loading it adds.
        snapshot: a look at `source` that was already taken, to save another.

    Raises:
        UnknownDialect: no dialect of that name.
        EncodingUnavailable: no meter was given and the default encoding cannot be had.
    """
    meter = meter or get_meter()
    harness = get_dialect(dialect)
    catalog = harness.catalog_of(snapshot or source.snapshot())
    tool = harness.skill_tool()
    messages: tuple[Message, ...] = ()
    if catalog.entries:
        block = harness.render_catalog(catalog, "initial")
        messages = (Message(role="user", content=(block,), source={"kind": "skill-catalog"}),)
    cost = measure(Request(tools=(tool,), messages=messages), meter)
    rows = [CatalogRow(kind="tool", name=tool.name, tokens=cost.segments[0].tokens)]
    if messages:
        rows.append(CatalogRow(kind="catalog", name=FRAME, tokens=cost.segments[1].tokens))
    for entry, segment in zip(catalog.entries, cost.segments[2:], strict=True):
        loaded = source.load(entry.name) if bodies else None
        rows.append(
            CatalogRow(
                kind="skill",
                name=entry.name,
                tokens=segment.tokens,
                loaded_tokens=meter.count(harness.render_skill(loaded)) if loaded is not None else None,
            )
        )
    return CatalogCost(
        encoding=meter.name,
        dialect=harness.name,
        renderer=RENDERER,
        total_tokens=cost.total_tokens,
        rows=tuple(rows),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AskCost:
    """What asking the user costs: the tool in every request, the exchange in every later request."""

    encoding: str
    dialect: str
    renderer: str
    schema_tokens: int
    """The tool's schema, whether anything is asked or not."""
    arguments_tokens: int
    """The call that the model writes: the tool's name and the questions."""
    answer_tokens: int
    """The result that the model reads."""

    @property
    def exchange_tokens(self) -> int:
        """Call and result together: what one ask adds to a conversation. Waiting costs nothing."""
        return self.arguments_tokens + self.answer_tokens

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "encoding": self.encoding,
            "dialect": self.dialect,
            "renderer": self.renderer,
            "schema_tokens": self.schema_tokens,
            "arguments_tokens": self.arguments_tokens,
            "answer_tokens": self.answer_tokens,
            "exchange_tokens": self.exchange_tokens,
        }


def measure_ask(
    arguments: str, answer: str, dialect: str | Dialect = "toh", meter: TokenMeter | None = None
) -> AskCost:
    """Return what one ask costs: the tool's schema, the questions and the answer, as `measure` counts.

    Args:
        arguments: the call's arguments, the JSON text as the model wrote it.
        answer: what the model read back.
        dialect: whose tool, by name or as an instance.
        meter: what counts; `o200k_base` unless told otherwise.

    Raises:
        UnsupportedByDialect: the harness has no tool that asks the user.
        EncodingUnavailable: no meter was given and the default encoding cannot be had.
    """
    meter = meter or get_meter()
    harness = get_dialect(dialect)
    tool = harness.ask_tool()
    call = ToolCall(id="call_1", name=tool.name, arguments=arguments)
    result = Message(role="tool", content=(TextBlock(text=answer),), tool_call_id=call.id)
    request = Request(tools=(tool,), messages=(Message(role="assistant", tool_calls=(call,)), result))
    schema, asked, answered = measure(request, meter).segments
    return AskCost(
        encoding=meter.name,
        dialect=harness.name,
        renderer=RENDERER,
        schema_tokens=schema.tokens,
        arguments_tokens=asked.tokens,
        answer_tokens=answered.tokens,
    )
