"""Gemini CLI: names in three places, and in which order."""

from __future__ import annotations

import pytest

from tests.dialects.gemini_cli.driver import ALONE, GEMINI, call, listing, load, names, skill
from tohlab.dialects.gemini_cli import ROOTS
from tohlab.dialects.harness import Setting
from tohlab.errors import UnsupportedByDialect

BUILT_IN = ["skill-creator", "antigravity-support"]


def test_the_strongest_root_gives_the_text_and_the_weakest_the_place() -> None:
    files = {f"{root.folder}/twin/SKILL.md": skill("twin", root.folder) for root in ROOTS}
    files |= {f"{root.folder}/only/SKILL.md": skill(f"only-{n}") for n, root in enumerate(ROOTS)}
    setting = Setting(options={"roots": ROOTS}, root="/r")
    loaded = load(files, setting)
    assert [(one.name, one.description) for one in loaded.skills] == [
        ("twin", "project/.agents/skills"),
        ("only-3", "d"),
        ("only-2", "d"),
        ("only-1", "d"),
        ("only-0", "d"),
    ]
    assert loaded.warnings == tuple(
        f'Skill conflict detected: "twin" from "/r/{winner}/twin/SKILL.md" is overriding the same skill from '
        f'"/r/{loser}/twin/SKILL.md".'
        for loser, winner in (
            ("home/.gemini/skills", "home/.agents/skills"),
            ("home/.agents/skills", "project/.gemini/skills"),
            ("project/.gemini/skills", "project/.agents/skills"),
        )
    )
    assert GEMINI.listing(loaded, setting).warnings == loaded.warnings


def test_the_roots_of_a_project_count_only_where_it_is_trusted() -> None:
    files = {f"{root.folder}/s/SKILL.md": skill(f"only-{n}") for n, root in enumerate(ROOTS)}
    loaded = load(files, Setting(options={"roots": ROOTS, "trusted": False}))
    assert [one.name for one in loaded.skills] == ["only-3", "only-2"]


def test_the_entries_stand_in_the_reverse_order_of_the_folders_and_a_note_says_that_it_is_the_disks() -> None:
    folders = ("zeta", "alpha", "Mid", "beta-10", "beta-2", "beta_1", "_lead")
    files = {f"{folder}/SKILL.md": skill(folder) for folder in folders} | {"aaa/SKILL.md": skill("zz")}
    assert names(files) == ["zeta", "beta_1", "beta-2", "beta-10", "alpha", "zz", "_lead", "Mid"]
    assert GEMINI.order == "directory"
    assert "two machines may differ" in load(files).notes[-1]


def test_of_two_skills_of_one_name_in_one_root_the_one_that_is_met_last_stays() -> None:
    loaded = load({"twin-a/SKILL.md": skill("twin", "a"), "twin-b/SKILL.md": skill("twin", "b")})
    assert [one.description for one in loaded.skills] == ["a"]
    [row] = loaded.skipped
    assert (row.path, row.code, row.silent) == ("twin-b/SKILL.md", "duplicate-name", False)
    assert "may differ from machine to machine" in loaded.notes[0]


def test_characters_that_no_file_may_have_become_hyphens_and_names_can_fall_together() -> None:
    assert names({"a/SKILL.md": skill("grp/leaf"), "b/SKILL.md": skill("grp:leaf")}) == ["grp-leaf"]
    assert names({"a/SKILL.md": skill("'a\\b<c>d*e?f\"g|h'")}) == ["a-b-c-d-e-f-g-h"]
    assert names({"a/SKILL.md": skill("two words")}) == ["two words"]


def test_every_name_stands_in_the_list_in_the_description_and_in_the_schema() -> None:
    files = {"b/SKILL.md": skill("bread"), "t/SKILL.md": skill("tide")}
    setting = Setting()
    loaded = load(files, setting)
    [tool] = GEMINI.tools(loaded, setting)
    expected = [*BUILT_IN, "tide", "bread"]
    assert tool["parametersJsonSchema"]["properties"]["name"]["enum"] == expected
    assert "(Available: " + ", ".join(f"'{name}'" for name in expected) + ")" in tool["description"]
    text = GEMINI.listing(loaded, setting).text
    assert [line.strip()[6:-7] for line in text.split("\n") if line.startswith("    <name>")] == expected
    assert GEMINI.names_in_tool


def test_without_any_skill_there_is_neither_a_list_nor_a_tool() -> None:
    assert listing({}).text == ""
    assert GEMINI.tools(load({}), ALONE) == ()
    assert listing({}, bundled=True).text.count("<skill>") == 2


def test_a_skill_of_a_built_in_name_takes_its_place() -> None:
    files = {"mine/SKILL.md": skill("antigravity-support", "Mine.")}
    setting = Setting()
    loaded = load(files, setting)
    text = GEMINI.listing(loaded, setting).text
    assert text.count("<skill>") == 2
    assert text.index("skill-creator") < text.index("Mine.")
    assert "in the place of the program's own antigravity-support" in loaded.notes[0]


def test_where_nobody_can_approve_the_list_stays_and_the_tool_is_not_there() -> None:
    setting = Setting(bundled=False, options={"headless_approval": False})
    files = {"a/SKILL.md": skill("a")}
    loaded = load(files, setting)
    assert "call the `activate_skill` tool" in GEMINI.listing(loaded, setting).text
    assert GEMINI.tools(loaded, setting) == ()
    with pytest.raises(UnsupportedByDialect):
        call({"name": "a"}, files, setting)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (None, "instructions, you can call the"),
        ("gemini-2.5-flash", "instructions, you can call the"),
        ("gemini-flash-latest", "instructions, you can call the"),
        ("gemini-3-pro-preview", "instructions, call the"),
        ("gemini-3.1-pro-preview", "instructions, call the"),
    ],
)
def test_the_sentence_above_the_list_depends_on_the_models_family(model: str | None, words: str) -> None:
    assert words in listing({"a/SKILL.md": skill("a")}, model=model).text


def test_descriptions_stand_as_they_are_however_long_and_each_span_covers_its_entry() -> None:
    files = {"a/SKILL.md": skill("a", "x" * 5_000), "b/SKILL.md": skill("b", '"   "')}
    found = listing(files, root="/r")
    assert [found.text[span.start : span.stop] for span in found.spans] == [
        "  <skill>\n    <name>b</name>\n    <description>   </description>\n"
        "    <location>/r/b/SKILL.md</location>\n  </skill>",
        f"  <skill>\n    <name>a</name>\n    <description>{'x' * 5_000}</description>\n"
        "    <location>/r/a/SKILL.md</location>\n  </skill>",
    ]
    assert found.cut == ()


def test_an_edit_changes_the_system_prompt_alone_and_a_removal_the_tool_too() -> None:
    files = {"b/SKILL.md": skill("bread"), "t/SKILL.md": skill("tide")}
    edited = {**files, "b/SKILL.md": skill("bread", "Edited text.")}
    removed = {"t/SKILL.md": skill("tide")}
    before = load(files)
    assert GEMINI.tools(load(edited), ALONE) == GEMINI.tools(before, ALONE)
    assert GEMINI.listing(load(edited), ALONE) != GEMINI.listing(before, ALONE)
    assert GEMINI.tools(load(removed), ALONE) != GEMINI.tools(before, ALONE)
    assert (GEMINI.on_change, GEMINI.on_resume) == ("ignored", "tool-rewrite")
