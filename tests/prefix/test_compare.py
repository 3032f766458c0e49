"""Where two requests part: tokens, characters, an address and a sentence."""

from __future__ import annotations

import pytest

from tohlab.catalog import Catalog, CatalogEntry
from tohlab.dialects import get_dialect
from tohlab.jsonpath import json_path_at
from tohlab.prefix import PrefixTracker, compare_prefix
from tohlab.request import Message, Request, TextBlock, ToolCall, ToolSchema, text_message
from tohlab.tokens import get_meter

TOH = get_dialect("toh")


def talk(*texts: str, system: str = "", tools: tuple[ToolSchema, ...] = ()) -> Request:
    messages = tuple(text_message("assistant" if i % 2 else "user", text) for i, text in enumerate(texts))
    return Request(tools=tools, system=system, messages=messages)


def with_catalog(**descriptions: str) -> Request:
    entries = tuple(CatalogEntry(name=name, description=text) for name, text in descriptions.items())
    block = TOH.render_catalog(Catalog(entries=entries), "initial")
    catalog = Message(role="user", content=(block,), source={"kind": "skill-catalog"})
    return Request(tools=(TOH.skill_tool(),), messages=(text_message("user", "hi", kind="user"), catalog))


def test_equal_requests_share_everything() -> None:
    result = compare_prefix(talk("hello", "hi"), talk("hello", "hi"))
    assert result.divergence is None
    assert result.shared_tokens == result.before_tokens == result.after_tokens == 2
    assert (result.lost_tokens, result.new_tokens, result.reused_share) == (0, 0, 1.0)
    assert result.append_only
    assert result.sentence == "Nothing changed: all 2 tokens are shared."


def test_an_appended_message_diverges_nowhere() -> None:
    result = compare_prefix(talk("hello"), talk("hello", "hi there"))
    assert result.divergence is None
    assert result.append_only
    assert result.sentence == "Only appended: all 1 earlier tokens are shared and 2 are new."


def test_a_shortened_request_diverges_nowhere_but_is_not_append_only() -> None:
    result = compare_prefix(talk("hello", "hi there"), talk("hello"))
    assert result.divergence is None
    assert not result.append_only
    assert (result.shared_tokens, result.lost_tokens, result.new_tokens) == (1, 2, 0)
    assert result.sentence == "Only shortened: the later request is the first 1 of 3 tokens, all shared."


def test_before_the_first_request_there_is_nothing_to_share() -> None:
    result = compare_prefix(Request(), talk("hello"))
    assert (result.shared_tokens, result.divergence, result.reused_share) == (0, None, 0.0)
    assert result.sentence == "There is nothing to share: all 1 tokens are new."
    assert compare_prefix(Request(), Request()).reused_share == 1.0


def test_a_changed_character_takes_its_whole_token_with_it() -> None:
    result = compare_prefix(talk("Hello there world"), talk("Hello there wurld", "ok"))
    where = result.divergence
    assert where is not None
    assert (where.path, where.label) == ("messages[0].content[0]", "messages[0] / user")
    assert (where.character, where.token, where.token_character) == (13, 2, 11)
    assert (where.before, where.after) == ("o", "u")
    assert result.shared_tokens == 2
    assert result.sentence == (
        'messages[0] / user: "o" became "u" at character 13, token 2 of 5; '
        "the 3 tokens from there on are computed anew."
    )


def test_tokens_are_counted_from_the_start_of_the_request() -> None:
    system = "You are a careful helper. " * 5
    before, after = talk("one", "two", system=system), talk("one", "too", system=system)
    where = compare_prefix(before, after).divergence
    assert where is not None
    assert where.token == get_meter().count(system) + 1
    assert where.path == "messages[1].content[0]"


def test_a_message_that_grows_parts_at_its_old_end_also_where_the_tokens_go_on() -> None:
    where = compare_prefix(talk("one", "two"), talk("one and more", "two")).divergence
    assert where is not None
    assert (where.character, where.token, where.before, where.after) == (3, 1, "", " and more")


def test_the_end_of_a_message_is_a_boundary_for_tokens() -> None:
    joined = compare_prefix(talk("ab", "cd"), talk("abcd", ""))
    assert joined.divergence is not None
    assert joined.divergence.path == "messages[0].content[0]"
    assert joined.shared_tokens == 0


def test_equal_text_under_another_role_is_not_shared() -> None:
    before = Request(messages=(text_message("user", "same"),))
    after = Request(messages=(text_message("assistant", "same"),))
    where = compare_prefix(before, after).divergence
    assert where is not None
    assert (where.before_label, where.label) == ("messages[0] / user", "messages[0] / assistant")
    assert compare_prefix(before, after).shared_tokens == 0


def test_equal_text_in_one_message_and_in_two_is_not_the_same() -> None:
    one = Request(messages=(Message(role="user", content=(TextBlock(text="a"), TextBlock(text="b"))),))
    two = Request(messages=(text_message("user", "a"), text_message("user", "b")))
    assert compare_prefix(one, two).shared_tokens == 1


def test_what_is_not_sent_makes_no_difference() -> None:
    plain = Request(messages=(text_message("user", "hello"), text_message("user", "again")))
    named = Request(messages=(text_message("user", "hello", kind="user"), text_message("user", "again")))
    assert compare_prefix(plain, named).divergence is None


def test_lone_surrogates_that_are_the_same_tokens_are_shared() -> None:
    result = compare_prefix(talk("a\ud800", "x y"), talk("a\udbff", "x z"))
    assert result.divergence is not None
    assert result.divergence.path == "messages[1].content[0]"


def test_a_changed_catalog_entry_is_named() -> None:
    before = with_catalog(csv="Clean tables.", pdf="Read PDF files.", zip="Pack files.")
    after = with_catalog(csv="Clean tables.", pdf="Read PDF forms.", zip="Pack files.")
    result = compare_prefix(before, after)
    where = result.divergence
    assert where is not None
    assert where.path == "messages[1].content[0]"
    assert where.label == where.before_label == 'messages[1] / skill catalog / entry "pdf"'
    assert (where.before, where.after) == ("ile", "orm")
    assert after.messages[1].text[where.character :].startswith("orms.")


def test_an_added_and_a_removed_entry_are_named() -> None:
    with_both, with_one = with_catalog(csv="Clean.", pdf="Read."), with_catalog(pdf="Read.")
    assert compare_prefix(with_one, with_both).sentence.startswith(
        'messages[1] / skill catalog / entry "csv": it was put in before entry "pdf" at character 150, '
    )
    assert compare_prefix(with_both, with_one).sentence.startswith(
        'messages[1] / skill catalog / entry "pdf": entry "csv", which stood before it, was taken out '
    )


def test_an_entry_added_or_removed_at_the_end_is_named_too() -> None:
    long, short = with_catalog(pdf="Read.", zip="Pack."), with_catalog(pdf="Read.")
    for before, after in ((long, short), (short, long)):
        where = compare_prefix(before, after).divergence
        assert where is not None
        assert where.label == 'messages[1] / skill catalog / entry "zip"'


def tool(name: str, text: str) -> ToolSchema:
    properties = {"q": {"type": "string", "description": text}}
    return ToolSchema(name=name, description="D", parameters={"type": "object", "properties": properties})


def test_a_changed_tool_is_named_down_to_the_key() -> None:
    before = talk("x", tools=(tool("a", "one"), tool("b", "Find it.")))
    after = talk("x", tools=(tool("a", "one"), tool("b", "Find them.")))
    where = compare_prefix(before, after).divergence
    assert where is not None
    assert where.path == "tools[1]"
    assert where.label == 'tools[1] / tool "b" / parameters.properties.q.description'


def test_an_added_tool_ends_the_prefix_where_the_system_text_was() -> None:
    one = talk("x", system="S", tools=(tool("a", "one"),))
    two = talk("x", system="S", tools=(tool("a", "one"), tool("b", "two")))
    result = compare_prefix(one, two)
    assert result.divergence is not None
    assert (result.divergence.label, result.divergence.before_label) == ('tools[1] / tool "b"', "system")
    assert result.shared_tokens == get_meter().count(tool("a", "one").to_json())


def test_a_changed_call_is_named() -> None:
    def calling(arguments: str) -> Request:
        call = ToolCall(id="1", name="skill", arguments=arguments)
        return Request(messages=(Message(role="assistant", tool_calls=(call,)),))

    where = compare_prefix(calling('{"name":"pdf"}'), calling('{"name":"csv"}')).divergence
    assert where is not None
    assert where.path == "messages[0].tool_calls[0]"
    assert where.label == 'messages[0].tool_calls[0] / tool call "skill" / arguments'


def test_excerpts_are_cut() -> None:
    where = compare_prefix(talk("a" + "b" * 500), talk("a" + "c" * 500)).divergence
    assert where is not None
    assert len(where.before) == len(where.after) == 60
    assert where.after.endswith("c…")


def test_a_comparison_is_plain_data_too() -> None:
    data = compare_prefix(talk("a b"), talk("a c")).to_dict()
    assert data["shared_tokens"] == 1
    assert data["divergence"]["path"] == "messages[0].content[0]"
    assert data["sentence"].startswith("messages[0] / user: ")
    assert compare_prefix(talk("a"), talk("a")).to_dict()["divergence"] is None


def test_a_tracker_compares_each_request_with_the_last() -> None:
    tracker = PrefixTracker()
    requests = [talk("hello"), talk("hello", "hi"), talk("hello", "ho"), talk("hello", "ho", "more")]
    results = [tracker.push(request) for request in requests]
    assert [r.before_tokens for r in results] == [0, *(r.after_tokens for r in results[:-1])]
    assert [r.append_only for r in results] == [True, True, False, True]
    assert tracker.last is requests[-1]


@pytest.mark.parametrize(
    ("character", "path"),
    [(0, ""), (3, ""), (5, "a"), (7, "a[0]"), (11, "a[1]"), (15, "a[1].b"), (19, ""), (24, "c"), (99, "")],
)
def test_a_character_of_a_json_text_has_a_path(character: int, path: str) -> None:
    text = '{"a": [1,{"b": 2}],"c": "x"}'
    assert json_path_at(text, character) == path
