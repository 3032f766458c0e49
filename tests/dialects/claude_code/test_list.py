"""Claude Code: the list, its budget, and the tool."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Golden
from tests.dialects.claude_code.driver import FILES, call, having, lines, listing
from tohlab.dialects.claude_code import ALREADY_LOADED, HARNESS, HEAD, TAIL
from tohlab.dialects.harness import Loaded, Setting
from tohlab.dialects.harnesses import get_harness
from tohlab.ecma import utf16_length
from tohlab.errors import UnsupportedByDialect


def test_it_is_known_by_its_name_and_says_how_sure_it_is() -> None:
    assert get_harness("claude-code") is HARNESS
    assert HARNESS.provenance_of("load").fidelity == "documented"
    for part in ("listing", "tools", "call", "user"):
        assert HARNESS.provenance_of(part).fidelity == "reconstructed"


def test_the_list_is_a_reminder_with_a_line_for_each_skill(golden: Golden) -> None:
    found = listing()
    golden.check("claude-code/listing.txt", found.text)
    assert lines(found) == [
        "- bare: Heading of the body",
        "- menu: Background.",
        "- pdf: Read & <fill>. - For forms.",
    ]
    assert [s.label for s in found.spans] == ['entry "bare"', 'entry "menu"', 'entry "pdf"']
    assert found.dropped == ("quiet",)
    assert listing({}).text == ""


def test_a_description_with_its_when_to_use_is_cut_at_1536_characters() -> None:
    files = {
        "a/SKILL.md": f"---\ndescription: {'d' * 1000}\nwhen_to_use: {'w' * 533}\n---\n",
        "b/SKILL.md": f"---\ndescription: {'d' * 1000}\nwhen_to_use: {'w' * 534}\n---\n",
    }
    found = listing(files, window=1_000_000)
    a, b = lines(found)
    assert a == f"- a: {'d' * 1000} - {'w' * 533}"
    assert b == f"- b: {'d' * 1000} - {'w' * 532}…"
    assert [(c.name, c.before_chars, c.after_chars) for c in found.cut] == [("b", 1537, 1536)]
    assert lines(listing(files, window=1_000_000, skillListingMaxDescChars=4))[0] == "- a: ddd…"


@pytest.mark.parametrize(
    ("window", "options", "budget"),
    [
        (None, {}, 8000),
        (200_000, {}, 8000),
        (128_000, {}, 5120),
        (1_000_000, {}, 40_000),
        (200_000, {"skillListingBudgetFraction": 0.02}, 16_000),
        (200_000, {"SLASH_COMMAND_TOOL_CHAR_BUDGET": 123}, 123),
        (None, {"SLASH_COMMAND_TOOL_CHAR_BUDGET": "99"}, 99),
    ],
)
def test_the_budget_is_one_per_cent_of_the_window(
    window: int | None, options: dict[str, Any], budget: int
) -> None:
    assert HARNESS.budget_chars(Setting(window_tokens=window, options=options)) == budget


def three(length: int = 10) -> dict[str, str]:
    return {f"{name}/SKILL.md": f"---\ndescription: {name * length}\n---\nB\n" for name in "abc"}


def test_over_the_budget_the_least_used_skills_keep_their_names_alone() -> None:
    whole = len("- a: aaaaaaaaaa\n" * 3) - 1
    assert listing(three(), SLASH_COMMAND_TOOL_CHAR_BUDGET=whole).cut == ()
    over = listing(three(), SLASH_COMMAND_TOOL_CHAR_BUDGET=whole - 1, usage={"a": 3, "b": 0, "c": 1})
    assert lines(over) == ["- a: aaaaaaaaaa", "- b", "- c: cccccccccc"]
    assert [(c.name, c.before_chars, c.after_chars) for c in over.cut] == [("b", 10, 0)]
    assert "budget of 46 characters" in over.cut[0].why
    unused = listing(three(), SLASH_COMMAND_TOOL_CHAR_BUDGET=whole - 1)
    assert lines(unused) == ["- a: aaaaaaaaaa", "- b: bbbbbbbbbb", "- c"]
    assert lines(listing(three(), SLASH_COMMAND_TOOL_CHAR_BUDGET=1)) == ["- a", "- b", "- c"]
    assert listing(three(), SLASH_COMMAND_TOOL_CHAR_BUDGET=1).dropped == ()


@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=12),
    st.integers(1, 500),
    st.dictionaries(st.sampled_from("abcdefghijkl"), st.integers(0, 5)),
)
def test_the_list_fits_its_budget_or_is_names_alone(
    lengths: list[int], budget: int, usage: dict[str, int]
) -> None:
    names = "abcdefghijkl"[: len(lengths)]
    files = {
        f"{n}/SKILL.md": f"---\ndescription: {'x' * size}\n---\nB\n"
        for n, size in zip(names, lengths, strict=True)
    }
    found = listing(files, SLASH_COMMAND_TOOL_CHAR_BUDGET=budget, usage=usage)
    shown = lines(found)
    assert [line.split(":")[0] for line in shown] == [f"- {n}" for n in names]
    entries = found.text[len(HEAD) : -len(TAIL)]
    assert len(entries) <= budget or all(":" not in line for line in shown)
    cut = {c.name for c in found.cut}
    if cut and len(entries) <= budget:
        # what was kept is used at least as much as what was cut
        kept = [usage.get(n, 0) for n in names if n not in cut]
        assert min(kept, default=99) >= max(usage.get(n, 0) for n in cut)


def test_the_budget_counts_as_javascript_counts() -> None:
    files = {"a/SKILL.md": f"---\ndescription: '{chr(0x1F600) * 20}'\n---\nB\n"}
    assert listing(files, SLASH_COMMAND_TOOL_CHAR_BUDGET=45).cut == ()
    (cut,) = listing(files, SLASH_COMMAND_TOOL_CHAR_BUDGET=44).cut
    assert cut.before_chars == 40 == utf16_length(chr(0x1F600) * 20)


def test_overrides_hide_or_shorten_a_skill() -> None:
    overrides = {"pdf": "name-only", "bare": "off", "menu": "user-invocable-only"}
    tree, loaded, setting = having(skillOverrides=overrides)
    found = HARNESS.listing(loaded, setting)
    assert lines(found) == ["- pdf"]
    assert [(c.name, c.why) for c in found.cut] == [("pdf", "override name-only")]
    assert {s.name: (s.model_loads, s.user_loads) for s in loaded.skills} == {
        "bare": (False, False),
        "menu": (False, False),
        "pdf": (True, True),
        "quiet": (False, True),
    }
    assert HARNESS.call("Skill", {"skill": "bare"}, loaded, tree, setting).text == "Unknown skill: bare"


def test_only_what_changed_is_announced_in_a_running_session() -> None:
    _, before, setting = having()
    changed = {
        **FILES,
        "new/SKILL.md": "---\ndescription: New.\n---\n",
        "menu/SKILL.md": "---\ndescription: Other.\n---\n",
    }
    changed["pdf/SKILL.md"] = FILES["pdf/SKILL.md"].replace("Open", "Close")
    del changed["bare/SKILL.md"]
    _, after, _ = having(changed)
    assert lines(HARNESS.announcement(before, after, setting)) == ["- menu: Other.", "- new: New."]
    assert HARNESS.announcement(before, before, setting).text == ""
    changed["pdf/SKILL.md"] = FILES["pdf/SKILL.md"].replace("For forms", "For tables")
    _, later, _ = having(changed)
    assert lines(HARNESS.announcement(after, later, setting)) == ["- pdf: Read & <fill>. - For tables."]
    assert (HARNESS.on_change, HARNESS.names_in_tool) == ("append", False)


def test_the_tool_is_the_same_with_any_skills(golden: Golden) -> None:
    _, loaded, setting = having()
    (tool,) = HARNESS.tools(loaded, setting)
    golden.check("claude-code/tool.json", json.dumps(tool, ensure_ascii=False, indent=1))
    assert HARNESS.tools(Loaded(), setting) == (tool,)


def test_a_loaded_skill_begins_with_its_folder(golden: Golden) -> None:
    golden.check("claude-code/skill.txt", call("pdf", "'my file.pdf' now"))
    assert (
        call("/pdf", "a")
        == call(" pdf ", "a")
        == "Base directory for this skill: /p/.claude/skills/pdf\n\nOpen a."
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("nope", "Unknown skill: nope"),
        ("PDF", "Unknown skill: PDF"),
        ("other", "Unknown skill: other"),
        ("//pdf", "Unknown skill: /pdf"),
        ("quiet", "Skill quiet cannot be used with Skill tool due to disable-model-invocation"),
        (" ", "Invalid skill format:  "),
    ],
)
def test_a_call_that_finds_nothing_says_so(name: str, text: str) -> None:
    tree, loaded, setting = having()
    answer = HARNESS.call("Skill", {"skill": name}, loaded, tree, setting)
    assert (answer.text, answer.is_error) == (text, True)


def test_a_skill_that_is_in_the_conversation_is_not_loaded_twice() -> None:
    text = call("pdf", "a")
    assert call("pdf", "a", in_context=(text,)) == ALREADY_LOADED
    assert call("pdf", "b", in_context=(text,)).endswith("Open b.")


def test_other_tools_and_arguments_are_not_its_own() -> None:
    tree, loaded, setting = having()
    for tool, arguments in (
        ("Read", {}),
        ("Skill", {"skill": 1}),
        ("Skill", None),
        ("Skill", {"skill": "a", "args": 1}),
    ):
        with pytest.raises(UnsupportedByDialect):
            HARNESS.call(tool, arguments, loaded, tree, setting)
