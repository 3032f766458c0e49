import math
from typing import Any

import pytest

from tohlab.skills.yaml12 import MAX_ALIASES, MAX_DEPTH, TaggedScalar, YamlError, load_yaml


def value_of(text: str) -> Any:
    return load_yaml(f"k: {text}\n")[0]["k"]


@pytest.mark.parametrize(
    "text", ["yes", "no", "on", "off", "y", "2024-01-01", "12:30:45", "1.2.3", "0b1", "1_0"]
)
def test_words_that_only_yaml_1_1_gives_a_meaning_are_text(text: str) -> None:
    assert value_of(text) == text


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0755", 755),
        ("+1", 1),
        ("-3", -3),
        ("0x1f", 31),
        ("0o17", 15),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("5.", 5.0),
    ],
)
def test_numbers_of_the_core_schema_are_numbers(text: str, number: float) -> None:
    assert value_of(text) == number
    assert not isinstance(value_of(text), str)


def test_a_number_of_ten_thousand_digits_does_no_harm() -> None:
    assert value_of("9" * 10_000) == math.inf


@pytest.mark.parametrize("text", ["", "~", "null", "Null", "NULL"])
def test_null_has_five_spellings(text: str) -> None:
    assert value_of(text) is None


@pytest.mark.parametrize("text", ["true", "True", "TRUE"])
def test_true_has_three_spellings(text: str) -> None:
    assert value_of(text) is True


def test_quotes_make_text_of_anything() -> None:
    assert load_yaml("a: '1'\nb: \"true\"\nc: !!str 5\n")[0] == {"a": "1", "b": "true", "c": "5"}


def test_a_merge_key_is_a_plain_key() -> None:
    assert load_yaml("<<: {b: 1}\na: 1\n")[0] == {"<<": {"b": 1}, "a": 1}


def test_an_unknown_tag_is_dropped_and_a_known_foreign_one_is_no_text() -> None:
    assert value_of("!mine x") == "x"
    assert value_of("!!timestamp 2001-01-01") == TaggedScalar("timestamp", "2001-01-01")


@pytest.mark.parametrize(
    "char", ["\u0085", "\u2028", "\u2029", "\x07", "\x7f", "\ufeff", "\ud83d", "\r", "\ufffe"]
)
def test_characters_that_yaml_1_1_would_refuse_or_break_lines_at_are_kept(char: str) -> None:
    assert value_of(f"a{char}b") == f"a{char}b"
    assert value_of(f"\ue000{char}\ue001") == f"\ue000{char}\ue001"


def test_lines_are_told_for_the_keys_of_the_top_mapping() -> None:
    assert load_yaml("# c\na: 1\nb:\n  a: 2\n? c\n: 3\n")[1] == {"a": 2, "b": 3, "c": 5}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: 1\nb: 2\na: 3\n", 3),
        ("m:\n  x: 1\n  x: 2\n", 3),
        ("a: 1\n1: x\n1.0: y\n", 3),
    ],
)
def test_a_key_that_is_there_twice_is_an_error_with_its_second_line(text: str, line: int) -> None:
    with pytest.raises(YamlError, match="must be unique") as caught:
        load_yaml(text)
    assert caught.value.line == line
    assert caught.value.code == "duplicate-key"


def test_a_number_and_its_text_are_two_keys() -> None:
    assert load_yaml("1: x\n'1': y\n")[0] == {"1": "y"}


@pytest.mark.parametrize("text", ["'a'#c", '"a"#c', "[a]#c", "{a: 1}#c", "'\u00e9\U0001f600'#c"])
def test_a_comment_must_not_touch_the_value_before_it(text: str) -> None:
    with pytest.raises(YamlError, match="Comments must be separated") as caught:
        load_yaml(f"first: \u00e9\nk: {text}\n")
    assert caught.value.line == 2


@pytest.mark.parametrize("text", ["'a' #c", "'a#c'", "[a] # c", "a#c", "['a']\n# c", "\n  x: 'y'\n#c"])
def test_a_comment_apart_is_a_comment(text: str) -> None:
    assert load_yaml(f"k: {text}\nlast: 1\n")[0]["last"] == 1


@pytest.mark.parametrize("text", ["m:\n\ta: 1\n", "\ta: 1\n", "a: b\n\tc\n", "m:\n  b: 1\n\tc: 2\n"])
def test_a_tab_as_indentation_is_an_error(text: str) -> None:
    with pytest.raises(YamlError, match="Tabs are not allowed as indentation"):
        load_yaml(text)


@pytest.mark.parametrize("text", ["a: b\n\t\nc: d\n", "a: b\n \t# note\nc: d\n", "a:\tb\nc: d\t\n"])
def test_a_tab_where_it_indents_nothing_is_none(text: str) -> None:
    assert load_yaml(text)[0] == {"a": "b", "c": "d"}


@pytest.mark.parametrize(
    "text",
    [
        "a: b: c",
        "a: @x",
        "a: `x`",
        "a: %x",
        "a: [b",
        "a: 'b",
        'a: "b" c',
        "a: *b*",
        "a: *none",
        "a: 1\n...\nb: 2",
    ],
)
def test_what_is_no_yaml_is_an_error_with_a_line(text: str) -> None:
    with pytest.raises(YamlError) as caught:
        load_yaml(text)
    assert caught.value.line is not None


def test_a_billion_laughs_end_at_once() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    with pytest.raises(YamlError, match="Excessive alias count"):
        load_yaml("\n".join(lines) + "\n")


def test_a_value_may_be_repeated_so_often_and_no_more() -> None:
    aliases = MAX_ALIASES - 1  # the anchor itself counts as one
    assert len(load_yaml("a: &x 1\nb: [" + "*x, " * aliases + "]\n")[0]["b"]) == aliases
    with pytest.raises(YamlError, match="Excessive alias count"):
        load_yaml("a: &x 1\nb: [" + "*x, " * (aliases + 1) + "]\n")


def test_a_value_that_holds_itself_is_an_error() -> None:
    with pytest.raises(YamlError, match="inside the value"):
        load_yaml("a: &x [*x]\n")


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 100_000])
def test_too_many_brackets_are_an_error_and_not_a_crash(depth: int) -> None:
    with pytest.raises(YamlError, match="nest"):
        load_yaml("a: " + "[" * depth + "]" * depth)


def test_values_may_be_nested_as_deep_as_anyone_needs() -> None:
    assert load_yaml("a: " + "[" * 100 + "]" * 100)
