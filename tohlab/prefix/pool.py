"""Thousands of sessions that share one cache: what is read at which size, and what has to go.

`simulate_pool` sends a trace of block ids through a cache that is walked (vLLM's blocks, SGLang's leaves,
hosted caches that share any beginning and only forget with time). A trace says nothing of where messages end,
so caches of snapshots are simulated from whole requests: `simulate_requests`. Requests follow one another in
the order of their start; what runs at the same time as another is not held apart.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tohlab.errors import MissingExtra, PrefixError
from tohlab.prefix.policies import get_policy
from tohlab.prefix.policies.base import CachedRequest, CachePolicy
from tohlab.prefix.policies.walk import PrefixWalk
from tohlab.prefix.radix import RadixTree
from tohlab.prefix.trace import Trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS: Final = 12
"""How many sizes a hit curve has unless told otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolResult:
    """What a pool of sessions read."""

    policy: str
    status: str
    """How sure the policy's rules are."""
    requests: int
    """Those that were served."""
    refused_requests: int
    """Those that need more room than there is; no engine starts one, and they count nowhere else."""
    total_tokens: int
    read_tokens: int
    capacity_blocks: int | None
    """How much room there was; None for any amount."""
    block_tokens: int
    """Tokens of a block; 1 where whole requests were simulated."""
    evicted_blocks: int
    """How many blocks had to go to make room."""
    held_blocks: int
    """How many were held in the end."""

    @property
    def read_share(self) -> float:
        """The read part of all tokens, 0 to 1; 0 where nothing was served."""
        return self.read_tokens / self.total_tokens if self.total_tokens else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return plain data under the same names, with `read_share`."""
        result: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        result["read_share"] = self.read_share
        return result


def simulate_pool(
    trace: Trace, policy: str | CachePolicy = "vllm", *, capacity_blocks: int | None = None
) -> PoolResult:
    """Return what the requests of a trace read from one cache that they share.

    Blocks are the trace's; minimum, lifetime, the order in which room is made, and whether the last token is
    always computed are the policy's.

    Args:
        trace: see `read_trace` and `Trace.of_requests`.
        policy: a policy that is walked.
        capacity_blocks: how many of the trace's blocks there is room for; the policy's own `capacity_units`
            unless told otherwise.

    Raises:
        PrefixError: a policy of snapshots, for which a trace says too little, or whose units do not fit into
            the trace's blocks.
        UnknownPolicy: no policy of that name.
    """
    rules = get_policy(policy)
    if not isinstance(rules, PrefixWalk) or rules.family != "prefix walk":
        raise PrefixError(
            f"{rules.title} reads only what was written at a boundary, and a trace of block ids has none; "
            "use simulate_requests() with whole requests"
        )
    block = trace.block_tokens
    if block % rules.unit and rules.unit % block:
        raise PrefixError(
            f"blocks of {block} tokens and units of {rules.unit} do not fit into one another; "
            f"make the trace with block_tokens={rules.unit}"
        )
    capacity = rules.capacity_units if capacity_blocks is None else capacity_blocks
    if capacity is not None and (not isinstance(capacity, int) or capacity < 1):
        raise PrefixError(f"a pool has room for 1 block or more, not {capacity!r}")
    return _walk(trace, rules, capacity)


def _walk(trace: Trace, rules: PrefixWalk, capacity: int | None) -> PoolResult:
    tree = RadixTree(1, capacity, rules.eviction)
    block, ttl_s = trace.block_tokens, rules.ttl_s
    anew = int(rules.recompute_last)
    served = total = read = evicted = refused = 0
    for row in trace.rows:
        tokens, at_s = row.input_tokens, row.at_s
        full = tokens // block
        unfinished = int(tokens % block > 0)
        if capacity is not None and full + unfinished > capacity:
            refused += 1
            continue
        touch = tree.touch(
            row.hash_ids,
            max(tokens - anew, 0) // block,
            at_s,
            alive_since_s=-math.inf if ttl_s is None else at_s - ttl_s,
            keep=full,
            reserve=unfinished,
        )
        served += 1
        total += tokens
        evicted += touch.evicted
        read += rules.reported(touch.found * block) if rules.promised else 0
    return PoolResult(
        policy=rules.name,
        status=rules.status,
        requests=served,
        refused_requests=refused,
        total_tokens=total,
        read_tokens=read,
        capacity_blocks=capacity,
        block_tokens=block,
        evicted_blocks=evicted,
        held_blocks=tree.size,
    )


def simulate_requests(
    arrivals: Iterable[tuple[float, CachedRequest]], policy: str | CachePolicy
) -> PoolResult:
    """Return what whole requests read from one cache that they share, under any policy.

    Args:
        arrivals: each request with its start in seconds, rising.
        policy: by name or as a `CachePolicy`; an engine's room is its setting `capacity_units`.

    Raises:
        PrefixError: starts that go backwards, or a request that the provider or engine refuses.
        UnknownPolicy: no policy of that name.
    """
    rules = get_policy(policy)
    cache = rules.start()
    served = total = read = 0
    for at_s, request in arrivals:
        use = cache.submit(request, at_s)
        served += 1
        total += use.total_tokens
        read += use.read_tokens
    return PoolResult(
        policy=rules.name,
        status=rules.status,
        requests=served,
        refused_requests=0,
        total_tokens=total,
        read_tokens=read,
        capacity_blocks=None,
        block_tokens=1,
        evicted_blocks=0,
        held_blocks=0,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HitCurve:
    """How much is read at which size of the cache."""

    results: tuple[PoolResult, ...]
    """One for each size, smallest first; the last one has room for everything."""

    @property
    def policy(self) -> str:
        """Whose rules."""
        return self.results[-1].policy

    def rows(self) -> tuple[dict[str, Any], ...]:
        """Return one plain dict a size."""
        return tuple(result.to_dict() for result in self.results)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the share of tokens that is read over the size in tokens, and return the axes.

        Sizes at which requests had to be refused are drawn hollow.

        Args:
            ax: where; new axes unless given.

        Raises:
            MissingExtra: matplotlib is not installed.
        """
        if ax is None:
            try:
                from matplotlib import pyplot
            except ImportError as error:
                raise MissingExtra("matplotlib", "notebook") from error
            ax = pyplot.subplots(figsize=(6, 3.5), layout="constrained")[1]
        sizes = [(r.capacity_blocks or 0) * r.block_tokens for r in self.results]
        shares = [100 * r.read_share for r in self.results]
        (line,) = ax.plot(sizes, shares, label=self.policy)
        for hollow in (False, True):
            chosen = [i for i, r in enumerate(self.results) if (r.refused_requests > 0) is hollow]
            ax.plot(
                [sizes[i] for i in chosen],
                [shares[i] for i in chosen],
                "o",
                color=line.get_color(),
                markerfacecolor="none" if hollow else line.get_color(),
            )
        ax.set_xscale("log")
        ax.set_ylim(0, 100)
        ax.set_xlabel("room (tokens)")
        ax.set_ylabel("read from the cache (% of input tokens)")
        ax.legend()
        return ax

    def _repr_html_(self) -> str:
        head = "<tr><th>blocks</th><th>read</th><th>evicted</th><th>refused requests</th></tr>"
        rows = "".join(
            f"<tr><td>{r.capacity_blocks:,}</td><td>{100 * r.read_share:.1f} %</td>"
            f"<td>{r.evicted_blocks:,}</td><td>{r.refused_requests:,}</td></tr>"
            for r in self.results
        )
        return f"<p>{html.escape(self.policy)}</p><table>{head}{rows}</table>"


def hit_curve(
    trace: Trace,
    policy: str | CachePolicy = "vllm",
    *,
    capacities_blocks: Sequence[int] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> HitCurve:
    """Return how much the requests of a trace read at several sizes of the cache.

    Args:
        trace: see `read_trace`.
        policy: a policy that is walked.
        capacities_blocks: the sizes, in the trace's blocks; unless given, twelve from the largest request's
            to as many as there are different blocks, each the same factor larger than the one before.
        progress: called after each size with how many are done and how many there are.

    Raises:
        PrefixError: see `simulate_pool`; or an empty trace.
    """
    if not trace.rows:
        raise PrefixError("a trace without requests has no hit curve")
    sizes = sorted(set(capacities_blocks)) if capacities_blocks is not None else _sizes(trace)
    results = []
    for done, size in enumerate(sizes, start=1):
        results.append(simulate_pool(trace, policy, capacity_blocks=size))
        if progress is not None:
            progress(done, len(sizes))
    return HitCurve(results=tuple(results))


def _sizes(trace: Trace) -> list[int]:
    low = max(1, *(len(row.hash_ids) for row in trace.rows))
    high = max(trace.distinct_blocks + 1, low)  # one more, for an unfinished block in work
    factor = high / low
    return sorted({round(low * factor ** (i / (POINTS - 1))) for i in range(POINTS)})
