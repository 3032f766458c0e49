"""What the npm package `yaml` says of a block that it cannot read, as it answered when it was asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tohlab.skills.npm_yaml_errors import npm_yaml_message
from tohlab.skills.readers import npm_yaml

COMPACT = "Nested mappings are not allowed in compact mappings"
LONG = "long " * 12


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (
            "name: x\ndescription: Use it: now",
            f"{COMPACT} at line 2, column 14:\n\ndescription: Use it: now\n             ^\n",
        ),
        ("name: x\nx y: ? x", f"{COMPACT} at line 2, column 6:\n\nx y: ? x\n     ^\n"),
        (
            "description: two words\n  and more: x\nname: x",
            f"{COMPACT} at line 1, column 14:\n\ndescription: two words\n             ^\n",
        ),
        (
            "metadata:\n  a: b: c",
            f"{COMPACT} at line 2, column 6:\n\n  a: b: c\n     ^\n",
        ),
        (
            f"name: x\n{LONG}: a: b",
            f"{COMPACT} at line 2, column 63:\n\n{LONG}: a: b\n{' ' * 62}^\n",
        ),
        (
            f"k: {LONG}{LONG}: b",
            f"{COMPACT} at line 1, column 4:\n\nk: {(LONG + LONG)[:76]}…\n   ^\n",
        ),
        (
            "name: x\nlicense: a\nname: y",
            "Map keys must be unique at line 3, column 1:\n\nlicense: a\nname: y\n^\n",
        ),
        (
            "name: x\nloose words",
            "Implicit map keys need to be followed by map values at line 2, column 1:\n\n"
            "name: x\nloose words\n^^^^^^^^^^^\n",
        ),
        (
            "name: x\nloose\nlicense: MIT",
            "Implicit keys need to be on a single line at line 2, column 1:\n\nname: x\nloose\n^\n",
        ),
        (
            "name: x\nx y: 'it's x'",
            "Unexpected scalar at node end at line 2, column 10:\n\nx y: 'it's x'\n         ^^^^\n",
        ),
        (
            "name: x\nx y: @home",
            "Plain value cannot start with reserved character @ at line 2, column 6:\n\nx y: @home\n     ^\n",
        ),
        (
            "name: x\nx y: %p x",
            "Plain value cannot start with directive indicator character % at line 2, column 6:\n\n"
            "x y: %p x\n     ^\n",
        ),
        (
            "name: x\nx y: - i",
            "Unexpected block-seq-ind on same line with key at line 2, column 6:\n\nx y: - i\n     ^\n",
        ),
        ("name: x\nx y: *x", "Unresolved alias (the anchor must be set before the alias): x"),
    ],
)
def test_a_common_fault_has_the_words_and_the_place_of_the_package(block: str, message: str) -> None:
    assert npm_yaml(block).error is not None
    assert npm_yaml_message(block) == message


@pytest.mark.parametrize(
    "block",
    [
        "a: [x",
        "a: {x",
        'a: "x',
        "a:\n\tb: c",
        "a: >text",
        "a:\n  b: 1\n c: 2",
        "a: **b** c",
        ": x\nb",
        "...\na",
    ],
)
def test_for_a_rare_fault_there_is_no_message(block: str) -> None:
    assert npm_yaml_message(block) is None


LINES = st.lists(
    st.sampled_from(
        [
            "a: b",
            "a: b: c",
            "b:",
            "  c: d",
            "  - e",
            "f",
            "",
            "# g",
            "'h': i",
            "  ",
            "j: 'k'l",
            "m: |",
            "n: *o",
        ]
    ),
    max_size=8,
)


@given(LINES)
def test_what_can_be_read_has_no_message(lines: list[str]) -> None:
    block = "\n".join(lines)
    if npm_yaml(block).error is None:
        assert npm_yaml_message(block) is None or not isinstance(npm_yaml(block).value, dict)
