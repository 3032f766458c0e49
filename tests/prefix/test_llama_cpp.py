"""llama.cpp's rules one by one, on prompts that a person can follow; `tests/engine` holds them against it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tohlab.errors import PrefixError
from tohlab.prefix.policies import CachedRequest, get_policy
from tohlab.prefix.policies.llama_cpp import LlamaCpp, LlamaCppState

A, B, C = (tuple(range(start, start + 100)) for start in (100, 200, 300))


def policy(**settings: object) -> LlamaCpp:
    found = get_policy("llama.cpp-one-slot", **settings)
    assert isinstance(found, LlamaCpp)
    return found


def reads(
    policy: LlamaCpp, *prompts: Sequence[int], answer: Sequence[int] = ()
) -> list[tuple[int, int | None]]:
    """What each prompt reads, and the slot that served it."""
    state = policy.start()
    return [
        (state.submit(CachedRequest.of_ids(prompt, answer)).read_tokens, state.slot) for prompt in prompts
    ]


def test_an_exact_repeat_computes_its_last_token_anew() -> None:
    assert reads(policy(), A, A) == [(0, 0), (99, 0)]


def test_the_answer_is_reused_but_for_its_last_token() -> None:
    assert reads(policy(), A, (*A, 7, 8, 9, 1, 2), answer=(7, 8, 9)) == [(0, 0), (102, 0)]


def test_one_slot_forgets_what_another_prompt_wrote_over() -> None:
    assert reads(policy(), A, B, A) == [(0, 0), (0, 0), (0, 0)]


def test_a_second_slot_keeps_the_other_prompt_and_the_last_free_one_is_taken_first() -> None:
    assert reads(policy(slots=2), A, B, A, B) == [(0, 1), (0, 0), (99, 1), (99, 0)]


def test_the_slot_that_was_used_longest_ago_is_written_over() -> None:
    assert reads(policy(slots=2), A, B, C, B, A) == [(0, 1), (0, 0), (0, 1), (99, 0), (0, 1)]


def test_a_slot_is_taken_for_what_it_holds_above_a_tenth_of_the_request_only() -> None:
    tenth, more = (*A[:10], *B[:90]), (*A[:11], *B[:89])

    assert reads(policy(slots=2), A, tenth) == [(0, 1), (0, 0)]
    assert reads(policy(slots=2), A, more) == [(0, 1), (11, 1)]


def test_without_similarity_slots_are_taken_in_turn_and_share_what_they_hold_by_chance() -> None:
    assert reads(policy(slots=2, similarity=0.0), A, A, A) == [(0, 1), (0, 0), (99, 1)]


def test_the_store_brings_back_a_prompt_that_was_written_over() -> None:
    assert reads(policy(ram_mib=64), A, B, A) == [(0, 0), (0, 0), (99, 0)]


def test_a_stored_prompt_of_which_less_than_a_quarter_is_kept_stays_where_it_is() -> None:
    assert reads(policy(ram_mib=64), A, B, (*A[:24], 1)) == [(0, 0), (0, 0), (0, 0)]
    assert reads(policy(ram_mib=64), A, B, (*A[:25], 1)) == [(0, 0), (0, 0), (25, 0)]


def test_a_slot_that_keeps_half_is_not_stored() -> None:
    half, less = (*A[:50], *B[:50]), (*A[:49], *B[:51])

    assert reads(policy(ram_mib=64), A, half, A) == [(0, 0), (50, 0), (50, 0)]
    assert reads(policy(ram_mib=64), A, less, A) == [(0, 0), (49, 0), (99, 0)]


def test_a_store_that_is_full_drops_its_oldest_prompt() -> None:
    rule = policy(ram_mib=1, token_bytes=4500.0, layers=1)  # two prompts of 100 tokens fit, three do not
    assert 2 * rule.stored_bytes(100) < 2**20 < 3 * rule.stored_bytes(100)

    assert reads(rule, A, B, A)[-1] == (99, 0)
    # what the slot holds is stored before the store is looked into
    assert reads(rule, A, B, C, A)[-1] == (0, 0)
    assert reads(rule, A, B, C, B)[-1] == (99, 0)


def test_later_pieces_are_moved_into_place_where_the_server_is_told_so() -> None:
    pruned = (*A[:20], *A[40:], 7)

    assert reads(policy(), A, pruned)[-1] == (20, 0)
    assert reads(policy(chunk_tokens=32), A, pruned)[-1] == (80, 0)
    assert reads(policy(chunk_tokens=61), A, pruned)[-1] == (20, 0)


def test_nothing_is_moved_behind_what_is_new_in_the_request() -> None:
    grown = (*A[:20], 7, *A[20:])

    assert reads(policy(chunk_tokens=32), A, grown)[-1] == (20, 0)


def test_slots_over_one_pool_are_emptied_into_the_store() -> None:
    found = get_policy("llama.cpp")
    assert isinstance(found, LlamaCpp)

    assert reads(found, A, B, A, B) == [(0, 3), (0, 2), (99, 1), (99, 0)]


def test_another_model_is_another_server() -> None:
    state = policy().start()

    state.submit(CachedRequest.of_ids(A, model="one"))
    other = state.submit(CachedRequest.of_ids(A, model="two"))
    same = state.submit(CachedRequest.of_ids(A, model="one"))

    assert (other.read_tokens, other.why) == (0, "nothing_cached")
    assert (same.read_tokens, same.why) == (99, "read")


def test_an_empty_request_changes_nothing() -> None:
    state = policy().start()

    state.submit(CachedRequest.of_ids(A))
    assert state.submit(CachedRequest.of_ids(())).total_tokens == 0
    assert state.submit(CachedRequest.of_ids(A)).read_tokens == 99


def test_a_sliding_window_is_refused_with_the_remedy() -> None:
    with pytest.raises(PrefixError, match=r"sliding window of 512 tokens.*--swa-full"):
        policy(window_tokens=512).start()


@pytest.mark.parametrize(
    "settings", [{"slots": 0}, {"similarity": 2.0}, {"chunk_tokens": -1}, {"ram_mib": -2}]
)
def test_a_setting_that_no_server_takes_is_refused(settings: dict[str, float]) -> None:
    with pytest.raises(PrefixError, match="slots must be 1 or more"):
        policy(**settings).start()


def test_a_store_without_a_bound_needs_the_context() -> None:
    with pytest.raises(PrefixError, match="say it with context_tokens"):
        policy(ram_mib=-1).start()

    rule = policy(ram_mib=-1, context_tokens=200)
    assert reads(rule, A, B, C, A)[-1] == (99, 0)
    assert reads(rule, A, B, C, range(400, 500), A)[-1] == (0, 0)


def test_the_size_of_a_token_is_a_knob_in_sight_where_the_store_has_a_bound() -> None:
    assert policy().knobs == ()
    assert [knob.name for knob in get_policy("llama.cpp").knobs] == ["token_bytes"]
    with pytest.raises(PrefixError, match=r"token_bytes of llama\.cpp lies between"):
        get_policy("llama.cpp", token_bytes=1.0)


def test_the_rules_are_verified_live() -> None:
    for name in ("llama.cpp", "llama.cpp-one-slot"):
        assert get_policy(name).status == "verified-live"
        assert get_policy(name).family == "prefix walk"


PROMPTS = st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=12), min_size=1, max_size=12)


@given(PROMPTS, st.integers(1, 3), st.sampled_from([0, 64]), st.booleans())
def test_no_request_reads_more_than_the_longest_beginning_that_was_ever_sent(
    prompts: list[list[int]], slots: int, ram_mib: int, unified: bool
) -> None:
    state = policy(slots=slots, ram_mib=ram_mib, unified=unified).start()
    assert isinstance(state, LlamaCppState)
    sent: list[CachedRequest] = []

    for prompt in prompts:
        request = CachedRequest.of_ids(prompt)
        use = state.submit(request)
        best = max((request.tokens.common(old.tokens) for old in sent), default=0)
        assert use.read_tokens <= min(best, len(prompt) - 1)
        sent.append(request)


@given(PROMPTS, st.integers(1, 4))
def test_moved_pieces_never_read_less(prompts: list[list[int]], chunk_tokens: int) -> None:
    plain, moved = policy().start(), policy(chunk_tokens=chunk_tokens).start()

    for prompt in prompts:
        request = CachedRequest.of_ids(prompt)
        assert moved.submit(request).read_tokens >= plain.submit(request).read_tokens
