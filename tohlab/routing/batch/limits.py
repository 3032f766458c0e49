"""What a provider's batch API takes, as numbers with their source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tohlab.errors import RoutingError


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchLimits:
    """How large one request file may be, and how long the provider takes; a service of your own may
    differ."""

    requests: int = 50_000
    """Lines of one file, at most."""
    file_bytes: int = 200_000_000
    """Bytes of one file, at most. Documented as "200 MB"; the smaller reading (million bytes) is taken."""
    window: str = "24h"
    """The completion window that is asked for; the only one that OpenAI has."""
    source: str = (
        "openai-python 3.57.0, types/batch_create_params.py (generated from OpenAI's own specification)"
    )
    """Where these numbers were read."""
    date: str = "2026-12-01"
    """When."""

    def __post_init__(self) -> None:
        if self.requests < 1 or self.file_bytes < 1:
            raise RoutingError("a batch file must hold at least one request and one byte")


OPENAI_LIMITS: Final = BatchLimits()
