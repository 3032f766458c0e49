"""What must hold for any requests under any policy.

An unchanged request shares everything with itself, so Kimi's reading it whole is no exception here;
llama.cpp's moving of later stretches (`--cache-reuse`) is one, and off unless asked for.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.prefix.blocks import Block, blocks
from tohlab.prefix.policies import CachedRequest, CachePolicy, get_policy, policy_names
from tohlab.prefix.radix import RadixTree

POLICIES = [get_policy(name) for name in policy_names()]
ROLES = st.sampled_from(["user", "assistant", "tool", "system", "+user"])
LENGTHS = st.sampled_from([0, 1, 5, 15, 16, 17, 64, 128, 255, 256, 512, 1024, 2100])


@st.composite
def talks(draw: st.DrawFn) -> tuple[CachedRequest, ...]:
    """Requests of one or two conversations that grow, part, are shortened and sent again."""
    done: list[tuple[Block, ...]] = []
    for _ in range(draw(st.integers(1, 7))):
        base = draw(st.sampled_from(done)) if done and draw(st.booleans()) else ()
        base = base[: draw(st.integers(0, len(base)))]
        more = draw(
            st.lists(st.tuples(ROLES, st.sampled_from(["a", "b", "c"]), LENGTHS), min_size=1, max_size=4)
        )
        if not base and draw(st.booleans()):
            more[0] = ("tools", "t", more[0][2])
        done.append((*base, *more))
    requests = []
    for parts in done:
        last = len(parts) - 1
        marks = [last] if draw(st.booleans()) and parts[last][0] != "tools" else []
        requests.append(blocks(*parts, marks=marks, namespace=draw(st.sampled_from(["", "x"]))))
    return tuple(requests)


def shared(request: CachedRequest, earlier: Sequence[CachedRequest]) -> int:
    """The longest common prefix with anything sent before, the slow way."""
    best = 0
    for other in earlier:
        both = zip(request.tokens.items, other.tokens.items, strict=False)
        most = min(len(request.tokens), len(other.tokens))
        best = max(best, next((i for i, (x, y) in zip(range(most), both, strict=False) if x != y), most))
    return best


@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: p.name)
@settings(max_examples=25)
@given(
    requests=talks(), gaps=st.lists(st.sampled_from([0.0, 1.0, 200.0, 400.0, 4000.0]), min_size=7, max_size=7)
)
def test_nothing_is_read_that_no_earlier_request_had(
    policy: CachePolicy, requests: tuple[CachedRequest, ...], gaps: list[float]
) -> None:
    cache, at_s = policy.start(), 0.0
    for i, request in enumerate(requests):
        at_s += gaps[i]
        use = cache.submit(request, at_s)
        assert use.read_tokens <= shared(request, requests[:i])
        assert use.total_tokens == request.total_tokens
        assert (
            use.read_tokens + use.write_tokens + use.long_write_tokens + use.plain_tokens == use.total_tokens
        )
        assert (use.why == "read") == (use.read_tokens > 0)
        assert (use.boundary is None) == (
            use.read_tokens == 0 or request.boundary_at(use.read_tokens) is None
        )


@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: p.name)
@settings(max_examples=10)
@given(requests=talks())
def test_a_first_request_reads_nothing(policy: CachePolicy, requests: tuple[CachedRequest, ...]) -> None:
    assert policy.start().submit(requests[0]).read_tokens == 0


@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: p.name)
@settings(max_examples=10)
@given(requests=talks())
def test_the_same_requests_are_used_the_same_way_again(
    policy: CachePolicy, requests: tuple[CachedRequest, ...]
) -> None:
    one, other = policy.start(), policy.start()
    assert [one.submit(r) for r in requests] == [other.submit(r) for r in requests]


@settings(max_examples=60)
@given(requests=talks(), more=st.integers(0, 40))
def test_looking_at_more_places_never_reads_less(requests: tuple[CachedRequest, ...], more: int) -> None:
    """Reads are monotone in lookups, for one request against the same entries."""
    *earlier, last = requests
    for name, setting in (("anthropic", "lookback_blocks"), ("openai", "earlier_messages")):
        policy = replace(get_policy(name), minimum_tokens=1)
        reads = []
        for value in (1, 1 + more):
            cache = replace(policy, **{setting: value}).start()
            for request in earlier:
                cache.submit(request)
            reads.append(cache.submit(last).read_tokens)
        assert reads[0] <= reads[1]


@settings(max_examples=40)
@given(requests=talks())
def test_one_more_mark_never_reads_less(requests: tuple[CachedRequest, ...]) -> None:
    *earlier, last = requests
    policy = replace(get_policy("anthropic"), minimum_tokens=1)
    reads = []
    for request in (replace(last, marks=()), last):
        cache = policy.start()
        for each in earlier:
            cache.submit(each)
        reads.append(cache.submit(request).read_tokens)
    assert reads[0] <= reads[1]


@settings(max_examples=40)
@given(requests=talks(), unit=st.sampled_from([1, 16, 128, 256]))
def test_a_finer_unit_never_reads_less(requests: tuple[CachedRequest, ...], unit: int) -> None:
    fine, coarse = get_policy("vllm", unit=1).start(), get_policy("vllm", unit=unit).start()
    for request in requests:
        assert coarse.submit(request).read_tokens <= fine.submit(request).read_tokens


SEQUENCES = st.lists(st.lists(st.integers(0, 2), max_size=12), min_size=1, max_size=14)


def slow_queue(sequences: list[list[int]], unit: int, capacity: int) -> list[int]:
    """vLLM's free queue, block by block: hits leave it, new blocks come off its head, a request's blocks go
    back to its tail in reverse."""
    free: dict[tuple[int, ...], None] = {}
    found = []
    for ids in sequences:
        chain = [tuple(ids[:end]) for end in range(unit, len(ids) + 1, unit)]
        partial = int(len(ids) % unit > 0)
        hit = 0
        while hit < len(chain) and chain[hit] in free:
            hit += 1
        for block in chain[:hit]:
            del free[block]
        while len(free) + len(chain) + partial > capacity:
            del free[next(iter(free))]
        for block in reversed(chain):
            free.pop(block, None)
            free[block] = None
        found.append(hit * unit)
    return found


@settings(max_examples=400)
@given(sequences=SEQUENCES, unit=st.sampled_from([1, 2, 3]), room=st.integers(0, 12))
def test_room_runs_out_as_in_a_queue_of_free_blocks(sequences: list[list[int]], unit: int, room: int) -> None:
    capacity = max(-(-len(ids) // unit) for ids in sequences) + room or 1
    tree = RadixTree(unit, capacity)
    got = [tree.touch(array("q", ids), len(ids), reserve=int(len(ids) % unit > 0)).found for ids in sequences]
    assert got == slow_queue(sequences, unit, capacity)
    assert tree.size <= capacity


@settings(max_examples=200)
@given(sequences=SEQUENCES, unit=st.sampled_from([1, 2, 3]))
def test_without_limits_the_longest_shared_beginning_is_found(sequences: list[list[int]], unit: int) -> None:
    for eviction in ("tails", "leaves"):
        tree = RadixTree(unit, eviction=eviction)  # type: ignore[arg-type]  # both words of the Literal
        seen: set[tuple[int, ...]] = set()
        for ids in sequences:
            ends = range(unit, len(ids) + 1, unit)
            expected = max((end for end in ends if tuple(ids[:end]) in seen), default=0)
            assert tree.touch(array("q", ids), len(ids)).found == expected
            seen |= {tuple(ids[:end]) for end in ends}
        assert tree.size == len(seen)
        held = set(tree.sequences())
        assert all(any(path[: len(s)] == s for path in held) for s in seen)


@settings(max_examples=200)
@given(sequences=SEQUENCES, room=st.integers(0, 8))
@example(sequences=[[1, 0], [1, 0, 0], [1, 1, 0]], room=0)
def test_whole_leaves_go_and_what_is_in_use_stays(sequences: list[list[int]], room: int) -> None:
    capacity = max(map(len, sequences)) + room or 1
    tree = RadixTree(1, capacity, "leaves")
    for ids in sequences:
        tree.touch(array("q", ids), len(ids))
        assert tree.size <= capacity
        assert any(path[: len(ids)] == tuple(ids) for path in tree.sequences()) or not ids
        assert tree.size == len({p[:i] for p in tree.sequences() for i in range(1, len(p) + 1)})


@settings(max_examples=200)
@given(
    steps=st.lists(
        st.tuples(st.lists(st.integers(0, 1), max_size=8), st.integers(0, 5)), min_size=1, max_size=12
    )
)
def test_what_was_not_used_for_its_lifetime_is_gone(steps: list[tuple[list[int], int]]) -> None:
    tree, used, now = RadixTree(), dict[tuple[int, ...], int](), 0
    for ids, gap in steps:
        now += gap
        expected = 0
        while expected < len(ids) and now - used.get(tuple(ids[: expected + 1]), -99) <= 6:
            expected += 1
        touch = tree.touch(array("q", ids), len(ids), now, alive_since_s=now - 6)
        assert touch.found == expected <= touch.expired
        used |= {tuple(ids[:end]): now for end in range(1, len(ids) + 1)}
