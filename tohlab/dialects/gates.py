"""`paths:` gates: a skill that is hidden until the session has touched a file that its patterns name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any, Final

MAX_PATTERNS: Final = 1000
"""How many patterns one gate may come to once its braces are written out, as Claude Code documents it."""

_BRACES: Final = re.compile(r"\{([^{}]*,[^{}]*)\}")


def gate_patterns(value: Any, *, braces: bool = False) -> tuple[str, ...]:
    """Return the patterns of a `paths:` field; empty where it is no gate.

    Args:
        value: a list, or one string with commas between the patterns (a comma inside braces does not part).
        braces: whether `*.{ts,tsx}` means two patterns; to git it is a name with braces in it. A gate of
            more than `MAX_PATTERNS` is cut there.
    """
    if isinstance(value, str):
        parts: Iterable[Any] = re.split(r",(?![^{}]*\})", value)
    elif isinstance(value, list | tuple):
        parts = value
    else:
        return ()
    patterns = [part.strip() for part in parts if isinstance(part, str) and part.strip()]
    if not braces:
        return tuple(patterns)
    return tuple(_first(_expand(patterns), MAX_PATTERNS))


def _first(items: Iterator[str], limit: int) -> Iterator[str]:
    for _, item in zip(range(limit), items, strict=False):
        yield item


def _expand(patterns: list[str]) -> Iterator[str]:
    waiting = list(reversed(patterns))
    while waiting:
        pattern = waiting.pop()
        match = _BRACES.search(pattern)
        if match is None:
            yield pattern
            continue
        head, tail = pattern[: match.start()], pattern[match.end() :]
        choices = match[1].split(",")[: MAX_PATTERNS + 1]
        waiting += [head + choice + tail for choice in reversed(choices)]


def gate_opens(patterns: tuple[str, ...], touched: Iterable[str]) -> bool:
    """Return whether one of the touched paths fires the gate; a gate without patterns is open.

    Patterns are gitignore's, through `pathspec`: a pattern without a slash matches at any depth, a folder's
    pattern matches what is in it, `!` takes back what an earlier pattern matched. A pattern that is none
    matches nothing.

    Args:
        patterns: as `gate_patterns` gives them.
        touched: paths relative to the project, `/` between the parts; absolute ones and ones that lead out
            of the project match nothing.
    """
    if not patterns:
        return True
    spec = _spec(patterns)
    return any(spec.match_file(path) for path in map(_relative, touched) if path)


def _relative(path: str) -> str:
    pure = PurePosixPath(path)
    return "" if pure.is_absolute() or ".." in pure.parts else str(pure)


@lru_cache(maxsize=4096)
def _spec(patterns: tuple[str, ...]) -> Any:
    import pathspec  # here: most runs have no gate, and it takes 30 ms to load

    good = []
    for pattern in patterns:
        try:
            pathspec.GitIgnoreSpec.from_lines([pattern])
        except ValueError:
            continue
        good.append(pattern)
    return pathspec.GitIgnoreSpec.from_lines(good)
