"""JavaScript's idea of text and JSON."""

from __future__ import annotations

import pytest

from tohlab.ecma import json_parse, json_stringify, to_well_formed


def test_a_whole_number_of_any_length_is_a_number() -> None:
    assert json_parse("[12, -3]") == [12, -3]
    assert json_parse("9" * 5000) == float("inf")
    assert json_parse("-" + "9" * 5000) == float("-inf")


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", "-Infinity", "{", ""])
def test_what_json_parse_refuses_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"JSON|Expecting"):
        json_parse(text)


@pytest.mark.parametrize(
    ("text", "formed"),
    [
        ("plain", "plain"),
        ("\ud83d...", "\ufffd..."),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("\ud83d\ude00", "\U0001f600"),
    ],
)
def test_half_characters_become_the_sign_for_one_that_is_missing(text: str, formed: str) -> None:
    assert to_well_formed(text) == formed


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (["\ud83d\ude00"], '["\U0001f600"]'),
        ({"\ud83d\ude00": "\ud83d"}, '{"\U0001f600":"\\ud83d"}'),
        (["\ud83d", "\ude00"], '["\\ud83d","\\ude00"]'),
        ("\ude00\ud83d\u2028é", '"\\ude00\\ud83d\u2028é"'),
    ],
)
def test_two_halves_side_by_side_are_one_character_in_json(value: object, text: str) -> None:
    assert json_stringify(value) == text
