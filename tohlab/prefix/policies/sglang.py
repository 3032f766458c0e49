"""SGLang's radix cache: pages of a tree, of which whole leaves go."""

from __future__ import annotations

from typing import Final

from tohlab.prefix.policies.base import CachePolicy, Source
from tohlab.prefix.policies.walk import PrefixWalk

POLICIES: Final[tuple[CachePolicy, ...]] = (
    PrefixWalk(
        name="sglang",
        title="SGLang",
        sources=(
            # what of it is held against the documents' rules is the unbounded cache; who goes first when room
            # runs out follows the source and was not held against the program
            # the eviction was read in the source and not run, so this one speaks for the policy
            Source(title="SGLang 0.5.23, mem_cache/radix_cache.py", date="2026-10", status="vectors"),
            Source(
                title="SGLang 0.5.23's own RadixCache without a bound, 1,200 random requests: "
                "tests/engine/test_oracles",
                date="2026-12-01",
                status="verified-live",
            ),
        ),
        not_modelled=(
            "other orders of eviction than the least recently used leaf (lfu, fifo, filo, mru, slru, "
            "priority, tlru); which leaf goes was read in the source and not held against the program",
        ),
        unit=1,
        recompute_last=True,
        keeps_output=True,
        eviction="leaves",
    ),
)
