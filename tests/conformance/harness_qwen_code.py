"""qwen-code's vectors: the reminder in the first user turn, the tool, its answers, and a user's text."""

from __future__ import annotations

import re
from typing import Any

from tests.conformance.harness_driver import Row, given

BUNDLED = re.compile(
    r"<skill>\n<name>\n[^\n]*\n</name>\n<description>\n[^<]*\n</description>\n<location>\nbundled\n</location>\n</skill>\n?"
)
SESSION = re.compile(r"(?<=\.qwen/tmp/s-)[0-9a-f-]{36}(?=/)")


def without_bundled(text: str) -> str:
    """Return the reminder without the program's own skills, which the recording left out.

    They take part in the budget and in the order, so tohlab lists them; taken out, the last of them leaves an
    empty line behind or none, depending on what follows it.
    """
    return BUNDLED.sub("", text).replace("\n\n</available_skills>", "\n</available_skills>")


def with_any_session(parts: Any) -> Any:
    """Return a turn's parts with the random id of the session's folder as a placeholder."""
    if isinstance(parts, str):
        return SESSION.sub("<SESSION>", parts)
    return [with_any_session(part) for part in parts]


def check(row: Row) -> None:
    """Assert that tohlab gives what the row holds."""
    case = given(row)
    harness, setting, params, output = case.harness, case.setting, case.params, row["output"]
    loaded = harness.load(case.tree, setting)
    if "call" in params:
        answer = case.answer(loaded)
        assert answer.text == output["text"]
    elif "user_text" in params:
        turn = case.turn(loaded)
        if isinstance(output["json"], dict):  # the program answers by itself, below its own warnings
            assert output["json"]["no_model_request"]
            assert not turn.sent
            assert output["json"]["stderr"].endswith(f"\n{turn.notes[0]}\n")
        else:
            assert turn.json == with_any_session(output["json"])
    elif "schema_of" in params:
        assert case.chat_tool(loaded) == output["json"]
    else:
        listing = harness.listing(loaded, setting)
        assert listing.place == output["placement"]
        assert without_bundled(listing.text) == without_bundled(output["text"])
        assert bool(listing.cut) == output.get("truncated", False)
