"""A body of an API with what decides over its cache beside the texts, and whose body it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from tohlab.errors import RequestError
from tohlab.request.checks import expect, or_default
from tohlab.request.values import Request

Shape = Literal["chat", "messages"]
"""`chat`: OpenAI's chat completions. `messages`: Anthropic's Messages."""

READ: Final = (
    'bodies of chat completions ({"messages": [...], "tools": [...]}) and of Anthropic\'s Messages '
    '({"system": ..., "tools": [{"input_schema": ...}], "messages": [{"content": [{"type": ...}]}]})'
)
"""What can be read, for messages."""

_OTHERS: Final = (
    ("input", "OpenAI's Responses API"),
    ("instructions", "OpenAI's Responses API"),
    ("contents", "Gemini's generateContent"),
    ("systemInstruction", "Gemini's generateContent"),
    ("system_instruction", "Gemini's generateContent"),
    ("prompt", "a completion of plain text"),
)
_BLOCKS: Final = frozenset(
    {
        "thinking",
        "redacted_thinking",
        "tool_use",
        "tool_result",
        "server_tool_use",
        "mcp_tool_use",
        "document",
        "image",
        "search_result",
    }
)
"""Types of content blocks that Anthropic has and chat completions have not."""
_CHAT: Final = ("system", "developer", "tool")


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakpoint:
    """A place at which a body asks for a cache entry."""

    path: str
    """Which segment it ends, as in `Request.segments`."""
    ttl_s: float | None = None
    """How long it shall live, in seconds; None for the API's default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A request as an API was sent it."""

    shape: Shape
    request: Request
    model: str = ""
    """Empty where the body names none."""
    breakpoints: tuple[Breakpoint, ...] = ()
    automatic: bool = False
    """Whether the API shall set a breakpoint at the end by itself."""
    ttl_s: float | None = None
    """How long the automatic one shall live, in seconds; None for the default."""
    params: tuple[tuple[str, str], ...] = ()
    """Settings that APIs render into the prompt, sorted by name."""
    cache_key: str = ""
    """What separates caches by the caller's wish."""
    notes: tuple[str, ...] = ()
    """What of it is not counted as the API counts it, each with its address."""


def read_body(data: Any) -> Body:
    """Return what a body of either API holds; its shape tells whose it is.

    Args:
        data: the parsed JSON.

    Raises:
        RequestError: a body of another API, or one that is wrong; the message has the address.
    """
    from tohlab.request import anthropic, openai

    body = expect(data, dict, "a request", "")
    if "messages" not in body:
        whose = next((name for key, name in _OTHERS if key in body), "")
        if whose:
            raise RequestError(f"this is a body of {whose}, which is not read", remedy=f"read are {READ}")
    if _is_anthropic(body):
        return anthropic.body_of(body)
    return Body(
        shape="chat",
        request=openai.request_of(body),
        model=model_in(body),
        params=_chat_params(body),
        cache_key=expect(or_default(body.get("prompt_cache_key"), ""), str, "a key", "prompt_cache_key"),
    )


def model_in(body: Mapping[str, Any]) -> str:
    """Return the model that a body names; empty if none."""
    model: str = expect(or_default(body.get("model"), ""), str, "a model's name", "model")
    return model.strip()


def _is_anthropic(body: Mapping[str, Any]) -> bool:
    if body.get("system") is not None or "cache_control" in body:
        return True
    tools = body.get("tools")
    if isinstance(tools, list) and any(isinstance(tool, dict) and "input_schema" in tool for tool in tools):
        return True
    rows = body.get("messages")
    messages = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    if any(row.get("role") in _CHAT or "tool_calls" in row for row in messages):
        return False
    parts = [part for row in messages if isinstance(row.get("content"), list) for part in row["content"]]
    return any(
        isinstance(part, dict)
        and ("cache_control" in part or (isinstance(part.get("type"), str) and part["type"] in _BLOCKS))
        for part in parts
    ) or model_in(body).lower().startswith("claude")


_CHAT_PARAMS: Final[Mapping[str, str]] = {
    "parallel_tool_calls": "parallel_tool_calls",
    "response_format": "text.format",
    "reasoning_effort": "reasoning.effort",
    "verbosity": "text.verbosity",
    "service_tier": "service_tier",
    "tool_choice": "tool_choice",
}
"""Keys of a chat body that OpenAI renders or routes by, as the policies call them."""


def _chat_params(body: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    from tohlab.ecma import json_stringify

    found = {name: body[key] for key, name in _CHAT_PARAMS.items() if body.get(key) is not None}
    return tuple(sorted((name, v if isinstance(v, str) else json_stringify(v)) for name, v in found.items()))
