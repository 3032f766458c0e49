"""A session builds the next request."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest

from tests.session.shelf import Shelf
from tohlab.catalog import Catalog, CatalogUpdate
from tohlab.dialects import get_dialect
from tohlab.errors import SessionError, UnsupportedByDialect
from tohlab.request import Message, Request, TextBlock, ToolCall, ToolSchema
from tohlab.session import Session
from tohlab.skills.model import Invocation, LoadedSkill
from tohlab.tools import AbortSignal

TOH = get_dialect("toh")
BASH = ToolSchema(name="bash", description="Run a command.", parameters={"type": "object"})
OTHER_SKILL = ToolSchema(name="skill", description="something else", parameters={"type": "object"})


def kinds(request: Request) -> list[str]:
    return [message.kind for message in request.messages]


def catalog_message(*pairs: tuple[str, str]) -> Message:
    update = CatalogUpdate(form="initial", catalog=Catalog.of(pairs))
    return Message(role="user", content=(TextBlock(text="a catalog"),), source=update.source())


# What a request holds.


def test_the_first_request_has_tools_system_user_and_catalog_in_wire_order() -> None:
    session = Session(Shelf(pdf="PDF files"), system="Be brief.", tools=[BASH])
    request = session.user("hello")
    assert [tool.name for tool in request.tools] == ["bash", "skill"]
    assert request.system == "Be brief."
    assert [(m.role, m.kind) for m in request.messages] == [("user", "user"), ("user", "skill-catalog")]
    assert request.messages[1].content == (TOH.render_catalog(Catalog.of([("pdf", "PDF files")])),)
    assert request.messages[1].content[0].spans[0].label == 'entry "pdf"'


def test_each_text_of_a_user_is_a_block() -> None:
    request = Session(Shelf()).user("one", "two")
    assert [block.text for block in request.messages[0].content] == ["one", "two"]


def test_a_user_step_needs_a_text() -> None:
    with pytest.raises(SessionError, match="next_request"):
        Session(Shelf()).user()


def test_what_the_model_and_its_tools_said_is_in_the_next_request() -> None:
    session = Session(Shelf(), tools=[BASH])
    session.user("list files")
    session.assistant("I will.", [ToolCall(id="c1", name="bash", arguments='{"command":"ls"}')])
    session.tool_result("c1", "a.txt")
    request = session.next_request()
    assert [(m.role, m.text) for m in request.messages] == [
        ("user", "list files"),
        ("assistant", "I will."),
        ("tool", "a.txt"),
    ]
    assert request.messages[1].tool_calls[0].name == "bash"
    assert request.messages[2].tool_call_id == "c1"
    assert request == session.request


def test_a_request_stays_as_it_was_when_the_session_goes_on() -> None:
    session = Session(Shelf(pdf="PDF files"))
    request = session.user("one")
    before = kinds(request)
    session.user("two")
    assert kinds(request) == before


def test_an_own_order_of_tools_is_kept() -> None:
    session = Session(Shelf(), tools=[BASH], tool_order=["skill", "<unlisted-tools>"])
    assert [tool.name for tool in session.request.tools] == ["skill", "bash"]


def test_a_dialect_that_places_its_catalog_otherwise_is_refused() -> None:
    with pytest.raises(UnsupportedByDialect, match="system/append"):
        Session(Shelf(), replace(TOH, placement="system"))


# The catalog.


def test_a_change_is_told_after_the_user_s_text_and_once() -> None:
    shelf = Shelf(pdf="PDF files")
    session = Session(shelf)
    session.user("one")
    shelf.put(shelf.skill("pdf", "PDF files"), shelf.skill("sql", "Databases"))
    assert kinds(session.user("two")) == ["user", "skill-catalog", "user", "skill-catalog"]
    assert kinds(session.next_request()) == ["user", "skill-catalog", "user", "skill-catalog"]
    assert session.request.messages[-1].source["update"] is True
    assert session.catalogs.baseline == Catalog.of([("pdf", "PDF files"), ("sql", "Databases")])


@pytest.mark.parametrize("same", ["  PDF\n files ", "PDF\u00a0files"])
def test_a_change_that_no_model_would_read_is_not_told(same: str) -> None:
    shelf = Shelf(pdf="PDF files")
    session = Session(shelf)
    session.user("one")
    shelf.put(LoadedSkill(name="pdf", description=same, content="another body", when_to_use="never"))
    assert kinds(session.next_request()) == ["user", "skill-catalog"]


def test_an_incomplete_look_waits_for_the_next_step() -> None:
    shelf = Shelf(pdf="PDF files")
    shelf.complete = False
    session = Session(shelf)
    assert kinds(session.user("one")) == ["user"]
    shelf.complete = True
    assert kinds(session.next_request()) == ["user", "skill-catalog"]


def test_a_description_limit_is_the_dialect_s() -> None:
    session = Session(Shelf(pdf="PDF files"), replace(TOH, description_limit=5))
    assert "- `pdf`: PD...\n" in session.user("hi").messages[1].text


def test_a_right_catalog_in_the_batch_stays_and_counts() -> None:
    session = Session(Shelf(pdf="PDF files"))
    mine = catalog_message(("pdf", "PDF files"))
    step = session.step(mine)
    assert step.messages == (mine,)
    assert step.dropped == 0
    assert kinds(session.user("hi")) == ["skill-catalog", "user"]


def test_a_stale_catalog_in_the_batch_is_replaced_where_it_stands() -> None:
    session = Session(Shelf(pdf="PDF files"))
    after = Message(
        role="user", content=(TextBlock(text="context"),), source=MappingProxyType({"kind": "runtime"})
    )
    step = session.step(catalog_message(("old", "gone")), after)
    assert [m.kind for m in step.messages] == ["skill-catalog", "runtime"]
    assert step.messages[0].source["entries"] == ({"name": "pdf", "description": "PDF files"},)
    assert step.dropped == 1


def test_a_catalog_in_the_batch_goes_where_none_is_due() -> None:
    session = Session(Shelf(pdf="PDF files"))
    session.user("hi")
    step = session.step(catalog_message(("pdf", "PDF files")))
    assert (step.messages, step.dropped) == ((), 1)


def test_a_rejected_step_publishes_and_logs_nothing() -> None:
    session = Session(Shelf(pdf="PDF files"))
    user = Message(role="user", content=(TextBlock(text="hi"),), source=MappingProxyType({"kind": "user"}))
    step = session.step(user, reject=True)
    assert (step.decision, step.messages, step.dropped) == ("reject", (), 1)
    assert session.history == ()
    assert kinds(session.user("hi")) == ["user", "skill-catalog"]


# Skills that a user starts.


def test_invoked_skills_come_after_the_catalog_once_each() -> None:
    session = Session(Shelf(pdf="PDF files", sql="Databases"))
    request = session.user("/sql and /pdf, then /sql again", "or /pdf")
    assert kinds(request) == ["user", "skill-catalog", "skill-invocation", "skill-invocation"]
    assert [m.source["name"] for m in request.messages[2:]] == ["sql", "pdf"]
    assert "body of sql" in request.messages[2].text


def test_a_later_step_puts_the_same_skill_in_again() -> None:
    session = Session(Shelf(pdf="PDF files"))
    session.user("/pdf")
    assert kinds(session.user("/pdf"))[-2:] == ["user", "skill-invocation"]


def test_what_cannot_be_started_stays_prose() -> None:
    shelf = Shelf()
    shelf.put(
        LoadedSkill(
            name="model-only", description="d", content="", invocation=Invocation(user_invocable=False)
        )
    )
    assert kinds(Session(shelf).user("/absent /model-only go")) == ["user", "skill-catalog"]


def test_a_skill_that_only_users_start_needs_no_catalog() -> None:
    shelf = Shelf()
    shelf.put(
        LoadedSkill(
            name="user-only", description="d", content="b", invocation=Invocation(model_invocable=False)
        )
    )
    assert kinds(Session(shelf).user("/user-only")) == ["user", "skill-invocation"]


def test_neither_a_hidden_tool_nor_an_incomplete_look_stops_a_user() -> None:
    shelf = Shelf(pdf="PDF files")
    shelf.complete = False
    session = Session(shelf)
    session.hide_skill_tool()
    assert kinds(session.user("/pdf")) == ["user", "skill-invocation"]


def test_only_what_a_user_wrote_is_scanned() -> None:
    session = Session(Shelf(pdf="PDF files"))
    other = Message(
        role="user", content=(TextBlock(text="/pdf"),), source=MappingProxyType({"kind": "plugin"})
    )
    assert [m.kind for m in session.step(other).messages] == ["plugin", "skill-catalog"]


# Steps that fail.


class Broken(Shelf):
    """Lists its skills and cannot load them."""

    def load(self, name: str) -> LoadedSkill | None:
        raise OSError("backend down")


def test_a_step_that_fails_logs_nothing() -> None:
    session = Session(Broken(pdf="PDF files"))
    with pytest.raises(OSError, match="backend down"):
        session.user("/pdf")
    assert session.history == ()
    assert kinds(session.user("pdf")) == ["user", "skill-catalog"]


def test_an_aborted_step_fails_with_the_reason_and_logs_nothing() -> None:
    session, signal = Session(Shelf(pdf="PDF files")), AbortSignal()
    signal.abort("turn cancelled")
    with pytest.raises(SessionError, match=r"^turn cancelled$"):
        session.user("hi", signal=signal)
    with pytest.raises(SessionError, match=r"^turn cancelled$"):
        session.next_request(signal=signal)
    assert session.history == ()


def test_a_step_waits_for_the_results_of_calls() -> None:
    session = Session(Shelf(), tools=[BASH])
    session.user("hi")
    session.assistant(tool_calls=[ToolCall(id=i, name="bash", arguments="{}") for i in ("c1", "c2")])
    session.tool_result("c1", "done")
    with pytest.raises(SessionError, match="wait for their results: c2"):
        session.next_request()
    session.tool_result("c2", "done")
    assert kinds(session.next_request()) == ["user", "assistant", "tool-result", "tool-result"]


def test_a_result_needs_a_call_that_waits() -> None:
    with pytest.raises(SessionError, match="no call 'c9' waits for a result; waiting: none"):
        Session(Shelf()).tool_result("c9", "done")


def test_call_ids_differ() -> None:
    session = Session(Shelf())
    session.assistant(tool_calls=[ToolCall(id="c1", name="bash", arguments="{}")])
    with pytest.raises(SessionError, match="'c1' was used before"):
        session.assistant(tool_calls=[ToolCall(id="c1", name="bash", arguments="{}")])
    same = [ToolCall(id="c2", name="bash", arguments="{}")] * 2
    with pytest.raises(SessionError, match="'c2' was used before"):
        session.assistant(tool_calls=same)


def test_a_step_takes_user_messages_only() -> None:
    with pytest.raises(SessionError, match="takes user messages, not assistant"):
        Session(Shelf()).step(Message(role="assistant", content=(TextBlock(text="hi"),)))


def test_a_fork_goes_on_by_itself_from_all_that_was_said() -> None:
    shelf = Shelf(pdf="Fill in forms.")
    session = Session(shelf)
    session.user("Hello.")
    session.assistant(tool_calls=[ToolCall(id="call_1", name="search", arguments="{}")])
    one, other = session.fork(), session.fork()
    one.tool_result("call_1", "found")
    assert one.user("And now?").messages[-1].text == "And now?"
    with pytest.raises(SessionError, match="call_1"):
        other.next_request()  # the result came in the first fork only
    assert len(session.history) == len(other.history) == len(one.history) - 2
    assert len(session.requests) == 1


def test_what_a_fork_is_told_of_changed_skills_is_told_in_each_fork() -> None:
    shelf = Shelf(pdf="Fill in forms.")
    session = Session(shelf)
    first, second = session.fork(), session.fork()
    assert kinds(first.user("a")) == kinds(second.user("b")) == ["user", "skill-catalog"]
    shelf.put(shelf.skill("docx", "Write reports."))
    assert kinds(first.next_request())[2:] == kinds(second.next_request())[2:] == ["skill-catalog"]
    assert session.request.messages == ()
