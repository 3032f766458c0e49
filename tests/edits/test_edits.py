"""What changing one skill costs, now and in the next session."""

from __future__ import annotations

import pytest

from tohlab.edits import EDITS, EditCost, what_edits_cost
from tohlab.errors import SkillError
from tohlab.skills.sources import MemorySource
from tohlab.tokens import get_meter, measure_catalog

SKILLS = [
    ("csv", "Clean tables."),
    ("pdf", "Read PDF files."),
    ("xlsx", "Edit sheets."),
    ("zip", "Pack files."),
]


def rows(
    *, skill: str | None = None, skills: list[tuple[str, str]] = SKILLS
) -> dict[tuple[str, str], EditCost]:
    found = what_edits_cost(MemorySource.of(skills), skill=skill)
    return {(row.edit, row.moment): row for row in found}


def test_every_change_has_a_row_for_each_moment() -> None:
    assert list(rows()) == [(edit, m) for edit in EDITS for m in ("running session", "next session")]
    assert {row.skill for row in rows().values()} == {"xlsx"}
    assert [r.edit for r in what_edits_cost(MemorySource.of(SKILLS), edits=["remove"])] == ["remove"] * 2


@pytest.mark.parametrize("edit", EDITS)
def test_in_a_running_session_nothing_is_lost_and_the_whole_list_is_sent_again(edit: str) -> None:
    row = rows()[edit, "running session"]
    assert (row.shared_tokens, row.lost_tokens, row.where) == (row.before_tokens, 0, "")
    assert row.after_tokens > row.before_tokens + row.added_tokens > row.before_tokens
    assert row.sentence.endswith(f"adds {row.added_tokens}.") or edit == "reorder"


@pytest.mark.parametrize("edit", EDITS)
def test_in_the_next_session_everything_behind_the_change_is_lost(edit: str) -> None:
    row = rows()[edit, "next session"]
    assert row.shared_tokens + row.lost_tokens == row.before_tokens
    assert 0 < row.shared_tokens < row.before_tokens
    assert row.added_tokens == row.after_tokens - row.before_tokens
    assert row.where.startswith('messages[1] / skill catalog / entry "')


def test_added_tokens_are_those_of_the_entry() -> None:
    entry = next(row for row in measure_catalog(MemorySource.of(SKILLS)).rows if row.name == "pdf")
    found = rows(skill="pdf")
    assert found["add", "next session"].added_tokens == entry.tokens
    assert found["remove", "next session"].added_tokens == -entry.tokens
    assert found["reorder", "next session"].added_tokens == 0
    assert 0 < found["edit", "next session"].added_tokens <= get_meter().count("Revised. ")


def test_a_change_further_up_loses_more() -> None:
    lost = [rows(skill=name)["remove", "next session"].lost_tokens for name, _ in SKILLS]
    assert lost == sorted(lost, reverse=True)
    assert len(set(lost)) == len(lost)


def test_the_place_named_is_that_of_the_skill() -> None:
    found = rows(skill="pdf")
    assert found["edit", "next session"].where == 'messages[1] / skill catalog / entry "pdf"'
    assert found["add", "next session"].where == 'messages[1] / skill catalog / entry "pdf"'
    assert found["remove", "next session"].where == 'messages[1] / skill catalog / entry "xlsx"'
    assert 'entry "pdf", which stood before it, was taken out' in found["remove", "next session"].sentence


def test_the_first_skill_is_reordered_to_the_end() -> None:
    row = rows(skill="csv")["reorder", "next session"]
    assert row.where == 'messages[1] / skill catalog / entry "pdf"'
    assert row.lost_tokens > 0


def test_removing_the_only_skill_is_told_by_a_tombstone_and_adding_it_by_a_first_catalog() -> None:
    found = rows(skills=[("pdf", "Read PDF files.")])
    assert found["remove", "running session"].added_tokens > 0
    assert found["remove", "next session"].shared_tokens == found["remove", "next session"].after_tokens
    assert found["add", "running session"].lost_tokens == found["add", "next session"].lost_tokens == 0
    assert found["reorder", "running session"].added_tokens == 0
    assert "changes nothing" in found["reorder", "running session"].sentence


def test_a_skill_that_is_not_there_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(SkillError, match=r"no skill 'xslx' .* did you mean 'xlsx'\?"):
        what_edits_cost(MemorySource.of(SKILLS), skill="xslx")


def test_without_skills_there_is_nothing_to_change() -> None:
    assert what_edits_cost(MemorySource([])) == ()


def test_rows_are_plain_data_too() -> None:
    assert list(rows()["add", "next session"].to_dict()) == [
        "edit",
        "skill",
        "moment",
        "before_tokens",
        "after_tokens",
        "shared_tokens",
        "lost_tokens",
        "added_tokens",
        "where",
        "sentence",
    ]
