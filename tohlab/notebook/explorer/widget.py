"""The explorer: a person chooses harness, window and skill, and sees what a model would see.

The kernel computes and the page draws: a choice goes to the kernel as one message, and what is to be shown
comes back. Above the live explorer stands its first view as a static record, which the page hides as long as
the explorer is alive, and which is what a notebook shows that is opened without a kernel.
"""

from __future__ import annotations

import json
import os
from functools import lru_cache
from typing import Any, Final

from tohlab.dialects.harness import FileTree
from tohlab.dialects.installed import Layout
from tohlab.errors import MissingExtra, TohlabError
from tohlab.notebook.assets import module_of
from tohlab.notebook.explorer.panels import panel, shown, skills
from tohlab.notebook.explorer.record import record_of
from tohlab.notebook.explorer.state import TABS, WINDOWS, Choice, Explored, choice_of, harness_titles
from tohlab.notebook.record import legible
from tohlab.tokens import TokenMeter

GONE: Final = "the live explorer, which needs its kernel"
"""Stands in the place of the live explorer in a notebook without a kernel."""


class Explorer:
    """What harnesses tell a model of one folder of skills, to look around in.

    Show it as the last value of a cell. The folder is looked at once, when the explorer is made.

    Args:
        source: the folder that holds the skills, on disk or in memory.
        harness: which one is shown first, by name (see `harness_names`).
        window_tokens: the context window at first, in tokens.
        meter: what counts; `o200k_base` unless told otherwise.
        beside: the harness that is set beside the first, at first.
        layout: how the folder becomes one skills root (see `installed`).

    Raises:
        MissingExtra: anywidget is not installed.
        SkillError: there is no such folder.
        UnknownDialect: no harness of that name.
        TohlabError: a context window that cannot be.
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | FileTree,
        *,
        harness: str = "toh",
        window_tokens: int = 200_000,
        meter: TokenMeter | None = None,
        beside: str = "codex",
        layout: Layout = "auto",
    ) -> None:
        widget = _explorer_widget()
        first = {"harness": harness, "window_tokens": window_tokens, "other": beside, "tab": "list"}
        wish = choice_of(first)
        self._explored = Explored(source, meter=meter, layout=layout)
        self._choice = self._explored.settle(wish)
        self._record = record_of(self._explored, self._choice)
        options = {"harnesses": harness_titles(), "windows": WINDOWS, "tabs": list(TABS.items())}
        self.widget: Any = widget(options=json.dumps(options), **self._traits("", 0, ""))
        """The widget alone, without the record; for a layout of your own."""
        self.widget.on_msg(self._receive)

    @property
    def choice(self) -> Choice:
        """What is shown now."""
        return self._choice

    def choose(self, **parts: Any) -> Choice:
        """Show something else, and return what is shown then.

        Args:
            parts: what is to change: `harness`, `window_tokens`, `skill`, `other`, `tab`.

        Raises:
            TohlabError: there is no such harness, window or view; the text says what there is.
        """
        self._take({**self._choice.to_dict(), **parts}, "", 0)
        return self._choice

    def __repr__(self) -> str:
        return self._record.text

    def _repr_html_(self) -> str:
        return self._record.html

    def _ipython_display_(self) -> None:
        _show(self._record)
        _show(self.widget)

    def _receive(self, _widget: Any, message: Any, _buffers: Any) -> None:
        if not isinstance(message, dict) or message.get("type") != "look":
            return
        view, number = str(message.get("view")), message.get("number")
        try:
            self._take(json.loads(message["body"]), view, number)
        except (KeyError, TypeError, ValueError):
            self._say(view, number, "the page asked for something that cannot be read; run the cell again")
        except TohlabError as error:
            self._say(view, number, str(error))

    def _take(self, wish: Any, view: str, number: Any) -> None:
        before = self._choice
        self._choice = self._explored.settle(choice_of(wish))
        try:
            traits = self._traits(view, number, "")
        except TohlabError:
            self._choice = before
            raise
        self._set(traits)

    def _say(self, view: str, number: Any, problem: str) -> None:
        self._set(self._traits(view, number, problem))

    def _set(self, traits: dict[str, str]) -> None:
        with self.widget.hold_sync():
            for name, value in traits.items():
                setattr(self.widget, name, value)

    def _traits(self, view: str, number: Any, problem: str) -> dict[str, str]:
        """Return what the page gets; a trait that is as before is not sent again.

        JSON in ASCII: a message of the Jupyter protocol cannot carry a lone surrogate, an escaped one it can.
        """
        around = shown(self._explored, self._choice)
        answer = {"view": view, "number": number, "problem": legible(problem)}
        return {
            "skills": json.dumps(skills(self._explored, self._choice)),
            "panel": json.dumps(panel(self._explored, self._choice)),
            "shown": json.dumps(around | answer),
        }


def explore(
    source: str | os.PathLike[str] | FileTree,
    *,
    harness: str = "toh",
    window_tokens: int = 200_000,
    meter: TokenMeter | None = None,
    beside: str = "codex",
    layout: Layout = "auto",
) -> None:
    """Show an `Explorer` below the cell, wherever in the cell this is called.

    Args and errors: those of `Explorer`.
    """
    _show(
        Explorer(
            source, harness=harness, window_tokens=window_tokens, meter=meter, beside=beside, layout=layout
        )
    )


def _show(thing: Any) -> None:
    from IPython.display import display

    put: Any = display  # IPython leaves it untyped
    put(thing)


def explorer_module() -> str:
    """Return the page's side as one JavaScript module."""
    return module_of("dom.js", "explorer/explorer.js")


def explorer_style() -> str:
    """Return the explorer's style sheet."""
    return module_of("colours.css", "explorer/explorer.css")


@lru_cache(maxsize=1)
def _explorer_widget() -> type[Any]:
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise MissingExtra("anywidget", "notebook") from error

    class ExplorerWidget(anywidget.AnyWidget):
        _esm = explorer_module()
        _css = explorer_style()
        options = traitlets.Unicode().tag(sync=True)
        skills = traitlets.Unicode().tag(sync=True)
        panel = traitlets.Unicode().tag(sync=True)
        shown = traitlets.Unicode().tag(sync=True)

        def __repr__(self) -> str:
            return GONE

    return ExplorerWidget
