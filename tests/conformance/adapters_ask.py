"""What tohlab gives for the vectors about asking the user: tool, service, host and composer.

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
    Composer,
    LiveAgents,
    Question,
    QuestionHost,
    UserQuestions,
    accepts,
    parse_recommended_label,
    plan_review_of,
)
from tohlab.questions.composer import CANCEL_MESSAGE
from tohlab.signals import AbortSignal
from tohlab.tools import AskUserTool, ToolResult

from .toh_driver import plain

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


def _has(text: str, *words: str) -> bool:
    return any(word in text for word in words)


async def _aborts(scenario: str, signal: AbortSignal) -> Any:
    """A provider during whose wait the call is aborted, and what it does then."""
    signal.abort()
    await asyncio.sleep(0)
    if _has(scenario, "reject", "throw"):
        raise _ThrownError("ask_user_question was aborted before the user answered")
    if _has(scenario, "ignore", "never", "hang"):
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
    if _has(scenario, "unregistered", "unknown agent", "not live", "no longer live", "ended"):
        agent = root
    elif "stale" in scenario:
        agents.enter(root)
        agent = Agent(id="root")
    elif _has(scenario, "root") and not _has(scenario, "child", "owned"):
        agent = Agent(id="root", delegation_depth=1 if "delegationdepth 1" in scenario else 0)
        agents.enter(agent)
    elif _has(scenario, "child", "owned", "delegated", "subagent"):
        leave = agents.enter(root)
        agent = Agent(id="child", delegation_depth=1)
        agents.enter(agent, root)
        if _has(scenario, "owner left", "owner gone", "orphan", "owner ended"):
            leave()
    give: Callable[[AskRequest, AbortSignal | None], Any] = _skip_all
    if "abort" in scenario and _has(scenario, "pending", "during", "after abort", "late"):
        give = lambda request, signal: _aborts(scenario, signal)  # noqa: E731
    elif "abort" in scenario:
        signal.abort()
    elif _has(scenario, "throw", "reject", "raise"):

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
    if _has(scenario, "unregistered", "stale", "not live"):
        agent = Agent(id="root")
    elif _has(scenario, "child", "owned", "delegated"):
        root, agent = Agent(id="root"), Agent(id="child")
        service.agents.enter(root)
        service.agents.enter(agent, root)
    request = AskRequest.of([Question.from_wire(question) for question in questions], agent)
    try:
        if not _has(scenario, "no provider", "intent"):
            service.register_provider(_Provider(_skip_all))
        if _has(scenario, "second", "duplicate"):
            service.register_provider(_Provider(_skip_all))
        return {"answers": [a.to_wire() for a in asyncio.run(service.ask(request, signal))]}
    except AskError as error:
        return _error(error)


# The host.


def host_accepts_answer(row: Row) -> Any:
    questions = [Question.from_wire(question) for question in row["input"]["questions"]]
    answers = [
        Answer(id=a["id"], selected=tuple(a["selected"]), custom=a.get("custom"))
        for a in row["input"]["answers"]
    ]
    return {"accepted": accepts(questions, answers)}


CHOICE = Question.from_wire({"id": "a", "question": "Q", "options": [{"label": "A"}, {"label": "B"}]})
VALID = {"answers": [{"id": "a", "selected": ["A"]}]}


def host_provider_error(row: Row) -> Any:
    scenario = row["input"]["scenario"].lower()

    async def run() -> Row:
        host, agents, signal = QuestionHost(), LiveAgents(), AbortSignal()
        agent = None if "without an agent" in scenario else Agent(id="session-1")
        if agent is not None:
            agents.enter(agent)
        service = UserQuestions(agents)
        service.register_provider(host)

        async def end() -> None:
            while agent is not None and not host.pending:
                await asyncio.sleep(0)
            if "abort" in scenario:
                signal.abort()
            elif _has(scenario, "dismiss", "cancel"):
                host.respond(host.pending[0].id, {"error": {"code": "cancelled"}})
            elif "dispose" in scenario:
                host.dispose()

        asked = {"questions": [CHOICE.to_model()]}
        tool = AskUserTool(service).call(asked, agent=agent, signal=signal)
        result, _ = await asyncio.gather(tool, end())
        assert host.pending == ()
        message = result.message
        return {
            "name": result.error_name,
            "code": result.code,
            "message": message,
            "tool_text": result.text,
        }

    return asyncio.run(run())


def host_receipt(row: Row) -> Any:
    scenario = row["input"]["scenario"].lower()

    async def run() -> Row:
        host = QuestionHost()
        asking = asyncio.ensure_future(host.ask(AskRequest.of([CHOICE], Agent(id="session-1"))))
        await asyncio.sleep(0)
        [pending] = host.pending
        receipts = []
        if _has(scenario, "unknown", "not-pending", "already", "second"):
            if _has(scenario, "already", "second"):
                host.respond(pending.id, VALID)
            receipts.append(host.respond("nothing" if "unknown" in scenario else pending.id, VALID))
        elif "is not" in scenario and "error" in scenario:
            receipts.append(host.respond(pending.id, {"error": {"code": "internal", "message": "m"}}))
        elif "cancelled" in scenario:
            receipts.append(host.respond(pending.id, {"error": {"code": "cancelled"}}))
        elif "fails" in scenario or "false" in scenario:
            for response, session in (
                ({"answers": "A"}, None),
                (None, None),
                ({"answers": [{"id": "a", "selected": "A"}]}, None),
                ({"answers": [{"id": "a", "selected": ["C"]}]}, None),
                (VALID, "session-2"),
            ):
                receipts.append(host.respond(pending.id, response, session_id=session))
            assert host.pending == (pending,), "a refused response leaves the wait open"
        elif "valid" in scenario:
            receipts.append(host.respond(pending.id, VALID, session_id="session-1"))
        else:
            raise AssertionError(f"a scenario that nothing here understands: {scenario!r}")
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        wires = [receipt.to_wire() for receipt in receipts]
        assert wires == wires[:1] * len(wires), "one scenario, several receipts"
        return wires[0]

    return asyncio.run(run())


# How a question is drawn and answered.


def recommended_label(row: Row) -> Any:
    shown = parse_recommended_label(row["input"]["label"])
    return {"label": shown.label, "recommended": shown.recommended}


def plan_review(row: Row) -> Any:
    review = plan_review_of([Question.from_wire(question) for question in row["input"]["questions"]])
    if review is None:
        return {"review": None}
    found = {"id": review.id, "question": review.question, "plan": review.plan}
    found["approve"] = review.approve.to_wire()
    if review.decline is not None:
        found["decline"] = review.decline.to_wire()
    return {"review": found}


def composer(row: Row) -> Any:
    given = row["input"]
    form = Composer(questions=tuple(Question.from_wire(question) for question in given["questions"]))
    receipts = list(given.get("receipts", []))
    trace = [_seen(form, None)]
    for action in given["actions"]:
        sent = len(form.sent)
        form = _act(form, action)
        if len(form.sent) > sent and receipts:
            form = _receive(form, receipts.pop(0))
        trace.append(_seen(form, action))
    return {"trace": trace}


def _act(form: Composer, action: Row) -> Composer:
    if "option" in action:
        return form.choose(_label(form, action["option"]))
    if "option_enter" in action:
        return form.enter_on_option()
    if "type" in action:
        return form.write(action["type"])
    match action["do"]:
        case "enter":
            return form.primary()
        case "primary":
            return form if form.primary_disabled else form.primary()
        case "skip":
            return form.skip()
        case "prev" | "previous":
            return form.previous()
        case "next":
            return form.next()
        case "cancel" | "dismiss":
            return form.dismiss()
        case "shift_enter" | "ime_enter":
            return form  # a new line, and a word that is chosen: neither is for the form
    raise AssertionError(f"an action that nothing here understands: {action!r}")


def _label(form: Composer, name: str) -> str:
    """A vector names an option by its label, or as it is shown."""
    if name in form.question.labels:
        return name
    return next(label for label in form.question.labels if parse_recommended_label(label).label == name)


def _receive(form: Composer, receipt: Row) -> Composer:
    if "throws" in receipt:
        return form.failed(receipt["throws"])
    if receipt.get("accepted", True):
        return form
    return form.rejected(receipt["reason"])


def _seen(form: Composer, action: Row | None) -> Row:
    shown = [
        [parse_recommended_label(option.label).label, option.label in form.draft.selected]
        for option in form.question.choices
    ]
    return {
        "action": action,
        "position": form.position,
        "title": form.question.question,
        "options": shown,
        "custom": form.draft.custom,
        "feedback": form.feedback,
        "primary": {"label": form.primary_label, "disabled": form.primary_disabled},
        "prev_disabled": form.previous_disabled,
        "next_disabled": form.next_disabled,
        "skip_disabled": form.busy is not None,
        "sent": [_sent(sent.answers) for sent in form.sent],
    }


def _sent(answers: Sequence[Answer] | None) -> Row:
    if answers is None:
        return {"cancelled": {"code": "cancelled", "message": CANCEL_MESSAGE, "details": {}}}
    return {"answers": [answer.to_wire() for answer in answers]}


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
