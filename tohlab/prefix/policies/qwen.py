"""Qwen on Model Studio: marked entries, or else an automatic cache without a promise; never both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from tohlab.prefix.policies.anthropic import SHORT_S, Anthropic
from tohlab.prefix.policies.base import CachedRequest, CachePolicy, CacheState, Source, Use
from tohlab.prefix.policies.gemini import Unpromised

_PAGE: Final = (
    Source(title="Alibaba Cloud Model Studio, Context Cache", date="2026-10-11", status="vectors"),
)

EXPLICIT: Final = Anthropic(
    name="qwen-explicit",
    title="Qwen, explicit",
    sources=_PAGE,
    minimum_tokens=1024,
    ttl_s=SHORT_S,
    lifetimes_s=(SHORT_S,),
    visible="response",
    automatic=False,
)
"""Up to four marks, each looked back from by twenty blocks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Qwen(Unpromised):
    """A request with marks uses the explicit cache only, one without marks the implicit one only."""

    explicit: CachePolicy = EXPLICIT

    @property
    def family(self) -> Literal["prefix walk", "snapshot"]:
        return "snapshot"

    def start(self) -> CacheState:
        return QwenState(self)


class QwenState(CacheState):
    """Both caches side by side."""

    def __init__(self, policy: Qwen) -> None:
        super().__init__(policy)
        self._explicit = policy.explicit.start()
        self._implicit = super(Qwen, policy).start()

    def _use(self, request: CachedRequest, at_s: float, response_s: float) -> Use:
        state = self._explicit if request.marks else self._implicit
        return state.submit(request, at_s, response_s=response_s)


POLICIES: Final = (
    Qwen(
        name="qwen",
        models=("qwen", "qwq"),
        title="Qwen (Model Studio)",
        sources=_PAGE,
        not_modelled=(
            "the explicit cache of Qwen4 models, which has an automatic breakpoint and lifetimes of five "
            "minutes or one hour (Model Studio, Explicit cache (Qwen4), 2026-11-16)",
        ),
        minimum_tokens=1024,
        minimum_range=(256, 1024),
        evidence='"the hit rate is not guaranteed"',
    ),
)
