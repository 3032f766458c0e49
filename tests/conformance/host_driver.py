"""What tohlab gives for the vectors about the host of questions, and about how one is drawn and answered."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

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
from tohlab.tools import AskUserTool

from .toh_driver import has

Row = dict[str, Any]


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
            elif has(scenario, "dismiss", "cancel"):
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
        if has(scenario, "unknown", "not-pending", "already", "second"):
            if has(scenario, "already", "second"):
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
