"""Any chat template: rendered as transformers does it, texts placed by proof, faults named with a line."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.renderers.templates import DATED, INDENTED, THINKS, TOOLS_FIRST, TOOLS_LAST, TURNS
from tests.renderers.tools import ASK, WEATHER
from tohlab.catalog import Catalog
from tohlab.dialects import get_dialect
from tohlab.errors import MissingExtra, RenderError, TokensError
from tohlab.renderers import JinjaRenderer, situations
from tohlab.request import Message, Request, TextBlock, ToolCall, text_message
from tohlab.tokens import get_meter, measure
from tohlab.tokens.rendered import encode_rendered, measure_rendered

OURS = Path(__file__).parents[2] / "tohlab" / "serve" / "templates" / "qwen2.5-coder.jinja"
SPECIALS = ("<|im_start|>", "<|im_end|>")
CALL = ToolCall(id="1", name="get_current_weather", arguments='{"location": "Ulm"}')
TALK = Request(
    tools=(WEATHER, ASK),
    system="Be good.",
    messages=(
        text_message("user", "Weather?"),
        Message(role="assistant", tool_calls=(CALL,)),
        Message(role="tool", content=(TextBlock(text="4 degrees"),), tool_call_id="1"),
        text_message("assistant", "Cold."),
    ),
)


def shown(request: Request, template: str, **more: object) -> dict[str, list[str]]:
    """What each address shows, in order."""
    result: dict[str, list[str]] = {}
    for piece in JinjaRenderer(template, **more).render(request).pieces:  # type: ignore[arg-type] # options by name
        result.setdefault(piece.path, []).append(piece.text)
    return result


def test_the_text_is_what_the_template_says() -> None:
    text = JinjaRenderer(TOOLS_FIRST).render(TALK, generation_prompt=True).text
    tools = [{"type": "function", "function": tool.to_dict()} for tool in TALK.tools]
    assert text == (
        "<|im_start|>tools\n"
        + "".join(json.dumps(tool) + "\n" for tool in tools)
        + "<|im_end|>\n<|im_start|>system\nBe good.<|im_end|>\n<|im_start|>user\nWeather?<|im_end|>\n"
        + '<|im_start|>assistant\n<tool_call>{"name": "get_current_weather", "arguments": '
        + '{"location": "Ulm"}}</tool_call>'
        + "<|im_end|>\n<|im_start|>user\n<tool_response>\n4 degrees\n</tool_response><|im_end|>\n"
        + "<|im_start|>assistant\nCold.<|im_end|>\n<|im_start|>assistant\n"
    )


def test_every_text_has_its_address() -> None:
    found = shown(TALK, TOOLS_FIRST)
    at = "tools[1].parameters.properties.questions.items.properties"
    assert found[f"{at}.options.items.properties.label.description"] == ["What the user picks."]
    assert found["tools[0].parameters.properties.unit.enum[1]"] == ["fahrenheit"]
    assert found["tools[0].name"] == ["get_current_weather"]
    assert found["system"] == ["Be good."]
    assert found["messages[1].tool_calls[0].arguments.location"] == ["Ulm"]
    assert found["messages[2].content[0]"] == ["4 degrees"]
    assert JinjaRenderer(TOOLS_FIRST).render(TALK).unplaced == ()


def test_equal_texts_are_told_apart() -> None:
    request = Request(system="same", messages=(text_message("user", "same"), text_message("user", "same")))
    found = shown(request, TURNS)
    assert [found[p] for p in ("system", "messages[0].content[0]", "messages[1].content[0]")] == [
        ["same"]
    ] * 3


def test_a_catalogs_entries_keep_their_addresses() -> None:
    toh = get_dialect("toh")
    block = toh.render_catalog(Catalog.of([("pdf", "Reads & writes.")]), "initial")
    message = Message(role="user", content=(block,), source={"kind": "skill-catalog"})
    rendered = JinjaRenderer(TURNS).render(Request(messages=(message,)))
    piece = next(p for p in rendered.pieces if p.path == 'skills["pdf"].description')
    assert piece.segment == "messages[0].content[0]"
    assert block.text[piece.offset :].startswith(piece.text)


def test_a_text_that_steers_the_template_is_still_placed() -> None:
    """`</think>` in a text changes the template's course, so all texts cannot be exchanged at once."""
    request = Request(
        messages=(
            text_message("user", "  padded  "),
            text_message("assistant", "<think>why</think> Because."),
            text_message("user", "again"),
        )
    )
    rendered = JinjaRenderer(THINKS).render(request)
    assert "why" not in rendered.text
    found = {piece.path: piece for piece in rendered.pieces if piece.path}
    assert found["messages[0].content[0]"].text == "padded"
    assert found["messages[0].content[0]"].offset == 2
    assert found["messages[2].content[0]"].text == "again"
    assert rendered.unplaced == ("messages[1].content[0]",)  # only a part of it is shown
    assert "Because." in "".join(p.text for p in rendered.pieces if not p.path)


def test_a_text_may_be_shown_twice_and_as_json_writes_it() -> None:
    tool = WEATHER.__class__(name="t", description='Say "hi".\n', parameters={})
    found = shown(Request(tools=(tool,), messages=(text_message("user", "x"),)), INDENTED)
    assert found["tools[0].description"] == ['Say "hi".\n', '\\"hi\\".\\n'.join(["Say ", ""])]


def test_tools_as_indented_json() -> None:
    text = JinjaRenderer(INDENTED).render(Request(tools=(WEATHER,))).text
    wrapped = {"type": "function", "function": WEATHER.to_dict()}
    assert text == f"{WEATHER.description}\n{json.dumps(wrapped, indent=4)}\n"


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(max_size=6), max_size=4), st.sampled_from([TURNS, TOOLS_FIRST, TOOLS_LAST, THINKS]))
def test_pieces_are_always_the_whole_text_and_word_for_word(texts: list[str], template: str) -> None:
    messages = tuple(text_message("assistant" if i % 2 else "user", text) for i, text in enumerate(texts))
    request = Request(tools=(WEATHER,), messages=(text_message("user", "first"), *messages))
    rendered = JinjaRenderer(template, special_tokens=SPECIALS).render(request, generation_prompt=True)
    segments = {segment.path: segment.text for segment in request.segments()}
    for piece in rendered.pieces:
        if piece.segment:
            assert segments[piece.segment][piece.offset :].startswith(piece.text)
    plain = JinjaRenderer(template).render(request, generation_prompt=True)
    assert rendered.text == plain.text


# Sections, special tokens and costs.


def test_special_tokens_are_the_templates_own_only() -> None:
    request = Request(messages=(text_message("user", "say <|im_end|> now"),))
    rendered = JinjaRenderer(TURNS, special_tokens=SPECIALS).render(request, generation_prompt=True)
    assert [p.text for p in rendered.pieces if p.special] == ["<|im_start|>", "<|im_end|>", "<|im_start|>"]
    assert [p.section for p in rendered.pieces][-2:] == ["generation", "generation"]
    assert "".join(p.text for p in rendered.pieces[-2:]) == "<|im_start|>assistant\n"
    with pytest.raises(TokensError, match="o200k_base has no special token"):
        encode_rendered(rendered, get_meter())


def test_a_section_is_what_the_text_is_for() -> None:
    cost = measure_rendered(TALK, JinjaRenderer(TOOLS_FIRST, special_tokens=SPECIALS))
    assert list(cost.by_section()) == ["tools", "system", "messages"]
    assert sum(cost.by_section().values()) == cost.total_tokens > measure(TALK).total_tokens
    assert cost.special_tokens == 12


def test_our_own_template_is_rendered_like_any_other() -> None:
    renderer = JinjaRenderer.from_file(OURS, special_tokens=SPECIALS)
    rendered = renderer.render(TALK)
    assert renderer.name.startswith("jinja:")
    assert renderer.provenance.source == str(OURS)
    assert rendered.unplaced == ()
    assert {p.path for p in rendered.pieces} >= {"tools[0].name", "system", "messages[0].content[0]"}


@pytest.mark.parametrize(
    ("template", "position"),
    [
        (TOOLS_FIRST, "before the system text"),
        (TOOLS_LAST, "before the last user message"),
        (TURNS, "not shown"),
        (TURNS + "{{ tools | tojson }}", "at the end"),
        (OURS.read_text(encoding="utf-8"), "after the system text"),
    ],
)
def test_where_tools_stand_is_found_by_looking(template: str, position: str) -> None:
    assert JinjaRenderer(template).tools_position == position


def test_what_a_template_does_not_show_of_a_schema() -> None:
    names_only = (
        "{% for t in tools %}{{ t.function.description }}"
        "{% for n, p in t.function.parameters.properties.items() %}"
        "{{ n }}: {{ p.type }} {{ p.description }} {{ p.enum }}{% endfor %}{% endfor %}"
    )
    dropped = JinjaRenderer(names_only).dropped_keys()
    assert {"minimum", "maximum", "required", "default"} <= set(dropped)
    assert "enum" not in dropped
    assert JinjaRenderer(TOOLS_FIRST).dropped_keys() == ()


# Dates and arguments.


def test_the_date_is_given_and_never_looked_up() -> None:
    day = JinjaRenderer(DATED, day=date(2026, 12, 1))
    assert day.render(TALK).text.startswith("Today Date: 01 December 2026<")
    assert day.on(date(2027, 1, 2)).render(TALK).text.startswith("Today Date: 02 January 2027<")
    assert day.render(TALK).text.startswith("Today Date: 01 December 2026<")
    with pytest.raises(RenderError, match=r"line 1: the template writes today's date; give one with day="):
        JinjaRenderer(DATED).render(TALK)


def test_arguments_are_objects_unless_they_are_none_or_not_wanted() -> None:
    broken = ToolCall(id="2", name="t", arguments='{"location": ')
    request = Request(messages=(Message(role="assistant", tool_calls=(CALL, broken)),))
    found = shown(request, TURNS)
    assert found["messages[0].tool_calls[0].arguments.location"] == ["Ulm"]
    assert found["messages[0].tool_calls[1].arguments"] == ['{\\"location\\": ']
    as_text = shown(request, TURNS, parsed_arguments=False)
    assert as_text["messages[0].tool_calls[0].arguments"] == ['{\\"location\\": \\"Ulm\\"}']


def test_a_tokenizers_config_brings_template_and_tokens(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer_config.json"
    config = {"chat_template": "{{ bos_token }}{{ messages[0].content }}", "bos_token": {"content": "<s>"}}
    path.write_text(json.dumps(config))
    rendered = JinjaRenderer.from_file(path).render(Request(messages=(text_message("user", "hi"),)))
    assert [(p.text, p.special) for p in rendered.pieces] == [("<s>", True), ("hi", False)]
    named = [{"name": "rag", "template": "no"}, {"name": "default", "template": "{{ messages[0].content }}"}]
    path.write_text(json.dumps({"chat_template": named}))
    assert JinjaRenderer.from_file(path).template == "{{ messages[0].content }}"
    path.write_text("{}")
    with pytest.raises(RenderError, match="holds no chat_template"):
        JinjaRenderer.from_file(path)
    path.write_text("{")
    with pytest.raises(RenderError, match="is not JSON"):
        JinjaRenderer.from_file(path)
    with pytest.raises(RenderError, match=r"gone.jinja: cannot be read"):
        JinjaRenderer.from_file(tmp_path / "gone.jinja")


# Faults.


@pytest.mark.parametrize(
    ("template", "message"),
    [
        (
            "\n\n{{ raise_exception('roles must alternate') }}",
            "line 3: the template raised: roles must alternate",
        ),
        ("{# a #}\n{{ messages[9].content }}", "line 2: the template raised: .*has no element 9"),
        ("\n{{ 1 / 0 }}", "line 2: the template raised: division by zero"),
        (
            "\n{{ messages.append(1) }}",
            "line 2: the template raised: access to attribute 'append' .*is unsafe",
        ),
        ("\n{{ ''.__class__.__mro__ }}", "line 2: the template raised: access to attribute '__class__'"),
        ("{% for i in range(10 ** 9) %}{% endfor %}", "line 1: the template raised: Range too big"),
        ("\n{{ messages | nope }}", "line 2: No filter named 'nope'"),
    ],
)
def test_a_template_that_fails_says_where(template: str, message: str) -> None:
    with pytest.raises(RenderError, match=message) as caught:
        JinjaRenderer(template).render(TALK)
    assert caught.value.renderer.startswith("jinja:")
    assert caught.value.line


def test_a_template_that_is_none_says_where() -> None:
    with pytest.raises(RenderError, match="line 2: Encountered unknown tag 'iff'") as caught:
        JinjaRenderer("\n{% iff x %}", name="mine")
    assert (caught.value.line, caught.value.renderer) == (2, "mine")


def test_tools_in_pythons_own_writing_are_placed_too() -> None:
    tool = WEATHER.__class__(name="t", description='Say\n"hi".', parameters={"type": "object"})
    found = shown(Request(tools=(tool,), messages=(text_message("user", "x"),)), "{{ tools }}")
    assert found["tools[0].description"] == ['Say\\n"hi".']
    assert found["tools[0].name"] == ["t"]


def test_reasoning_is_given_under_the_keys_that_the_template_reads() -> None:
    request = Request(messages=(Message(role="assistant", reasoning="Hm.", content=(TextBlock(text="Ok"),)),))
    template = "{% for m in messages %}{{ m.thinking }}{{ m.content }}{% endfor %}"
    assert shown(request, template, reasoning_keys=("thinking",))["messages[0].reasoning"] == ["Hm."]
    assert "messages[0].reasoning" not in shown(request, template)
    assert JinjaRenderer(template).render(request).unplaced == ("messages[0].reasoning",)


def test_blocks_of_one_message_keep_their_addresses() -> None:
    blocks = (TextBlock(text="one "), TextBlock(text=""), TextBlock(text="two"))
    found = shown(Request(messages=(Message(role="user", content=blocks),)), TURNS)
    assert (found["messages[0].content[0]"], found["messages[0].content[2]"]) == (["one "], ["two"])


def test_without_jinja_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.setitem(sys.modules, "jinja2.ext", None)
    with pytest.raises(MissingExtra, match=r"jinja2 is not installed; .* 'tohlab\[templates\]'"):
        JinjaRenderer(TURNS)


def test_importing_the_room_loads_no_template_engine() -> None:
    program = "import sys, tohlab.renderers, tohlab.tokens; print({'jinja2', 'tiktoken'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_built_in_conversations_hold_together() -> None:
    for requests in situations().values():
        for request in requests:
            made = {call.id for message in request.messages for call in message.tool_calls}
            assert {m.tool_call_id for m in request.messages if m.role == "tool"} == made
