"""From a token to the place where it stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tohlab.catalog import Catalog
from tohlab.dialects import get_dialect
from tohlab.errors import PrefixError
from tohlab.prefix import address, compare_prefix
from tohlab.request import Message, Request, ToolSchema, text_message
from tohlab.tokens import get_meter, measure

TOH = get_dialect("toh")


def request(description: str = "Read PDF files.", **properties: str) -> Request:
    catalog = TOH.render_catalog(Catalog.of([("deploy", "Ships it."), ("pdf", description)]), "initial")
    schema = {"properties": {key: {"description": text} for key, text in properties.items()}}
    return Request(
        tools=(ToolSchema(name="t", description="", parameters=schema),),
        system="Be good.",
        messages=(
            text_message("user", "Hello there world"),
            Message(role="user", content=(catalog,), source={"kind": "skill-catalog"}),
        ),
    )


def test_the_first_token_that_differs_has_an_address() -> None:
    before, after = request(q="One thing."), request(q="Another thing.")
    divergence = compare_prefix(before, after).divergence
    assert divergence is not None
    found = address(after, divergence.token)
    assert found.path == "tools[0].parameters.properties.q.description"
    assert (found.segment, found.kind, found.role) == ("tools[0]", "tool", "system")
    assert (found.token, found.start) == (divergence.token, divergence.token_character)
    assert (found.meter, found.renderer) == ("o200k_base", "plain")


def test_an_entry_of_a_catalog_has_an_address() -> None:
    before, after = request(), request("Write PDF files.")
    divergence = compare_prefix(before, after).divergence
    assert divergence is not None
    assert divergence.label == 'messages[1] / skill catalog / entry "pdf"'
    found = address(after, divergence.token)
    assert (found.text, found.paths) == (" Write", ('skills["pdf"]', 'skills["pdf"].description'))
    assert found.path == 'skills["pdf"]'  # its first character, the blank, is the template's
    assert address(after, divergence.token + 1).path == 'skills["pdf"].description'
    assert found.segment == "messages[1].content[0]"


def test_a_token_may_cross_a_border() -> None:
    whole = request()
    everywhere = [address(whole, i) for i in range(measure(whole).total_tokens)]
    crossing = [a for a in everywhere if len(a.paths) > 1]
    assert any(a.paths[0] == "tools[0].name" and a.paths[1] == "tools[0]" for a in crossing)
    assert all(a.path == a.paths[0] for a in everywhere)
    assert everywhere[0].to_dict()["paths"] == list(everywhere[0].paths)


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=4))
def test_the_tokens_in_order_are_the_whole_request(texts: list[str]) -> None:
    whole = Request(messages=tuple(text_message("user", text) for text in texts))
    found = [address(whole, i) for i in range(measure(whole).total_tokens)]
    for i, text in enumerate(texts):
        path = f"messages[{i}].content[0]"
        assert "".join(a.text for a in found if a.segment == path) == text
        assert {a.path for a in found if a.segment == path} == {path}


def test_there_is_no_token_past_the_end() -> None:
    whole = request()
    total = measure(whole).total_tokens
    with pytest.raises(PrefixError, match=rf"has {total} tokens \(o200k_base\); there is no token {total}"):
        address(whole, total)
    with pytest.raises(PrefixError, match="no token -1"):
        address(whole, -1, get_meter())
