"""From a token of a request to the place where it stands."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

from tohlab.addresses import path_at, stretches
from tohlab.errors import PrefixError
from tohlab.request import Request
from tohlab.tokens.ledger import layout_of
from tohlab.tokens.measure import RENDERER
from tohlab.tokens.meter import TokenMeter, get_meter


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a token of a request stands."""

    path: str
    """Whose first character it is: `tools[3].parameters.properties.q.description`,
    `skills["deploy"].description`, `messages[7].content[1]`."""
    segment: str
    """The path of the segment, which is encoded as one piece."""
    kind: str
    """`tool`, `system`, `tool-call`, or the kind of its message."""
    role: str
    token: int
    """In the whole request, counted from 0."""
    start: int
    """The token's first character in the segment, counted from 0."""
    stop: int
    """The first character after it; equal to `start` where the next token begins in the same character."""
    text: str
    """The characters from `start` to `stop`."""
    paths: tuple[str, ...]
    """Every address that the token touches, in order; more than one where it crosses a border."""
    meter: str
    renderer: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain data under the same names."""
        return {name: getattr(self, name) for name in self.__slots__} | {"paths": list(self.paths)}


def address(request: Request, position: int, meter: TokenMeter | None = None) -> Address:
    """Return where the token at `position` of a request stands.

    The request is laid out as `measure` and `compare_prefix` do it, so a `Divergence.token` is a position.

    Args:
        request: what is sent.
        position: the token, counted from 0 in the whole request.
        meter: what counts; `o200k_base` unless told otherwise.

    Raises:
        PrefixError: the request has no such token.
        EncodingUnavailable: no meter was given and the default encoding cannot be had.
    """
    meter = meter or get_meter()
    layout = layout_of(request, meter)
    if not 0 <= position < layout.total_tokens:
        raise PrefixError(
            f"the request has {layout.total_tokens:,} tokens ({meter.name}); there is no token {position:,}"
        )
    index = bisect_right(layout.trunk.ends, position) - 1
    segment = layout.trunk.segments[index]
    inside = position - layout.trunk.ends[index]
    _, starts = meter.encode_with_offsets(segment.text)
    start = starts[inside]
    stop = starts[inside + 1] if inside + 1 < len(starts) else len(segment.text)
    touched = tuple(
        dict.fromkeys(s.path for s in stretches(segment) if s.start < max(stop, start + 1) and start < s.stop)
    )
    return Address(
        path=path_at(segment, start),
        segment=segment.path,
        kind=segment.kind,
        role=segment.role,
        token=position,
        start=start,
        stop=stop,
        text=segment.text[start:stop],
        paths=touched,
        meter=meter.name,
        renderer=RENDERER,
    )
