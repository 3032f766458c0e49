"""A front end without a browser: it starts a real kernel and speaks the Jupyter protocol to the form."""

from __future__ import annotations

import json
import queue
import time
from collections.abc import Callable
from typing import Any

from jupyter_client.manager import KernelManager

VIEW = "application/vnd.jupyter.widget-view+json"
SETUP = """\
import asyncio
from tohlab.askers import AbortSignal
from tohlab.errors import AskError, AskerUnavailable
from tohlab.notebook import AutoAsker, WidgetAsker, asker_here
from tohlab.questions import AskRequest, Option, Question
def ask_of(*rows):
    return AskRequest.of([Question.from_wire(row) for row in rows])
COLOUR = {"id": "c", "question": "Which colour?", "options": [{"label": "Red"}, {"label": "Blue"}]}
TOOLS = {"id": "t", "question": "Which?", "multiSelect": True, "options": [{"label": "a"}, {"label": "b"}]}
asker = WidgetAsker()
def told(answers):
    print("|".join(f"{a.id}:{','.join(a.selected)}:{a.custom}" for a in answers))
"""


class Form:
    """One form as the front end sees it."""

    def __init__(self, front: Front, model_id: str, state: dict[str, Any]) -> None:
        self.front, self.model_id, self.state = front, model_id, state
        self.number = 0
        self.receipts: list[dict[str, Any]] = []
        self.closed: str | None = None

    @property
    def questions(self) -> list[dict[str, Any]]:
        return list(json.loads(self.state["questions"])["questions"])

    def loaded(self, page: str = "one") -> None:
        self.front.send(self.model_id, {"type": "loaded", "page": page})

    def submit(self, *rows: Any) -> None:
        self.raw({"answers": list(rows)})

    def dismiss(self) -> None:
        self.raw({"answers": None})

    def judged(self, body: Any) -> dict[str, Any]:
        """Send, and wait for the receipt as the form in a page does.

        What is sent without waiting may be handled in another order: ipykernel 7.4 hands a comm message to
        the shell that last wrote to that comm, so the first goes to the main shell, the next to a subshell.
        """
        self.raw(body)
        number = self.number
        self.front.until(lambda: any(receipt["number"] == number for receipt in self.receipts))
        return next(receipt for receipt in self.receipts if receipt["number"] == number)

    def raw(self, body: Any) -> None:
        self.number += 1
        text = body if isinstance(body, str) else json.dumps(body)
        self.front.send(self.model_id, {"type": "sent", "number": self.number, "body": text})


def pick(*selected: int, **more: Any) -> dict[str, Any]:
    """One row of an answer: the indices of what was selected, and own words."""
    return {"selected": list(selected), **more}


class Run:
    """What one cell gave."""

    def __init__(self) -> None:
        self.text = ""
        self.error: str | None = None
        self.outputs: list[dict[str, Any]] = []


class Front:
    """A kernel and the messages to and from it.

    Args:
        subshell: send widget messages to a subshell, as JupyterLab does by default.
    """

    def __init__(self, *, subshell: bool, environment: dict[str, str]) -> None:
        self.manager = KernelManager(kernel_name="python3")
        self.manager.start_kernel(env=environment)
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=120)
        self.forms: list[Form] = []
        self._states: dict[str, dict[str, Any]] = {}
        self._runs: dict[str, Run] = {}
        self._idle: set[str] = set()
        self.updates: list[dict[str, Any]] = []
        self.subshell: str | None = None
        if subshell:
            self.client.control_channel.send(self.client.session.msg("create_subshell_request"))
            reply = self.client.control_channel.get_msg(timeout=30)
            self.subshell = reply["content"]["subshell_id"]

    def start(self, code: str, *, allow_stdin: bool = True, cell: str | None = None) -> str:
        """Send a cell and return its id; `finish` waits for it."""
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}}
        content |= {"allow_stdin": allow_stdin, "stop_on_error": False}
        message = self.client.session.msg(
            "execute_request", content, metadata={"cellId": cell} if cell else None
        )
        self.client.shell_channel.send(message)
        identity = str(message["header"]["msg_id"])
        self._runs[identity] = Run()
        return identity

    def finish(self, identity: str) -> Run:
        """Take messages until the cell is done."""
        self.until(lambda: identity in self._idle)
        return self._runs[identity]

    def run(self, code: str, *, allow_stdin: bool = True, cell: str | None = None) -> Run:
        return self.finish(self.start(code, allow_stdin=allow_stdin, cell=cell))

    def form(self, number: int = -1, *, count: int = 1) -> Form:
        """Wait until `count` forms were shown since `forget`, and return one of them."""
        self.until(lambda: len(self.forms) >= count)
        return self.forms[number]

    def settle(self) -> None:
        """Interrupt the cells that a failed test left running, so that the next test has an idle kernel."""
        running = self._runs.keys() - self._idle
        if running:
            self.manager.interrupt_kernel()
            self.until(lambda: running <= self._idle)

    def forget(self) -> None:
        self.forms.clear()
        self.updates.clear()

    def until(self, done: Callable[[], bool], timeout: float = 60) -> None:
        end = time.monotonic() + timeout
        while not done():
            assert time.monotonic() < end, f"nothing more came; so far: {self.updates} {self.forms}"
            try:
                self._take(self.client.get_iopub_msg(timeout=0.1))
            except queue.Empty:
                continue

    def send(self, comm: str, content: dict[str, Any]) -> None:
        data = {"comm_id": comm, "data": {"method": "custom", "content": content}}
        message = self.client.session.msg("comm_msg", data)
        if self.subshell:
            message["header"]["subshell_id"] = self.subshell
        self.client.shell_channel.send(message)

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)
        self.manager.cleanup_resources()

    def _take(self, message: dict[str, Any]) -> None:
        kind, content = message["msg_type"], message["content"]
        identity = message["parent_header"].get("msg_id")
        run = self._runs.get(identity)
        if kind == "comm_open":
            self._states[content["comm_id"]] = content["data"].get("state", {})
        elif kind == "comm_msg":
            self._comm(content["comm_id"], content["data"])
        elif kind == "update_display_data":
            self.updates.append(content["data"])
        elif kind == "display_data":
            if run is not None:
                run.outputs.append(content["data"])
            if VIEW in content["data"]:
                model = content["data"][VIEW]["model_id"]
                self.forms.append(Form(self, model, self._states[model]))
        elif run is not None:
            if kind == "stream" and content["name"] == "stdout":
                run.text += content["text"]
            elif kind == "error":
                run.error = f"{content['ename']}: {content['evalue']}"
            elif kind == "status" and content["execution_state"] == "idle":
                self._idle.add(identity)

    def _comm(self, comm: str, data: dict[str, Any]) -> None:
        for form in self.forms:
            if form.model_id == comm:
                if data["method"] == "custom":
                    form.receipts.append(data["content"])
                elif "closed" in data.get("state", {}):
                    form.closed = data["state"]["closed"]
