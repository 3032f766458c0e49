"""What a session does when the model calls, when tools are hidden and when it is compacted."""

from __future__ import annotations

from typing import Any

import pytest

from tests.session.shelf import Shelf
from tohlab.catalog import Catalog, CatalogUpdate
from tohlab.dialects import get_dialect
from tohlab.errors import SessionError, ToolsError
from tohlab.request import Message, Request, TextBlock, ToolCall, ToolSchema
from tohlab.session import Event, Session

TOH = get_dialect("toh")
BASH = ToolSchema(name="bash", description="Run a command.", parameters={"type": "object"})
OTHER_SKILL = ToolSchema(name="skill", description="something else", parameters={"type": "object"})


def kinds(request: Request) -> list[str]:
    return [message.kind for message in request.messages]


def catalog_message(*pairs: tuple[str, str]) -> Message:
    update = CatalogUpdate(form="initial", catalog=Catalog.of(pairs))
    return Message(role="user", content=(TextBlock(text="a catalog"),), source=update.source())


# Loading through the tool.


def test_a_skill_call_is_logged_with_its_result() -> None:
    session = Session(Shelf(pdf="PDF files"))
    session.user("read my file")
    result = session.call_skill("pdf", "Let me look.")
    assert not result.is_error
    call, answer = session.request.messages[-2:]
    assert (call.text, call.tool_calls[0].arguments) == ("Let me look.", '{"name":"pdf"}')
    assert (answer.tool_call_id, answer.text) == (call.tool_calls[0].id, result.text)


def test_a_wrong_name_gives_the_model_an_error_to_read() -> None:
    session = Session(Shelf(pdf="PDF files"))
    assert session.call_skill("pfd").text == 'Error: skill "pfd" is unknown or no longer available'
    assert session.request.messages[-1].text.startswith("Error: ")


def test_ids_of_calls_never_meet_those_of_a_resumed_log() -> None:
    first = Session(Shelf(pdf="PDF files"))
    first.call_skill("pdf")
    second = Session(Shelf(pdf="PDF files"), history=first.history)
    second.call_skill("pdf")
    ids = [call.id for m in second.request.messages for call in m.tool_calls]
    assert len(set(ids)) == len(ids) == 2


def test_a_tool_that_the_model_does_not_have_is_unknown() -> None:
    result = Session(Shelf()).execute("nope", "{}")
    assert (result.text, result.code) == ('Error: unknown tool "nope"', "UNKNOWN_TOOL")


def test_no_other_tool_is_run() -> None:
    session = Session(Shelf(), tools=[BASH, OTHER_SKILL])
    for name in ("bash", "skill"):
        with pytest.raises(SessionError, match="not the harness's skill tool"):
            session.execute(name, "{}")
    assert session.history == ()


# Visibility.


def test_hiding_the_tool_takes_it_out_of_the_request_and_says_so() -> None:
    session = Session(Shelf(pdf="PDF files"))
    session.user("one")
    session.hide_skill_tool()
    session.hide_skill_tool()
    request = session.user("two")
    assert request.tools == ()
    assert request.messages[-1].text == TOH.tombstone_text
    assert session.call_skill("pdf").text == 'Error: unknown tool "skill"'
    session.show_skill_tool()
    request = session.next_request()
    assert [tool.name for tool in request.tools] == ["skill"]
    assert request.messages[-1].source["entries"] == ({"name": "pdf", "description": "PDF files"},)


def test_a_hidden_tool_looks_for_no_skills() -> None:
    shelf = Shelf(pdf="PDF files")
    session = Session(shelf)
    session.hide_skill_tool()
    session.user("hi")
    assert shelf.looks == 0


def test_a_tool_of_the_same_name_shadows_the_harness_s() -> None:
    session = Session(Shelf(pdf="PDF files"), tools=[OTHER_SKILL])
    assert not session.skill_tool_visible
    assert kinds(session.user("hi")) == ["user"]
    assert session.request.tools == (OTHER_SKILL,)
    session.show_skill_tool()
    assert session.skill_tool_visible
    session.shadow_skill_tool(OTHER_SKILL)
    session.shadow_skill_tool(OTHER_SKILL)
    assert session.request.tools == (OTHER_SKILL,)


def test_an_equal_tool_of_somebody_else_is_not_the_harness_s() -> None:
    session = Session(Shelf(pdf="PDF files"))
    session.shadow_skill_tool(TOH.skill_tool())
    assert not session.skill_tool_visible


def test_a_tool_that_shadows_has_the_same_name() -> None:
    with pytest.raises(SessionError, match="must be named 'skill', not 'bash'"):
        Session(Shelf()).shadow_skill_tool(BASH)


def test_a_restriction_can_be_lifted() -> None:
    session = Session(Shelf(pdf="PDF files"), tools=[BASH])
    lift = session.restrict(allow=["bash"])
    assert [tool.name for tool in session.request.tools] == ["bash"]
    lift()
    lift()
    assert session.skill_tool_visible


def test_a_refused_restriction_changes_nothing() -> None:
    session = Session(Shelf())
    with pytest.raises(ToolsError, match='unknown global tools "x"; known global tools: skill'):
        session.restrict(deny=["x"])
    assert session.skill_tool_visible


# Compaction and resumption.


def test_compaction_keeps_the_last_messages_behind_the_summary_and_the_catalog_is_told_again() -> None:
    session = Session(Shelf(pdf="PDF files"))
    session.user("one")
    session.assistant("two")
    session.user("three")
    session.compact("what was said", keep_last=1)
    assert [m.text for m in session.request.messages] == ["what was said", "three"]
    request = session.next_request()
    assert kinds(request) == ["compaction-summary", "user", "skill-catalog"]
    assert request.messages[-1].source["update"] is True
    assert [e.on_surface for e in session.history] == [False, False, False, True, True, True]


def test_a_catalog_that_stays_is_not_told_again() -> None:
    session = Session(Shelf(pdf="PDF files"))
    session.user("one")
    session.compact("nothing much", keep_last=1)
    assert kinds(session.next_request()) == ["compaction-summary", "skill-catalog"]


def test_no_result_stays_without_its_call() -> None:
    session = Session(Shelf(pdf="PDF files"))
    session.user("one")
    session.call_skill("pdf")
    session.compact("loaded pdf", keep_last=1)
    assert kinds(session.request) == ["compaction-summary"]
    assert kinds(session.next_request()) == ["compaction-summary", "skill-catalog"]


@pytest.mark.parametrize("keep", [3, 99])
def test_keeping_everything_only_adds_the_summary(keep: int) -> None:
    session = Session(Shelf(pdf="PDF files"))
    session.user("one")
    session.assistant("two")
    session.compact("so far", keep_last=keep)
    assert kinds(session.request) == ["compaction-summary", "user", "skill-catalog", "assistant"]


def test_a_negative_number_of_messages_cannot_be_kept() -> None:
    with pytest.raises(SessionError, match="0 or more"):
        Session(Shelf()).compact(keep_last=-1)


def test_compacting_away_an_open_call_leaves_nothing_to_wait_for() -> None:
    session = Session(Shelf(), tools=[BASH])
    session.assistant(tool_calls=[ToolCall(id="c1", name="bash", arguments="{}")])
    session.compact("stopped")
    assert kinds(session.next_request()) == ["compaction-summary"]


def history_variants(session: Session) -> list[Any]:
    return [session.history, [event.message for event in session.history]]


def test_a_resumed_session_goes_on_as_if_it_had_never_stopped() -> None:
    shelf = Shelf(pdf="PDF files")
    first = Session(shelf, system="s")
    first.user("one")
    first.call_skill("pdf")
    for history in history_variants(first):
        second = Session(shelf, system="s", history=history)
        assert second.request == first.request
        assert second.catalogs == first.catalogs
        assert second.next_request() == first.request


def test_a_resumed_log_keeps_what_compaction_took_away() -> None:
    shelf = Shelf(pdf="PDF files")
    first = Session(shelf)
    first.user("one")
    first.compact("so far")
    second = Session(shelf, history=first.history)
    assert second.history == first.history
    assert second.next_request() == first.next_request()


def test_only_readable_records_of_the_harness_count_in_a_resumed_log() -> None:
    foreign = Message(role="user", content=(TextBlock(text="- `pdf`: PDF files"),), source={"kind": "plugin"})
    broken = Message(role="user", source={"kind": "skill-catalog", "entries": [{"name": "x"}]})
    said = Message(role="assistant", source=catalog_message(("pdf", "PDF files")).source)
    session = Session(Shelf(pdf="PDF files"), history=[foreign, Event(message=broken), said])
    assert "update" not in session.next_request().messages[-1].source


# What a session remembers of what it sent.


def test_the_requests_that_steps_handed_out_are_kept_across_a_compaction() -> None:
    session = Session(Shelf(pdf="PDF files"), tools=[BASH])
    sent = [session.user("one")]
    session.assistant("yes")
    sent.append(session.user("two"))
    session.assistant("yes")
    session.compact("Two things were said.")
    sent.append(session.user("three"))
    session.hide_skill_tool()
    sent.append(session.next_request())
    assert session.step(reject=True).request == sent[-1]
    assert session.requests == tuple(sent)
    assert session.breaks == ((2, "compaction"), (3, "header_change"))
