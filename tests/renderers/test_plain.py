"""tohlab's own renderers: what `measure` counts, and tools as JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.renderers.tools import ASK, WEATHER
from tohlab.catalog import Catalog
from tohlab.dialects import get_dialect
from tohlab.errors import RenderError, TokensError
from tohlab.renderers import JsonRenderer, PlainRenderer, Renderer, get_renderer, renderer_names
from tohlab.request import Message, Request, TextBlock, ToolCall, ToolSchema, text_message
from tohlab.tokens import get_meter, measure
from tohlab.tokens.rendered import measure_rendered

TEXTS = st.text(max_size=8)
REQUESTS = st.builds(
    lambda tools, system, texts: Request(
        tools=tuple(ToolSchema(name=n, description=d, parameters={"p": d}) for n, d in tools),
        system=system,
        messages=tuple(text_message("user", text) for text in texts),
    ),
    st.lists(st.tuples(TEXTS, TEXTS), max_size=2),
    TEXTS,
    st.lists(TEXTS, max_size=3),
)


@given(REQUESTS)
def test_plain_costs_what_measure_says(request_: Request) -> None:
    assert measure_rendered(request_, "plain").total_tokens == measure(request_).total_tokens


def test_plain_gives_every_segment_word_for_word() -> None:
    toh = get_dialect("toh")
    block = toh.render_catalog(Catalog.of([("pdf", "Reads.")]), "initial")
    call = ToolCall(id="1", name="t", arguments='{"q": 1}')
    request = Request(
        tools=(WEATHER,),
        system="Be good.",
        messages=(
            Message(role="user", content=(TextBlock(text="a"), block), source={"kind": "skill-catalog"}),
            Message(role="assistant", tool_calls=(call,), reasoning="Hm."),
        ),
    )
    segments = {segment.path: segment.text for segment in request.segments()}
    rendered = PlainRenderer().render(request)
    assert rendered.text == "".join(segments.values())
    for piece in rendered.pieces:
        assert segments.get(piece.segment, "")[piece.offset :].startswith(piece.text)
    shown = {piece.path: piece for piece in rendered.pieces}
    assert shown['skills["pdf"].description'].segment == "messages[0].content[1]"
    assert shown["messages[1].reasoning"].text == "Hm."
    assert [text for text, _, _ in rendered.runs()] == list(segments.values())


@pytest.mark.parametrize("name", ["json", "compact-json", "indent-json"])
def test_tools_as_json_are_that_json(name: str) -> None:
    renderer = get_renderer(name)
    assert isinstance(renderer, Renderer)
    request = Request(tools=(WEATHER, ASK), system="Be good.", messages=(text_message("user", "hi"),))
    rendered = renderer.render(request)
    texts = [text for text, _, _ in rendered.runs()]
    assert texts[-2:] == ["Be good.", "hi"]
    wrapped = [{"type": "function", "function": tool.to_dict()} for tool in (WEATHER, ASK)]
    written = [json.loads(text) for text in texts[:-2]]
    assert written == ([wrapped] if name == "compact-json" else wrapped)
    shown = {piece.path: piece.text for piece in rendered.pieces}
    assert shown["tools[1].parameters.properties.questions.description"] == json.dumps(
        ASK.parameters["properties"]["questions"]["description"]
    )
    assert shown["tools[0].name"] == '"get_current_weather"'
    assert renderer.dropped_keys() == ()
    assert renderer.tools_position == "before the system text"


def test_json_may_be_written_another_way_too() -> None:
    two = JsonRenderer("two", indent=2)
    assert two.render(Request(tools=(WEATHER,))).text == json.dumps(
        {"type": "function", "function": WEATHER.to_dict()}, indent=2
    )
    assert two.render(Request()).text == ""


@pytest.mark.parametrize("name", renderer_names())
def test_every_renderer_says_where_it_comes_from(name: str) -> None:
    renderer = get_renderer(name)
    assert renderer.provenance.source
    assert renderer.provenance.date >= "2026-08-20"
    assert renderer.name.split(":")[0] == name


def test_an_unknown_renderer_is_an_error_with_the_nearest_name() -> None:
    with pytest.raises(
        RenderError, match=r"armony: there is no such renderer, did you mean 'harmony'\?; known are"
    ):
        get_renderer("armony")
    with pytest.raises(TokensError, match="openai-formula:gpt-4o only counts and writes nothing"):
        measure_rendered(Request(), "openai-formula", get_meter())


def test_costs_by_address_add_up() -> None:
    cost = measure_rendered(Request(tools=(WEATHER,), system="Be good."), "harmony")
    assert sum(cost.by_path().values()) == sum(cost.by_section().values()) == cost.total_tokens
    assert sum(piece.tokens for piece in cost.pieces) == cost.total_tokens
    assert cost.special_tokens == 6
    assert (cost.renderer, cost.meter) == ("harmony", "o200k_base")
    assert cost.by_path()["tools[0].parameters.properties.location.description"] > 5
