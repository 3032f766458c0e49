"""Every character of a request has an address.

A `Segment` is a stretch of text with a path of its own. Inside it lie finer things: the values of a tool's
schema, the entries of a catalog. `stretches` cuts a segment into disjoint stretches that each have one path
and together are the whole text, so that nothing is without an address and nothing has two.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from tohlab.jsonpath import join_path, json_spans
from tohlab.request import Request, Segment, Span

_ENTRY: Final = re.compile(r'entry "(.*)"', re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Characters of a segment that share one address."""

    path: str
    """Such as `tools[3].parameters.properties.q.description`, `skills["deploy"].description` or
    `messages[7].content[1]`."""
    segment: str
    """The path of the segment in which it lies."""
    start: int
    """In the segment's text, counted from 0, inclusive."""
    stop: int
    """Exclusive."""


def stretches(segment: Segment) -> tuple[Stretch, ...]:
    """Return the segment cut into stretches of one path each: disjoint, in order, nothing left out."""
    pieces = flatten(segment.path, len(segment.text), named_parts(segment))
    return tuple(Stretch(path=p, segment=segment.path, start=a, stop=b) for p, a, b in pieces)


def path_at(segment: Segment, character: int) -> str:
    """Return the address of a character of the segment.

    Raises:
        IndexError: the segment has no such character.
    """
    if not 0 <= character < len(segment.text):
        raise IndexError(f"{segment.path} has {len(segment.text):,} characters, not {character + 1:,}")
    found = stretches(segment)
    return found[bisect_right([stretch.start for stretch in found], character) - 1].path


def addresses(request: Request) -> Iterator[tuple[Segment, tuple[Stretch, ...]]]:
    """Yield each segment of the request, in wire order, with its stretches."""
    for segment in request.segments():
        yield segment, stretches(segment)


def named_parts(segment: Segment) -> tuple[tuple[str, int, int], ...]:
    """Return `(path, start, stop)` of everything with a name in the segment, outer before inner."""
    if segment.path.startswith("tools[") or ".tool_calls[" in segment.path:
        values = [
            (_inside(segment.path, span.path), span.start, span.stop)
            for span in json_spans(segment.text)
            if span.path
        ]
        values += _of_spans(f"{segment.path}.description", segment.spans)
        return tuple(sorted(values, key=lambda part: (part[1], -part[2])))
    return tuple(_of_spans(segment.path, segment.spans))


def _of_spans(base: str, spans: Iterable[Span]) -> Iterator[tuple[str, int, int]]:
    for span in spans:
        entry = _ENTRY.fullmatch(span.label)
        path = span.path or (join_path("skills", entry[1], quoted=True) if entry else base)
        yield path, span.start, span.stop
        yield from _of_spans(path, span.parts)


def _inside(base: str, path: str) -> str:
    return f"{base}{path}" if path.startswith("[") else f"{base}.{path}"


def flatten(base: str, length: int, parts: Iterable[tuple[str, int, int]]) -> Iterator[tuple[str, int, int]]:
    """Yield disjoint `(path, start, stop)` that cover 0 to `length`; where parts nest, the inner one counts.

    `parts` are nested or disjoint, each outer one before what lies in it.
    """
    at = 0
    open_: list[tuple[str, int]] = [(base, length)]
    for path, start, stop in parts:
        while start >= open_[-1][1] and len(open_) > 1:
            outer, end = open_.pop()
            if at < end:
                yield outer, at, end
                at = end
        if at < start:
            yield open_[-1][0], at, start
            at = start
        open_.append((path, stop))
    while open_:
        outer, end = open_.pop()
        if at < end:
            yield outer, at, end
            at = end
