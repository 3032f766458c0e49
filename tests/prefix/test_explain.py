"""Why a later request reads less: each word, with requests that sessions built."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.prefix.conversations import BASH, GREP, SKILLS, SYSTEM, Rates, session, two_turns, words
from tests.session.shelf import Shelf
from tohlab.errors import PrefixError, UnknownPolicy
from tohlab.prefix.changes import Sent
from tohlab.prefix.explain import NEXT_TEXT, explain
from tohlab.prefix.policies import get_policy
from tohlab.prefix.reasons import REASONS, only_dates_differ
from tohlab.request import (
    Message,
    Request,
    TextBlock,
    ToolCall,
    ToolSchema,
    text_message,
)
from tohlab.session import Session
from tohlab.skills.model import SkillSummary, Snapshot
from tohlab.tokens import measure


def test_what_is_only_appended_loses_nothing() -> None:
    result = explain(*two_turns(), "openai")
    assert result.changes == ()
    assert result.lost_tokens == 0
    assert result.use == result.twin
    assert result.use.read_tokens == result.shared_tokens == result.reusable_tokens
    assert result.sentence.startswith(f"Nothing is lost: {result.use.read_tokens:,} of ")
    assert result.boundary is not None
    assert result.boundary.path == "messages[5].content[0]"


@pytest.mark.parametrize(
    ("setting", "value", "word"),
    [
        ("model", "gpt-6", "model_changed"),
        ("namespace", "user-2", "prompt_cache_key_changed"),
        ("service_tier", "priority", "service_tier_changed"),
        ("text.format", "json_schema", "text_format_changed"),
        ("reasoning.effort", "high", "reasoning_effort_changed"),
        ("text.verbosity", "low", "verbosity_changed"),
        ("parallel_tool_calls", "false", "tools_changed"),
    ],
)
def test_a_setting_that_is_rendered_loses_everything(setting: str, value: str, word: str) -> None:
    before, after = (Sent(request=request) for request in two_turns())
    after = (
        replace(after, **{setting: value})
        if setting in ("model", "namespace")
        else replace(after, params=((setting, value),))
    )
    result = explain(before, after, "openai")
    assert words(result) == [word]
    (change,) = result.changes
    assert change.lost_tokens == result.lost_tokens == result.reusable_tokens > 1024
    assert (change.before, change.after) == ("", value)
    assert result.use.read_tokens == 0


def test_a_setting_that_is_not_rendered_is_free() -> None:
    before, after = (Sent(request=request) for request in two_turns())
    after = replace(after, params=(("tool_choice", "none"),))
    assert explain(before, after, "openai").changes == ()
    marked = [replace(s, mode="implicit") for s in (before, after)]
    result = explain(*marked, "anthropic")
    assert words(result) == ["messages_changed"]
    assert result.lost_tokens == result.reusable_tokens > 0


def test_a_tool_that_changed_is_named_with_its_characters() -> None:
    changed = replace(GREP, description="Search in all files.")
    result = explain(*two_turns(tools=(BASH, changed)), "vllm")
    change = result.changes[0]
    assert change.reason == "tools_changed"
    assert change.path == "tools[1]"
    assert change.label.startswith('tools[1] / tool "grep"')
    assert "all" in change.after
    assert change.before == ""
    assert change.token == result.shared_tokens
    assert change.lost_tokens == result.reusable_tokens - result.use.read_tokens > 1000
    assert f"at character {change.character}, token {change.token:,} of " in change.sentence


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        ((BASH,), 'tools[1] / tool "grep": was taken out'),
        ((BASH, GREP, replace(GREP, name="ls")), 'tools[2] / tool "ls": was added'),
    ],
)
def test_tools_that_come_and_go_are_named(tools: tuple[ToolSchema, ...], said: str) -> None:
    result = explain(*two_turns(tools=tools), "openai")
    assert result.changes[0].reason == "tools_changed"
    assert said in result.changes[0].sentence
    assert "allowed_tools" in result.changes[0].fix


def test_tools_in_another_order_are_named_once() -> None:
    before = session(3).request
    after = session(4).request
    swapped = replace(after, tools=(after.tools[1], after.tools[0], *after.tools[2:]))
    result = explain(before, swapped, "openai")
    assert words(result) == ["tools_changed"]
    assert "stands in another place" in result.changes[0].sentence


def test_another_system_text_is_called_as_the_provider_calls_it() -> None:
    requests = two_turns(system=SYSTEM + "Be brief.")
    assert words(explain(*requests, "openai")) == ["input_changed"]
    marked = [Sent(request=request, mode="implicit") for request in requests]
    result = explain(*marked, "anthropic")
    assert words(result) == ["system_changed"]
    assert '{"role": "system"}' in result.changes[0].fix


def test_an_edited_message_is_called_as_the_provider_calls_it() -> None:
    requests = two_turns(answer="It is here, in line {}.")
    result = explain(*requests, "openai")
    assert words(result)[0] == "input_changed"
    assert result.changes[0].before.startswith("there, in line 0.")
    assert result.changes[0].after.startswith("here, in line 0.")
    marked = [Sent(request=request, mode="implicit") for request in requests]
    assert words(explain(*marked, "anthropic"))[0] == "messages_changed"


def test_only_the_first_change_of_a_section_is_blamed() -> None:
    result = explain(*two_turns(answer="It is here, in line {}."), "openai")
    assert [change.lost_tokens > 0 for change in result.changes] == [True, False]
    assert "this loses no more." in result.changes[1].sentence


def test_a_change_behind_another_is_asked_alone() -> None:
    """Two sections changed: the fix of one would not bring back what the other loses."""
    result = explain(*two_turns(system="Another. " + SYSTEM, answer="It is here, in line {}."), "vllm")
    system, message = result.changes[0], result.changes[1]
    assert (system.reason, message.reason) == ("system_changed", "messages_changed")
    assert system.lost_tokens > message.lost_tokens > 0


def test_a_skill_that_is_new_in_the_list_is_named() -> None:
    more = {**dict(list(SKILLS.items())[:9]), "skill-08b": "Does more.", **dict(list(SKILLS.items())[9:])}
    result = explain(*two_turns(skills=more), "openai")
    assert words(result) == ["skill_added"]
    change = result.changes[0]
    assert change.label == "messages[1] / skill catalog"
    assert 'now lists "skill-08b" as well' in change.sentence
    assert change.lost_tokens == result.reusable_tokens
    assert change.token == result.shared_tokens


class Listed:
    """A source that lists its skills in the order in which it has them, as not every source does."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def snapshot(self) -> Snapshot:
        return Snapshot(skills=tuple(SkillSummary(name=n, description=SKILLS[n]) for n in self.names))

    def load(self, name: str) -> None:
        return None


def test_skills_in_another_order_are_named() -> None:
    names = list(SKILLS)
    first, other = Listed(*names), Listed(*names[5:], *names[:5])
    before, after = (Session(s, system=SYSTEM).user("Look at this. " * 99) for s in (first, other))
    result = explain(before, after, "openai")
    assert words(result) == ["skill_reordered"]
    assert "in other places" in result.changes[0].sentence


def test_a_skill_told_of_at_the_end_loses_nothing() -> None:
    """What a running session does: the list is sent again, behind everything else."""
    shelf = Shelf(**SKILLS)
    talk = Session(shelf, system=SYSTEM)
    before = talk.user("Please look at the file. " * 20)
    talk.assistant("Done.")
    shelf.put(*(Shelf.skill(n, d) for n, d in {**SKILLS, "skill-99": "New."}.items()))
    after = talk.user("And the next one.")
    result = explain(before, after, "openai")
    assert words(result) == ["skill_added"]
    assert result.changes[0].lost_tokens == result.lost_tokens == 0
    assert 'was appended and tells of "skill-99"' in result.changes[0].sentence


def test_reasoning_that_the_template_strips_is_told_apart() -> None:
    thinking = session(3, answer="<think>Line {} it is.</think>It is there.").request
    talk = session(4, answer="<think>Line {} it is.</think>It is there.")
    stripped = Session(
        Shelf(**SKILLS),
        system=SYSTEM,
        tools=(BASH, GREP),
        history=[without_thoughts(event.message) for event in talk.history],
    ).request
    result = explain(thinking, stripped, "vllm")
    assert words(result)[:2] == ["template_strips_reasoning", "template_strips_reasoning"]
    assert result.changes[0].before.startswith("<think>")


def without_thoughts(message: Message) -> Message:
    if message.role != "assistant":
        return message
    return replace(message, content=(TextBlock(text="It is there." * 5),))


def test_a_date_is_told_apart_from_another_edit() -> None:
    dated = [SYSTEM + f"Today is {day}." for day in ("2026-11-30", "2026-12-01")]
    before, after = session(3, system=dated[0]).request, session(4, system=dated[1]).request
    result = explain(before, after, "openai")
    assert words(result) == ["date_rollover"]
    assert (result.changes[0].before, result.changes[0].after) == ("1-30", "2-01")
    assert "newest message" in result.changes[0].fix


@pytest.mark.parametrize(
    ("before", "after", "only"),
    [
        ("It is 2026-11-30.", "It is 2026-12-01.", True),
        ("Monday, November 30, 2026", "Tuesday, December 1, 2026", True),
        ("at 23:59", "at 00:00", True),
        ("30 Nov 2026", "1 Dec 2026", True),
        ("version 1.2", "version 1.3", False),
        ("It is 2026-11-30.", "It was 2026-12-01.", False),
        ("same", "same", False),
    ],
)
def test_what_counts_as_a_date(before: str, after: str, only: bool) -> None:
    assert only_dates_differ(before, after) is only


def test_a_compaction_is_told_as_one_change() -> None:
    talk = session(6)
    before = talk.request
    talk.assistant("Done.")
    talk.compact("The user had files looked at.", keep_last=2)
    after = talk.user("Go on then.")
    result = explain(before, after, "openai")
    assert words(result) == ["context_compacted"]
    change = result.changes[0]
    assert "compaction summary: stands for" in change.sentence
    assert change.lost_tokens == result.lost_tokens > 0
    assert result.use.total_tokens < result.twin.total_tokens


def test_a_message_that_was_taken_out_is_told() -> None:
    before, after = two_turns()
    pruned = replace(after, messages=after.messages[:2] + after.messages[3:])
    result = explain(before, pruned, "openai")
    assert words(result)[0] == "input_changed"
    assert "was taken out" in result.changes[0].sentence


def test_without_an_earlier_request_there_is_nothing_to_read() -> None:
    result = explain(None, session().request, "openai")
    assert words(result) == ["previous_message_not_found"]
    assert (result.use.read_tokens, result.lost_tokens) == (0, 0)


def test_what_is_not_promised_is_unavailable() -> None:
    result = explain(*two_turns(), get_policy("gemini", minimum_tokens=1024))
    assert words(result) == ["unavailable"]
    assert (result.changes[0].lost_tokens, result.lost_tokens) == (0, 0)
    assert f"{result.shared_tokens:,} of them are not read, whatever else changes" in result.sentence


def test_below_the_minimum_says_both_numbers() -> None:
    result = explain(*(session(n, system="Be brief.", skills={"a": "b"}).request for n in (1, 2)), "openai")
    assert words(result) == ["below_minimum"]
    assert f"{result.shared_tokens:,} tokens are shared and the minimum is 1,024" in result.sentence


def test_an_entry_too_far_back_is_told_apart() -> None:
    talk = session(2)
    before = talk.request
    for i in range(12):
        call = ToolCall(id=f"c{i}", name="bash", arguments="{}")
        talk.assistant(tool_calls=[call])
        talk.tool_result(call.id, f"line {i}")
    sent = [Sent(request=r, mode="implicit") for r in (before, talk.next_request())]
    result = explain(*sent, "anthropic")
    assert words(result) == ["lookback_exceeded"]
    assert result.changes[0].lost_tokens == result.reusable_tokens > 0
    assert "further breakpoint" in result.changes[0].fix


def test_an_entry_that_expired_is_told_apart() -> None:
    before, after = two_turns()
    sent = Sent(request=before, mode="implicit"), Sent(request=after, mode="implicit", at_s=301)
    result = explain(*sent, "anthropic")
    assert words(result) == ["ttl_expired"]
    assert result.lost_tokens == result.reusable_tokens > 0
    assert result.next_use.read_tokens == result.use.total_tokens


def test_a_breakpoint_that_is_not_looked_at_any_more_is_told_apart() -> None:
    before, after = two_turns()
    result = explain(
        Sent(request=before), Sent(request=after, mode="explicit", marks=("messages",)), "openai"
    )
    assert words(result) == ["breakpoint_moved"]
    assert f"an entry of {result.reusable_tokens:,} tokens exists" in result.sentence
    gone = explain(Sent(request=before, marks=("messages",)), Sent(request=after), "anthropic")
    assert words(gone) == ["breakpoint_moved"]


def test_a_message_that_is_extended_moves_its_end_away() -> None:
    """OpenAI's own example: Content A, then Content A + Content B in one message."""
    talk = Session(Shelf(), system=SYSTEM)
    before = talk.user("A. " * 200)
    last = before.messages[-1]
    longer = replace(last, content=(*last.content, TextBlock(text="B. " * 200)))
    after = replace(before, messages=(*before.messages[:-1], longer))
    result = explain(before, after, "openai")
    assert words(result)[-1] == "breakpoint_moved"
    assert [change.lost_tokens > 0 for change in result.changes] == [False] * (len(result.changes) - 1) + [
        True
    ]


def test_the_end_that_fills_no_unit_is_told() -> None:
    result = explain(*two_turns(), "kimi")
    assert words(result) == ["unaligned_tail"]
    assert (result.changes[0].lost_tokens, result.lost_tokens) == (0, 0)
    assert f"; {result.shared_tokens % 256:,} of them are not read, whatever else changes" in result.sentence


def test_every_word_is_tested_here_or_with_the_marks() -> None:
    here = Path(__file__)
    text = "".join(path.read_text("utf-8") for path in (here, here.with_name("test_explain_marks.py")))
    assert [word for word in REASONS if text.count(f'"{word}"') == 0] == []


def test_what_the_next_request_pays_is_told() -> None:
    result = explain(*two_turns(system="Another. " + SYSTEM), "openai")
    assert result.next_use.read_tokens == result.use.total_tokens
    assert result.next_use.total_tokens - result.use.total_tokens == measure_text(NEXT_TEXT)


def measure_text(text: str) -> int:
    return measure(Session(Shelf()).user(text)).by_kind()["user"]


def test_an_explanation_is_plain_data_and_a_table() -> None:
    result = explain(*two_turns(system="<b>" + SYSTEM), "openai", rates=Rates())
    data = json.loads(json.dumps(result.to_dict()))
    assert data["changes"][0]["reason"] == "input_changed"
    assert data["use"]["read_tokens"] == 0
    assert data["extra_cost_usd"] == str(result.extra_cost_usd)
    page = result._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page


def test_a_later_request_that_starts_earlier_is_an_error() -> None:
    before, after = two_turns()
    with pytest.raises(PrefixError, match="in the order of their start"):
        explain(Sent(request=before, at_s=5), Sent(request=after, at_s=4), "openai")
    with pytest.raises(UnknownPolicy):
        explain(before, after, "opnai")


def test_what_was_sent_earlier_can_still_be_read() -> None:
    # DeepSeek keeps the end of every input, so the first request is read although the second is changed
    first = Request(system="Be brief. " * 40, messages=(text_message("user", "One."),))
    second = replace(first, messages=(*first.messages, text_message("assistant", "Yes.")))
    asked = replace(second, messages=(*second.messages, text_message("user", "Two.")))
    changed = replace(first, messages=(*first.messages, text_message("assistant", "No.")))
    alone = explain(Sent(request=asked), Sent(request=changed), "deepseek")
    known = explain(Sent(request=asked), Sent(request=changed), "deepseek", earlier=[Sent(request=first)])
    assert alone.use.read_tokens == 0
    assert known.use.read_tokens == measure(first).total_tokens


def test_an_answer_that_is_known_can_be_read_where_a_cache_keeps_it() -> None:
    first = Request(messages=(text_message("user", "One."),))
    answer = text_message("assistant", "Yes, and here is why, in some words.")
    later = replace(first, messages=(*first.messages, answer, text_message("user", "Two.")))
    without = explain(Sent(request=first), Sent(request=later), "llama.cpp")
    known = explain(Sent(request=first, output=answer), Sent(request=later), "llama.cpp")
    assert without.use.read_tokens < known.use.read_tokens
