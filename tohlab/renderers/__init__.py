"""Ways of writing a request out for a model: its text, and the address of every character.

One tool is 47 or 331 tokens, depending on who writes it; so every count names its renderer. A `Renderer`
writes text (`plain`, JSON in three ways, `harmony`, any chat template), a `Counter` only counts
(`openai-formula`, `anthropic-estimate`). `append_only` checks whether a format lets a conversation grow at
its end. All of this is text; tokens are counted in the room above (`measure_rendered`, `measure_tools`).
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import Final

from tohlab.errors import RenderError
from tohlab.renderers.append_only import AppendOnlyReport, AppendOnlyRow, append_only, situations
from tohlab.renderers.base import Piece, Rendered, Renderer, RendererProvenance
from tohlab.renderers.counters import AnthropicEstimate, Count, Counter, OpenAIFormula
from tohlab.renderers.harmony import HarmonyRenderer
from tohlab.renderers.jinja import JinjaRenderer
from tohlab.renderers.plain import JsonRenderer, PlainRenderer

__all__ = [
    "AnthropicEstimate",
    "AppendOnlyReport",
    "AppendOnlyRow",
    "Count",
    "Counter",
    "HarmonyRenderer",
    "JinjaRenderer",
    "JsonRenderer",
    "OpenAIFormula",
    "Piece",
    "PlainRenderer",
    "Rendered",
    "Renderer",
    "RendererProvenance",
    "append_only",
    "get_renderer",
    "renderer_names",
    "situations",
]

_NAMED: Final[Mapping[str, Callable[[], Renderer | Counter]]] = {
    "plain": PlainRenderer,
    "json": lambda: JsonRenderer("json"),
    "compact-json": lambda: JsonRenderer("compact-json", compact=True, as_list=True),
    "indent-json": lambda: JsonRenderer("indent-json", indent=4),
    "harmony": HarmonyRenderer,
    "openai-formula": OpenAIFormula,
    "anthropic-estimate": AnthropicEstimate,
}


def renderer_names() -> tuple[str, ...]:
    """Return the names of the built-in renderers and counters; a chat template is a `JinjaRenderer`."""
    return tuple(_NAMED)


def get_renderer(name: str) -> Renderer | Counter:
    """Return a built-in renderer or counter by name.

    Raises:
        RenderError: there is none of that name; the message names the nearest.
    """
    if name not in _NAMED:
        near = difflib.get_close_matches(name, _NAMED, n=1)
        hint = f", did you mean {near[0]!r}?" if near else ""
        raise RenderError(
            f"there is no such renderer{hint}; known are {', '.join(_NAMED)}, and JinjaRenderer(...)",
            renderer=name,
        )
    return _NAMED[name]()
