"""What one edit leaves to be read, on one session and under every family of rules.

The numbers are worked out from the longest common prefix and the rules, not from the policies: a shared
prefix is read as far as whole units go, or up to the last boundary that was written, or not at all.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.session.shelf import Shelf
from tohlab.prefix import Sent, cached_request, compare_prefix, get_policy
from tohlab.request import Request, TextBlock, ToolCall, ToolSchema
from tohlab.session import Session
from tohlab.tokens import get_meter

TOOLS = tuple(
    ToolSchema(name=f"tool{i}", description=f"Does thing {i}. " * 40, parameters={"type": "object"})
    for i in range(8)
)
SYSTEM = "You are careful, and you say what you did. " * 150
SKILLS = {f"skill-{i:02}": f"Does task {i} with files of kind {i}. " * 3 for i in range(20)}
TURNS = 30


def requests() -> list[Request]:
    session = Session(Shelf(**SKILLS), system=SYSTEM, tools=TOOLS)
    made = []
    for turn in range(TURNS):
        made.append(session.user(f"Please look at file {turn}. " * 10))
        call = ToolCall(id=f"c{turn}", name="tool1", arguments="{}")
        session.assistant(tool_calls=[call])
        session.tool_result(call.id, f"line {turn} of the file says this and that; " * 40)
        made.append(session.next_request())
        session.assistant(f"It says {turn}. " * 10)
    return made


SENT = requests()
BEFORE, APPENDED = SENT[-2:]


def last_tool_changed() -> Request:
    *tools, last = APPENDED.tools
    return replace(APPENDED, tools=(*tools, replace(last, description=last.description + " Quickly.")))


def last_tools_swapped() -> Request:
    return replace(APPENDED, tools=(*APPENDED.tools[:-2], APPENDED.tools[-1], APPENDED.tools[-2]))


def clock_in_system() -> Request:
    return replace(APPENDED, system="It is 12:05. " + APPENDED.system)


def skill_added() -> Request:
    catalog = APPENDED.messages[1]
    block = catalog.content[0]
    more = TextBlock(text=block.text.replace("- `skill-10`", "- `skill-09b`: New.\n- `skill-10`"))
    messages = (APPENDED.messages[0], replace(catalog, content=(more,)), *APPENDED.messages[2:])
    return replace(APPENDED, messages=messages)


def old_result_pruned() -> Request:
    place = next(i for i, m in enumerate(APPENDED.messages) if m.role == "tool" and i > 60)
    short = replace(APPENDED.messages[place], content=(TextBlock(text="(left out)"),))
    return replace(APPENDED, messages=(*APPENDED.messages[:place], short, *APPENDED.messages[place + 1 :]))


EDITS = [last_tool_changed, last_tools_swapped, clock_in_system, skill_added, old_result_pruned]


def read(policy: str, after: Request, **how: object) -> int:
    """What `after` reads once the whole session was sent, 15 seconds apart."""
    cache = get_policy(policy).start()
    for i, request in enumerate(SENT[:-1]):
        cache.submit(Sent(request=request, **how).cached(get_meter()), 15.0 * i)  # type: ignore[arg-type]  # a request's facts by their names
    return cache.submit(Sent(request=after, **how).cached(get_meter()), 15.0 * len(SENT)).read_tokens  # type: ignore[arg-type]  # a request's facts by their names


def shared(after: Request) -> int:
    return compare_prefix(BEFORE, after).shared_tokens


def test_appending_is_read_by_all() -> None:
    whole = cached_request(BEFORE).total_tokens
    assert shared(APPENDED) == whole > 20_000
    for policy, how in (
        ("openai", {}),
        ("anthropic", {"mode": "implicit"}),
        ("deepseek", {}),
        ("sglang", {}),
    ):
        assert read(policy, APPENDED, **how) == whole
    assert read("vllm", APPENDED) == whole // 16 * 16
    assert read("kimi", APPENDED) == whole // 256 * 256
    assert read("openai-older", APPENDED) == whole // 128 * 128


@pytest.mark.parametrize("edit", EDITS, ids=lambda e: e.__name__)
def test_engines_read_what_is_shared_in_whole_units(edit: object) -> None:
    after = edit()  # type: ignore[operator]  # a function from the list above
    most = shared(after)
    assert 0 < most < cached_request(after).total_tokens
    assert read("vllm", after) == most // 16 * 16
    assert read("sglang", after) == most
    assert read("kimi", after) == most // 256 * 256
    assert read("openai-older", after) == (most // 128 * 128 if most >= 1024 else 0)


@pytest.mark.parametrize("edit", EDITS[:-1], ids=lambda e: e.__name__)
def test_snapshots_at_message_ends_read_nothing_of_a_changed_head(edit: object) -> None:
    after = edit()  # type: ignore[operator]  # a function from the list above
    assert read("openai", after) == 0
    assert read("anthropic", after, mode="implicit") == 0


def test_snapshots_lose_far_more_than_a_pruned_result() -> None:
    """Boundaries before the pruned result lie further back than is looked: 20 messages, 20 blocks."""
    after = old_result_pruned()
    assert shared(after) > cached_request(after).total_tokens // 2
    assert read("openai", after) == 0
    assert read("anthropic", after, mode="implicit") == 0


@pytest.mark.parametrize("edit", EDITS, ids=lambda e: e.__name__)
def test_a_marked_header_is_read_as_far_as_it_is_the_same(edit: object) -> None:
    after = edit()  # type: ignore[operator]  # a function from the list above
    request = cached_request(after)
    tools, system = request.section_start("system"), request.section_start("messages")
    most = shared(after)
    expected = system if most >= system else tools if most >= tools else 0
    assert read("anthropic", after, mode="implicit", marks=("tools", "system")) == expected


@pytest.mark.parametrize("edit", EDITS, ids=lambda e: e.__name__)
def test_deepseek_reads_the_last_whole_unit(edit: object) -> None:
    after = edit()  # type: ignore[operator]  # a function from the list above
    ends = [cached_request(request).total_tokens for request in SENT[:-1]]
    ends += range(4096, ends[-1], 4096)
    most = shared(after)
    assert read("deepseek", after) == max((end for end in ends if end <= most), default=0)
