"""How a harness lays a request out: what stands where, and where it marks the end of what may be cached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tohlab.dialects.base import Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLayout:
    """How a harness's request to one API is laid out, as far as a cache is concerned."""

    api: str
    path: str
    """Where the request goes, below the API's base address."""
    keys: tuple[str, ...]
    """The keys of the body in the order in which they are sent, which is not the order that a cache sees."""
    tools_in: str = "tools"
    """Where the tools stand, as a pointer into the body."""
    breakpoints: tuple[str, ...] = ()
    """Where the harness marks the end of what may be cached, as pointers; `-1` is the last of a list."""
    models: str = ""
    """For which models, where it is not for all."""
    provenance: Provenance

    def breakpoints_in(self, body: Mapping[str, Any]) -> tuple[str, ...]:
        """Return where the breakpoints stand in a body, in their order; what leads nowhere is left out."""
        found = (_pointer(body, point.split("/")) for point in self.breakpoints)
        return tuple(point for point in found if point is not None)


def _pointer(value: Any, parts: list[str]) -> str | None:
    done = ""
    for part in parts:
        if isinstance(value, list | tuple):
            at = int(part) if int(part) >= 0 else len(value) + int(part)
            if not 0 <= at < len(value):
                return None
            done, value = f"{done}/{at}", value[at]
        elif isinstance(value, Mapping) and part in value:
            done, value = f"{done}/{part}", value[part]
        else:
            return None
    return done
