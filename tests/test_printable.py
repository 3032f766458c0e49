"""What of a text reaches a terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tohlab.printable import printable

STEERING = "\x00\x07\x1b\r\x7f\x9b\xad\u061c\u200b\u200e\u200f\u2028\u2029\u202e\u2066\ufeff\ud800\U000e0041"


@pytest.mark.parametrize("character", STEERING, ids=lambda c: f"U+{ord(c):04X}")
def test_a_character_that_steers_or_hides_is_replaced(character: str) -> None:
    assert printable(f"a{character}b") == printable(f"a{character}b", lines=True) == "a\ufffdb"


@pytest.mark.parametrize("joiner", "\u200c\u200d")
def test_a_joiner_stays_between_two_signs_beyond_ascii_alone(joiner: str) -> None:
    assert printable(f"\u0645{joiner}\u062e") == f"\u0645{joiner}\u062e"
    for before, after in (("a", "b"), ("", "\u0645"), ("\u0645", ""), ("\u0645", joiner + "\u0645")):
        assert joiner not in printable(before + joiner + after)
    family = "\U0001f469\u200d\u2764\ufe0f\u200d\U0001f468"
    assert printable(family) == family


def test_lines_stay_where_they_are_wanted() -> None:
    assert printable("a\tb\nc", lines=True) == "a\tb\nc"
    assert printable("a\tb\nc") == "a\ufffdb\ufffdc"


@given(st.text(st.characters()))
def test_what_is_shown_is_as_long_has_no_control_and_is_shown_as_it_is(text: str) -> None:
    shown = printable(text)
    assert len(shown) == len(text)
    assert not {unicodedata.category(c) for c in shown} & {"Cc", "Cs", "Zl", "Zp"}
    assert printable(shown) == shown
