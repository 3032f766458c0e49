"""Mistral Vibe's vectors: the end of the system prompt, the tool, its answers, and a user's text."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.conformance.harness_driver import Row, given

ENTRY = re.compile(r"  <skill>\n.*?\n  </skill>\n", re.DOTALL)
NAMES = re.compile(r"Available skills: (.*)\.\Z", re.DOTALL)


def as_frame_and_entries(text: str) -> tuple[str, list[str]]:
    """Return what stands around the entries and the entries in an order of our own.

    The program lists the user's skills in the order of the disk, which the recording machine's file system
    made by hashing. A description cannot hold an entry's tags: they are escaped.
    """
    return ENTRY.sub("", text), sorted(ENTRY.findall(text))


def with_names_sorted(answer: str) -> Any:
    """Return an error with the names that there are in an order of our own: the disk's, as above.

    The near names before them stay in order: ties among them, which the disk settles too, did not occur.
    """
    if not answer.startswith('{"result"'):
        return answer
    value = json.loads(answer)
    message = value["result"]["error"]["message"]
    value["result"]["error"]["message"] = NAMES.sub(
        lambda match: ", ".join(sorted(match[1].split(", "))), message
    )
    return value


def check(row: Row) -> None:
    """Assert that tohlab gives what the row holds."""
    case = given(row)
    harness, setting, params, output = case.harness, case.setting, case.params, row["output"]
    loaded = harness.load(case.tree, setting)
    if "call" in params:
        call = params["call"]
        answer = harness.call(call["tool"], call["arguments"], loaded, case.tree, setting)
        assert with_names_sorted(answer.text) == with_names_sorted(output["text"])
    elif "user_text" in params:
        assert harness.user(params["user_text"], loaded, case.tree, setting).json == output["json"]
    elif "schema_of" in params:
        tools = {tool["function"]["name"]: tool for tool in harness.tools(loaded, setting)}
        assert tools[params["schema_of"]] == output["json"]
    else:
        listing = harness.listing(loaded, setting)
        assert listing.place == output["placement"]
        assert as_frame_and_entries(listing.text) == as_frame_and_entries(output["text"])
        assert bool(listing.cut) == output.get("truncated", False)
