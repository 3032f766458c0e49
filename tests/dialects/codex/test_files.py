"""Codex: which files load, and what is said of the others."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dialects.codex.driver import CODEX, SETTING, load, skill
from tohlab.dialects.codex.reading import with_prose_in_quotes
from tohlab.dialects.harness import FileTree, Skipped


def only_skipped(text: str) -> Skipped:
    loaded = load({"x/SKILL.md": text})
    assert loaded.skills == ()
    [row] = loaded.skipped
    return row


@pytest.mark.parametrize(
    ("text", "code", "reason", "line", "repair"),
    [
        ("# x\n", "missing-frontmatter", "missing YAML frontmatter delimited by ---", 1, "start the file"),
        ("\ufeff" + skill("x"), "missing-frontmatter", "missing YAML frontmatter", 1, "byte order mark"),
        ("---\n---\nbody\n", "missing-frontmatter", "missing YAML frontmatter", 2, "between the two"),
        ("---\nname: x\n", "missing-frontmatter", "missing YAML frontmatter", 2, "close the frontmatter"),
        ("---\nname: x\n---\n", "missing-description", "missing field `description`", 1, "add a line"),
        (
            skill("x", '""'),
            "missing-description",
            "missing field `description`",
            3,
            "give description a value",
        ),
        (skill("x", '"   "'), "missing-description", "missing field `description`", 3, "give description"),
        (
            skill("x", "~"),
            "missing-description",
            "missing field `description`",
            3,
            "give description a value",
        ),
        (
            skill("x", "\n  - one\n  - two"),
            "wrong-type",
            "invalid YAML: description: invalid type: sequence, expected a string at line 3 column 3",
            4,
            "one text",
        ),
        (
            skill("x", "a", "description: b"),
            "duplicate-key",
            "invalid YAML: duplicate field `description`",
            4,
            "keep one of the two",
        ),
        (
            skill("x", "a", "metadata: plain words"),
            "wrong-type",
            'invalid YAML: metadata: invalid type: string "plain words", expected struct '
            "SkillFrontmatterMetadata at line 3 column 11",
            4,
            "",
        ),
        (
            skill("x", '"open'),
            "invalid-yaml",
            "invalid YAML: found unexpected end of stream at line 2 column 19, while scanning a quoted",
            3,
            "",
        ),
        (
            skill("n" * 65),
            "name-too-long",
            "invalid name: exceeds maximum length of 64 characters",
            2,
            "shorten the name to 64 characters; it has 65",
        ),
        (
            skill("x", "bell \x07"),
            "invalid-yaml",
            "invalid YAML: control characters are not allowed at position 26",
            3,
            "",
        ),
    ],
)
def test_a_file_that_gives_no_skill_has_a_reason_a_line_and_a_repair(
    text: str, code: str, reason: str, line: int, repair: str
) -> None:
    row = only_skipped(text)
    assert (row.code, row.line, row.silent) == (code, line, False)
    assert row.reason.startswith(reason)
    assert row.repair
    assert repair in row.repair


def test_a_file_that_is_not_utf_8_is_refused_with_its_line() -> None:
    [row] = CODEX.load(
        FileTree({"x/SKILL.md": b"---\nname: x\ndescription: caf\xe9\n---\n"}), SETTING
    ).skipped
    assert (row.code, row.line) == ("not-utf-8", 3)
    assert row.reason == "failed to read file: stream did not contain valid UTF-8"


def test_a_file_that_cannot_be_read_is_told_and_stops_nothing(tmp_path: Any) -> None:
    for name in ("good", "gone"):
        (tmp_path / name).mkdir()
    (tmp_path / "good/SKILL.md").write_text(skill("good"))
    (tmp_path / "gone/SKILL.md").symlink_to(tmp_path / "nowhere")
    loaded = CODEX.load(FileTree.at(tmp_path), SETTING)
    assert [one.name for one in loaded.skills] == ["good"]
    assert [(row.path, row.code) for row in loaded.skipped] == [("gone/SKILL.md", "unreadable")]


@pytest.mark.parametrize(
    ("text", "name", "description"),
    [
        (" --- \nname: a\ndescription: d\n\t---\n", "a", "d"),
        ("---\r\nname: a\r\ndescription: |\r\n  One.\r\n  Two.\r\n---\r\n", "a", "One. Two."),
        ("---\nname: 3000\ndescription: 1.5\n---\n", "3000", "1.5"),
        ("---\nname: yes\ndescription: null words\n---\n", "yes", "null words"),
        ("---\ndescription: d\n---\n", "folder", "d"),
        ("---\nname:\ndescription: d\n---\n", "folder", "d"),
        ("---\nname: a\ndescription: x\u00a0\u2003y\u200bz\n---\n", "a", "x y\u200bz"),
        ("---\nname: a\ndescription: a --- b\n---\n", "a", "a --- b"),
        ("---\nname: a\ndescription: d\nversion: 1\nversion: 2\nmetadata:\n---\n", "a", "d"),
        ("---\nname: a\ndescription: Use it for this: that\n---\n", "a", "Use it for this: that"),
        ("---\nname: a\ndescription: it's so: don't\n---\n", "a", "it's so: don't"),
        ("---\nname: a\ndescription: one: two # three: four\n---\n", "a", "one: two"),
        ("---\nname: a\ndescription: d\nargument-hint: <duration: e.g. 7d>\n---\n", "a", "d"),
        ("---\nname: a\ndescription: [draft] tables\n---\n", "a", "[draft] tables"),
        ("---\nname: a\ndescription: @home things\n---\n", "a", "@home things"),
        ("---\nname: a\ndescription: >-\n  Fold: it\nnote: b: c\n---\n", "a", "Fold: it"),
    ],
)
def test_a_reader_that_forgives_prose(text: str, name: str, description: str) -> None:
    [found] = load({"folder/SKILL.md": text}).skills
    assert (found.name, found.description) == (name, description)


@pytest.mark.parametrize(
    "text",
    [
        "---\nname: a\ndescription: 'quoted' and: more\n---\n",
        "---\nname: a\ndescription: starts here\n  and says: more\n---\n",
        "---\nname: a\ndescription: [Read, Bash]\n---\n",
        "---\nname: a\ndescription: &x\n  *y\n---\n",
        "---\nname: a\n\tdescription: tab\n---\n",
    ],
)
def test_what_is_no_prose_on_one_line_is_not_repaired(text: str) -> None:
    assert only_skipped(text).reason.startswith("invalid YAML: ")


def test_prose_is_put_in_quotes_line_by_line_and_only_there() -> None:
    block = "a: b: c\nd: 'e: f'\ng: |\n  h: i: j\n\n  k: l: m\nn:o: p\nq: [r, s]\nt: [u\nv: w # x: y"
    assert with_prose_in_quotes(block) == (
        "a: 'b: c'\nd: 'e: f'\ng: |\n  h: i: j\n\n  k: l: m\nn:o: p\nq: [r, s]\nt: '[u'\nv: w # x: y"
    )
    assert with_prose_in_quotes("a: b\nc: d") is None


def test_folders_are_looked_into_six_levels_deep_but_not_hidden_ones() -> None:
    deep = "a/b/c/d/e/f"
    loaded = load(
        {
            "SKILL.md": skill("root"),
            f"{deep}/SKILL.md": skill("six"),
            f"{deep}/g/SKILL.md": skill("seven"),
            ".hidden/x/SKILL.md": skill("hidden"),
            "lower/skill.md": skill("lower"),
            "flat.md": skill("flat"),
        }
    )
    assert [one.name for one in loaded.skills] == ["root", "six"]
    assert {(row.path, row.code, row.silent) for row in loaded.skipped} == {
        (f"{deep}/g/SKILL.md", "too-deep", True),
        (".hidden/x/SKILL.md", "hidden-folder", True),
        ("lower/skill.md", "file-name", True),
    }
    assert all(row.repair for row in loaded.skipped)


def test_only_two_thousand_folders_are_looked_into() -> None:
    files = {f"s{n:04}/SKILL.md": skill(f"s{n:04}") for n in range(2_001)}
    loaded = load(files)
    assert len(loaded.skills) == 1_999
    assert [(row.path, row.code, row.silent) for row in loaded.skipped] == [
        ("s1999/SKILL.md", "too-many-folders", False),
        ("s2000/SKILL.md", "too-many-folders", False),
    ]
    assert "the order of the disk" in loaded.notes[0]


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"p/.codex-plugin/plugin.json": '{"name": "tools"}'}, "tools:a"),
        ({"p/.claude-plugin/plugin.json": '{"name": "  "}'}, "p:a"),
        ({"p/.claude-plugin/plugin.json": "{}", ".codex-plugin/plugin.json": '{"name": "all"}'}, "p:a"),
        (
            {"p/.claude-plugin/plugin.json": "not JSON", ".codex-plugin/plugin.json": '{"name": "all"}'},
            "all:a",
        ),
        ({"p/.claude-plugin/plugin.json": '{"name": 3}'}, "a"),
        ({"q/.claude-plugin/plugin.json": '{"name": "q"}'}, "a"),
    ],
)
def test_a_skill_inside_a_plugin_has_the_plugins_name_before_its_own(
    files: dict[str, str], name: str
) -> None:
    [found] = load({"p/skills/a/SKILL.md": skill("a"), **files}).skills
    assert found.name == name
