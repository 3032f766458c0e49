"""Every policy against its document's own examples and stated rules.

A test says which rule it is taken from. Documents: *A* Anthropic "Prompt caching" (2026-08-21) and
anthropics/skills `prompt-caching.md`; *O* OpenAI "Prompt caching" (2026-11); *D* DeepSeek "Context Caching"
(2026-10); *K* Kimi coding endpoint, measured (Leechael/pi-provider-kimi-code `docs/caching.md`); *Q* Model
Studio "Context Cache" (2026-10-11); *G* Gemini "Context caching" (2026-10-13); *V* vLLM 0.32 and *S* SGLang
0.5.23, their sources.
"""

from __future__ import annotations

import pytest

from tests.prefix.blocks import Block, blocks, chat, words
from tohlab.errors import PrefixError
from tohlab.prefix.policies import CachedRequest, Use, get_policy


def classes(use: Use) -> tuple[int, int, int, int]:
    return use.read_tokens, use.write_tokens, use.long_write_tokens, use.plain_tokens


def user_blocks(n: int, tokens: int = 100, changed: dict[int, str] | None = None) -> tuple[Block, ...]:
    """`n` blocks of user text, each its own message, named by place."""
    changed = changed or {}
    return tuple(("user", changed.get(i, f"block {i}"), tokens) for i in range(1, n + 1))


class TestAnthropic:
    def test_a_growing_conversation_reads_what_the_turn_before_wrote(self) -> None:
        """A, "How automatic caching works in multi-turn conversations": requests 1 to 3."""
        cache = get_policy("anthropic").start()
        talk = chat(600, 100, 50, 120, 60, 130, 70, 140)
        first = cache.submit(blocks(*talk[:4], mode="implicit"))
        assert classes(first) == (0, 870, 0, 0)
        second = cache.submit(blocks(*talk[:6], mode="implicit"), 10)
        assert classes(second) == (870, 190, 0, 0)
        third = cache.submit(blocks(*talk, mode="implicit"), 20)
        assert classes(third) == (1060, 210, 0, 0)

    def test_lookback_finds_an_entry_within_twenty_blocks(self) -> None:
        """A, "Lookback in a growing conversation", turns 1 and 2."""
        cache = get_policy("anthropic").start()
        assert classes(cache.submit(blocks(*user_blocks(10), marks=[9]))) == (0, 1000, 0, 0)
        use = cache.submit(blocks(*user_blocks(15), marks=[14]), 1)
        assert classes(use) == (1000, 500, 0, 0)
        assert use.boundary is not None
        assert use.boundary.end == 1000

    def test_an_entry_twenty_blocks_back_is_out_of_reach(self) -> None:
        """A, the same example, turn 3: blocks 35 to 16 are looked at, the entry is at 15."""
        cache = get_policy("anthropic").start()
        cache.submit(blocks(*user_blocks(15), marks=[14]))
        use = cache.submit(blocks(*user_blocks(35), marks=[34]), 1)
        assert (classes(use), use.why) == ((0, 3500, 0, 0), "lookback_exceeded")

    def test_the_breakpoint_itself_counts_as_the_first_of_twenty(self) -> None:
        """A, "counting the breakpoint itself as the first": from 34 on, 15 is the twentieth."""
        cache = get_policy("anthropic").start()
        cache.submit(blocks(*user_blocks(15), marks=[14]))
        assert cache.submit(blocks(*user_blocks(34), marks=[33]), 1).read_tokens == 1500

    def test_a_second_breakpoint_starts_a_second_window(self) -> None:
        """A, the same example: "adding a second breakpoint at block 15"."""
        cache = get_policy("anthropic").start()
        cache.submit(blocks(*user_blocks(15), marks=[14]))
        assert classes(cache.submit(blocks(*user_blocks(35), marks=[14, 34]), 1)) == (1500, 2000, 0, 0)

    def test_a_breakpoint_on_what_changes_never_reads(self) -> None:
        """A, "Breakpoint on content that changes every request"."""
        cache = get_policy("anthropic").start()
        cache.submit(blocks(*user_blocks(6, 200, {6: "10:00"}), marks=[5]))
        use = cache.submit(blocks(*user_blocks(6, 200, {6: "10:01"}), marks=[5]), 60)
        assert (classes(use), use.why) == ((0, 1200, 0, 0), "no_entry_matches")

    def test_a_breakpoint_on_the_last_stable_block_reads(self) -> None:
        """A, the same example: "move cache_control to block 5"."""
        cache = get_policy("anthropic").start()
        cache.submit(blocks(*user_blocks(6, 200, {6: "10:00"}), marks=[4]))
        use = cache.submit(blocks(*user_blocks(6, 200, {6: "10:01"}), marks=[4]), 60)
        assert classes(use) == (1000, 0, 0, 200)

    def test_below_the_minimum_nothing_is_cached_and_nobody_says_so(self) -> None:
        """A, "Shorter prompts cannot be cached": 512 for Opus 5; both counts are 0."""
        cache = get_policy("anthropic").start()
        short = blocks(*user_blocks(1, 511), marks=[0], model="claude-opus-5")
        for at_s in (0, 1):
            use = cache.submit(short, at_s)
            assert (classes(use), use.why) == ((0, 0, 0, 511), "below_minimum")
        enough = blocks(*user_blocks(1, 512), marks=[0], model="claude-opus-5")
        assert cache.submit(enough, 2).write_tokens == 512

    @pytest.mark.parametrize(
        ("model", "minimum"),
        [
            ("claude-opus-5", 512),
            ("claude-opus-4-8", 1024),
            ("claude-opus-4.7", 2048),
            ("claude-opus-4-6", 4096),
            ("claude-opus-4-1-20250805", 1024),
            ("claude-opus-4-20250514", 1024),
            ("claude-sonnet-4-5", 1024),
            ("claude-haiku-4-5", 4096),
            ("claude-haiku-3-5", 2048),
            ("claude-mythos-preview", 2048),
        ],
    )
    def test_the_minimum_differs_by_model(self, model: str, minimum: int) -> None:
        """A, "Cache limitations"."""
        policy = get_policy("anthropic")
        below = blocks(*user_blocks(1, minimum - 1), marks=[0], model=model)
        above = blocks(*user_blocks(1, minimum), marks=[0], model=model)
        assert policy.start().submit(below).write_tokens == 0
        assert policy.start().submit(above).write_tokens == minimum

    def test_mixed_lifetimes_are_billed_by_a_b_and_c(self) -> None:
        """A, "Mixing different TTLs": read to A, one-hour write to B, five-minute write to C."""
        cache = get_policy("anthropic").start()
        talk = user_blocks(4, 1000)
        cache.submit(blocks(*talk[:1], marks=[(0, 3600)]))
        use = cache.submit(blocks(*talk, marks=[(0, 3600), (1, 3600), (2, 300)]), 1)
        assert classes(use) == (1000, 1000, 1000, 1000)

    def test_a_longer_lifetime_after_a_shorter_one_is_refused(self) -> None:
        """A, "a 1-hour entry must appear before any 5-minute entries"."""
        cache = get_policy("anthropic").start()
        with pytest.raises(PrefixError, match="wants longer lifetimes first"):
            cache.submit(blocks(*user_blocks(2), marks=[(0, 300), (1, 3600)]))

    def test_five_minutes_count_from_the_start_of_the_request(self) -> None:
        """A, "The lifetime is measured from the start of the request": a 4-minute answer leaves 1 minute."""
        policy = get_policy("anthropic")
        talk = blocks(*user_blocks(1, 1000), marks=[0])
        for gap_s, read in ((299, 1000), (301, 0)):
            cache = policy.start()
            cache.submit(talk, 0, response_s=240)
            assert cache.submit(talk, gap_s).read_tokens == read

    def test_a_read_lengthens_the_life(self) -> None:
        """A, "The cache is refreshed for no additional cost each time the cached content is used"."""
        cache = get_policy("anthropic").start()
        talk = blocks(*user_blocks(1, 1000), marks=[0])
        assert [cache.submit(talk, at_s).read_tokens for at_s in (0, 250, 500, 750, 1051)] == [
            0,
            1000,
            1000,
            1000,
            0,
        ]

    def test_an_hour_is_an_hour(self) -> None:
        """A, "1-hour cache duration"."""
        cache = get_policy("anthropic").start()
        talk = blocks(*user_blocks(1, 1000), marks=[(0, 3600)])
        assert classes(cache.submit(talk)) == (0, 0, 1000, 0)
        assert cache.submit(talk, 3599).read_tokens == 1000

    def test_parallel_requests_do_not_read_from_each_other(self) -> None:
        """A, "a cache entry only becomes available after the first response begins"."""
        cache = get_policy("anthropic").start()
        talk = blocks(*user_blocks(1, 1000), marks=[0])
        cache.submit(talk, 0, response_s=3)
        assert cache.submit(talk, 1, response_s=3).why == "not_visible_yet"
        assert cache.submit(talk, 3).read_tokens == 1000

    def test_without_a_mark_nothing_is_cached(self) -> None:
        """A, "Cache writes happen only at your breakpoint"."""
        cache = get_policy("anthropic").start()
        use = cache.submit(blocks(*user_blocks(1, 1000)))
        assert (classes(use), use.why) == ((0, 0, 0, 1000), "not_asked")

    def test_five_breakpoints_are_refused(self) -> None:
        """A, "up to 4 cache breakpoints"; the automatic one is one of them."""
        cache = get_policy("anthropic").start()
        with pytest.raises(PrefixError, match="takes 4 breakpoints a request, not 5"):
            cache.submit(blocks(*user_blocks(5), marks=[0, 1, 2, 3, 4]))
        with pytest.raises(PrefixError, match="takes 4 breakpoints a request, not 5"):
            cache.submit(blocks(*user_blocks(5), marks=[0, 1, 2, 3], mode="implicit"))

    def test_an_automatic_breakpoint_on_a_marked_block_needs_the_same_lifetime(self) -> None:
        """A, "Edge cases": the same lifetime is a no-op, another one a 400."""
        policy = get_policy("anthropic")
        same = blocks(*user_blocks(1, 1000), marks=[(0, 300)], mode="implicit")
        assert classes(policy.start().submit(same)) == (0, 1000, 0, 0)
        other = blocks(*user_blocks(1, 1000), marks=[(0, 3600)], mode="implicit")
        with pytest.raises(PrefixError, match="give both the same lifetime"):
            policy.start().submit(other)

    @pytest.mark.parametrize(
        ("param", "tools", "system", "messages"),
        [
            ("tool_choice", True, True, False),
            ("disable_parallel_tool_use", True, True, False),
            ("images", True, True, False),
            ("thinking", True, True, False),
            ("web_search", True, False, False),
            ("citations", True, False, False),
            ("speed", True, False, False),
        ],
    )
    def test_a_parameter_loses_its_own_section_and_all_behind_it(
        self, param: str, tools: bool, system: bool, messages: bool
    ) -> None:
        """A, the table of what a change invalidates."""
        talk: tuple[Block, ...] = (("tools", "t", 1000), ("system", "s", 1000), ("user", "u", 1000))
        for place, kept in enumerate((tools, system, messages)):
            cache = get_policy("anthropic").start()
            cache.submit(blocks(*talk, marks=[place], params={param: "a"}))
            read = cache.submit(blocks(*talk, marks=[place], params={param: "b"}), 1).read_tokens
            assert read == (1000 * (place + 1) if kept else 0)

    def test_thinking_ahead_of_tools_is_a_setting(self) -> None:
        """A, "on models that render the thinking configuration ahead of tools and system"."""
        cache = get_policy("anthropic", thinking_from="tools").start()
        talk: tuple[Block, ...] = (("tools", "t", 1000), ("user", "u", 1000))
        cache.submit(blocks(*talk, marks=[0], params={"thinking": "low"}))
        assert cache.submit(blocks(*talk, marks=[0], params={"thinking": "high"}), 1).read_tokens == 0

    @pytest.mark.parametrize(("name", "one", "other"), [("model", "a", "b"), ("namespace", "w1", "w2")])
    def test_models_and_workspaces_share_nothing(self, name: str, one: str, other: str) -> None:
        """A, "caches are model-scoped", "isolated per workspace"."""
        cache = get_policy("anthropic").start()
        cache.submit(blocks(*user_blocks(1, 5000), marks=[0], **{name: one}))
        use = cache.submit(blocks(*user_blocks(1, 5000), marks=[0], **{name: other}), 1)
        assert (use.read_tokens, use.why) == (0, "nothing_cached")

    @pytest.mark.parametrize(("setting", "read"), [(1, 1000), (0, 0)])
    def test_whether_marked_entries_live_on_is_a_knob(self, setting: int, read: int) -> None:
        """No document says it: see `refreshes_marked`."""
        cache = get_policy("anthropic", refreshes_marked=setting).start()
        talk = chat(1000, 100, 50, 100, 50, 100)
        for turn, at_s in ((2, 0), (4, 200), (6, 400)):
            cache.submit(blocks(*talk[:turn], marks=[0], mode="implicit"), at_s)
        fresh = (talk[0], ("user", "a new talk", 500))
        assert cache.submit(blocks(*fresh, marks=[0]), 500).read_tokens == read


class TestBedrock:
    def test_there_is_no_automatic_breakpoint(self) -> None:
        """A, note on Bedrock: a top-level `cache_control` is answered by 400."""
        with pytest.raises(PrefixError, match="no automatic breakpoint"):
            get_policy("bedrock").start().submit(blocks(*user_blocks(1, 2000), mode="implicit"))

    def test_nova_takes_no_breakpoint_in_tools_and_caches_32_000_tokens(self) -> None:
        """Bedrock's table: Nova 1,000 tokens, system and messages only, at most 32k."""
        nova = get_policy("bedrock-nova")
        with pytest.raises(PrefixError, match="no breakpoint in tools"):
            nova.start().submit(blocks(("tools", "t", 2000), ("user", "u", 10), marks=[0]))
        assert nova.start().submit(blocks(("system", "s", 33_000), marks=[0])).write_tokens == 0
        assert nova.start().submit(blocks(("system", "s", 32_000), marks=[0])).write_tokens == 32_000


class TestOpenAI:
    def test_a_shared_prefix_is_not_always_a_cached_prefix(self) -> None:
        """O, the first gotcha: static developer message, dynamic user message, implicit only."""
        cache = get_policy("openai").start()
        for at_s, question in enumerate(("one", "two", "three")):
            use = cache.submit(blocks(("system", "static", 9000), ("user", question, 100)), at_s)
            assert use.read_tokens == 0
            assert use.write_tokens == 9100
        assert use.why == "no_entry_matches"

    def test_an_explicit_breakpoint_after_the_static_part_is_read(self) -> None:
        """O, the same gotcha's remedy: explicit-only, the dynamic part is neither written nor read."""
        cache = get_policy("openai").start()
        static = ("system", "static", 9000)
        one = blocks(static, ("user", "one", 100), marks=[0], mode="explicit")
        two = blocks(static, ("user", "two", 100), marks=[0], mode="explicit")
        assert classes(cache.submit(one)) == (0, 9000, 0, 100)
        assert classes(cache.submit(two, 1)) == (9000, 0, 0, 100)

    def test_switching_to_explicit_only_misses_the_implicit_write(self) -> None:
        """O, the second gotcha."""
        cache = get_policy("openai").start()
        talk = (("system", "s", 1000), ("user", "u", 500))
        cache.submit(blocks(*talk))
        follow_up = (*talk, ("assistant", "a", 50), ("user", "f", 50))
        assert cache.submit(blocks(*follow_up, marks=[3], mode="explicit"), 1).read_tokens == 0
        assert (
            cache.submit(blocks(*follow_up, ("user", "g", 9), marks=[1], mode="explicit"), 2).read_tokens
            == 1500
        )

    def test_implicit_mode_keeps_the_earlier_message_end_a_candidate(self) -> None:
        """O, the second gotcha's remedy."""
        cache = get_policy("openai").start()
        talk = (("system", "s", 1000), ("user", "u", 500))
        cache.submit(blocks(*talk))
        use = cache.submit(blocks(*talk, ("assistant", "a", 50), ("user", "f", 50)), 1)
        assert classes(use) == (1500, 100, 0, 0)

    def test_extending_a_message_loses_its_old_end(self) -> None:
        """O, the third gotcha: Content A, then Content A + Content B in one message."""
        cache = get_policy("openai").start()
        developer = ("system", "s", 1000)
        cache.submit(blocks(developer, ("user", "A", 500)))
        extended = (developer, ("user", "A", 500), ("+user", "B", 500))
        assert cache.submit(blocks(*extended), 1).read_tokens == 0
        marked = blocks(*extended, marks=[1])
        assert cache.submit(marked, 2).read_tokens == 2000  # the whole was written implicitly just before
        other = get_policy("openai").start()
        other.submit(blocks(developer, ("user", "A", 500), marks=[1]))
        assert other.submit(marked, 1).read_tokens == 1500

    def test_a_later_developer_message_is_no_implicit_boundary(self) -> None:
        """O, the fourth gotcha."""
        policy = get_policy("openai")
        later = blocks(("system", "s", 1000), ("user", "u", 500), ("system", "new rules", 500))
        assert policy.start().submit(later).write_tokens == 1500
        first = blocks(("system", "s", 1000), ("system", "more", 500))
        assert policy.start().submit(first).write_tokens == 1500

    def test_only_the_last_of_a_group_of_tool_results_is_a_boundary(self) -> None:
        """O, "the last tool response in a consecutive group of tool responses"."""
        cache = get_policy("openai").start()
        talk = (("user", "u", 1500), ("assistant", "call", 50), ("tool", "one", 100), ("tool", "two", 100))
        assert cache.submit(blocks(*talk)).write_tokens == 1750
        assert cache.submit(blocks(*talk[:3], ("tool", "other", 100)), 1).read_tokens == 0

    def test_the_minimum_is_1024_tokens(self) -> None:
        """O, "1,024 visible input tokens"."""
        policy = get_policy("openai")
        assert policy.start().submit(blocks(("user", "u", 1023))).why == "below_minimum"
        assert policy.start().submit(blocks(("user", "u", 1024))).write_tokens == 1024

    def test_a_key_separates_caches(self) -> None:
        """O, "Separate cache accounting with keys"."""
        cache = get_policy("openai").start()
        cache.submit(blocks(("user", "u", 2000), namespace="support:customer_123"))
        assert cache.submit(blocks(("user", "u", 2000), namespace="support:customer_456"), 1).read_tokens == 0

    def test_thirty_minutes_after_the_latest_use(self) -> None:
        """O, "eligible for reuse for 30 minutes after its most recent write or reuse"."""
        cache = get_policy("openai").start()
        talk = blocks(("user", "u", 2000))
        uses = [cache.submit(talk, at_s) for at_s in (0, 1700, 3400, 5300)]
        assert [use.read_tokens for use in uses] == [0, 2000, 2000, 0]
        assert uses[-1].why == "ttl_expired"

    def test_a_request_writes_four_entries_at_most(self) -> None:
        """O, "up to four cache writes", three beside the implicit one."""
        policy = get_policy("openai")
        talk = tuple(("user", f"u{i}", 2000) for i in range(6))
        cache = policy.start()
        cache.submit(blocks(*talk, marks=[0, 1, 2, 3, 4], mode="explicit"))
        reads = [
            cache.submit(blocks(*talk[: i + 1], marks=[i], mode="explicit"), 1).read_tokens for i in range(5)
        ]
        assert reads == [0, 4000, 6000, 8000, 10000]

    def test_twenty_earlier_message_ends_are_looked_up(self) -> None:
        """O, "up to 20 earlier eligible message endings"."""
        talk = tuple(("user", f"u{i}", 2000) for i in range(30))
        for more, read in ((20, 2000), (21, 0)):
            cache = get_policy("openai").start()
            cache.submit(blocks(*talk[:1]))
            assert cache.submit(blocks(*talk[: 1 + more]), 1).read_tokens == read

    def test_rendered_settings_count_and_tool_choice_does_not(self) -> None:
        """O, "Which settings affect the cached prefix" and "Set tool_choice to none instead"."""
        for param, read in (("reasoning.effort", 0), ("text.verbosity", 0), ("tool_choice", 2000)):
            cache = get_policy("openai").start()
            cache.submit(blocks(("user", "u", 2000), params={param: "a"}))
            assert cache.submit(blocks(("user", "u", 2000), params={param: "b"}), 1).read_tokens == read

    def test_an_unknown_lifetime_is_refused(self) -> None:
        """O, `prompt_cache_options.ttl`: 30m; openai-python 3.57.0 also 12h."""
        cache = get_policy("openai").start()
        with pytest.raises(PrefixError, match="no lifetime of 60 s; it has 1800, 43200 s"):
            cache.submit(blocks(("user", "u", 2000), ttl_s=60))


class TestOlderOpenAI:
    def test_reads_come_in_steps_of_128_from_1024_on(self) -> None:
        """O, older text: prompt_tokens 2006, cached_tokens 1920."""
        cache = get_policy("openai-older").start()
        cache.submit(CachedRequest.of_ids(words("p", 2006)))
        assert cache.submit(CachedRequest.of_ids(words("p", 2006)), 1).read_tokens == 1920

    def test_below_1024_nothing_is_read(self) -> None:
        """O, older text: the minimum."""
        cache = get_policy("openai-older").start()
        cache.submit(CachedRequest.of_ids(words("p", 1023)))
        assert cache.submit(CachedRequest.of_ids(words("p", 1023)), 1).why == "below_minimum"

    def test_gpt_5_5_has_a_breakpoint_every_2048_tokens(self) -> None:
        """O, "Spaced at regular 2,048-token intervals", reported without hidden tokens in steps of 128."""
        policy = get_policy("openai-gpt-5.5")
        cache = policy.start()
        cache.submit(CachedRequest.of_ids(words("p", 5000)))
        assert cache.submit(CachedRequest.of_ids(words("p", 5000)), 1).read_tokens == 4096
        hidden = policy.with_settings(hidden_tokens=300).start()
        hidden.submit(CachedRequest.of_ids(words("p", 5000)))
        assert hidden.submit(CachedRequest.of_ids(words("p", 5000)), 1).read_tokens == 3712  # 4096 - 300


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
