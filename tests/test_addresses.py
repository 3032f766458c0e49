"""Every character of a request has one address, and the address is the right one."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tohlab.addresses import addresses, path_at, stretches
from tohlab.catalog import Catalog, CatalogEntry
from tohlab.dialects import dialect_names, get_dialect
from tohlab.ecma import json_stringify
from tohlab.jsonpath import join_path, json_path_at, json_spans
from tohlab.prefix import compare_prefix
from tohlab.request import Message, Request, Segment, Span, TextBlock, ToolCall, ToolSchema, text_message
from tohlab.tokens import measure

SCHEMA = {
    "type": "object",
    "properties": {"q": {"type": "string", "description": "What to look for."}, "a b": {"enum": ["x", "y"]}},
    "required": ["q"],
}
TOOL = ToolSchema(name="search", description="Searches.", parameters=SCHEMA)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


def only(segments: Any) -> Segment:
    (segment,) = segments
    assert isinstance(segment, Segment)
    return segment


def shown(segment: Segment) -> dict[str, str]:
    """The characters of each path."""
    result: dict[str, str] = {}
    for stretch in stretches(segment):
        result[stretch.path] = result.get(stretch.path, "") + segment.text[stretch.start : stretch.stop]
    return result


def test_a_schemas_values_have_the_addresses_that_a_person_would_write() -> None:
    parts = shown(only(Request(tools=(TOOL,)).segments()))
    assert parts["tools[0].name"] == '"search"'
    assert parts["tools[0].parameters.properties.q.description"] == '"What to look for."'
    assert parts['tools[0].parameters.properties["a b"].enum[1]'] == '"y"'
    assert parts["tools[0].parameters.required[0]"] == '"q"'
    assert parts["tools[0]"] == '{"name":,"description":,"parameters":}'


@pytest.mark.parametrize("dialect", dialect_names())
def test_a_catalogs_descriptions_have_addresses(dialect: str) -> None:
    entries = tuple(CatalogEntry(name=n, description=f"For {n} & <more>.") for n in ("pdf", 'od"d'))
    harness = get_dialect(dialect)
    block = harness.render_catalog(Catalog(entries=entries), "initial")
    message = Message(role="user", content=(block,), source={"kind": "skill-catalog"})
    parts = shown(only(message.segments(7)))
    assert parts['skills["pdf"].description'] == harness.escape("For pdf & <more>.")
    assert 'skills["od\\"d"].description' in parts
    assert set(parts) >= {'skills["pdf"]', "messages[7].content[0]"}


def test_a_catalog_in_a_tools_description_has_addresses() -> None:
    text = 'Skills:\n- "pdf": é\n- csv\n'
    part = Span(label="description", start=17, stop=18, path='skills["pdf"].description')
    spans = (
        Span(label='entry "pdf"', start=8, stop=18, path='skills["pdf"]', parts=(part,)),
        Span(label='entry "csv"', start=19, stop=24),
    )
    tool = ToolSchema(name='a"b', description=text, parameters=SCHEMA, spans=spans)
    request = Request(tools=(tool,))
    segment = only(request.segments())
    parts = shown(segment)
    assert parts['skills["pdf"]'] == '- \\"pdf\\": '
    assert parts['skills["pdf"].description'] == "é"
    assert parts['skills["csv"]'] == "- csv"
    assert parts["tools[0].description"] == '"Skills:\\n\\n\\n"'
    assert parts["tools[0].parameters.required[0]"] == '"q"'
    rows = {row.name: row.tokens for row in measure(request).segments}
    assert list(rows) == ["frame", 'entry "pdf"', 'entry "csv"']
    assert sum(rows.values()) == measure(request).total_tokens
    assert request.to_openai()["tools"][0]["function"] == tool.to_dict()
    changed = Request(tools=(replace(tool, description=text.replace("csv", "tsv")),))
    divergence = compare_prefix(request, changed).divergence
    assert divergence is not None
    assert divergence.label == 'tools[0] / tool "a"b" / entry "csv"'


def test_texts_and_calls_have_addresses() -> None:
    call = ToolCall(id="1", name="search", arguments='{"q":"x"}')
    request = Request(
        system="Be good.",
        messages=(
            Message(role="user", content=(TextBlock(text="a"), TextBlock(text="b"))),
            Message(role="assistant", tool_calls=(call,)),
            Message(role="tool", content=(TextBlock(text='not {"json'),), tool_call_id="1"),
        ),
    )
    paths = [[stretch.path for stretch in found] for _, found in addresses(request)]
    assert paths[:3] == [["system"], ["messages[0].content[0]"], ["messages[0].content[1]"]]
    assert "messages[1].tool_calls[0].arguments" in paths[3]
    assert paths[4] == ["messages[2].content[0]"]


def test_a_span_without_a_path_of_its_own_takes_its_segments() -> None:
    spans = (Span(label="head", start=0, stop=2), Span(label='entry "x"', start=2, stop=4))
    segment = only(text_message("user", "abcdef", spans=spans).segments(0))
    assert shown(segment) == {"messages[0].content[0]": "abef", 'skills["x"]': "cd"}
    assert path_at(segment, 2) == 'skills["x"]'
    with pytest.raises(IndexError, match="has 6 characters, not 7"):
        path_at(segment, 6)


@given(JSON, st.text(max_size=5))
def test_stretches_cover_everything_once(value: Any, name: str) -> None:
    segment = only(
        Request(tools=(ToolSchema(name=name, description="", parameters={"p": value}),)).segments()
    )
    found = stretches(segment)
    assert [s.start for s in found] == [0, *(s.stop for s in found[:-1])]
    assert found[-1].stop == len(segment.text)
    assert all(s.start < s.stop for s in found)


@given(JSON)
def test_every_values_characters_are_that_value(value: Any) -> None:
    text = json_stringify(value)
    found = {span.path: span for span in json_spans(text)}

    def check(at: Any, path: str) -> None:
        span = found.pop(path)
        assert json.loads(text[span.start : span.stop]) == at
        if isinstance(at, dict):
            for key, inner in at.items():
                check(inner, join_path(path, key))
        elif isinstance(at, list):
            for i, inner in enumerate(at):
                check(inner, join_path(path, i))

    check(json.loads(text), "")
    assert not found


@given(JSON, st.data())
def test_both_ways_to_a_path_agree_inside_of_plain_values(value: Any, data: st.DataObject) -> None:
    text = json_stringify({"a": value})
    plain = [s for s in json_spans(text) if text[s.start] not in "[{"]
    if plain:
        span = data.draw(st.sampled_from(plain))
        character = data.draw(st.integers(span.start, span.stop - 1))
        assert json_path_at(text, character) == span.path


def test_what_is_no_json_has_no_values() -> None:
    with pytest.raises(ValueError, match="Expecting"):
        json_spans('{"a": ')
