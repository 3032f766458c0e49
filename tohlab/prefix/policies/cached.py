"""What a cache policy sees of a request: tokens, boundaries, marks, parameters and the cache's name."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

from tohlab.errors import PrefixError
from tohlab.prefix.sequence import Strip, TokenSequence, header_of
from tohlab.request import Message, Request, Segment
from tohlab.tokens.ledger import layout_of, memory_of
from tohlab.tokens.measure import RENDERER
from tohlab.tokens.meter import TokenMeter, get_meter, token_array

Section = Literal["tools", "system", "messages"]
SECTIONS: Final[tuple[Section, ...]] = get_args(Section)
Mode = Literal["default", "implicit", "explicit", "off"]
MODES: Final[tuple[Mode, ...]] = get_args(Mode)

_NUMBER: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """The end of one segment: a tool, a text block, a tool call."""

    end: int
    """Tokens up to here, this segment included."""
    section: Section
    role: str
    """`system`, `user`, `assistant` or `tool`."""
    path: str
    """The segment's address, such as `messages[3].content[0]`."""
    kind: str
    """What the segment is for: `tool`, `system`, or its message's kind (`user`, `skill-catalog`, ...)."""
    ends_message: bool
    """Whether it is the last one of its message; always so for tools and system."""
    message: int = -1
    """The place of its message in the request, from 0; -1 for tools and system."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """An explicit breakpoint: `cache_control`, `prompt_cache_breakpoint`, `cachePoint`."""

    path: str
    """Which segment it ends; `tools` means the last tool, `messages[3]` the message's last segment, and
    `messages` the last segment of all."""
    ttl_s: float | None = None
    """How long the entry shall live, in seconds; None for the provider's default."""

    def __post_init__(self) -> None:
        _check_lifetime(self.ttl_s, f"the breakpoint at {self.path}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedRequest:
    """A request as a cache sees it.

    Raises:
        PrefixError: no such mode, or a lifetime of no time.
    """

    tokens: TokenSequence
    boundaries: tuple[Boundary, ...] = ()
    """Ends of the segments, rising; empty for tokens that an engine rendered itself."""
    marks: tuple[tuple[int, Mark], ...] = ()
    """Explicit breakpoints, each with the place of its boundary in `boundaries`, rising."""
    mode: Mode = "default"
    """`explicit`: only marked breakpoints count; `implicit`: the provider also sets its own; `off`: the
    request asks not to be cached; `default`: what the provider does unless told."""
    ttl_s: float | None = None
    """How long entries shall live for which no mark says it, in seconds; None for the provider's default."""
    model: str = ""
    params: tuple[tuple[str, str], ...] = ()
    """Parameters that are rendered into the prompt, such as `("tool_choice", "auto")`, sorted by name."""
    namespace: str = ""
    """What separates caches: the workspace, `prompt_cache_key`, a salt."""
    output: TokenSequence | None = None
    """The request's tokens followed by what the model generated, where that is known."""
    meter: str = ""
    renderer: str = ""

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise PrefixError(f"there is no mode {self.mode!r}; use one of {', '.join(MODES)}")
        _check_lifetime(self.ttl_s, "the request")

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def total_tokens(self) -> int:
        """All tokens of the request, without the output."""
        return len(self.tokens)

    def boundary_at(self, tokens: int) -> Boundary | None:
        """Return the last boundary that lies at or before this many tokens; None before the first."""
        place = bisect_right(self.boundaries, tokens, key=lambda b: b.end)
        return self.boundaries[place - 1] if place else None

    def section_start(self, section: Section) -> int:
        """Return how many tokens stand before a section: all of those in the sections before it."""
        order = SECTIONS.index(section)
        ends = [b.end for b in self.boundaries if SECTIONS.index(b.section) < order]
        return ends[-1] if ends else 0

    @classmethod
    def of_ids(
        cls, ids: Iterable[int], output: Iterable[int] = (), *, model: str = "", namespace: str = ""
    ) -> CachedRequest:
        """Return a request of tokens that an engine rendered itself, and what it generated after them.

        Raises:
            PrefixError: an id that is no whole number from 0 to 2,147,483,647.
        """
        prompt = _token_ids(ids)
        strip = Strip()
        strip.add(prompt)
        strip.add(_token_ids(output))
        generated = len(strip.items) > len(prompt)
        return cls(
            tokens=TokenSequence(strip, len(prompt)),
            output=TokenSequence(strip, len(strip.items)) if generated else None,
            model=model,
            namespace=namespace,
            renderer="engine",
        )


class _Laid:
    """What `cached_request` keeps beside a trunk of the ledger: the strip and the boundaries."""

    __slots__ = ("boundaries", "strip")

    def __init__(self) -> None:
        self.strip = Strip()
        self.boundaries: list[Boundary] = []


def cached_request(
    request: Request,
    meter: TokenMeter | None = None,
    *,
    marks: Iterable[Mark | str] = (),
    mode: Mode = "default",
    ttl_s: float | None = None,
    model: str = "",
    params: Mapping[str, str] | None = None,
    namespace: str = "",
    output: Message | None = None,
) -> CachedRequest:
    """Return what a cache policy sees of a request, written out by the `plain` renderer.

    Args:
        request: what is sent.
        meter: what turns texts into tokens; `o200k_base` unless told otherwise.
        marks: explicit breakpoints; a text is a `Mark` of that path.
        mode: see `CachedRequest.mode`.
        ttl_s: the lifetime that the request asks for as a whole, in seconds.
        model: the model's name; another model shares nothing.
        params: parameters that the provider renders into the prompt: `tool_choice`, `effort`, ...
        namespace: the workspace, cache key or salt.
        output: what the model answered to this request, where that is known.

    Raises:
        PrefixError: a mark names no segment of the request.
        EncodingUnavailable: no meter was given and the default encoding cannot be had.
    """
    meter = meter or get_meter()
    layout = layout_of(request, meter)
    trunk = layout.trunk
    with memory_of(meter).lock:
        laid = trunk.beside
        if not isinstance(laid, _Laid):
            laid = trunk.beside = _Laid()
        boundaries, strip = laid.boundaries, laid.strip
        for i in range(len(boundaries), layout.length):
            segment = trunk.segments[i]
            header = header_of(_NUMBER.sub("", segment.path), segment.role, layout.opens_message(i))
            boundaries.append(_boundary(segment, trunk.ends[i + 1], trunk.message_ends, i))
            strip.add(token_array(meter, segment.text), header)
        kept = tuple(boundaries[: layout.length])
    tokens = TokenSequence(strip, layout.total_tokens)
    generated: TokenSequence | None = None
    if output is not None:
        longer = replace(request, messages=(*request.messages, output))
        generated = cached_request(longer, meter).tokens
    return CachedRequest(
        tokens=tokens,
        boundaries=kept,
        marks=_place(marks, kept),
        mode=mode,
        ttl_s=ttl_s,
        model=model,
        params=tuple(sorted((params or {}).items())),
        namespace=namespace,
        output=generated,
        meter=meter.name,
        renderer=RENDERER,
    )


def asked_for(
    laid: CachedRequest,
    *,
    marks: Iterable[Mark | str],
    mode: Mode,
    ttl_s: float | None,
    model: str,
    params: Mapping[str, str],
    namespace: str,
) -> CachedRequest:
    """Return a request that was laid out before, as it is sent in another way; see `cached_request`.

    Raises:
        PrefixError: a mark names no segment of the request.
    """
    return replace(
        laid,
        marks=_place(marks, laid.boundaries),
        mode=mode,
        ttl_s=ttl_s,
        model=model,
        params=tuple(sorted(params.items())),
        namespace=namespace,
    )


def _check_lifetime(ttl_s: float | None, whose: str) -> None:
    if ttl_s is not None and not ttl_s > 0:
        raise PrefixError(f"the lifetime of {whose} must be more than 0 s, not {ttl_s!r}")


def _token_ids(ids: Iterable[int]) -> array[int]:
    try:
        found = array("i", ids)
    except (TypeError, OverflowError) as error:
        raise PrefixError(f"token ids are whole numbers from 0 to 2,147,483,647 ({error})") from error
    if found and min(found) < 0:
        raise PrefixError(f"token ids are whole numbers from 0 to 2,147,483,647, not {min(found)}")
    return found


def _boundary(segment: Segment, end: int, message_ends: list[int], index: int) -> Boundary:
    section: Section = "messages"
    message = -1
    if segment.path.startswith("messages["):
        message = int(segment.path[len("messages[") : segment.path.index("]")])
    else:
        section = "tools" if segment.kind == "tool" else "system"
    return Boundary(
        end=end,
        section=section,
        role=segment.role,
        path=segment.path,
        kind=segment.kind,
        ends_message=message < 0 or message_ends[message + 1] == index + 1,
        message=message,
    )


def _place(marks: Iterable[Mark | str], boundaries: tuple[Boundary, ...]) -> tuple[tuple[int, Mark], ...]:
    placed: dict[int, Mark] = {}
    for mark in marks:
        mark = mark if isinstance(mark, Mark) else Mark(path=mark)
        found = -1
        for i, boundary in enumerate(boundaries):
            rest = boundary.path.removeprefix(mark.path)
            if rest != boundary.path and (not rest or rest[0] in "[."):
                found = i
        if found < 0:
            known = ", ".join(b.path for b in boundaries[:3]) + (", …" if len(boundaries) > 3 else "")
            raise PrefixError(
                f"a breakpoint at {mark.path!r} ends no segment of the request; it has: {known or 'none'}"
            )
        placed[found] = mark
    return tuple(sorted(placed.items(), key=lambda item: item[0]))
