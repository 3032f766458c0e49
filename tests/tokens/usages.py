"""What tests of reported use look at."""

from __future__ import annotations

from tohlab.tokens.usage import CLASSES, Usage


def classes(usage: Usage) -> tuple[int | None, ...]:
    return tuple(getattr(usage, name) for name in CLASSES)
