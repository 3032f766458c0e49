"""What the Python package `strictyaml` takes and says, as it answered when it was asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tohlab.skills.readers import strictyaml
from tohlab.skills.strict_yaml import StrictYamlError, load_strict_yaml
from tohlab.skills.yaml12 import TaggedScalar


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1\nb: yes\nc: ~\nd: null\n", {"a": "1", "b": "yes", "c": "~", "d": "null"}),
        ("a: 1.0\n2: 2001-01-01\n", {"a": "1.0", "2": "2001-01-01"}),
        ("a:\nb: ''\n", {"a": "", "b": ""}),
        ("a:\n- x\n- y: 1\n  z: 2\n", {"a": ["x", {"y": "1", "z": "2"}]}),
        ("a: >-\n  x\n  y\n\n  z\n# c\n", {"a": "x y\nz"}),
        ("a: |\n  x\n # c\n", {"a": "x\n"}),
        ("- a\n- b\n", ["a", "b"]),
        ("", ""),
        ("# c\n", "# c\n"),
        ("words alone\n", "words alone\n"),
        ("? a\n", {"a": ""}),
        (": y\n", {"": "y"}),
        ("a: 1\n<<:\n  b: 2\n", {"a": "1"}),
        ("a: =\n", {"a": TaggedScalar("value", "=")}),
        ("a: x\ufeffy\n", {"a": "x\ufeffy"}),
        ("a: \"\\/\"\n", {"a": "/"}),
    ],
)  # fmt: skip
def test_every_scalar_is_the_text_that_stands_there(text: str, value: object) -> None:
    assert load_strict_yaml(text)[0] == value


LITERAL = "(surround with ' and ' to make text appear literally)"


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (
            "a: x: y\n",
            "unquoted-colon",
            'mapping values are not allowed here\n  in "<unicode string>", line 1, column 5:\n'
            "    a: x: y\n        ^ (line: 1)",
        ),
        (
            "a: [x",
            "flow-collection",
            'While scanning\n  in "<unicode string>", line 1, column 4:\n    a: [x\n       ^ (line: 1)\n'
            f"Found ugly disallowed JSONesque flow mapping {LITERAL}\n"
            '  in "<unicode string>", line 1, column 5:\n    a: [x\n        ^ (line: 1)',
        ),
        (
            "a: !x y\n",
            "tag",
            'While scanning\n  in "<unicode string>", line 1, column 6:\n    a: !x y\n         ^ (line: 1)\n'
            "Found disallowed tag tokens (do not specify types in markup)\n"
            '  in "<unicode string>", line 1, column 4:\n    a: !x y\n       ^ (line: 1)',
        ),
        (
            "a:\n  b: 1\n  b: 2\nc: 1\nc: 2\n",
            "duplicate-key",
            'While parsing\n  in "<unicode string>", line 3, column 3:\n      b: 2\n      ^ (line: 3)\n'
            "Duplicate key 'b' found\n  in \"<unicode string>\", line 3, column 4:\n      b: 2\n"
            "       ^ (line: 3)",
        ),
        (
            "a:\n  b: 1\nc:\n    d: 1\n",
            "indentation",
            'While parsing\n  in "<unicode string>", line 4, column 5:\n        d: 1\n        ^ (line: 4)\n'
            "Found mapping with indentation inconsistent with previous mapping\n"
            '  in "<unicode string>", line 5, column 1:\n    \n    ^ (line: 5)',
        ),
        (
            "a: **b**\n",
            "invalid-yaml",
            "found undefined alias '*b**'\n"
            '  in "<unicode string>", line 1, column 4:\n    a: **b**\n       ^ (line: 1)',
        ),
        (
            "a: 1\n...\nb: 2\n",
            "invalid-yaml",
            'expected a single document in the stream\n  in "<unicode string>", line 1, column 1:\n'
            "    a: 1\n    ^ (line: 1)\nbut found another document\n"
            '  in "<unicode string>", line 3, column 1:\n    b: 2\n    ^ (line: 3)',
        ),
        (
            'a: "\\u12"\n',
            "invalid-yaml",
            'while scanning a double-quoted scalar\n  in "<unicode string>", line 1, column 4:\n'
            '    a: "\\u12"\n       ^ (line: 1)\n'
            "expected escape sequence of 4 hexdecimal numbers, but found '\"'\n"
            '  in "<unicode string>", line 1, column 7:\n    a: "\\u12"\n          ^ (line: 1)',
        ),
        (
            "a:\tx\n",
            "tab",
            "while scanning for the next token\nfound character '\\t' that cannot start any token\n"
            '  in "<unicode string>", line 1, column 3:\n    a:\tx\n      ^ (line: 1)',
        ),
    ],
)
def test_a_refusal_has_the_words_and_the_place_of_the_package(text: str, code: str, message: str) -> None:
    with pytest.raises(StrictYamlError) as caught:
        load_strict_yaml(text)
    assert (caught.value.code, str(caught.value)) == (code, message)


def test_a_long_line_is_shown_around_the_place() -> None:
    with pytest.raises(StrictYamlError) as caught:
        load_strict_yaml("a: " + "long " * 12 + ": " + "more " * 20)
    assert str(caught.value).splitlines()[2] == (
        "     ... g long long long long long long : more more more more more more  ... "
    )


def test_a_control_character_breaks_the_package_itself() -> None:
    read = strictyaml("a: b\nc: \x80\n")
    assert read.error == "'ReaderError' object has no attribute 'context_mark'"
    assert (read.kind, read.code, read.line) == ("AttributeError", "control-character", 2)


def test_deep_nesting_is_an_answer_and_no_crash() -> None:
    read = strictyaml("".join(" " * depth + "- \n" for depth in range(3000)))
    assert read.kind == "RecursionError"
    assert read.error


def test_the_reader_names_line_and_repair() -> None:
    read = strictyaml("\nname: x\nallowed-tools: [Read]\n")
    assert (read.line, read.code) == (3, "flow-collection")
    assert read.repair == "write the list or the mapping as indented lines, or put the value in quotes"
    assert strictyaml("a: 1\nb:\n  - c\nd: 2\n").lines == {"a": 1, "b": 2, "d": 4}


WORDS = st.sampled_from(
    [
        "a",
        "b c",
        "'q'",
        "- x",
        "k:",
        "k: v",
        "|",
        ">",
        "#",
        "x: y",
        "[",
        "{a}",
        "&a",
        "*a",
        "!t",
        "~",
        "",
        "@",
        "\t",
    ]
)
LINES = st.lists(st.tuples(st.sampled_from(["", "  ", "    "]), WORDS), max_size=6)


@given(LINES)
def test_a_line_end_of_either_kind_is_read_alike_and_nothing_else_is_raised(
    lines: list[tuple[str, str]],
) -> None:
    def read(end: str) -> object:
        try:
            return load_strict_yaml("".join(f"{indent}{word}{end}" for indent, word in lines))
        except StrictYamlError as error:
            return error.code, error.line

    value, crlf = read("\n"), read("\r\n")
    if not (isinstance(value, tuple) and isinstance(value[0], str)):
        assert value == crlf
