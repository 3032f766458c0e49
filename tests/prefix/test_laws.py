"""What must hold for any two requests, against the slow obvious way."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tohlab.prefix import PrefixTracker, compare_prefix
from tohlab.request import Message, Request, TextBlock, ToolCall, ToolSchema
from tohlab.tokens import TiktokenMeter, get_meter, measure
from tohlab.tokens.ledger import common_messages

TEXTS = st.lists(
    st.sampled_from(["a", "ab", " ", "\n", "the", "日", "𠀀", "\ud83d", "\ude00", "1"]), max_size=8
)
TOOLS = st.builds(
    ToolSchema, name=st.sampled_from("ab"), description=st.sampled_from("xy"), parameters=st.just({})
)
CALLS = st.builds(
    ToolCall, id=st.just("1"), name=st.sampled_from("ab"), arguments=st.sampled_from(["{}", "[]"])
)
MESSAGES = st.builds(
    Message,
    role=st.sampled_from(["user", "assistant"]),
    content=st.lists(st.builds(TextBlock, text=TEXTS.map("".join)), max_size=2).map(tuple),
    tool_calls=st.lists(CALLS, max_size=1).map(tuple),
    reasoning=st.sampled_from(["", "Think."]),
)
REQUESTS = st.builds(
    Request,
    tools=st.lists(TOOLS, max_size=2).map(tuple),
    system=st.sampled_from(["", "S", "Sys"]),
    messages=st.lists(MESSAGES, max_size=4).map(tuple),
)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Request, Request]:
    """Two requests that often share a beginning, as the same values or as equal ones."""
    one = draw(REQUESTS)
    if draw(st.booleans()):
        return one, draw(REQUESTS)
    kept = one.messages[: draw(st.integers(0, len(one.messages)))]
    if draw(st.booleans()):
        kept = tuple(
            Message(
                role=m.role, content=tuple(TextBlock(text=b.text) for b in m.content), tool_calls=m.tool_calls
            )
            for m in kept
        )
    two = Request(
        tools=one.tools, system=one.system, messages=kept + tuple(draw(st.lists(MESSAGES, max_size=2)))
    )
    return (one, two) if draw(st.booleans()) else (two, one)


Unit = tuple[str, ...] | int


def units(request: Request) -> list[Unit]:
    """The request as one list: a boundary before each segment, then the segment's tokens."""
    result: list[Unit] = []
    message = ""
    for segment in request.segments():
        owner = segment.path.split(".")[0]
        shape = "".join(c for c in segment.path if not c.isdigit())
        result.append((shape, segment.role, "new" if owner != message else "same"))
        message = owner
        result += get_meter().encode(segment.text)
    return result


def slow_shared_tokens(before: Request, after: Request) -> int:
    shared = 0
    old, new = [*units(before), ("end",)], [*units(after), ("end",)]
    for x, y in zip(old, new, strict=False):
        if x != y:
            break
        shared += isinstance(x, int)
    return shared


@settings(deadline=None, max_examples=300)
@given(pairs())
def test_shared_tokens_are_what_the_obvious_way_finds(pair: tuple[Request, Request]) -> None:
    assert compare_prefix(*pair).shared_tokens == slow_shared_tokens(*pair)


@settings(deadline=None)
@given(pairs())
def test_sharing_is_symmetric_and_at_most_the_shorter(pair: tuple[Request, Request]) -> None:
    there, back = compare_prefix(*pair), compare_prefix(*reversed(pair))
    assert there.shared_tokens == back.shared_tokens <= min(there.before_tokens, there.after_tokens)
    assert (there.divergence is None) == (back.divergence is None)
    assert there.before_tokens == back.after_tokens == measure(pair[0]).total_tokens


@settings(deadline=None)
@given(REQUESTS, st.lists(MESSAGES, max_size=3))
def test_what_is_only_appended_to_loses_nothing(request: Request, more: list[Message]) -> None:
    longer = Request(tools=request.tools, system=request.system, messages=(*request.messages, *more))
    result = compare_prefix(request, longer)
    assert result.append_only
    assert result.divergence is None
    assert result.shared_tokens == result.before_tokens
    assert result.lost_tokens == 0


@settings(deadline=None)
@given(pairs())
def test_a_divergence_points_at_characters_that_differ(pair: tuple[Request, Request]) -> None:
    before, after = pair
    result = compare_prefix(before, after)
    where = result.divergence
    if where is None:
        shorter = min(result.before_tokens, result.after_tokens)
        assert result.shared_tokens == shorter
        return
    assert where.token == result.shared_tokens
    assert where.token_character <= where.character
    segment = next(s for s in after.segments() if s.path == where.path)
    assert where.character <= len(segment.text)
    assert segment.text.startswith(where.after.removesuffix("…"), where.character)
    assert where.label.startswith(where.path.split(".")[0])
    assert str(where.character) in result.sentence


@settings(deadline=None)
@given(st.lists(pairs(), max_size=4))
def test_what_was_compared_before_changes_nothing(history: list[tuple[Request, Request]]) -> None:
    meter = TiktokenMeter()
    tracker = PrefixTracker(meter)
    last = Request()
    for request in [request for pair in history for request in pair]:
        assert tracker.push(request) == compare_prefix(last, request, TiktokenMeter())
        last = request


@settings(deadline=None)
@given(MESSAGES)
def test_the_texts_of_a_message_are_those_of_its_segments(message: Message) -> None:
    assert message.texts() == [segment.text for segment in message.segments(3)]


@settings(deadline=None)
@given(st.lists(MESSAGES, max_size=5), st.lists(MESSAGES, max_size=5), st.booleans())
def test_shared_messages_are_what_the_obvious_way_finds(
    one: list[Message], more: list[Message], grows: bool
) -> None:
    a, b = tuple(one), tuple([*one, *more] if grows else more)
    expected = 0
    while expected < min(len(a), len(b)) and a[expected] == b[expected]:
        expected += 1
    assert common_messages(a, b) == common_messages(b, a) == expected
