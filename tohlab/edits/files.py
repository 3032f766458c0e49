"""A recorded session from a file: JSON, or JSON lines.

Taken are one body (`{"messages": [...], "tools": [...]}`), a list of them, a list of messages, and the same
line by line. Bodies are the requests of a session in order; messages are one conversation, of which the
earlier requests follow. A line may also be `{"request": body, ...}`. Beside the body, or in it, may stand
when it was sent (`timestamp`, or `at_s` in seconds) and what the API reported (`usage`, or `response`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from tohlab.errors import PrefixError, RequestError, UsageError
from tohlab.request import READ, Body, Request, read_body
from tohlab.tokens.usage import Usage, usage_from

REMEDY: Final = (
    f'give {READ}, one or a list of them or one a line, or messages ({{"role": ..., "content": ...}})'
)
_FORMATS: Final = {"chat": "openai-chat", "messages": "anthropic"}
"""Whose usage report goes with a body's shape, where the line does not say it as `api`."""
_MOST_TOKENS: Final = 10**12
_LATEST_S: Final = 1e11
"""A time after this many seconds is none: it lies thousands of years away, or is in milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One request of a recorded session."""

    body: Body
    line: int
    """In the file, from 1."""
    at_s: float | None = None
    """When it was sent, in seconds; None where the file does not say."""
    usage: Usage | None = None
    """What the API reported; None where the file does not say."""

    @property
    def request(self) -> Request:
        """What was sent."""
        return self.body.request


def read_session(path: str | Path) -> tuple[Recorded, ...]:
    """Return the requests of a session, oldest first; one alone is a whole conversation.

    Args:
        path: a file in UTF-8.

    Raises:
        PrefixError: the file cannot be read, is cut off, or holds something else; its times run backwards, or
            a usage contradicts itself. The message has the line.
    """
    path = Path(path)
    try:
        # some Windows programs put a byte order mark in front
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise PrefixError(f"{path}: cannot be read ({error.strerror or error})") from error
    except UnicodeDecodeError as error:
        raise PrefixError(f"{path}: not UTF-8 at byte {error.start:,}; {REMEDY}") from error
    if not text.strip():
        raise PrefixError(f"{path}:1: it is empty; {REMEDY}")
    rows = _rows(text, path)
    if all(isinstance(row, dict) and "role" in row and not _holds_body(row) for _, row in rows):
        rows = [(rows[0][0], {"messages": [row for _, row in rows]})]
    found = tuple(_recorded(row, line, path) for line, row in rows)
    _check_times(found, path)
    return found


def _holds_body(row: dict[str, Any]) -> bool:
    return "messages" in row or "request" in row


def _rows(text: str, path: Path) -> list[tuple[int, Any]]:
    """What stands in the file, each with its line."""
    # only a line feed ends a line of JSON lines: texts may hold U+2028 and the others of `splitlines`
    lines = [(n, line) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
    try:
        whole = _parsed(text, path, 1)
    except PrefixError:
        # A first line that is complete by itself makes it a file of lines, and the fault is a line's.
        if len(lines) < 2 or not _complete(lines[0][1]):
            raise
        return [(n, _parsed(line, path, n)) for n, line in lines]
    rows = whole if isinstance(whole, list) else [whole]
    if not rows:
        raise PrefixError(f"{path}:1: an empty list; {REMEDY}")
    return [(lines[0][0], row) for row in rows]


def _complete(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _parsed(text: str, path: Path, line: int) -> Any:
    try:
        return json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        at = line + error.lineno - 1
        cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        why = "; the file ends in the middle, as if it were cut off" if cut else ""
        raise PrefixError(
            f"{path}:{at}: not JSON, column {error.colno} ({error.msg}){why}; {REMEDY}"
        ) from error
    except ValueError as error:
        raise PrefixError(f"{path}:{line}: not JSON ({error}); {REMEDY}") from error
    except RecursionError as error:
        raise PrefixError(f"{path}:{line}: nested too deeply to be a conversation; {REMEDY}") from error


def _recorded(row: Any, line: int, path: Path) -> Recorded:
    wrapped = isinstance(row, dict) and "request" in row and "messages" not in row
    try:
        body = read_body(row["request"] if wrapped else row)
    except RequestError as error:
        raise PrefixError(f"{path}:{line}: {error.what}; {REMEDY}") from error
    except RecursionError as error:
        raise PrefixError(f"{path}:{line}: nested too deeply to be a conversation; {REMEDY}") from error
    at = f"{path}:{line}"
    return Recorded(body=body, line=line, at_s=_time(row, at), usage=_usage(row, body, at))


def _time(row: dict[str, Any], at: str) -> float | None:
    name = "at_s" if row.get("at_s") is not None else "timestamp"
    value = row.get(name)
    if value is None:
        return None
    seconds = math.nan
    if isinstance(value, str) and name == "timestamp":
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            moment = None
        if moment is not None:
            # without a zone all of a session's times are taken for one zone's
            seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    elif isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LATEST_S:
        seconds = float(value)
    if not math.isfinite(seconds):
        raise PrefixError(
            f'{at}: {name} is {_short(value)}, which is no time; give seconds, or "timestamp": '
            '"2026-12-01T12:00:15Z"'
        )
    return seconds


def _usage(row: dict[str, Any], body: Body, at: str) -> Usage | None:
    raw = row.get("usage")
    answer = row.get("response")
    if raw is None and isinstance(answer, dict) and isinstance(answer.get("usage"), dict):
        raw = answer["usage"]
    if raw is None:
        return None
    api = row.get("api")
    try:
        found = usage_from(_FORMATS[body.shape] if api is None else api, raw)
    except UsageError as error:
        raise PrefixError(f'{at}: usage: {error}; another API\'s report: "api": "deepseek"') from error
    counts = (
        found.plain_tokens,
        found.read_tokens,
        found.write_tokens,
        found.total_tokens,
        found.output_tokens,
    )
    if max(count or 0 for count in counts) > _MOST_TOKENS:
        raise PrefixError(f"{at}: usage: no request has more than {_MOST_TOKENS:,} tokens")
    return found


def _check_times(found: Sequence[Recorded], path: Path) -> None:
    last: Recorded | None = None
    timed = [one for one in found if one.at_s is not None]
    if timed and len(timed) < len(found):
        lacking = next(one for one in found if one.at_s is None)
        raise PrefixError(
            f"{path}:{lacking.line}: it says no time, and line {timed[0].line} does; give every request a "
            "timestamp, or none"
        )
    for one in timed:
        if last is not None and (one.at_s or 0.0) < (last.at_s or 0.0):
            raise PrefixError(
                f"{path}:{one.line}: it was sent {(last.at_s or 0.0) - (one.at_s or 0.0):,.3f} s before the "
                f"request of line {last.line}; give the requests in the order in which they were sent"
            )
        last = one


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
