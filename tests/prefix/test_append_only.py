"""The check that a test of an agent asks for: requests only grow, or say why not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.session.shelf import Shelf
from tohlab.errors import PrefixError
from tohlab.prefix.append_only import assert_append_only, check_append_only
from tohlab.request import Request, ToolCall, ToolSchema, text_message
from tohlab.session import Session

BASH = ToolSchema(name="bash", description="Run a command.", parameters={"type": "object"})


def talk() -> Session:
    session = Session(Shelf(pdf="PDF files"), system="Be brief.", tools=[BASH])
    for i in range(3):
        session.user(f"question {i}")
        call = ToolCall(id=f"c{i}", name="bash", arguments="{}")
        session.assistant(tool_calls=[call])
        session.tool_result(call.id, f"result {i}")
        session.next_request()
        session.assistant(f"answer {i}")
    return session


def test_a_session_that_only_grows_passes() -> None:
    session = talk()
    assert len(session.requests) == 6
    assert_append_only(session)
    assert_append_only(session.requests)
    assert_append_only(iter(session.requests))


def test_an_edited_message_fails_with_its_place() -> None:
    requests = list(talk().requests)
    edited = text_message("user", "question zero", kind="user")
    requests[3] = replace(requests[3], messages=(edited, *requests[3].messages[1:]))
    with pytest.raises(AssertionError) as error:
        assert_append_only(requests)
    message = str(error.value)
    assert message.startswith(
        'request 3 does not begin with request 2: messages[0] / user: "0" became "zero" at character 9, '
    )
    assert "earlier tokens are lost" in message
    assert message.endswith('allow={3: "compaction"}')


def test_a_changed_header_fails_and_says_how_to_mean_it() -> None:
    session = talk()
    session.system = "Be very brief."
    session.user("more")
    with pytest.raises(AssertionError, match=r'system: "very " was put in .* allow=\{6: "header_change"\}'):
        assert_append_only(session)
    assert_append_only(session, allow={6: "header_change"})


def test_a_compaction_that_a_session_recorded_passes() -> None:
    session = talk()
    session.compact("Three files were looked at.", keep_last=2)
    session.user("and now?")
    session.assistant("Now this.")
    session.user("go on")
    assert session.breaks == ((6, "compaction"),)
    assert_append_only(session)
    with pytest.raises(AssertionError, match="request 6 does not begin with request 5"):
        assert_append_only(session.requests)
    assert_append_only(session.requests, allow={6: "compaction"})


def test_a_restriction_that_a_session_recorded_passes() -> None:
    session = talk()
    lift = session.restrict(deny=["bash"])
    session.user("without tools")
    session.assistant("Yes.")
    lift()
    session.user("with tools again")
    assert session.breaks == ((6, "header_change"), (7, "header_change"))
    assert_append_only(session)


def test_a_reason_covers_its_own_part_only() -> None:
    requests = list(talk().requests)
    both = replace(requests[3], system="Other.", messages=requests[3].messages[1:])
    requests[3:] = [both]
    with pytest.raises(AssertionError, match="header_change"):
        assert_append_only(requests, allow={3: "compaction"})
    with pytest.raises(AssertionError, match="compaction"):
        assert_append_only(requests, allow={3: "header_change"})


def test_a_shortened_request_is_not_append_only() -> None:
    requests = talk().requests
    shorter = replace(requests[2], messages=requests[2].messages[:-1])
    with pytest.raises(AssertionError, match="Only shortened"):
        assert_append_only([requests[2], shorter])


def test_what_need_not_be_allowed_is_an_error() -> None:
    with pytest.raises(PrefixError, match="take it out of allow"):
        assert_append_only(talk(), allow={2: "compaction"})
    with pytest.raises(PrefixError, match="there are requests 1 to 5 to check"):
        assert_append_only(talk(), allow={6: "compaction"})
    with pytest.raises(PrefixError, match="there are: compaction, header_change"):
        assert_append_only(talk(), allow={1: "why not"})  # type: ignore[dict-item]  # a wrong word on purpose


@pytest.mark.parametrize("given", [[], [Request()]])
def test_nothing_to_compare_is_an_error(given: list[Request]) -> None:
    with pytest.raises(PrefixError, match="two and more can"):
        assert_append_only(given)
    with pytest.raises(PrefixError, match="in order"):
        assert_append_only(Request())  # type: ignore[arg-type]  # a common slip


def test_the_check_counts_what_each_request_kept_of_the_one_before() -> None:
    requests = list(talk().requests)
    check = check_append_only(requests)
    assert (check.append_only, check.requests, check.broken_at, check.comparison) == (True, 6, None, None)
    assert check.shared_tokens == check.before_tokens
    assert check.kept_share == 1
    assert check.sentence == "append-only: yes, 6 requests"


def test_the_check_names_the_first_break_and_goes_on_counting() -> None:
    requests = list(talk().requests)
    requests[2] = replace(requests[2], system="Be kind.")
    check = check_append_only(requests)
    assert (check.append_only, check.broken_at) == (False, 2)
    assert 0 < check.kept_share < 1
    assert check.sentence.startswith("append-only: no, first divergence in request 2: system: ")
    assert check.remedy == 'allow={2: "header_change"}'
    assert check.to_dict()["badge"] == check.sentence


def test_the_check_tells_what_was_meant() -> None:
    session = talk()
    session.compact("All was said.")
    session.user("And now?")
    check = check_append_only(session)
    assert check.append_only
    assert check.meant == ((6, "compaction"),)
    assert check.sentence.endswith("; request 6 breaks off on purpose (compaction)")


def test_bodies_as_they_were_sent_are_refused_with_the_way_to_read_them() -> None:
    body: Any = {"messages": [{"role": "user", "content": "Hi."}]}
    with pytest.raises(PrefixError, match=r"a Request is expected, not dict; .*read_session\(path\)"):
        assert_append_only([body, body])
