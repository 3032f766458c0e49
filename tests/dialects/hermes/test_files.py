"""Hermes Agent: a reader that takes nearly everything."""

from __future__ import annotations

import pytest

from tests.dialects.hermes.driver import block, call, load, skill


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("words\n", "    - x"),
        ("", "    - x"),
        ("---\nname: a\ndescription: d\n", "    - x"),
        ("---\nname: a\ndescription: d\n---", "    - x"),
        ("---\nname: a\ndescription: d\n--- \nB\n", "    - a: d"),
        ("\ufeff---\nname: a\ndescription: d\n---\nB\n", "    - a: d"),
        ("---\r\nname: a\r\ndescription: d\r\n---\r\nB\r\n", "    - a: d"),
        ("---\nname: a\ndescription: Use: it\n---\nB\n", "    - a: Use: it"),
        ('---\nname: "a"\ndescription: Use: it\n---\nB\n', '    - "a": Use: it'),
        ("---\nname: a\ndescription: one\ndescription: two\n---\nB\n", "    - a: two"),
        ("---\nname: a\ndescription: [x, y]\n---\nB\n", "    - a: ['x', 'y']"),
        ("---\nname: 3000\ndescription: d\n---\nB\n", "    - 3000: d"),
        ("---\nname: yes\ndescription: d\n---\nB\n", "    - True: d"),
        ("---\nname:\ndescription:\n---\nB\n", "    - None"),
        ("---\nname: a\ndescription: \"'quoted'\"\n---\nB\n", "    - a: quoted"),
        ("---\nname: a\ndescription: 2026-01-02\n---\nB\n", "    - a: 2026-01-02"),
    ],
)
def test_a_file_is_listed_whatever_is_wrong_with_it(text: str, line: str) -> None:
    assert block({"x/SKILL.md": text}) == f"  x:\n{line}\n"


def test_what_was_lost_in_reading_is_noted() -> None:
    files: dict[str, str | bytes] = {
        "a/SKILL.md": "words\n",
        "b/SKILL.md": "---\nname: b\ndescription: Use: it\n---\nB\n",
        "c/SKILL.md": skill("7"),
        "d/SKILL.md": b"\xff\n",
        "e/SKILL.md": skill("'a b:c'"),
    }
    assert [note.partition(": ")[0] for note in load(files).notes[:2]] == ["a/SKILL.md", "b/SKILL.md"]
    assert "only 'c' loads it" in load(files).notes[2]
    assert "skill_view cannot read it" in load(files).notes[3]
    assert "which skill_view refuses: Invalid namespace 'a b'" in load(files).notes[4]
    assert [found.name for found in load(files).skills if not found.model_loads] == ["7", "d", "a b:c"]


def test_a_name_that_is_a_number_is_listed_and_not_found() -> None:
    files: dict[str, str | bytes] = {"x/SKILL.md": skill("3000")}
    assert "- 3000: d" in block(files)
    assert call(files, name="3000")["error"] == "Skill '3000' not found."
    assert call(files, name="x")["name"] == 3000
    assert call(files, tool="skills_list")["skills"] == []


def test_folders_of_tools_and_of_a_skill_are_not_walked_into() -> None:
    files: dict[str, str | bytes] = {
        "a/SKILL.md": skill("a"),
        "a/references/old/SKILL.md": skill("old"),
        "a/more/SKILL.md": skill("more"),
        "node_modules/n/SKILL.md": skill("n"),
        "scripts/s/SKILL.md": skill("s"),
        "low/skill.md": skill("low"),
    }
    loaded = load(files)
    assert [found.name for found in loaded.skills] == ["a", "more", "s"]
    assert [(row.path, row.code, row.silent) for row in loaded.skipped] == [
        ("a/references/old/SKILL.md", "excluded-folder", True),
        ("low/skill.md", "file-name", True),
        ("node_modules/n/SKILL.md", "excluded-folder", True),
    ]


def test_yaml_that_would_fill_the_memory_is_read_line_by_line() -> None:
    rows = ["a: &a [x,x,x,x,x,x,x,x,x,x]"]
    rows += [f"{n}: &{n} [{','.join(['*' + p] * 10)}]" for p, n in zip("abcdefgh", "bcdefghi", strict=True)]
    files: dict[str, str | bytes] = {"x/SKILL.md": "\n".join(("---", "name: bomb", *rows, "---", "B", ""))}
    assert block(files) == "  x:\n    - bomb\n"
