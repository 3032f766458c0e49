"""What one request can reuse of another, what a provider or engine makes of that, and what breaks it.

`compare_prefix` sets two requests side by side; a `PrefixTracker` follows a session; `address` says where a
token stands. The shared prefix is the most that any cache can reuse, and newer hosted models reuse less: a
`CachePolicy` says what one provider or engine reads, `explain` why a request reads less than it could,
`simulate_pool` what many sessions read from one cache, and `assert_append_only` holds an agent's requests to
growing only.
"""

from __future__ import annotations

from tohlab.prefix.append_only import AppendOnlyCheck, assert_append_only, check_append_only
from tohlab.prefix.changes import Sent
from tohlab.prefix.compare import Divergence, PrefixComparison, compare_prefix
from tohlab.prefix.explain import explain
from tohlab.prefix.explanation import Change, Explanation, requests_until_longer_pays
from tohlab.prefix.locate import Address, address
from tohlab.prefix.policies import CachedRequest, CachePolicy, Use, cached_request, get_policy, policy_names
from tohlab.prefix.pool import HitCurve, PoolResult, hit_curve, simulate_pool, simulate_requests
from tohlab.prefix.trace import Trace, read_trace, write_trace
from tohlab.prefix.tracker import PrefixTracker

__all__ = [
    "Address",
    "AppendOnlyCheck",
    "CachePolicy",
    "CachedRequest",
    "Change",
    "Divergence",
    "Explanation",
    "HitCurve",
    "PoolResult",
    "PrefixComparison",
    "PrefixTracker",
    "Sent",
    "Trace",
    "Use",
    "address",
    "assert_append_only",
    "cached_request",
    "check_append_only",
    "compare_prefix",
    "explain",
    "get_policy",
    "hit_curve",
    "policy_names",
    "read_trace",
    "requests_until_longer_pays",
    "simulate_pool",
    "simulate_requests",
    "write_trace",
]
