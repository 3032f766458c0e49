"""A recorded session from a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tohlab.edits import read_session
from tohlab.errors import PrefixError
from tohlab.request import Request

HELLO = {"role": "user", "content": "Hello."}
HI = {"role": "assistant", "content": "Hi."}
FIRST = {"messages": [HELLO]}
SECOND = {"messages": [HELLO, HI, {"role": "user", "content": "Go on."}]}


def write(folder: Path, text: str) -> Path:
    path = folder / "session.json"
    path.write_text(text)
    return path


def requests_in(path: Path) -> tuple[Request, ...]:
    return tuple(one.request for one in read_session(path))


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize(
    ("text", "requests"),
    [
        (json.dumps(SECOND), [SECOND]),
        (json.dumps(SECOND, indent=2), [SECOND]),
        (json.dumps([FIRST, SECOND]), [FIRST, SECOND]),
        (lines(FIRST, SECOND), [FIRST, SECOND]),
        (lines(FIRST) + "\n\n" + lines(SECOND), [FIRST, SECOND]),
        (json.dumps([HELLO, HI]), [{"messages": [HELLO, HI]}]),
        (lines(HELLO, HI), [{"messages": [HELLO, HI]}]),
    ],
)
def test_bodies_and_messages_are_read_whole_or_line_by_line(
    tmp_path: Path, text: str, requests: list[Any]
) -> None:
    assert requests_in(write(tmp_path, text)) == tuple(Request.from_openai(row) for row in requests)


@pytest.mark.parametrize("text", [lines(FIRST, SECOND), json.dumps([FIRST, SECOND])])
def test_a_byte_order_mark_is_passed_over(tmp_path: Path, text: str) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert requests_in(path) == tuple(Request.from_openai(row) for row in (FIRST, SECOND))


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85"])
def test_only_a_line_feed_ends_a_line(tmp_path: Path, mark: str) -> None:
    said = {"messages": [{"role": "user", "content": f"One{mark}two"}]}
    path = tmp_path / "session.jsonl"
    path.write_text("".join(json.dumps(said, ensure_ascii=False) + "\r\n" for _ in range(2)), "utf-8")
    assert requests_in(path) == (Request.from_openai(said),) * 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (lines(FIRST, SECOND)[:-20], r":2: not JSON, column \d+ .*; the file ends in the middle"),
        (json.dumps(SECOND, indent=2)[:-30], r":13: not JSON, column \d+ .*; the file ends in the middle"),
        (json.dumps(SECOND)[:40], r":1: not JSON, .*the file ends in the middle, as if it were cut off"),
        (lines(FIRST) + "{oops}\n", r":2: not JSON, column 2"),
        (lines(FIRST, {"messages": [{"role": "me"}]}), r"messages\[0\]\.role: 'me' is no role"),
        ("", ":1: it is empty; give bodies of chat completions"),
        ("[]", ":1: an empty list"),
        ('"text"', ":1: a request is expected"),
        ("[" * 100_000, ":1: nested too deeply"),
    ],
)
def test_a_broken_file_is_named_with_the_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(
        PrefixError, match=r"session\.json" + (message if message[0] == ":" else f".*{message}")
    ):
        read_session(write(tmp_path, text))


def test_a_missing_file_and_one_of_another_encoding_are_named(tmp_path: Path) -> None:
    with pytest.raises(PrefixError, match=r"none\.json: cannot be read"):
        read_session(tmp_path / "none.json")
    (tmp_path / "latin.json").write_bytes(b'{"messages": "\xe9"}')
    with pytest.raises(PrefixError, match=r"latin\.json: not UTF-8 at byte 14"):
        read_session(tmp_path / "latin.json")
