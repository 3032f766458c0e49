"""A body of Anthropic's Messages becomes a request whose characters keep their addresses."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from tohlab.errors import RequestError
from tohlab.prefix import address
from tohlab.request import Breakpoint, Request, read_body
from tohlab.tokens import measure

BODY: dict[str, Any] = {
    "model": "claude-opus-5",
    "system": [
        {"type": "text", "text": "Be brief. "},
        {"type": "text", "text": "Skills: pdf.", "cache_control": {"type": "ephemeral", "ttl": "1h"}},
    ],
    "tools": [
        {"name": "bash", "description": "Run.", "input_schema": {"type": "object", "properties": {"c": {}}}},
        {"type": "web_search_20250305", "name": "web_search"},
        {"name": "later", "input_schema": {}, "defer_loading": True},
    ],
    "tool_choice": {"type": "auto", "disable_parallel_tool_use": True},
    "messages": [
        {"role": "user", "content": "List them."},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "I need bash.", "signature": "abc"},
                {"type": "text", "text": "I will."},
                {"type": "tool_use", "id": "t1", "name": "bash", "input": {"c": "ls"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "t1",
                    "content": [{"type": "text", "text": "a.txt"}, {"type": "text", "text": " b.txt"}],
                },
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"},
                    "cache_control": {"type": "ephemeral"},
                },
            ],
        },
    ],
}


def test_every_block_stands_at_its_address_in_the_body() -> None:
    segments = {s.path: (s.kind, s.role, s.text) for s in Request.from_anthropic(BODY).segments()}
    image = segments.pop("messages[2].content[1]")
    assert segments == {
        "tools[0]": (
            "tool",
            "system",
            '{"name":"bash","description":"Run.","parameters":{"type":"object","properties":{"c":{}}}}',
        ),
        "system[0]": ("system", "system", "Be brief. "),
        "system[1]": ("system", "system", "Skills: pdf."),
        "messages[0].content[0]": ("user", "user", "List them."),
        "messages[1].content[0]": ("reasoning", "assistant", "I need bash."),
        "messages[1].content[1]": ("assistant", "assistant", "I will."),
        "messages[1].content[2]": ("tool-call", "assistant", '{"name":"bash","input":{"c":"ls"}}'),
        "messages[2].content[0]": ("tool-result", "tool", "a.txt b.txt"),
    }
    assert image[:2] == ("stand-in", "user")
    assert image[2].startswith("[image image/png ")


def test_a_token_of_any_block_has_the_bodys_address() -> None:
    request = Request.from_anthropic(BODY)
    total = measure(request).total_tokens
    paths = dict.fromkeys(address(request, n).segment for n in range(total))
    assert list(paths) == [segment.path for segment in request.segments()]


def test_what_decides_over_the_cache_stands_beside_the_texts() -> None:
    body = read_body(BODY)
    assert (body.shape, body.model, body.automatic) == ("messages", "claude-opus-5", False)
    assert body.breakpoints == (
        Breakpoint(path="system[1]", ttl_s=3600.0),
        Breakpoint(path="messages[2].content[1]"),
    )
    assert dict(body.params) == {
        "tool_choice": '{"type":"auto"}',
        "disable_parallel_tool_use": "true",
        "images": "present",
        "web_search": '{"type":"web_search_20250305","name":"web_search"}',
    }
    places = [note.partition(": ")[0] for note in body.notes]
    assert places == ["tools[1]", "tools[2]", "messages[2].content[1]"]
    assert read_body({**BODY, "cache_control": {"type": "ephemeral", "ttl": "5m"}}).ttl_s == 300.0


def test_another_image_is_another_text() -> None:
    other = copy.deepcopy(BODY)
    other["messages"][2]["content"][1]["source"]["data"] = "AAAB"
    one, two = (Request.from_anthropic(body).messages[2].content for body in (BODY, other))
    assert one[0] == two[0]
    assert one[1] != two[1]


def test_the_chat_form_has_results_and_calls_of_its_own() -> None:
    chat = Request.from_anthropic(BODY).to_openai()["messages"]
    assert [row["role"] for row in chat] == ["system", "user", "assistant", "tool", "user"]
    assert chat[2]["reasoning_content"] == "I need bash."
    assert chat[2]["content"] == "I will."
    assert chat[2]["tool_calls"][0]["function"] == {"name": "bash", "arguments": '{"c":"ls"}'}
    assert (chat[3]["tool_call_id"], chat[3]["content"]) == ("t1", "a.txt b.txt")


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        ({"messages": [{"role": "user", "content": "Hi."}]}, "chat"),
        ({"messages": [{"role": "user", "content": "Hi."}], "system": ""}, "messages"),
        ({"messages": [{"role": "user", "content": "Hi."}], "model": "claude-opus-5"}, "messages"),
        (
            {"messages": [{"role": "system", "content": "x"}], "model": "claude-opus-5"},
            "chat",
        ),
        ({"messages": [{"role": "user", "content": [{"type": "image", "source": {}}]}]}, "messages"),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": "x"}]}]}, "chat"),
        ({"messages": [], "tools": [{"name": "a", "input_schema": {}}]}, "messages"),
    ],
)
def test_a_bodys_shape_tells_whose_it_is(body: dict[str, Any], shape: str) -> None:
    assert read_body(body).shape == shape


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"messages": [{"role": "tool", "content": "x"}]}, "'tool' is no role"),
        ({"messages": [{"role": "user", "content": [{"type": "hologram"}]}]}, "'hologram' is not read; read"),
        ({"messages": [{"role": "user", "content": [3]}]}, r"messages\[0\].content\[0\]"),
        ({"system": 3}, "a text or a list of blocks is expected"),
        ({"tools": [{"name": "a"}]}, "a JSON Schema is expected"),
        ({"cache_control": {"type": "ephemeral", "ttl": "2h"}}, "lives 5m or 1h, not '2h'"),
        ({"cache_control": {"type": "forever"}}, "type is 'ephemeral', not 'forever'"),
        ({"model": 3}, "a model's name is expected"),
    ],
)
def test_what_is_wrong_is_said_with_its_address(change: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        read_body({**BODY, **change})


@pytest.mark.parametrize(
    ("body", "whose"),
    [
        ({"input": "hi", "instructions": "x"}, "OpenAI's Responses API"),
        ({"contents": [], "systemInstruction": {}}, "Gemini's generateContent"),
        ({"prompt": "hi"}, "a completion of plain text"),
    ],
)
def test_a_body_of_another_api_is_named_and_what_is_read_too(body: dict[str, Any], whose: str) -> None:
    with pytest.raises(RequestError, match=f"a body of {whose}.*, which is not read; read are bodies"):
        read_body(body)


def test_blocks_of_a_system_text_add_up_to_it() -> None:
    with pytest.raises(RequestError, match="its blocks have 3 characters and it has 2"):
        Request(system="ab", system_blocks=(1, 2))


def test_reading_changes_nothing_of_the_body() -> None:
    before = json.dumps(BODY)
    read_body(BODY)
    assert json.dumps(BODY) == before
