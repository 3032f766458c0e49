"""Codex: a list within 2 % of the window."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.dialects.codex.driver import MANY, entries, listing, skill
from tohlab.dialects.codex.budget import Budget, Entry, shares


@pytest.mark.parametrize(("window", "shown"), [(4_000, 7), (16_000, 29), (64_000, 116)])
def test_where_even_names_do_not_fit_the_last_ones_are_left_out_with_a_warning(
    window: int, shown: int
) -> None:
    found = listing(MANY, window_tokens=window)
    assert len(entries(found.text)) == shown
    assert set(entries(found.text)) <= {f"- unit-{n:03}: (file: r0/unit-{n:03}/SKILL.md)" for n in range(120)}
    assert found.dropped == tuple(f"unit-{n:03}" for n in range(shown, 120))
    assert found.warnings == (
        "Exceeded skills context budget. All skill descriptions were removed and "
        f"{120 - shown} additional skills were not included in the model-visible skills list.",
    )
    assert len(found.cut) == shown


def test_one_skill_that_is_left_out_is_told_in_the_singular() -> None:
    found = listing(dict(list(MANY.items())[:8]), window_tokens=4_000)
    assert "and 1 additional skill was not included" in found.warnings[0]


def test_a_short_name_behind_one_that_does_not_fit_is_still_taken() -> None:
    files = {"a/SKILL.md": skill("a" * 60), "b/SKILL.md": skill("b")}
    found = listing(files, window_tokens=500)
    assert entries(found.text) == ["- b: (file: r0/b/SKILL.md)"]


@pytest.mark.parametrize(("window", "size"), [(128_000, 10_240), (96_000, 7_680)])
def test_two_percent_of_the_window_are_used_to_the_last_byte(window: int, size: int) -> None:
    found = listing(MANY, window_tokens=window)
    assert sum(len(line) + 1 for line in entries(found.text)) == size
    assert len(found.cut) == 120
    assert found.dropped == found.warnings == ()
    lengths = {cut.after_chars for cut in found.cut}
    assert max(lengths) - min(lengths) <= 4
    assert {cut.why for cut in found.cut} == {f"the list may cost {window // 50} tokens"}


def test_a_short_description_leaves_its_share_to_the_others() -> None:
    entries_ = tuple(Entry(name=n, description=d, path="p") for n, d in (("s", "x"), ("l", "abcdefghi")))
    bare = sum(len(entry.line(0)) + 1 for entry in entries_)
    assert shares(entries_, Budget(limit=bare + 11, in_tokens=False)) == (1, 8)
    assert shares(entries_, Budget(limit=bare + 6, in_tokens=False)) == (1, 3)
    assert shares(entries_, Budget(limit=bare + 12, in_tokens=False)) == (1, 9)


def test_characters_of_several_bytes_cost_their_bytes() -> None:
    wide, narrow = "\u6f6e" * 9, "a" * 9
    entries_ = tuple(Entry(name=n, description=d, path="p") for n, d in (("w", wide), ("n", narrow)))
    assert Budget.of(1_000).cost("\u6f6e") == 1
    assert Budget.of(1_000).cost("\u6f6e\u6f6e") == 2
    assert shares(entries_, Budget.of(700)) == (5, 8)


@pytest.mark.parametrize(("length", "shown"), [(1_024, "a" * 1_024), (1_025, "a" * 1_021 + "...")])
def test_a_description_of_more_than_1024_characters_ends_in_dots(length: int, shown: str) -> None:
    found = listing({"x/SKILL.md": skill("x", "a" * length)})
    assert entries(found.text) == [f"- x: {shown} (file: r0/x/SKILL.md)"]
    assert [(cut.before_chars, cut.after_chars) for cut in found.cut] == (
        [(1_025, 1_024)] if length > 1_024 else []
    )


@pytest.mark.parametrize(
    ("window", "budget"),
    [(200_000, Budget(limit=4_000)), (99, Budget(limit=1)), (0, Budget(limit=8_000, in_tokens=False))],
)
def test_the_budget_is_two_percent_and_at_least_one_token(window: int, budget: Budget) -> None:
    assert Budget.of(window) == budget


def plain_shares(entries_: tuple[Entry, ...], budget: Budget) -> tuple[int | None, ...]:
    def cost(taken: list[int]) -> int:
        return sum(budget.cost(entry.line(n)) for entry, n in zip(entries_, taken, strict=True))

    taken = [0] * len(entries_)
    if cost(taken) > budget.limit:
        kept: list[int | None] = []
        used = 0
        for entry in entries_:
            fits = used + budget.cost(entry.line(0)) <= budget.limit
            used += budget.cost(entry.line(0)) if fits else 0
            kept.append(0 if fits else None)
        return tuple(kept)
    changed = True
    while changed:
        changed = False
        for index, entry in enumerate(entries_):
            if taken[index] < len(entry.description):
                taken[index] += 1
                if cost(taken) <= budget.limit:
                    changed = True
                else:
                    taken[index] -= 1
    return tuple(taken)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text("ab\u00e9\u6f6e\U0001f30a ", max_size=12), min_size=1, max_size=5),
    st.integers(1, 120),
    st.booleans(),
)
def test_the_shares_are_those_of_the_plain_rule(descriptions: list[str], limit: int, in_tokens: bool) -> None:
    entries_ = tuple(Entry(name=f"n{n}", description=d, path="p") for n, d in enumerate(descriptions))
    budget = Budget(limit=limit if in_tokens else 4 * limit, in_tokens=in_tokens)
    assert shares(entries_, budget) == plain_shares(entries_, budget)
