"""A run's keys and its answers, read many at a time, are those that each request has alone."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.routing.service import completion
from tests.routing.shapes import CATALOG, NAMES, case, source
from tohlab.routing import ChatReply, ChatRequest, ListedSkills, ReplyStore, RoutingDataset, run_routing
from tohlab.routing.answers import Names, read_answer
from tohlab.routing.keys import Keys
from tohlab.routing.prompts import Choice, Placement, prompter
from tohlab.routing.scoring import AnswerReader, judge
from tohlab.routing.store import request_key
from tohlab.session import Session

TOOL = {
    "type": "function",
    "function": {
        "name": "skill",
        "description": "d",
        "parameters": {"type": "object", "properties": {"name": {"type": "string"}}},
    },
}
SHARED: tuple[dict[str, Any], ...] = (
    {"role": "user", "content": "one " * 200},
    {"role": "user", "content": "one " * 200},
    {"content": "one " * 200, "role": "user"},
    {"role": "system", "content": "\ud835 für"},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
)
TOOLS: tuple[tuple[dict[str, Any], ...], ...] = ((), (TOOL,), (TOOL, TOOL))
FORMATS: tuple[dict[str, Any] | None, ...] = (None, {"type": "json_object"}, {"type": "text"})

requests = st.builds(
    ChatRequest,
    model=st.sampled_from(["m", "ü"]),
    messages=st.lists(
        st.one_of(
            st.sampled_from(SHARED),
            st.fixed_dictionaries({"role": st.just("user"), "content": st.text(max_size=8)}),
        ),
        max_size=4,
    ).map(tuple),
    tools=st.sampled_from(TOOLS),
    tool_choice=st.sampled_from([None, "auto"]),
    temperature=st.sampled_from([None, 0.0, 0, 1, 1.0, 0.5]),
    seed=st.sampled_from([None, 0, 1]),
    max_tokens=st.sampled_from([None, 256]),
    response_format=st.sampled_from(FORMATS),
)


def test_a_requests_key_is_the_one_that_stores_and_recordings_have() -> None:
    # These digits were printed by the first version that wrote stores; another one makes them worthless.
    messages = (
        {"role": "system", "content": "s"},
        {"role": "user", "content": "Fülle das \ud835 Formular\n"},
    )
    whole = ChatRequest(
        model="m",
        messages=messages,
        tools=(TOOL,),
        tool_choice="auto",
        temperature=0.0,
        seed=3,
        max_tokens=256,
    )
    bare = ChatRequest(
        model="m",
        messages=({"role": "user", "content": "hi"},),
        temperature=None,
        response_format={"type": "json_schema", "json_schema": {"name": "skills"}},
    )
    for request, endpoint, key in (
        (whole, "", "e2bfb8d3f2cf5740aee4a83d7c491a21b73dfc2c24842f600925b0ea1ff41b12"),
        (whole, "api.example.org:443", "2d58fdcdaa3347bae8c9f26aa4c73465455d9c6ca2c20ac1a389da880c1bdc30"),
        (bare, "", "d9d7dbc4414330fddc6f2ba13925c7891c5096ab001c672301571e15236fa63f"),
        (
            ChatRequest(model="m", messages=()),
            "",
            "76cbb97cf16bcd024082da34be0034c95fb3d5d9c2df4894199a08ba40107b36",
        ),
    ):
        assert request_key(request, endpoint) == key
        assert Keys(endpoint).key(request) == key


@given(st.lists(requests, max_size=12), st.sampled_from(["", "api.example.org"]))
def test_keys_of_many_requests_are_those_of_each(many: list[ChatRequest], endpoint: str) -> None:
    keys = Keys(endpoint)
    assert [keys.key(one) for one in many] == [request_key(one, endpoint) for one in many]


def test_more_messages_and_ends_than_are_remembered_change_no_key() -> None:
    many = [
        ChatRequest(
            model="m", messages=({"role": "user", "content": str(i) * 600}, SHARED[0]), tools=(TOOL,), seed=i
        )
        for i in range(150)
    ]
    keys = Keys()
    for _ in range(2):
        assert [keys.key(one) for one in many] == [request_key(one) for one in many]


def test_a_number_that_is_not_finite_has_no_key() -> None:
    request = ChatRequest(model="m", messages=(), temperature=float("nan"))
    with pytest.raises(ValueError, match="JSON"):
        request_key(request)
    with pytest.raises(ValueError, match="JSON"):
        Keys().key(request)


def test_many_replies_are_read_in_the_order_in_which_they_are_asked_for() -> None:
    prompts = prompter(source(), model="m")
    with ReplyStore(":memory:") as store:
        asked = [(prompts.request(f"query {i % 700}"), i % 3) for i in range(1500)]
        for i, (request, replicate) in enumerate(asked):
            if i % 4:
                store.put(
                    request, ChatReply.from_raw(completion(NAMES[i % 3]), i), replicate, attempts=("x",)
                )
        assert list(store.get_many(asked)) == [store.get(*one) for one in asked]
        assert list(store.get_many([])) == []
        assert list(store.get_many(asked[1:2], endpoint="elsewhere")) == [None]


@pytest.mark.parametrize("choice", ["tools", "json"])
@pytest.mark.parametrize("placement", ["opening", "same-step"])
@pytest.mark.parametrize("told_first", [False, True])
def test_a_request_from_a_shared_session_is_that_of_a_session_of_its_own(
    choice: Choice, placement: Placement, told_first: bool
) -> None:
    earlier = ListedSkills([*CATALOG, ("old-skill", "It was there before.")]) if told_first else None
    once = prompter(source(), model="m", choice=choice, placement=placement, earlier=earlier, seed=5)
    for query in ("Fill in the form.", "/pdf-forms now", "Fill in the form."):
        afresh = prompter(source(), model="m", choice=choice, placement=placement, earlier=earlier, seed=5)
        for replicate, (request, names) in enumerate(once.ask_often(query, range(3))):
            assert (request, names) == afresh.ask(query, replicate)
            assert request.seed == 5 + replicate
            session = Session(source(), history=() if earlier is None else _told(earlier))
            if placement == "opening":
                session.next_request()
            sent = session.user(query).to_openai()["messages"]
            assert [m for m in request.messages if "Answer only with JSON" not in m["content"]] == sent


def _told(earlier: ListedSkills) -> Any:
    session = Session(earlier)
    session.next_request()
    return session.history


@given(
    st.lists(
        st.tuples(
            st.sampled_from([*NAMES, "pdf-form", "Nonsense!", ""]),
            st.sampled_from(["stop", "length", "content_filter", None]),
            st.sampled_from([None, "", "text", 'skill("pdf-forms")']),
            st.integers(0, 2),
        ),
        max_size=20,
    )
)
def test_an_answer_that_came_before_is_read_as_it_was_the_first_time(
    said: list[tuple[str, str | None, str | None, int]],
) -> None:
    names = Names(catalog=NAMES, loaded=("sql-review",))
    cases = (case(0, "pdf-forms"), case(1), case(2, "docx-report", optional=("pdf-forms",)))
    reader = AnswerReader(partial(read_answer, choice="tools"))
    for name, finish, content, which in said:
        raw = completion(*([name] if name else []), content=content)
        raw["choices"][0]["finish_reason"] = finish
        reply = ChatReply.from_raw(raw)
        answer = read_answer(reply, names, choice="tools")
        assert reader.judge(cases[which], reply, names) == (answer, judge(cases[which], answer))


def test_a_run_from_the_store_reports_what_the_same_run_reported_live(tmp_path: Path) -> None:
    dataset = RoutingDataset(cases=tuple(case(i, NAMES[i % 3]) for i in range(6)), name="six")
    prompts = prompter(source(), model="m", seed=1)
    with ReplyStore(tmp_path / "s.sqlite") as store:
        for i, one in enumerate(dataset.cases):
            for replicate in range(3):
                loads = NAMES[(i + (replicate == 2)) % 3]
                store.put(
                    prompts.request(one.query, replicate), ChatReply.from_raw(completion(loads)), replicate
                )
        report = run_routing(dataset, source(), None, model="m", store=store, replicates=3, seed=1)
    assert report.n_stored == report.n_scored == 18
    assert report.exact.value == pytest.approx(2 / 3)
    assert [t.label for t in report.trials[:3]] == ["ok", "ok", "wrong_skill"]
    other = replace(report, trials=())
    assert repr(other) == repr(report)  # a hundred thousand answers are no text for a person
