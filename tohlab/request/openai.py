"""Bodies of OpenAI's chat completions: `{"messages": [...], "tools": [...]}`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tohlab.errors import RequestError
from tohlab.request.checks import expect, or_default
from tohlab.request.values import Message, Request, Role, TextBlock, ToolCall, ToolSchema


def body_of(request: Request) -> dict[str, Any]:
    """Return a request in chat form as a body."""
    messages: list[dict[str, Any]] = []
    if request.system:
        messages.append({"role": "system", "content": request.system})
    messages += map(message_body, request.messages)
    result: dict[str, Any] = {"messages": messages}
    if request.tools:
        result["tools"] = [tool_body(tool) for tool in request.tools]
    return result


def message_body(message: Message) -> dict[str, Any]:
    """Return a message in chat form as it stands in a body."""
    row: dict[str, Any] = {"role": message.role}
    if len(message.content) == 1:
        row["content"] = message.content[0].text
    elif message.content:
        row["content"] = [{"type": "text", "text": block.text} for block in message.content]
    else:
        row["content"] = None if message.tool_calls else ""
    if message.reasoning:
        row["reasoning_content"] = message.reasoning
    if message.tool_calls:
        row["tool_calls"] = [
            {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
            for c in message.tool_calls
        ]
    if message.tool_call_id is not None:
        row["tool_call_id"] = message.tool_call_id
    return row


def tool_body(tool: ToolSchema) -> dict[str, Any]:
    """Return a tool as it stands in a body."""
    return {"type": "function", "function": tool.to_dict()}


def request_of(data: Any) -> Request:
    """See `Request.from_openai`."""
    body = expect(data, dict, "a request", "")
    if body.get("system") is not None:
        raise RequestError(
            "a body with a system text beside the messages is Anthropic's, not one of chat completions; read "
            'it with Request.from_anthropic, or put the text into the messages as {"role": "system", '
            '"content": "..."}',
            where="system",
        )
    rows = expect(body.get("messages"), list, "a list of messages", "messages")
    tools = expect(or_default(body.get("tools"), []), list, "a list of tools", "tools")
    return Request(
        tools=tuple(_tool_from_openai(tool, f"tools[{i}]") for i, tool in enumerate(tools)),
        messages=tuple(_message_from_openai(row, f"messages[{i}]") for i, row in enumerate(rows)),
    )


_ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
}


def _tool_from_openai(data: Any, where: str) -> ToolSchema:
    row = expect(data, dict, "a tool", where)
    if row.get("type", "function") != "function" or "function" not in row:
        raise RequestError(
            f"only function tools have a schema, not {row.get('type')!r}", where=f"{where}.type"
        )
    where = f"{where}.function"
    function = expect(row["function"], dict, "a function", where)
    return ToolSchema(
        name=expect(function.get("name"), str, "the tool's name", f"{where}.name"),
        description=expect(
            or_default(function.get("description"), ""), str, "its text", f"{where}.description"
        ),
        parameters=expect(
            or_default(function.get("parameters"), {}), dict, "a JSON Schema", f"{where}.parameters"
        ),
    )


def _message_from_openai(data: Any, where: str) -> Message:
    row = expect(data, dict, "a message", where)
    role = row.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        raise RequestError(f"{role!r} is no role; use one of: {', '.join(_ROLES)}", where=f"{where}.role")
    calls = expect(or_default(row.get("tool_calls"), []), list, "a list of calls", f"{where}.tool_calls")
    call_id = row.get("tool_call_id")
    return Message(
        role=_ROLES[role],
        content=_content_from_openai(row.get("content"), f"{where}.content"),
        tool_calls=tuple(_call_from_openai(c, f"{where}.tool_calls[{i}]") for i, c in enumerate(calls)),
        tool_call_id=None if call_id is None else expect(call_id, str, "an id", f"{where}.tool_call_id"),
        reasoning=expect(
            or_default(row.get("reasoning_content"), ""), str, "its text", f"{where}.reasoning_content"
        ),
    )


def _content_from_openai(data: Any, where: str) -> tuple[TextBlock, ...]:
    if data is None:
        return ()
    if isinstance(data, str):
        return (TextBlock(text=data),)
    blocks = []
    for i, part in enumerate(expect(data, list, "a text or a list of parts", where)):
        kind = expect(part, dict, "a part", f"{where}[{i}]").get("type")
        if kind not in ("text", "input_text", "output_text"):
            raise RequestError(f"a part of type {kind!r} has no text to count", where=f"{where}[{i}].type")
        blocks.append(TextBlock(text=expect(part.get("text"), str, "its text", f"{where}[{i}].text")))
    return tuple(blocks)


def _call_from_openai(data: Any, where: str) -> ToolCall:
    row = expect(data, dict, "a call", where)
    function = expect(row.get("function"), dict, "a function call", f"{where}.function")
    return ToolCall(
        id=expect(or_default(row.get("id"), ""), str, "an id", f"{where}.id"),
        name=expect(function.get("name"), str, "the tool's name", f"{where}.function.name"),
        arguments=expect(
            or_default(function.get("arguments"), ""),
            str,
            "the arguments as JSON text",
            f"{where}.function.arguments",
        ),
    )
