"""Gemini CLI's vectors: its section of the system prompt, its load tool, the answers, and a user's text."""

from __future__ import annotations

import re
from typing import Any

from tests.conformance.harness_driver import Row, given

ENTRY = re.compile(r"  <skill>\n.*?\n  </skill>\n(?=  <skill>\n|</available_skills>)", re.DOTALL)
BUILT_IN = 2


def as_set_of_entries(text: str) -> tuple[str, list[str], frozenset[str]]:
    """Return the frame of the list, the built-in entries in their order, and the other entries as a set.

    The program lists in the order in which its search of the disk ends, which is roughly the reverse of the
    folders' and not the same on each machine.
    """
    entries = ENTRY.findall(text)
    assert len(entries) == len(set(entries)), text
    return ENTRY.sub("", text), entries[:BUILT_IN], frozenset(entries[BUILT_IN:])


def as_set_of_names(tool: dict[str, Any]) -> tuple[Any, ...]:
    """Return a tool's frame, its built-in names in their order, and the other names as a set."""
    schema = tool["parametersJsonSchema"]
    names = schema["properties"]["name"]["enum"]
    told = ", ".join(f"'{name}'" for name in names)
    assert tool["description"].count(f"(Available: {told})") == 1, tool
    frame = {**tool, "description": tool["description"].replace(told, ""), "parametersJsonSchema": None}
    rest = {**schema, "properties": {"name": {**schema["properties"]["name"], "enum": None}}}
    assert len(names) == len(set(names)), names
    return frame, rest, list(schema), names[:BUILT_IN], frozenset(names[BUILT_IN:])


def without_what_was_printed(output: dict[str, Any]) -> dict[str, Any]:
    """Return a gesture's output without the two streams: a stand-in model's words and the terminal's."""
    return {key: value for key, value in output.items() if key not in ("stdout", "stderr")}


def check(row: Row) -> None:
    """Assert that tohlab gives what the row holds."""
    case = given(row)
    harness, setting, params, output = case.harness, case.setting, case.params, row["output"]
    loaded = harness.load(case.tree, setting)
    if "call" in params:
        answer = case.answer(loaded)
        assert answer.json == output["json"]
        assert answer.is_error == ("error" in output["json"])
    elif "user_text" in params:
        turn = case.turn(loaded)
        want = without_what_was_printed(output["json"])
        assert want == {"requests": int(turn.sent), "contents_after_session_context": turn.json}
    elif row["group"] == "tool_schema":
        (tool,) = harness.tools(loaded, setting)
        assert as_set_of_names(tool) == as_set_of_names(output["json"])
    else:
        listing = harness.listing(loaded, setting)
        assert listing.place == output["placement"]
        assert as_set_of_entries(listing.text) == as_set_of_entries(output["text"])
        assert bool(listing.cut) == output["truncated"]
