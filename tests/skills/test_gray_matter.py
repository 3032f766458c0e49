"""gray-matter 4 with js-yaml 3: how a text is cut, and what its fields are."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tohlab.skills.gray_matter import gray_matter
from tohlab.skills.readers import js_yaml3, simple_lines
from tohlab.skills.yaml12 import TaggedScalar


@pytest.mark.parametrize(
    ("text", "data", "content"),
    [
        ("---\na: 1\n---\nBody\n", {"a": 1}, "Body\n"),
        ("\ufeff---\na: x\n---\nBody", {"a": "x"}, "Body"),
        ("---\r\na: x\r\n---\r\nBody\r\n", {"a": "x"}, "Body\r\n"),
        ("---\na: x\n--- more\nBody\n", {"a": "x"}, " more\nBody\n"),
        ("---\na: x\n----\nBody\n", {"a": "x"}, "-\nBody\n"),
        ("---\na: x\n", {"a": "x"}, ""),
        ("---\n---\nBody\n", {}, "Body\n"),
        ("---\n# only words\n\n---\nBody\n", {}, "Body\n"),
        ("----\na: x\n---\nBody\n", {}, "----\na: x\n---\nBody\n"),
        ("\n---\na: x\n---\n", {}, "\n---\na: x\n---\n"),
        ("", {}, ""),
        ("---", {}, ""),
        ("---yaml\na: x\n---\nB", {"a": "x"}, "B"),
        ("--- YML \na: x\n---\nB", {"a": "x"}, "B"),
        ('---json\n{"a": [1, null]}\n---\nB', {"a": [1, None]}, "B"),
    ],
)
def test_a_text_is_cut_as_the_package_cuts_it(text: str, data: Any, content: str) -> None:
    found = gray_matter(text)
    assert (found.data, found.content, found.read.error) == (data, content, None)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("---js\n{a: 1}\n---\n", "JavaScript, which is not run here"),
        ("---javascript\nprocess.exit()\n---\n", "JavaScript, which is not run here"),
        ("---toml\na = 1\n---\n", 'gray-matter engine "toml" is not registered'),
        ("---json\n{a: 1}\n---\n", "not JSON"),
        ("---json\nNaN\n---\n", "NaN is not JSON"),
        ("---\na: b: c\n---\n", "bad indentation of a mapping entry"),
        ("---\na: 1\na: 2\n---\n", "duplicated mapping key"),
    ],
)
def test_what_cannot_be_read_has_its_reason(text: str, reason: str) -> None:
    found = gray_matter(text)
    assert reason in (found.read.error or "")
    assert found.read.repair


@given(st.text(alphabet="-ab: \n\r\"'#[]{}|>&*!<\ufeffé\t1.", max_size=60))
def test_no_text_raises(text: str) -> None:
    gray_matter(text)
    gray_matter(f"---\n{text}\n---\n{text}")
    simple_lines(text)


@pytest.mark.parametrize(
    ("plain", "value"),
    [
        ("yes", "yes"),
        ("True", True),
        ("~", None),
        ("017", 15),
        ("09", "09"),
        ("0b101", 5),
        ("0x1F", 31),
        ("0o7", "0o7"),
        ("1_000", 1000),
        ("1__", "1__"),
        ("-1:30", -90),
        ("1:30.5", 90.5),
        ("1:99", "1:99"),
        ("1e3", 1000.0),
        ("1.", 1.0),
        (".5", 0.5),
        ("+.5", "+.5"),
        ("-.inf", float("-inf")),
        ("2026-01-02", TaggedScalar("timestamp", "2026-01-02")),
        ("2026-1-2", "2026-1-2"),
        ("2026-1-2 3:04:05", TaggedScalar("timestamp", "2026-1-2 3:04:05")),
        ("!!str 017", "017"),
        ("'017'", "017"),
        ("!!int 0x10", 16),
        ("=", "="),
    ],
)
def test_plain_values_are_those_of_js_yaml_3(plain: str, value: Any) -> None:
    assert js_yaml3(f"a: {plain}").value == {"a": value}


@pytest.mark.parametrize(
    ("block", "value"),
    [
        ("a: |\n  x", {"a": "x\n"}),
        ("b: &b {x: 1, y: 2}\nc:\n  <<: *b\n  y: 3", {"b": {"x": 1, "y": 2}, "c": {"x": 1, "y": 3}}),
        ("c:\n  y: 3\n  <<: [{x: 1}, {x: 2, y: 4}]", {"c": {"y": 3, "x": 1}}),
        ("1: a\n~: b\ntrue: c\n[x, y]: d", {"1": "a", "null": "b", "true": "c", "x,y": "d"}),
        ('a: "x" b: y', {"a": "x", "b": "y"}),
        ("a: x\rb: y", {"a": "x", "b": "y"}),
        ("a: x\u2028y", {"a": "x\u2028y"}),
        ("a: &x [*x]", {"a": [None]}),
        ("a: [a,,b]", {"a": ["a", None, "b"]}),
        ("a: [, [b] ,\n ,]", {"a": [None, ["b"], None]}),
        ("a: [,]", {"a": [None]}),
        ("a: [a,]", {"a": ["a"]}),
        ("a: {a: 1,,b}", {"a": {"a": 1, "null": None, "b": None}}),
        ("a: !", {"a": None}),
        ("- !\n- b", [None, "b"]),
        ("a: ! ~", {"a": "~"}),
        ("a: ! ''", {"a": ""}),
        ("", None),
    ],
)
def test_structures_are_those_of_js_yaml_3(block: str, value: Any) -> None:
    assert js_yaml3(block).value == value


@pytest.mark.parametrize(
    "block",
    [
        "a: !x y",
        "a: !!foo y",
        "a: !!int x",
        "a: *b",
        "a: 1\n--- \nb: 2",
        "a: \x07",
        "1: a\n'1': b",
        "<<: [1]",
        "a: @x",
    ],
)
def test_what_js_yaml_3_refuses(block: str) -> None:
    read = js_yaml3(block)
    assert read.value is None
    assert read.error


@pytest.mark.parametrize(
    ("block", "value"),
    [
        ("a: b: c\n# no\n\nd: 3", {"a": "b: c", "d": 3.0}),
        ("a:\n  - x\n  - 0x1f\nb: y", {"a": ["x", 31], "b": "y"}),
        ("a:\n  k: v: w\n  n: null\nb: y", {"a": {"k": "v: w", "n": None}, "b": "y"}),
        ("a: x\na: y", {"a": "y"}),
        ('a: "q \\" \\\\ x"\nb: \'q\'', {"a": 'q " \\ x', "b": "'q'"}),
        ("a:\nb: true\nc: false\nno colon", {"b": True, "c": False}),
        ("a: -1.5e3\nb: 1_000\nc: Infinity", {"a": -1500.0, "b": "1_000", "c": "Infinity"}),
        ("  - x", {"": ["x"]}),
        ("", {}),
    ],
)
def test_the_line_reader_of_qwen_code(block: str, value: Any) -> None:
    assert simple_lines(block) == value


def test_lines_count_from_the_first_hyphens_with_white_space_behind_them_too() -> None:
    assert (
        gray_matter("---\nname: a\nb: [\n---\n").read.line
        == gray_matter("--- \nname: a\nb: [\n---\n").read.line
    )
    assert dict(gray_matter("--- \nname: a\nb: {}\n---\n").read.lines) == {"name": 1, "b": 2}
