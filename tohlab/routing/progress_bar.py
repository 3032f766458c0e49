"""A bar for a run, in a terminal or a notebook, that says why it waits."""

from __future__ import annotations

from typing import Any, Self

from tohlab.errors import MissingExtra
from tohlab.routing.run_settings import Progress


class ProgressBar:
    """What `run_routing(progress=...)` calls: a tqdm bar with failures, places and the reason of a wait.

    Args:
        options: passed on to tqdm, such as `file` or `disable`.

    Raises:
        MissingExtra: tqdm is not installed.
    """

    def __init__(self, **options: Any) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError as error:
            raise MissingExtra("tqdm", "eval") from error
        self._make = tqdm
        self._options = {"desc": "asking", "unit": "request", "leave": False, **options}
        self._bar: Any = None

    def __call__(self, progress: Progress) -> None:
        if self._bar is None:
            self._bar = self._make(total=progress.total, initial=progress.stored, **self._options)
        self._bar.n = progress.done
        said = [f"{progress.failed} failed"] if progress.failed else []
        said += [f"{progress.at_once} at once"] if progress.at_once > 1 else []
        said += [f"waiting: {progress.waiting}"] if progress.waiting else []
        self._bar.set_postfix_str(", ".join(said), refresh=True)
        if progress.done == progress.total:
            self.close()

    def close(self) -> None:
        """Take the bar away; a later call makes a new one."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
