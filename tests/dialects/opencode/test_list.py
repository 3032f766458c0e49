"""opencode: what is found, and in which order it is told."""

from __future__ import annotations

import pytest

from tests.dialects.opencode.driver import OPENCODE, SETTING, call, listed, listing, load, options, skill
from tohlab.dialects.harness import Setting
from tohlab.dialects.opencode.reading import sanitize

COLON = "---\nname: a\ndescription: Use it for this: that.\n---\nBody.\n"


def test_a_skill_is_found_at_any_depth_in_hidden_folders_and_in_the_root_itself() -> None:
    paths = ("SKILL.md", "a/SKILL.md", "a/b/c/SKILL.md", ".hidden/SKILL.md", "node_modules/m/SKILL.md")
    files = {path: skill(f"n{at}") for at, path in enumerate(paths)}
    assert sorted(found.path for found in load(files).skills) == sorted(paths)


def test_only_the_exact_file_name_counts() -> None:
    loaded = load({"a/skill.md": skill("a"), "a/notes.md": skill("b")})
    assert loaded.skills == ()
    assert [(row.path, row.code, row.silent) for row in loaded.skipped] == [("a/skill.md", "file-name", True)]


def test_the_list_is_by_locale_and_the_names_of_a_miss_are_by_code_units() -> None:
    files = {
        f"{at}/SKILL.md": skill(name) for at, name in enumerate(("zeta", "Mid", "alpha", "_lead", "beta-2"))
    }
    assert listed(files) == ["_lead", "alpha", "beta-2", "Mid", "zeta"]
    assert call("nope", files).text == (
        'Skill "nope" not found. Available skills: Mid, _lead, alpha, beta-2, zeta'
    )


def test_the_built_in_skill_stands_among_the_others_unless_a_file_takes_its_name() -> None:
    with_bundled = Setting(root="/p")
    assert listed({"a/SKILL.md": skill("zoo")}, with_bundled) == ["customize-opencode", "zoo"]
    text = listing({}, with_bundled).text
    assert "<location>&lt;built-in&gt;</location>" in text
    own = {"a/SKILL.md": skill("customize-opencode", "Mine.")}
    assert listed(own, with_bundled) == ["customize-opencode"]
    assert "<description>Mine.</description>" in listing(own, with_bundled).text


def test_without_any_skill_the_third_line_says_so() -> None:
    assert listing({}).text.splitlines()[2:] == ["No skills are currently available."]
    assert call("x", {}).text == 'Skill "x" not found. Available skills: none'


def test_a_skill_without_a_description_is_not_listed_but_loads() -> None:
    files = {"a/SKILL.md": skill("a", None), "b/SKILL.md": skill("b", '""')}
    assert listed(files) == ["b"]
    assert listing(files).dropped == ("a",)
    assert (call("a", files).text or "").startswith('<skill_content name="a">')


def test_nothing_but_the_location_is_escaped() -> None:
    files = {"a&b'/SKILL.md": skill("x", "'</description> <b>'")}
    text = listing(files, Setting(root="/r<1>", bundled=False)).text
    assert "<description></description> <b></description>" in text
    assert "<location>/r&lt;1&gt;/a&amp;b&#39;/SKILL.md</location>" in text
    assert "<location><ROOT>/a&amp;b&#39;/SKILL.md</location>" in listing(files, Setting(bundled=False)).text


def test_each_span_covers_its_entry() -> None:
    given = listing({"a/SKILL.md": skill("one"), "b/SKILL.md": skill("two", '"x\\ny"')})
    for span, name in zip(given.spans, ("one", "two"), strict=True):
        entry = given.text[span.start : span.stop]
        assert entry.startswith(f"  <skill>\n    <name>{name}</name>")
        assert entry.endswith("  </skill>")


def test_a_change_is_told_by_a_new_process_alone_and_the_tool_never_changes() -> None:
    assert (OPENCODE.on_change, OPENCODE.on_resume, OPENCODE.names_in_tool) == ("ignored", "rewrite", False)
    assert OPENCODE.tools(load({}), SETTING) == OPENCODE.tools(load({"a/SKILL.md": skill("a")}), SETTING)


def test_of_two_equal_names_the_one_read_last_wins_and_the_race_is_told() -> None:
    files = {"twin-a/SKILL.md": skill("twin", "A."), "twin-b/SKILL.md": skill("twin", "B.")}
    loaded = load(files)
    assert [found.description for found in loaded.skills] == ["B."]
    assert [(row.path, row.code, row.silent) for row in loaded.skipped] == [
        ("twin-a/SKILL.md", "duplicate-name", False)
    ]
    assert "may differ from run to run" in loaded.notes[0]
    assert [s.description for s in load(files, options(last_read="twin-a/SKILL.md")).skills] == ["A."]


def test_an_unquoted_colon_is_repaired_once_for_the_same_bytes() -> None:
    files = {"a/SKILL.md": COLON}
    first = load(files)
    assert [found.description for found in first.skills] == ["Use it for this: that."]
    assert "once" in first.notes[0]
    [row] = load(files, options(parsed_before=True)).skipped
    assert (row.code, row.silent, row.line) == ("parsed-before", True, 3)
    assert "quotes" in row.repair


def test_two_files_of_the_same_bytes_are_one_repair() -> None:
    loaded = load({"a/SKILL.md": COLON, "b/SKILL.md": COLON})
    assert [found.path for found in loaded.skills] == ["a/SKILL.md"]
    assert [(row.path, row.code) for row in loaded.skipped] == [("b/SKILL.md", "parsed-before")]


@pytest.mark.parametrize(
    ("row", "repaired"),
    [
        ("description: a: b", "description: |-\n  a: b"),
        ("description:   a: b  ", "description: |-\n  a: b"),
        ("allowed-tools: a: b", None),
        ('description: "a": b', None),
        ("description: 'a: b", None),
        ("  deep: a: b", None),
        ("# note: a: b", None),
        ("description: >", None),
        ("description: no colon", None),
        ("url: http://x", "url: |-\n  http://x"),
    ],
)
def test_the_repair_takes_plain_top_level_values_of_word_keys(row: str, repaired: str | None) -> None:
    text = f"---\nname: x\n{row}\n---\nB\n"
    assert sanitize(text) == (text if repaired is None else f"---\nname: x\n{repaired}\n---\nB\n")
