"""Hermes Agent: a list by category, and what hides a skill from it."""

from __future__ import annotations

import pytest

from tests.dialects.hermes.driver import block, call, listing, load, setting, skill


def gate(kind: str, value: str) -> tuple[str, ...]:
    return ("metadata:", "  hermes:", f"    {kind}: {value}")


def test_a_category_is_the_path_above_the_skill_and_its_own_text_stands_behind_it() -> None:
    files: dict[str, str | bytes] = {
        "SKILL.md": skill("root"),
        "one/SKILL.md": skill("one"),
        "ml/train/SKILL.md": skill("train"),
        "ml/deep/net/SKILL.md": skill("net"),
        "ml/DESCRIPTION.md": "---\ndescription: '\"Learning\"'\n---\n",
    }
    assert block(files) == (
        "  general:\n    - root: d\n  ml: Learning\n    - train: d\n"
        "  ml/deep:\n    - net: d\n  one:\n    - one: d\n"
    )


def test_categories_and_names_are_sorted_by_their_bytes() -> None:
    files: dict[str, str | bytes] = {
        f"{c}/{i}/SKILL.md": skill(n)
        for i, (c, n) in enumerate([("b", "z"), ("b", "Z"), ("a", "é"), ("B", "m"), ("a", "e")])
    }
    assert [span.label for span in listing(files).spans] == [
        f'entry "{n}"' for n in ("m", "e", "é", "Z", "z")
    ]


def test_every_entry_has_its_span_line_breaks_and_all() -> None:
    found = listing(
        {
            "a/SKILL.md": skill("a", description="|\n  one\n    two"),
            "b/SKILL.md": skill("b", description="''"),
        }
    )
    assert [found.text[span.start : span.stop] for span in found.spans] == ["    - a: one\n  two", "    - b"]


@pytest.mark.parametrize(("length", "shown"), [(59, 59), (60, 60), (61, 60), (5000, 60)])
def test_a_description_over_sixty_characters_is_cut_to_57_and_three_dots(length: int, shown: int) -> None:
    found = listing({"a/SKILL.md": skill("a", description="x" * length)})
    text = "x" * length if length <= 60 else "x" * 57 + "..."
    assert f"    - a: {text}\n" in found.text
    assert [(cut.before_chars, cut.after_chars) for cut in found.cut] == (
        [] if length <= 60 else [(length, shown)]
    )


def test_categories_can_be_listed_by_name_alone() -> None:
    files: dict[str, str | bytes] = {
        "cat/b/SKILL.md": skill("b"),
        "cat/a/SKILL.md": skill("a"),
        "cat/deep/c/SKILL.md": skill("c"),
        "dog/d/SKILL.md": skill("d"),
    }
    found = listing(files, setting(compact_categories=["cat"]))
    assert block(files, setting(compact_categories=["cat"])) == (
        "  cat [names only]: a, b\n  cat/deep [names only]: c\n  dog:\n    - d: d\n"
    )
    assert [found.text[span.start : span.stop] for span in found.spans] == ["a", "b", "c", "    - d: d"]
    assert found.text.endswith("load with skill_view(name) as usual.)")


def test_two_of_one_name_in_one_category_are_listed_once_and_in_two_twice() -> None:
    same: dict[str, str | bytes] = {
        "c/x/SKILL.md": skill("n", description="X"),
        "c/y/SKILL.md": skill("n", description="Y"),
    }
    assert block(same) == "  c:\n    - n: X\n"
    assert listing(same).dropped == ("n",)
    other: dict[str, str | bytes] = {
        "x/SKILL.md": skill("n", description="X"),
        "y/SKILL.md": skill("n", description="Y"),
    }
    assert block(other) == "  x:\n    - n: X\n  y:\n    - n: Y\n"
    assert any("skill_view refuses the bare name" in note for note in load(other).notes)


def test_without_skills_the_section_is_away() -> None:
    assert listing({}).text == ""
    assert listing({"README.md": "x"}).text == ""


def test_the_words_around_the_list_do_not_follow_the_tools() -> None:
    files: dict[str, str | bytes] = {"a/SKILL.md": skill("a")}
    texts = {
        listing(files, setting(tools)).text for tools in (None, ("skill_view",), ("terminal", "web_search"))
    }
    assert len(texts) == 1
    assert "basic tools like web_search or terminal" in texts.pop()


@pytest.mark.parametrize(
    ("kind", "value", "tools", "shown"),
    [
        ("requires_tools", "[terminal]", ("terminal",), True),
        ("requires_tools", "[terminal]", ("other",), False),
        ("requires_tools", "[terminal]", None, True),
        ("fallback_for_tools", "[terminal]", ("terminal",), False),
        ("fallback_for_tools", "[terminal]", ("other",), True),
        ("requires_toolsets", "[web]", ("terminal",), False),
        ("requires_tools", "t", ("t",), True),
        ("requires_tools", "to", ("to",), False),
    ],
)
def test_a_gate_shows_or_hides_by_the_tools_at_hand_but_never_stops_a_load(
    kind: str, value: str, tools: tuple[str, ...] | None, shown: bool
) -> None:
    files: dict[str, str | bytes] = {"a/SKILL.md": skill("a", *gate(kind, value))}
    here = setting(tools)
    assert bool(listing(files, here).text) is shown
    assert call(files, here, name="a")["success"]


def test_a_gate_of_nothing_stops_the_whole_list() -> None:
    files: dict[str, str | bytes] = {
        "a/SKILL.md": skill("a", *gate("requires_tools", "")),
        "b/SKILL.md": skill("b"),
    }
    found = listing(files, setting(("terminal",)))
    assert found.text == ""
    assert found.warnings == (
        "the program cannot build its list: the gates of a/SKILL.md: 'NoneType' object is not iterable",
    )


def test_a_skill_for_another_system_is_not_listed_and_not_loaded() -> None:
    files: dict[str, str | bytes] = {
        "a/SKILL.md": skill("a", "platforms: [macos]"),
        "b/SKILL.md": skill("b", "platforms: Linux"),
    }
    assert block(files) == "  b:\n    - b: d\n"
    assert block(files, setting(platform="darwin")) == "  a:\n    - a: d\n"
    assert call(files, name="a") == {
        "success": False,
        "error": "Skill 'a' is not supported on this platform.",
        "readiness_status": "unsupported",
    }


def test_a_skill_for_an_environment_is_hidden_but_loads() -> None:
    files: dict[str, str | bytes] = {
        "a/SKILL.md": skill("a", "environments: [kanban]"),
        "b/SKILL.md": skill("b", "environments: moon"),
    }
    assert block(files) == "  b:\n    - b: d\n"
    assert call(files, name="a")["success"]
    assert "- a: d" in block(files, setting(environments=["kanban"]))


def test_a_disabled_name_is_gone_everywhere() -> None:
    files: dict[str, str | bytes] = {"x/SKILL.md": skill("a"), "b/SKILL.md": skill("b")}
    here = setting(disabled=["a"])
    assert block(files, here) == "  b:\n    - b: d\n"
    assert call(files, here, name="x")["error"].startswith(
        "Skill 'a' is disabled. Enable it with `hermes skills`"
    )
    assert [entry["name"] for entry in call(files, here, "skills_list")["skills"]] == ["b"]
