"""Frontmatter as a Rust program reads it: a struct with known fields, libyaml's errors, no guesses."""

from __future__ import annotations

from typing import Any

import pytest

from tohlab.skills.readers import js_yaml, serde_yaml
from tohlab.skills.serde_yaml import Struct

STRUCT = Struct(
    name="Front",
    fields={
        "name": "text",
        "description": "text",
        "on": "flag",
        "metadata": Struct(name="Metadata", fields={"short": "text", "deep": Struct(name="Deep", fields={})}),
    },
)


@pytest.mark.parametrize(
    ("block", "value"),
    [
        ("", {}),
        ("# nothing", {}),
        ("name: a\ndescription: b", {"name": "a", "description": "b"}),
        ("name: 3000\ndescription: yes", {"name": "3000", "description": "yes"}),
        ("name: ~\ndescription: 'null'", {"name": None, "description": "null"}),
        ("name: !!str null", {"name": "null"}),
        ("on: true", {"on": True}),
        ("on: FALSE", {"on": False}),
        ("on:", {"on": None}),
        ("other: [1, {a: b}]\nother: 2\nname: a", {"name": "a"}),
        ("name: &n a\ndescription: *n", {"name": "a", "description": "a"}),
        ("base: &m {short: s}\nmetadata: *m\nname: a", {"metadata": {"short": "s"}, "name": "a"}),
        ("metadata:\n  short: s\n  x: {y: z}\nname: a", {"metadata": {"short": "s"}, "name": "a"}),
        ("metadata:\nname: a", {"metadata": {}, "name": "a"}),
        ("x: &a [*a]\nname: v", {"name": "v"}),
    ],
)
def test_known_fields_are_read_and_all_others_passed_over(block: str, value: dict[str, Any]) -> None:
    read = serde_yaml(block, STRUCT)
    assert read.error is None
    assert read.value == value


def test_each_field_has_its_line() -> None:
    assert serde_yaml("name: a\n\nx: y\ndescription: |\n  b\n", STRUCT).lines == {"name": 1, "description": 4}


@pytest.mark.parametrize(
    ("block", "error", "line", "code"),
    [
        (
            "name: x\ndescription: a: b",
            "mapping values are not allowed in this context at line 2 column 15",
            2,
            0,
        ),
        ("name: a\nname: b", "duplicate field `name`", 2, "duplicate-key"),
        ("metadata: {short: a, short: b}", "metadata: duplicate field `short`", 1, "duplicate-key"),
        ("- a", "invalid type: sequence, expected struct Front at line 1 column 1", 1, "wrong-type"),
        (
            "just words",
            'invalid type: string "just words", expected struct Front at line 1 column 1',
            1,
            "wrong-type",
        ),
        ("name: {a: b}", "name: invalid type: map, expected a string at line 1 column 7", 1, "wrong-type"),
        (
            "name: a\non: yes",
            'on: invalid type: string "yes", expected a boolean at line 2 column 5',
            2,
            "wrong-type",
        ),
        (
            "on: 'true'",
            'on: invalid type: string "true", expected a boolean at line 1 column 5',
            1,
            "wrong-type",
        ),
        ("on: 1", "on: invalid type: integer `1`, expected a boolean at line 1 column 5", 1, "wrong-type"),
        (
            "metadata: 1.5",
            "metadata: invalid type: floating point `1.5`, expected struct Metadata at line 1 column 11",
            1,
            "wrong-type",
        ),
        (
            "metadata: ~",
            "metadata: invalid type: unit value, expected struct Metadata at line 1 column 11",
            1,
            "wrong-type",
        ),
        (
            "metadata:\n  deep: true",
            "metadata.deep: invalid type: boolean `true`, expected struct Deep at line 2 column 9",
            2,
            "wrong-type",
        ),
        ("[a]: b", "invalid type: sequence, expected field identifier at line 1 column 1", 1, "wrong-type"),
        ("name: *b", "unknown anchor at line 1 column 7", 1, 0),
        ("name: a\x07", "control characters are not allowed at position 7", 1, 0),
        (
            "name: a\n---\nname: b",
            "deserializing from YAML containing more than one document is not supported",
            2,
            0,
        ),
        ("name: a\n b: c", "mapping values are not allowed in this context at line 2 column 3", 2, 0),
        (
            "name: [a",
            "did not find expected ',' or ']' at line 2 column 1, "
            "while parsing a flow sequence at line 1 column 7",
            1,
            0,
        ),
    ],
)
def test_errors_are_worded_as_the_crate_words_them(
    block: str, error: str, line: int, code: str | int
) -> None:
    read = serde_yaml(block, STRUCT)
    assert read.error == error
    assert read.line == line
    assert read.code == (code or "invalid-yaml")
    assert read.repair


def test_what_is_nested_too_deep_is_an_error_and_no_crash() -> None:
    assert "exceeded maximum nesting depth" in str(serde_yaml("x: " + "[" * 50_000, STRUCT).error)
    assert serde_yaml("name: \ud800", STRUCT).error is not None


@pytest.mark.parametrize(
    ("block", "value"),
    [
        ("name: yes\ndescription: 2", {"name": "yes", "description": 2}),
        ("a: !!str 3\nb: it! works! x!y", {"a": "3", "b": "it! works! x!y"}),
        ("a: '[!'\nb: x\x85y!\nc: \u2028 !", {"a": "[!", "b": "x\x85y!", "c": "\u2028 !"}),
    ],
)
def test_js_yaml_reads_yaml_1_2(block: str, value: dict[str, Any]) -> None:
    assert js_yaml(block).value == value


@pytest.mark.parametrize(
    ("block", "error", "line"),
    [
        ("a: b\nc: !x d", "unknown tag !<!x>", 2),
        ("a: b\nc: d\x07", "the stream contains non-printable characters", 2),
        ("a: b: c", "mapping values are not allowed in this context", 1),
        ("a: b\na: c", 'Map keys must be unique: "a" is there twice', 2),
    ],
)
def test_js_yaml_refuses_tags_that_it_does_not_know_and_control_characters(
    block: str, error: str, line: int
) -> None:
    read = js_yaml(block)
    assert (read.error, read.line, read.value) == (error, line, None)
    assert read.repair
