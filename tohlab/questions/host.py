"""The host's side of a question: what waits for an answer, and what is taken as one.

A user interface shows what is `pending` and gives back what a person said; it gets a receipt. A refused
response leaves the wait open. Source: TheOpen Harness 0.1.1-rc.2, `packages/host/apiproxy/src/api-proxy.ts`;
the `host_receipt`, `host_provider_error` and `host_accepts_answer` vectors judge it.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tohlab.errors import AskError
from tohlab.questions.asker import aborted, dismissed
from tohlab.questions.model import Answer, AskRequest
from tohlab.questions.rules import DISPOSED, MISSING_AGENT, why_refused
from tohlab.signals import AbortSignal


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What became of a response."""

    accepted: bool
    reason: Literal["not-pending", "bad-response"] | None = None
    """Why not: nothing of that id waits (any more), or it is no answer to what was asked."""
    detail: str | None = None
    """What is wrong with it, as a sentence for a person. The harness gives none."""

    def to_wire(self) -> dict[str, Any]:
        """Return `{accepted, reason?}`."""
        return {"accepted": self.accepted} | ({"reason": self.reason} if self.reason else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingAsk:
    """One batch that waits for a person."""

    id: str
    """What a response names."""
    session_id: str | None
    """The id of the agent that asks, which is its session's; None where no agent was given."""
    request: AskRequest


@dataclass(slots=True)
class _Wait:
    ask: PendingAsk
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[tuple[Answer, ...]] = field(repr=False)


class QuestionHost:
    """An asker whose answers come from outside, by `respond`; from any thread, the first one counts.

    Args:
        needs_agent: refuse a batch that no agent asks, as the web host does.
        on_change: called, on the thread where it happens, after a batch came or went.
    """

    def __init__(self, *, needs_agent: bool = True, on_change: Callable[[], None] | None = None) -> None:
        self._needs_agent = needs_agent
        self._on_change = on_change or (lambda: None)
        self._waits: dict[str, _Wait] = {}
        self._ids = itertools.count(1)
        self._lock = threading.Lock()
        self._disposed = False

    @property
    def pending(self) -> tuple[PendingAsk, ...]:
        """What waits for an answer, oldest first."""
        with self._lock:
            return tuple(wait.ask for wait in self._waits.values())

    async def ask(self, request: AskRequest, signal: AbortSignal | None = None) -> tuple[Answer, ...]:
        """Return the answers that a response brought and that were accepted.

        Raises:
            AskError: `ASK_MISSING_AGENT`; `ASK_CANCELLED` (the person dismissed it); `ASK_ABORTED` (the
                signal was aborted, or the host disposed).
        """
        if self._needs_agent and request.agent is None:
            raise AskError("ASK_MISSING_AGENT", MISSING_AGENT)
        if signal is not None and signal.aborted:
            raise aborted()
        loop = asyncio.get_running_loop()
        ask = PendingAsk(
            id=f"ask_{next(self._ids)}",
            session_id=None if request.agent is None else request.agent.id,
            request=request,
        )
        wait = _Wait(ask, loop, loop.create_future())
        with self._lock:
            if self._disposed:
                raise AskError("ASK_ABORTED", DISPOSED)
            self._waits[ask.id] = wait

        def take_back() -> None:
            self._end(ask.id, aborted())

        forget = None if signal is None else signal.on_abort(take_back)
        try:
            self._on_change()
            return await wait.future
        finally:
            if forget is not None:
                forget()
            if self._claim(ask.id) is not None:  # the caller was cancelled
                self._on_change()

    def respond(self, ask_id: str, response: Any, *, session_id: str | None = None) -> Receipt:
        """Take a response as it comes from outside and return its receipt.

        Args:
            ask_id: which batch it is for.
            response: `{"answers": [{"id", "selected", "custom"?}]}`, or `{"error": {"code": "cancelled"}}`
                for a dismissal; anything else is a `bad-response`.
            session_id: which session the response says it is for, where it says so.
        """
        pending = self._pending(ask_id)
        if pending is None:
            return _not_pending(ask_id)
        if isinstance(response, Mapping) and "error" in response:
            error = response["error"]
            code = error.get("code") if isinstance(error, Mapping) else None
            return self.cancel(ask_id) if code == "cancelled" else _bad(f"the error code {code!r} is unknown")
        if session_id is not None and session_id != pending.session_id:
            return _bad(f"it is for session {session_id!r}, not {pending.session_id!r}")
        answers = _read(response)
        if isinstance(answers, str):
            return _bad(answers)
        return self.answer(ask_id, answers)

    def answer(self, ask_id: str, answers: Sequence[Answer]) -> Receipt:
        """Give the answers of a batch; refused ones leave it open."""
        pending = self._pending(ask_id)
        if pending is None:
            return _not_pending(ask_id)
        refused = why_refused(pending.request.questions, answers)
        if refused is not None:
            return _bad(refused)
        return Receipt(accepted=True) if self._end(ask_id, tuple(answers)) else _not_pending(ask_id)

    def cancel(self, ask_id: str) -> Receipt:
        """Dismiss a whole batch."""
        return Receipt(accepted=True) if self._end(ask_id, dismissed()) else _not_pending(ask_id)

    def dispose(self) -> None:
        """End: whatever waits, and whatever comes later, is aborted. Calling it again does nothing."""
        with self._lock:
            self._disposed = True
            ids = tuple(self._waits)
        for ask_id in ids:
            self._end(ask_id, AskError("ASK_ABORTED", DISPOSED))

    def _pending(self, ask_id: str) -> PendingAsk | None:
        with self._lock:
            wait = self._waits.get(ask_id)
        return None if wait is None else wait.ask

    def _claim(self, ask_id: str) -> _Wait | None:
        with self._lock:
            return self._waits.pop(ask_id, None)

    def _end(self, ask_id: str, result: tuple[Answer, ...] | AskError) -> bool:
        """End a wait; False if it has ended already."""
        wait = self._claim(ask_id)
        if wait is None:
            return False

        def settle() -> None:
            if wait.future.done():
                return  # the caller was cancelled meanwhile
            if isinstance(result, AskError):
                wait.future.set_exception(result)
            else:
                wait.future.set_result(result)

        with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits there any more
            wait.loop.call_soon_threadsafe(settle)
        self._on_change()
        return True


def _read(response: Any) -> tuple[Answer, ...] | str:
    """Return the answers that a response holds, or what is wrong with its shape."""
    rows = response.get("answers") if isinstance(response, Mapping) else None
    if not isinstance(rows, (list, tuple)):
        return 'a response is {"answers": [...]}'
    answers = []
    for index, row in enumerate(rows):
        if not isinstance(row, Mapping) or not isinstance(row.get("id"), str):
            return f"answers[{index}] needs an id, a string"
        selected = row.get("selected")
        if not isinstance(selected, (list, tuple)) or not all(isinstance(s, str) for s in selected):
            return f"answers[{index}].selected must be an array of strings"
        if "custom" in row and not isinstance(row["custom"], str):
            return f"answers[{index}].custom must be a string"
        answers.append(Answer(id=row["id"], selected=tuple(selected), custom=row.get("custom")))
    return tuple(answers)


def _bad(detail: str) -> Receipt:
    return Receipt(accepted=False, reason="bad-response", detail=detail)


def _not_pending(ask_id: str) -> Receipt:
    return Receipt(accepted=False, reason="not-pending", detail=f"nothing waits under the id {ask_id!r}")
