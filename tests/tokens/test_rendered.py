"""The same tools under several renderers: one `tokens` column means nothing without a renderer's name."""

from __future__ import annotations

import json

import pytest

from tests.renderers.tools import ASK, WEATHER
from tohlab.errors import TokensError
from tohlab.request import ToolSchema
from tohlab.tokens import get_meter
from tohlab.tokens.rendered import compare_renderers, measure_tools


@pytest.mark.parametrize(
    ("renderer", "tokens"),
    [("json", 108), ("compact-json", 86), ("indent-json", 146), ("openai-formula", 68)],
)
def test_a_flat_tool_costs_what_was_measured(renderer: str, tokens: int) -> None:
    """The cookbook's own tool, so these are the published numbers exactly."""
    assert measure_tools([WEATHER], renderer).tokens == tokens


def test_a_flat_tool_in_harmony_depends_on_the_end_of_the_instructions() -> None:
    """84 was measured. The blank lines before `# Tools` may join the last token of the instructions."""
    assert measure_tools([WEATHER], "harmony", system="Be good").tokens == 84
    assert measure_tools([WEATHER], "harmony", system="Be good.").tokens == 83


def test_a_nested_tool_costs_several_times_more_under_another_renderer() -> None:
    """The published table has 239, 174, 331, 47 and 110 for another such tool, which is not public."""
    rows = {
        c.renderer: c for c in compare_renderers([ASK], ["json", "compact-json", "indent-json", "harmony"])
    }
    formula = measure_tools([ASK], "openai-formula")
    assert rows["indent-json"].tokens > rows["json"].tokens > rows["compact-json"].tokens
    assert rows["compact-json"].tokens > rows["harmony"].tokens > 2 * formula.tokens
    assert rows["indent-json"].tokens > 6 * formula.tokens
    assert formula.estimated
    assert not rows["harmony"].estimated
    assert rows["json"].tokens == get_meter().count(
        json.dumps({"type": "function", "function": ASK.to_dict()})
    )


def test_two_tools_together() -> None:
    both = {
        c.renderer: c.tokens for c in compare_renderers([WEATHER, ASK], ["json", "indent-json", "harmony"])
    }
    for name in ("json", "indent-json"):
        assert both[name] == sum(measure_tools([tool], name).tokens for tool in (WEATHER, ASK))
    # What harmony writes around tools is written once.
    assert both["harmony"] < sum(measure_tools([tool], "harmony").tokens for tool in (WEATHER, ASK))


def test_an_estimate_has_its_overhead_apart() -> None:
    cost = measure_tools([WEATHER], "anthropic-estimate")
    assert (cost.overhead_tokens, cost.estimated) == (286, True)
    assert cost.tokens == 286 + get_meter().count(WEATHER.to_json())
    assert cost.to_dict()["renderer"] == "anthropic-estimate:claude-opus-5"


@pytest.mark.parametrize("renderer", ["plain", "json", "harmony", "openai-formula", "anthropic-estimate"])
def test_no_tools_cost_nothing(renderer: str) -> None:
    assert measure_tools([], renderer).tokens == 0


def test_what_harmony_drops_costs_nothing_there() -> None:
    def tool(**more: int) -> ToolSchema:
        schema = {"type": "object", "properties": {"n": {"type": "integer", **more}}}
        return ToolSchema(name="t", description="", parameters=schema)

    bare, bounded = tool(), tool(minimum=0, maximum=9)
    assert measure_tools([bare], "harmony") == measure_tools([bounded], "harmony")
    assert measure_tools([bare], "json").tokens < measure_tools([bounded], "json").tokens


def test_tokens_of_another_encoding_are_refused() -> None:
    with pytest.raises(TokensError, match=r"not of cl100k_base; use get_meter\('o200k_harmony'\)"):
        measure_tools([WEATHER], "harmony", get_meter("cl100k_base"))
