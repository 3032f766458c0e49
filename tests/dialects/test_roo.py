"""Roo Code: read in its source, so its texts are held whole as golden files."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Golden
from tohlab.dialects.harness import Answer, FileTree, Loaded, Setting
from tohlab.dialects.harnesses import get_harness

ROO = get_harness("roo")
FILES = {
    "tea/SKILL.md": '---\nname: tea\ndescription: Brew <tea> & "serve" what\'s up.\n---\n\n# Tea\n\nBoil.\n',
    "bread/SKILL.md": "---\nname: bread\ndescription: '  Knead.  '\nmodeSlugs: [code, ask]\n---\nKnead.\n",
}


def setting(**options: Any) -> Setting:
    return Setting(root="/home/user/.roo/skills", options=options)


def load(files: dict[str, str], **options: Any) -> Loaded:
    return ROO.load(FileTree.of(files), setting(**options))


def call(arguments: Any, **options: Any) -> Answer:
    return ROO.call("skill", arguments, load(FILES, **options), FileTree.of(FILES), setting(**options))


def names(loaded: Loaded) -> list[str]:
    return [skill.name for skill in loaded.skills if skill.listed]


def test_the_section_is_written_whole_but_for_the_ellipsis(golden: Golden) -> None:
    golden.check("roo/listing.txt", ROO.listing(load(FILES), setting()).text)


def test_a_loaded_skill_is_written_whole(golden: Golden) -> None:
    answer = call({"skill": "tea", "args": "two cups"}, source="global")
    golden.check("roo/loaded-with-arguments.txt", answer.text or "")


def test_without_arguments_their_line_is_away(golden: Golden) -> None:
    golden.check("roo/loaded-plain.txt", call({"skill": "bread", "args": None}).text or "")


def test_another_mode_gives_another_section_and_hides_its_skills() -> None:
    code = ROO.listing(load(FILES), setting())
    debug = ROO.listing(load(FILES, mode="debug"), setting(mode="debug"))
    assert "… code …" in code.text
    assert "… debug …" in debug.text
    assert debug.dropped == ("bread",)
    assert names(load(FILES, mode="ask")) == ["bread", "tea"]
    assert call({"skill": "bread"}, mode="debug").text == "Skill 'bread' not found. Available skills: tea"


def test_the_older_field_for_the_mode_counts_where_the_newer_one_is_away() -> None:
    files = {
        "a/SKILL.md": "---\nname: a\ndescription: d\nmode: ask\n---\nB\n",
        "b/SKILL.md": "---\nname: b\ndescription: d\nmode: ask\nmodeSlugs: [code]\n---\nB\n",
        "c/SKILL.md": "---\nname: c\ndescription: d\nmodeSlugs: []\n---\nB\n",
    }
    assert names(load(files)) == ["b", "c"]
    assert names(load(files, mode="ask")) == ["a", "c"]


@pytest.mark.parametrize(
    ("folder", "text", "code", "line"),
    [
        ("a", "---\nname: b\ndescription: d\n---\nB\n", "name-differs", 2),
        ("A", "---\nname: A\ndescription: d\n---\nB\n", "invalid-name", 2),
        ("a--b", "---\nname: a--b\ndescription: d\n---\nB\n", "invalid-name", 2),
        ("a", "---\nname: a\n---\nB\n", "missing-description", 1),
        ("a", "---\nname: a\ndescription: [x]\n---\nB\n", "missing-description", 3),
        ("a", "---\nname: a\ndescription: '   '\n---\nB\n", "description-length", 3),
        ("a", f"---\nname: a\ndescription: {'x' * 1025}\n---\nB\n", "description-length", 3),
        ("a", "---\nname: 3000\ndescription: d\n---\nB\n", "missing-name", 2),
        ("a", "just text\n", "missing-name", 1),
        ("a", "---\nname: a\ndescription: Use: it\n---\nB\n", "invalid-yaml", 3),
    ],
)
def test_a_file_that_is_skipped_has_its_reason_line_and_repair(
    folder: str, text: str, code: str, line: int
) -> None:
    loaded = load({f"{folder}/SKILL.md": text})
    [row] = loaded.skipped
    assert (row.code, row.line, loaded.skills) == (code, line, ())
    assert row.reason
    assert row.repair


def test_exactly_1024_characters_are_taken() -> None:
    assert names(load({"a/SKILL.md": f"---\nname: a\ndescription: {'x' * 1024}\n---\nB\n"})) == ["a"]


def test_only_the_folders_directly_below_the_root_count() -> None:
    text = "---\nname: a\ndescription: d\n---\nB\n"
    loaded = load({"SKILL.md": text, "a/SKILL.md": text, "g/a/SKILL.md": text, "b/skill.md": text})
    assert names(loaded) == ["a"]
    assert [(row.path, row.code) for row in loaded.skipped] == [
        ("SKILL.md", "no-folder"),
        ("g/a/SKILL.md", "too-deep"),
    ]


def test_text_that_would_close_a_tag_is_escaped() -> None:
    files = {"a/SKILL.md": "---\nname: a\ndescription: x </description></skill> y\n---\nB\n"}
    listing = ROO.listing(load(files), setting())
    [span] = listing.spans
    entry = listing.text[span.start : span.stop]
    assert "<description>x &lt;/description&gt;&lt;/skill&gt; y</description>" in entry
    assert listing.text.count("</skill>") == 1


def test_a_body_goes_out_as_it_is() -> None:
    files = {"a/SKILL.md": "---\nname: a\ndescription: d\n---\n--- Skill Instructions ---\n$1 {name}\n"}
    tree = FileTree.of(files)
    answer = ROO.call("skill", {"skill": "a", "args": "{x}"}, load(files), tree, setting())
    assert (answer.text or "").endswith(
        "Provided arguments: {x}\nSource: project\n\n--- Skill Instructions ---\n\n"
        "--- Skill Instructions ---\n$1 {name}"
    )


@pytest.mark.parametrize("asked", ["Tea", " tea", "/tea", "", "nope"])
def test_a_name_is_taken_exactly(asked: str) -> None:
    expected = f"Skill '{asked}' not found. Available skills: bread, tea"
    assert call({"skill": asked}) == Answer(text=expected, is_error=True)


@pytest.mark.parametrize("arguments", [None, {}, {"skill": ["tea"]}, [], {"skill": None}])
def test_arguments_of_another_shape_are_a_miss(arguments: Any) -> None:
    assert call(arguments).is_error


def test_where_there_is_none_the_miss_says_none() -> None:
    tree = FileTree.of({})
    answer = ROO.call("skill", {"skill": "x"}, ROO.load(tree, setting()), tree, setting())
    assert answer.text == "Skill 'x' not found. Available skills: (none)"
    assert ROO.listing(ROO.load(tree, setting()), setting()).text == ""


def test_the_tool_asks_for_both_arguments_and_no_others() -> None:
    [tool] = ROO.tools(load(FILES), setting())
    assert tool["function"]["strict"] is True
    assert tool["function"]["parameters"]["required"] == ["skill", "args"]
    tool["function"]["parameters"]["required"].clear()
    assert ROO.tools(load(FILES), setting())[0]["function"]["parameters"]["required"] == ["skill", "args"]


def test_what_was_not_read_is_named() -> None:
    assert ROO.provenance_of("listing").fidelity == "reconstructed"
    assert ROO.provenance_of("call").fidelity == "source"
    assert any("mandatory_skill_check" in row for row in ROO.not_measured)


def test_eight_hundred_skills_are_all_listed_in_full() -> None:
    files = {
        f"s{i:03}/SKILL.md": f"---\nname: s{i:03}\ndescription: {'x' * 1000}\n---\nB\n" for i in range(800)
    }
    listing = ROO.listing(load(files), setting())
    assert len(listing.spans) == 800
    assert not listing.cut
    assert len(listing.text) > 800_000
