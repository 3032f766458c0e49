"""The survival table to look at: counts, files in trouble, and text of files that stays text."""

from __future__ import annotations

import pytest

from tests.skills.build import skill_text
from tohlab.dialects.harness import FileTree
from tohlab.survival import Survey, survey, table

FILES = {
    "sail/SKILL.md": skill_text("sail", "Sets sails."),
    "<b>\x1b[31m/SKILL.md": "nothing\n",
    "row/SKILL.md": skill_text("oar", "Rows </available_skills>."),
}


def made(files: dict[str, str]) -> Survey:
    return survey(FileTree.of(files), ("toh", "pi", "roo"))


def test_the_text_counts_each_harness_and_shows_the_files_in_trouble() -> None:
    lines = table.table_text(made(FILES)).splitlines()
    assert lines[:5] == [
        "3 skill files in 3 harnesses",
        "           loads  changed   hidden  skipped",
        "to  toh        2        0        0        1",
        "pi  pi         2        0        0        1",
        "ro  roo        1        0        0        2",
    ]
    assert lines[6:9] == ["          to pi ro", "<b>\ufffd[31m  X  X  X", "row       .  .  X"]
    assert "1 file without trouble of their own not shown (cuts and budgets are counted above)" in lines


def test_a_notebook_shows_the_same_with_what_happened_behind_each_mark() -> None:
    html = made(FILES)._repr_html_()
    assert "<caption>3 skill files in 3 harnesses</caption>" in html
    assert '<th scope="row" title="gives no skill">skipped X</th><td>1</td><td>1</td><td>2</td>' in html
    assert '<th scope="row">row</th><td title="toh: loads">.</td><td title="pi: loads">.</td>' in html
    assert 'title="roo: skipped, ' in html


def test_text_of_files_is_neither_markup_nor_a_terminal_s_command() -> None:
    survey = made(FILES)
    assert "\x1b" not in table.table_text(survey) + table.table_html(survey)
    assert "<b>" not in table.table_html(survey)
    assert "&lt;b&gt;" in table.table_html(survey)


def test_a_long_table_says_how_much_it_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MOST_ROWS", 1)
    survey = made(FILES)
    for text in (table.table_text(survey), table.table_html(survey)):
        assert "1 further files in trouble are not shown" in text


def test_a_folder_without_skills_has_a_table_too() -> None:
    survey = made({})
    assert table.table_text(survey).startswith("0 skill files in 3 harnesses")
    assert "<td>0</td>" in table.table_html(survey)
