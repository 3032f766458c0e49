"""A session and its next request after each edit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tohlab.dialects.harness import FileTree
from tohlab.dialects.harnesses import get_harness, harness_names
from tohlab.edits import (
    ALL_EDITS,
    PLAIN,
    Conversation,
    EditName,
    Scene,
    harness_scene,
    long_conversation,
    recorded_scene,
)
from tohlab.edits.names import CLOCK, PRUNED, TOOL_REMARK
from tohlab.errors import PrefixError, SkillError
from tohlab.prefix import compare_prefix
from tohlab.prefix.append_only import assert_append_only
from tohlab.request import Message, Request, TextBlock, ToolCall, ToolSchema, text_message
from tohlab.tokens import measure

NAMES = ("alpha", "beta", "gamma")
TREE = FileTree.of(
    {f"{n}/SKILL.md": f"---\nname: {n}\ndescription: Use {n} for {n}.\n---\nDo {n}.\n" for n in NAMES}
)
TALK = long_conversation(4)


def plain(**more: object) -> Scene:
    return harness_scene(TREE, PLAIN, TALK, **more)  # type: ignore[arg-type]  # the fixture's keywords


def test_our_session_has_the_published_sizes() -> None:
    talk = long_conversation()
    assert len(talk.calls()) == 60
    assert 2_800 < measure(Request(tools=talk.tools)).total_tokens < 3_200
    whole = Request(tools=talk.tools, system=talk.system, messages=talk.messages)
    assert 23_000 < measure(whole).total_tokens < 25_000


def test_it_is_the_same_every_time_and_another_seed_gives_another() -> None:
    assert long_conversation(3) == long_conversation(3)
    assert long_conversation(3).messages == long_conversation(5).messages[:12]
    assert long_conversation(3, seed=1).messages != long_conversation(3).messages
    with pytest.raises(ValueError, match="1 turn or more, not 0"):
        long_conversation(0)


def test_the_model_is_called_after_a_user_and_after_a_group_of_results() -> None:
    calls = (ToolCall(id="a", name="f", arguments="{}"), ToolCall(id="b", name="f", arguments="{}"))
    talk = Conversation(
        messages=(
            text_message("user", "Do both."),
            Message(role="assistant", tool_calls=calls),
            Message(role="tool", tool_call_id="a", content=(TextBlock(text="1"),)),
            Message(role="tool", tool_call_id="b", content=(TextBlock(text="2"),)),
            text_message("assistant", "Done."),
        )
    )
    assert talk.calls() == (1, 4)


@pytest.mark.parametrize("name", ["plain", *harness_names()])
def test_in_every_harness_the_session_only_grows_until_it_is_edited(name: str) -> None:
    scene = harness_scene(TREE, PLAIN if name == "plain" else name, TALK)
    assert tuple(scene.edited) == ALL_EDITS
    assert_append_only([*(exchange.request for exchange in scene.sent), scene.appended])


@pytest.mark.parametrize("name", ["plain", *harness_names()])
@pytest.mark.parametrize("when", ["session", "resume"])
def test_a_new_skill_breaks_the_prefix_only_where_the_harness_rewrites(name: str, when: str) -> None:
    rules = PLAIN if name == "plain" else get_harness(name)
    scene = harness_scene(TREE, rules, TALK, when=when)  # type: ignore[arg-type]  # one of the two words
    how = rules.on_change if when == "session" else rules.on_resume
    assert scene.how == how
    kept = compare_prefix(scene.sent[-1].request, scene.after("add")).append_only
    assert kept == (how in ("append", "ignored", "announced-silently"))


def test_edits_of_skills_are_made_where_they_say() -> None:
    scene = plain()
    assert scene.skill == "beta"
    lines = {
        e: scene.after(e).system.split("\n")[-4:] for e in ("append", "add", "insert", "edit", "reorder")
    }
    first = [line.split(":")[0] for line in scene.after("reorder").system.split("\n") if line[:2] == "- "]
    assert first[-3:] == ["- beta", "- alpha", "- gamma"]
    assert lines["add"][-2].startswith("- zz-weekly-digest: ")
    assert lines["insert"][-3].startswith("- beta-b: ")
    assert "- beta: Revised. Use beta for beta." in lines["edit"]
    assert "beta" not in scene.after("remove").system
    assert plain(skill="alpha").skill == "alpha"


def test_edits_of_a_request_change_what_they_say_and_nothing_else() -> None:
    scene = plain()
    request = scene.appended
    assert scene.after("tool-text").tools[-1].description == request.tools[-1].description + TOOL_REMARK
    assert scene.after("tool-order").tools[-2:] == (request.tools[-1], request.tools[-2])
    assert scene.after("clock") == replace(request, system=CLOCK + request.system)
    pruned = scene.after("prune").messages
    changed = [i for i, (a, b) in enumerate(zip(pruned, request.messages, strict=True)) if a != b]
    assert len(changed) == 1
    assert (pruned[changed[0]].role, pruned[changed[0]].text) == ("tool", PRUNED)
    compacted = scene.after("compact")
    assert (compacted.tools, compacted.system) == (request.tools, request.system)
    assert compacted.messages[0].kind == "compaction-summary"
    assert compacted.messages[-5:] == request.messages[-5:]


def test_compaction_keeps_a_list_that_is_a_message() -> None:
    kinds = [m.kind for m in harness_scene(TREE, "toh", TALK).after("compact").messages]
    assert kinds[:2] == ["skill-catalog", "compaction-summary"]


def test_the_clock_stands_in_front_of_a_system_text_of_blocks() -> None:
    scene = plain(blocks=True)
    head = scene.appended.messages[0]
    assert (head.role, scene.appended.system, len(head.content)) == ("system", "", 4)
    changed = scene.after("clock").messages[0]
    assert changed.content[0].text == CLOCK + head.content[0].text
    assert changed.content[1:] == head.content[1:]


def test_switching_the_harness_moves_the_list() -> None:
    switched = plain().after("dialect")
    assert [t.name for t in switched.tools][-1] == "skill"
    assert "skill-catalog" in [m.kind for m in switched.messages]
    assert plain(other="pi").after("dialect").messages == plain().appended.messages


def test_a_recorded_conversation_gives_its_earlier_requests() -> None:
    request = Request(tools=TALK.tools, system=TALK.system, messages=TALK.messages)
    scene = recorded_scene([request], "talk.json")
    assert len(scene.sent) == 8
    assert scene.sent[3].request.messages == TALK.messages[:7]
    assert scene.sent[3].answer == TALK.messages[7]
    assert scene.appended.messages[:-1] == TALK.messages
    assert set(scene.missing) == {"add", "insert", "edit", "remove", "reorder", "dialect"}
    with pytest.raises(PrefixError, match=r"talk\.json: add a skill .* which harness lists its skills"):
        scene.after("add")


def test_recorded_requests_are_taken_as_they_were_sent() -> None:
    requests = [Request(messages=TALK.messages[:n]) for n in (1, 3, 5)]
    scene = recorded_scene(requests, "three")
    assert [exchange.request for exchange in scene.sent] == requests
    assert [exchange.answer for exchange in scene.sent] == [TALK.messages[1], TALK.messages[3], None]


@pytest.mark.parametrize(
    ("edit", "why"),
    [("tool-text", "no tools"), ("tool-order", "0 of the two tools"), ("prune", "no tool result")],
)
def test_what_cannot_be_edited_is_named_with_the_reason(edit: EditName, why: str) -> None:
    talk = (text_message("user", "Hi."), text_message("assistant", "Hello."))
    scene = recorded_scene([Request(messages=talk)], "hi.json")
    assert why in scene.missing[edit]
    with pytest.raises(PrefixError, match=why):
        scene.after(edit)


def test_a_single_tool_can_be_changed_and_not_swapped() -> None:
    tool = ToolSchema(name="f", description="Do.", parameters={"type": "object"})
    talk = (text_message("user", "Hi."), text_message("assistant", "Hello."))
    scene = recorded_scene([Request(tools=(tool,), messages=talk)], "hi.json")
    assert "tool-text" in scene.edited
    assert "1 of the two tools" in scene.missing["tool-order"]


def test_wrong_skills_edits_and_empty_sessions_are_errors() -> None:
    with pytest.raises(SkillError, match="did you mean 'beta'"):
        plain(skill="betta")
    with pytest.raises(SkillError, match="lists no skill of this folder"):
        harness_scene(FileTree.of({}), PLAIN, TALK)
    with pytest.raises(PrefixError, match="did you mean 'clock'"):
        plain().after("clok")  # type: ignore[arg-type]  # a wrong name is what is tested
    with pytest.raises(PrefixError, match="no request"):
        recorded_scene([], "nothing")
    with pytest.raises(PrefixError, match="the model never answers"):
        recorded_scene([Request(messages=(text_message("user", "Hi."),))], "hi")
    with pytest.raises(PrefixError, match="the model is never called"):
        harness_scene(TREE, PLAIN, Conversation())
