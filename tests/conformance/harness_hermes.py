"""Hermes Agent's vectors: its block of the system prompt, its two tools, and their JSON answers."""

from __future__ import annotations

import json
from typing import Any

from tests.conformance.harness_driver import Row, given, turn_as_text

FROM_DISK = ("linked_files", "available_files")


def with_files_sorted(text: str) -> str:
    """Return a JSON answer with the lists of a skill's files sorted, all else byte for byte.

    The program names them in the order of the disk; the names and their groups are compared, not that order.
    """
    value: Any = json.loads(text)
    for key in FROM_DISK:
        if isinstance(value, dict) and isinstance(value.get(key), dict):
            value[key] = {group: sorted(files) for group, files in value[key].items()}
    return json.dumps(value, ensure_ascii=False)


def check(row: Row) -> None:
    """Assert that tohlab gives what the row holds."""
    case = given(row)
    harness, setting, params, output = case.harness, case.setting, case.params, row["output"]
    loaded = harness.load(case.tree, setting)
    if "call" in params:
        answer = case.answer(loaded)
        assert with_files_sorted(answer.text) == with_files_sorted(output["text"])
        if not any(f'"{key}": {{' in output["text"] for key in FROM_DISK):
            assert answer.text == output["text"]
    elif "user_text" in params:
        assert turn_as_text(case.turn(loaded)) == output["text"]
    elif "schema_of" in params:
        tools = {tool["name"]: tool for tool in harness.tools(loaded, setting)}
        assert tools[params["schema_of"]] == output["json"]
    else:
        listing = harness.listing(loaded, setting)
        assert listing.text == output["text"]
        assert listing.place == output["placement"]
