"""What tohlab gives for the vectors about asking the user: tool and service, and by `host_driver` the host.

Scenarios are told in prose in the vectors; each function here picks out the words that say what happens.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from tohlab.errors import AskError
from tohlab.questions import (
    Agent,
    Answer,
    AskRequest,
    LiveAgents,
    Question,
    UserQuestions,
)
from tohlab.signals import AbortSignal
from tohlab.tools import AskUserTool, ToolResult

from .host_driver import (
    composer,
    host_accepts_answer,
    host_provider_error,
    host_receipt,
    plan_review,
    recommended_label,
)
from .toh_driver import has, plain

Row = dict[str, Any]
ONE_QUESTION = {"questions": [{"id": "a", "question": "Q?"}]}


class _Provider:
    """A provider whose answers a vector gives, as the harness's own form or as a function makes them."""

    def __init__(self, give: Callable[[AskRequest, AbortSignal | None], Any]) -> None:
        self._give = give
        self.received: AskRequest | None = None

    async def ask(self, request: AskRequest, signal: AbortSignal | None = None) -> Any:
        self.received = request
        given = self._give(request, signal)
        return await given if isinstance(given, Awaitable) else given


def _skip_all(request: AskRequest, signal: AbortSignal | None) -> Sequence[Answer]:
    return [Answer(id=question.id) for question in request.questions]


def _result(result: ToolResult, *, value: bool = False) -> Row:
    row: Row = {"isError": result.is_error, "text": result.text}
    if result.is_error:
        row["error"] = {"message": result.message}
        if result.code is not None:
            row["error"]["info"] = {"name": result.error_name, "code": result.code}
    elif value:
        row["value"] = plain(result.value)
    return row


def _error(error: AskError) -> Row:
    return {"name": "UserQuestionError", "code": error.code, "message": str(error)}


# Arguments and answers.


def ask_args(row: Row) -> Any:
    provider = _Provider(_skip_all)
    tool = AskUserTool(provider)
    given = row["input"]
    call = tool.call_text(given["raw"]) if "raw" in given else tool.call(given["arguments"])
    result = _result(asyncio.run(call))
    received = provider.received
    wire = None if received is None else [question.to_wire() for question in received.questions]
    return result | {"provider_received": wire}


def ask_answer(row: Row) -> Any:
    given = row["input"]
    if "provider_answers" in given:
        returned = {"answers": _without_undefined(given["provider_answers"])}
    else:
        returned = _without_undefined(given["provider_returned"])
    provider = _Provider(lambda request, signal: returned)
    return _result(asyncio.run(AskUserTool(provider).call(ONE_QUESTION)), value=True)


def _without_undefined(value: Any) -> Any:
    """JSON has no word for a key that holds `undefined`, so the vectors write it as a string."""
    if isinstance(value, dict):
        return {k: _without_undefined(v) for k, v in value.items() if v != "<undefined>"}
    if isinstance(value, list):
        return [_without_undefined(v) for v in value]
    return value


# Failures.


class _ThrownError(Exception):
    """Whatever a provider throws: `str()` is what `String(value)` is in JavaScript."""


async def _aborts(scenario: str, signal: AbortSignal) -> Any:
    """A provider during whose wait the call is aborted, and what it does then."""
    signal.abort()
    await asyncio.sleep(0)
    if has(scenario, "reject", "throw"):
        raise _ThrownError("ask_user_question was aborted before the user answered")
    if has(scenario, "ignore", "never", "hang"):
        await asyncio.Event().wait()
    return [Answer(id="a")]


def ask_error(row: Row) -> Any:
    scenario = row["input"]["scenario"].lower()
    agents, signal = LiveAgents(), AbortSignal()
    service, agent = UserQuestions(agents), None
    arguments: Any = row["input"].get("arguments", ONE_QUESTION)
    if "empty" in scenario:
        arguments = {"questions": []}
    root = Agent(id="root")
    if has(scenario, "unregistered", "unknown agent", "not live", "no longer live", "ended"):
        agent = root
    elif "stale" in scenario:
        agents.enter(root)
        agent = Agent(id="root")
    elif has(scenario, "root") and not has(scenario, "child", "owned"):
        agent = Agent(id="root", delegation_depth=1 if "delegationdepth 1" in scenario else 0)
        agents.enter(agent)
    elif has(scenario, "child", "owned", "delegated", "subagent"):
        leave = agents.enter(root)
        agent = Agent(id="child", delegation_depth=1)
        agents.enter(agent, root)
        if has(scenario, "owner left", "owner gone", "orphan", "owner ended"):
            leave()
    give: Callable[[AskRequest, AbortSignal | None], Any] = _skip_all
    if "abort" in scenario and has(scenario, "pending", "during", "after abort", "late"):

        def give(request: AskRequest, signal: AbortSignal | None) -> Any:
            return _aborts(scenario, signal)

    elif "abort" in scenario:
        signal.abort()
    elif has(scenario, "throw", "reject", "raise"):

        def give(request: AskRequest, signal: AbortSignal | None) -> Any:
            quoted = re.search(r"""["'](.*?)["']""", row["input"]["scenario"])
            thrown = row["input"].get("message", quoted.group(1) if quoted else "boom")
            raise _ThrownError("[object Object]" if "plain object" in scenario else thrown)

    provider = _Provider(give)
    if "no provider" not in scenario:
        service.register_provider(provider)
    result = asyncio.run(AskUserTool(service).call(arguments, agent=agent, signal=signal))
    found = _result(result)
    if "provider_called" in row["output"]:
        found["provider_called"] = provider.received is not None
    return found


def ask_service_error(row: Row) -> Any:
    given = row["input"]
    scenario = given["scenario"].lower()
    service, signal, agent = UserQuestions(), AbortSignal(), None
    questions = given.get("questions", [given["question"]] if "question" in given else None)
    if questions is None:
        questions = [] if "empty" in scenario else ONE_QUESTION["questions"]
    if "abort" in scenario:
        signal.abort()
    if has(scenario, "unregistered", "stale", "not live"):
        agent = Agent(id="root")
    elif has(scenario, "child", "owned", "delegated"):
        root, agent = Agent(id="root"), Agent(id="child")
        service.agents.enter(root)
        service.agents.enter(agent, root)
    request = AskRequest.of([Question.from_wire(question) for question in questions], agent)
    try:
        if not has(scenario, "no provider", "intent"):
            service.register_provider(_Provider(_skip_all))
        if has(scenario, "second", "duplicate"):
            service.register_provider(_Provider(_skip_all))
        return {"answers": [a.to_wire() for a in asyncio.run(service.ask(request, signal))]}
    except AskError as error:
        return _error(error)


_GIVEN: dict[str, Callable[[Row], Any]] = {
    "ask_args": ask_args,
    "ask_answer": ask_answer,
    "ask_error": ask_error,
    "ask_service_error": ask_service_error,
    "host_accepts_answer": host_accepts_answer,
    "host_provider_error": host_provider_error,
    "host_receipt": host_receipt,
    "recommended_label": recommended_label,
    "plan_review_of": plan_review,
    "composer": composer,
}


def _held(given: Callable[[Row], Any]) -> Callable[[Row], None]:
    def adapter(row: Row) -> None:
        assert given(row) == row["output"]

    return adapter


ADAPTERS = {group: _held(given) for group, given in _GIVEN.items()}
