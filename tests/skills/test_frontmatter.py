import contextlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tohlab.errors import FrontmatterError
from tohlab.skills.frontmatter import parse_frontmatter, read_fields, read_simple_fields
from tohlab.skills.rules import skill_fields
from tohlab.skills.yaml12 import YamlError, load_yaml


def refusal(text: str) -> FrontmatterError:
    def take() -> None:
        file = parse_frontmatter(text)
        skill_fields(file.fields, file.key_lines)

    with pytest.raises(FrontmatterError) as caught:
        take()
    return caught.value


def test_a_file_is_its_fields_its_body_and_their_lines() -> None:
    file = parse_frontmatter("---\nname: s\ndescription: >-\n  one\n  two\nextra: 1\n---\n\n  Body.\n\n")
    assert dict(file.fields) == {"name": "s", "description": "one two", "extra": 1}
    assert dict(file.key_lines) == {"name": 2, "description": 3, "extra": 6}
    assert file.body == "Body."
    assert file.body_line == 8


def test_windows_line_ends_make_no_difference() -> None:
    unix = "---\nname: s\ndescription: |\n  a\n  b\n---\nOne\n"
    windows = parse_frontmatter(unix.replace("\n", "\r\n"))
    assert windows == parse_frontmatter(unix)


def test_the_body_is_trimmed_as_javascript_trims() -> None:
    body = "\ufeff\u00a0\u3000 x \u0085\n"
    assert parse_frontmatter(f"---\nname: s\n---\n{body}").body == "x \u0085"


def test_a_closing_line_at_the_very_end_leaves_an_empty_body() -> None:
    assert parse_frontmatter("---\nname: s\n---").body == ""
    assert parse_frontmatter("---\nname: s\n---\r").body == ""


@pytest.mark.parametrize(
    ("text", "line", "repair"),
    [
        ("\ufeff---\nname: s\n---\n", 1, "byte order mark"),
        ("\n---\nname: s\n---\n", 1, "blank lines"),
        ("--- \nname: s\n---\n", 1, "line 1 exactly ---"),
        ("----\nname: s\n---\n", 1, "line 1 exactly ---"),
        ("---\nname: s\n----\nx", 3, "line 3 exactly ---"),
        ("---\nname: s\n ---\nx", 3, "line 3 exactly ---"),
        ("---\nname: s\n...\nx", 3, "line 3 exactly ---"),
        ("---\nname: s\n", 2, "close the frontmatter"),
        ("", 1, "the file is empty"),
        ("---", 1, "close the frontmatter"),
        ("# Title\n", 1, "start the file with a line ---"),
        ("---\n---\n", 2, "between the two --- lines"),
        ("---\n- a\n---\n", 2, "between the two --- lines"),
    ],
)
def test_a_file_without_frontmatter_is_told_where_and_how_to_mend_it(
    text: str, line: int, repair: str
) -> None:
    error = refusal(text)
    assert (error.code, error.reason, error.line) == ("missing-frontmatter", "missing YAML frontmatter", line)
    assert repair in error.remedy


@pytest.mark.parametrize(
    ("fields", "code", "line", "repair"),
    [
        ("name: s\ndescription: a: b", "invalid-yaml", 3, "the value of description in quotes"),
        ("name: s\ndescription: @b", "invalid-yaml", 3, "the value of description in quotes"),
        ("name: s\nm:\n\ta: 1\ndescription: d", "invalid-yaml", 4, "spaces instead of tabs"),
        ("name: s\nname: s\ndescription: d", "duplicate-key", 3, "keep one"),
        ("description: d", "missing-field", 1, "add a line `name: …`"),
        ("name: s\ndescription:", "missing-field", 3, "give description a value"),
        ("name: 12\ndescription: d", "missing-field", 2, "quotes"),
        ("name: [a]\ndescription: d", "missing-field", 2, "has to be text"),
        ("description: d\nname: My_Skill", "invalid-name", 3, "write my-skill;"),
        ("description: d\nname: ÄÖ", "invalid-name", 3, "lower-case letters"),
        ("name: s\ndescription: d\nuser-invocable: y", "invalid-invocation", 4, "user-invocable: true"),
        (
            "name: s\ndescription: d\ndisable-model-invocation: 2",
            "invalid-invocation",
            4,
            "or remove the line",
        ),
        ("name: s\ndescription: d\nmodelInvocable: true", "invalid-invocation", 4, "opposite value"),
    ],
)
def test_a_field_that_is_refused_is_told_with_its_line_in_the_file(
    fields: str, code: str, line: int, repair: str
) -> None:
    error = refusal(f"---\n{fields}\n---\nBody\n")
    assert (error.code, error.line) == (code, line)
    assert repair in error.remedy


@pytest.mark.parametrize("value", ["true", "'YES'", "On", "1", "1.0", "0x1", "'1'"])
def test_many_spellings_switch_the_model_off(value: str) -> None:
    fields = skill_fields(*read_fields(f"name: s\ndescription: d\ndisable-model-invocation: {value}\n"))
    assert not fields.invocation.model_invocable
    assert fields.invocation.user_invocable


@pytest.mark.parametrize("value", ["false", "'NO'", "oFF", "0", "-0", "'0'"])
def test_many_spellings_switch_the_user_off(value: str) -> None:
    fields = skill_fields(*read_fields(f"name: s\ndescription: d\nuser-invocable: {value}\n"))
    assert fields.invocation.model_invocable
    assert not fields.invocation.user_invocable


@pytest.mark.parametrize(
    "value", ["", "null", "''", "y", "2", "[true]", "' true'", "{a: b}", "!!binary aGk="]
)
def test_anything_else_in_their_place_refuses_the_skill(value: str) -> None:
    assert (
        refusal(f"---\nname: s\ndescription: d\nuser-invocable: {value}\n---\n").code == "invalid-invocation"
    )


# The quick reading of simple frontmatter against the YAML parser

KEYS = st.sampled_from(["name", "description", "a", "b-c", "D_e", "null", "true", "k2"])
TEXT = st.text(
    st.sampled_from(
        " :#'\"-,[]{}&*!|>%@`~?=\\<.0123456789abcTrue\t\u00a0é日\U0001f600\u2028\u0085\ue000\ufeff\r"
    )
    | st.characters(codec="utf-8"),
    max_size=24,
)
WORDS = st.sampled_from(
    ["true", "null", "1", "0x1f", "1e3", "yes", "2024-01-01", "Use it: now", "C# and F#", "a:b"]
)
VALUES = st.one_of(
    TEXT,
    WORDS,
    st.builds('"{}"'.format, TEXT),
    st.builds("'{}'".format, TEXT),
    st.builds(
        lambda head, indent, lines: head + "\n" + "\n".join(indent + line for line in lines),
        st.sampled_from([">", "|", ">-", "|-", ">+", "|2"]),
        st.sampled_from([" ", "  ", "    ", "\t"]),
        st.lists(TEXT | WORDS, max_size=3),
    ),
)
NESTED = st.builds(
    lambda key, indent, rows: f"{key}:\n" + "\n".join(indent + row for row in rows),
    KEYS,
    st.sampled_from([" ", "  ", "\t"]),
    st.lists(st.builds("{}: {}".format, KEYS, VALUES), max_size=3),
)
LINES = st.builds("{}: {}".format, KEYS, VALUES) | TEXT | NESTED
BREAKS = st.sampled_from(["\n", "\r\n"])


@given(st.lists(LINES, max_size=4), BREAKS, st.booleans())
@example(["a: x #y", "name: b"], "\n", True)
@example(["a: x: y"], "\n", True)
@example(["a: x:"], "\n", True)
@example(["a: >-\n  b\n   c"], "\n", True)
@example(["a: >\n  b\n\n  c"], "\n", True)
@example(["a: |\n  b  "], "\n", True)
@example(["a: b", "  c"], "\n", True)
@example(["a:", "  b: c", "   d: e"], "\n", True)
@example(["a:", "  b: c", "    d"], "\n", True)
@example(["a:", "  b: c", " d: e"], "\n", True)
@example(["a:", "  b: c", "  b: d"], "\n", True)
@example(["a:", "  b: |", "  c: d"], "\n", True)
def test_what_is_read_quickly_is_what_a_yaml_parser_reads(
    lines: list[str], line_break: str, ends: bool
) -> None:
    text = line_break.join(lines) + (line_break if ends else "")
    simple = read_simple_fields(text)
    if simple is None:
        return
    value, key_lines = load_yaml(text)
    assert simple == value
    assert [type(v) for v in simple.values()] == [type(v) for v in value.values()]
    assert read_fields(text)[1] == {key: line + 1 for key, line in key_lines.items()}


@pytest.mark.parametrize(
    "text",
    [
        "name: pdf-forms\ndescription: Fill in (PDF) forms; use when the user names one, e.g. a C# file.\n",
        'name: a\ndescription: "Use when: a # b"\nlicense: MIT\nversion: 1.0.0\n',
        "name: a\ndescription: >-\n  Use when\n  asked: always #1\nlicense: MIT\n",
        "name: a\r\ndescription: größer\r\n",
        'name: a\nmetadata:\n  author: me\n  version: "1.0"\n  n: 1\ndescription: d\n',
    ],
)
def test_usual_frontmatter_is_read_quickly(text: str) -> None:
    assert read_simple_fields(text) == load_yaml(text)[0]


@given(st.lists(LINES, max_size=4).map("\n".join))
def test_no_text_makes_the_reader_fail_otherwise_than_with_an_error_of_its_own(text: str) -> None:
    with contextlib.suppress(YamlError):
        load_yaml(text)
    with contextlib.suppress(FrontmatterError):
        parse_frontmatter(f"---\n{text}\n---\n")


def test_a_fault_in_a_value_that_goes_on_is_mended_at_its_key() -> None:
    text = "---\nname: a\ndescription: Runs the built-in\n  skill: grill\n---\n"
    with pytest.raises(FrontmatterError) as caught:
        parse_frontmatter(text)
    assert caught.value.line == 4
    assert caught.value.remedy.startswith("put the value of description in quotes")
    nested = "---\nname: a\nmetadata:\n  note: a: b\n---\n"
    with pytest.raises(FrontmatterError) as caught:
        parse_frontmatter(nested)
    assert caught.value.remedy.startswith("put the value of note in quotes")
