"""opencode: what the program as a whole did, and much at once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.test_harness_vectors import OWN, read_vectors
from tests.dialects.opencode.driver import OPENCODE, SETTING, call, listed, listing, load, skill, user
from tohlab.dialects.change import after_change
from tohlab.dialects.harness import Answer, FileTree, Setting
from tohlab.dialects.opencode.texts import TOOLS


def test_a_thousand_skills_are_listed_by_name() -> None:
    files = {f"s{at}/SKILL.md": skill(f"s-{at:04}") for at in range(1000)}
    assert listed(files) == [f"s-{at:04}" for at in range(1000)]


def recorded(name: str) -> dict[str, Any]:
    [row] = [row for row in read_vectors(OWN / "opencode.jsonl") if row["id"] == f"opencode/{name}"]
    return row


def test_the_tools_stand_in_the_order_that_was_sent() -> None:
    assert recorded("tool-schema/names")["output"]["json"] == list(TOOLS)


@pytest.mark.parametrize("change", ["add", "edit", "remove"])
def test_a_new_process_renders_the_list_anew_and_differs_first_at_the_changed_entry(change: str) -> None:
    row = recorded(f"change/restart-{change}")
    before = dict(row["input"]["files"])
    after = {
        "add": before | {"new-one/SKILL.md": skill("new-one", "Added between turns.")},
        "edit": before | {"bread-proof/SKILL.md": skill("bread-proof", "Edited text.")},
        "remove": {path: text for path, text in before.items() if not path.startswith("bread-proof/")},
    }[change]
    setting = Setting()
    old, new = listing(before, setting), listing(after, setting)
    assert new.text == row["output"]["json"]["skills_slice"]
    same = next(at for at, (one, other) in enumerate(zip(old.text, new.text, strict=False)) if one != other)
    entry = next(span.label for span in new.spans if span.stop > same)
    assert entry == {"add": 'entry "new-one"', "edit": 'entry "bread-proof"'}.get(
        change, 'entry "customize-opencode"'
    )


def test_a_description_can_close_the_list_and_its_own_entry() -> None:
    row = recorded("inventory/closetag")
    given = listing(row["input"]["files"], Setting())
    assert given.text == row["output"]["text"]
    assert given.text.count("</available_skills>") == 2


def test_the_second_project_of_one_process_has_only_what_needs_no_repair() -> None:
    row = recorded("survival/colon-parsed-again")
    seen = [
        listed(row["input"]["files"], Setting(options={"parsed_before": before}))
        for before in (False, True, True)
    ]
    assert seen == row["output"]["json"]["names_listed_project_1_2_3"]


def test_the_tool_leaves_a_shell_line_and_the_command_says_that_it_would_run() -> None:
    row = recorded("gesture/shell-line")
    files, sent = row["input"]["files"], row["output"]["json"]
    assert call("run-sh", files, Setting()).text == sent["skill_tool"]
    turn = user("/run-sh", files, Setting())
    assert turn.texts[0].replace("!`echo $((6*7))`", "42\n") == sent["command"]
    assert "echo $((6*7))" in turn.notes[0]


def test_denied_by_a_pattern_as_recorded() -> None:
    row = recorded("policy/permission-deny")
    files = {path: text for path, text in row["input"]["files"].items() if not path.startswith("<")}
    denied = Setting(options={"permission": {"tide-*": "deny"}})
    assert listing(files, denied).text == row["output"]["json"]["listing"]
    assert call("tide-table", files, denied).text == row["output"]["json"]["tool_result"]


def test_the_tools_are_the_same_without_any_skill() -> None:
    row = recorded("tool-schema/skill-when-empty")
    without, some = load(row["input"]["files"]), load({"a/SKILL.md": skill("a")})
    assert (OPENCODE.tools(without, SETTING) == OPENCODE.tools(some, SETTING)) is row["output"]["json"][
        "equal"
    ]
    assert OPENCODE.tool_names(without, SETTING) == OPENCODE.tool_names(some, SETTING)


def test_a_skill_whose_folder_is_gone_is_listed_and_cannot_be_loaded() -> None:
    files = {"a/SKILL.md": skill("a"), "b/SKILL.md": skill("b")}
    before, after = load(files), load({"b/SKILL.md": skill("b")})
    told = after_change(OPENCODE, before, after, SETTING)
    assert told.listing == OPENCODE.listing(before, SETTING)
    tree = FileTree.of({"b/SKILL.md": skill("b")})
    answer = OPENCODE.call("skill", {"name": "a"}, told.reached, tree, SETTING)
    assert answer == Answer(text="ripgrep execution failed", is_error=True)
