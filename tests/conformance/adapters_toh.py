"""What tohlab gives for the vectors of the catalog, the skill tool, the gesture and the session.

Each function here gives the output for one row's input; `ADAPTERS` holds it against the recorded one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tohlab.catalog import Catalog, CatalogUpdate, Form, read_entries
from tohlab.dialects import get_dialect
from tohlab.dialects.toh import GUIDANCE
from tohlab.ecma import utf16_length
from tohlab.errors import CatalogError, ToolsError
from tohlab.request import ToolSchema
from tohlab.session import Session
from tohlab.skills.model import Invocation, LoadedSkill
from tohlab.tools import AbortSignal, AskUserTool, SkillTool, ToolResult, ToolSurface, parse_arguments

from .toh_driver import (
    ProviderSource,
    StepSource,
    describe_step,
    message,
    plain,
    resource_base,
    run_lifecycle,
)

Row = dict[str, Any]
TOH = get_dialect("toh")


def _catalog(entries: list[dict[str, str]]) -> Catalog:
    return Catalog.of((e["name"], e["description"]) for e in entries)


# Descriptions, digests, catalogs.


def description(row: Row) -> Any:
    dialect = replace(TOH, description_limit=row["input"]["catalogDescriptionMaxLength"])
    text = dialect.describe(row["input"]["description"])
    entry = Catalog.of([("s", text)]).entries[0]
    return {
        "description": text,
        "length_utf16": utf16_length(text),
        "escaped": dialect.escape(text),
        "line": dialect.render_entry(entry),
    }


def config_max_length(row: Row) -> Any:
    limit = row["input"]["catalogDescriptionMaxLength"]
    # JSON has no word for these three, so the vectors write them as strings
    limit = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}.get(limit, limit)
    limit = (
        "null" if limit is None else limit
    )  # None is our word for no limit, which the harness does not have
    try:
        replace(TOH, description_limit=limit)
    except CatalogError as error:
        return {"error": str(error)}
    return {"error": None}


def escape_text(row: Row) -> Any:
    return {"escaped": TOH.escape(row["input"]["value"])}


def digest(row: Row) -> Any:
    catalog = _catalog(row["input"]["entries"])
    return {
        "canonical": catalog.canonical,
        "canonical_utf8_hex": catalog.canonical.encode("utf-8").hex(),
        "sha256": catalog.digest,
    }


def _catalog_message(form: Form) -> Callable[[Row], Any]:
    def adapter(row: Row) -> Any:
        update = CatalogUpdate(form=form, catalog=_catalog(row["input"]["entries"]))
        text = TOH.render_catalog(update.catalog, update.form).text
        return {
            "role": "user",
            "source": plain(update.source()),
            "content": [{"type": "text", "text": text}],
        }

    return adapter


def read_catalog_source(row: Row) -> Any:
    catalog = read_entries(row["input"]["source"])
    entries = None if catalog is None else catalog.entries
    rows = None if entries is None else [{"name": e.name, "description": e.description} for e in entries]
    return {"entries": rows}


# Loading a skill.


def _loaded(name: str, content: Any, *, provider: str = "runtime", **more: Any) -> LoadedSkill:
    return LoadedSkill(name=name, description="d", content=content, provider=provider, **more)


def skill_content(row: Row) -> Any:
    given = row["input"]
    base = resource_base(given.get("resourceBase"))
    loaded = _loaded(given["name"], given["content"], provider=given["provider"], resource_base=base)
    return {"text": TOH.render_skill(loaded)}


class _ThrownError(Exception):
    """Whatever a provider throws: `str()` is what `String(value)` is in JavaScript."""


def _give(value: Any) -> Callable[[], Any]:
    return lambda: value


def _throw(text: str) -> Callable[[], LoadedSkill]:
    def get() -> LoadedSkill:
        raise _ThrownError(text)

    return get


_NOT_FOR_MODELS = Invocation(model_invocable=False)
_DEFINITIONS: dict[str, Callable[[], LoadedSkill | None]] = {
    "ok-skill": lambda: _loaded("ok-skill", 'Body <raw> & "kept".'),
    "model-only": lambda: _loaded("model-only", "m", invocation=Invocation(user_invocable=False)),
    "user-only": lambda: _loaded("user-only", "u", invocation=_NOT_FOR_MODELS),
    "policy-race": lambda: _loaded("policy-race", "r", invocation=_NOT_FOR_MODELS),
    "renamed": lambda: _loaded("other", "r"),
    "vanished": lambda: None,
    "vanishes": lambda: None,
    "bad-content": lambda: _loaded("bad-content", 3),
    "throws": _throw("backend down"),
    "throws-error": _throw("backend down"),
    "throws-string": _throw("plain string failure"),
    "throws-object": _throw("[object Object]"),
    "rogue-resource": lambda: _loaded(
        "rogue-resource", "r", resource_base=resource_base({"kind": "rogue", "path": "/x"})
    ),
}


def _tool() -> SkillTool:
    """The skill tool over the vectors' cast: each name says how its provider behaves."""
    listed = [
        {"name": name, "description": "d", "source": "s", "rank": 1, "provider": "p"}
        | ({"invocation": {"modelInvocable": False, "userInvocable": True}} if name == "user-only" else {})
        for name in _DEFINITIONS
    ]
    return SkillTool(ProviderSource(lambda: listed, lambda name: _DEFINITIONS[name]()), TOH)


def _result(result: ToolResult) -> dict[str, Any]:
    row: dict[str, Any] = {"isError": result.is_error, "text": result.text}
    if result.is_error:
        row["error"] = {"message": result.message}
        if result.code is not None:
            row["error"]["info"] = {"name": result.error_name, "code": result.code}
    else:
        row["value"] = plain(result.value)
    return row


def skill_execute(row: Row) -> Any:
    given = row["input"]
    signal = AbortSignal()
    when = str(given.get("abort", given.get("aborted", given.get("signal", "")))).lower()
    tool = _tool()
    if any(word in when for word in ("during", "while", "pending")):
        tool = SkillTool(_Aborting(tool.source, signal), TOH)
    elif when not in ("", "false", "none"):
        signal.abort()
    if "raw" in given:
        return _result(tool.call_text(given["raw"], signal=signal))
    return _result(tool.call(given["arguments"], signal=signal))


class _Aborting:
    """A source during whose loading somebody aborts."""

    def __init__(self, source: Any, signal: AbortSignal) -> None:
        self._source, self._signal = source, signal

    def snapshot(self) -> Any:
        return self._source.snapshot()

    def load(self, name: str) -> Any:
        self._signal.abort()
        return self._source.load(name)


def unknown_tool(row: Row) -> Any:
    return _result(Session(StepSource(), TOH).execute(row["input"]["tool"], "{}"))


def present_call(row: Row) -> Any:
    return {"view": _tool().present_call(row["input"]["arguments"])}


def parse_raw_arguments(row: Row) -> Any:
    return {"arguments": parse_arguments(row["input"]["raw"])}


# The tool as it is told.


def tool_schema(row: Row) -> Any:
    skill, ask = _tool(), AskUserTool(None)
    asks = row["input"]["tool"] == ask.schema.name
    tool, output = (ask, ask.output_schema) if asks else (skill, TOH.tool_output_schema)
    assert row["input"]["tool"] == tool.schema.name
    keys = [*tool.schema.to_dict(), "output", "execute"]
    keys += ["presentCall"] if hasattr(tool, "present_call") else []
    assert json.dumps(tool.schema.to_dict()) == json.dumps(row["output"]["schema"]), "the order of keys"
    return {
        "schema": tool.schema.to_dict(),
        "output_schema": plain(output),
        "keys": keys,
        "executionMode": {"kind": "exclusive" if TOH.exclusive else "concurrent"},
    }


DOCS_NOTES = {
    "ask_user_question": "\n\nask_user_question pauses the tool call until the active UI provider returns a "
    "human answer."
}
"""Prose of that page which no model reads, and which tohlab therefore does not have."""


def docs_tool_catalog(row: Row) -> Any:
    asks = "ask" in row["input"]["package"]
    schema = TOH.ask_tool() if asks else TOH.skill_tool()
    where = TOH.provenance_of("ask-tool" if asks else "tool").where
    pretty = json.dumps(schema.parameters, indent=2, ensure_ascii=False)
    section = (
        f"## `{row['input']['package']}`\n\n### `{schema.name}`\n\n{schema.description}\n\n"
        f"```json\n{pretty}\n```\n\nSource: [`{where}`](../{where})"
    )
    section += DOCS_NOTES.get(schema.name, "")
    return {**schema.to_dict(), "section_markdown": section}


def docs_template(row: Row) -> Any:
    title = row["input"]["title"].lower()
    line = TOH.entry_line.format(name="<name>", description="<normalized-and-capped-description>")
    guidance = {
        "provider": "<provider>",
        "directory": "<path>",
        "url": "<url>",
        "opaque": "<description>",
    }
    if "guidance" in title:
        kind = next(kind for kind in guidance if kind in title)
        return {"template": GUIDANCE[kind].format(value=guidance[kind])}
    if "empty" in title or "tombstone" in title:
        return {"template": TOH.tombstone_text}
    changed = any(word in title for word in ("update", "replacement", "change"))
    frame = TOH.replacement_frame if changed else TOH.initial_frame
    return {"template": frame.replace("{entries}", line)}


def tool_order(row: Row) -> Any:
    order = row["input"]["toolOrder"]
    tools = tuple(ToolSchema(name=name, description="", parameters={}) for name in row["input"]["registered"])
    surface = ToolSurface(dialect=TOH, inherited=tools, order=None if order is None else tuple(order))
    return {"wire_order": [tool.name for tool in surface.visible()]}


def restriction(row: Row) -> Any:
    assert row["input"] == {}, "the vector names no scenario; the calls below are the ones it records"

    def refusal(surface: ToolSurface, **named: list[str]) -> str | None:
        try:
            surface.restrict(**named)
        except ToolsError as error:
            return str(error)
        return None

    session = Session(StepSource(), TOH)
    everywhere = ToolSurface(dialect=TOH, inherited=(session.skill_tool.schema,), scoped=False)
    scoped = replace(everywhere, scoped=True)
    undo = session.restrict(allow=[])
    hidden = session.request.tools
    executed = _result(session.execute("skill", '{"name":"a"}'))
    undo()
    return {
        "unscoped": refusal(everywhere, deny=["skill"]),
        "empty": refusal(scoped),
        "unknown": refusal(scoped, deny=["x", "y"]),
        "reserved": refusal(scoped, deny=["run_code"]),
        "allow_nothing_hides": hidden == (),
        "global_still_sees": [tool.name for tool in everywhere.visible()] == ["skill"],
        "schemas_scoped": [tool.to_dict() for tool in hidden],
        "execute_hidden": {key: executed[key] for key in ("text", "error")},
        "after_undo": [tool.name for tool in session.request.tools],
    }


# The session.


def gesture_scan(row: Row) -> Any:
    """Which names the step's messages invoke: the session's own scan, over a source that has every name."""
    asked: list[str] = []

    class Everything(StepSource):
        def load(self, name: str) -> LoadedSkill | None:
            asked.append(name)
            return None

    batch = []
    for given in row["input"]["messages"]:
        blocks = [block["text"] for block in given["content"] if block["type"] == "text"]
        first = message("", given.get("source", {}))
        blank = first.content[0]
        batch.append(replace(first, content=tuple(replace(blank, text=text) for text in blocks)))
    Session(Everything(), TOH).step(*batch)
    return {"names": asked}


def lifecycle(row: Row) -> Any:
    return {"steps": run_lifecycle(row["input"]["config"], row["input"]["steps"])}


def pre_step_failure(row: Row) -> Any:
    """A provider `p` with a skill `a` that goes wrong in the way that the scenario's name says."""
    scenario, signal = row["input"]["scenario"], AbortSignal()
    candidate = {"name": "a", "description": "A", "source": "s", "rank": 1, "provider": "p"}
    listed = _give([candidate])
    get = _give(_loaded("a", "Body.", provider="p"))
    if "list-throws" in scenario:
        listed = _throw("offline")
    elif "invalid-candidate" in scenario or "bad-candidate" in scenario:
        listed = _give([{**candidate, "name": "Bad"}])
    elif "throws-object" in scenario:
        get = _throw("[object Object]")
    elif "throws-string" in scenario:
        get = _throw("plain string failure")
    elif "get-throws" in scenario or "get-rejects" in scenario:
        get = _throw("backend down")
    elif "renamed" in scenario or "other-name" in scenario:
        get = _give(_loaded("b", "Body.", provider="p"))
    elif "definition" in scenario or "content" in scenario:
        get = _give(_loaded("a", 3, provider="p"))
    elif any(word in scenario for word in ("vanish", "missing", "undefined", "gone", "null")):
        get = _give(None)
    elif "abort" in scenario:
        signal.abort("turn cancelled")
    else:
        raise AssertionError(f"a scenario that nothing here understands: {scenario!r}")
    source = ProviderSource(listed, lambda name: get())
    try:
        step = Session(source, TOH).step(message(row["input"]["text"], {"kind": "user"}), signal=signal)
    except Exception as error:
        return {"throws": str(error), "warnings": source.warnings}
    return {**describe_step(step), "warnings": source.warnings}


_GIVEN: dict[str, Callable[[Row], Any]] = {
    "description": description,
    "config_max_length": config_max_length,
    "escape_text": escape_text,
    "digest": digest,
    "catalog_initial": _catalog_message("initial"),
    "catalog_replacement": _catalog_message("replacement"),
    "read_catalog_source": read_catalog_source,
    "skill_content": skill_content,
    "skill_execute": skill_execute,
    "unknown_tool": unknown_tool,
    "present_call": present_call,
    "parse_arguments": parse_raw_arguments,
    "tool_schema": tool_schema,
    "docs_tool_catalog": docs_tool_catalog,
    "docs_template": docs_template,
    "tool_order": tool_order,
    "restriction": restriction,
    "gesture_scan": gesture_scan,
    "lifecycle": lifecycle,
    "pre_step_failure": pre_step_failure,
}


def _held(given: Callable[[Row], Any]) -> Callable[[Row], None]:
    def adapter(row: Row) -> None:
        assert given(row) == row["output"]

    return adapter


ADAPTERS = {group: _held(given) for group, given in _GIVEN.items()}
