"""A service with files and batches on loopback, which can go wrong in each of the ways that are known."""

from __future__ import annotations

import json
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.routing.service import Script

Line = dict[str, Any]


@dataclass
class Faults:
    """What goes wrong; nothing by default."""

    shuffle: int | None = None
    """A seed: the lines come in another order."""
    twice: bool = False
    """Every line of the output comes twice, the second time with another answer."""
    fail: Callable[[Line], Line | None] = lambda line: None
    """Given a request line, an error line for it, or None."""
    expire_after: int | None = None
    """The batch expires when it has answered so many requests (of the first batch only)."""
    silent: bool = False
    """What expired is in no file at all."""
    invalid: list[dict[str, Any]] = field(default_factory=list)
    """The file does not pass the check: the errors."""
    cut: bool = False
    """The last line of the output ends in its middle."""
    model: str | None = None
    """The model that the answers name."""
    drop: int = 0
    """So many answers are missing."""
    strangers: int = 0
    """So many answers are to requests that nobody asked."""
    looks: int = 1
    """How often a batch is looked at before it is over."""
    status: dict[str, list[int]] = field(default_factory=dict)
    """By operation (`upload`, `create`, `list`, `retrieve`, `content`, `cancel`): HTTP statuses to fail with
    first; 0 closes the connection after the work was done."""
    lists: bool = True
    """Whether batches can be listed."""
    hold: str = ""
    """Of this operation the answer is kept back until `BatchService.let_go` is set, after its work was
    done."""


class BatchService:
    """What the service was asked, and where it is."""

    def __init__(self, script: Script, faults: Faults) -> None:
        self.script = script
        self.faults = faults
        self.lock = threading.RLock()
        self.held = threading.Event()
        """Set as soon as an answer is kept back."""
        self.let_go = threading.Event()
        self.base_url = ""
        self.files: dict[str, bytes] = {}
        self.names: dict[str, str] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.looked: Counter[str] = Counter()
        self.operations: list[str] = []
        self.asked: Counter[str] = Counter()
        """How often each request was carried out, by its `custom_id`."""
        self.bodies: list[Any] = []
        self.headers: list[dict[str, str]] = []

    def lines(self, batch: dict[str, Any]) -> list[Line]:
        return [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]

    def create(self, data: dict[str, Any]) -> dict[str, Any]:
        number = len(self.batches)
        batch = {
            "id": f"batch_{number}",
            "object": "batch",
            "endpoint": data["endpoint"],
            "errors": None,
            "input_file_id": data["input_file_id"],
            "completion_window": data["completion_window"],
            "status": "validating",
            "output_file_id": None,
            "error_file_id": None,
            "created_at": int(time.time()),
            "metadata": data.get("metadata"),
            "request_counts": {"total": 0, "completed": 0, "failed": 0},
        }
        self.batches[batch["id"]] = batch
        return batch

    def look(self, batch: dict[str, Any]) -> dict[str, Any]:
        self.looked[batch["id"]] += 1
        if batch["status"] in ("validating", "in_progress", "cancelling"):
            if self.looked[batch["id"]] > self.faults.looks or batch["status"] == "cancelling":
                self.finish(batch)
            else:
                batch["status"] = "in_progress"
                batch["request_counts"]["total"] = len(self.lines(batch))
        return batch

    def finish(self, batch: dict[str, Any]) -> None:
        faults = self.faults
        if faults.invalid:
            batch.update(status="failed", errors={"object": "list", "data": faults.invalid})
            return
        lines = self.lines(batch)
        ids = [line["custom_id"] for line in lines]
        assert len(set(ids)) == len(ids)
        cancelled = batch["status"] == "cancelling"
        stop = len(lines)
        if cancelled:
            stop = len(lines) // 2
        elif faults.expire_after is not None and len(self.batches) == 1:
            stop = faults.expire_after
        output: list[Line] = []
        errors: list[Line] = []
        for number, line in enumerate(lines):
            if number >= stop:
                code = "batch_cancelled" if cancelled else "batch_expired"
                error = {"code": code, "message": "This request was not executed."}
                if not faults.silent:
                    errors.append(self.row(line, None, error))
                continue
            self.asked[line["custom_id"]] += 1
            failed = faults.fail(line)
            if failed is not None:
                errors.append(failed)
                continue
            status, _, data = self.script(line["body"], number)
            body = json.loads(data)
            if faults.model:
                body["model"] = faults.model
            response = {"status_code": status, "request_id": f"r{number}", "body": body}
            (output if status == 200 else errors).append(self.row(line, response, None))
        del output[len(output) - faults.drop :]
        output += [
            self.row({"custom_id": f"stranger-{i}"}, output[0]["response"], None)
            for i in range(faults.strangers)
        ]
        if faults.twice:
            wrong = {
                "status_code": 200,
                "request_id": "again",
                "body": {"choices": [{"message": {"content": ""}}]},
            }
            output += [self.row(line, wrong, None) for line in output]
        if faults.shuffle is not None:
            random.Random(faults.shuffle).shuffle(output)
            random.Random(faults.shuffle).shuffle(errors)
        batch["status"] = "cancelled" if cancelled else "expired" if stop < len(lines) else "completed"
        batch["request_counts"] = {"total": len(lines), "completed": len(output), "failed": len(errors)}
        for name, rows in (("output_file_id", output), ("error_file_id", errors)):
            if rows:
                data = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
                file_id = f"{batch['id']}_{name}"
                self.files[file_id] = data[: -len(data.splitlines()[-1]) // 2] if faults.cut else data
                batch[name] = file_id

    @staticmethod
    def row(line: Line, response: Any, error: Any) -> Line:
        return {"id": "x", "custom_id": line["custom_id"], "response": response, "error": error}


@contextmanager
def batching(script: Script, faults: Faults | None = None) -> Iterator[BatchService]:
    service = BatchService(script, faults or Faults())

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.answer(b"")

        def do_POST(self) -> None:
            self.answer(self.rfile.read(int(self.headers["Content-Length"] or 0)))

        def answer(self, body: bytes) -> None:
            path = self.path.partition("?")[0].removeprefix("/v1")
            operation = operation_of(self.command, path)
            with service.lock:
                service.operations.append(operation)
                service.headers.append({name.lower(): value for name, value in self.headers.items()})
                statuses = service.faults.status.get(operation, [])
                status = statuses.pop(0) if statuses else 200
            with service.lock:
                if status >= 400:
                    self.reply(status, json.dumps({"error": {"message": f"status {status}"}}).encode())
                    return
                status_, data = self.work(operation, path, body)
                if status == 0:
                    self.close_connection = True
                    return
            if operation == service.faults.hold:
                service.held.set()
                service.let_go.wait(60)
            self.reply(status_, data)

        def work(self, operation: str, path: str, body: bytes) -> tuple[int, bytes]:
            missing = 404, b'{"error": {"message": "there is no such thing"}}'
            if operation == "upload":
                boundary = str(self.headers["Content-Type"]).partition("boundary=")[2].encode()
                for part in body.split(b"--" + boundary):
                    head, _, content = part.partition(b"\r\n\r\n")
                    name = re.search(rb'filename="([^"]+)"', head)
                    if name:
                        file_id = f"file_{len(service.files)}"
                        service.files[file_id] = content.removesuffix(b"\r\n")
                        service.names[file_id] = name[1].decode()
                        return 200, json.dumps({"id": file_id, "object": "file", "purpose": "batch"}).encode()
                return missing
            if operation == "create":
                return 200, json.dumps(service.create(json.loads(body))).encode()
            if operation == "list":
                if not service.faults.lists:
                    return missing
                data = {"object": "list", "data": list(service.batches.values())[::-1], "has_more": False}
                return 200, json.dumps(data).encode()
            if operation == "content":
                data_ = service.files.get(path.split("/")[2])
                return missing if data_ is None else (200, data_)
            if operation in ("retrieve", "cancel"):
                batch = service.batches.get(path.split("/")[2])
                if batch is None:
                    return missing
                if operation == "cancel":
                    batch["status"] = "cancelling"
                else:
                    service.look(batch)
                return 200, json.dumps(batch).encode()
            if operation == "chat":
                asked = json.loads(body)
                service.bodies.append(asked)
                status, _, data_ = service.script(asked, len(service.bodies) - 1)
                return status, data_
            return missing

        def reply(self, status: int, data: bytes) -> None:
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except ConnectionError:
                pass  # the client was killed; that is what some tests are about

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    service.base_url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield service
    finally:
        service.let_go.set()
        server.shutdown()
        server.server_close()
        thread.join()


def operation_of(method: str, path: str) -> str:
    if path == "/files":
        return "upload"
    if path.startswith("/files/"):
        return "content"
    if path == "/batches":
        return "create" if method == "POST" else "list"
    if path.endswith("/cancel"):
        return "cancel"
    if path.startswith("/batches/"):
        return "retrieve"
    return "chat" if path == "/chat/completions" else "unknown"
