"""One parse for all harnesses: the same results, read once, within bounds, from several threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.skills.test_frontmatter import BREAKS, LINES
from tohlab.skills import sharing
from tohlab.skills.frontmatter import read_simple_block
from tohlab.skills.readers import npm_yaml, pyyaml, serde_yaml, strictyaml
from tohlab.skills.serde_yaml import SerdeError, Struct, load_struct
from tohlab.skills.sharing import shared
from tohlab.skills.strict_yaml import StrictYamlError, load_strict_yaml

KEYS = st.sampled_from(["name", "description", "on", "yes", "n", "a", "metadata", "x-1", "null", "off"])
VALUES = st.sampled_from(
    [
        "plain",
        "two words",
        "yes",
        "No",
        "on",
        "true",
        "False",
        "null",
        "~",
        "3000",
        "1:30",
        "0x1f",
        "017",
        "1_000",
        "2026-01-02",
        "1e3",
        "'quoted'",
        '"double"',
        "'yes'",
        '"3000"',
        "a: b",
        "a #b",
        "a:b",
        "http://x/y",
        "=",
        "<<",
        "[a]",
        "{a: b}",
        "*a",
        "&a b",
        "!t x",
        "|\n  one\n  two",
        ">-\n  one\n  two",
        ">\n  one",
        "|-\n  one",
        "\n  short: s\n  other: yes",
        "\n  short: 3",
        "\n    deep: d",
        "é 日本",
        "tab\there",
        "",
        " ",
        "y",
        "100%",
        "\n  - item",
        "it's",
        'say "x"',
        ".inf",
        "0b1",
        "12e03",
        "\u0085x",
        "\u2028",
        "x\u00a0y",
        "-1",
        "+1",
        "1.5",
    ]
)
FIELDS = st.tuples(KEYS, VALUES).map(lambda pair: f"{pair[0]}: {pair[1]}")
BLOCKS = st.tuples(
    st.sampled_from(["", "\n", "\n\n"]),
    st.lists(FIELDS | LINES, max_size=5),
    BREAKS,
    st.sampled_from(["", "\n"]),
).map(lambda parts: parts[0] + parts[2].join(parts[1]) + parts[3])

STRUCT = Struct(
    name="Front",
    fields={
        "name": "text",
        "description": "text",
        "on": "flag",
        "metadata": Struct(name="Metadata", fields={"short": "text"}),
    },
)


def same(one: Any, other: Any) -> bool:
    """Equal, and of the same kinds: 1 is not True."""
    return repr(one) == repr(other)


@settings(deadline=None, max_examples=250)
@given(BLOCKS)
@example("description: |\n  a")
@example("on: true")
@example("\nname: x\nyes: y\n")
@example("a: 'null'\n")
def test_pyyaml_reads_the_same_with_and_without_the_quick_way(block: str) -> None:
    expected: tuple[Any, ...]
    try:
        expected = yaml.load(block, Loader=yaml.CSafeLoader), None
    except (yaml.YAMLError, ValueError) as error:
        expected = None, str(error)
    read = pyyaml(block)
    assert same((read.value, read.error), expected)


@settings(deadline=None, max_examples=250)
@given(BLOCKS)
@example("name: 'null'\n")
@example("description: >\n  a")
def test_a_struct_is_read_the_same_with_and_without_the_quick_way(block: str) -> None:
    expected: tuple[Any, ...]
    try:
        expected = (*load_struct(block, STRUCT), None, None)
    except SerdeError as error:
        expected = (None, {}, str(error), error.line)
    read = serde_yaml(block, STRUCT)
    assert same((read.value, dict(read.lines), read.error, read.line), expected)


@settings(deadline=None, max_examples=250)
@given(BLOCKS)
def test_strictyaml_reads_the_same_with_and_without_the_quick_way(block: str) -> None:
    expected: tuple[Any, ...]
    try:
        expected = (*load_strict_yaml(block), None, None)
    except StrictYamlError as error:
        expected = (None, {}, str(error), error.line)
    read = strictyaml(block)
    assert same((read.value, dict(read.lines), read.error, read.line), expected)


def test_a_block_may_begin_with_a_line_break_and_its_lines_are_counted_with_it() -> None:
    assert read_simple_block("\nname: x\ndescription: y") == (
        {"name": "x", "description": "y"},
        {"name": 2, "description": 3},
    )
    assert read_simple_block("a: |\n  text") is None


def test_equal_texts_are_read_once() -> None:
    asked: list[str] = []

    @shared
    def reader(text: str) -> list[str]:
        asked.append(text)
        return [text]

    assert reader("a") is reader("a")
    assert reader("b") == ["b"]
    assert asked == ["a", "b"]
    sharing.forget()
    reader("a")
    assert asked == ["a", "b", "a"]


def test_the_real_readers_share_and_forget() -> None:
    block = "name: [one, two]\n"
    first = npm_yaml(block)
    assert npm_yaml(str(block)) is first
    sharing.forget()
    assert npm_yaml(block) is not first
    assert npm_yaml(block) == first


def test_the_memory_is_bounded_and_long_texts_stay_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "MEMORY_CHARACTERS", 100)
    monkeypatch.setattr(sharing, "LONGEST_CHARACTERS", 20)
    asked: list[str] = []

    @shared
    def reader(text: str) -> str:
        asked.append(text)
        return text

    for _ in range(2):
        reader("x" * 30)
    assert len(asked) == 2
    for i in range(60):
        reader(f"text number {i:03}")
    memory = sharing._memories[-1]
    assert sum(map(len, memory.results)) <= 100


def test_an_error_is_raised_anew() -> None:
    asked: list[str] = []

    @shared
    def reader(text: str) -> str:
        asked.append(text)
        raise ValueError(text)

    for _ in range(2):
        with pytest.raises(ValueError, match="a"):
            reader("a")
    assert asked == ["a", "a"]


def test_many_threads_get_the_right_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "MEMORY_CHARACTERS", 50)

    @shared
    def reader(text: str) -> str:
        return text.upper()

    texts = [f"t{i % 17}" for i in range(4000)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(reader, texts)) == [text.upper() for text in texts]
