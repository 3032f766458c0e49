"""Edits by caches on one session: what is read, lost and paid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from tohlab.dialects.harness import FileTree
from tohlab.edits import (
    ALL_EDITS,
    SETUPS,
    TABLE,
    EditGrid,
    EditUse,
    Scene,
    edit_costs,
    get_setups,
    harness_scene,
    long_conversation,
    session_use,
    setup_names,
)
from tohlab.errors import PrefixError, PriceError, UnknownPolicy, UnknownPrice
from tohlab.library import library_skills
from tohlab.prefix.policies import policy_names
from tohlab.tokens import get_meter, measure
from tohlab.tokens.prices import PriceTable, default_prices

PUBLISHED: Mapping[str, tuple[int, ...]] = {
    "append": (99, 99, 99, 99, 99, 99, 99, 98),
    "add": (21, 21, 20, 0, 0, 21, 16, 20),
    "insert": (19, 19, 18, 0, 0, 12, 16, 18),
    "tool-text": (11, 11, 11, 0, 0, 0, 0, 11),
    "tool-order": (10, 10, 10, 0, 0, 0, 0, 10),
    "clock": (12, 12, 12, 0, 0, 12, 0, 12),
    "prune": (62, 62, 62, 0, 0, 21, 62, 62),
    "compact": (79, 79, 77, 0, 0, 79, 60, 75),
}
"""The published table, in the order of `TABLE`, for another session of thirty turns."""


@pytest.fixture(scope="module")
def scene() -> Scene:
    return harness_scene(FileTree.at(library_skills()))


@pytest.fixture(scope="module")
def uses(scene: Scene) -> dict[tuple[str, str], EditUse]:
    return {(use.edit, use.setup): use for use in edit_costs(scene)}


@pytest.fixture(scope="module")
def short() -> Scene:
    return harness_scene(FileTree.at(library_skills()), conversation=long_conversation(4))


def test_a_price_is_held_against_the_day_that_is_asked_about(short: Scene) -> None:
    for on, expired in ((None, False), (date(2026, 12, 31), False), (date(2027, 1, 1), True)):
        (use,) = edit_costs(short, "gemini", ["append"], on=on)
        assert (use.price_until, use.price_expired) == ("2026-12-31", expired)


@pytest.mark.parametrize("edit", PUBLISHED)
def test_the_published_table_is_met(edit: str, uses: dict[tuple[str, str], EditUse]) -> None:
    # what is left of a compaction is a matter of its summary; one block of system text is another layout
    room = 6 if edit == "compact" else 2.5
    for setup, expected in zip(TABLE, PUBLISHED[edit], strict=True):
        if (edit, setup) != ("add", "anthropic-marked"):
            assert abs(100 * uses[edit, setup].reused_share - expected) <= room, setup


def test_a_list_of_blocks_keeps_the_old_end_for_a_marked_cache(scene: Scene) -> None:
    whole = {use.edit: use for use in edit_costs(scene, ["anthropic-marked"], ["add", "insert"])}
    in_blocks = harness_scene(FileTree.at(library_skills()), blocks=True)
    blocks = {use.edit: use for use in edit_costs(in_blocks, ["anthropic-marked"], ["add", "insert"])}
    assert whole["add"].read_tokens == measure(replace(scene.appended, system="", messages=())).total_tokens
    assert round(100 * blocks["add"].reused_share) == 20
    assert blocks["insert"].read_tokens == whole["insert"].read_tokens


def test_classes_add_up_and_nobody_reads_more_than_is_shared(uses: dict[tuple[str, str], EditUse]) -> None:
    for use in uses.values():
        parts = use.read_tokens + use.write_tokens + use.long_write_tokens + use.plain_tokens
        assert parts == use.total_tokens
        assert use.read_tokens <= use.shared_tokens
        assert use.lost_tokens == max(use.twin_read_tokens - use.read_tokens, 0)
        assert 0 <= use.kept_share <= 1


def test_what_was_sent_counts_in_order_and_not_only_the_last_request(scene: Scene) -> None:
    # an earlier user message's end is still an entry at DeepSeek, far before the last request's end
    (use,) = edit_costs(scene, ["deepseek"], ["prune"])
    assert use.read_tokens > 15_000
    assert f"{use.read_tokens:,} of {use.total_tokens:,} tokens are read" in use.sentence


def test_an_edit_that_only_appends_is_kept_whole_and_one_that_rewrites_is_not() -> None:
    tree, talk = FileTree.at(library_skills()), long_conversation(4)
    (told,) = edit_costs(harness_scene(tree, "toh", talk), ["vllm"], ["add"])
    (rewritten,) = edit_costs(harness_scene(tree, "mistral-vibe", talk), ["vllm"], ["add"])
    assert (told.how, told.lost_tokens) == ("append", 0)
    assert told.kept_share > 0.99 > told.reused_share
    assert (rewritten.how, rewritten.kept_share < 0.8) == ("rewrite", True)


def test_money_is_exact_and_dated(short: Scene) -> None:
    (use,) = edit_costs(short, ["anthropic-auto"], ["clock"])
    price = default_prices().price("claude-opus-5")
    write = price.rates.short_write
    assert write is not None
    assert use.read_tokens == 0
    assert use.cost_usd == (use.write_tokens * write + use.plain_tokens * price.rates.input) / 1_000_000
    assert (use.price_model, use.price_date) == ("claude-opus-5", price.date)
    assert use.extra_cost_usd == use.cost_usd - (use.twin_cost_usd or Decimal(0))
    assert f"Its input costs ${use.extra_cost_usd:.4f} more" in use.sentence
    assert use.to_dict()["cost_usd"] == f"{use.cost_usd.normalize():f}"


def test_a_longer_request_never_pays_for_itself_and_a_shorter_one_does_after_a_while(short: Scene) -> None:
    found = {use.edit: use for use in edit_costs(short, ["anthropic-auto"], ["append", "add", "compact"])}
    assert found["append"].break_even_turns == 0
    assert found["add"].break_even_turns is None
    turns, use = found["compact"].break_even_turns, found["compact"]
    assert turns is not None
    assert use.extra_cost_usd is not None
    read = default_prices().price("claude-opus-5").rates.read
    assert read is not None
    saved = (found["append"].total_tokens - use.total_tokens) * read / 1_000_000
    assert (turns - 1) * saved < use.extra_cost_usd <= turns * saved


def test_an_engine_has_no_price_and_says_so_when_one_is_asked_for(short: Scene) -> None:
    (use,) = edit_costs(short, ["vllm"], ["append"])
    assert (use.cost_usd, use.turns_worth, use.break_even_turns, use.price_model) == (None, None, None, "")
    with pytest.raises(PriceError, match="vllm has no price: an engine that you run yourself"):
        edit_costs(short, ["vllm"], ["append"], price="gpt-5")
    with pytest.raises(PriceError, match="kimi has no price: no list price of it was found"):
        edit_costs(short, ["kimi"], ["append"], prices=default_prices())


def test_an_engine_beside_a_paid_cache_is_left_without_a_price(short: Scene) -> None:
    uses = edit_costs(short, ["vllm", "kimi", "anthropic-auto"], ["append"], price="claude-haiku-4-5")
    assert [use.price_model for use in uses] == ["", "claude-haiku-4-5", "claude-haiku-4-5"]
    assert EditGrid.of(uses, "cost").cells[0][0] is None
    with pytest.raises(UnknownPrice, match="claude-haiku-4-6"):
        edit_costs(short, ["vllm", "anthropic-auto"], ["append"], price="claude-haiku-4-6")


def test_a_table_of_your_own_prices_a_cache_that_has_no_list_price(short: Scene, tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        '[[models]]\nmodel = "k3"\ninput = 2\nread = 0.2\nshort_write = 2\nlong_write = 2\noutput = 8\n'
        "date = 2026-11-30\n"
    )
    (use,) = edit_costs(short, ["kimi"], ["append"], price="k3", prices=PriceTable.from_file(path))
    assert use.cost_usd == (use.read_tokens * Decimal("0.2") + use.plain_tokens * 2) / 1_000_000
    with pytest.raises(UnknownPrice, match="there is no price of 'claude-opus-5'"):
        edit_costs(short, ["anthropic-auto"], ["append"], prices=PriceTable.from_file(path))


def test_every_policy_has_a_setup_and_every_list_price_exists() -> None:
    assert {setup.policy for setup in SETUPS} == set(policy_names())
    assert len(set(setup_names())) == len(SETUPS)
    for setup in SETUPS:
        assert bool(setup.price_model) != bool(setup.no_price)
        assert (setup.price() is None) == bool(setup.no_price)
        assert setup.rules.name == setup.policy


def test_setups_are_found_by_their_own_name_by_a_policy_and_by_all() -> None:
    assert [s.name for s in get_setups("anthropic-marked")] == ["anthropic-marked"]
    assert [s.name for s in get_setups("anthropic")] == ["anthropic-auto", "anthropic-marked"]
    assert get_setups("all") == SETUPS
    assert get_setups(["kimi", "all"])[0].name == "kimi"
    with pytest.raises(UnknownPolicy, match=r"Did you mean 'llama\.cpp'"):
        get_setups("llamacpp")


def test_an_assumed_number_can_be_set_otherwise(scene: Scene) -> None:
    (marked,) = get_setups("anthropic-marked")
    other = replace(marked, name="not refreshed", settings=(("refreshes_marked", 0),))
    assert [use.read_tokens > 0 for use in edit_costs(scene, [marked, other], ["clock"])] == [True, False]
    with pytest.raises(PrefixError, match="two different setups are named 'anthropic-marked'"):
        get_setups([marked, replace(other, name=marked.name)])


def test_a_session_is_read_request_by_request(short: Scene) -> None:
    meter = get_meter()
    use = session_use(short, "vllm", meter)
    totals = [measure(exchange.request, meter).total_tokens for exchange in short.sent]
    assert use.before_tokens == sum(totals[:-1])
    assert 0.98 < use.kept_share <= 1
    longer = session_use(short, "vllm", meter, whole=True)
    assert longer.before_tokens == sum(totals)
    assert session_use(short, "gemini", meter).read_tokens == 0


def test_progress_is_told_and_edits_come_in_the_order_asked_for(short: Scene) -> None:
    seen: list[tuple[int, int]] = []
    rows = edit_costs(
        short, ["vllm", "kimi"], ["clock", "append"], progress=lambda done, of: seen.append((done, of))
    )
    assert [(row.edit, row.setup) for row in rows] == [
        ("clock", "vllm"),
        ("clock", "kimi"),
        ("append", "vllm"),
        ("append", "kimi"),
    ]
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_the_grid_holds_a_number_for_each_edit_and_cache(uses: dict[tuple[str, str], EditUse]) -> None:
    grid = EditGrid.of(tuple(uses.values()))
    assert grid.columns == ("LCP", *TABLE)
    assert len(grid.rows) == len(ALL_EDITS)
    at = grid.columns.index("vllm")
    assert grid.cells[0][at] == uses["append", "vllm"].reused_share
    assert grid.text(0.999) == "99"
    assert "<td style='text-align:right'>99</td>" in grid._repr_html_()
    cost = EditGrid.of(tuple(uses.values()), "cost")
    assert cost.cells[0][cost.columns.index("vllm")] is None
    assert cost.text(None) == "-"
    lost = EditGrid.of(tuple(uses.values()), "lost")
    assert lost.cells[1][lost.columns.index("anthropic-auto")] == uses["add", "anthropic-auto"].lost_tokens
    with pytest.raises(PrefixError, match="nothing was edited"):
        EditGrid.of(())


def test_the_grid_is_drawn_with_its_numbers(uses: dict[tuple[str, str], EditUse]) -> None:
    from matplotlib.figure import Figure

    grid = EditGrid.of(tuple(uses.values()))
    axes = grid.plot(Figure().add_subplot())
    assert [text.get_text() for text in axes.texts][: len(grid.columns)] == [
        grid.text(value) for value in grid.cells[0]
    ]
    assert [label.get_text() for label in axes.get_yticklabels()] == list(grid.rows)
