"""A chat completions service on loopback that answers by a script."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], bytes]
"""Status, headers, body."""
Script = Callable[[dict[str, Any], int], Answer]
"""The request's body and its number (from 0) to an answer."""


def completion(
    *calls: str,
    content: str | None = None,
    finish: str | None = None,
    arguments: Sequence[str] | None = None,
    tool: str = "skill",
    usage: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """A chat completion that calls the skill tool for each name (or with these arguments)."""
    texts = arguments if arguments is not None else [json.dumps({"name": name}) for name in calls]
    tool_calls = [
        {"id": f"call_{i}", "type": "function", "function": {"name": tool, "arguments": text}}
        for i, text in enumerate(texts)
    ]
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if tool_calls:
        message["tool_calls"] = tool_calls
    return {
        "id": "c",
        "object": "chat.completion",
        "model": "m",
        "choices": [
            {"index": 0, "message": message, "finish_reason": finish or ("tool_calls" if calls else "stop")}
        ],
        "usage": usage
        or {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 90}},
    }


def ok(data: Any) -> Answer:
    return 200, {}, json.dumps(data).encode()


def fails(status: int, body: Any = None, **headers: str) -> Answer:
    data = body if body is not None else {"error": {"message": f"status {status}", "type": "error"}}
    return status, {k.replace("_", "-"): v for k, v in headers.items()}, json.dumps(data).encode()


def asked_text(body: dict[str, Any]) -> str:
    """The user's text: the last user message that is not the catalog or the instruction."""
    return str(body["messages"][-1]["content"])


class Service:
    """What the service was asked, and where it is."""

    def __init__(self, port: int) -> None:
        self.base_url = f"http://127.0.0.1:{port}/v1"
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []


@contextmanager
def serving(script: Script, *, delay_s: float = 0.0) -> Iterator[Service]:
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                number = len(service.bodies)
                service.bodies.append(body)
                service.headers.append({name.lower(): value for name, value in self.headers.items()})
            status, headers, data = script(body, number)
            time.sleep(delay_s)
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)
            except ConnectionError:
                pass  # the client gave up; that is what some tests are about

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    service = Service(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
