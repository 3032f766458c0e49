"""All harnesses over one folder: a table, a figure, and the same numbers as one by one."""

from __future__ import annotations

import json

import pytest

from tests.compare.folder import MIXED, folder
from tohlab.compare import Comparison, compare_harnesses, view_harness
from tohlab.dialects.harness import FileTree
from tohlab.dialects.harnesses import harness_names
from tohlab.frames import COLUMNS, frame
from tohlab.skills import sharing
from tohlab.tokens import TiktokenMeter, get_meter


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare_harnesses(MIXED)


def test_there_is_one_view_for_each_harness_in_order(comparison: Comparison) -> None:
    assert tuple(view.harness for view in comparison.views) == harness_names()
    some = compare_harnesses(MIXED, ["roo", "pi"])
    assert [view.harness for view in some.views] == ["roo", "pi"]
    assert comparison.view("pi") == some.view("pi")
    with pytest.raises(KeyError):
        some.view("codex")


def test_what_is_shared_between_harnesses_changes_no_number(comparison: Comparison) -> None:
    for view in comparison.views:
        sharing.forget()
        alone = view_harness(MIXED, view.harness, meter=TiktokenMeter())
        assert alone == view


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
def test_each_total_is_that_of_the_texts_encoded_whole(encoding: str) -> None:
    meter = get_meter(encoding)
    for view in compare_harnesses(folder(7), meter=meter).views:
        assert view.listing_tokens == len(meter.encode(view.listing.text))
        assert view.meter == encoding


def test_the_ratio_is_to_the_cheapest_that_lists_anything(comparison: Comparison) -> None:
    rows = comparison.rows()
    assert min(row["ratio"] for row in rows if row["ratio"] is not None) == 1
    assert all(row["total_tokens"] == row["tools_tokens"] + row["listing_tokens"] for row in rows)
    nothing = compare_harnesses(FileTree.of({}), ["codex", "pi"])
    assert nothing.cheapest_tokens is None
    assert [row["ratio"] for row in nothing.rows()] == [None, None]


def test_the_programs_own_skills_can_be_left_out() -> None:
    own = compare_harnesses(folder(2)).view("gemini-cli")
    bare = compare_harnesses(folder(2), bundled=False).view("gemini-cli")
    assert own.bundled_tokens > 0
    assert (bare.bundled_tokens, len(bare.entries)) == (0, 2)


def test_a_comparison_is_plain_data_and_a_table_of_html(comparison: Comparison) -> None:
    data = json.loads(json.dumps(comparison.to_dict()))
    assert [row["harness"] for row in data["rows"]] == list(harness_names())
    html = comparison._repr_html_()
    assert html.count("<tr>") == 17
    assert "TheOpen Harness" in html


def test_frames_have_one_row_a_harness_and_one_a_skill(comparison: Comparison) -> None:
    table = frame(comparison)
    assert list(table.columns) == [column.name for column in COLUMNS["harnesses"]]
    assert len(table) == 16
    view = comparison.view("codex")
    rows = frame(view)
    assert list(rows.columns) == [column.name for column in COLUMNS["harness"]]
    assert rows["tokens"].sum() + view.frame_tokens == view.listing_tokens
    assert {str(rows[column.name].dtype) for column in COLUMNS["harness"]} == {"string", "Int64", "boolean"}


def test_the_figure_has_a_bar_for_each_harness_and_says_what_is_lost(comparison: Comparison) -> None:
    from matplotlib import pyplot

    axes = comparison.plot()
    try:
        assert len(axes.patches) == 2 * 16
        assert [label.get_text() for label in axes.get_yticklabels()] == [v.title for v in comparison.views]
        written = {text.get_text() for text in axes.texts}
        assert f"{comparison.view('codex').total_tokens:,}" in written
        assert any("hidden" in text for text in written)
        assert axes.get_xlabel() == "tokens of o200k_base in every request, window 200,000"
        assert comparison.plot(axes) is axes
    finally:
        pyplot.close(axes.figure)
