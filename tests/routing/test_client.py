"""The client sends what it is given, and turns each failure into one kind of error."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from tests.routing.service import completion, fails, ok, serving
from tohlab.errors import EndpointError
from tohlab.routing import ChatReply, ChatRequest, OpenAIClient
from tohlab.routing.openai_client import endpoint_of, is_loopback, retry_after

HELLO = ChatRequest(model="m", messages=({"role": "user", "content": "hello"},), max_tokens=5, seed=3)


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TOHLAB_API_KEY", "OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.delenv(name, raising=False)


async def ask(client: OpenAIClient, request: ChatRequest = HELLO) -> ChatReply:
    try:
        return await client.complete(request)
    finally:
        await client.aclose()


async def test_the_body_is_the_request_and_the_reply_keeps_the_whole_json() -> None:
    raw = completion("a", "b", content="text")
    with serving(lambda b, n: ok(raw)) as service:
        reply = await ask(OpenAIClient(service.base_url))
    assert service.bodies == [HELLO.body()]
    assert reply.raw == raw
    assert [c.name for c in reply.tool_calls] == ["skill", "skill"]
    assert (reply.usage.prompt, reply.usage.cached, reply.usage.completion) == (100, 90, 7)
    assert reply.content == "text"
    assert reply.latency_s > 0


async def test_what_is_sent_is_json_and_tells_the_service_nothing_about_this_machine() -> None:
    with serving(lambda b, n: ok(completion("a"))) as service:
        await ask(OpenAIClient(service.base_url))
    (headers,) = service.headers
    assert headers["content-type"] == "application/json"
    assert [name for name in headers if name.lower().startswith("x-stainless")] == [
        "x-stainless-raw-response"
    ]


async def test_a_client_works_again_after_it_was_closed() -> None:
    with serving(lambda b, n: ok(completion("a"))) as service:
        client = OpenAIClient(service.base_url)
        await ask(client)
        await ask(client)
    assert len(service.bodies) == 2


async def test_no_key_is_needed_on_this_machine_and_a_key_is_taken_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with serving(lambda b, n: ok(completion("a"))) as service:
        await ask(OpenAIClient(service.base_url))
        monkeypatch.setenv("OPENAI_API_KEY", "key-of-openai")
        await ask(OpenAIClient(service.base_url))
        monkeypatch.setenv("TOHLAB_API_KEY", "key-of-ours")
        await ask(OpenAIClient(service.base_url))
    assert [h["authorization"] for h in service.headers] == [
        "Bearer no-key-needed-on-this-machine",
        "Bearer key-of-openai",
        "Bearer key-of-ours",
    ]


def test_a_service_elsewhere_needs_a_key() -> None:
    with pytest.raises(EndpointError, match="set TOHLAB_API_KEY or OPENAI_API_KEY") as caught:
        OpenAIClient("https://api.example.com/v1")
    assert caught.value.kind == "auth"


async def test_the_key_stands_in_no_message_even_if_the_service_says_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TOHLAB_API_KEY", "key-nobody-may-see")
    body = {"error": {"message": "bad key key-nobody-may-see"}}
    with serving(lambda b, n: fails(401, body)) as service, pytest.raises(EndpointError) as caught:
        await ask(OpenAIClient(service.base_url))
    assert "key-nobody-may-see" not in str(caught.value)
    assert "bad key [key]" in str(caught.value)


async def test_a_proxy_of_the_environment_is_not_used_on_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with serving(lambda b, n: ok(completion("a"))) as service:
        assert (await ask(OpenAIClient(service.base_url))).tool_calls


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, None, "auth"),
        (403, None, "auth"),
        (402, None, "quota"),
        (429, {"error": {"code": "insufficient_quota", "message": "no"}}, "quota"),
        (429, None, "rate_limit"),
        (500, None, "server"),
        (503, {"error": "loading model"}, "server"),
        (529, None, "server"),
        (504, None, "timeout"),
        (400, {"error": {"code": "context_length_exceeded", "message": "no"}}, "context_length"),
        (400, {"error": {"message": "the request exceeds the available context size"}}, "context_length"),
        (413, None, "context_length"),
        (400, {"error": {"code": "content_filter", "message": "no"}}, "content_filter"),
        (400, "just text", "bad_request"),
        (404, {"error": {"message": "no such model"}}, "bad_request"),
        (422, [1, 2], "bad_request"),
    ],
)
async def test_a_status_is_one_kind_of_error(status: int, body: Any, kind: str) -> None:
    with serving(lambda b, n: fails(status, body)) as service, pytest.raises(EndpointError) as caught:
        await ask(OpenAIClient(service.base_url))
    assert (caught.value.kind, caught.value.status) == (kind, status)
    assert str(caught.value).startswith(f"{service.base_url} answered {status}: ")


async def test_one_call_is_one_attempt() -> None:
    with serving(lambda b, n: fails(500)) as service, pytest.raises(EndpointError):
        await ask(OpenAIClient(service.base_url))
    assert len(service.bodies) == 1


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8080",
        "ftp://x/v1",
        "http://",
        "http://user:pw@127.0.0.1/v1",
        "http://[::1",
        "http://127.0.0.1:99999/v1",
        "http://127.0.0.1:port/v1",
    ],
)
def test_a_base_url_that_cannot_be_is_refused(url: str) -> None:
    with pytest.raises(EndpointError, match="must look like") as caught:
        OpenAIClient(url)
    assert "pw" not in str(caught.value)


@pytest.mark.parametrize("key", ["k\u00e9y", "two\nlines", "\u2603"])
def test_a_key_that_no_header_can_carry_is_refused(key: str) -> None:
    with pytest.raises(EndpointError, match="copy it again into TOHLAB_API_KEY") as caught:
        OpenAIClient("http://127.0.0.1:1/v1", api_key=key)
    assert caught.value.kind == "auth"
    assert key not in str(caught.value)


async def test_half_a_character_is_sent_as_the_sign_for_one_that_is_missing() -> None:
    request = ChatRequest(
        model="m", messages=({"role": "user", "content": "cut \ud83d... and \ud83d\ude00"},)
    )
    with serving(lambda b, n: ok(completion("a"))) as service:
        await ask(OpenAIClient(service.base_url), request)
    assert service.bodies[0]["messages"][0]["content"] == "cut \ufffd... and \U0001f600"


async def test_an_answer_is_utf8_whatever_its_content_type_says() -> None:
    answer = (
        200,
        {"Content-Type": "application/json; charset=utf-16"},
        ok(completion("a", content="\u00e9"))[2],
    )
    with serving(lambda b, n: answer) as service:
        assert (await ask(OpenAIClient(service.base_url))).content == "\u00e9"


async def test_a_number_of_very_many_digits_is_read() -> None:
    body = b'{"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": ' + b"9" * 5000 + b"}}"
    with serving(lambda b, n: (200, {}, body)) as service:
        reply = await ask(OpenAIClient(service.base_url))
    assert (reply.content, reply.usage.prompt) == ("x", None)


async def test_an_answer_that_breaks_off_is_the_service_s_fault_and_not_a_missing_server() -> None:
    answer = (200, {"Content-Encoding": "gzip"}, b"not gzip")
    whole = "was reached and gave no whole answer"
    with serving(lambda b, n: answer) as service, pytest.raises(EndpointError, match=whole) as caught:
        await ask(OpenAIClient(service.base_url))
    assert caught.value.kind == "server"


def reset(connection: socket.socket) -> None:
    """Close so that the other side reads "connection reset"."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"


@pytest.mark.parametrize(
    ("sent", "end"),
    [
        (b"", None),
        (b"", reset),
        (b"HTTP/1.1 200", None),
        (HEAD + b"{", None),
        (HEAD + b"{", reset),
        (b"no HTTP at all\r\n\r\n", None),
        (b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", None),
    ],
    ids=["closed", "reset", "half a head", "half a body", "reset in the body", "not HTTP", "bad length"],
)
async def test_a_service_that_ends_a_connection_was_reached(
    sent: bytes, end: Callable[[socket.socket], None] | None
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(sent)
                if end is not None:
                    end(connection)

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        with pytest.raises(EndpointError, match="was reached and gave no whole answer") as caught:
            await ask(OpenAIClient(url))
        thread.join()
    assert caught.value.kind == "server"


async def test_a_port_that_nobody_serves_is_no_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(EndpointError, match=r"cannot be reached .* Start the server") as caught:
        await ask(OpenAIClient(f"http://127.0.0.1:{port}/v1"))
    assert caught.value.kind == "connection"


async def test_a_service_that_says_nothing_is_waited_for_until_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        with pytest.raises(EndpointError, match=r"did not answer within 0.2 s; .*--timeout") as caught:
            await ask(OpenAIClient(url, timeout_s=0.2))
    assert caught.value.kind == "timeout"


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://127.0.0.1:1/v1", True),
        ("http://127.8.8.8/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://localhost/v1", True),
        ("http://x.localhost/v1", True),
        ("http://10.0.0.1/v1", False),
        ("https://localhost.example.com/v1", False),
    ],
)
def test_this_machine_is_known_by_its_address(url: str, local: bool) -> None:
    assert is_loopback(url) is local
    assert (endpoint_of(url) == "") is local


def test_an_endpoint_is_host_and_port_without_user_and_path() -> None:
    assert endpoint_of("https://API.example.com:444/v1/") == "api.example.com:444"
    assert endpoint_of("https://user:pw@api.example.com/v1") == "api.example.com"


def test_retry_after_is_read_in_all_its_forms() -> None:
    assert retry_after({"retry-after": "1.5"}) == 1.5
    assert retry_after({"retry-after-ms": "250", "retry-after": "9"}) == 0.25
    assert retry_after({"retry-after": "-3"}) == 0.0
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({"retry-after": "nan"}) is None
    assert retry_after({"retry-after": "Mon, 01 Jan 99999999999 00:00:00 GMT"}) is None
    assert retry_after({}) is None
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    assert retry_after({"retry-after": date}) == pytest.approx(89, abs=3)


@pytest.mark.parametrize(
    "message",
    [
        {"content": None, "tool_calls": None},
        {
            "content": [{"type": "text", "text": "a"}, {"type": "image"}, "x"],
            "tool_calls": [None, {}, {"function": 3}],
        },
        {"content": 3, "tool_calls": "x", "refusal": 1},
        {},
    ],
)
def test_odd_messages_are_read_without_an_exception(message: dict[str, Any]) -> None:
    reply = ChatReply.from_raw({"choices": [{"message": message}], "usage": {"prompt_tokens": "7"}})
    assert isinstance(reply.content, str)
    assert all(call.name == "" for call in reply.tool_calls)
    assert reply.usage.prompt is None
