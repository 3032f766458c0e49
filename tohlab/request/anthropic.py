"""Bodies of Anthropic's Messages: `{"system": ..., "tools": [...], "messages": [...]}`.

Facts: Anthropic, Messages and Prompt caching (docs of 2026-08-21). What has no text (images, files, encrypted
thoughts) becomes a short stand-in with a hash, so that a change of it shows; its tokens are not the API's,
and `Body.notes` says where.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from tohlab.ecma import json_stringify
from tohlab.errors import RequestError
from tohlab.request.body import Body, Breakpoint, model_in
from tohlab.request.checks import expect, or_default
from tohlab.request.values import Message, Request, Role, TextBlock, ToolCall, ToolSchema

_ROLES: Final[Mapping[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system"}
_LIFETIMES_S: Final[Mapping[str, float]] = {"5m": 300.0, "1h": 3600.0}
_NOT_TOOLS: Final = ("web_search", "web_fetch")
"""Tools of Anthropic's own that are settings of the prompt: the tools stay cached when they come or go."""
_CALLS: Final = ("tool_use", "server_tool_use", "mcp_tool_use")
_FILES: Final = ("image", "document")
_BLOCK_TYPES: Final = (
    "text, thinking, redacted_thinking, tool_use, tool_result, image, document, search_result, and the calls "
    "and results of server tools"
)


def body_of(data: Any) -> Body:
    """Return what a body holds; see `Request.from_anthropic`.

    Raises:
        RequestError: it is not such a body, or holds a block that is not known here.
    """
    body = expect(data, dict, "a request", "")
    return _Reader().body(body)


class _Reader:
    """Collects what stands beside the texts while they are read."""

    def __init__(self) -> None:
        self.marks: list[Breakpoint] = []
        self.notes: list[str] = []
        self.params: dict[str, str] = {}

    def body(self, body: Mapping[str, Any]) -> Body:
        tools = self._tools(body.get("tools"))
        system, cuts = self._system(body.get("system"))
        rows = expect(body.get("messages"), list, "a list of messages", "messages")
        messages = tuple(self._message(row, f"messages[{i}]") for i, row in enumerate(rows))
        self._settings(body)
        own = body.get("cache_control")
        return Body(
            shape="messages",
            request=Request(tools=tools, system=system, messages=messages, system_blocks=cuts),
            model=model_in(body),
            breakpoints=tuple(self.marks),
            automatic=own is not None,
            ttl_s=None if own is None else _lifetime(own, "cache_control"),
            params=tuple(sorted(self.params.items())),
            notes=tuple(self.notes),
        )

    def _mark(self, row: Mapping[str, Any], where: str, path: str) -> None:
        control = row.get("cache_control")
        if control is None:
            return
        ttl_s = _lifetime(control, f"{where}.cache_control")
        if path:
            self.marks.append(Breakpoint(path=path, ttl_s=ttl_s))
        else:
            self.notes.append(f"{where}.cache_control: nothing that is counted stands before it; left out")

    def _tools(self, given: Any) -> tuple[ToolSchema, ...]:
        found: list[ToolSchema] = []
        for i, tool in enumerate(expect(or_default(given, []), list, "a list of tools", "tools")):
            where = f"tools[{i}]"
            row = expect(tool, dict, "a tool", where)
            kind = expect(or_default(row.get("type"), "custom"), str, "a type", f"{where}.type")
            setting = next((name for name in _NOT_TOOLS if kind.startswith(name)), "")
            if setting:
                rest = {key: value for key, value in row.items() if key != "cache_control"}
                self.params[setting] = json_stringify(rest)
                self.notes.append(
                    f"{where}: {kind} is a tool of Anthropic's own, whose text nobody publishes"
                )
            elif row.get("defer_loading") is True:
                self.notes.append(f"{where}: deferred tools are not in the prompt; not counted")
            else:
                found.append(self._tool(row, kind, where))
            self._mark(row, where, f"tools[{len(found) - 1}]" if found else "")
        return tuple(found)

    def _tool(self, row: Mapping[str, Any], kind: str, where: str) -> ToolSchema:
        name = expect(row.get("name"), str, "the tool's name", f"{where}.name")
        text = expect(or_default(row.get("description"), ""), str, "its text", f"{where}.description")
        if kind == "custom":
            schema = expect(row.get("input_schema"), dict, "a JSON Schema", f"{where}.input_schema")
            return ToolSchema(name=name, description=text, parameters=schema)
        self.notes.append(f"{where}: {kind} is a tool of Anthropic's own, counted by its entry in the body")
        rest = {key: value for key, value in row.items() if key not in ("name", "cache_control")}
        return ToolSchema(name=name, description=text, parameters=rest)

    def _system(self, given: Any) -> tuple[str, tuple[int, ...]]:
        if given is None or isinstance(given, str):
            return given or "", ()
        texts: list[str] = []
        for i, block in enumerate(expect(given, list, "a text or a list of blocks", "system")):
            where = f"system[{i}]"
            row = expect(block, dict, "a block", where)
            if row.get("type", "text") != "text":
                raise RequestError(f"system text is text, not {row.get('type')!r}", where=f"{where}.type")
            texts.append(expect(row.get("text"), str, "its text", f"{where}.text"))
            self._mark(row, where, where)
        return "".join(texts), tuple(map(len, texts))

    def _message(self, given: Any, where: str) -> Message:
        row = expect(given, dict, "a message", where)
        role = row.get("role")
        if not isinstance(role, str) or role not in _ROLES:
            raise RequestError(f"{role!r} is no role; use one of: {', '.join(_ROLES)}", where=f"{where}.role")
        content = row.get("content")
        if isinstance(content, str):
            return Message(role=_ROLES[role], content=(TextBlock(text=content),))
        blocks = []
        for j, block in enumerate(expect(content, list, "a text or a list of blocks", f"{where}.content")):
            path = f"{where}.content[{j}]"
            inner = expect(block, dict, "a block", path)
            blocks.append(self._block(inner, path))
            self._mark(inner, path, path)
        return Message(role=_ROLES[role], content=tuple(blocks))

    def _block(self, row: Mapping[str, Any], where: str) -> TextBlock:
        kind = expect(row.get("type"), str, "a type", f"{where}.type")
        if kind == "text":
            if row.get("citations"):
                self.notes.append(f"{where}: its citations are not counted")
            return TextBlock(text=expect(row.get("text"), str, "its text", f"{where}.text"))
        if kind == "thinking":
            text = expect(row.get("thinking"), str, "its text", f"{where}.thinking")
            return TextBlock(text=text, kind="reasoning")
        if kind == "redacted_thinking":
            return TextBlock(text=self._stand_in("redacted thinking", row, where), kind="reasoning")
        if kind in _CALLS:
            return self._call(row, where)
        if kind == "tool_result" or kind.endswith("_tool_result"):
            call_id = expect(row.get("tool_use_id"), str, "an id", f"{where}.tool_use_id")
            text = self._parts(row.get("content"), f"{where}.content")
            return TextBlock(text=text, kind="tool-result", answers=call_id)
        if kind in _FILES or kind == "search_result":
            return TextBlock(text=self._file(row, kind, where), kind="stand-in")
        raise RequestError(f"a block of type {kind!r} is not read; read are {_BLOCK_TYPES}", where=where)

    def _call(self, row: Mapping[str, Any], where: str) -> TextBlock:
        name = expect(row.get("name"), str, "the tool's name", f"{where}.name")
        given = expect(or_default(row.get("input"), {}), dict, "the arguments", f"{where}.input")
        call_id = expect(row.get("id"), str, "an id", f"{where}.id")
        arguments = json_stringify(given)
        text = f'{{"name":{json_stringify(name)},"input":{arguments}}}'
        call = ToolCall(id=call_id, name=name, arguments=arguments)
        return TextBlock(text=text, kind="tool-call", call=call)

    def _parts(self, given: Any, where: str) -> str:
        """The text of a result: its parts, one behind the other."""
        if given is None or isinstance(given, str):
            return given or ""
        if isinstance(given, dict):
            return json_stringify(given)
        texts = []
        for i, part in enumerate(expect(given, list, "a text or a list of parts", where)):
            at = f"{where}[{i}]"
            row = expect(part, dict, "a part", at)
            if row.get("type") == "text":
                texts.append(expect(row.get("text"), str, "its text", f"{at}.text"))
            elif row.get("type") in _FILES:
                texts.append(self._file(row, row["type"], at))
            else:
                rest = {key: value for key, value in row.items() if key != "cache_control"}
                texts.append(json_stringify(rest))
        return "".join(texts)

    def _file(self, row: Mapping[str, Any], kind: str, where: str) -> str:
        if kind == "image":
            self.params["images"] = "present"
        citations = row.get("citations")
        if isinstance(citations, dict) and citations.get("enabled"):
            self.params["citations"] = "on"
        source = row.get("source")
        if isinstance(source, dict) and source.get("type") == "text":
            title = or_default(row.get("title"), "")
            return f"{title}{expect(source.get('data'), str, 'its text', f'{where}.source.data')}"
        if kind == "search_result":
            return self._parts(row.get("content"), f"{where}.content")
        media = source.get("media_type", "") if isinstance(source, dict) else ""
        return self._stand_in(f"{kind} {media}".strip(), row, where)

    def _stand_in(self, what: str, row: Mapping[str, Any], where: str) -> str:
        self.notes.append(f"{where}: {what} is counted as a short stand-in, not by the API's tokens")
        rest = {key: value for key, value in row.items() if key != "cache_control"}
        # lone surrogates of a hostile file are bytes like others here
        seen = hashlib.sha256(json_stringify(rest).encode("utf-8", "surrogatepass")).hexdigest()[:12]
        return f"[{what} {seen}]"

    def _settings(self, body: Mapping[str, Any]) -> None:
        choice = body.get("tool_choice")
        if choice is not None:
            row = dict(expect(choice, dict, "a choice", "tool_choice"))
            parallel = row.pop("disable_parallel_tool_use", None)
            self.params["tool_choice"] = json_stringify(row)
            if parallel is not None:
                self.params["disable_parallel_tool_use"] = json_stringify(parallel)
        output = body.get("output_config")
        effort = output.get("effort") if isinstance(output, dict) else None
        for name, value in (
            ("thinking", body.get("thinking")),
            ("speed", body.get("speed")),
            ("output_config.effort", effort),
        ):
            if value is not None:
                self.params[name] = value if isinstance(value, str) else json_stringify(value)


def _lifetime(control: Any, where: str) -> float | None:
    row = expect(control, dict, "a breakpoint", where)
    if row.get("type") != "ephemeral":
        raise RequestError(f"a breakpoint's type is 'ephemeral', not {row.get('type')!r}", where=where)
    ttl = row.get("ttl")
    if ttl is None:
        return None
    if not isinstance(ttl, str) or ttl not in _LIFETIMES_S:
        raise RequestError(f"a breakpoint lives 5m or 1h, not {ttl!r}", where=f"{where}.ttl")
    return _LIFETIMES_S[ttl]
