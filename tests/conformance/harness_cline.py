"""Cline's vectors: the tail of the `skills` tool's description, the tool, its answers, and a user's text."""

from __future__ import annotations

from tests.conformance.harness_driver import Row, given, turn_as_text

NAMES = "Available skills: "


def as_set_of_names(tail: str) -> tuple[str, frozenset[str]]:
    """Return the frame of the list and its names as a set.

    The program lists in the order of the disk, which the recording machine's file system made by hashing. No
    name of a skill that it takes is cut by this: a name with a comma is split on both sides alike.
    """
    if not tail:
        return "", frozenset()
    assert tail.startswith(NAMES), tail
    assert tail.endswith("."), tail
    names = tail[len(NAMES) : -1].split(", ")
    assert len(names) == len(set(names)), names
    return NAMES, frozenset(names)


def check(row: Row) -> None:
    """Assert that tohlab gives what the row holds."""
    case = given(row)
    harness, setting, params, output = case.harness, case.setting, case.params, row["output"]
    loaded = harness.load(case.tree, setting)
    if "call" in params:
        answer = case.answer(loaded)
        assert answer.text == output["text"]
    elif "user_text" in params:
        assert turn_as_text(case.turn(loaded)) == output["text"]
    elif "schema_of" in params:
        got, want = case.chat_tool(loaded), output["json"]
        tail = harness.listing(loaded, setting).text
        assert got["function"]["description"].endswith(tail)
        assert as_set_of_names(tail) == as_set_of_names(
            NAMES + want["function"]["description"].split(NAMES)[1]
        )
        for tool in (got, want):
            tool["function"]["description"] = tool["function"]["description"].split(NAMES)[0]
        assert got == want
    else:
        listing = harness.listing(loaded, setting)
        assert listing.place == output["placement"]
        assert as_set_of_names(listing.text) == as_set_of_names(output["text"])
        assert bool(listing.cut) == output["truncated"]
