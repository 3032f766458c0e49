"""A meter counts content as plain text, knows where each token starts, and encodes nothing twice."""

from __future__ import annotations

from typing import Any

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from tohlab.errors import TokensError
from tohlab.tokens import TiktokenMeter, TokenMeter, get_meter

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)
PIECES = ["日本", "é", "😀", "a", " ", "\n\n", "\ud83d", "\ude00", "𠀀", "\ufeff", "<|endoftext|>", "1234"]
WILD_TEXT = st.one_of(ANY_TEXT, st.lists(st.sampled_from(PIECES), max_size=12).map("".join))


@pytest.fixture(scope="module")
def meter() -> TiktokenMeter:
    return get_meter()


@pytest.fixture(scope="module")
def encoding(meter: TiktokenMeter) -> tiktoken.Encoding:
    return tiktoken.get_encoding(meter.name)


def test_a_meter_is_a_token_meter_named_after_its_encoding(meter: TiktokenMeter) -> None:
    assert isinstance(meter, TokenMeter)
    assert meter.name == "o200k_base"
    assert get_meter("o200k_base") is meter


def test_the_empty_text_costs_nothing(meter: TiktokenMeter) -> None:
    assert (meter.count(""), meter.encode(""), meter.encode_with_offsets("")) == (0, (), ((), ()))


def test_a_special_tokens_spelling_in_content_is_just_characters(meter: TiktokenMeter) -> None:
    ids = meter.encode("<|endoftext|>")
    assert len(ids) > 1
    assert meter.special("<|endoftext|>") not in ids


def test_specials_are_had_by_name_and_an_unknown_one_is_an_error() -> None:
    harmony = get_meter("o200k_harmony")
    assert harmony.special("<|start|>") == 200006
    with pytest.raises(TokensError, match=r"o200k_harmony has no special token '<\|nope\|>'"):
        harmony.special("<|nope|>")


@settings(deadline=None)
@given(WILD_TEXT)
def test_ids_are_those_of_tiktokens_encode_ordinary(text: str) -> None:
    meter = get_meter()
    expected = tuple(tiktoken.get_encoding("o200k_base").encode_ordinary(text))
    assert meter.encode(text) == expected == meter.encode_with_offsets(text)[0]
    assert meter.count(text) == len(expected)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_offsets_are_those_of_tiktoken_where_it_has_them(text: str) -> None:
    ids, starts = get_meter().encode_with_offsets(text)
    whole, expected = tiktoken.get_encoding("o200k_base").decode_with_offsets(list(ids))
    assert whole == text
    assert list(starts) == expected


@settings(deadline=None)
@given(WILD_TEXT)
def test_each_token_starts_in_the_character_that_holds_its_first_byte(text: str) -> None:
    ids, starts = get_meter().encode_with_offsets(text)
    assert list(starts) == slow_offsets(text, ids)


def slow_offsets(text: str, ids: tuple[int, ...]) -> list[int]:
    """The obvious way: lay out every character's bytes, then look up where each token's first one fell."""
    owner: list[int] = []
    at = 0
    while at < len(text):
        pair = "\ud800" <= text[at] <= "\udbff" and "\udc00" <= text[at + 1 : at + 2] <= "\udfff"
        lone = not pair and "\ud800" <= text[at] <= "\udfff"
        size = 4 if pair else 3 if lone else len(text[at].encode())
        owner += [at] * size
        at += 2 if pair else 1
    encoding = tiktoken.get_encoding("o200k_base")
    starts, byte = [], 0
    for token in ids:
        starts.append(owner[byte])
        byte += len(encoding.decode_single_token_bytes(token))
    assert byte == len(owner)
    return starts


def test_tokens_that_begin_inside_a_character_belong_to_it(meter: TiktokenMeter) -> None:
    ids, starts = meter.encode_with_offsets("c𠀀d")
    assert len(ids) == 5
    assert starts == (0, 1, 1, 1, 2)


def test_lone_surrogates_count_as_the_replacement_character(meter: TiktokenMeter) -> None:
    assert meter.encode("a\ud800b") == meter.encode("a\ufffdb")
    assert meter.encode("\ud83d\ude00!") == meter.encode("😀!")
    assert meter.encode_with_offsets("\ud83d\ude00!")[1] == (0, 2)


def counted_texts(meter: TiktokenMeter, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the meter gives to tiktoken from now on, by whichever of its calls."""
    texts: list[str] = []
    to_buffer, to_list = meter._to_buffer, meter._encode_list

    def buffer(text: str, special: frozenset[str]) -> Any:
        texts.append(text)
        return to_buffer(text, special)

    def as_list(text: str) -> list[int]:
        texts.append(text)
        return to_list(text)

    monkeypatch.setattr(meter, "_to_buffer", to_buffer and buffer)
    monkeypatch.setattr(meter, "_encode_list", as_list)
    return texts


def test_a_text_is_encoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    meter = TiktokenMeter()
    texts = counted_texts(meter, monkeypatch)
    for _ in range(3):
        meter.count("hello world")
        meter.encode("hello " + "world")
    assert texts == ["hello world"]


def test_memory_is_bounded_and_forgets_the_least_recently_used(monkeypatch: pytest.MonkeyPatch) -> None:
    meter = TiktokenMeter(memory_characters=10)
    texts = counted_texts(meter, monkeypatch)
    for text in ("aaaa", "bbbb", "aaaa", "cccc", "aaaa", "bbbb"):
        meter.count(text)
    assert texts == ["aaaa", "bbbb", "cccc", "bbbb"]
    meter.count("longer than ten")
    meter.count("longer than ten")
    assert texts[4:] == ["longer than ten"] * 2


@pytest.mark.parametrize(
    "text", ["", "a <|endoftext|> b", "日本語 für naïve\n\n x", "\ud83d half", "\ud83d\ude00"]
)
def test_a_tiktoken_without_the_quicker_call_counts_the_same(text: str) -> None:
    quick, plain = TiktokenMeter(), TiktokenMeter()
    plain._to_buffer = None
    assert quick._to_buffer is not None
    assert quick.encode(text) == plain.encode(text)


def test_a_run_of_blanks_that_tiktoken_cannot_split_is_a_clear_error(meter: TiktokenMeter) -> None:
    with pytest.raises(TokensError, match="white-space characters in a row at character 2, "):
        meter.count("hi" + " " * 1_000_000 + "there")
