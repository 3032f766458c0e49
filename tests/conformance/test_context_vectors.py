"""Vectors that describe a program as a whole: what a change does, several roots, tools and layouts.

Those whose form says what they are about are checked by `context_driver`. The others depend on something that
only their `action` tells, in words; each of them has a test of its own, which is named here.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.conformance.context_driver import check
from tests.conformance.harness_driver import Row
from tests.conformance.test_harness_vectors import OWN
from tests.conformance.test_vectors import read_vectors

TESTS = Path(__file__).parents[1] / "dialects"

OF_THEIR_OWN: dict[str, tuple[str, str]] = {
    "gemini-cli/inventory/plain2-gemini-3-pro-preview": (
        "gemini_cli/test_list.py",
        "test_the_sentence_above_the_list_depends_on_the_models_family",
    ),
    "gemini-cli/tool-schema/default-approval-headless": (
        "gemini_cli/test_list.py",
        "test_where_nobody_can_approve_the_list_stays_and_the_tool_is_not_there",
    ),
    "opencode/tool-schema/skill-when-empty": (
        "opencode/test_runs.py",
        "test_the_tools_are_the_same_without_any_skill",
    ),
    "opencode/survival/colon-parsed-again": (
        "opencode/test_runs.py",
        "test_the_second_project_of_one_process_has_only_what_needs_no_repair",
    ),
    "opencode/gesture/shell-line": (
        "opencode/test_runs.py",
        "test_the_tool_leaves_a_shell_line_and_the_command_says_that_it_would_run",
    ),
    "opencode/policy/permission-deny": ("opencode/test_runs.py", "test_denied_by_a_pattern_as_recorded"),
    "pi/trust/no-approve": ("pi/test_files.py", "test_a_project_that_is_not_trusted_has_no_skills"),
}
"""A row to the file and the name of its own test."""


def rows_of(metafunc: pytest.Metafunc) -> list[Row]:
    """Return the context rows of the vectors at hand."""
    given = metafunc.config.getoption("--vectors")
    paths = [Path(given)] if given else sorted(OWN.glob("*.jsonl"))
    found = [row for path in paths for row in read_vectors(path)]
    return [row for row in found if "harness" in row and row["level"] == "context"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give one test for each context row."""
    if "context_row" in metafunc.fixturenames:
        rows = [row for row in rows_of(metafunc) if row["id"] not in OF_THEIR_OWN]
        metafunc.parametrize("context_row", rows, ids=[row["id"] for row in rows])


def test_a_recording_of_the_whole_program_is_what_the_library_says(context_row: Row) -> None:
    assert check(context_row), "its form does not say what it is about: give it a test of its own"


@pytest.mark.parametrize("row_id", sorted(OF_THEIR_OWN))
def test_a_row_that_is_not_checked_here_has_a_test_of_its_own(row_id: str) -> None:
    file, name = OF_THEIR_OWN[row_id]
    assert re.search(rf"^def {name}\(", (TESTS / file).read_text(), re.MULTILINE)


def another(value: object) -> object:
    """Return a value that differs in every part that is a text, a truth or a number."""
    if isinstance(value, dict):
        return {key: another(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [another(inner) for inner in value] or ["another"]
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else f"{value}, another"


@pytest.mark.parametrize(
    ("row_id", "key"),
    [
        ("codex/change/resume-add", "appended_items"),
        ("codex/change/resume-add", "input_prefix_equal"),
        ("codex/change/live-edit", "turn2_3"),
        ("codex/change/live-edit", "appended_turn4"),
        ("codex/dup-roots/all", "skills_message"),
        ("codex/dup-roots/all", "user_messages"),
        ("codex/tool-schema/model-gpt-6-astra", "input_items"),
        ("gemini-cli/change/resume-edit", "system_equal"),
        ("gemini-cli/change/resume-remove", "tools_equal"),
        ("gemini-cli/change/live-add", "tool_result_turn3"),
        ("gemini-cli/change/live-add", "slash_new-one_contents"),
        ("opencode/change/restart-remove", "skills_slice"),
        ("opencode/tool-schema/anthropic-layout", "path"),
        ("pi/change/add", "user_message_for_/skill:new-one"),
        ("pi/change/remove", "system_prompt_changed"),
        ("pi/tool-schema/anthropic-layout", "top_level_keys"),
        ("qwen-code/change/live-remove", "tool_result_turn3"),
        ("qwen-code/change/live-add", "messages_prefix_equal_2_3"),
    ],
)
def test_a_check_fails_where_a_row_says_another_thing(row_id: str, key: str) -> None:
    [row] = [row for path in OWN.glob("*.jsonl") for row in read_vectors(path) if row.get("id") == row_id]
    output = row["output"]
    assert check(row)
    said = {**output["json"], key: another(output["json"][key])}
    with pytest.raises(AssertionError):
        check({**row, "output": {**output, "json": said}})


@pytest.mark.parametrize(
    "row_id", ["gemini-cli/change/resume-edit", "pi/change/resume-remove", "opencode/change/restart-add"]
)
def test_the_place_of_the_first_difference_is_compared(row_id: str) -> None:
    [row] = [row for path in OWN.glob("*.jsonl") for row in read_vectors(path) if row.get("id") == row_id]
    text = (
        json.dumps(row["output"]).replace("of 3095: '", "of 3095: '?").replace("of 25591: '", "of 25591: '?")
    )
    text = text.replace("of 10062: '", "of 10062: '?")
    assert text.count(": '?") == 1
    with pytest.raises(AssertionError):
        check({**row, "output": json.loads(text)})


@pytest.mark.parametrize(
    "row_id", ["gemini-cli/dup-roots/all4", "pi/dup-roots/all4", "cline/tool-schema/names"]
)
def test_a_list_of_several_roots_and_a_list_of_tools_are_compared(row_id: str) -> None:
    [row] = [row for path in OWN.glob("*.jsonl") for row in read_vectors(path) if row.get("id") == row_id]
    with pytest.raises(AssertionError):
        check({**row, "output": another(row["output"])})
    noted = row["note"].replace("overriding", "not overriding")
    if noted != row["note"]:
        with pytest.raises(AssertionError):
            check({**row, "note": noted})
