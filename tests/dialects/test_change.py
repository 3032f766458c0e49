"""What a session is told once skills have changed: in the running session, and taken up again."""

from __future__ import annotations

import pytest

from tohlab.dialects.change import AfterChange, When, after_change
from tohlab.dialects.harness import FileTree, Loaded, Setting
from tohlab.dialects.harnesses import get_harness, harness_names

SETTING = Setting(root="/r", window_tokens=200_000, bundled=False)


def skill(name: str, description: str = "Does it.", body: str = "Body.") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n\n{body}\n"


BEFORE = {"bread/SKILL.md": skill("bread"), "tide/SKILL.md": skill("tide")}
AFTER = {
    "none": BEFORE,
    "add": BEFORE | {"new-one/SKILL.md": skill("new-one")},
    "edit": BEFORE | {"bread/SKILL.md": skill("bread", "Edited text.", "Edited body.")},
    "remove": {"tide/SKILL.md": BEFORE["tide/SKILL.md"]},
}
CHANGES = [(change, when) for change in ("add", "edit", "remove") for when in ("session", "resume")]


def load(name: str, files: dict[str, str]) -> Loaded:
    return get_harness(name).load(FileTree.of(files), SETTING)


def told(name: str, change: str, when: When = "session") -> AfterChange:
    return after_change(get_harness(name), load(name, BEFORE), load(name, AFTER[change]), SETTING, when)


def listed(name: str, files: dict[str, str]) -> str:
    return get_harness(name).listing(load(name, files), SETTING).text


@pytest.mark.parametrize("name", harness_names())
@pytest.mark.parametrize("when", ["session", "resume"])
def test_where_nothing_has_changed_nothing_is_told(name: str, when: When) -> None:
    found = told(name, "none", when)
    assert (found.appended, found.rewritten, found.first_change) == ((), (), None)
    assert found.keeps_prefix
    assert found.listing.text == listed(name, BEFORE)
    assert found.reached == load(name, BEFORE)


@pytest.mark.parametrize("name", harness_names())
@pytest.mark.parametrize(("change", "when"), CHANGES)
def test_a_harness_does_what_it_says_it_does(name: str, change: str, when: When) -> None:
    harness, found = get_harness(name), told(name, change, when)
    assert found.how == (harness.on_change if when == "session" else harness.on_resume)
    if found.how in ("rewrite", "tool-rewrite"):
        assert found.listing.text == listed(name, AFTER[change])
        assert found.appended == ()
    else:
        assert found.listing.text == listed(name, BEFORE)
        assert found.keeps_prefix
    if found.first_change is not None:
        old, new = listed(name, BEFORE), found.listing.text
        assert old[: found.first_change] == new[: found.first_change]
        assert (
            old[found.first_change : found.first_change + 1]
            != new[found.first_change : found.first_change + 1]
        )


def test_what_is_rewritten_is_where_the_list_or_a_name_stands() -> None:
    rewritten = {
        (name, change, when): told(name, change, when).rewritten
        for name in ("pi", "opencode", "gemini-cli", "cline", "mistral-vibe", "vscode")
        for change, when in CHANGES
    }
    assert {place for places in rewritten.values() for place in places} == {"system", "tools"}
    assert rewritten["pi", "edit", "session"] == ()
    assert rewritten["pi", "edit", "resume"] == ("system",)
    assert rewritten["opencode", "remove", "resume"] == ("system",)
    assert rewritten["gemini-cli", "edit", "resume"] == ("system",)
    assert rewritten["gemini-cli", "remove", "resume"] == ("tools", "system")
    assert rewritten["mistral-vibe", "add", "session"] == ("system",)
    # Cline tells names alone, inside the tool.
    assert rewritten["cline", "edit", "session"] == ()
    assert rewritten["cline", "add", "session"] == ("tools",)


def test_an_append_is_the_whole_list_or_only_what_is_new() -> None:
    [whole] = told("codex", "edit").appended
    assert whole == listed("codex", AFTER["edit"])
    [delta] = told("claude-code", "edit").appended
    assert "- bread: Edited text." in delta
    assert "tide" not in delta
    [catalog] = told("toh", "remove").appended
    assert "tide" in catalog
    assert "bread" not in catalog


def test_of_a_skill_that_is_gone_some_say_nothing_and_one_says_that_none_is_left() -> None:
    assert told("claude-code", "remove").appended == ()
    gone = {name: load(name, {}) for name in ("toh", "codex")}
    [text] = after_change(get_harness("toh"), load("toh", BEFORE), gone["toh"], SETTING).appended
    assert text == get_harness("toh").replacement(gone["toh"], SETTING).text  # type: ignore[attr-defined] # its own
    assert after_change(get_harness("codex"), load("codex", BEFORE), gone["codex"], SETTING).appended == ()


def test_the_first_skills_of_a_session_are_its_first_catalog() -> None:
    first = after_change(get_harness("toh"), load("toh", {}), load("toh", BEFORE), SETTING)
    assert first.appended == (listed("toh", BEFORE),)


@pytest.mark.parametrize("name", ["pi", "opencode", "gemini-cli", "supercode", "hermes"])
def test_a_snapshot_answers_as_it_began(name: str) -> None:
    for change in ("add", "edit", "remove"):
        assert told(name, change).reached == load(name, BEFORE)
        assert told(name, change, "resume").reached == load(name, AFTER[change])


def test_the_tool_of_qwen_code_is_live_and_keeps_what_is_gone() -> None:
    names = {change: [one.name for one in told("qwen-code", change).reached.skills] for change in AFTER}
    assert names == {
        "none": ["bread", "tide"],
        "add": ["bread", "new-one", "tide"],
        "edit": ["bread", "tide"],
        "remove": ["tide", "bread"],
    }
    [edited] = [one for one in told("qwen-code", "edit").reached.skills if one.name == "bread"]
    assert edited.body == "Edited body."
