"""Our chat template for Qwen2.5-Coder: what the model reads, whole, and what stays a stable prefix."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import jinja2
import pytest

from tohlab.request import Message, Request, ToolCall, ToolSchema, text_message
from tohlab.serve import get_model

TOOL = ToolSchema(
    name="skill",
    description="Load <a> skill.",
    parameters={"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
)
OTHER = ToolSchema(name="ask", description="Ask.", parameters={"type": "object", "properties": {}})


def to_json(value: Any) -> str:
    """As engines write JSON into a prompt: not escaped for HTML, as jinja's own filter would."""
    return json.dumps(value, ensure_ascii=False)


def render(request: Request, *, blocks: bool = True, add_generation_prompt: bool = True) -> str:
    """Render as an engine does; `blocks` are the two settings that engines disagree about."""
    path = get_model("qwen2.5-coder-1.5b").template_path
    assert path is not None
    environment = jinja2.Environment(
        trim_blocks=blocks, lstrip_blocks=blocks, undefined=jinja2.StrictUndefined
    )
    environment.filters["tojson"] = to_json
    template = environment.from_string(path.read_text(encoding="utf-8"))
    values = {"tools": None, **request.to_openai(), "add_generation_prompt": add_generation_prompt}
    # engines hand over messages with every key that a template may ask for
    values["messages"] = [{"tool_calls": None, **message} for message in values["messages"]]
    return template.render(values)


CATALOG = text_message("user", "<available_skills>\n- `pdf`: Read & fill <PDF> files.\n</available_skills>")


def test_a_request_with_tools_catalog_and_question_in_full() -> None:
    request = Request(
        tools=(TOOL,), system="Be brief.", messages=(CATALOG, text_message("user", "Fill it in."))
    )

    assert render(request) == (
        "<|im_start|>system\n"
        "Be brief.\n"
        "\n"
        "# Tools\n"
        "\n"
        "You may call one or more functions to assist with the user query.\n"
        "\n"
        "You are provided with function signatures within <tools></tools> XML tags:\n"
        "<tools>\n"
        '{"type": "function", "function": {"name": "skill", "description": "Load <a> skill.", "parameters": '
        '{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}}}\n'
        "</tools>\n"
        "\n"
        "For each function call, return a json object with function name and arguments within a json block:\n"
        "```json\n"
        '{"name": <function-name>, "arguments": <args-json-object>}\n'
        "```<|im_end|>\n"
        "<|im_start|>user\n"
        "<available_skills>\n"
        "- `pdf`: Read & fill <PDF> files.\n"
        "</available_skills><|im_end|>\n"
        "<|im_start|>user\n"
        "Fill it in.<|im_end|>\n"
        "<|im_start|>assistant\n"
    )


def test_calls_and_results_are_rendered_in_the_form_that_is_asked_for() -> None:
    calls = (
        ToolCall(id="1", name="skill", arguments='{"name": "pdf"}'),
        ToolCall(id="2", name="skill", arguments='{"name": "zip"}'),
    )
    request = Request(
        tools=(TOOL,),
        messages=(
            text_message("user", "Both."),
            Message(role="assistant", tool_calls=calls),
            Message(role="tool", tool_call_id="1", content=text_message("tool", "One.").content),
            Message(role="tool", tool_call_id="2", content=text_message("tool", "Two.").content),
        ),
    )

    assert render(request).partition("Both.<|im_end|>\n")[2] == (
        "<|im_start|>assistant\n"
        '```json\n{"name": "skill", "arguments": {"name": "pdf"}}\n```\n'
        '```json\n{"name": "skill", "arguments": {"name": "zip"}}\n```<|im_end|>\n'
        "<|im_start|>user\n"
        "<tool_response>\nOne.\n</tool_response>\n"
        "<tool_response>\nTwo.\n</tool_response><|im_end|>\n"
        "<|im_start|>assistant\n"
    )


def test_text_before_a_call_stands_on_its_own_line() -> None:
    call = ToolCall(id="1", name="skill", arguments="{}")
    said = Message(
        role="assistant", content=text_message("assistant", "Let me see.").content, tool_calls=(call,)
    )

    text = render(Request(messages=(text_message("user", "?"), said)), add_generation_prompt=False)

    assert text.endswith('Let me see.\n```json\n{"name": "skill", "arguments": {}}\n```<|im_end|>\n')


def test_without_tools_nothing_is_said_of_them() -> None:
    text = render(Request(messages=(text_message("user", "Hello."),)))

    assert text == (
        "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"
        "<|im_start|>user\nHello.<|im_end|>\n"
        "<|im_start|>assistant\n"
    )


@pytest.mark.parametrize("tools", [(), (TOOL,), (OTHER, TOOL)], ids=["none", "one", "two"])
def test_whatever_is_appended_the_earlier_text_stays_as_it_was(tools: tuple[ToolSchema, ...]) -> None:
    call = ToolCall(id="1", name="skill", arguments='{"name": "pdf"}')
    messages = (
        text_message("user", "First."),
        CATALOG,
        text_message("user", "Second."),
        Message(role="assistant", tool_calls=(call,)),
        Message(role="tool", tool_call_id="1", content=text_message("tool", "One.").content),
        text_message("assistant", "Done."),
        text_message("user", "Third."),
    )
    texts = [
        render(Request(tools=tools, system="S", messages=messages[:n]), add_generation_prompt=False)
        for n in range(1, len(messages) + 1)
    ]

    assert all(after.startswith(before) for before, after in pairwise(texts))


def test_both_ways_of_treating_blanks_around_tags_give_the_same_text() -> None:
    request = Request(tools=(OTHER, TOOL), system="  S  ", messages=(CATALOG, text_message("user", " ?\n\n")))

    assert render(request, blocks=True) == render(request, blocks=False)
