"""vLLM's prefix cache: a chain of full blocks, and a queue in which a request's last block goes first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tohlab.prefix.policies.base import CachePolicy, Source
from tohlab.prefix.policies.walk import PrefixWalk


@dataclass(frozen=True, slots=True, kw_only=True)
class Vllm(PrefixWalk):
    """Full blocks, of which the last is always computed anew where a request ends on it.

    `unit` is the block: 16 tokens on GPUs, a multiple of 32 on CPUs, 528 to 4,096 for hybrid models; read it
    from the engine. `capacity_units` is the number of blocks without the one that vLLM keeps for itself; a
    request in work needs one for its unfinished end, too. `namespace` is the salt or LoRA. Requests follow
    one another here; an aligned repeat counts its last block once, where vLLM holds two copies for a while.
    """


POLICIES: Final[tuple[CachePolicy, ...]] = (
    Vllm(
        name="vllm",
        title="vLLM",
        sources=(
            Source(
                title="vLLM 0.32.0 on a CPU, 400 random requests: tests/engine/test_oracles",
                date="2026-12-01",
                status="verified-live",
            ),
            Source(title="vLLM 0.32.0, v1/core/kv_cache_manager", date="2026-10", status="vectors"),
        ),
        unit=16,
        recompute_last=True,
        keeps_output=True,
    ),
)
