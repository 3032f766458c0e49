"""Where a harness's list and load tool stand in a request."""

from __future__ import annotations

import pytest

from tohlab.dialects.change import after_change
from tohlab.dialects.harness import FileTree, Setting
from tohlab.dialects.harnesses import get_harness, harness_names
from tohlab.edits import PLAIN, harness_request
from tohlab.edits.layout import tool_of
from tohlab.errors import RequestError
from tohlab.request import Request, ToolSchema, text_message


def tree(*names: str) -> FileTree:
    return FileTree.of(
        {f"{n}/SKILL.md": f"---\nname: {n}\ndescription: Use {n} for {n}.\n---\nDo {n}.\n" for n in names}
    )


TOOLS = tuple(
    ToolSchema(name=f"tool_{i}", description="Do.", parameters={"type": "object"}) for i in range(3)
)
TALK = (text_message("user", "Hello."), text_message("assistant", "Hi."), text_message("user", "Go."))


def request(name: str, *names: str) -> Request:
    return harness_request(name, tree(*names), system="Be kind.", tools=TOOLS, messages=TALK)


@pytest.mark.parametrize("name", harness_names())
def test_the_list_stands_where_the_harness_says(name: str) -> None:
    rules, skills = get_harness(name), tree("alpha", "beta")
    found = request(name, "alpha", "beta")
    text = rules.listing(rules.load(skills, Setting()), Setting()).text
    told = [m for m in found.messages if m.kind == "skill-catalog"]
    assert (text in found.system) == (rules.place == "system")
    assert [m.text for m in told] == ([text] if rules.place in ("user", "developer") else [])
    assert [m for m in found.messages if m.kind != "skill-catalog"] == list(TALK)
    assert found.system.startswith("Be kind.")


def test_a_list_of_the_user_stands_before_the_opening_or_behind_it() -> None:
    assert [m.kind for m in request("claude-code", "alpha").messages] == [
        "skill-catalog",
        "user",
        "assistant",
        "user",
    ]
    assert [m.kind for m in request("toh", "alpha").messages][:2] == ["user", "skill-catalog"]


def test_a_developers_list_is_a_system_message_and_each_entry_has_a_name() -> None:
    (told,) = [m for m in request("codex", "alpha", "beta").messages if m.kind == "skill-catalog"]
    assert told.role == "system"
    assert [span.label for span in told.content[0].spans] == ['entry "alpha"', 'entry "beta"']


@pytest.mark.parametrize("name", harness_names())
def test_the_load_tool_is_among_the_others_in_the_programs_place(name: str) -> None:
    rules = get_harness(name)
    names = [tool.name for tool in request(name, "alpha").tools]
    loads = [tool_of(tool).name for tool in rules.tools(rules.load(tree("alpha"), Setting()), Setting())]
    assert [n for n in names if n.startswith("tool_")] == ["tool_0", "tool_1", "tool_2"]
    assert [n for n in names if not n.startswith("tool_")] == loads
    if loads and loads[0] in rules.tool_order:
        assert names.index(loads[0]) == min(rules.tool_order.index(loads[0]), 3)


def test_a_rewritten_tool_carries_the_new_names() -> None:
    rules, run = get_harness("cline"), Setting()
    before, after = (rules.load(tree(*names), run) for names in (("alpha",), ("alpha", "beta")))
    change = after_change(rules, before, after, run)
    told = harness_request(rules, before, run, tools=TOOLS, messages=TALK, change=change)
    text = "".join(tool.description for tool in told.tools)
    assert "beta" in text
    assert "beta" not in "".join(t.description for t in harness_request(rules, before, run).tools)


@pytest.mark.parametrize(("name", "role"), [("toh", "user"), ("codex", "system"), ("claude-code", "user")])
def test_what_is_announced_stands_before_the_users_next_text(name: str, role: str) -> None:
    rules, run = get_harness(name), Setting()
    before, after = (rules.load(tree(*names), run) for names in (("alpha",), ("alpha", "beta")))
    change = after_change(rules, before, after, run)
    messages = harness_request(rules, before, run, messages=TALK, change=change).messages
    assert (messages[-2].role, messages[-2].kind) == (role, "skill-catalog")
    assert messages[-1] == TALK[-1]
    assert 'entry "beta"' in [span.label for span in messages[-2].content[0].spans]


def test_a_list_in_the_system_text_can_be_blocks_with_the_same_text() -> None:
    skills = tree("alpha", "beta")
    whole = harness_request(PLAIN, skills, system="Be kind.", messages=TALK)
    blocks = harness_request(PLAIN, skills, system="Be kind.", messages=TALK, blocks=True)
    assert blocks.messages[0].text == whole.system
    assert [b.text for b in blocks.messages[0].content][1:] == [
        "\n\n- alpha: Use alpha for alpha.\n",
        "- beta: Use beta for beta.\n",
    ]
    assert blocks.messages[1:] == whole.messages


@pytest.mark.parametrize("key", ["parameters", "input_schema", "inputSchema", "parametersJsonSchema"])
def test_tools_of_every_api_are_understood(key: str) -> None:
    flat = {"name": "f", "description": "Do.", key: {"type": "object"}}
    expected = ToolSchema(name="f", description="Do.", parameters={"type": "object"})
    assert tool_of(flat) == tool_of({"type": "function", "function": flat}) == expected


def test_what_is_no_tool_is_an_error() -> None:
    with pytest.raises(RequestError, match="a tool needs a name"):
        tool_of({"name": "f"})
