"""pi: how a file is read, and what a bad one gives."""

from __future__ import annotations

import pytest

from tests.dialects.pi.driver import SETTING, TWO, listed, load, pi, skill
from tohlab.dialects.harness import FileTree, Setting
from tohlab.dialects.pi import ROOTS


@pytest.mark.parametrize(
    ("text", "code", "reason", "line", "repair"),
    [
        (
            skill("a", "Use it: now"),
            "invalid-yaml",
            "Nested mappings are not allowed in compact mappings at line 2, column 14:\n\n"
            "description: Use it: now\n             ^\n",
            3,
            "put the value of description in quotes, or on an indented line of its own after"
            " `description: >-`",
        ),
        (
            skill("a", more="name: b\n"),
            "invalid-yaml",
            "Map keys must be unique at line 3, column 1:\n\ndescription: Does it.\nname: b\n^\n",
            4,
            "keep one of the two and remove the other",
        ),
        ("# Words\n", "missing-description", "description is required", 1,
         "start the file with a line ---, then name and description, then a line ---"),
        ("---\nname: a\n---\n", "missing-description", "description is required", 1,
         "add a line `description: …` to the frontmatter"),
        (skill("a", '" "'), "missing-description", "description is required", 3, "give description a text"),
        (skill("a", "\n  - b"), "missing-description", "description is required", 3,
         "give description a text"),
        (skill("a", "3"), "missing-description", "description is required", 3, "give description a text"),
        ("---\nwords\n---\n", "missing-description", "description is required", 1,
         "start the file with a line ---, then name and description, then a line ---"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_taken_has_reason_line_and_repair(
    text: str, code: str, reason: str, line: int, repair: str
) -> None:
    loaded = load({"a/SKILL.md": text})
    assert loaded.skills == ()
    [skipped] = loaded.skipped
    assert (skipped.code, skipped.reason, skipped.line, skipped.silent) == (code, reason, line, False)
    assert skipped.repair == repair


@pytest.mark.parametrize(
    ("name", "description", "notes"),
    [
        ("Upper", "x", ["name contains invalid characters (must be lowercase a-z, 0-9, hyphens only)"]),
        ("-a", "x", ["name must not start or end with a hyphen"]),
        ("a--b", "x", ["name must not contain consecutive hyphens"]),
        ("a" * 65, "x", ["name exceeds 64 characters (65)"]),
        ("a", "🌊" * 513, ["description exceeds 1024 characters (1026)"]),
        ("a", "x" * 1024, []),
    ],
)
def test_a_bad_name_and_a_long_description_are_warnings_alone(
    name: str, description: str, notes: list[str]
) -> None:
    loaded = load({"a/SKILL.md": skill(name, description)})
    assert [s.name for s in loaded.skills] == [name]
    assert list(loaded.notes) == [f"a/SKILL.md: {note}" for note in notes]
    assert description in listed({"a/SKILL.md": skill(name, description)})


@pytest.mark.parametrize("field", ["", "name:\n", "name: 3\n", 'name: ""\n'])
def test_a_name_that_is_no_text_is_the_folders(field: str) -> None:
    texts = {
        "a-folder/SKILL.md": f"---\n{field}description: x\n---\n",
        "flat.md": "---\ndescription: x\n---\n",
    }
    assert [s.name for s in load(texts, Setting(root="/the/kit")).skills] == ["a-folder", "kit"]


def test_the_first_of_two_equal_names_is_kept_and_the_other_named() -> None:
    loaded = load({"b/SKILL.md": skill("twin", "B."), "a/SKILL.md": skill("twin", "A.")})
    assert [s.path for s in loaded.skills] == ["a/SKILL.md"]
    assert loaded.skipped[0].reason == 'name "twin" collision'
    assert loaded.notes == ('b/SKILL.md: name "twin" collision',)


def four_roots() -> FileTree:
    folders = [root.folder for root in ROOTS]
    return FileTree.of(
        {f"{folder}/twin/SKILL.md": skill("twin", f"Copy {at}.") for at, folder in enumerate(folders)}
        | {f"{folder}/only-{at}/SKILL.md": skill(f"only-{at}") for at, folder in enumerate(folders)}
    )


def test_the_strongest_root_wins_and_each_root_is_listed_after_the_one_before() -> None:
    loaded = pi().load(four_roots(), Setting(root="", options={"roots": ROOTS}))
    assert [s.name for s in loaded.skills] == ["only-0", "twin", "only-1", "only-2", "only-3"]
    assert loaded.skills[1].path == "project/.pi/skills/twin/SKILL.md"
    assert [s.code for s in loaded.skipped] == ["duplicate-name"] * 3


def test_a_project_that_is_not_trusted_has_no_skills() -> None:
    setting = Setting(root="", options={"roots": ROOTS, "trusted": False})
    loaded = pi().load(four_roots(), setting)
    assert [s.path for s in loaded.skills] == [
        "home/.pi/agent/skills/only-2/SKILL.md",
        "home/.pi/agent/skills/twin/SKILL.md",
        "home/.agents/skills/only-3/SKILL.md",
    ]
    project = FileTree.of({"project/.pi/skills/a/SKILL.md": skill("a")})
    assert pi().listing(pi().load(project, setting), setting).text == ""


def test_a_change_is_ignored_while_a_session_runs_and_ends_the_prefix_at_its_entry_on_resume() -> None:
    assert (pi().on_change, pi().on_resume) == ("ignored", "rewrite")
    before, after = listed(TWO), listed({"b/SKILL.md": TWO["b/SKILL.md"]})
    same = next(at for at, (one, two) in enumerate(zip(before, after, strict=False)) if one != two)
    assert before[same:].startswith("a</name>")
    loaded = load(TWO)
    turn = pi().user("/skill:new-one arg", loaded, FileTree.of(TWO), SETTING)
    assert turn.texts == ("/skill:new-one arg",)


def test_no_skill_changes_the_tools() -> None:
    [tool] = pi().tools(load(TWO), SETTING)
    assert [tool] == list(pi().tools(load({}), SETTING))
    assert not pi().names_in_tool
    tool["function"]["description"] = "changed by its owner"
    assert pi().tools(load({}), SETTING)[0]["function"]["description"].startswith("Read the contents")
    assert pi().tools(load(TWO), Setting(tools=("bash",))) == ()


@pytest.mark.parametrize("text", [skill("a"), "\ufeff" + skill("a"), skill("a").replace("\n", "\r\n")])
def test_a_byte_order_mark_and_line_ends_do_not_matter_to_the_list_but_are_read_as_they_stand(
    text: str,
) -> None:
    texts = {"a/SKILL.md": text}
    loaded = load(texts)
    assert [s.name for s in loaded.skills] == ["a"]
    answer = pi().call("read", {"path": "/s/a/SKILL.md"}, loaded, FileTree.of(texts), SETTING)
    assert answer.text == text
    turn = pi().user("/skill:a", loaded, FileTree.of(texts), SETTING)
    assert turn.texts[0].endswith("\n\nBody.\n</skill>")


@pytest.mark.parametrize(
    ("block", "name"),
    [
        ("---\nname: a\ndescription: x\n----\nrest", "a"),
        ("---x\nname: a\ndescription: x\n---\n", "a"),
        ("---xy\nname: a\ndescription: x\n---\n", None),
        ("--- \nname: a\ndescription: x\n---\n", "a"),
        ("---\nname: a\ndescription: |\n  x\n---\n  y\n---\n", "a"),
        ("---\n---\nname: a\n", None),
        ("---\nname: a\ndescription: x\n", None),
        (" ---\nname: a\ndescription: x\n---\n", None),
    ],
)
def test_the_frontmatter_ends_at_the_first_line_that_begins_with_three_hyphens(
    block: str, name: str | None
) -> None:
    assert [s.name for s in load({"a/SKILL.md": block}).skills] == ([name] if name else [])
