"""What all sixteen harnesses have in common: names, provenance, and what cannot be answered."""

from __future__ import annotations

import datetime

import pytest

from tohlab.dialects.harness import FileTree, RequestLayout, Setting
from tohlab.dialects.harnesses import get_harness, harness_names
from tohlab.errors import UnsupportedByDialect

PARTS = ("load", "listing", "tools", "call", "user")
TREE = FileTree.of({"a/SKILL.md": "---\nname: a\ndescription: d\n---\n\nBody.\n"})
SETTING = Setting(root="/r", bundled=False)


def test_there_are_sixteen() -> None:
    assert len(harness_names()) == 16


@pytest.mark.parametrize("name", harness_names())
def test_every_text_says_where_it_comes_from_how_sure_it_is_and_of_what_day(name: str) -> None:
    harness = get_harness(name)
    assert set(harness.text_provenance) <= set(PARTS)
    for source in (*map(harness.provenance_of, PARTS), *(layout.provenance for layout in harness.layouts)):
        assert source.fidelity in ("executed", "source", "documented", "reconstructed")
        assert source.program
        assert source.version
        assert source.where
        assert datetime.date.fromisoformat(source.date)


@pytest.mark.parametrize("name", harness_names())
def test_what_is_not_known_is_named(name: str) -> None:
    harness = get_harness(name)
    assert harness.not_measured
    assert harness.duplicate
    sure = {harness.provenance_of(part).fidelity for part in PARTS}
    assert "executed" in sure or len(harness.not_measured) > 1


@pytest.mark.parametrize("name", harness_names())
def test_the_tools_of_a_request_are_named_where_they_were_seen(name: str) -> None:
    harness = get_harness(name)
    loaded = harness.load(TREE, SETTING)
    if harness.tool_order:
        names = harness.tool_names(loaded, SETTING)
        assert set(names) <= set(harness.tool_order)
        offered = {tool.get("name") or tool["function"]["name"] for tool in harness.tools(loaded, SETTING)}
        assert offered <= set(names)
    else:
        with pytest.raises(UnsupportedByDialect, match="were not seen"):
            harness.tool_names(loaded, SETTING)


def test_without_skills_some_offer_no_load_tool() -> None:
    empty = FileTree.of({})
    offers = {
        name: harness.load_tool in harness.tool_names(harness.load(empty, SETTING), SETTING)
        for name in harness_names()
        if (harness := get_harness(name)).tool_order and harness.load_tool
    }
    assert offers == {
        "cline": False,
        "gemini-cli": False,
        "mistral-vibe": False,
        "opencode": True,
        "pi": True,
        "qwen-code": True,
    }


def test_breakpoints_are_found_from_the_end_and_missing_ones_left_out() -> None:
    layout = RequestLayout(
        api="a",
        path="/p",
        keys=("messages",),
        breakpoints=("tools/-1", "system/0", "messages/-2/content/-1", "messages/-1/content"),
        provenance=get_harness("pi").provenance,
    )
    body = {"messages": [{"content": [{}, {}]}, {"content": "text"}], "system": []}
    assert layout.breakpoints_in(body) == ("/messages/0/content/1", "/messages/1/content")
    assert layout.breakpoints_in({}) == ()
    [of_pi] = get_harness("pi").layouts
    assert of_pi.breakpoints_in({"tools": [{}, {}], "messages": [{"content": [{}]}], "system": [{}]}) == (
        "/tools/1",
        "/system/0",
        "/messages/0/content/0",
    )
