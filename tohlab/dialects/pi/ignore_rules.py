"""The patterns of ignore files as the npm package `ignore` 7 reads them for pi.

A pattern speaks of a path itself; what lies below an ignored folder is out, as the walk does not go there.
So `*`, `!b/` leaves the folder `b` in and everything in it out. The package folds case. pathspec, which has
these patterns too, lets the pattern of a folder speak of all that is in it, and answers differently here.

Source: `ignore` 7.0.8 (`index.js`), held against the running package over random patterns.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Final

_TRAILING_SPACE: Final = re.compile(r"(?<!\\)\s+\Z")


def ignores(rules: Sequence[str], path: str) -> bool:
    """Return whether the last rule that speaks of `path` ignores it.

    Args:
        rules: patterns, in order; one that starts with # says nothing.
        path: relative to the root; a folder ends in `/`.
    """
    for rule in reversed(rules):
        pattern = _compiled(rule)
        if pattern is not None and pattern.search(path):
            return not rule.startswith("!")
    return False


@functools.lru_cache(maxsize=4096)
def _compiled(rule: str) -> re.Pattern[str] | None:
    if rule.startswith("#"):  # also where the name of a folder was put before a pattern
        return None
    text = rule.removeprefix("!")
    if text.startswith(("\\!", "\\#")) and not rule.startswith("!"):
        text = text[1:]
    text = _TRAILING_SPACE.sub("", text)
    if not text:
        return None
    anchored = "/" in text[:-1]
    text = text.removeprefix("/")
    of_folders = text.endswith("/")
    text = text.removesuffix("/")
    try:
        body = _translated(text)
        start, end = "^" if anchored else "(?:^|/)", r"/\Z" if of_folders else r"/?\Z"
        return re.compile(start + body + end, re.IGNORECASE)
    except re.error:
        return None


def _translated(text: str) -> str:
    made: list[str] = []
    at = 0
    while at < len(text):
        rest = text[at:]
        char = text[at]
        if at == 0 and rest.startswith("**/"):
            made.append("(?:.*/)?")
            at += 3
        elif rest == "/**":
            made.append("/.+")
            at += 3
        elif rest.startswith("/**/"):
            made.append("(?:/[^/]+)*")
            at += 3
        elif char == "*":
            end = at + len(rest) - len(rest.lstrip("*"))
            alone = end == len(text) and (at == 0 or text[at - 1] == "/")
            made.append("[^/]+" if alone else "[^/]*")
            at = end
        elif char == "?":
            made.append("[^/]")
            at += 1
        elif char == "[" and (closed := re.match(r"\[([!^]?)([^\]/]+)\]", rest)):
            inside = closed[2].replace("\\", "\\\\").replace("[", "\\[").replace("&&", "&\\&")
            made.append(f"[^{inside}/]" if closed[1] else f"[{inside}]")
            at += closed.end()
        elif char == "\\" and at + 1 < len(text):
            made.append(re.escape(text[at + 1]))
            at += 2
        else:
            made.append(re.escape(char))
            at += 1
    return "".join(made)
