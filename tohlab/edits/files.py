"""A recorded conversation from a file: JSON, or JSON lines.

Taken are one body of chat completions (`{"messages": [...], "tools": [...]}`), a list of them, a list of
messages, and the same line by line. Bodies are the requests of a session in order; messages are one
conversation, of which the earlier requests follow.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from tohlab.errors import PrefixError, RequestError
from tohlab.request import Request

REMEDY: Final = (
    'give bodies of chat completions ({"messages": [...], "tools": [...]}), one or a list of them or one a '
    'line, or messages ({"role": ..., "content": ...})'
)


def read_session(path: str | Path) -> tuple[Request, ...]:
    """Return the requests of a session, oldest first; one alone is a whole conversation.

    Args:
        path: a file in UTF-8.

    Raises:
        PrefixError: the file cannot be read, is cut off, or holds something else; the message has the line.
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
    if all(isinstance(row, dict) and "messages" not in row and "role" in row for _, row in rows):
        rows = [(rows[0][0], {"messages": [row for _, row in rows]})]
    return tuple(_request(row, line, path) for line, row in rows)


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


def _parsed(text: str, path: Path, line: int) -> Any:
    try:
        return json.loads(text)
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


def _request(row: Any, line: int, path: Path) -> Request:
    try:
        return Request.from_openai(row)
    except RequestError as error:
        raise PrefixError(f"{path}:{line}: {error}; {REMEDY}") from error
