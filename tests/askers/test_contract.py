"""What every asker keeps to, whoever answers."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tohlab.askers import CallbackAsker, ConsoleAsker, ScriptedAsker, dismissed
from tohlab.askers.scripted import DISMISS, SKIP
from tohlab.errors import AskError
from tohlab.questions import (
    Agent,
    Answer,
    Asker,
    AskRequest,
    LiveAgents,
    Option,
    Question,
    QuestionHost,
    UserQuestions,
    accepts,
)
from tohlab.signals import AbortSignal

QUESTIONS = (
    Question(id="one", question="Pick", options=(Option(label="A (Recommended)"), Option(label="B"))),
    Question(
        id="many",
        question="Pick many",
        options=(Option(label="X"), Option(label="Y"), Option(label="Z")),
        multi_select=True,
    ),
    Question(id="free", question="Say it"),
    Question(id="skipped", question="Or not?"),
)
AGENT = Agent(id="root")
ANSWERS = (
    Answer(id="one", selected=("A (Recommended)",)),
    Answer(id="many", selected=("Z", "X"), custom="more"),
    Answer(id="free", custom="words"),
    Answer(id="skipped"),
)
Then = Callable[[], Any]
"""What a person does: gives `ANSWERS`, dismisses, or never comes back."""


class Lines:
    """A person at a console who has these lines, and then waits until told to leave."""

    def __init__(self, *lines: str, waits: bool = False) -> None:
        self._lines, self._waits = list(lines), waits
        self.leave = threading.Event()

    def __call__(self, prompt: str) -> str:
        if self._lines:
            return self._lines.pop(0)
        if self._waits:
            self.leave.wait(10)
        raise EOFError


def console(what: str) -> ConsoleAsker:
    lines = {
        "answers": Lines("1", "3 1 = more", "words", ":skip"),
        "dismisses": Lines("1", ":cancel"),
        "waits": Lines("1", waits=True),
    }
    return ConsoleAsker(read=lines[what], write=lambda text: None)


def scripted(what: str) -> ScriptedAsker:
    if what == "dismisses":
        return ScriptedAsker(["B", DISMISS])
    return ScriptedAsker(
        {
            "one": "A (Recommended)",
            "many": {"selected": ["Z", "X"], "custom": "more"},
            "free": " words ",
            "skipped": SKIP,
        }
    )


def callback(what: str) -> CallbackAsker:
    async def answer(request: AskRequest) -> Sequence[Answer]:
        if what == "dismisses":
            raise dismissed()
        await (asyncio.Event().wait() if what == "waits" else asyncio.sleep(0))
        return ANSWERS

    return CallbackAsker(answer)


def plain_callback(what: str) -> CallbackAsker:
    def answer(request: AskRequest) -> Sequence[Answer]:
        if what == "dismisses":
            raise dismissed()
        return list(ANSWERS)

    return CallbackAsker(answer)


def host(what: str) -> QuestionHost:
    asker: QuestionHost

    def look() -> None:
        for pending in asker.pending:
            if what == "answers":
                asker.respond(pending.id, {"answers": [a.to_wire() for a in ANSWERS]})
            elif what == "dismisses":
                asker.cancel(pending.id)

    asker = QuestionHost(on_change=look)
    return asker


def service(what: str) -> UserQuestions:
    agents = LiveAgents()
    agents.enter(AGENT)
    asker = UserQuestions(agents)
    asker.register_provider(host(what))
    return asker


EVERY = [console, scripted, callback, plain_callback, host, service]
WAITING = [console, callback, host, service]
REQUEST = AskRequest.of(QUESTIONS, AGENT)


@pytest.mark.parametrize("make", EVERY)
async def test_every_question_gets_one_answer_in_order(make: Callable[[str], Asker]) -> None:
    asker = make("answers")
    assert isinstance(asker, Asker)
    answers = await asker.ask(REQUEST)
    assert tuple(answers) == ANSWERS
    assert accepts(QUESTIONS, answers)


@pytest.mark.parametrize("make", EVERY)
async def test_a_person_who_dismisses_is_told_as_that(make: Callable[[str], Asker]) -> None:
    with pytest.raises(AskError, match=r"^the user cancelled ask_user_question$") as caught:
        await make("dismisses").ask(REQUEST, AbortSignal())
    assert caught.value.code == "ASK_CANCELLED"


@pytest.mark.parametrize("make", EVERY)
async def test_nobody_is_asked_what_was_taken_back_before(make: Callable[[str], Asker]) -> None:
    signal = AbortSignal()
    signal.abort()
    with pytest.raises(AskError) as caught:
        await make("answers").ask(REQUEST, signal)
    assert caught.value.code == "ASK_ABORTED"


@pytest.mark.parametrize("make", WAITING)
async def test_an_abort_ends_the_wait_at_once_and_leaves_no_task(make: Callable[[str], Asker]) -> None:
    asker, signal = make("waits"), AbortSignal()
    before = asyncio.all_tasks()
    task = asyncio.create_task(asker.ask(REQUEST, signal))
    await asyncio.sleep(0.05)
    assert not task.done()
    start = time.monotonic()
    signal.abort()
    with pytest.raises(AskError) as caught:
        await task
    assert caught.value.code == "ASK_ABORTED"
    assert time.monotonic() - start < 1
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == before
    assert signal._listeners == []


@pytest.mark.parametrize("make", WAITING)
async def test_a_cancelled_wait_leaves_no_task(make: Callable[[str], Asker]) -> None:
    asker, signal = make("waits"), AbortSignal()
    before = asyncio.all_tasks()
    task = asyncio.create_task(asker.ask(REQUEST, signal))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert asyncio.all_tasks() == before
    assert signal._listeners == []


@pytest.mark.parametrize("make", WAITING)
async def test_the_event_loop_goes_on_while_a_person_thinks(make: Callable[[str], Asker]) -> None:
    signal = AbortSignal()
    task = asyncio.create_task(make("waits").ask(REQUEST, signal))
    for _ in range(20):
        await asyncio.sleep(0)
    assert not task.done()
    signal.abort()
    with pytest.raises(AskError):
        await task


async def test_a_line_that_comes_after_an_abort_answers_nothing_later() -> None:
    late = threading.Event()
    given = iter(["late", "in time"])

    def read(prompt: str) -> str:
        line = next(given)
        if line == "late":
            late.wait(10)
        return line

    asker = ConsoleAsker(read=read, write=lambda text: None)
    free = AskRequest.of([QUESTIONS[2]])
    signal = AbortSignal()
    task = asyncio.create_task(asker.ask(free, signal))
    await asyncio.sleep(0.05)
    signal.abort()
    with pytest.raises(AskError):
        await task
    late.set()
    assert await asker.ask(free) == (Answer(id="free", custom="in time"),)


async def test_two_batches_at_one_console_take_turns() -> None:
    open_now = []

    def read(prompt: str) -> str:
        open_now.append(prompt)
        time.sleep(0.02)
        assert len(open_now) == 1
        open_now.clear()
        return "words"

    asker = ConsoleAsker(read=read, write=lambda text: None)
    free = AskRequest.of([QUESTIONS[2], QUESTIONS[2]])
    first, second = await asyncio.gather(asker.ask(free), asker.ask(free))
    assert first == second


async def test_a_function_that_gives_something_else_is_refused() -> None:
    with pytest.raises(TypeError, match="must give a sequence of Answer, not 'yes'"):
        await CallbackAsker(lambda request: "yes").ask(REQUEST)  # type: ignore[arg-type,return-value]  # a wrong answer on purpose
    with pytest.raises(TypeError) as caught:
        await CallbackAsker(lambda request: ["x" * 100_000]).ask(REQUEST)  # type: ignore[list-item]  # a wrong answer on purpose
    assert len(str(caught.value)) < 500


async def test_what_a_function_raises_goes_through() -> None:
    async def fails(request: AskRequest) -> Sequence[Answer]:
        raise OSError("front end is gone")

    with pytest.raises(OSError, match="front end is gone"):
        await CallbackAsker(fails).ask(REQUEST, AbortSignal())


async def test_what_a_function_says_when_it_is_stopped_is_kept() -> None:
    async def tidies(request: AskRequest) -> Sequence[Answer]:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise RuntimeError("closed the form") from None
        return ANSWERS

    signal = AbortSignal()
    task = asyncio.create_task(CallbackAsker(tidies).ask(REQUEST, signal))
    await asyncio.sleep(0)
    signal.abort()
    with pytest.raises(RuntimeError, match="closed the form"):
        await task
