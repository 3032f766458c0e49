"""OpenAI's policies against their documents' own examples and stated rules.

A test says which rule it is taken from. *O* is OpenAI "Prompt caching" (2026-11).
"""

from __future__ import annotations

import pytest

from tests.prefix.blocks import blocks, classes, words
from tohlab.errors import PrefixError
from tohlab.prefix.policies import CachedRequest, get_policy


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
