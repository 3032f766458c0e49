"""A model's question in, the JSON that the model reads back out."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tohlab.askers import DISMISS, SKIP, ConsoleAsker, ScriptedAsker
from tohlab.dialects import get_dialect
from tohlab.ecma import json_stringify
from tohlab.errors import AskError, AskerUnavailable, ScriptError, UnsupportedByDialect
from tohlab.questions import Agent, Answer, AskRequest, Outcome, QuestionHost, UserQuestions
from tohlab.signals import AbortSignal
from tohlab.tools import AskUserTool, outcome_of

ASKED = {
    "questions": [
        {"id": "pm", "question": "Which?", "options": [{"label": "pnpm (Recommended)"}, {"label": "npm"}]},
        {"id": "why", "question": "Why?"},
    ]
}
ONE = {"questions": [{"id": "a", "question": "Q?"}]}


class Gives:
    """An asker that does what a test says."""

    def __init__(self, give: Callable[[AskRequest, AbortSignal | None], Any]) -> None:
        self._give = give
        self.received: AskRequest | None = None

    async def ask(self, request: AskRequest, signal: AbortSignal | None = None) -> Any:
        self.received = request
        given = self._give(request, signal)
        return await given if isinstance(given, Awaitable) else given


def skips(request: AskRequest, signal: AbortSignal | None) -> Sequence[Answer]:
    return [Answer(id=question.id) for question in request.questions]


def raises(error: BaseException) -> Callable[[AskRequest, AbortSignal | None], Any]:
    def give(request: AskRequest, signal: AbortSignal | None) -> Any:
        raise error

    return give


async def test_the_model_reads_the_answers_as_compact_json() -> None:
    result = await AskUserTool(ScriptedAsker({"pm": "npm", "why": "it is there"})).call(ASKED)
    assert result.text == (
        '{"answers":[{"id":"pm","selected":["npm"]},{"id":"why","selected":[],"custom":"it is there"}]}'
    )
    assert not result.is_error
    assert json.loads(result.text) == result.value


async def test_arguments_can_be_given_as_the_model_wrote_them() -> None:
    tool = AskUserTool(Gives(skips))
    assert (await tool.call_text(json.dumps(ONE))).value == {"answers": [{"id": "a", "selected": []}]}
    missing = 'Error: invalid arguments: missing required property "questions"'
    assert (await tool.call_text("")).text == missing
    assert (await tool.call_text("{bad")).text == 'Error: invalid arguments: "arguments" must be an object'


async def test_what_is_wrong_is_told_in_walk_order() -> None:
    result = await AskUserTool(None).call(
        {
            "questions": [
                {"header": 1, "id": 2, "options": [{}, {"description": 3, "label": None}]},
                [],
                {"question": "Q", "id": "b", "multi_select": 0, "options": {}},
            ]
        }
    )
    assert result.text == (
        'Error: invalid arguments: missing required property "questions[0].question"; '
        '"questions[0].id" must be a string; "questions[0].header" must be a string; '
        'missing required property "questions[0].options[0].label"; '
        '"questions[0].options[1].label" must be a string; '
        '"questions[0].options[1].description" must be a string; "questions[1]" must be an object; '
        '"questions[2].options" must be an array; "questions[2].multi_select" must be a boolean'
    )
    assert (result.code, result.error_name) == ("INVALID_ARGS", "ToolArgsError")


async def test_numbers_that_json_does_not_bring_back_are_refused() -> None:
    tool = AskUserTool(Gives(skips))
    for number in ("-0", "1e999"):
        raw = f'{{"questions":[{{"id":"a","question":"Q","extra":{number}}}]}}'
        assert (await tool.call_text(raw)).text == (
            'Error: invalid arguments: "questions[0]" must be a lossless JSON object'
        )


async def test_the_asker_gets_only_what_a_model_may_say() -> None:
    asker = Gives(skips)
    question = {"id": "a", "question": "Q", "detail": "d", "intent": {"kind": "k"}, "multiSelect": True}
    await AskUserTool(asker).call({"questions": [question | {"options": [{"label": "A", "x": [1]}]}]})
    assert asker.received is not None
    assert [q.to_wire() for q in asker.received.questions] == [
        {"id": "a", "question": "Q", "options": [{"label": "A", "x": [1]}]}
    ]


async def test_nothing_about_ids_labels_or_counts_is_checked_here() -> None:
    given = [Answer(id="other", selected=("nowhere", "nowhere"), custom="")]
    result = await AskUserTool(Gives(lambda request, signal: given)).call(ONE)
    assert result.text == '{"answers":[{"id":"other","selected":["nowhere","nowhere"],"custom":""}]}'


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"answers": [{"custom": "c", "x": 1, "id": "a", "selected": ()}]}, None),
        (
            {"answers": [{"id": "a", "selected": [], "custom": 1}]},
            '"value.answers[0].custom" must be a string',
        ),
        ({"answers": [{"selected": [2]}]}, 'missing required property "value.answers[0].id"'),
    ],
)
async def test_an_asker_may_speak_the_harness_s_own_form(given: Any, text: str | None) -> None:
    result = await AskUserTool(Gives(lambda request, signal: given)).call(ONE)
    if text is None:
        assert result.text == '{"answers":[{"id":"a","selected":[],"custom":"c"}]}'
    else:
        assert result.text.startswith(f'Error: tool "ask_user_question" returned invalid output: {text}')
        assert result.code == "INVALID_TOOL_OUTPUT"


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (None, "Cannot read properties of null (reading 'answers')"),
        (3, "Cannot read properties of undefined (reading 'map')"),
        ({}, "Cannot read properties of undefined (reading 'map')"),
        ({"answers": None}, "Cannot read properties of null (reading 'map')"),
        ({"answers": "yes"}, "result.answers.map is not a function"),
        ([None], "Cannot read properties of null (reading 'id')"),
        (["yes"], "answer.selected is not iterable"),
        ([{"id": "a", "selected": 1}], "answer.selected is not iterable"),
    ],
)
async def test_what_is_no_answer_at_all_is_told_as_the_harness_s_engine_does(given: Any, text: str) -> None:
    result = await AskUserTool(Gives(lambda request, signal: given)).call(ONE)
    assert (result.text, result.is_error, result.code) == (f"Error: {text}", True, None)


@pytest.mark.parametrize(
    ("error", "text", "code"),
    [
        (OSError("front end is gone"), "front end is gone", None),
        (ValueError(), "ValueError", None),
        (AskError("ASK_CANCELLED", "the user cancelled"), "the user cancelled", "ASK_CANCELLED"),
    ],
)
async def test_what_an_asker_raises_is_told(error: Exception, text: str, code: str | None) -> None:
    result = await AskUserTool(Gives(raises(error))).call(ONE)
    assert (result.text, result.code, result.is_error) == (f"Error: {text}", code, True)


async def test_an_error_whose_text_cannot_be_had_is_told_by_its_class() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no text")

    assert (await AskUserTool(Gives(raises(Mute()))).call(ONE)).text == "Error: Mute"


async def test_a_gap_in_the_script_or_no_terminal_is_not_the_model_s_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(ScriptError, match="no answer for question 'a'"):
        await AskUserTool(ScriptedAsker({})).call(ONE)
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(AskerUnavailable, match="question 'a'"):
        await AskUserTool(ConsoleAsker()).call(ONE)


async def test_a_delegated_agent_is_refused_by_who_owns_it_now() -> None:
    service, root, child = UserQuestions(), Agent(id="root"), Agent(id="child")
    service.register_provider(Gives(skips))
    service.agents.enter(root)
    leave = service.agents.enter(child, root)
    tool = AskUserTool(service)
    refused = await tool.call(ONE, agent=child)
    assert refused.code == "DELEGATED_CALLER"
    assert refused.text.endswith("in the child agent's final result")
    leave()
    service.agents.enter(child)
    assert not (await tool.call(ONE, agent=child)).is_error
    assert (await tool.call(ONE, agent=Agent(id="child"))).code == "CALLER_NOT_LIVE"


async def test_nobody_to_ask_is_told() -> None:
    result = await AskUserTool(None).call(ONE)
    assert (result.text, result.code) == ("Error: no user-questions provider is registered", "NO_PROVIDER")


# Taking a question back.


async def after_abort(give: Callable[[AskRequest, AbortSignal | None], Any]) -> Any:
    """The result of a call that is aborted while it waits, with nothing left running."""
    before, signal = asyncio.all_tasks(), AbortSignal()
    call = asyncio.create_task(AskUserTool(Gives(give)).call(ONE, signal=signal))
    for _ in range(5):
        await asyncio.sleep(0)
    signal.abort()
    result = await call
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == before
    return result


async def test_a_call_that_is_aborted_before_asks_nobody() -> None:
    signal, asker = AbortSignal(), Gives(skips)
    signal.abort()
    result = await AskUserTool(asker).call("no object", signal=signal)
    assert (result.text, result.code) == (
        "Error: tool call aborted before dispatch",
        "ABORTED_BEFORE_DISPATCH",
    )
    assert asker.received is None


async def test_a_success_that_comes_after_an_abort_is_thrown_away() -> None:
    async def late(request: AskRequest, signal: AbortSignal | None) -> Sequence[Answer]:
        assert signal is not None
        await signal.wait()
        return skips(request, signal)

    result = await after_abort(late)
    assert (result.text, result.code) == ("Error: tool call aborted", "ABORTED")


async def test_an_asker_s_own_error_is_kept_after_an_abort() -> None:
    async def closes(request: AskRequest, signal: AbortSignal | None) -> Sequence[Answer]:
        assert signal is not None
        await signal.wait()
        raise RuntimeError("the form was closed")

    assert (await after_abort(closes)).text == "Error: the form was closed"
    host = QuestionHost(needs_agent=False)
    result = await after_abort(host.ask)
    assert result.text == "Error: ask_user_question was aborted before the user answered"
    assert host.pending == ()


async def test_an_asker_that_does_not_listen_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tohlab.tools.ask.GRACE_S", 0.05)
    start = time.monotonic()
    result = await after_abort(lambda request, signal: asyncio.Event().wait())
    assert (result.text, result.code) == ("Error: tool call aborted", "ABORTED")
    assert time.monotonic() - start < 5


async def test_an_asker_that_refuses_to_stop_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tohlab.tools.ask.GRACE_S", 0.0)
    monkeypatch.setattr("tohlab.signals.STUBBORN_S", 0.05)
    free = asyncio.Event()

    async def stubborn(request: AskRequest, signal: AbortSignal | None) -> Sequence[Answer]:
        while not free.is_set():
            try:
                await free.wait()
            except asyncio.CancelledError:
                continue
        raise OSError("nobody hears this")

    signal = AbortSignal()
    call = asyncio.create_task(AskUserTool(Gives(stubborn)).call(ONE, signal=signal))
    await asyncio.sleep(0.01)
    signal.abort()
    assert (await call).code == "ABORTED"
    free.set()
    await asyncio.sleep(0.01)


async def test_cancelling_the_caller_stops_the_asker() -> None:
    stopped = asyncio.Event()

    async def waits(request: AskRequest, signal: AbortSignal | None) -> Sequence[Answer]:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return []

    for signal in (None, AbortSignal()):
        stopped.clear()
        call = asyncio.create_task(AskUserTool(Gives(waits)).call(ONE, signal=signal))
        await asyncio.sleep(0.01)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert stopped.is_set()


# What became of it.


@pytest.mark.parametrize(
    ("asker", "arguments", "outcome", "code", "row"),
    [
        (ScriptedAsker({"pm": "npm", "why": SKIP}), ASKED, Outcome.ANSWERED, None, "1/2 answered"),
        (ScriptedAsker({"pm": SKIP, "why": SKIP}), ASKED, Outcome.DECLINED, None, "0/2 answered"),
        (ScriptedAsker([DISMISS]), ASKED, Outcome.CANCELLED, "ASK_CANCELLED", "cancelled"),
        (
            Gives(raises(AskError("ASK_ABORTED", "aborted"))),
            ASKED,
            Outcome.CANCELLED,
            "ASK_ABORTED",
            "interrupted",
        ),
        (None, ASKED, Outcome.REFUSED, "NO_PROVIDER", "Error: no user-questions provider is registered"),
        (Gives(raises(OSError("gone"))), ASKED, Outcome.REFUSED, None, "Error: gone"),
    ],
)
async def test_an_answer_and_no_answer_are_told_apart(
    asker: Any, arguments: Any, outcome: Outcome, code: str | None, row: str
) -> None:
    result = await AskUserTool(asker).call(arguments)
    found = outcome_of(result)
    assert (found.outcome, found.code, found.row, found.text) == (outcome, code, row, result.text)


# Any input.


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["questions", "id", "question", "header", "options", "label", "multi_select", "x"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_no_argument_makes_the_tool_raise(arguments: Any) -> None:
    result = asyncio.run(AskUserTool(Gives(skips)).call(arguments))
    assert result.is_error == result.text.startswith("Error: ")


@given(JSON)
def test_no_answer_makes_the_tool_raise(given: Any) -> None:
    result = asyncio.run(AskUserTool(Gives(lambda request, signal: given)).call(ONE))
    if not result.is_error:
        assert json_stringify(result.value) == result.text


async def test_200_questions_with_500_options_of_100_kb() -> None:
    label = "<script>\ud83d" + "x" * 100_000
    options = [{"label": f"{i}{label}"} for i in range(500)]
    questions = [{"id": "same", "question": label, "options": options}] * 200
    start = time.process_time()
    result = await AskUserTool(ScriptedAsker(lambda q: q.labels[3])).call({"questions": questions})
    assert time.process_time() - start < 20
    assert result.text.startswith('{"answers":[{"id":"same","selected":["3<script>\\ud83dxxx')
    assert len(result.value["answers"]) == 200  # type: ignore[index]  # an answer's value is a mapping


def test_a_harness_without_such_a_tool_says_so() -> None:
    from dataclasses import replace

    with pytest.raises(UnsupportedByDialect, match="no tool that asks the user"):
        AskUserTool(None, replace(get_dialect("toh"), ask_tool_json=None))
