"""A chat completions body becomes a request, and goes back unchanged."""

from __future__ import annotations

from typing import Any

import pytest

from tohlab.errors import RequestError
from tohlab.request import Request

BODY: dict[str, Any] = {
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "skill", "arguments": '{"name": "pdf"}'},
                }
            ],
        },
        {"role": "tool", "content": "found \ud800", "tool_call_id": "c1"},
    ],
    "tools": [
        {
            "type": "function",
            "function": {"name": "skill", "description": "Load.", "parameters": {"type": "object"}},
        }
    ],
}


def test_a_body_goes_there_and_back_unchanged() -> None:
    request = Request.from_openai(BODY)
    assert request.to_openai() == BODY
    assert Request.from_openai(request.to_openai()) == request
    assert [s.path for s in request.segments()] == [
        "tools[0]",
        "messages[0].content[0]",
        "messages[1].content[0]",
        "messages[1].content[1]",
        "messages[2].tool_calls[0]",
        "messages[3].content[0]",
    ]


def test_other_keys_are_left_and_missing_ones_are_empty() -> None:
    request = Request.from_openai(
        {"messages": [{"role": "developer", "content": "x"}], "model": "m", "tools": None}
    )
    assert (request.messages[0].role, request.tools) == ("system", ())
    assert Request.from_openai({"messages": []}) == Request()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([], "a request is expected (an object), not an array"),
        ({}, "messages: a list of messages is expected (an array), not nothing"),
        ({"messages": {}}, "messages: a list of messages is expected (an array), not an object"),
        ({"messages": ["x"]}, "messages[0]: a message is expected (an object), not a text"),
        (
            {"messages": [{"content": "x"}]},
            "messages[0].role: None is no role; use one of: system, developer, ",
        ),
        (
            {"messages": [{"role": "user", "content": 3}]},
            "messages[0].content: a text or a list of parts is ",
        ),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]},
            "messages[0].content[0].type: a part of type 'image_url' has no text to count",
        ),
        (
            {
                "messages": [
                    {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}
                ]
            },
            "messages[0].tool_calls[0].function.arguments: the arguments as JSON text is expected (a text), ",
        ),
        ({"messages": [{"role": ["user"]}]}, "messages[0].role: ['user'] is no role"),
        (
            {"messages": [], "tools": [{"type": "web_search"}]},
            "tools[0].type: only function tools have a schema",
        ),
        (
            {"messages": [], "tools": [{"type": "function", "function": {"name": None}}]},
            "tools[0].function.name: the tool's name is expected (a text), not nothing",
        ),
    ],
)
def test_what_is_no_request_is_refused_with_its_address(body: Any, message: str) -> None:
    with pytest.raises(RequestError) as caught:
        Request.from_openai(body)
    assert str(caught.value).startswith(message)


def test_reasoning_that_is_sent_back_is_part_of_the_request() -> None:
    body = {"messages": [{"role": "assistant", "content": "Cold.", "reasoning_content": "I look it up."}]}
    request = Request.from_openai(body)
    assert request.to_openai() == body
    assert [(s.path, s.kind, s.text) for s in request.segments()] == [
        ("messages[0].reasoning", "reasoning", "I look it up."),
        ("messages[0].content[0]", "assistant", "Cold."),
    ]
    body["messages"][0]["reasoning_content"] = 3  # type: ignore[assignment] # that it is no text is the point
    with pytest.raises(RequestError, match=r"messages\[0\].reasoning_content: its text is expected"):
        Request.from_openai(body)


def test_a_system_text_beside_the_messages_is_refused_and_not_dropped() -> None:
    with pytest.raises(RequestError, match="system text beside the messages"):
        Request.from_openai({"system": "Be brief.", "messages": [{"role": "user", "content": "Hi"}]})
