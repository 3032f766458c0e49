"""qwen-code: a reminder in the user's turn, a lenient reader, a budget, and arguments in a file."""

from __future__ import annotations

from typing import Any, cast

import pytest

from tests.conformance.test_harness_vectors import OWN, read_vectors
from tests.dialects.bench import Bench, skill
from tohlab.dialects.harness import Setting
from tohlab.dialects.harnesses import get_harness
from tohlab.dialects.qwen_code import QwenCode
from tohlab.dialects.qwen_code.entries import change_reminder
from tohlab.dialects.qwen_code.texts import BUNDLED, BUNDLED_HIDDEN
from tohlab.errors import UnsupportedByDialect

QWEN = cast("QwenCode", get_harness("qwen-code"))
SETTING = Setting(root="/p", bundled=False)
BENCH = Bench(QWEN, SETTING, "skill")
load, listing, listed = BENCH.load, BENCH.listing, BENCH.listed
call, user, only_skipped = BENCH.call, BENCH.user, BENCH.only_skipped


def options(**given: Any) -> Setting:
    return Setting(root="/p", bundled=False, options=given)


# What is listed.


def test_the_list_is_by_locale_with_the_bundled_skills_among_it() -> None:
    files = {f"{at}/SKILL.md": skill(name) for at, name in enumerate(("zz", "Mid", "alpha", "_lead"))}
    assert listed(files) == ["_lead", "alpha", "Mid", "zz"]
    with_bundled = listed(files, Setting())
    assert [name for name in with_bundled if name not in BUNDLED] == ["_lead", "alpha", "Mid", "zz"]
    assert set(BUNDLED) < set(with_bundled)
    assert not set(BUNDLED_HIDDEN) & set(with_bundled)


def test_a_skill_of_a_bundled_name_takes_its_place() -> None:
    text = listing({"a/SKILL.md": skill("review", description="Mine.")}, Setting()).text
    assert text.count("\nreview\n") == 1
    assert "Mine. (project)" in text


def test_an_entry_holds_when_to_use_and_the_level_and_all_entities_are_escaped() -> None:
    files = {"a/SKILL.md": skill("a", "when_to_use: On <rainy> days.", description="'</skill> & \"q\"'")}
    text = listing(files, options(level="user")).text
    assert "&lt;/skill&gt; &amp; &quot;q&quot; — On &lt;rainy&gt; days. (user)\n</description>" in text
    assert "<location>\nuser\n</location>" in text


def test_without_skills_the_reminder_says_so() -> None:
    assert "No skills are currently available." in listing({}).text
    assert listing({}).spans == ()
    assert call("x", {}).text == 'Skill "x" not found. No skills are currently available.'


def test_above_eight_thousand_characters_each_description_is_cut_to_its_first_line() -> None:
    text = "|\n  First line.\n  Second line."
    few = {f"{at}/SKILL.md": skill(f"n{at}", "when_to_use: Often.", description=text) for at in range(10)}
    assert "Second line." in listing(few).text
    assert listing(few).cut == ()
    many = few | {f"m{at}/SKILL.md": skill(f"m{at}", description=text) for at in range(90)}
    given = listing(many)
    assert "Second line." not in given.text
    assert "Often." not in given.text
    assert len(given.cut) == 100
    assert {(cut.before_chars, cut.after_chars) for cut in given.cut} == {(31, 11), (25, 11)}
    # The bundled skills count, and are not cut.
    assert listing(few, Setting(options={})).cut == ()
    assert "Often." in listing(few, Setting()).text


def test_each_span_covers_its_entry() -> None:
    given = listing({"a/SKILL.md": skill("a"), "b/SKILL.md": skill("b")})
    for span, name in zip(given.spans, "ab", strict=True):
        entry = given.text[span.start : span.stop]
        assert entry.startswith(f"<skill>\n<name>\n{name}\n</name>")
        assert entry.endswith("</skill>")


def test_no_change_of_the_skills_touches_the_tool_or_the_system_prompt() -> None:
    assert (QWEN.place, QWEN.names_in_tool, QWEN.on_change) == ("user", False, "announced-silently")
    assert QWEN.tools(load({}), SETTING) == QWEN.tools(load({"a/SKILL.md": skill("a")}), SETTING)


def test_a_later_reminder_tells_what_came_and_what_went_but_no_edit() -> None:
    before = load({"a/SKILL.md": skill("a"), "b/SKILL.md": skill("b")})
    after = load({"b/SKILL.md": skill("b", description="New."), "c/SKILL.md": skill("c")})
    text = change_reminder(before, after, SETTING)
    assert text.startswith("<system-reminder>\nThe following skills/commands became available after startup")
    assert "<name>\nc\n</name>" in text
    assert text.endswith('later <available_skills> listing.\n- "a"\n</system-reminder>')
    assert "New." not in text
    assert change_reminder(after, after, SETTING) == ""


# What loads.


def test_only_the_folders_directly_below_the_root_are_looked_at() -> None:
    paths = ("SKILL.md", "a/b/SKILL.md", "c/skill.md", "d.backup-12-3/SKILL.md", "flat.md")
    loaded = load({path: skill("n") for path in paths})
    assert loaded.skills == ()
    assert {(row.path, row.code, row.silent) for row in loaded.skipped} == {
        ("SKILL.md", "wrong-depth", True),
        ("a/b/SKILL.md", "wrong-depth", True),
        ("c/skill.md", "file-name", True),
        ("d.backup-12-3/SKILL.md", "install-artifact", True),
    }


@pytest.mark.parametrize(
    ("text", "name", "description"),
    [
        ("\ufeff" + skill("x"), "x", "d"),
        (skill("x").replace("\n", "\r\n"), "x", "d"),
        (skill("x", description="Use it: now"), "x", "Use it: now"),
        (skill("x", "description: again"), "x", "again"),
        (skill("3000", description="1.50"), "3000", "1.5"),
        (skill("1e3"), "1000", "d"),
        (skill("x", description="9" * 900), "x", "Infinity"),
        (skill("true"), "true", "d"),
        (skill("grp:leaf.v2"), "grp:leaf.v2", "d"),
        (skill("naïve-２"), "naïve-２", "d"),
        (skill("x", description="[one, [two, 3], null]"), "x", "one,two,3"),
    ],
)
def test_odd_files_that_load(text: str, name: str, description: str) -> None:
    assert [(s.name, s.description, s.body) for s in load({"any/SKILL.md": text}).skills] == [
        (name, description, "Do it.")
    ]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("# Body\n", "missing-frontmatter", 1),
        ("---\nname: x\ndescription: d\n--- \n", "missing-frontmatter", 1),
        ("---\n\n---\n", "missing-name", 1),
        ("---\n# nothing\n---\n", "missing-name", 1),
        ("---\ndescription: d\n---\n", "missing-name", 1),
        ("---\nname: x\n---\n", "missing-description", 1),
        (skill("x", description='""'), "missing-description", 3),
        (skill("x", description='"  "'), "missing-description", 3),
        (skill("x", description="{a: b}"), "wrong-type", 3),
        (skill("two words"), "invalid-name", 2),
        (skill("grp/leaf"), "invalid-name", 2),
        (skill("x", "allowedTools: Read"), "wrong-type", 4),
        (skill("x", "paths: src/**"), "wrong-type", 4),
        (skill("x", "paths: [/etc]"), "wrong-paths", 4),
        (skill("x", "paths: [a/../b]"), "wrong-paths", 4),
        (skill("x", "paths: [{a: b}]"), "wrong-type", 4),
    ],
)
def test_a_file_that_gives_no_skill_has_its_reason(text: str, code: str, line: int) -> None:
    row = only_skipped(text)
    assert (row.code, row.line, row.silent) == (code, line, False)
    assert row.reason.startswith("Failed to parse skill file: ")
    assert row.repair


def test_of_two_equal_names_the_first_folder_stays() -> None:
    files = {"b/SKILL.md": skill("twin", body="B."), "a/SKILL.md": skill("twin", body="A.")}
    assert [found.body for found in load(files).skills] == ["A."]
    assert [(row.path, row.code) for row in load(files).skipped] == [("b/SKILL.md", "duplicate-name")]


@pytest.mark.parametrize(("flag", "hidden"), [("true", True), ('"true"', True), ("yes", False), ("1", False)])
def test_a_hidden_skill_is_kept_from_list_and_tool_but_not_from_users(flag: str, hidden: bool) -> None:
    files = {"a/SKILL.md": skill("a", f"disable-model-invocation: {flag}"), "b/SKILL.md": skill("b")}
    assert listed(files) == (["b"] if hidden else ["a", "b"])
    assert call("a", files).is_error is hidden
    assert user("/a", files).texts[0].startswith("Base directory for this skill: /p/a\n")


def test_a_gated_skill_waits_for_a_file_that_its_paths_match() -> None:
    files = {"a/SKILL.md": skill("a", "paths: [src/**]"), "b/SKILL.md": skill("b", "paths: ['  ']")}
    assert listed(files) == ["b"]
    assert "is gated by path-based activation" in (call("a", files).text or "")
    assert load(files).notes
    assert listed(files, options(active=("a",))) == ["a", "b"]
    assert not call("a", files, options(active=("a",))).is_error


# What the tool answers.


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ({}, 'Parameter "skill" must be a non-empty string.'),
        ({"skill": "  "}, 'Parameter "skill" must be a non-empty string.'),
        ({"skill": 3}, 'Parameter "skill" must be a non-empty string.'),
        ([1], 'Parameter "skill" must be a non-empty string.'),
        ({"skill": "a", "args": 3}, 'Parameter "args" must be a string when provided.'),
        ({"skill": "A"}, 'Skill "A" not found. Available skills: a, b'),
        ({"skill": "/a"}, 'Skill "/a" not found. Available skills: a, b'),
    ],
)
def test_what_does_not_fit_is_answered_in_the_words_of_the_program(arguments: Any, answer: str) -> None:
    found = call(arguments, {"b/SKILL.md": skill("b"), "a/SKILL.md": skill("a")})
    assert (found.text, found.is_error) == (answer, True)


def test_arguments_of_a_call_change_nothing_and_a_second_load_is_short() -> None:
    files = {"a/SKILL.md": skill("a", body="$1 $ARGUMENTS")}
    assert call({"skill": "a", "args": "x"}, files) == call("a", files)
    assert (call("a", files).text or "").endswith("\n\n$1 $ARGUMENTS\n")
    again = call("a", files, options(loaded=("a",)))
    assert again.text == 'Skill "a" is already loaded in context.'


def test_other_tools_and_bundled_skills_are_not_ours() -> None:
    with pytest.raises(UnsupportedByDialect):
        call({}, {}, tool="edit")
    with pytest.raises(UnsupportedByDialect):
        call("review", {}, Setting())
    with pytest.raises(UnsupportedByDialect):
        user("/review 12", {}, Setting())


# What a user's text becomes.


def test_arguments_are_written_to_a_file_whose_random_name_stands_in_the_prompt() -> None:
    files = {"a/SKILL.md": skill("a:b")}
    turn = user("  /a:b  one  two ", files, options(session_id="S"))
    assert ".qwen/tmp/s-S/qwen-skill-args-a_b.txt" in turn.texts[0]
    assert "\n\n\n/a:b  one  two\n\nYour invocation arguments" in turn.texts[0]
    assert turn.texts[0].endswith("<skill-args>one  two</skill-args>\n")
    assert turn.notes
    assert "s-<SESSION>/" in user("/a:b x", files).texts[0]
    assert "Your invocation" not in user("/a:b", files).texts[0]


def test_skills_stack_in_one_line_until_a_word_names_none() -> None:
    files = {f"{name}/SKILL.md": skill(name) for name in "abcdef"}
    first, second, rest = user("/a /b do /c", files).texts
    assert (first[:34], second[:34]) == (
        "Base directory for this skill: /p/",
        "Base directory for this skill: /p/",
    )
    assert rest == "do /c"
    assert len(user("/a /b", files).texts) == 2
    assert user("/a /b /c /d /e /f", files).texts[5:] == ("/f",)
    assert len(user("/a b", files).texts) == 1


def test_what_is_not_for_users_is_answered_without_a_model() -> None:
    turn = user("/a x", {"a/SKILL.md": skill("a", "user-invocable: false")})
    assert (turn.sent, turn.texts) == (False, ())
    assert turn.notes == ('The command "/a" is not supported in this mode.',)


def test_unknown_names_and_plain_texts_go_as_they_are() -> None:
    files = {"a/SKILL.md": skill("a")}
    for text in ("/nope x", "say /a", "/", "/A", ""):
        assert user(text, files).texts == (text,)


def test_a_thousand_skills_are_listed_by_name() -> None:
    files = {f"s{at}/SKILL.md": skill(f"s-{at:04}") for at in range(1000)}
    assert listed(files) == [f"s-{at:04}" for at in range(1000)]


@pytest.mark.parametrize(
    ("change", "asked", "text"),
    [
        ("none", "bread-proof", None),
        ("add", "new-one", skill("new-one", body="New body.")),
        ("edit", "bread-proof", skill("bread-proof", body="Edited body.")),
    ],
)
def test_the_tool_follows_the_disk_while_the_conversation_only_grows(
    change: str, asked: str, text: str | None
) -> None:
    rows = {row["id"]: row for row in read_vectors(OWN / "qwen-code.jsonl")}
    row = rows[f"qwen-code/change/live-{change}"]
    files = row["input"]["files"] | ({} if text is None else {f"{asked}/SKILL.md": text})
    assert call(asked, files, Setting()).text == row["output"]["json"]["tool_result_turn3"]
    assert row["output"]["json"]["messages_prefix_equal_2_3"]
    assert row["output"]["json"]["turn2_3"]["tools_equal"]
