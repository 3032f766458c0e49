"""Gemini CLI: two readers in turn."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dialects.gemini_cli.driver import ALONE, GEMINI, load, skill
from tohlab.dialects.gemini_cli.reading import line_fields
from tohlab.dialects.harness import FileTree, Skipped


def only_skipped(text: str) -> Skipped:
    loaded = load({"x/SKILL.md": text})
    assert loaded.skills == ()
    [row] = loaded.skipped
    return row


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
