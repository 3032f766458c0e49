"""Which value of a JSON text a character lies in, and which characters a value takes.

A path names a value from the text's outermost object on: `parameters.properties.q.description`,
`required[1]`; a key that is no plain word stands in brackets: `properties["a b"]`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

_WORD: Final = re.compile(r"[A-Za-z_$][\w$-]*", re.ASCII)
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


def json_path_at(text: str, character: int) -> str:
    """Return the path of the innermost value at `character`, such as `parameters.properties.q.description`.

    `text` is a JSON text, also a broken one: what comes after `character` is not read. Items of an array are
    numbered from 0: `required[1]`. A character in a key belongs to the object around it. Empty outside of
    every member.
    """
    stack: list[str | int | None] = []  # the key or index at each open level; None before a key
    expects_key: list[bool] = []
    for match in _TOKEN.finditer(text):
        if match.start() > character:
            break
        token = match.group()
        if token in "{[":
            if match.start() == character:
                break
            stack.append(None if token == "{" else 0)
            expects_key.append(token == "{")
        elif token in "}]":
            if match.start() == character or not stack:
                break
            stack.pop()
            expects_key.pop()
        elif token == "," and stack:
            last = stack[-1]
            stack[-1] = last + 1 if isinstance(last, int) else None
            expects_key[-1] = not isinstance(last, int)
        elif token == ":" and stack:
            expects_key[-1] = False
        elif token.startswith('"') and stack and expects_key[-1] and character >= match.end():
            stack[-1] = _key(token)
    path = ""
    for step in stack:
        if step is not None:
            path = join_path(path, step)
    return path


def join_path(path: str, step: str | int, *, quoted: bool = False) -> str:
    """Return the path of a member (`step` is its key) or an item (its index) of the value at `path`.

    `quoted` puts also a plain word in brackets, as the names of skills stand: `skills["pdf"]`.
    """
    if isinstance(step, int):
        return f"{path}[{step}]"
    if quoted or not _WORD.fullmatch(step):
        return f"{path}[{json.dumps(step, ensure_ascii=False)}]"
    return f"{path}.{step}" if path else step


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonSpan:
    """The characters of one value."""

    path: str
    """Empty for the outermost value."""
    start: int
    """Counted from 0, inclusive."""
    stop: int
    """Exclusive."""


def json_spans(text: str) -> tuple[JsonSpan, ...]:
    """Return where each value of a whole JSON text stands, outer ones before what lies in them.

    Raises:
        ValueError: the text is not JSON.
    """
    json.loads(text)
    spans: list[JsonSpan | None] = []
    open_: list[tuple[int, str, int]] = []  # the place in `spans`, path and start of each open value
    steps: list[str | int | None] = []  # the key or index at each open level; None before a key
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token in "]}":
            place, path, start = open_.pop()
            spans[place] = JsonSpan(path=path, start=start, stop=match.end())
            steps.pop()
        elif token == ",":
            last = steps[-1]
            steps[-1] = last + 1 if isinstance(last, int) else None
        elif token == ":":
            pass
        elif steps and steps[-1] is None:
            steps[-1] = json.loads(token)
        else:
            path = join_path(open_[-1][1], steps[-1]) if open_ and steps[-1] is not None else ""
            if token in "[{":
                open_.append((len(spans), path, match.start()))
                steps.append(0 if token == "[" else None)
                spans.append(None)
            else:
                spans.append(JsonSpan(path=path, start=match.start(), stop=match.end()))
    return tuple(span for span in spans if span is not None)


def _key(token: str) -> str:
    try:
        return str(json.loads(token))
    except ValueError:
        return token[1:-1]
