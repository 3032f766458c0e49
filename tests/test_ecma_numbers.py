"""Numbers as JavaScript writes them."""

from __future__ import annotations

import pytest

from tohlab.ecma import number_to_string


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3000, "3000"),
        (1.0, "1"),
        (-0.0, "0"),
        (1.50, "1.5"),
        (0.1, "0.1"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (-1.5e22, "-1.5e+22"),
        (12345678901234567890, "12345678901234567000"),
        (0.000001, "0.000001"),
        (0.0000001, "1e-7"),
        (1.25e-9, "1.25e-9"),
        (5e-324, "5e-324"),
        (-(10**400), "-Infinity"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
    ],
)
def test_a_number_is_written_as_javascript_writes_it(value: float, text: str) -> None:
    assert number_to_string(value) == text
