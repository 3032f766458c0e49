"""What every benchmark needs: CPU times side by side, and text to measure with."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable
from typing import Any

REPEATS = 7

PROSE = """
the report shows that each request carries its whole history and the model reads all of it again so a changed
line near the top costs more than a long answer at the end we measured both ways of writing the catalog first
with full descriptions then with short ones and found no difference that the interval would not cover please
open the file check the second table sum the amounts by month and tell me which customer paid late the parser
returns None when the header is missing def load(path): return json.loads(path.read_text()) if value >= 0.75:
raise ValueError("too large") 2026-11-30 1,024 tokens 日本語の説明文 für größere Übersichten naïve café — done
"""
WORDS = PROSE.split()


class MismatchError(Exception):
    """Two ways that must agree gave different results, so their times mean nothing."""


def cpu(action: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds of `action` and its result. The garbage collector rests, as in timeit."""
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        result = action()
        return time.process_time() - start, result
    finally:
        gc.enable()


def best(*actions: Callable[[], Any], repeats: int | None = None) -> list[tuple[float, Any]]:
    """Return for each action its least CPU seconds and its last result; the actions take turns.

    Args:
        actions: what is measured.
        repeats: how many rounds; never more than `REPEATS`, which is the default.
    """
    rounds = [[cpu(action) for action in actions] for _ in range(min(repeats or REPEATS, REPEATS))]
    return [(min(seconds for seconds, _ in runs), runs[-1][1]) for runs in zip(*rounds, strict=True)]


def text(rng: random.Random, words: int) -> str:
    lines = [" ".join(rng.choices(WORDS, k=min(12, words - at))) for at in range(0, words, 12)]
    return "\n".join(lines)
