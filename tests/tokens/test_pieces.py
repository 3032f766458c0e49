"""A long text counted by its pieces costs exactly what it costs as one text, and each span its share."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tohlab.request import Span
from tohlab.tokens import TiktokenMeter, count_spans, get_meter, pieces, share_out

ENCODINGS = sorted(pieces.PROVEN)
PARTS = [
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    " ",
    "  ",
    "\t",
    "/",
    "//",
    "-",
    "<",
    ">",
    "a",
    "Zz",
    "don't",
    "'s",
    "'",
    "1234",
    "é",
    "日本",
    "😀",
    "\u0301",
    "\u00a0",
    "\u2028",
    "\u0085",
    "\x0b",
    "\x1c",
    "\ufeff",
    "\ud83d",
    "\ude00",
    ".",
    "</b>",
    "  <skill>",
    "- name: ",
    "• ",
    "|",
    "ſ",
    "İ",
    "ǅ",
    "٣",
    "\u200b",
    "\u180e",
]
WILD = st.one_of(
    st.lists(st.sampled_from(PARTS), max_size=30).map("".join),
    st.text(st.characters(exclude_categories=()), max_size=60),
    st.lists(st.text(max_size=12), max_size=6).map("\n".join),
)


@pytest.mark.parametrize("encoding", ENCODINGS)
@settings(deadline=None, max_examples=200)
@given(WILD)
@example("a.\n/b")
@example("a\n\n\nb")
@example("a:\n  \n  b")
@example("x\n'll")
@example("\n \n")
def test_the_pieces_have_the_very_tokens_of_the_whole(encoding: str, text: str) -> None:
    meter = get_meter(encoding)
    found = pieces.pieces_of(text)
    assert "".join(found) == text
    assert tuple(token for piece in found for token in meter.encode(piece)) == meter.encode(text)


@pytest.mark.parametrize("encoding", ENCODINGS)
@settings(deadline=None, max_examples=100)
@given(WILD, st.lists(st.integers(0, 80), max_size=8))
def test_every_span_has_the_share_that_the_whole_gives_it(
    encoding: str, text: str, places: list[int]
) -> None:
    meter = get_meter(encoding)
    edges = sorted(min(place, len(text)) for place in places)
    spans = [
        Span(label=str(i), start=start, stop=stop)
        for i, (start, stop) in enumerate(zip(edges[::2], edges[1::2], strict=False))
    ]
    assert count_spans(text, spans, meter) == (meter.count(text), share_out(text, spans, meter))


def test_many_lines_of_many_kinds_add_up() -> None:
    rng = random.Random(7)
    for _ in range(5):
        text = "".join(rng.choices(PARTS, k=2000))
        for encoding in ENCODINGS:
            meter = get_meter(encoding)
            assert count_spans(text, (), meter)[0] == meter.count(text)


def test_a_line_that_was_counted_is_not_encoded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    meter = TiktokenMeter()
    count_spans("- a: one\n- b: two\n", (), meter)
    encoded: list[str] = []
    plain = TiktokenMeter.count_line
    monkeypatch.setattr(
        TiktokenMeter, "count_line", lambda self, text: (encoded.append(text), plain(self, text))[1]
    )
    assert count_spans("- b: two\n- c: three\n- a: one\n", (), meter)[0] == meter.count(
        "- b: two\n- c: three\n- a: one\n"
    )
    assert encoded == ["- c: three\n"]


def test_the_memory_starts_anew_when_it_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "MEMORY_CHARACTERS", 30)
    meter = TiktokenMeter()
    for i in range(50):
        text = f"line {i}\nand one more\n"
        assert count_spans(text, (), meter)[0] == meter.count(text)
    memory = pieces._memory_of(meter)
    assert memory is not None
    assert sum(map(len, memory.counts)) <= 60


class Words:
    """A meter of another kind: one token for each word and each gap."""

    name = "words"

    def count(self, text: str) -> int:
        return len(self.encode(text))

    def encode(self, text: str) -> tuple[int, ...]:
        return tuple(map(hash, text.split(" ")))

    def encode_with_offsets(self, text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        starts, at = [], 0
        for word in text.split(" "):
            starts.append(at)
            at += len(word) + 1
        return self.encode(text), tuple(starts)


def test_another_meter_is_asked_for_the_whole() -> None:
    text = "one two\nthree four\nfive"
    spans = (Span(label="x", start=4, stop=18),)
    assert count_spans(text, spans, Words()) == (3, share_out(text, spans, Words()))


def test_an_encoding_that_does_not_break_as_promised_is_not_taken_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pieces, "pieces_of", list)  # every character a piece: surely wrong
    meter = TiktokenMeter()
    assert pieces._memory_of(meter) is None
    assert count_spans("hello world\nagain", (), meter) == (meter.count("hello world\nagain"), ())
