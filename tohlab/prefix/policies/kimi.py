"""Kimi's coding endpoint: chunks of 256 tokens, and beside them every whole request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tohlab.prefix.policies.base import Knob, Section, Source
from tohlab.prefix.policies.walk import PrefixWalk


@dataclass(frozen=True, slots=True, kw_only=True)
class Kimi(PrefixWalk):
    """Marks, cache keys and sampling parameters make no difference; an unchanged request is read whole."""

    @property
    def knobs(self) -> tuple[Knob, ...]:
        return (
            Knob(
                name="ttl_s",
                value=self.ttl_s or 0,
                low=300,
                high=1800,
                status="measured-by-others",
                source="read after 300 s, not after 1,800 s",
            ),
        )

    def rendered_from(self, param: str) -> Section | None:
        return None


POLICIES: Final = (
    Kimi(
        name="kimi",
        models=("kimi", "moonshot", r"\bk[23]\b"),
        title="Kimi coding endpoint",
        sources=(
            Source(
                title="Leechael/pi-provider-kimi-code, docs/caching.md (about 80 requests)",
                date="2026",
                status="measured-by-others",
            ),
        ),
        unit=256,
        exact_resend=True,
        namespaced=False,
        ttl_s=300.0,
    ),
)
