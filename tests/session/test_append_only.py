"""Without compaction, each request of an append-only dialect is a prefix of the next one."""

from __future__ import annotations

import gc
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.session.shelf import Shelf
from tohlab.dialects import dialect_names, get_dialect
from tohlab.request import Request
from tohlab.session import Session

APPEND_ONLY = [name for name in dialect_names() if get_dialect(name).refresh == "append"]

NAMES = st.sampled_from(["pdf", "sql", "web"])
ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("user"), st.sampled_from(["hello", "/pdf please", "/sql /web", "/absent"])),
        st.tuples(st.just("assistant"), st.sampled_from(["", "sure"])),
        st.tuples(st.just("call"), NAMES),
        st.tuples(st.just("put"), st.lists(NAMES, unique=True, max_size=3)),
        st.tuples(st.just("complete"), st.booleans()),
        st.tuples(st.just("step"), st.none()),
    ),
    max_size=25,
)


def take(session: Session, shelf: Shelf, action: str, value: Any, number: int) -> Request | None:
    match action:
        case "user":
            return session.user(value)
        case "step":
            return session.next_request()
        case "assistant":
            session.assistant(value)
        case "call":
            session.call_skill(value)
        case "put":
            shelf.put(*(shelf.skill(name, f"version {number}") for name in value))
        case "complete":
            shelf.complete = value
    return None


@pytest.mark.parametrize("dialect", APPEND_ONLY)
@settings(max_examples=60)
@given(actions=ACTIONS)
def test_a_request_is_a_prefix_of_the_next(dialect: str, actions: list[tuple[str, Any]]) -> None:
    shelf = Shelf(pdf="version 0")
    session = Session(shelf, dialect, system="s")
    before = session.request
    for number, (action, value) in enumerate(actions):
        after = take(session, shelf, action, value, number)
        if after is None:
            continue
        assert after.tools == before.tools
        assert after.system == before.system
        assert after.messages[: len(before.messages)] == before.messages
        before = after


@settings(max_examples=60)
@given(actions=ACTIONS)
def test_a_session_resumed_at_any_point_builds_the_same_requests(actions: list[tuple[str, Any]]) -> None:
    shelf = Shelf(pdf="version 0")
    session = Session(shelf)
    for number, (action, value) in enumerate(actions):
        resumed = Session(shelf, history=session.history)
        take(session, shelf, action, value, number)
        if action not in ("put", "complete"):
            take(resumed, shelf, action, value, number)
        assert resumed.request.messages == session.request.messages
        assert resumed.catalogs == session.catalogs


def test_the_work_of_a_step_does_not_grow_with_the_session() -> None:
    shelf = Shelf(**{f"skill-{i}": f"Description {i}" for i in range(100)})
    session = Session(shelf)

    def calls_of_a_turn() -> int:
        """How many functions of Python one turn calls: the same on every machine, unlike seconds."""
        calls = 0

        def count(frame: object, event: str, argument: object) -> None:
            nonlocal calls
            calls += event == "call"

        before = sys.getprofile()
        gc.collect()
        gc.disable()  # what it finds to tidy up, such as weak references of other tests, calls functions too
        sys.setprofile(count)
        try:
            session.user("question")
            session.call_skill("skill-7")
            session.next_request()
            session.assistant("answer")
        finally:
            sys.setprofile(before)
            gc.enable()
        return calls

    calls_of_a_turn()
    early = calls_of_a_turn()
    for _ in range(498):
        session.user("question")
        session.call_skill("skill-7")
        session.next_request()
        session.assistant("answer")
    assert len(session.request.messages) == 1 + 500 * 4
    assert calls_of_a_turn() == early
