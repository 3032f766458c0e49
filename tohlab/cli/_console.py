"""The one console that commands print their tables on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.segment import Segment
from rich.text import Text


def make_console(**options: Any) -> Console:
    """Return a console whose lines have no spaces at their end.

    Args:
        options: of `rich.console.Console`.
    """
    console = Console(**options)
    console.push_render_hook(_Hook())
    return console


class _Hook(RenderHook):
    """What rich asks before it prints."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [
            _Stripped(one) if not isinstance(one, Text) or one.end == "\n" else one for one in renderables
        ]


class _Stripped:
    """Something printable without the spaces that fill up a table's last column or end a wrapped line."""

    def __init__(self, inner: ConsoleRenderable) -> None:
        self._inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        # not `render_lines`, which cuts what is wider than the terminal
        for line in Segment.split_lines(console.render(self._inner, options)):
            yield from _without_end(line)
            yield Segment.line()


def _without_end(line: Iterable[Segment]) -> list[Segment]:
    kept = list(line)
    while kept and not kept[-1].control:
        text = kept[-1].text.rstrip(" ")
        if text == kept[-1].text:
            break
        last = kept.pop()
        if text:
            kept.append(Segment(text, last.style))
            break
    return kept
