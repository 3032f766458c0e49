"""A cache that is forked answers as one that was sent the same, and neither notices the other."""

from __future__ import annotations

import random

import pytest

from tests.prefix.blocks import blocks, user_blocks
from tohlab.prefix.policies import CachedRequest, get_policy, policy_names
from tohlab.prefix.radix import RadixTree


def requests(seed: int) -> list[tuple[CachedRequest, float]]:
    """A session that grows, changes and repeats itself, long enough for every minimum."""
    rng, found = random.Random(seed), []
    for i in range(12):
        changed = {rng.randrange(1, 6): f"other {i}"} if rng.random() < 0.3 else None
        parts = user_blocks(rng.randrange(6, 14), 900, changed)
        found.append((blocks(*parts, marks=[len(parts) - 1], output=50), i * rng.choice((10.0, 200.0))))
    return sorted(found, key=lambda pair: pair[1])


@pytest.mark.parametrize("name", policy_names())
@pytest.mark.parametrize("seed", [1, 2])
def test_a_fork_goes_on_as_the_first_would_have(name: str, seed: int) -> None:
    policy, sent = get_policy(name), requests(seed)
    alone, forked = policy.start(), policy.start()
    for request, at_s in sent[:6]:
        alone.submit(request, at_s)
        forked.submit(request, at_s)
    strays = forked.fork()
    for request, _ in reversed(sent):
        strays.submit(request, sent[-1][1])
    again = forked.fork()
    for request, at_s in sent[6:]:
        expected = alone.submit(request, at_s)
        assert forked.submit(request, at_s) == expected
        assert again.submit(request, at_s) == expected


@pytest.mark.parametrize("eviction", ["tails", "leaves"])
def test_a_full_tree_forks_with_its_order_of_eviction(eviction: str) -> None:
    rng = random.Random(3)
    trees = [RadixTree(2, 20, eviction)]  # type: ignore[arg-type]  # one of the two words
    from array import array

    for step in range(60):
        items = array("q", (rng.randrange(3) for _ in range(12)))
        if step == 30:
            trees.append(trees[0].fork())
        touches = {tree.touch(items, len(items), float(step)) for tree in trees}
        assert len(touches) == 1
    assert set(trees[0].sequences()) == set(trees[1].sequences())


def test_a_deep_tree_can_be_forked() -> None:
    from array import array

    tree = RadixTree(1, None, "leaves")
    for length in range(1, 3000):
        items = array("q", range(length))
        tree.touch(items, length)
    assert tree.fork().size == tree.size == 2999
