"""Roo Code: read in its source, so its texts are held whole as golden files."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import Golden
from tohlab.dialects.harness import Answer, FileTree, Loaded, Setting
from tohlab.dialects.harnesses import get_harness
from tohlab.dialects.roo.reading import roots_of_modes
from tohlab.errors import UnsupportedByDialect

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


def error(answer: Answer) -> Any:
    assert answer.is_error
    said = json.loads(answer.text or "")
    assert (said["status"], said["message"]) == ("error", "The tool execution failed")
    return said["error"]


def names(loaded: Loaded) -> list[str]:
    return [skill.name for skill in loaded.skills if skill.listed]


def test_the_section_is_written_whole(golden: Golden) -> None:
    golden.check("roo/listing.txt", ROO.listing(load(FILES), setting()).text)


def test_a_loaded_skill_is_written_whole(golden: Golden) -> None:
    answer = call({"skill": "tea", "args": "two cups"}, source="global")
    golden.check("roo/loaded-with-arguments.txt", answer.text or "")


def test_without_arguments_their_line_is_away(golden: Golden) -> None:
    golden.check("roo/loaded-plain.txt", call({"skill": "bread", "args": None}).text or "")


def test_another_mode_gives_another_section_and_hides_its_skills() -> None:
    code = ROO.listing(load(FILES), setting())
    debug = ROO.listing(load(FILES, mode="debug"), setting(mode="debug"))
    assert code.text.count("code") == 2
    assert 'for the current mode: "debug".' in debug.text
    assert "come from skills-debug/ with" in debug.text
    assert debug.dropped == ("bread",)
    assert names(load(FILES, mode="ask")) == ["bread", "tea"]
    assert error(call({"skill": "bread"}, mode="debug")) == "Skill 'bread' not found. Available skills: tea"


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
        ("a" * 65, f"---\nname: {'a' * 65}\ndescription: d\n---\nB\n", "name-too-long", 2),
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


@pytest.mark.parametrize("asked", ["Tea", " tea", "/tea", "nope"])
def test_a_name_is_taken_exactly(asked: str) -> None:
    assert error(call({"skill": asked})) == f"Skill '{asked}' not found. Available skills: bread, tea"


@pytest.mark.parametrize("arguments", [None, {}, [], {"skill": None}, {"skill": ""}])
def test_a_call_without_a_name_is_told_how_tools_are_used(arguments: Any, golden: Golden) -> None:
    golden.check("roo/missing-name.txt", call(arguments).text or "")


@pytest.mark.parametrize("arguments", [{"skill": ["tea"]}, {"skill": 5}, {"skill": "tea", "args": 5}])
def test_arguments_that_are_no_texts_are_not_its_own(arguments: Any) -> None:
    with pytest.raises(UnsupportedByDialect, match="no arguments but texts"):
        call(arguments)


def test_where_there_is_none_the_miss_says_none() -> None:
    tree = FileTree.of({})
    answer = ROO.call("skill", {"skill": "x"}, ROO.load(tree, setting()), tree, setting())
    assert error(answer) == "Skill 'x' not found. Available skills: (none)"
    assert ROO.listing(ROO.load(tree, setting()), setting()).text == ""


def test_the_tool_asks_for_both_arguments_and_no_others() -> None:
    [tool] = ROO.tools(load(FILES), setting())
    assert tool["function"]["strict"] is True
    assert tool["function"]["parameters"]["required"] == ["skill", "args"]
    tool["function"]["parameters"]["required"].clear()
    assert ROO.tools(load(FILES), setting())[0]["function"]["parameters"]["required"] == ["skill", "args"]


def test_the_tool_is_described_whole(golden: Golden) -> None:
    golden.check("roo/tool.json", json.dumps(ROO.tools(load(FILES), setting()), indent=2) + "\n")


def test_a_project_goes_before_the_user_and_a_modes_own_folder_before_the_general_one() -> None:
    roots = roots_of_modes("code", "ask")
    files = {
        f"{root.folder}/twin/SKILL.md": f"---\nname: twin\ndescription: {root.folder}\n---\nB\n"
        for root in roots
    }
    files |= {
        f"{root.folder}/only-{n}/SKILL.md": f"---\nname: only-{n}\ndescription: d\n---\nB\n"
        for n, root in enumerate(roots)
    }
    assert [root.folder for root in roots] == [
        "project/.roo/skills-code",
        "project/.roo/skills-ask",
        "project/.roo/skills",
        "home/.roo/skills-code",
        "home/.roo/skills-ask",
        "home/.roo/skills",
    ]

    def listed(mode: str, **more: Any) -> list[tuple[str, str | None]]:
        loaded = load(files, roots=roots, mode=mode, **more)
        return [(skill.name, skill.description) for skill in loaded.skills if skill.listed]

    assert listed("code") == [
        ("only-5", "d"),
        ("twin", "project/.roo/skills-code"),
        ("only-3", "d"),
        ("only-2", "d"),
        ("only-0", "d"),
    ]
    assert dict(listed("ask"))["twin"] == "project/.roo/skills-ask"
    assert dict(listed("debug"))["twin"] == "project/.roo/skills"
    assert dict(listed("debug", trusted=False))["twin"] == "home/.roo/skills"


def test_a_loaded_skill_says_whether_it_is_the_projects() -> None:
    files = {
        f"{base}/.roo/skills/{base}/SKILL.md": f"---\nname: {base}\ndescription: d\n---\nB\n"
        for base in ("project", "home")
    }
    tree, here = FileTree.of(files), setting(roots=roots_of_modes())
    loaded = ROO.load(tree, here)
    told = [ROO.call("skill", {"skill": name}, loaded, tree, here).text or "" for name in ("project", "home")]
    assert ["\nSource: project\n" in told[0], "\nSource: global\n" in told[1]] == [True, True]


def test_what_was_not_read_is_named() -> None:
    assert {ROO.provenance_of(part).fidelity for part in ("listing", "tools", "call", "load")} == {"source"}
    assert "nothing of it was run" in ROO.not_measured


def test_eight_hundred_skills_are_all_listed_in_full() -> None:
    files = {
        f"s{i:03}/SKILL.md": f"---\nname: s{i:03}\ndescription: {'x' * 1000}\n---\nB\n" for i in range(800)
    }
    listing = ROO.listing(load(files), setting())
    assert len(listing.spans) == 800
    assert not listing.cut
    assert len(listing.text) > 800_000
