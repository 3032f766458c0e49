"""A question to the user as messages of a conversation: what it costs, and that nothing before it changes."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.session.shelf import Shelf
from tohlab.askers import DISMISS, SKIP, ScriptedAsker
from tohlab.errors import ScriptError, SessionError, ToolsError
from tohlab.prefix import compare_prefix
from tohlab.questions import Agent, QuestionHost
from tohlab.session import Session
from tohlab.signals import AbortSignal
from tohlab.tokens import get_meter, measure, measure_ask
from tohlab.tools import AskUserTool

ASKED: dict[str, Any] = {
    "questions": [{"id": "pm", "question": "Which?", "options": [{"label": "pnpm"}, {"label": "npm"}]}]
}
NAME = "ask_user_question"


def session_with(script: Any, **skills: str) -> Session:
    return Session(Shelf(**skills), tools=[AskUserTool(ScriptedAsker(script))])


def test_the_tool_stands_in_wire_order_among_the_others() -> None:
    assert [tool.name for tool in session_with({}).request.tools] == [NAME, "skill"]


async def test_a_question_and_its_answer_are_two_messages() -> None:
    session = session_with({"pm": "npm"}, pdf="PDF files")
    session.user("Set it up.")
    result = await session.call_tool(NAME, ASKED, "One question first.")
    call, answer = session.request.messages[-2:]
    assert (call.role, call.text) == ("assistant", "One question first.")
    assert call.tool_calls[0].name == NAME
    assert json.loads(call.tool_calls[0].arguments) == ASKED
    assert (answer.role, answer.text) == ("tool", result.text)
    assert answer.tool_call_id == call.tool_calls[0].id
    assert result.text == '{"answers":[{"id":"pm","selected":["npm"]}]}'


async def test_every_part_is_measured() -> None:
    session = session_with({"pm": "npm"})
    session.user("Set it up.")
    before = measure(session.request)
    await session.call_tool(NAME, ASKED)
    after = measure(session.next_request())
    call = session.request.messages[-2].tool_calls[0]
    cost = measure_ask(call.arguments, session.request.messages[-1].text)
    by_place = {(s.kind, s.name): s.tokens for s in after.segments}
    assert cost.schema_tokens == by_place["tool", NAME] > 200
    assert cost.arguments_tokens == by_place["tool-call", NAME] > 0
    assert cost.answer_tokens == by_place["tool-result", ""] > 0
    assert after.total_tokens - before.total_tokens == cost.exchange_tokens
    assert cost.to_dict()["exchange_tokens"] == cost.arguments_tokens + cost.answer_tokens


async def test_waiting_adds_nothing_and_a_failed_script_leaves_the_log_alone() -> None:
    session = session_with({})
    before = session.user("Set it up.")
    with pytest.raises(ScriptError):
        await session.call_tool(NAME, ASKED)
    assert session.request == before
    host = QuestionHost(needs_agent=False)
    waiting = Session(Shelf(), tools=[AskUserTool(host)])
    before = waiting.user("Set it up.")
    call = asyncio.create_task(waiting.call_tool(NAME, ASKED))
    await asyncio.sleep(0)
    assert waiting.next_request() == before
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert waiting.request == before
    assert host.pending == ()


async def test_what_goes_wrong_is_told_and_logged_too() -> None:
    session = session_with([DISMISS])
    session.user("Set it up.")
    result = await session.call_tool(NAME, ASKED)
    assert session.request.messages[-1].text == result.text == "Error: the user cancelled ask_user_question"
    signal = AbortSignal()
    signal.abort()
    aborted = await session.call_tool(NAME, ASKED, signal=signal)
    assert aborted.code == "ABORTED_BEFORE_DISPATCH"
    stranger = await session.call_tool(NAME, ASKED, agent=Agent(id="a"))
    assert stranger.code == "CALLER_NOT_LIVE"
    assert session.next_request().messages[-1].text == stranger.text


async def test_arguments_are_kept_as_the_model_wrote_them() -> None:
    session = session_with({})
    raw = '{ "questions" : 1 }'
    result = await session.call_tool(NAME, raw)
    assert result.text == 'Error: invalid arguments: "questions" must be an array'
    assert session.request.messages[0].tool_calls[0].arguments == raw


async def test_the_skill_tool_is_called_in_the_same_way() -> None:
    session = session_with({}, pdf="PDF files")
    assert not (await session.call_tool("skill", {"name": "pdf"})).is_error
    assert (await session.call_tool("nope", {})).code == "UNKNOWN_TOOL"


async def test_a_hidden_question_tool_is_unknown() -> None:
    session = session_with({"pm": "npm"})
    undo = session.restrict(deny=[NAME])
    assert (await session.aexecute(NAME, "{}")).text == f'Error: unknown tool "{NAME}"'
    undo()
    assert (await session.aexecute(NAME, "{}")).code == "INVALID_ARGS"


def test_a_call_that_waits_cannot_be_run_without_waiting() -> None:
    with pytest.raises(SessionError, match=r"await session\.aexecute"):
        session_with({}).execute(NAME, "{}")


def test_one_question_tool_at_a_time() -> None:
    with pytest.raises(ToolsError, match="given twice"):
        Session(Shelf(), tools=[AskUserTool(None), AskUserTool(None)])


VALUES = st.sampled_from(["pnpm", "npm", "own words", SKIP, DISMISS, "\ud83d", "日本語 " * 20])
ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("user"), st.sampled_from(["hello", "/pdf please"])),
        st.tuples(st.just("ask"), VALUES),
        st.tuples(st.just("badly"), st.text(max_size=5)),
        st.tuples(st.just("load"), st.just("pdf")),
        st.tuples(st.just("edit"), st.text("ab", max_size=3)),
    ),
    max_size=12,
)


@settings(max_examples=40, deadline=None)
@given(ACTIONS)
def test_an_ask_leaves_everything_before_it_as_it_was(actions: list[tuple[str, Any]]) -> None:
    meter, values = get_meter(), []
    shelf = Shelf(pdf="PDF files")
    session = Session(shelf, tools=[AskUserTool(ScriptedAsker(lambda question: values[-1]))])
    before = session.request
    for action, value in actions:
        match action:
            case "user":
                session.user(value)
            case "load":
                session.call_skill(value)
            case "edit":
                shelf.put(shelf.skill("pdf", f"PDF {value}"))
                session.next_request()
            case "ask":
                values.append(value)
                asyncio.run(session.call_tool(NAME, ASKED))
            case "badly":
                asyncio.run(session.call_tool(NAME, value))
        after = session.request
        found = compare_prefix(before, after, meter)
        assert found.shared_tokens == found.before_tokens
        assert after.messages[: len(before.messages)] == before.messages
        before = after
