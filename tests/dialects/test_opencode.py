"""opencode: any depth, a repair that works once, a list by locale, commands that swallow the rest."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.test_harness_vectors import OWN, read_vectors
from tohlab.dialects.harness import Answer, FileTree, Listing, Loaded, Setting, Skipped, UserTurn
from tohlab.dialects.harnesses import get_harness
from tohlab.dialects.opencode.reading import sanitize
from tohlab.dialects.opencode.texts import TOOLS
from tohlab.errors import UnsupportedByDialect

OPENCODE = get_harness("opencode")
SETTING = Setting(root="/p", bundled=False)
COLON = "---\nname: a\ndescription: Use it for this: that.\n---\nBody.\n"


def skill(name: str, description: str | None = "d", body: str = "Do it.") -> str:
    about = "" if description is None else f"description: {description}\n"
    return f"---\nname: {name}\n{about}---\n\n{body}\n"


def options(**given: Any) -> Setting:
    return Setting(root="/p", bundled=False, options=given)


def load(files: dict[str, str], setting: Setting = SETTING) -> Loaded:
    return OPENCODE.load(FileTree.of(files), setting)


def listing(files: dict[str, str], setting: Setting = SETTING) -> Listing:
    return OPENCODE.listing(load(files, setting), setting)


def listed(files: dict[str, str], setting: Setting = SETTING) -> list[str]:
    return [span.label.removeprefix("entry ").strip('"') for span in listing(files, setting).spans]


def call(asked: Any, files: dict[str, str], setting: Setting = SETTING, tool: str = "skill") -> Answer:
    tree = FileTree.of(files)
    arguments = {"name": asked} if isinstance(asked, str) else asked
    return OPENCODE.call(tool, arguments, OPENCODE.load(tree, setting), tree, setting)


def user(text: str, files: dict[str, str], setting: Setting = SETTING) -> UserTurn:
    tree = FileTree.of(files)
    return OPENCODE.user(text, OPENCODE.load(tree, setting), tree, setting)


def only_skipped(text: str, setting: Setting = SETTING) -> Skipped:
    loaded = load({"x/SKILL.md": text}, setting)
    assert loaded.skills == ()
    [row] = loaded.skipped
    return row


# What is found, and in which order it is told.


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


# Races.


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


# What is refused, and how loudly.


@pytest.mark.parametrize(
    ("text", "code", "line", "silent"),
    [
        ("# Only a body\n", "missing-frontmatter", 1, True),
        ("---\ndescription: d\n---\n", "missing-name", 1, True),
        ("---\nname: 3000\ndescription: d\n---\n", "wrong-type", 2, True),
        ("---\nname: x\ndescription:\n---\n", "wrong-type", 3, True),
        ("---\nname: x\ndescription: true\n---\n", "wrong-type", 3, True),
        ("---\nname: x\ndescription:\n  - one\n---\n", "wrong-type", 3, True),
        ("---\nname: 2026-01-02\ndescription: d\n---\n", "wrong-type", 2, True),
        ("---\nname: x\nname: y\n---\n", "duplicate-key", 3, True),
        ("---\nname: x\ndescription: @home\n---\n", "invalid-yaml", 3, True),
        ("---\nname: x\ndescription: a: b\nextra: @home\n---\n", "invalid-yaml", 3, False),
        ("\ufeff---\nname: x\ndescription: a: b\n---\n", "invalid-yaml", 3, True),
        ("---js\n{name: 'x'}\n---\n", "frontmatter-language", 1, True),
        ("---toml\nname = 'x'\n---\n", "frontmatter-language", 1, True),
    ],
)
def test_a_file_that_gives_no_skill_has_its_reason(
    text: str, code: str, line: int | None, silent: bool
) -> None:
    row = only_skipped(text)
    assert (row.code, row.line, row.silent) == (code, line, silent)
    assert row.reason
    assert row.repair


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff---\nname: x\ndescription: d\n---\nB\n",
        "---\r\nname: x\r\ndescription: d\r\n---\r\nB\r\n",
        "---\nname: x\ndescription: d\n--- trailing words\nB\n",
        "---\nname: x\ndescription: d\n",
        "--- \nname: x\ndescription: d\n---\nB\n",
        '---json\n{"name": "x", "description": "d"}\n---\nB\n',
    ],
)
def test_odd_files_that_load(text: str) -> None:
    assert [(found.name, found.description) for found in load({"any/SKILL.md": text}).skills] == [("x", "d")]


def test_any_name_will_do() -> None:
    for name in ('""', "two words", "grp/leaf", "Upper", '"</name>"', "yes", "naïve"):
        assert len(load({"a/SKILL.md": skill(name)}).skills) == 1


# What the tool answers.


def test_a_loaded_skill_names_ten_files_at_most_and_no_skill_file() -> None:
    files = {"a/SKILL.md": skill("a"), "a/b/SKILL.md": skill("b"), "a/.git/HEAD": "x", "a/.env": "x"}
    files |= {f"a/f{at:02}.txt": "x" for at in range(12)}
    text = call("a", files).text or ""
    assert text.count("<file>") == 10
    assert "<file>/p/a/.env</file>" in text
    assert ".git" not in text
    assert "SKILL.md" not in text
    assert call("a", files).notes


@pytest.mark.parametrize(
    ("arguments", "detail"),
    [
        ({}, 'Missing key\n  at ["name"]'),
        ({"name": 3}, 'Expected string, got 3\n  at ["name"]'),
        ({"name": None}, 'Expected string, got null\n  at ["name"]'),
        ({"name": {"a": 1}}, 'Expected string, got {"a":1}\n  at ["name"]'),
        ([1], "Expected object, got [1]"),
    ],
)
def test_arguments_that_do_not_fit_are_answered_in_the_words_of_the_schema(
    arguments: Any, detail: str
) -> None:
    answer = call(arguments, {"a/SKILL.md": skill("a")})
    assert answer.is_error
    assert answer.text == (
        f"The skill tool was called with invalid arguments: SchemaError({detail}).\n"
        "Please rewrite the input so it satisfies the expected schema."
    )


def test_further_keys_and_capitals_in_the_tool_name_do_no_harm() -> None:
    files = {"a/SKILL.md": skill("a")}
    assert call({"name": "a", "x": 1}, files, tool="Skill") == call("a", files)
    assert call("A", files).is_error


def test_an_unknown_tool_is_answered_and_another_tool_is_not_ours() -> None:
    assert call({}, {}, tool="nope").text == (
        "The arguments provided to the tool are invalid: Model tried to call unavailable tool 'nope'. "
        "Available tools: bash, edit, glob, grep, invalid, question, read, skill, "
        "task, todowrite, webfetch, write."
    )
    with pytest.raises(UnsupportedByDialect):
        call({}, {}, tool="bash")
    with pytest.raises(UnsupportedByDialect):
        call("customize-opencode", {}, Setting())


def test_a_denied_skill_is_hidden_and_its_call_tells_the_rules() -> None:
    files = {"t/SKILL.md": skill("tide-table"), "b/SKILL.md": skill("bread")}
    denied = options(permission={"tide-*": "deny"})
    assert listed(files, denied) == ["bread"]
    assert call("tide-table", files, denied).text == (
        "The user has specified a rule which prevents you from using this specific tool call. "
        'Here are some of the relevant rules [{"permission":"*","action":"allow","pattern":"*"},'
        '{"permission":"skill","pattern":"tide-*","action":"deny"}]'
    )
    assert listed(files, options(permission={"*": "deny", "tide-*": "allow"})) == ["tide-table"]


def test_where_all_skills_are_denied_there_is_neither_list_nor_tool() -> None:
    off = options(permission={"*": "deny"})
    loaded = load({"a/SKILL.md": skill("a")}, off)
    assert OPENCODE.listing(loaded, off).text == ""
    assert OPENCODE.tools(loaded, off) == ()
    assert "unavailable tool 'skill'" in (call("a", {}, off).text or "")


# What a user's text becomes.

BODY = {"go/SKILL.md": skill("go", body="One: $1 Rest: $2"), "plain/SKILL.md": skill("plain")}
TAIL = (
    "\n\nBase directory for this skill: /p/{}\nRelative paths in this skill (e.g., scripts/, references/) "
    "are relative to this base directory."
)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("/go a b c", "One: a Rest: b c\n" + TAIL.format("go")),
        ("/go 'a b' c", "One: a b Rest: c\n" + TAIL.format("go")),
        ("/go", "One:  Rest: \n" + TAIL.format("go")),
        ("/plain a b", "Do it.\n" + TAIL.format("plain") + "\n\na b"),
        ("/plain a\nb", "Do it.\n" + TAIL.format("plain") + "\n\na\nb"),
        ("/nope a", "/nope a"),
        ("say /go a", "say /go a"),
        ("/Go a", "/Go a"),
    ],
)
def test_a_command_takes_its_arguments(text: str, wanted: str) -> None:
    assert user(text, BODY).texts == (wanted,)


def test_through_the_command_call_an_unknown_name_reaches_no_model() -> None:
    turn = user("/nope x", BODY, options(command="nope", arguments="x"))
    assert (turn.sent, turn.texts) == (False, ())
    known = user("anything", BODY, options(command="go", arguments="a"))
    assert known.texts[0].startswith("One: a Rest: ")


def test_a_shell_line_stays_and_is_told_and_an_argument_may_bring_one() -> None:
    files = {"sh/SKILL.md": skill("sh", body="Say !`touch /tmp/x` $ARGUMENTS")}
    turn = user("/sh !`rm -r y`", files)
    assert "!`touch /tmp/x` !`rm -r y`" in turn.texts[0]
    assert [note.split(": ")[1] for note in turn.notes] == ["touch /tmp/x", "rm -r y"]


def test_hidden_and_denied_skills_can_be_started_by_a_user() -> None:
    files = {"a/SKILL.md": skill("a", None)}
    assert user("/a", files, options(permission={"*": "deny"})).texts[0].startswith("Do it.")


def test_the_commands_of_the_program_come_first() -> None:
    turn = user("/init", {"a/SKILL.md": skill("init")})
    assert turn.texts == ("/init",)
    assert turn.notes


# Much.


def test_a_thousand_skills_are_listed_by_name() -> None:
    files = {f"s{at}/SKILL.md": skill(f"s-{at:04}") for at in range(1000)}
    assert listed(files) == [f"s-{at:04}" for at in range(1000)]


# What the program as a whole did.


def recorded(name: str) -> dict[str, Any]:
    [row] = [row for row in read_vectors(OWN / "opencode.jsonl") if row["id"] == f"opencode/{name}"]
    return row


def test_the_tools_stand_in_the_order_that_was_sent() -> None:
    assert recorded("tool-schema/names")["output"]["json"] == list(TOOLS)


@pytest.mark.parametrize("change", ["add", "edit", "remove"])
def test_a_new_process_renders_the_list_anew_and_differs_first_at_the_changed_entry(change: str) -> None:
    row = recorded(f"change/restart-{change}")
    before = dict(row["input"]["files"])
    after = {
        "add": before | {"new-one/SKILL.md": skill("new-one", "Added between turns.")},
        "edit": before | {"bread-proof/SKILL.md": skill("bread-proof", "Edited text.")},
        "remove": {path: text for path, text in before.items() if not path.startswith("bread-proof/")},
    }[change]
    setting = Setting()
    old, new = listing(before, setting), listing(after, setting)
    assert new.text == row["output"]["json"]["skills_slice"]
    same = next(at for at, (one, other) in enumerate(zip(old.text, new.text, strict=False)) if one != other)
    entry = next(span.label for span in new.spans if span.stop > same)
    assert entry == {"add": 'entry "new-one"', "edit": 'entry "bread-proof"'}.get(
        change, 'entry "customize-opencode"'
    )


def test_a_description_can_close_the_list_and_its_own_entry() -> None:
    row = recorded("inventory/closetag")
    given = listing(row["input"]["files"], Setting())
    assert given.text == row["output"]["text"]
    assert given.text.count("</available_skills>") == 2


def test_the_second_project_of_one_process_has_only_what_needs_no_repair() -> None:
    row = recorded("survival/colon-parsed-again")
    seen = [
        listed(row["input"]["files"], Setting(options={"parsed_before": before}))
        for before in (False, True, True)
    ]
    assert seen == row["output"]["json"]["names_listed_project_1_2_3"]


def test_the_tool_leaves_a_shell_line_and_the_command_says_that_it_would_run() -> None:
    row = recorded("gesture/shell-line")
    files, sent = row["input"]["files"], row["output"]["json"]
    assert call("run-sh", files, Setting()).text == sent["skill_tool"]
    turn = user("/run-sh", files, Setting())
    assert turn.texts[0].replace("!`echo $((6*7))`", "42\n") == sent["command"]
    assert "echo $((6*7))" in turn.notes[0]


def test_denied_by_a_pattern_as_recorded() -> None:
    row = recorded("policy/permission-deny")
    files = {path: text for path, text in row["input"]["files"].items() if not path.startswith("<")}
    denied = Setting(options={"permission": {"tide-*": "deny"}})
    assert listing(files, denied).text == row["output"]["json"]["listing"]
    assert call("tide-table", files, denied).text == row["output"]["json"]["tool_result"]
