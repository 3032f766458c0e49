"""Counting without a text: the cookbook's formula and an estimate that says so."""

from __future__ import annotations

import pytest

from tests.renderers.tools import ASK, WEATHER
from tohlab.errors import RenderError
from tohlab.renderers import AnthropicEstimate, OpenAIFormula
from tohlab.renderers.counters import ANTHROPIC_TOOL_PROMPTS
from tohlab.request import Message, Request, TextBlock, ToolCall, ToolSchema, text_message
from tohlab.tokens import get_meter
from tohlab.tokens.rendered import measure_rendered

COOKBOOK = Request(
    tools=(WEATHER,),
    system="You are a helpful assistant that can answer to questions about the weather.",
    messages=(text_message("user", "What's the weather like in San Francisco?"),),
)


@pytest.mark.parametrize(
    ("model", "encoding", "tokens"),
    [
        ("gpt-4o", "o200k_base", 101),
        ("gpt-4o-mini", "o200k_base", 101),
        ("gpt-4", "cl100k_base", 105),
        ("gpt-3.5-turbo", "cl100k_base", 105),
    ],
)
def test_the_formula_gives_the_numbers_of_the_api(model: str, encoding: str, tokens: int) -> None:
    """The cookbook documents 101 and 105 as what the API itself reported for this request."""
    count = OpenAIFormula(model).count(COOKBOOK, get_meter(encoding))
    assert count.total_tokens == tokens
    assert (count.estimated, count.uncounted, count.overhead_tokens) == (False, (), 0)


def test_the_formula_names_what_it_passes_over() -> None:
    """Nested and array parameters were undercounted (openai-chat-tokens#3, #9; tiktoken#160)."""
    count = OpenAIFormula().count(Request(tools=(ASK,)), get_meter())
    assert count.uncounted == ("tools[0].parameters.properties.questions.items",)
    assert count.estimated
    assert count.tools_tokens * 2 < measure_rendered(Request(tools=(ASK,)), "harmony").by_section()["tools"]
    union = ToolSchema(
        name="t", description="", parameters={"properties": {"a": {"type": ["string", "null"]}}}
    )
    assert OpenAIFormula().count(Request(tools=(union,)), get_meter()).uncounted == (
        "tools[0].parameters.properties.a.type",
    )


def test_the_formula_says_nothing_of_calls() -> None:
    call = ToolCall(id="1", name="t", arguments="{}")
    talk = Request(messages=(Message(role="assistant", tool_calls=(call,), reasoning="Hm."),))
    count = OpenAIFormula().count(talk, get_meter())
    assert count.uncounted == ("messages[0].tool_calls[0]", "messages[0].reasoning")
    assert OpenAIFormula().count(Request(), get_meter()).total_tokens == 0


def test_the_formula_is_for_its_own_models_and_encodings() -> None:
    with pytest.raises(RenderError, match="openai-formula: it is not defined for gpt-5, only for gpt-4o, "):
        OpenAIFormula("gpt-5")
    with pytest.raises(
        RenderError, match=r"counts tokens of cl100k_base, not of o200k_base; use get_meter\('cl"
    ):
        OpenAIFormula("gpt-4").count(COOKBOOK, get_meter())


@pytest.mark.parametrize(("choice", "overhead"), [("auto", 286), ("any", 406)])
def test_anthropics_hidden_prompt_comes_with_the_first_tool(choice: str, overhead: int) -> None:
    estimate = AnthropicEstimate("claude-opus-5", tool_choice=choice)
    count = estimate.count(COOKBOOK, get_meter())
    assert count.estimated
    assert (count.overhead_tokens, count.counter) == (overhead, "anthropic-estimate:claude-opus-5")
    assert count.total_tokens == measure_rendered(COOKBOOK, "plain").total_tokens + overhead
    without = estimate.count(Request(messages=COOKBOOK.messages), get_meter())
    assert (without.overhead_tokens, without.tools_tokens) == (0, 0)


def test_anthropics_overheads_are_those_documented() -> None:
    assert ANTHROPIC_TOOL_PROMPTS["claude-opus-4-7"] == (675, 804)
    assert ANTHROPIC_TOOL_PROMPTS["claude-haiku-3-5"] == (264, 355)
    with pytest.raises(RenderError, match=r"overhead of claude-1 is not known here; known: claude-opus-5"):
        AnthropicEstimate("claude-1")
    with pytest.raises(RenderError, match="tool_choice must be auto or any, not 'both'"):
        AnthropicEstimate(tool_choice="both")


def test_no_counter_and_no_renderer_forgets_tools_and_system() -> None:  # CLIProxyAPI#679, litellm#29269
    """A count of the messages alone was 48 where the request was 728."""
    words = get_meter().count
    system, question = "Act with care. " * 120, "What now? " * 16
    request = Request(tools=(WEATHER, ASK), system=system, messages=(text_message("user", question),))
    alone = Request(messages=request.messages)
    assert words(question) == 49
    for name in ("plain", "json", "compact-json", "indent-json", "harmony"):
        whole, part = (measure_rendered(r, name).total_tokens for r in (request, alone))
        assert whole - part > words(system), name
        assert whole > 10 * words(question), name
    for counter in (OpenAIFormula(), AnthropicEstimate()):
        count = counter.count(request, get_meter())
        assert count.total_tokens > 10 * words(question)
        assert count.tools_tokens > 100
    assert isinstance(request.messages[0].content[0], TextBlock)
