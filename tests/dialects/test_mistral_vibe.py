"""Mistral Vibe: the strictest reader, near names on a miss, and skills that a text mentions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conformance.test_harness_vectors import OWN, read_vectors
from tests.dialects.bench import Bench, skill
from tohlab.dialects.harness import Answer, Setting
from tohlab.dialects.harnesses import get_harness
from tohlab.dialects.mistral_vibe.names import invoked_names, near_names
from tohlab.dialects.mistral_vibe.texts import BUNDLED, TOOLS
from tohlab.errors import UnsupportedByDialect

VIBE = get_harness("mistral-vibe")
SETTING = Setting(root="/p", bundled=False)
BENCH = Bench(VIBE, SETTING, "name")
load, names = BENCH.load, BENCH.names
call, user, only_skipped = BENCH.call, BENCH.user, BENCH.only_skipped


def error(answer: Answer) -> str:
    assert answer.is_error
    value = json.loads(answer.text or "")["result"]
    assert (value["type"], value["error"]["name"]) == ("error", "InvalidToolCall")
    message: str = value["error"]["message"]
    return message


# What is listed.


def test_the_entries_stand_in_the_order_of_the_disk_and_the_bundled_ones_last() -> None:
    assert VIBE.order == "directory"
    loaded = load({"b/SKILL.md": skill("b"), "a/SKILL.md": skill("a")}, Setting())
    labels = [span.label for span in VIBE.listing(loaded, Setting()).spans]
    assert labels == ['entry "a"', 'entry "b"', *(f'entry "vibe:{name}"' for name in BUNDLED)]
    assert "two system prompts" in loaded.notes[-1]


def test_all_five_entities_are_escaped_in_what_a_skill_says_and_in_its_path() -> None:
    files = {"a&'/SKILL.md": skill("x", description="'<b> & \"q\"'")}
    text = VIBE.listing(load(files), SETTING).text
    assert "<description>&lt;b&gt; &amp; &quot;q&quot;</description>" in text
    assert "<path>/p/a&amp;&apos;/SKILL.md</path>" in text
    assert text.startswith("<available-skills>\n")
    assert text.endswith("\n</available-skills>")


def test_without_skills_there_is_neither_list_nor_tool() -> None:
    assert VIBE.listing(load({}), SETTING).text == ""
    assert VIBE.tools(load({}), SETTING) == ()
    assert error(call("x", {})).endswith("are not skills. No skills are available.")


def test_the_bundled_skills_lie_in_the_home_folder_that_is_given() -> None:
    setting = Setting(options={"home": "/h&"})
    assert "<path>/h&amp;/.vibe/logs/" in VIBE.listing(load({}, setting), setting).text


def test_each_span_covers_its_entry() -> None:
    given = VIBE.listing(load({"a/SKILL.md": skill("a"), "b/SKILL.md": skill("b")}), SETTING)
    for span, name in zip(given.spans, "ab", strict=True):
        entry = given.text[span.start : span.stop]
        assert entry.startswith(f"  <skill>\n    <name>{name}</name>")
        assert entry.endswith("  </skill>")


def test_the_tool_is_static_and_a_change_rewrites_the_prompt() -> None:
    one, two = load({"a/SKILL.md": skill("a")}), load({"b/SKILL.md": skill("b")})
    assert VIBE.tools(one, SETTING) == VIBE.tools(two, SETTING)
    assert (VIBE.names_in_tool, VIBE.on_change) == (False, "rewrite")


# What loads.


def test_only_the_folders_directly_below_the_root_are_looked_at() -> None:
    files = {path: skill("n") for path in ("SKILL.md", "a/b/SKILL.md", "c/skill.md", "d/e.md")}
    loaded = load(files)
    assert loaded.skills == ()
    assert [(row.path, row.code, row.silent) for row in loaded.skipped] == [
        ("SKILL.md", "wrong-depth", True),
        ("a/b/SKILL.md", "wrong-depth", True),
        ("c/skill.md", "file-name", True),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + skill("x"),
        "\n \n" + skill("x"),
        skill("x").replace("\n", "\r\n"),
        skill("x").replace("---", "-----"),
        skill("x").replace("---", "---  "),
        skill("x", "allowed-tools: Read Bash", "metadata: {a: 1}", "license:"),
        skill("x", "description: d", "unknown: [a, b]"),
    ],
)
def test_odd_files_that_load(text: str) -> None:
    assert [(s.name, s.description, s.body) for s in load({"any/SKILL.md": text}).skills] == [
        ("x", "d", "Do it.")
    ]


@pytest.mark.parametrize(
    ("text", "code", "line", "repair"),
    [
        ("# Body\n", "missing-frontmatter", 1, "start the file"),
        ("---\nname: x\n", "missing-frontmatter", 1, "close the frontmatter"),
        ("---\n- a\n---\n", "missing-frontmatter", 2, "write `name"),
        (skill("x", description="a: b"), "invalid-yaml", 3, "quotes"),
        ("---\ndescription: d\n---\n", "missing-name", 1, "add a line `name"),
        ("---\nname: x\n---\n", "missing-description", 1, "add a line `description"),
        (skill("x", description='""'), "missing-description", 3, "give description a value"),
        (skill("3000"), "wrong-type", 2, "in quotes"),
        (skill("yes"), "wrong-type", 2, "in quotes"),
        (skill("x", description="\n  - a"), "wrong-type", 3, "one text"),
        (skill("Two Words"), "invalid-name", 2, "write two-words"),
        (skill("a--b"), "invalid-name", 2, "write a-b"),
        (skill("a" * 65), "name-too-long", 2, "by 1 char"),
        (skill("x", description="é" * 1025), "description-too-long", 3, "by 1 char"),
        (skill("x", "license: 2"), "wrong-type", 4, "license"),
        (skill("x", "metadata: plain words"), "wrong-type", 4, "metadata"),
        (skill("x", "allowed-tools: [1]"), "wrong-type", 4, "list of texts"),
        (skill("x", "user-invocable: maybe"), "wrong-type", 4, "true or"),
        (skill("x", "disable-model-invocation:"), "wrong-type", 4, "true or"),
    ],
)
def test_a_file_that_gives_no_skill_has_its_reason(text: str, code: str, line: int, repair: str) -> None:
    row = only_skipped(text)
    assert (row.code, row.line) == (code, line)
    assert repair in row.repair
    assert row.reason


def test_a_description_of_exactly_1024_characters_loads() -> None:
    assert len(load({"a/SKILL.md": skill("x", description="🌊" * 1024)}).skills) == 1


@pytest.mark.parametrize("flag", ["true", '"true"', "yes", "'On'", "1", "T"])
def test_a_hidden_skill_is_kept_from_the_list_and_from_the_tool(flag: str) -> None:
    files = {"a/SKILL.md": skill("hidden", f"disable-model-invocation: {flag}"), "b/SKILL.md": skill("shown")}
    loaded = load(files)
    assert VIBE.listing(loaded, SETTING).dropped == ("hidden",)
    assert 'Available skills: "shown".' in error(call("hidden", files))
    assert user("/hidden", files).texts[0].startswith("/hidden\n\n<skill_content")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("policy:\n  allow_implicit_invocation: false\n", False),
        ("policy:\n  allow_implicit_invocation: true\n", True),
        ("interface: x\n", True),
        ("", True),
        ("policy:\n  allow_implict_invocation: true\n", False),
        ("policy:\n  allow_implicit_invocation: 'false'\n", False),
        ("a: b: c\n", False),
        ("- a\n", False),
    ],
)
def test_the_metadata_of_another_program_may_hide_a_skill(text: str, shown: bool) -> None:
    loaded = load({"a/SKILL.md": skill("a"), "a/agents/openai.yaml": text})
    assert [found.listed for found in loaded.skills] == [shown]


def test_of_two_equal_names_the_first_on_the_disk_stays_and_the_race_is_told() -> None:
    files = {"a/SKILL.md": skill("twin", body="A."), "b/SKILL.md": skill("twin", body="B.")}
    assert [found.body for found in load(files).skills] == ["A."]
    assert [(row.path, row.code) for row in load(files).skipped] == [("b/SKILL.md", "duplicate-name")]
    assert any("first wins" in note for note in load(files).notes)
    first_b = Setting(options={"first_read": "b/SKILL.md"})
    assert [found.body for found in load(files, first_b).skills] == ["B."]


# What the tool answers.


def test_a_loaded_skill_names_ten_files_in_order_and_no_folders_of_tools() -> None:
    files = {"a/SKILL.md": skill("a", body="\n\n Body \n")}
    files |= {f"a/{path}": "x" for path in ("node_modules/x.js", "dist/x", ".env", "b/SKILL.md", "z")}
    files |= {f"a/f{at:02}": "x" for at in range(12)}
    text = call("a", files).text or ""
    shown = [row[6:-7] for row in text.split("\n") if row.startswith("<file>")]
    assert shown == [".env", *(f"f{at:02}" for at in range(9))]
    assert "# Skill: a\n\nBody\n\nBase directory for this skill: /p/a\n" in text


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ({}, '"name" is a required property'),
        ({"name": ""}, 'at /name: "" is shorter than 1 character'),
        ({"name": 3}, 'at /name: 3 is not of type "string"'),
        ({"name": ["a"]}, 'at /name: ["a"] is not of type "string"'),
        (
            {"name": "a", "x": 1},
            "Additional properties are not allowed ('x' was unexpected). Allowed fields: name.",
        ),
        (
            {"x": 1, "name": 3},
            "Additional properties are not allowed ('x' was unexpected). Allowed fields: name.",
        ),
        ([1], '[1] is not of type "object"'),
        (None, 'null is not of type "object"'),
    ],
)
def test_arguments_that_do_not_fit(arguments: Any, fault: str) -> None:
    answer = call(arguments, {"a/SKILL.md": skill("a")})
    assert error(answer) == f"tool arguments do not satisfy the declared input schema: {fault}"


def test_a_name_that_cannot_be_printed_is_shown_by_its_numbers() -> None:
    message = error(call('a"b\\\n\x01\u200bé', {"a/SKILL.md": skill("zzz")}))
    assert message.startswith('Skill "a\\"b\\\\\\n\\u{1}\\u{200b}é" is not available. Use an exact name')


def test_unknown_tools_other_tools_and_bundled_skills() -> None:
    assert error(call({}, {}, tool="Skill")) == 'unsupported top-level tool "Skill"'
    with pytest.raises(UnsupportedByDialect):
        call({}, {}, tool="bash")
    with pytest.raises(UnsupportedByDialect):
        call("vibe:vibe", {}, Setting())


@pytest.mark.parametrize(
    ("asked", "given", "near"),
    [
        ("TIDETABLE", ["bread", "tide", "tide-table"], ("tide-table", "tide", "bread")),
        (
            "vibe",
            ["tide-table", "vibe:a-b", "vibe:vibe", "vibe:c", "vibe:d"],
            ("vibe:a-b", "vibe:vibe", "vibe:c"),
        ),
        ("abx", ["abg", "abf", "abe", "abd"], ("abg", "abf", "abe")),
        ("x", ["abc"], ()),
        ("é", ["abc"], ()),
        ("a", [], ()),
    ],
)
def test_the_three_nearest_names_are_told(asked: str, given: list[str], near: tuple[str, ...]) -> None:
    assert near_names(asked, given) == near


# What a user's text becomes.


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("/Tea now", ("tea",)),
        ("  /tea", ("tea",)),
        ("see /tea, then /bread.", ("tea", "bread")),
        ("/tea /tea /bread", ("tea", "bread")),
        ("`/tea` and /usr/bin and a/tea", ()),
        ("```\n/tea\n```\nand /bread", ("bread",)),
        ("/", ()),
        ("see /Tea", ()),
    ],
)
def test_a_text_starts_what_it_begins_with_and_what_it_mentions(text: str, wanted: tuple[str, ...]) -> None:
    assert invoked_names(text) == wanted


def test_a_skill_stands_behind_the_text_as_typed_and_nothing_is_substituted() -> None:
    files = {"tea/SKILL.md": skill("tea", body="$1 $ARGUMENTS !`x`"), "b/SKILL.md": skill("bread")}
    turn = user("/tea now with /bread", files)
    assert turn.texts[0].startswith(
        '/tea now with /bread\n\n<skill_content name="tea">\n# Skill: tea\n\n$1 $ARGUMENTS'
    )
    assert '\n</skill_content>\n\n<skill_content name="bread">' in turn.texts[0]
    assert turn.json == [{"role": "user", "text": turn.texts[0]}]


def test_what_is_loaded_is_not_sent_again_and_what_is_not_for_users_not_at_all() -> None:
    files = {"tea/SKILL.md": skill("tea"), "m/SKILL.md": skill("mine", "user-invocable: false")}
    again = user("/tea", files, Setting(options={"loaded": ("tea",)}))
    assert again.texts == (
        "/tea\n\nSkill 'tea' is already loaded earlier in this conversation. Reuse those instructions.",
    )
    assert user("/mine", files).texts == ("/mine",)
    assert user("/mine", files).notes
    assert user("/loop 5m /tea", files).texts == ("/loop 5m /tea",)
    assert user("/nope", files).texts == ("/nope",)


def test_a_thousand_skills_are_listed() -> None:
    files = {f"s{at}/SKILL.md": skill(f"s-{at}") for at in range(1000)}
    assert len(VIBE.listing(load(files), SETTING).spans) == 1000


def test_the_tools_stand_in_the_order_that_was_sent() -> None:
    [row] = [
        row for row in read_vectors(OWN / "mistral-vibe.jsonl") if row["id"].endswith("tool-schema/names")
    ]
    assert row["output"]["json"] == list(TOOLS)
