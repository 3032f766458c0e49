"""Prompt caches of providers and engines, one small module each.

Every module of this folder that has `POLICIES` is found; the rest of a policy's life is `base`. A rule has
changed at least once in the last year at each of the big providers: each policy names its sources, their
dates and how sure they are, and what nobody publishes is a `Knob` in sight.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import pkgutil
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from tohlab.errors import PrefixError, UnknownPolicy
from tohlab.prefix.policies.base import (
    Boundary,
    CachedRequest,
    CachePolicy,
    CacheState,
    Knob,
    Mark,
    Source,
    Use,
    cached_request,
)

__all__ = [
    "Boundary",
    "CachePolicy",
    "CacheState",
    "CachedRequest",
    "Knob",
    "Mark",
    "Source",
    "Use",
    "cached_request",
    "get_policy",
    "policy_names",
]


def policy_names() -> tuple[str, ...]:
    """Return the names of all cache policies, sorted."""
    return tuple(sorted(_policies()))


def get_policy(policy: str | CachePolicy, **settings: Any) -> CachePolicy:
    """Return the cache policy of that name, or the one that is given.

    Args:
        policy: a name from `policy_names()`, or a policy.
        settings: what shall differ from the policy's own fields, such as `ttl_s=3600.0` or a knob.

    Raises:
        UnknownPolicy: no policy of that name; the message names the nearest.
        PrefixError: no such setting, or a knob outside its range.
    """
    if not isinstance(policy, CachePolicy):
        known = _policies()
        if policy not in known:
            near = difflib.get_close_matches(str(policy).lower(), known, n=1, cutoff=0.5)
            raise UnknownPolicy(str(policy), sorted(known), near[0] if near else None)
        policy = known[policy]
    return policy.with_settings(**settings) if settings else policy


@functools.cache
def _policies() -> Mapping[str, CachePolicy]:
    found: dict[str, CachePolicy] = {}
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        for policy in getattr(importlib.import_module(module.name), "POLICIES", ()):
            if policy.name in found:
                raise PrefixError(
                    f"two cache policies are named {policy.name!r}; {module.name} has the second"
                )
            found[policy.name] = policy
    return MappingProxyType(found)
