"""One progress over all points of a sweep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tohlab.routing.run_settings import Progress


class Told:
    """What each run of a sweep is given to tell where it is; it tells where the whole sweep is.

    Args:
        progress: who is told, or None.
        sizes: how many requests each point has, in their order.
    """

    def __init__(self, progress: Callable[[Progress], None] | None, sizes: Sequence[int]) -> None:
        self._progress = progress
        self._left = list(sizes)
        self._stored = self._failed = 0
        self._now = Progress(done=0, total=0, stored=0, failed=0)
        self.total = sum(sizes)
        self.before = 0

    def __call__(self, now: Progress) -> None:
        self._now = now
        if self._progress is not None:
            self._progress(
                replace(
                    now,
                    done=self.before + now.done,
                    total=self.total,
                    stored=self._stored + now.stored,
                    failed=self._failed + now.failed,
                )
            )

    def next(self) -> None:
        """The point has ended, however many of its requests were asked."""
        self.before += self._left.pop(0)
        self._stored += self._now.stored
        self._failed += self._now.failed
        self._now = Progress(done=0, total=0, stored=0, failed=0)
