"""What waits for an answer, what is taken as one, and what a receipt says."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from tohlab.errors import AskError
from tohlab.questions import Agent, Answer, AskRequest, Option, Question, QuestionHost
from tohlab.signals import AbortSignal

ONE = Question(id="one", question="Pick", options=(Option(label="A"), Option(label="B")))
REQUEST = AskRequest.of([ONE], Agent(id="session-1"))
VALID = {"answers": [{"id": "one", "selected": ["A"]}]}


async def open_ask(
    host: QuestionHost, signal: AbortSignal | None = None
) -> tuple[asyncio.Task[tuple[Answer, ...]], str]:
    task = asyncio.create_task(host.ask(REQUEST, signal))
    await asyncio.sleep(0)
    return task, host.pending[-1].id


async def test_a_valid_answer_ends_the_wait_and_counts_once() -> None:
    host = QuestionHost()
    task, ask_id = await open_ask(host)
    assert host.respond(ask_id, VALID, session_id="session-1").to_wire() == {"accepted": True}
    assert host.respond(ask_id, VALID).to_wire() == {"accepted": False, "reason": "not-pending"}
    assert host.cancel(ask_id).reason == "not-pending"
    assert await task == (Answer(id="one", selected=("A",)),)
    assert host.pending == ()


@pytest.mark.parametrize(
    "response",
    [
        None,
        [],
        {},
        {"answers": {}},
        {"answers": []},
        {"answers": [None]},
        {"answers": [{"id": 1, "selected": []}]},
        {"answers": [{"id": "one", "selected": "A"}]},
        {"answers": [{"id": "one", "selected": [1]}]},
        {"answers": [{"id": "one", "selected": [], "custom": None}]},
        {"answers": [{"id": "one", "selected": [], "custom": " \n"}]},
        {"answers": [{"id": "one", "selected": ["C"]}]},
        {"answers": [{"id": "one", "selected": ["A", "B"]}]},
        {"answers": [{"id": "one", "selected": ["A"], "custom": "x"}]},
        {"error": None},
        {"error": {"code": "timeout"}},
    ],
)
async def test_a_bad_response_leaves_the_wait_open(response: Any) -> None:
    host = QuestionHost()
    task, ask_id = await open_ask(host)
    receipt = host.respond(ask_id, response)
    assert receipt.to_wire() == {"accepted": False, "reason": "bad-response"}
    assert receipt.detail
    assert [p.id for p in host.pending] == [ask_id]
    assert host.respond(ask_id, VALID).accepted
    await task


async def test_a_response_for_another_session_is_refused() -> None:
    host = QuestionHost()
    task, ask_id = await open_ask(host)
    assert host.respond(ask_id, VALID, session_id="session-2").reason == "bad-response"
    host.cancel(ask_id)
    with pytest.raises(AskError, match="the user cancelled ask_user_question"):
        await task


async def test_no_agent_no_question_unless_the_host_does_without() -> None:
    with pytest.raises(AskError) as caught:
        await QuestionHost().ask(AskRequest.of([ONE]))
    assert caught.value.code == "ASK_MISSING_AGENT"
    host = QuestionHost(needs_agent=False)
    task = asyncio.create_task(host.ask(AskRequest.of([ONE])))
    await asyncio.sleep(0)
    assert host.pending[0].session_id is None
    host.respond(host.pending[0].id, VALID)
    assert await task


async def test_disposing_ends_every_wait_and_refuses_later_ones() -> None:
    host = QuestionHost()
    tasks = [(await open_ask(host))[0] for _ in range(2)]
    host.dispose()
    host.dispose()
    for task in tasks:
        with pytest.raises(AskError, match="web user-questions provider was disposed"):
            await task
    with pytest.raises(AskError, match="disposed"):
        await host.ask(REQUEST)


async def test_two_batches_wait_apart() -> None:
    host = QuestionHost()
    first, first_id = await open_ask(host)
    second, second_id = await open_ask(host)
    assert host.respond(second_id, {"answers": [{"id": "one", "selected": ["B"]}]}).accepted
    assert (await second)[0].selected == ("B",)
    assert [p.id for p in host.pending] == [first_id]
    host.respond(first_id, VALID)
    assert (await first)[0].selected == ("A",)


async def test_an_answer_may_come_from_another_thread() -> None:
    host = QuestionHost()
    task, ask_id = await open_ask(host)
    thread = threading.Thread(target=host.respond, args=(ask_id, VALID))
    thread.start()
    assert (await task)[0].selected == ("A",)
    thread.join()


async def test_a_caller_that_is_cancelled_leaves_nothing_waiting() -> None:
    changes: list[int] = []
    host = QuestionHost(on_change=lambda: changes.append(len(host.pending)))
    task, ask_id = await open_ask(host)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert changes == [1, 0]
    assert host.respond(ask_id, VALID).reason == "not-pending"


async def test_an_abort_ends_the_wait_and_a_late_answer_is_not_taken() -> None:
    host, signal = QuestionHost(), AbortSignal()
    task, ask_id = await open_ask(host, signal)
    signal.abort()
    assert host.respond(ask_id, VALID).reason == "not-pending"
    with pytest.raises(AskError) as caught:
        await task
    assert caught.value.code == "ASK_ABORTED"
