"""Anthropic's and Bedrock's policies against their documents' own examples and stated rules.

A test says which rule it is taken from. *A* is Anthropic "Prompt caching" (2026-08-21) and anthropics/skills
`prompt-caching.md`.
"""

from __future__ import annotations

import pytest

from tests.prefix.blocks import Block, blocks, chat, classes, user_blocks
from tohlab.errors import PrefixError
from tohlab.prefix.policies import get_policy


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
