"""Which tools a model has."""

from __future__ import annotations

from typing import Any

import pytest

from tohlab.dialects import get_dialect
from tohlab.errors import ToolsError
from tohlab.request import ToolSchema
from tohlab.tools import ToolSurface

TOH = get_dialect("toh")


def tool(name: str, description: str = "") -> ToolSchema:
    return ToolSchema(name=name, description=description, parameters={})


def surface(**more: Any) -> ToolSurface:
    return ToolSurface(dialect=TOH, inherited=(tool("skill"), tool("bash"), tool("ask")), **more)


def names(tools: ToolSurface) -> list[str]:
    return [t.name for t in tools.visible()]


def test_tools_are_sent_sorted_by_name() -> None:
    assert names(surface()) == ["ask", "bash", "skill"]


def test_names_sort_by_utf_16_code_units() -> None:
    tools = (tool("\U0001f600"), tool("\uff41"), tool("a"))
    assert names(ToolSurface(dialect=TOH, inherited=tools)) == ["a", "\U0001f600", "\uff41"]


def test_an_own_order_puts_the_others_where_it_says() -> None:
    assert names(surface(order=("skill", "<unlisted-tools>", "ask"))) == ["skill", "bash", "ask"]
    assert names(surface(order=("gone", "<unlisted-tools>"))) == ["ask", "bash", "skill"]


@pytest.mark.parametrize("order", [(), ("skill",), ("<unlisted-tools>", "<unlisted-tools>")])
def test_an_order_says_once_where_the_others_go(order: tuple[str, ...]) -> None:
    with pytest.raises(ToolsError, match="exactly once"):
        surface(order=order)


def test_a_name_is_given_once() -> None:
    with pytest.raises(ToolsError, match="'skill' is given twice"):
        ToolSurface(dialect=TOH, inherited=(tool("skill"), tool("skill")))


def test_an_own_tool_stands_before_an_inherited_one() -> None:
    near = surface(own=(tool("skill", "mine"),))
    assert [t.description for t in near.visible() if t.name == "skill"] == ["mine"]


def test_restrictions_all_apply_at_once() -> None:
    tools = surface().restrict(allow=["skill", "bash"]).restrict(deny=["bash"])
    assert names(tools) == ["skill"]
    assert names(tools.lift(tools.restrictions[0])) == ["ask", "skill"]
    assert (
        tools.lift(tools.restrictions[0]).lift(tools.restrictions[0]).restrictions == tools.restrictions[1:]
    )


def test_allowing_nothing_hides_what_is_inherited_and_nothing_else() -> None:
    assert names(surface(own=(tool("mine"),)).restrict(allow=[])) == ["mine"]


@pytest.mark.parametrize(
    ("refused", "text"),
    [
        ({}, "tools.restrict({}) is a no-op: pass `allow` and/or `deny`"),
        ({"deny": []}, "tools.restrict({}) is a no-op"),
        (
            {"allow": ["x"], "deny": ["y", "x"]},
            'tools.restrict() names unknown global tools "x", "y"; known global tools: ask, bash, skill',
        ),
        (
            {"deny": ["run_code", "x"]},
            'tools.restrict() cannot name reserved Code Mode presentation transport "run_code"; restrict '
            "end-capability tools instead",
        ),
    ],
)
def test_a_restriction_that_cannot_be_is_refused(refused: dict[str, list[str]], text: str) -> None:
    with pytest.raises(ToolsError) as caught:
        surface().restrict(**refused)
    assert str(caught.value).startswith(text)


def test_what_belongs_to_every_agent_may_not_be_restricted() -> None:
    with pytest.raises(ToolsError, match="requires a scoped context"):
        surface(scoped=False).restrict(deny=["skill"])
