"""What the explorer shows for one choice, as plain data; no widget is needed to make or to test it.

A folder is looked at once. Each harness's view is made when it is first asked for and then kept, and only the
one panel that is open is written out, so that a folder of a thousand skills answers at once.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from tohlab.compare import Difference, HarnessView, difference, view_harness
from tohlab.compare.source import lay_out
from tohlab.dialects.file_tree import ReadableTree
from tohlab.dialects.harness import FileTree
from tohlab.dialects.harnesses import get_harness, harness_names
from tohlab.dialects.installed import Layout
from tohlab.errors import TohlabError
from tohlab.tokens import TokenMeter, get_meter

Tab = Literal["list", "tokens", "lost", "loaded", "tools", "sides", "about"]

TABS: Final[Mapping[Tab, str]] = {
    "list": "What the model reads",
    "tokens": "Tokens",
    "lost": "Cut and left out",
    "loaded": "Loaded skill",
    "tools": "Tools",
    "sides": "Side by side",
    "about": "Where from",
}
"""Each view and its name on the screen."""

WINDOWS: Final = (8_000, 16_000, 32_000, 64_000, 128_000, 200_000, 400_000, 1_000_000)
"""The context windows that are offered, in tokens; any other can be typed."""

MOST_WINDOW_TOKENS: Final = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What a person looks at."""

    harness: str
    window_tokens: int
    skill: str | None
    """None where the harness has no skill at all."""
    other: str
    """The harness that is set beside the first."""
    tab: Tab

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "harness": self.harness,
            "window_tokens": self.window_tokens,
            "skill": self.skill,
            "other": self.other,
            "tab": self.tab,
        }


def choice_of(wish: Any) -> Choice:
    """Return what a message asks for.

    Raises:
        TohlabError: there is no such harness, window or view; the text says what there is.
    """
    if not isinstance(wish, dict):
        raise TohlabError("a choice is an object with harness, window_tokens, skill, other and tab")
    window, skill = wish.get("window_tokens"), wish.get("skill")
    tab: Tab | None = next((tab for tab in TABS if tab == wish.get("tab")), None)
    if not isinstance(window, int) or isinstance(window, bool) or not 1 <= window <= MOST_WINDOW_TOKENS:
        raise TohlabError(f"a context window is a whole number of tokens from 1 to {MOST_WINDOW_TOKENS:,}")
    if skill is not None and not isinstance(skill, str):
        raise TohlabError("a skill is chosen by its name")
    if tab is None:
        raise TohlabError(f"there is no view {wish.get('tab')!r}; there are {', '.join(TABS)}")
    harness, other = _harness_of(wish.get("harness")), _harness_of(wish.get("other"))
    return Choice(harness=harness, window_tokens=window, skill=skill, other=other, tab=tab)


def _harness_of(name: Any) -> str:
    if not isinstance(name, str):
        raise TohlabError("a harness is chosen by its name")
    return get_harness(name).name


class Explored:
    """A folder of skills, and what harnesses make of it. Safe to use from several threads.

    Args:
        source: the folder, on disk or in memory.
        meter: what counts; `o200k_base` unless told otherwise.
        layout: how the folder becomes one skills root (see `installed`).
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | FileTree,
        *,
        meter: TokenMeter | None = None,
        layout: Layout = "auto",
    ) -> None:
        self._tree = source if isinstance(source, FileTree) else ReadableTree.at(source)
        self._layout: Layout = layout
        self.meter = meter or get_meter()
        self.tree = lay_out(self._tree, layout).tree
        """The skills root that the harnesses are shown."""
        self._views: dict[tuple[str, int], HarnessView] = {}
        self._differences: dict[tuple[str, str, int], Difference] = {}
        self._lock = threading.RLock()

    def view(self, harness: str, window_tokens: int) -> HarnessView:
        """Return what one harness makes of the folder; it is made once."""
        key = (harness, window_tokens)
        with self._lock:
            if key not in self._views:
                self._views[key] = view_harness(
                    self._tree, harness, window_tokens=window_tokens, meter=self.meter, layout=self._layout
                )
            return self._views[key]

    def difference(self, harness: str, other: str, window_tokens: int) -> Difference:
        """Return where two harnesses differ; it is made once."""
        key = (harness, other, window_tokens)
        with self._lock:
            if key not in self._differences:
                one, two = self.view(harness, window_tokens), self.view(other, window_tokens)
                self._differences[key] = difference(one, two)
            return self._differences[key]

    def settle(self, choice: Choice) -> Choice:
        """Return the choice with a skill that the chosen harness has: the same, or else its first."""
        names = skill_names(self.view(choice.harness, choice.window_tokens))
        if choice.skill in names:
            return choice
        return replace(choice, skill=next(iter(names), None))


def skill_names(view: HarnessView) -> dict[str, str]:
    """Return each skill that a harness knows, in its order, with what is to be said of it beside its name."""
    names: dict[str, str] = {}
    for entry in view.entries:
        said = f"{entry.tokens:,} tokens"
        said += ", cut" if entry.is_cut else ""
        said += ", brought by the program" if entry.bundled else ""
        names.setdefault(entry.name, said)
    for unlisted in (*view.dropped, *view.hidden):
        names.setdefault(unlisted.name, "the model is not told of it")
    return names


def harness_titles() -> list[list[str]]:
    """Return the name and the title of each harness, by title."""
    return sorted(
        ([name, get_harness(name).title] for name in harness_names()), key=lambda row: row[1].lower()
    )
