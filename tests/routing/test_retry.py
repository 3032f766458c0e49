"""What a run does after a failure: wait and try again, give up on one request, or stop."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tohlab.errors import EndpointError
from tohlab.routing import RetryPolicy
from tohlab.routing.client import ChatReply, ChatRequest
from tohlab.routing.retry import Patience, failure_name

REQUEST = ChatRequest(model="m", messages=({"role": "user", "content": "x"},))


def failed(kind: str, **more: Any) -> EndpointError:
    return EndpointError(kind, "no answer", **more)


@pytest.mark.parametrize(("seen", "again"), [({}, False), ({"answered": 1}, True), ({"stored": 1}, True)])
async def test_a_service_that_was_never_there_is_not_tried_again(seen: dict[str, int], again: bool) -> None:
    patience = Patience(RetryPolicy(), **seen)
    assert patience.tries_again(failed("connection"), 1) is again
    assert Patience(RetryPolicy(), **seen).stops_run(failed("connection")) is ("answered" not in seen)


async def test_what_one_is_told_to_wait_all_wait() -> None:
    patience = Patience(RetryPolicy(first_wait_s=0.01))
    told: list[float] = []
    await patience.hold(told.append)
    assert told == []
    assert patience.tries_again(failed("rate_limit", retry_after_s=0.2), 1)
    assert patience.tries_again(failed("server"), 1)
    assert 0.1 < patience.left_s() <= 0.2  # the shorter wait of the second does not end the first
    await asyncio.gather(patience.hold(told.append), patience.hold())
    assert patience.left_s() <= 0
    assert len(told) >= 1
    assert 0 < told[0] <= 0.2


async def test_a_request_that_is_given_up_makes_nobody_wait() -> None:
    patience = Patience(RetryPolicy(attempts={"server": 2}, first_wait_s=60.0), answered=1)
    assert not patience.tries_again(failed("server"), 2)
    assert not patience.tries_again(failed("bad_request"), 1)
    assert not patience.tries_again(failed("server", retry_after_s=61.0), 1)
    assert patience.left_s() <= 0


def test_an_answer_ends_a_row_of_failures() -> None:
    patience = Patience(RetryPolicy(failures=3))
    assert [patience.stops_run(failed("server")) for _ in range(2)] == [False, False]
    patience.got_answer()
    assert (patience.answered, patience.in_a_row) == (1, 0)
    assert [patience.stops_run(failed("server")) for _ in range(3)] == [False, False, True]
    assert Patience(RetryPolicy()).stops_run(failed("auth", status=401))


async def test_an_attempt_that_never_answers_is_a_time_out() -> None:
    class Silent:
        async def complete(self, request: ChatRequest) -> ChatReply:
            await asyncio.sleep(60.0)
            raise AssertionError("nobody waits so long")

    with pytest.raises(EndpointError, match=r"no answer within 0\.05 s") as caught:
        await Patience(RetryPolicy(deadline_s=0.05)).attempt(Silent(), REQUEST)
    assert caught.value.kind == "timeout"


def test_a_failure_is_named_with_its_status_if_there_was_one() -> None:
    assert failure_name(failed("rate_limit", status=429)) == "rate_limit 429"
    assert failure_name(failed("connection")) == "connection"
