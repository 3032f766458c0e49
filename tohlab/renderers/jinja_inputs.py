"""What a chat template is given: tools and messages as in chat completions, with exchangeable texts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from tohlab.jsonpath import join_path
from tohlab.renderers.base import Section
from tohlab.renderers.jinja_spans import Leaf
from tohlab.request import Request, Segment, ToolCall

_TEXT_KEYS: Final = ("description", "title", "pattern", "const", "default", "enum", "examples")
"""Schema keys whose texts a template only shows; the others steer it, so their texts stay as they are."""


def inputs_of(
    request: Request, leaves: list[Leaf], *, reasoning_keys: tuple[str, ...], parsed_arguments: bool
) -> tuple[list[Any], list[Any]]:
    """Return tools and messages in the shape of chat completions, their texts replaced by `Leaf`s.

    Args:
        request: what is sent.
        leaves: takes every text that the template only shows, in order.
        reasoning_keys: under which keys a message carries its reasoning.
        parsed_arguments: give calls' arguments as objects where they are JSON objects.
    """
    tools: list[Any] = []
    for i, tool in enumerate(request.tools):
        function = {
            "name": _leaf(leaves, tool.name, "tools", "system", f"tools[{i}].name"),
            "description": _leaf(leaves, tool.description, "tools", "system", f"tools[{i}].description"),
            "parameters": _schema(leaves, tool.parameters, f"tools[{i}].parameters", shown=False),
        }
        tools.append({"type": "function", "function": function})
    messages: list[Any] = []
    if request.system:
        (source,) = Request(system=request.system).segments()
        text = _leaf(leaves, request.system, "system", "system", "system", segment=source)
        messages.append({"role": "system", "content": text})
    for i, message in enumerate(request.messages):
        base, role = f"messages[{i}]", message.role
        row: dict[str, Any] = {"role": role}
        # Templates read one text; several blocks are joined, and each keeps its address.
        row["content"] = tuple(
            _leaf(leaves, s.text, "messages", role, s.path, segment=s)
            for s in message.segments(i)
            if s.path.startswith(f"{base}.content[")
        )
        if message.reasoning:
            path = f"{base}.reasoning"
            text = _leaf(leaves, message.reasoning, "messages", role, path)
            row |= dict.fromkeys(reasoning_keys, text)
        if message.tool_calls:
            row["tool_calls"] = [
                _call(leaves, call, f"{base}.tool_calls[{j}]", parsed_arguments)
                for j, call in enumerate(message.tool_calls)
            ]
        if message.tool_call_id is not None:
            row["tool_call_id"] = message.tool_call_id
            names = (c.name for m in request.messages for c in m.tool_calls if c.id == message.tool_call_id)
            row["name"] = next(names, "")
        messages.append(row)
    return tools, messages


def _call(leaves: list[Leaf], call: ToolCall, base: str, parse: bool) -> dict[str, Any]:
    arguments: Any = call.arguments
    if parse:
        try:
            parsed = json.loads(call.arguments)
        except ValueError:
            parsed = None
        if isinstance(parsed, dict):
            arguments = parsed
    return {
        "id": call.id,
        "type": "function",
        "function": {
            "name": _leaf(leaves, call.name, "messages", "assistant", f"{base}.name"),
            "arguments": _values(leaves, arguments, f"{base}.arguments"),
        },
    }


def _leaf(
    leaves: list[Leaf], text: str, section: Section, role: str, path: str, *, segment: Segment | None = None
) -> Leaf | str:
    if not text:
        return text  # templates ask whether there is a text
    leaves.append(Leaf(index=len(leaves), text=text, section=section, role=role, path=path, segment=segment))
    return leaves[-1]


def _schema(leaves: list[Leaf], value: Any, path: str, *, shown: bool) -> Any:
    """A schema whose shown texts are leaves; the keys that steer a template keep theirs."""
    if isinstance(value, Mapping):
        under_names = path.endswith(".properties")
        return {
            key: _schema(
                leaves, inner, join_path(path, key), shown=not under_names and (shown or key in _TEXT_KEYS)
            )
            for key, inner in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_schema(leaves, inner, f"{path}[{i}]", shown=shown) for i, inner in enumerate(value)]
    if isinstance(value, str) and shown:
        return _leaf(leaves, value, "tools", "system", path)
    return value


def _values(leaves: list[Leaf], value: Any, path: str) -> Any:
    if isinstance(value, dict):
        return {key: _values(leaves, inner, join_path(path, key)) for key, inner in value.items()}
    if isinstance(value, list):
        return [_values(leaves, inner, f"{path}[{i}]") for i, inner in enumerate(value)]
    return _leaf(leaves, value, "messages", "assistant", path) if isinstance(value, str) else value


def fill(value: Any, texts: Mapping[int, str], leaves: list[Leaf]) -> Any:
    """Return fresh plain data with each leaf's text, or what `texts` has in its place."""
    if isinstance(value, Leaf):
        return texts.get(value.index, value.text)
    if isinstance(value, tuple):
        return "".join(fill(inner, texts, leaves) for inner in value)
    if isinstance(value, dict):
        return {key: fill(inner, texts, leaves) for key, inner in value.items()}
    if isinstance(value, list):
        return [fill(inner, texts, leaves) for inner in value]
    return value
