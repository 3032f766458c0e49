"""What is wrong with a value, in the harness's words and order."""

from __future__ import annotations

from typing import Any

import pytest

from tohlab.dialects import get_dialect
from tohlab.tools import violations

TEXTS = get_dialect("toh").schema_errors
CLOSED = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
    "required": ["b", "a"],
}
UNION = {"oneOf": [{"type": "string"}, {"type": "string", "const": "x"}]}


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        (CLOSED, {"b": 1, "a": "x"}, []),
        (CLOSED, [], ['"arguments" must be an object']),
        (
            CLOSED,
            {"z": 1, "a": 2},
            [
                'missing required property "b"',
                '"a" must be a string',
                '"z" is not a declared property (additionalProperties: false)',
            ],
        ),
        ({"type": "integer"}, 1.5, ['"arguments" must be an integer']),
        ({"type": "integer"}, 2.0, []),
        ({"type": "integer"}, True, ['"arguments" must be an integer']),
        ({"type": "integer"}, float("inf"), ['"arguments" must be an integer']),
        ({"type": "number"}, True, ['"arguments" must be a number']),
        ({"type": "number"}, float("nan"), ['"arguments" must be a finite JSON number']),
        ({"type": "number"}, -0.0, ['"arguments" must be a finite JSON number']),
        ({"type": "null"}, 0, ['"arguments" must be null']),
        ({"type": "null"}, None, []),
        ({"type": "string", "enum": ["a", "b"]}, "c", ['"arguments" must be one of ["a","b"]']),
        ({"type": "string", "const": "a"}, "b", ['"arguments" must be "a"']),
        (UNION, "y", []),
        (UNION, "x", ['"arguments" must match exactly one oneOf branch (matched 2)']),
        (UNION, 1, ['"arguments" must match exactly one oneOf branch (matched 0)']),
        ({"type": "array"}, [1, {"a": -0.0}], ['"arguments" must be a dense lossless JSON array']),
        ({"type": "array"}, (1, 2), []),
        ({"type": "object"}, {"a": {1, 2}}, ['"arguments" must be a lossless JSON object']),
        ({"type": "object"}, {1: 2}, ['"arguments" must be a lossless JSON object']),
        ({}, float("nan"), ['"arguments" must be a lossless JSON value']),
        ({}, {"a": [None, True]}, []),
    ],
)
def test_a_value_against_a_schema(schema: dict[str, Any], value: Any, expected: list[str]) -> None:
    assert violations(schema, value, TEXTS) == expected


def test_a_path_starts_where_the_value_stands() -> None:
    schema = {"type": "array", "items": CLOSED}
    assert violations(schema, [{"b": 1, "a": 1}], TEXTS, "value") == ['"value[0].a" must be a string']


def test_a_schema_that_is_not_understood_is_refused_and_not_ignored() -> None:
    with pytest.raises(ValueError, match="not known here"):
        violations({"type": ["string", "null"]}, "x", TEXTS)
