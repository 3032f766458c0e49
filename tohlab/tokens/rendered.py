"""What a rendering costs, piece by piece, and the same tools under several renderers."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from tohlab.errors import TokensError
from tohlab.renderers import Counter, Rendered, Renderer, get_renderer
from tohlab.request import Request, ToolSchema
from tohlab.tokens.meter import TokenMeter, get_meter


@dataclass(frozen=True, slots=True, kw_only=True)
class PieceCost:
    """What one address of a rendering costs."""

    path: str
    """Such as `tools[0].description`; empty for the format's own text."""
    section: str
    """`tools`, `system`, `messages` or `generation`."""
    tokens: int
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedCost:
    """What a rendering costs. `pieces` add up to `total_tokens` exactly."""

    meter: str
    renderer: str
    total_tokens: int
    special_tokens: int
    """How many of them are the format's special tokens."""
    pieces: tuple[PieceCost, ...]
    """Neighbours of one address and section together, in order."""

    def by_section(self) -> Mapping[str, int]:
        """Return the tokens of each section, in the order in which they first appear."""
        result: dict[str, int] = {}
        for piece in self.pieces:
            result[piece.section] = result.get(piece.section, 0) + piece.tokens
        return result

    def by_path(self) -> Mapping[str, int]:
        """Return the tokens of each address, in the order in which they first appear."""
        result: dict[str, int] = {}
        for piece in self.pieces:
            result[piece.path] = result.get(piece.path, 0) + piece.tokens
        return result


def measure_rendered(
    request: Request,
    renderer: Renderer | str,
    meter: TokenMeter | None = None,
    *,
    generation_prompt: bool = False,
) -> RenderedCost:
    """Return what a request costs as a renderer writes it, address by address.

    A special token counts 1. Text between special tokens is encoded together, and each token is given to the
    address in which its first character lies.

    Args:
        request: what is sent.
        renderer: how it is written; by name or as an instance. A counter writes nothing and is not one.
        meter: what counts; `o200k_base` unless told otherwise.
        generation_prompt: also count what makes the model begin its answer.

    Raises:
        RenderError: the renderer cannot write the request, or there is none of that name.
        TokensError: the renderer's text is made of another encoding's tokens, or it is a counter.
        EncodingUnavailable: no meter was given and the default encoding cannot be had.
    """
    meter = meter or get_meter()
    made = get_renderer(renderer) if isinstance(renderer, str) else renderer
    if isinstance(made, Counter):
        raise TokensError(f"{made.name} only counts and writes nothing; use its count(request, meter)")
    _check_encoding(made.name, made.encodings, meter)
    return _cost(made.render(request, generation_prompt=generation_prompt), meter)


def encode_rendered(rendered: Rendered, meter: TokenMeter) -> tuple[int, ...]:
    """Return the token ids of a rendering; special tokens by their ids, content never as one.

    Raises:
        TokensError: the meter's encoding lacks one of the special tokens.
    """
    special = getattr(meter, "special", None)
    ids: list[int] = []
    for text, is_special, _ in rendered.runs():
        if not is_special:
            ids += meter.encode(text)
        elif special is None:
            raise TokensError(f"{meter.name} has no special tokens, so {text!r} has no id")
        else:
            ids.append(special(text))
    return tuple(ids)


def _cost(rendered: Rendered, meter: TokenMeter) -> RenderedCost:
    rows: list[tuple[str, str, int, int]] = []
    specials = 0
    for text, special, pieces in rendered.runs():
        if special:
            specials += 1
            rows.append((pieces[0].path, pieces[0].section, 1, len(text)))
            continue
        _, starts = meter.encode_with_offsets(text)
        ends = list(accumulate((len(piece.text) for piece in pieces), initial=0))
        for piece, start, stop in zip(pieces, ends, ends[1:], strict=False):
            tokens = bisect_left(starts, stop) - bisect_left(starts, start)
            rows.append((piece.path, piece.section, tokens, stop - start))
    costs: list[PieceCost] = []
    for path, section, tokens, characters in rows:
        last = costs[-1] if costs else None
        if last is not None and (last.path, last.section) == (path, section):
            tokens, characters = tokens + last.tokens, characters + last.characters
            costs.pop()
        costs.append(PieceCost(path=path, section=section, tokens=tokens, characters=characters))
    return RenderedCost(
        meter=meter.name,
        renderer=rendered.renderer,
        total_tokens=sum(cost.tokens for cost in costs),
        special_tokens=specials,
        pieces=tuple(costs),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsCost:
    """What a set of tools costs under one renderer or counter."""

    renderer: str
    meter: str
    tokens: int
    """What the tools add to a request that has none; what they change elsewhere is part of it."""
    overhead_tokens: int
    """How many of these the service adds and nobody sees; known of a counter only."""
    estimated: bool
    """Whether the service would come to another number."""
    uncounted: tuple[str, ...] = ()
    """Addresses that a counter passes over."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data under the same names."""
        return {name: getattr(self, name) for name in self.__slots__} | {"uncounted": list(self.uncounted)}


SYSTEM = "You are a helpful assistant."
"""The system text of the request to which `measure_tools` adds the tools."""


def measure_tools(
    tools: Sequence[ToolSchema],
    renderer: Renderer | Counter | str,
    meter: TokenMeter | None = None,
    *,
    system: str = SYSTEM,
) -> ToolsCost:
    """Return what tools add to a request that has none, as a renderer writes it or a counter counts it.

    A format may write more than the tools when there are any (harmony adds a line to the system message);
    that is part of what they cost.

    Args:
        tools: any number, also none.
        renderer: by name or as an instance.
        meter: what counts; `o200k_base` unless told otherwise.
        system: the system text of the request.

    Raises:
        RenderError: the renderer cannot write such a request, or there is none of that name.
        TokensError: the renderer's text is made of another encoding's tokens.
        EncodingUnavailable: no meter was given and the default encoding cannot be had.
    """
    meter = meter or get_meter()
    made = get_renderer(renderer) if isinstance(renderer, str) else renderer
    with_tools, without = Request(tools=tuple(tools), system=system), Request(system=system)
    if isinstance(made, Counter):
        count = made.count(with_tools, meter)
        return ToolsCost(
            renderer=made.name,
            meter=meter.name,
            tokens=count.tools_tokens + count.overhead_tokens,
            overhead_tokens=count.overhead_tokens,
            estimated=count.estimated,
            uncounted=count.uncounted,
        )
    added = (
        measure_rendered(with_tools, made, meter).total_tokens
        - measure_rendered(without, made, meter).total_tokens
    )
    return ToolsCost(renderer=made.name, meter=meter.name, tokens=added, overhead_tokens=0, estimated=False)


def compare_renderers(
    tools: Sequence[ToolSchema],
    renderers: Iterable[Renderer | Counter | str],
    meter: TokenMeter | None = None,
) -> tuple[ToolsCost, ...]:
    """Return what the same tools cost under each renderer, in the order given; see `measure_tools`."""
    return tuple(measure_tools(tools, renderer, meter) for renderer in renderers)


def _check_encoding(name: str, encodings: tuple[str, ...], meter: TokenMeter) -> None:
    if encodings and meter.name not in encodings:
        raise TokensError(
            f"{name} is made of tokens of {' or '.join(encodings)}, not of {meter.name}; "
            f"use get_meter({encodings[0]!r})"
        )
