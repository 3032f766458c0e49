"""Mistral Vibe's vectors: the end of the system prompt, the tool, its answers, and a user's text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tests.conformance.harness_driver import Given, Row, given, holds_under_one_of
from tohlab.dialects.harness import Loaded, Setting


def in_the_order_of_the_disk(loaded: Loaded, text: str) -> Loaded:
    """Return the skills in the order in which a recorded text names them.

    The program has them in the order of the disk, which the recording machine's file system made by hashing;
    a row does not say it. Everything else about the text is compared as it is.
    """

    def place(name: str) -> int:
        return max(text.rfind(f"<name>{name}</name>"), text.rfind(f'\\"{name}\\"'))

    return replace(loaded, skills=tuple(sorted(loaded.skills, key=lambda skill: place(skill.name))))


def settings_of_unsaid_disk(case: Given) -> Iterator[Setting]:
    """Yield a setting for each file that the disk may have given first: of equal names the first stays."""
    yield case.setting
    for skip in case.harness.load(case.tree, case.setting).skipped:
        if skip.code == "duplicate-name":
            yield replace(case.setting, options={**case.setting.options, "first_read": skip.path})


def check(row: Row) -> None:
    """Assert that tohlab gives what the row holds, for one of the orders that the disk may have had."""
    case = given(row)
    settings = settings_of_unsaid_disk(case)
    holds_under_one_of(settings, lambda setting: _check(row, case, setting))


def _check(row: Row, case: Given, setting: Setting) -> None:
    harness, params, output = case.harness, case.params, row["output"]
    loaded = harness.load(case.tree, setting)
    if "call" in params:
        answer = case.answer(in_the_order_of_the_disk(loaded, output["text"]), setting)
        assert answer.text == output["text"]
    elif "user_text" in params:
        assert case.turn(loaded, setting).json == output["json"]
    elif "schema_of" in params:
        assert case.chat_tool(loaded, setting) == output["json"]
    else:
        listing = harness.listing(in_the_order_of_the_disk(loaded, output["text"]), setting)
        assert listing.place == output["placement"]
        assert listing.text == output["text"]
        assert bool(listing.cut) == output.get("truncated", False)
