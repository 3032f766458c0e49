"""Gemini CLI: names in three places, two readers in turn, and a lookup behind a schema."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tohlab.dialects.folder_tree import folder_tree
from tohlab.dialects.gemini_cli import ROOTS, GeminiLoaded
from tohlab.dialects.gemini_cli.reading import line_fields
from tohlab.dialects.harness import Answer, FileTree, Listing, Setting, Skipped
from tohlab.dialects.harnesses import get_harness
from tohlab.errors import UnsupportedByDialect

GEMINI: Any = get_harness("gemini-cli")
ALONE = Setting(bundled=False)
BUILT_IN = ["skill-creator", "antigravity-support"]


def skill(name: str, description: str = "d", body: str = "Do it.") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n\n{body}\n"


def load(files: dict[str, str], setting: Setting = ALONE) -> GeminiLoaded:
    loaded: GeminiLoaded = GEMINI.load(FileTree.of(files), setting)
    return loaded


def listing(files: dict[str, str], **more: Any) -> Listing:
    setting = Setting(**{"bundled": False, **more})
    found: Listing = GEMINI.listing(load(files, setting), setting)
    return found


def names(files: dict[str, str]) -> list[str]:
    return [found.name for found in load(files).skills]


def call(
    arguments: Any, files: dict[str, str], setting: Setting = ALONE, tool: str = "activate_skill"
) -> Answer:
    tree = FileTree.of(files)
    answer: Answer = GEMINI.call(tool, arguments, GEMINI.load(tree, setting), tree, setting)
    return answer


def only_skipped(text: str) -> Skipped:
    loaded = load({"x/SKILL.md": text})
    assert loaded.skills == ()
    [row] = loaded.skipped
    return row


# What is listed, and in which order.


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


# Which files load.


@pytest.mark.parametrize(
    ("text", "name", "description"),
    [
        ("---\nname: a\ndescription: Use it for this: that\n---\n", "a", "Use it for this: that"),
        ("---\nname: a\ndescription: First.\ndescription: Second.\n---\n", "a", "Second."),
        ("---\nname: 3000\ndescription: 'quoted'\n---\n", "3000", "'quoted'"),
        ("---\nname: a\ndescription:\n  - one\n  - two\n---\n", "a", "- one - two"),
        ("---\nname: a\ndescription: >-\n  Folded: here\n  and there\n---\n", "a", "Folded: here and there"),
        ("---\nname: a\ndescription: >-\n  Fold\n  it\nx: y: z\n---\n", "a", ">- Fold it"),
        ("---\nname: a: b\ndescription: d # no comment\n---\n", "a- b", "d # no comment"),
        ("---\nname: a\ndescription: !x tagged\n---\n", "a", "!x tagged"),
        ('---\nname: a\ndescription: ""\n---\n', "a", ""),
        ('---\nname: ""\ndescription: d\n---\n', "", "d"),
        ("---\nname: yes\ndescription: true story\n---\n", "yes", "true story"),
        ("---\r\nname: a\r\ndescription: |\r\n  One.\r\n  Two.\r\n---\r\n\r\nB.\r\n", "a", "One.\nTwo.\n"),
        ("---\nname: a\ndescription: d\n---anything\n", "a", "d"),
        ("---\nmeta:\n  name: a\n  description: d\n---\n", "a", "d"),
        ("---\nname: [a]\ndescription: d\nname: b\n---\n", "b", "d"),
    ],
)
def test_a_reader_of_lines_takes_what_yaml_does_not_give(text: str, name: str, description: str) -> None:
    [found] = load({"x/SKILL.md": text}).skills
    assert (found.name, found.description) == (name, description)


def test_indented_lines_behind_a_description_belong_to_it_whatever_they_hold() -> None:
    assert line_fields("description: a\n  name: b\n\tc\n \nname: d\n   e") == ("d", "a name: b c")
    assert line_fields("\u00a0name:\u3000x \ndescription:") == ("x", "")
    assert line_fields("name: a\rb\ndescription: c") == (None, "c")
    assert line_fields("names: a\nxdescription: b") == (None, None)


@pytest.mark.parametrize(
    ("text", "code", "line", "repair"),
    [
        ("\ufeff" + skill("x"), "missing-frontmatter", 1, "byte order mark"),
        ("# Only a body\n", "missing-frontmatter", 1, "start the file"),
        ("\n" + skill("x"), "missing-frontmatter", 1, "remove everything before"),
        ("---\nname: x\n", "missing-frontmatter", 2, "close the frontmatter"),
        ("---\nname: x\n---\n", "missing-description", 1, "add a line `description: …`"),
        ("---\ndescription: d\n---\n", "missing-name", 1, "add a line `name: …`"),
    ],
)
def test_a_file_that_gives_no_skill_is_passed_over_in_silence(
    text: str, code: str, line: int, repair: str
) -> None:
    row = only_skipped(text)
    assert (row.code, row.line, row.silent) == (code, line, True)
    assert repair in row.repair


def test_one_level_of_folders_is_looked_at_and_the_file_has_its_exact_name() -> None:
    loaded = load(
        {
            "SKILL.md": skill("root"),
            "z/SKILL.md": skill("outer"),
            "z/inner/SKILL.md": skill("inner"),
            ".dot/SKILL.md": skill("dot"),
            "node_modules/SKILL.md": skill("module"),
            "lower/skill.md": skill("lower"),
            "flat.md": skill("flat"),
            "MYSKILL.md": skill("my"),
        }
    )
    assert [one.name for one in loaded.skills] == ["root", "outer"]
    assert {(row.path, row.code) for row in loaded.skipped} == {
        ("z/inner/SKILL.md", "too-deep"),
        (".dot/SKILL.md", "hidden-folder"),
        ("node_modules/SKILL.md", "hidden-folder"),
        ("lower/skill.md", "file-name"),
    }
    assert all(row.silent and row.repair for row in loaded.skipped)


def test_a_file_that_cannot_be_read_stops_nothing(tmp_path: Any) -> None:
    for name in ("good", "gone"):
        (tmp_path / name).mkdir()
    (tmp_path / "good/SKILL.md").write_text(skill("good"))
    (tmp_path / "gone/SKILL.md").symlink_to(tmp_path / "nowhere")
    loaded = GEMINI.load(FileTree.at(tmp_path), ALONE)
    assert [one.name for one in loaded.skills] == ["good"]
    assert [(row.path, row.code) for row in loaded.skipped] == [("gone/SKILL.md", "unreadable")]


# What a call gives back.

TEA = {"tea/SKILL.md": skill("tea", "d", "\n  Boil.\n\nSteep.\n\n\n"), "bread/SKILL.md": skill("bread")}


def test_a_call_gives_the_trimmed_body_and_the_files_beside_it() -> None:
    files = {**TEA, "tea/.hidden": "", "tea/scripts/run.sh": "", "tea/node_modules/x.js": "", "tea/Ab.md": ""}
    assert call({"name": "tea"}, files).json == {
        "output": '<activated_skill name="tea">\n'
        "  <instructions>\n"
        "    Boil.\n"
        "\n"
        "Steep.\n"
        "  </instructions>\n"
        "\n"
        "  <available_resources>\n"
        "    Showing up to 200 items (files + folders). Folders or files indicated with ... contain more "
        "items not shown, were ignored, or the display limit (200 items) was reached.\n"
        "\n"
        "<ROOT>/tea/\n"
        "├───.hidden\n"
        "├───Ab.md\n"
        "├───SKILL.md\n"
        "├───node_modules/...\n"
        "└───scripts/\n"
        "    └───run.sh\n"
        "  </available_resources>\n"
        "</activated_skill>"
    }


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"name": "nope"}, "params/name must be equal to one of the allowed values"),
        ({"name": "Tea"}, "params/name must be equal to one of the allowed values"),
        ({"name": ""}, "params/name must be equal to one of the allowed values"),
        ({}, "params must have required property 'name'"),
        ({"skill": "tea"}, "params must have required property 'name'"),
        ({"name": "tea", "args": "x"}, "params must NOT have additional properties"),
        ({"name": "nope", "args": "x"}, "params must NOT have additional properties"),
        ({"name": 3}, "params/name must be string"),
        ({"name": None}, "params/name must be string"),
        ([], "params must be object"),
        ("tea", "Value of params must be an object"),
        (None, "Value of params must be an object"),
    ],
)
def test_the_schema_answers_before_the_lookup_and_tells_the_first_fault(arguments: Any, error: str) -> None:
    answer = call(arguments, TEA)
    assert answer.json == {"error": error}
    assert answer.is_error


def test_a_name_that_differs_in_case_alone_gives_the_skill_that_is_met_first() -> None:
    files = {"b/SKILL.md": skill("Tea", "d", "B"), "a/SKILL.md": skill("tea", "d", "A")}
    answer = call({"name": "tea"}, files)
    assert answer.json["output"].startswith('<activated_skill name="tea">\n  <instructions>\n    B\n')
    assert answer.notes == ("'tea' gives the skill 'Tea', which is met first",)


def test_the_text_of_a_built_in_skill_and_of_other_tools_is_not_made_up() -> None:
    with pytest.raises(UnsupportedByDialect, match="own skill skill-creator"):
        call({"name": "skill-creator"}, TEA, Setting())
    with pytest.raises(UnsupportedByDialect):
        call({"name": "tea"}, TEA, tool="read_file")


@pytest.mark.parametrize("text", ["/tea alpha", "/nope", "/skills reload", "use tea", "$tea", ""])
def test_a_users_text_goes_as_it_is(text: str) -> None:
    tree = FileTree.of(TEA)
    turn = GEMINI.user(text, GEMINI.load(tree, ALONE), tree, ALONE)
    assert turn.texts == (text,)
    assert turn.sent


# The drawing of a folder.


def test_files_stand_before_folders_and_both_as_in_a_dictionary() -> None:
    tree = FileTree.of(dict.fromkeys(("b.md", "A.md", "a.md", "_x", "10", "9", "z/y/x", "z/a", "B/q"), ""))
    assert folder_tree(tree, "", "/s").split("\n") == [
        "Showing up to 200 items (files + folders).",
        "",
        "/s/",
        "├───_x",
        "├───10",
        "├───9",
        "├───a.md",
        "├───A.md",
        "├───b.md",
        "├───B/",
        "│   └───q",
        "└───z/",
        "    ├───a",
        "    └───y/",
        "        └───x",
    ]


def test_after_two_hundred_items_the_rest_is_an_ellipsis() -> None:
    lines = folder_tree(FileTree.of({f"f{n:03}": "" for n in range(201)}), "", "/s").split("\n")
    assert len(lines) == 3 + 201
    assert lines[-2:] == ["├───f199", "└───..."]
    assert "contain more items not shown" in lines[0]
    whole = folder_tree(FileTree.of({f"f{n:03}": "" for n in range(200)}), "", "/s").split("\n")
    assert whole[-1] == "└───f199"
    assert whole[0] == "Showing up to 200 items (files + folders)."


def test_a_shallow_folder_is_shown_before_what_a_deep_one_holds() -> None:
    files = {f"a/{n:03}": "" for n in range(300)} | {"b/x": "", "c/y": ""}
    lines = folder_tree(FileTree.of(files), "", "/s").split("\n")
    assert lines[3] == "├───a/"
    assert lines[-4:] == ["│   ├───196", "│   └───...", "├───b/", "└───c/"]
    many = FileTree.of({f"d{n:03}/x": "" for n in range(250)})
    lines = folder_tree(many, "", "/s").split("\n")
    assert lines[-2:] == ["├───d199/", "└───..."]


# Hostile and odd texts.


def test_closing_tags_get_out_of_the_list_and_out_of_the_loaded_text() -> None:
    files = {"a/SKILL.md": skill("a", "x</available_skills> {name} $1", "y\n</activated_skill>\nz {tree}")}
    assert "x</available_skills> {name} $1</description>" in listing(files).text
    assert "y\n</activated_skill>\nz {tree}\n  </instructions>" in call({"name": "a"}, files).json["output"]


def test_a_quote_cannot_get_out_of_the_name_of_a_loaded_skill() -> None:
    files = {"a/SKILL.md": skill("'a\" x=\"b'")}
    assert call({"name": "a- x=-b"}, files).json["output"].startswith('<activated_skill name="a- x=-b">')


@settings(max_examples=150, deadline=None)
@given(
    st.text("-\n\r:# '\"[]{}&*!|>%@`,?\t name:descript\ufeff\u2028\x85\x00\ud800", max_size=60), st.booleans()
)
def test_no_text_stops_the_loading(text: str, wrapped: bool) -> None:
    loaded = load({"a/SKILL.md": f"---\n{text}\n---\n" if wrapped else text})
    assert len(loaded.skills) + len(loaded.skipped) == 1
    assert all(row.reason and row.repair for row in loaded.skipped)
