"""What a request costs: the parts add up to the whole, whatever the parts are."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tohlab.catalog import Catalog, CatalogEntry
from tohlab.dialects import get_dialect
from tohlab.errors import TokensError
from tohlab.request import Message, Request, Span, TextBlock, ToolCall, ToolSchema, text_message
from tohlab.skills.model import Invocation, LoadedSkill
from tohlab.skills.sources import MemorySource
from tohlab.tokens import TiktokenMeter, get_meter, measure, measure_catalog, share_out

TOOL = ToolSchema(name="look", description="Look it up.", parameters={"type": "object", "properties": {}})
CALL = ToolCall(id="call_1", name="look", arguments='{"q": "x"}')


def test_every_stretch_of_a_request_is_a_row_with_its_address_and_kind() -> None:
    request = Request(
        tools=(TOOL,),
        system="Be brief.",
        messages=(
            text_message("user", "hello", kind="user"),
            Message(
                role="assistant", content=(TextBlock(text="one"), TextBlock(text="two")), tool_calls=(CALL,)
            ),
            Message(role="tool", content=(TextBlock(text="found"),), tool_call_id="call_1"),
        ),
    )
    cost = measure(request)
    assert (cost.meter, cost.renderer) == ("o200k_base", "plain")
    assert [(s.path, s.kind, s.name, s.role) for s in cost.segments] == [
        ("tools[0]", "tool", "look", "system"),
        ("system", "system", "", "system"),
        ("messages[0].content[0]", "user", "", "user"),
        ("messages[1].content[0]", "assistant", "", "assistant"),
        ("messages[1].content[1]", "assistant", "", "assistant"),
        ("messages[1].tool_calls[0]", "tool-call", "look", "assistant"),
        ("messages[2].content[0]", "tool", "", "tool"),
    ]
    meter = get_meter()
    assert cost.segments[0].tokens == meter.count(TOOL.to_json())
    assert cost.segments[5].tokens == meter.count('{"name":"look","arguments":"{\\"q\\": \\"x\\"}"}')
    assert cost.rows()[1] == {
        "kind": "system",
        "name": "",
        "path": "system",
        "role": "system",
        "tokens": meter.count("Be brief."),
        "characters": 9,
    }
    assert list(cost.by_kind()) == ["tool", "system", "user", "assistant", "tool-call"]
    assert sum(cost.by_kind().values()) == cost.total_tokens


def test_an_empty_request_costs_nothing() -> None:
    cost = measure(Request())
    assert (cost.total_tokens, cost.segments, cost.by_kind()) == (0, (), {})


def test_a_catalog_is_its_frame_and_its_entries() -> None:
    catalog = Catalog(entries=(CatalogEntry(name="pdf", description="Read PDF files."),))
    block = get_dialect("toh").render_catalog(catalog, "initial")
    message = Message(role="user", content=(block,), source={"kind": "skill-catalog"})
    frame, entry = measure(Request(messages=(message,))).segments
    assert (frame.kind, frame.name, entry.name) == ("skill-catalog", "frame", 'entry "pdf"')
    assert frame.path == entry.path == "messages[0].content[0]"
    assert entry.characters == len("- `pdf`: Read PDF files.")
    assert frame.tokens + entry.tokens == get_meter().count(block.text)
    assert frame.characters + entry.characters == len(block.text)


def test_a_token_goes_to_the_span_in_which_its_first_character_lies() -> None:
    text = "ab\n\n\ncd"
    _, starts = get_meter().encode_with_offsets(text)
    assert starts == (0, 2, 5)
    spans = (Span(label="head", start=0, stop=3), Span(label="tail", start=3, stop=7))
    assert share_out(text, spans, get_meter()) == (2, 1)


PIECES = [*"ab \n.", "é", "日", "𠀀", "\ud83d", "\ude00", "don't", "1"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@st.composite
def blocks(draw: st.DrawFn) -> TextBlock:
    text = draw(TEXTS)
    edges = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pairs = zip(edges[::2], edges[1::2], strict=False)
    return TextBlock(
        text=text, spans=tuple(Span(label=f"{i}", start=a, stop=b) for i, (a, b) in enumerate(pairs))
    )


MESSAGES = st.builds(
    Message,
    role=st.sampled_from(["user", "assistant", "tool"]),
    content=st.lists(blocks(), max_size=3).map(tuple),
    tool_calls=st.lists(st.just(CALL), max_size=2).map(tuple),
)
REQUESTS = st.builds(
    Request,
    tools=st.lists(st.just(TOOL), max_size=2).map(tuple),
    system=TEXTS,
    messages=st.lists(MESSAGES, max_size=5).map(tuple),
)


@settings(deadline=None)
@given(REQUESTS)
def test_parts_add_up_to_the_whole(request: Request) -> None:
    meter = get_meter()
    cost = measure(request, meter)
    whole = sum(meter.count(segment.text) for segment in request.segments())
    assert sum(segment.tokens for segment in cost.segments) == cost.total_tokens == whole
    assert all(segment.tokens >= 0 for segment in cost.segments)
    assert sum(s.characters for s in cost.segments) == sum(len(s.text) for s in request.segments())


@settings(deadline=None)
@given(st.lists(REQUESTS, max_size=3), st.data())
def test_what_was_measured_before_changes_no_count(requests: list[Request], data: st.DataObject) -> None:
    """Sessions that grow, branch and mix, measured by one meter and each by a fresh one."""
    shared = TiktokenMeter()
    for _ in range(6):
        if requests and data.draw(st.booleans()):
            old = data.draw(st.sampled_from(requests))
            cut = data.draw(st.integers(0, len(old.messages)))
            more = tuple(data.draw(st.lists(MESSAGES, max_size=2)))
            request = Request(tools=old.tools, system=old.system, messages=old.messages[:cut] + more)
        else:
            request = data.draw(REQUESTS)
        requests.append(request)
        assert measure(request, shared) == measure(request, TiktokenMeter())


class Whimsical(TiktokenMeter):
    """Fails on one text until told not to."""

    fails = True

    def count(self, text: str) -> int:
        if text == "bad" and self.fails:
            raise TokensError("not today")
        return super().count(text)


def test_a_failed_count_leaves_nothing_half_done_behind() -> None:
    meter = Whimsical()
    start = (text_message("user", "hello"),)
    measure(Request(messages=start), meter)
    blocks = (TextBlock(text="good"), TextBlock(text="bad"))
    longer = Request(messages=(*start, Message(role="user", content=blocks)))
    with pytest.raises(TokensError):
        measure(longer, meter)
    meter.fails = False
    assert measure(longer, meter) == measure(longer, TiktokenMeter())


class Plain:
    """A meter that cannot be weakly referenced and remembers nothing: one token a character."""

    __slots__ = ()
    name = "characters"

    def count(self, text: str) -> int:
        return len(text)

    def encode(self, text: str) -> tuple[int, ...]:
        return tuple(map(ord, text))

    def encode_with_offsets(self, text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return self.encode(text), tuple(range(len(text)))


def test_any_meter_can_count() -> None:
    cost = measure(Request(system="four", messages=(text_message("user", "five!"),)), Plain())
    assert (cost.meter, cost.total_tokens) == ("characters", 9)


def skills() -> MemorySource:
    return MemorySource(
        [
            LoadedSkill(name="pdf", description="Read PDF files.", content="Use a reader. " * 50),
            LoadedSkill(name="xlsx", description="表を読む。", content="Use a sheet."),
            LoadedSkill(
                name="secret",
                description="Hidden.",
                content="x",
                invocation=Invocation(model_invocable=False),
            ),
        ]
    )


def test_a_catalogs_rows_add_up_to_the_request_that_shows_it() -> None:
    cost = measure_catalog(skills())
    assert [(row.kind, row.name) for row in cost.rows] == [
        ("tool", "skill"),
        ("catalog", "frame"),
        ("skill", "pdf"),
        ("skill", "xlsx"),
    ]
    toh = get_dialect("toh")
    block = toh.render_catalog(toh.catalog_of(skills().snapshot()), "initial")
    request = Request(tools=(toh.skill_tool(),), messages=(Message(role="user", content=(block,)),))
    assert sum(row.tokens for row in cost.rows) == cost.total_tokens == measure(request).total_tokens
    assert list(cost.to_dict()) == ["encoding", "dialect", "renderer", "total_tokens", "rows"]
    assert cost.to_dict()["rows"][0] == {"kind": "tool", "name": "skill", "tokens": cost.rows[0].tokens}


def test_bodies_cost_only_when_loaded_and_only_if_asked_for() -> None:
    cost = measure_catalog(skills(), bodies=True)
    assert [row.loaded_tokens is None for row in cost.rows] == [True, True, False, False]
    assert cost.rows[2].loaded_tokens == get_meter().count(
        get_dialect("toh").render_skill(
            LoadedSkill(name="pdf", description="", content="Use a reader. " * 50)
        )
    )
    assert cost.total_tokens == measure_catalog(skills()).total_tokens


def test_without_a_skill_to_show_there_is_only_the_tool() -> None:
    cost = measure_catalog(MemorySource([]))
    assert [(row.kind, row.name) for row in cost.rows] == [("tool", "skill")]
    assert cost.total_tokens == cost.rows[0].tokens


def test_rows_that_are_asked_for_late_are_those_of_the_request_that_was_measured() -> None:
    meter = TiktokenMeter()
    short = Request(system="Be brief.", messages=(text_message("user", "Fill in the form."),))
    longer = Request(
        system="Be brief.", messages=(*short.messages, text_message("assistant", "It is filled in."))
    )
    other = Request(system="Be brief.", messages=(*short.messages, text_message("user", "And the next?")))
    first, *_ = costs = [measure(request, meter) for request in (short, longer, other)]
    for cost, request in zip(costs, (short, longer, other), strict=True):
        assert [row.path for row in cost.segments] == [s.path for s in request.segments()]
        assert sum(row.tokens for row in cost.segments) == cost.total_tokens
        assert cost == measure(request, TiktokenMeter())
    assert first.segments is first.segments


def test_a_cost_is_a_value_whether_its_rows_were_asked_for_or_not() -> None:
    request = Request(system="Be brief.", messages=(text_message("user", "Fill in the form."),))
    cost = measure(request)
    assert pickle.loads(pickle.dumps(cost)) == cost
    assert copy.deepcopy(measure(request)) == cost
    assert hash(measure(request)) == hash(cost)
    assert repr(measure(request)) == repr(cost)
    assert dataclasses.replace(measure(request), total_tokens=1).segments == cost.segments
    assert not hasattr(measure(request), "no_such_name")
