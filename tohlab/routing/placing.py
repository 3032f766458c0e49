"""A catalog in another place than the harness's own: an experiment, and every report says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tohlab.request import Request, TextBlock, ToolSchema
from tohlab.routing.wires import CATALOG

_BETWEEN: Final = "\n\n"


def place_catalog(
    request: Request, texts: Sequence[str], placement: str, tool_name: str, *, own: str
) -> Request:
    """Return a harness's request with its list, word for word, in another place.

    Args:
        request: with the list in the harness's own place.
        texts: what it says of the skills there are.
        placement: `system`, `user` (the user's own message) or `tool-description`.
        tool_name: the load tool's.
        own: the harness's own place; if that is the one asked for, the request stays as it is.
    """
    if placement == own:
        return request
    told = _BETWEEN.join(texts)
    # A harness of the first kind has no system text here but the list (see `harness_request`).
    bare = replace(
        request,
        system="" if own == "system" else request.system,
        messages=tuple(message for message in request.messages if message.kind != CATALOG),
    )
    if placement == "system":
        return replace(bare, system=_BETWEEN.join(filter(None, (bare.system, told))))
    if placement == "tool-description":
        return replace(bare, tools=tuple(_told_in(tool, told, tool_name) for tool in bare.tools))
    at = next(i for i, message in enumerate(bare.messages) if message.kind == "user")
    asked = bare.messages[at]
    first = TextBlock(text=f"{told}{_BETWEEN}{asked.text}")
    messages = (*bare.messages[:at], replace(asked, content=(first,)), *bare.messages[at + 1 :])
    return replace(bare, messages=messages)


def _told_in(tool: ToolSchema, told: str, tool_name: str) -> ToolSchema:
    if tool.name != tool_name:
        return tool
    return replace(tool, description=f"{tool.description}{_BETWEEN}{told}")
