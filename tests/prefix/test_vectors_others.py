"""The other providers' and the engines' policies against their documents and sources.

A test says which rule it is taken from. *D* DeepSeek "Context Caching" (2026-10); *K* Kimi coding endpoint,
measured (Leechael/pi-provider-kimi-code `docs/caching.md`); *Q* Model Studio "Context Cache" (2026-10-11);
*G* Gemini "Context caching" (2026-10-13); *V* vLLM 0.32 and *S* SGLang 0.5.23, their sources.
"""

from __future__ import annotations

import pytest

from tests.prefix.blocks import blocks, classes, user_blocks, words
from tohlab.errors import PrefixError
from tohlab.prefix.policies import CachedRequest, get_policy


class TestDeepSeek:
    def test_a_second_turn_reads_the_first(self) -> None:
        """D, example 1: A + B, then A + B + C."""
        cache = get_policy("deepseek").start()
        cache.submit(blocks(("system", "A", 300), ("user", "B", 200)))
        use = cache.submit(blocks(("system", "A", 300), ("user", "B", 200), ("user", "C", 50)), 1)
        assert classes(use) == (500, 0, 0, 50)

    def test_a_shared_beginning_is_no_unit_yet(self) -> None:
        """D, example 2, second request: A + C cannot match A + B."""
        cache = get_policy("deepseek").start()
        cache.submit(blocks(("system", "A", 300), ("user", "B", 200)))
        use = cache.submit(blocks(("system", "A", 300), ("user", "C", 200)), 1)
        assert (use.read_tokens, use.why) == (0, "no_entry_matches")

    def test_a_shared_beginning_is_a_unit_for_the_third(self) -> None:
        """D, example 2, third request: A + D reads A."""
        cache = get_policy("deepseek").start()
        for at_s, name in enumerate("BC"):
            cache.submit(blocks(("system", "A", 300), ("user", name, 200)), at_s)
        assert cache.submit(blocks(("system", "A", 300), ("user", "D", 200)), 9).read_tokens == 300

    def test_the_end_of_the_output_is_a_unit(self) -> None:
        """D, "the end position of the model output"."""
        cache = get_policy("deepseek").start()
        cache.submit(blocks(("user", "A", 300), output=80))
        longer = blocks(("user", "A", 300), ("assistant", "output", 80), ("user", "B", 10))
        assert cache.submit(longer, 1).read_tokens == 380

    def test_long_texts_are_cut_at_fixed_intervals(self) -> None:
        """D, "Persistence at fixed token intervals"; the interval is a knob."""
        for interval, read in ((4096, 8192), (1000, 9000)):
            cache = get_policy("deepseek", interval_tokens=interval).start()
            cache.submit(blocks(("user", "A", 9500), ("user", "B", 10)))
            assert cache.submit(blocks(("user", "A", 9500), ("user", "C", 10)), 1).read_tokens == read

    def test_building_takes_as_long_as_the_knob_says(self) -> None:
        """D, "cache construction takes seconds"."""
        cache = get_policy("deepseek", settle_s=6).start()
        cache.submit(blocks(("user", "A", 300)))
        assert cache.submit(blocks(("user", "A", 300)), 5).why == "not_visible_yet"
        assert cache.submit(blocks(("user", "A", 300)), 7).read_tokens == 300


class TestKimi:
    def test_a_chain_reads_in_chunks_of_256(self) -> None:
        """K, finding 4: 11250, 11272, 11294, 11316, 11338 tokens."""
        cache = get_policy("kimi").start()
        base = words("base", 11250)
        reads = []
        for turn in range(5):
            ids = base + words("turns", 22 * turn)
            reads.append(cache.submit(CachedRequest.of_ids(ids), turn).read_tokens)
        assert reads == [0, 11008, 11264, 11264, 11264]

    def test_an_unchanged_request_is_read_whole(self) -> None:
        """K, findings 5 and 6: 11250 of 11250 after later turns."""
        cache = get_policy("kimi").start()
        base = words("base", 11250)
        cache.submit(CachedRequest.of_ids(base))
        cache.submit(CachedRequest.of_ids(base + words("turns", 22)), 1)
        assert cache.submit(CachedRequest.of_ids(base), 2).read_tokens == 11250

    def test_a_branch_reads_what_it_shares(self) -> None:
        """K, finding 3: 11341 tokens, 11264 read, 11294 shared."""
        cache = get_policy("kimi").start()
        shared = words("base", 11294)
        cache.submit(CachedRequest.of_ids(shared + words("main", 44)))
        assert cache.submit(CachedRequest.of_ids(shared + words("branch", 47)), 1).read_tokens == 11264

    @pytest.mark.parametrize(("warm", "extended"), [(43, 0), (122, 0), (201, 0), (361, 256), (834, 768)])
    def test_below_256_tokens_only_an_unchanged_request_reads(self, warm: int, extended: int) -> None:
        """K, findings 4 and 13."""
        cache = get_policy("kimi").start()
        base = words("base", warm)
        cache.submit(CachedRequest.of_ids(base))
        assert cache.submit(CachedRequest.of_ids(base), 1).read_tokens == warm
        assert cache.submit(CachedRequest.of_ids(base + words("more", 20)), 2).read_tokens == extended

    def test_a_large_step_is_cached_like_a_small_one(self) -> None:
        """K, finding 12: 847, 17394, 17416 tokens."""
        cache = get_policy("kimi").start()
        ids = words("p1", 847) + words("p2", 17394 - 847) + words("p3", 22)
        reads = [cache.submit(CachedRequest.of_ids(ids[:n])).read_tokens for n in (847, 17394, 17416)]
        assert reads == [0, 768, 17152]

    def test_keys_and_marks_make_no_difference(self) -> None:
        """K, findings 1, 2 and 15."""
        cache = get_policy("kimi").start()
        cache.submit(blocks(("user", "u", 1000), namespace="K1", marks=[0], params={"temperature": "0"}))
        use = cache.submit(blocks(("user", "u", 1000), namespace="K2", params={"temperature": "1"}), 1)
        assert use.read_tokens == 1000

    def test_system_and_tools_come_before_the_messages(self) -> None:
        """K, finding 11."""
        cache = get_policy("kimi").start()
        cache.submit(blocks(("system", "A", 400), ("user", "u", 1000)))
        assert cache.submit(blocks(("system", "B", 400), ("user", "u", 1000)), 1).read_tokens == 0

    def test_it_is_there_after_300_s_and_gone_after_1800(self) -> None:
        """K, finding 7."""
        for gap_s, read in ((60, 26036), (300, 26036), (1800, 0)):
            cache = get_policy("kimi").start()
            cache.submit(CachedRequest.of_ids(words("p", 26036)))
            assert cache.submit(CachedRequest.of_ids(words("p", 26036)), gap_s).read_tokens == read


class TestQwen:
    def test_marked_entries_follow_the_same_lookback(self) -> None:
        """Q, "traces back up to 20 content blocks"; 4 marks, 5 minutes, 125 % to write."""
        cache = get_policy("qwen").start()
        cache.submit(blocks(*user_blocks(11), marks=[10]))
        assert classes(cache.submit(blocks(*user_blocks(12), marks=[11]), 1)) == (1100, 100, 0, 0)

    def test_the_two_caches_exclude_each_other(self) -> None:
        """Q, "mutually exclusive: one mode a request"."""
        cache = get_policy("qwen", optimistic=1).start()
        cache.submit(blocks(*user_blocks(11), marks=[10]))
        assert cache.submit(blocks(*user_blocks(11)), 1).why == "nothing_cached"
        assert cache.submit(blocks(*user_blocks(11)), 2).read_tokens == 1100

    def test_the_implicit_cache_promises_nothing(self) -> None:
        """Q, "the hit rate is not guaranteed"."""
        cache = get_policy("qwen").start()
        cache.submit(blocks(*user_blocks(11)))
        assert cache.submit(blocks(*user_blocks(11)), 1).why == "not_promised"


class TestGemini:
    def test_implicit_reads_are_never_promised(self) -> None:
        """G, "no cost saving guarantee"; an optimist may count the most that can happen."""
        for optimistic, read in ((0, 0), (1, 5000)):
            cache = get_policy("gemini", optimistic=optimistic).start()
            cache.submit(blocks(("user", "u", 5000)))
            assert cache.submit(blocks(("user", "u", 5000), ("user", "v", 10)), 1).read_tokens == read

    def test_an_object_is_read_whole_until_it_is_an_hour_old(self) -> None:
        """G, explicit caching: TTL 1 hour by default, from creation."""
        cache = get_policy("gemini-explicit").start()
        system = ("system", "s", 5000)
        ask = [blocks(system, ("user", f"q{i}", 10), marks=[0]) for i in range(4)]
        uses = [cache.submit(request, at_s) for request, at_s in zip(ask, (0, 3000, 3600, 3601), strict=True)]
        assert [use.read_tokens for use in uses] == [0, 5000, 5000, 0]


class TestVllm:
    def test_only_full_blocks_are_reused(self) -> None:
        """V, `find_longest_cache_hit`: 16 tokens a block."""
        cache = get_policy("vllm").start()
        cache.submit(CachedRequest.of_ids(words("p", 100)))
        assert cache.submit(CachedRequest.of_ids(words("p", 100) + [1] * 50), 1).read_tokens == 96

    def test_an_aligned_exact_repeat_loses_its_last_block(self) -> None:
        """V, `max_cache_hit_length = request.num_tokens - 1`."""
        cache = get_policy("vllm").start()
        cache.submit(CachedRequest.of_ids(words("p", 96)))
        assert cache.submit(CachedRequest.of_ids(words("p", 96)), 1).read_tokens == 80

    def test_a_salt_separates_caches(self) -> None:
        """V, `cache_salt` is part of the first block's hash."""
        cache = get_policy("vllm").start()
        cache.submit(CachedRequest.of_ids(words("p", 100), namespace="a"))
        assert cache.submit(CachedRequest.of_ids(words("p", 100), namespace="b"), 1).read_tokens == 0

    def test_generated_blocks_are_reused_but_for_the_last_token(self) -> None:
        """V, the last sampled token has no computed state yet."""
        for generated, read in ((12, 96), (13, 112)):
            cache = get_policy("vllm").start()
            answer = words("a", generated)
            cache.submit(CachedRequest.of_ids(words("p", 100), answer))
            longer = CachedRequest.of_ids(words("p", 100) + answer + [7] * 40)
            assert cache.submit(longer, 1).read_tokens == read

    def test_the_end_of_an_old_request_goes_before_its_beginning(self) -> None:
        """V, a request's blocks are freed in reverse, so that its last one is taken first."""
        cache = get_policy("vllm", capacity_units=10).start()
        first = words("p", 16 * 6)
        cache.submit(CachedRequest.of_ids(first))
        cache.submit(CachedRequest.of_ids(words("q", 16 * 6)), 1)
        assert cache.submit(CachedRequest.of_ids([*first, 1]), 2).read_tokens == 16 * 4

    def test_a_request_that_does_not_fit_is_refused(self) -> None:
        """V, such a request is never scheduled."""
        cache = get_policy("vllm", capacity_units=4).start()
        with pytest.raises(PrefixError, match="needs 5 units of cache and there is room for 4"):
            cache.submit(CachedRequest.of_ids(words("p", 65)))


class TestSGLang:
    def test_an_exact_repeat_computes_one_token(self) -> None:
        """S, the match is looked for in all tokens but the last."""
        cache = get_policy("sglang").start()
        cache.submit(CachedRequest.of_ids(words("p", 100)))
        assert cache.submit(CachedRequest.of_ids(words("p", 100)), 1).read_tokens == 99

    def test_pages_are_reused_whole(self) -> None:
        """S, `page_size`."""
        cache = get_policy("sglang", unit=64).start()
        cache.submit(CachedRequest.of_ids(words("p", 200)))
        assert cache.submit(CachedRequest.of_ids(words("p", 200) + [1] * 9), 1).read_tokens == 192

    def test_a_whole_leaf_goes_at_once(self) -> None:
        """S, `evict` deletes leaves, the least recently used first."""
        cache = get_policy("sglang", capacity_units=250).start()
        cache.submit(CachedRequest.of_ids(words("p", 100)))
        cache.submit(CachedRequest.of_ids(words("q", 100)), 1)
        cache.submit(CachedRequest.of_ids(words("r", 60)), 2)
        assert cache.submit(CachedRequest.of_ids(words("p", 100)), 3).read_tokens == 0
        assert cache.submit(CachedRequest.of_ids(words("r", 60)), 4).read_tokens == 59
