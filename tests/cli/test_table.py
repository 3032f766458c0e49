"""A table is read in any width: no name and no number of it stands in two pieces."""

from __future__ import annotations

import pytest
from rich.text import Text

from tohlab.cli._console import make_console
from tohlab.cli._table import print_table, table


def printed(capsys: pytest.CaptureFixture[str], width: int) -> str:
    made = table("Title [of it]", "picker", "exact set", "95 %", right=("exact set",))
    made.add_row("bm25+abstain", "45.4%", "38.5% to 52.4%")
    made.add_row(Text("a [name]"), "", "1.1% to 6.6%")
    made.caption = "A caption that says what it means."
    print_table(made, make_console(width=width))
    return capsys.readouterr().out


def test_what_fits_has_a_line_for_the_heads_and_a_line_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, 60).splitlines() == [
        "Title [of it]",
        "",
        " picker         exact set   95 %",
        " ─────────────────────────────────────────",
        " bm25+abstain       45.4%   38.5% to 52.4%",
        " a [name]                   1.1% to 6.6%",
        "",
        "A caption that says what it means.",
    ]


def test_heads_break_between_words_before_cells_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, 40).splitlines()[2:7] == [
        "                exact",
        " picker           set   95 %",
        " ─────────────────────────────────────",
        " bm25+abstain   45.4%   38.5% to 52.4%",
        " a [name]               1.1% to 6.6%",
    ]


def test_the_outer_edges_go_before_a_cell_breaks(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, 35).splitlines() == [
        "",
        "Title [of it]",
        "              exact",
        "picker          set  95 %",
        "───────────────────────────────────",
        "bm25+abstain  45.4%  38.5% to 52.4%",
        "a [name]             1.1% to 6.6%",
        "",
        "A caption that says what it means.",
    ]


def test_cells_break_between_words_where_they_must(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, 34).splitlines()[2:9] == [
        "               exact",
        " picker          set  95 %",
        " ────────────────────────────────",
        " bm25+abstain  45.4%  38.5% to",
        "                      52.4%",
        " a [name]             1.1% to",
        "                      6.6%",
    ]


def test_what_is_the_same_in_every_row_is_said_once_where_it_does_not_fit(
    capsys: pytest.CaptureFixture[str],
) -> None:
    made = table("Title", "order", "cases", "description-limit", "cost", right=("cases",))
    for order in ("by-name", "random"):
        made.add_row(order, "194", "none", "")
    wide, narrow = make_console(width=60), make_console(width=30)
    print_table(made, wide)
    assert "194" in capsys.readouterr().out.splitlines()[4]
    print_table(made, narrow)
    assert capsys.readouterr().out.splitlines() == [
        "Title",
        "",
        " order",
        " ───────",
        " by-name",
        " random",
        "",
        "The same in every row: cases",
        "194, description-limit none.",
    ]


def test_a_result_stays_in_the_table_though_every_row_has_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    made = table("Title", "order", "exact", "description-limit", right=("exact",))
    for order in ("by-name", "random"):
        made.add_row(order, "30.9%", "none")
    print_table(made, make_console(width=24), keep=("exact",))
    assert capsys.readouterr().out.splitlines()[2:] == [
        " order     exact",
        " ───────────────",
        " by-name   30.9%",
        " random    30.9%",
        "",
        "The same in every row:",
        "description-limit none.",
    ]


def test_where_a_word_would_break_the_rows_stand_below_each_other(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert printed(capsys, 27).splitlines() == [
        "Title [of it]",
        "",
        " picker: bm25+abstain",
        "   exact set: 45.4%;",
        "   95 %: 38.5% to 52.4%",
        " picker: a [name]",
        "   95 %: 1.1% to 6.6%",
        "",
        "A caption that says what it",
        "means.",
    ]


def test_a_head_may_be_empty_in_any_width(capsys: pytest.CaptureFixture[str]) -> None:
    made = table("Title", "label", "")
    made.add_row("ok", "exactly what was expected")
    made.add_row("missed", "a skill that was expected")
    print_table(made, make_console(width=20))
    assert "exactly what" in capsys.readouterr().out
