"""Codex: the developer message, its roots and its order."""

from __future__ import annotations

import pytest

from tests.dialects.codex.driver import CODEX, entries, listing, load, sent, skill
from tohlab.dialects.codex import ROOTS_OF_CODEX
from tohlab.dialects.codex.texts import BASE_POLICY, POLICY
from tohlab.dialects.harness import FileTree, Listing, Setting


def test_the_roots_have_aliases_in_the_order_in_which_they_are_looked_into() -> None:
    folders = {
        "project/.codex/skills": 0,
        "project/.agents/skills": 1,
        "home/.agents/skills": 2,
        "home/.codex/skills": 3,
        "project/.claude/skills": 4,
    }
    files = {f"{folder}/only-{n}/SKILL.md": skill(f"only-{n}") for folder, n in folders.items()}
    files |= {f"{folder}/twin/SKILL.md": skill("twin", folder) for folder in folders}
    text = listing(files, root="/r", options={"roots": ROOTS_OF_CODEX}).text
    assert text.split("\n")[3:] == [
        "### Skill roots",
        "- `r0` = `/r/project/.codex/skills`",
        "- `r1` = `/r/home/.codex/skills`",
        "- `r2` = `/r/home/.agents/skills`",
        "- `r3` = `/r/project/.agents/skills`",
        "### Available skills",
        "- only-0: d (file: r0/only-0/SKILL.md)",
        "- only-1: d (file: r3/only-1/SKILL.md)",
        "- twin: project/.agents/skills (file: r3/twin/SKILL.md)",
        "- twin: project/.codex/skills (file: r0/twin/SKILL.md)",
        "- only-2: d (file: r2/only-2/SKILL.md)",
        "- only-3: d (file: r1/only-3/SKILL.md)",
        "- twin: home/.agents/skills (file: r2/twin/SKILL.md)",
        "- twin: home/.codex/skills (file: r1/twin/SKILL.md)",
        "</skills_instructions>",
    ]


def test_the_list_has_the_systems_and_admins_skills_first_and_a_text_sends_the_projects_first() -> None:
    files = {
        "home/.codex/skills/.system/s/SKILL.md": skill("sys"),
        "etc/codex/skills/a/SKILL.md": skill("adm"),
        "project/.agents/skills/p/SKILL.md": skill("pro"),
        "home/.agents/skills/u/SKILL.md": skill("use"),
    }
    setting = Setting(options={"roots": ROOTS_OF_CODEX})
    loaded = load(files, setting)
    assert loaded.skipped == ()
    assert [line.split(":")[0] for line in entries(CODEX.listing(loaded, setting).text)] == [
        "- sys",
        "- adm",
        "- pro",
        "- use",
    ]
    turn = CODEX.user("$adm $sys $use $pro", loaded, FileTree.of(files), setting)
    assert [text.split("\n")[1] for text in turn.texts[1:]] == [
        "<name>pro</name>",
        "<name>use</name>",
        "<name>sys</name>",
        "<name>adm</name>",
    ]


def test_names_are_ordered_by_their_bytes() -> None:
    names = ["zeta", "alpha", "Mid", "beta-10", "beta-2", "beta_1", "_lead"]
    found = load({f"{name}/SKILL.md": skill(name) for name in names})
    assert [one.name for one in found.skills] == [
        "Mid",
        "_lead",
        "alpha",
        "beta-10",
        "beta-2",
        "beta_1",
        "zeta",
    ]


def test_without_a_skill_to_list_nothing_is_said() -> None:
    assert listing({}) == Listing(text="", place="developer")
    hidden = {"a/SKILL.md": skill("a"), "a/agents/openai.yaml": "policy: {allow_implicit_invocation: false}"}
    assert listing(hidden) == Listing(text="", place="developer", dropped=("a",))


def test_the_flags_of_other_programs_hide_nothing() -> None:
    text = skill("a", "d", "disable-model-invocation: true", "user-invocable: false")
    assert len(entries(listing({"a/SKILL.md": text}).text)) == 1


@pytest.mark.parametrize(
    ("side", "listed"),
    [
        ("policy:\n  allow_implicit_invocation: false\n", False),
        ("policy:\n  allow_implicit_invocation: true\n", True),
        (
            "policy:\n  allow_implicit_invocation: no\n",
            True,
        ),  # no boolean in YAML 1.2: the file does not count
        ('policy:\n  allow_implicit_invocation: "false"\n', True),
        ("interface:\n  display_name: [a]\npolicy:\n  allow_implicit_invocation: false\n", True),
        ("interface:\n  display_name: A: B\npolicy:\n  allow_implicit_invocation: false\n", True),
        ("interface:\n  short_description: Short\n", True),
        ("", True),
    ],
)
def test_a_side_file_hides_a_skill_from_the_list_but_not_from_a_user(side: str, listed: bool) -> None:
    files = {"a/SKILL.md": skill("a"), "a/agents/openai.yaml": side}
    assert load(files).skills[0].listed is listed
    assert sent("$a", files) == ["a"]


@pytest.mark.parametrize(
    ("model", "place"),
    [
        (None, "nowhere"),
        ("my-model", "nowhere"),
        ("gpt-4.1", "nowhere"),
        ("gpt-5.5", "list"),
        ("gpt-5.5-codex", "list"),
        ("gpt-5.6", "base-instructions"),
        ("gpt-5.6-luna", "base-instructions"),
        ("gpt-6-astra", "base-instructions"),
        ("codex-auto-review", "base-instructions"),
    ],
)
def test_where_a_model_is_told_how_to_use_skills_depends_on_its_family(model: str | None, place: str) -> None:
    setting = Setting(model=model)
    assert CODEX.policy_place(model) == place
    text = listing({"a/SKILL.md": skill("a")}, model=model).text
    assert text.endswith(f"(file: r0/a/SKILL.md)\n{POLICY}\n</skills_instructions>") is (place == "list")
    assert CODEX.base_policy(setting) == (BASE_POLICY if place == "base-instructions" else "")


def test_a_change_gives_the_whole_list_anew_and_nothing_that_says_so() -> None:
    before = {"a/SKILL.md": skill("a"), "b/SKILL.md": skill("b")}
    after = {**before, "ab/SKILL.md": skill("ab", "Added between turns.")}
    assert CODEX.on_change == CODEX.on_resume == "append"
    assert entries(listing(after).text) == [
        "- a: d (file: r0/a/SKILL.md)",
        "- ab: Added between turns. (file: r0/ab/SKILL.md)",
        "- b: d (file: r0/b/SKILL.md)",
    ]
    removed = {"b/SKILL.md": skill("b")}
    assert listing(removed).text.startswith("<skills_instructions>\n## Skills\nA skill is a set of")
