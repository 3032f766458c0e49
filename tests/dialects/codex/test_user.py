"""Codex: `$name` in a user's text."""

from __future__ import annotations

import pytest

from tests.dialects.codex.driver import CODEX, SETTING, load, sent, skill
from tohlab.dialects.harness import FileTree

NAMED = {
    "no-place/SKILL.md": skill("no-place"),
    "empty-body/SKILL.md": skill("empty-body"),
    "g/SKILL.md": skill("grp:leaf"),
    "s/SKILL.md": skill("grp/leaf"),
    "n/SKILL.md": skill("na\u00efve-name"),
    "t1/SKILL.md": skill("twin"),
    "t2/SKILL.md": skill("twin"),
    "h/SKILL.md": skill("home"),
}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("$no-place", ["no-place"]),
        ("\\$no-place", ["no-place"]),
        ("a$no-place", ["no-place"]),
        ("```\n$no-place\n```", ["no-place"]),
        ("$no-place, $empty-body!", ["empty-body", "no-place"]),
        ("$$no-place", ["no-place"]),
        ("$No-Place", []),
        ("$no-places", []),
        ("$ no-place", []),
        ("$", []),
        ("$grp:leaf", ["grp:leaf"]),
        ("$grp:leaf:", []),
        ("$grp/leaf", []),
        ("$na\u00efve-name", []),
        ("$twin", []),
        ("$home $HOME $Home", []),
        ("[$no-place](<ROOT>/no-place/SKILL.md)", ["no-place"]),
        ("[$no-place] \n( <ROOT>/no-place/SKILL.md )", ["no-place"]),
        ("[$anything](skill://<ROOT>/no-place/SKILL.md)", ["no-place"]),
        ("[$twin](<ROOT>/t2/SKILL.md)", ["twin"]),
        ("[$no-place](r0/no-place/SKILL.md)", []),
        ("[$no-place](no-place/SKILL.md)", []),
        ("[$no-place](app://x)", []),
        ("[$no-place]()", ["no-place"]),
        ("[$no-place](  )", ["no-place"]),
        ("[$no-place](<ROOT>/no-place/SKILL.md", ["no-place"]),
        ("[$home](<ROOT>/no-place/SKILL.md)", []),
        ("$empty-body [$x](<ROOT>/no-place/SKILL.md)", ["no-place", "empty-body"]),
        ("$no-place [$no-place](<ROOT>/no-place/SKILL.md)", ["no-place"]),
    ],
)
def test_a_name_after_a_dollar_or_a_link_sends_the_file(text: str, names: list[str]) -> None:
    assert sent(text, NAMED) == names


def test_a_skill_is_sent_with_its_frontmatter_and_its_line_ends() -> None:
    files = {"a/SKILL.md": skill("a").replace("\n", "\r\n")}
    tree = FileTree.of(files)
    turn = CODEX.user("$a", CODEX.load(tree, SETTING), tree, SETTING)
    assert turn.texts[1] == (
        "<skill>\n<name>a</name>\n<path><ROOT>/a/SKILL.md</path>\n"
        "---\r\nname: a\r\ndescription: d\r\n---\r\n\r\nDo it.\r\n\n</skill>"
    )
    assert turn.notes == ()


def test_a_note_says_that_a_long_description_is_sent_as_it_is() -> None:
    files = {"a/SKILL.md": skill("a", "x" * 1_025)}
    tree = FileTree.of(files)
    turn = CODEX.user("$a", CODEX.load(tree, SETTING), tree, SETTING)
    assert "more than 1024 characters" in turn.notes[0]


def test_two_skills_of_one_name_are_both_listed_and_a_note_says_what_that_costs() -> None:
    loaded = load({"a/SKILL.md": skill("twin"), "b/SKILL.md": skill("twin")})
    assert [one.path for one in loaded.skills] == ["a/SKILL.md", "b/SKILL.md"]
    assert loaded.notes == ("2 skills are named 'twin': all are listed, and $twin loads none of them",)
