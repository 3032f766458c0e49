"""Which value of a JSON text a character lies in."""

from __future__ import annotations

import re
from typing import Final

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


def json_path_at(text: str, character: int) -> str:
    """Return the path of the innermost value at `character`, such as `parameters.properties.q.description`.

    `text` is a JSON text, also a broken one: what comes after `character` is not read. Items of an array are
    numbered from 0: `required[1]`. A character in a key belongs to the object around it. Empty outside of
    every member.
    """
    stack: list[str | int] = []  # the key or index at each open level; "" before an object's first key
    expects_key: list[bool] = []
    for match in _TOKEN.finditer(text):
        if match.start() > character:
            break
        token = match.group()
        if token in "{[":
            if match.start() == character:
                break
            stack.append("" if token == "{" else 0)
            expects_key.append(token == "{")
        elif token in "}]":
            if match.start() == character or not stack:
                break
            stack.pop()
            expects_key.pop()
        elif token == "," and stack:
            last = stack[-1]
            stack[-1] = last + 1 if isinstance(last, int) else ""
            expects_key[-1] = not isinstance(last, int)
        elif token == ":" and stack:
            expects_key[-1] = False
        elif token.startswith('"') and stack and expects_key[-1] and character >= match.end():
            stack[-1] = token[1:-1]
    path = ""
    for step in stack:
        if isinstance(step, int):
            path += f"[{step}]"
        elif step:
            path += f".{step}" if path else step
    return path
