"""Gemini CLI: a lookup behind a schema, the drawing of a folder, and odd texts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.dialects.gemini_cli.driver import ALONE, GEMINI, call, listing, load, skill
from tohlab.dialects.folder_tree import folder_tree
from tohlab.dialects.harness import FileTree, Setting
from tohlab.errors import UnsupportedByDialect

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
