"""Many sessions in one cache: traces, room, lifetimes, hit curves."""

from __future__ import annotations

import json
from array import array
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.prefix.blocks import blocks, chat, words
from tohlab.errors import PrefixError, TraceError
from tohlab.prefix.policies import CachedRequest, cached_request, get_policy
from tohlab.prefix.pool import hit_curve, simulate_pool, simulate_requests
from tohlab.prefix.trace import Trace, TraceRow, read_trace, write_trace
from tohlab.request import Request, text_message
from tohlab.tokens import get_meter

# The first lines of Mooncake's own format, with made-up numbers.
LINES = """\
{"timestamp": 0, "input_length": 4198, "output_length": 500, "hash_ids": [0, 1, 2, 3, 4, 5, 6, 7, 8]}
{"timestamp": 0, "input_length": 1300, "output_length": 490, "hash_ids": [0, 14, 15]}
{"timestamp": 3052, "input_length": 1024, "output_length": 3, "hash_ids": [0, 14]}
"""


def rows(*given: tuple[float, int, list[int]]) -> tuple[TraceRow, ...]:
    return tuple(
        TraceRow(at_s=at_s, input_tokens=tokens, output_tokens=0, hash_ids=array("q", ids))
        for at_s, tokens, ids in given
    )


def grown(sessions: int, turns: int, block_tokens: int = 16) -> Trace:
    """Sessions in turn, each of which adds a block a turn behind a beginning that all share."""
    made = []
    for turn in range(1, turns + 1):
        for s in range(sessions):
            ids = [0, 1, *(1000 * (s + 1) + i for i in range(turn))]
            made.append((float(len(made)), block_tokens * len(ids), ids))
    return Trace(rows=rows(*made), block_tokens=block_tokens)


def test_a_mooncake_file_is_read_and_written_byte_for_byte(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text(LINES, encoding="utf-8")
    trace = read_trace(path)
    assert [row.at_s for row in trace] == [0, 0, 3.052]
    assert [row.input_tokens for row in trace] == [4198, 1300, 1024]
    assert trace.rows[1].hash_ids.tolist() == [0, 14, 15]
    assert (len(trace), trace.total_tokens, trace.distinct_blocks) == (3, 6522, 11)
    copy = tmp_path / "copy.jsonl"
    write_trace(trace, copy)
    assert copy.read_text(encoding="utf-8") == LINES
    assert read_trace(copy) == trace


def test_a_file_cut_in_half_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text(LINES[: len(LINES) - 40], encoding="utf-8")
    with pytest.raises(TraceError, match="cut short") as error:
        read_trace(path)
    assert (error.value.path, error.value.line) == (path, 3)
    assert str(error.value).startswith(f"{path}:3: no JSON")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[]", "an object is expected, not list"),
        ("{}", "timestamp must be milliseconds, not None"),
        ('{"timestamp": true, "input_length": 1, "hash_ids": [1]}', "timestamp must be milliseconds"),
        ('{"timestamp": NaN, "input_length": 1, "hash_ids": [1]}', "timestamp must be milliseconds"),
        ('{"timestamp": 1, "input_length": -1, "hash_ids": []}', "input_length must be a whole number"),
        ('{"timestamp": 1, "input_length": 1.5, "hash_ids": [1]}', "input_length must be a whole number"),
        ('{"timestamp": 1, "input_length": 1, "hash_ids": ["a"]}', "hash_ids must be a list of whole"),
        ('{"timestamp": 1, "input_length": 1, "hash_ids": [99999999999999999999]}', "whole numbers of 64"),
        ('{"timestamp": 1, "input_length": 513, "hash_ids": [1]}', "1 hash_ids for 513 tokens do not fit"),
        ('{"timestamp": 1, "input_length": 1, "output_length": "x", "hash_ids": [1]}', "output_length must"),
        ("[" * 100_000, "nested too deeply to be a request"),
    ],
)
def test_a_line_that_is_no_request_says_what_is_wrong(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(TraceError, match=message) as error:
        read_trace(path)
    assert error.value.line == 2


def test_times_that_go_backwards_name_the_line(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text("".join(reversed(LINES.splitlines(keepends=True))), encoding="utf-8")
    with pytest.raises(TraceError, match="sort by timestamp") as error:
        read_trace(path)
    assert error.value.line == 2


def test_a_file_that_is_not_there_or_not_text_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="it cannot be read: No such file"):
        read_trace(tmp_path / "none.jsonl")
    (tmp_path / "trace.gz").write_bytes(b"\x1f\x8b\x08\xff\xfe")
    with pytest.raises(TraceError, match="is it compressed"):
        read_trace(tmp_path / "trace.gz")


def test_requests_become_a_trace_with_equal_ids_for_equal_beginnings(tmp_path: Path) -> None:
    one, two = words("a", 100), words("a", 64) + words("b", 40)
    arrivals = [(i * 1.5, CachedRequest.of_ids(ids)) for i, ids in enumerate((one, two, one))]
    trace = Trace.of_requests(arrivals, block_tokens=32)
    assert [row.hash_ids.tolist() for row in trace] == [[0, 1, 2, 3], [0, 1, 4, 5], [0, 1, 2, 3]]
    write_trace(trace, tmp_path / "t.jsonl")
    assert read_trace(tmp_path / "t.jsonl", block_tokens=32) == trace
    with pytest.raises(TraceError, match=r"starts at 0\.5 s, before the one at 1\.0 s"):
        Trace.of_requests([(1.0, arrivals[0][1]), (0.5, arrivals[1][1])])
    with pytest.raises(TraceError, match="1 token or more"):
        Trace.of_requests([], block_tokens=0)


def test_with_room_for_all_each_request_reads_what_was_there() -> None:
    result = simulate_pool(grown(3, 4))
    # the first reads nothing, the other two of the first turn the shared blocks, then all of the turn before;
    # vLLM computes the last block anew only where a request ends on it, and none of these is a repeat
    assert result.read_tokens == 16 * (2 * 2 + 3 * (3 + 4 + 5))
    assert result.total_tokens == 16 * 3 * (3 + 4 + 5 + 6)
    assert (result.requests, result.refused_requests, result.evicted_blocks) == (12, 0, 0)
    assert result.held_blocks == 2 + 3 * 4
    assert result.to_dict()["read_share"] == result.read_tokens / result.total_tokens


def test_an_aligned_repeat_loses_its_last_block() -> None:
    trace = Trace(rows=rows((0, 48, [1, 2, 3]), (1, 48, [1, 2, 3]), (2, 47, [1, 2, 4])), block_tokens=16)
    assert simulate_pool(trace).read_tokens == 32 + 32


def slow_pool(trace: Trace, capacity: int) -> tuple[int, int]:
    """Block by block: read tokens and evicted blocks."""
    free: dict[int, None] = {}
    read = evicted = 0
    for row in trace:
        chain = row.hash_ids.tolist()[: row.input_tokens // trace.block_tokens]
        unfinished = len(row.hash_ids) - len(chain)
        if len(row.hash_ids) > capacity:
            continue
        hit = 0
        while hit < len(chain) and chain[hit] in free:
            hit += 1
        for block in chain[:hit]:
            del free[block]
        while len(free) + len(chain) + unfinished > capacity:
            del free[next(iter(free))]
            evicted += 1
        for block in reversed(chain):
            free.pop(block, None)
            free[block] = None
        read += min(hit, (row.input_tokens - 1) // trace.block_tokens) * trace.block_tokens
    return read, evicted


@settings(max_examples=300)
@given(
    turns=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(1, 16)), max_size=25),
    capacity=st.integers(1, 30),
)
def test_a_pool_is_what_a_queue_of_blocks_gives(turns: list[tuple[int, int, int]], capacity: int) -> None:
    sessions: dict[int, list[int]] = {s: [0] for s in range(5)}
    made: list[tuple[float, int, list[int]]] = []
    for session, more, tail in turns:
        kept = sessions[session]
        kept += [1 + 100 * session + len(kept) + i for i in range(more)]
        whole = list(kept) if tail == 16 else [*kept, 10_000 + len(made)]
        made.append((0.0, 16 * len(kept) + tail % 16, whole))
    trace = Trace(rows=rows(*made), block_tokens=16)
    result = simulate_pool(trace, capacity_blocks=capacity)
    assert (result.read_tokens, result.evicted_blocks) == slow_pool(trace, capacity)
    assert result.requests + result.refused_requests == len(trace)
    assert result.held_blocks <= capacity


def test_a_pool_reads_what_the_policy_reads_request_by_request() -> None:
    arrivals = []
    for turn in range(1, 7):
        for s in range(4):
            ids = words("shared", 100) + words(f"session {s}", 70 * turn)
            arrivals.append((float(len(arrivals)), CachedRequest.of_ids(ids)))
    trace = Trace.of_requests(arrivals, block_tokens=16)
    for room in (None, 40, 60, 90):
        engine = get_policy("vllm", capacity_units=room)
        whole = simulate_requests(arrivals, engine)
        assert simulate_pool(trace, "vllm", capacity_blocks=room).read_tokens == whole.read_tokens
        assert whole.total_tokens == trace.total_tokens


def test_sglang_lets_whole_leaves_go() -> None:
    trace = grown(6, 5)
    blocks_, leaves = (simulate_pool(trace, name, capacity_blocks=16) for name in ("vllm", "sglang"))
    assert leaves.evicted_blocks >= blocks_.evicted_blocks > 0
    assert leaves.held_blocks <= 16


def test_hosted_caches_forget_with_time() -> None:
    ids = list(range(16))
    trace = Trace(rows=rows((0, 2048, ids), (1700, 2048, ids), (3600, 2048, ids)), block_tokens=128)
    assert simulate_pool(trace, "openai-older").read_tokens == 2048  # the third comes too late
    assert simulate_pool(trace, get_policy("openai-older", ttl_s=2000)).read_tokens == 2 * 2048


def test_what_is_not_promised_is_not_read() -> None:
    ids = list(range(64))
    trace = Trace(rows=rows((0, 8192, ids), (1, 8192, ids)), block_tokens=128)
    assert simulate_pool(trace, "gemini").read_tokens == 0
    assert simulate_pool(trace, get_policy("gemini", optimistic=1)).read_tokens == 8192


@pytest.mark.parametrize(
    ("policy", "kwargs", "message"),
    [
        ("anthropic", {}, "use simulate_requests"),
        ("qwen", {}, "use simulate_requests"),
        (get_policy("vllm", unit=24), {}, "make the trace with block_tokens=24"),
        ("vllm", {"capacity_blocks": 0}, "room for 1 block or more, not 0"),
        ("vllm", {"capacity_blocks": float("nan")}, "room for 1 block or more, not nan"),
    ],
)
def test_what_a_pool_cannot_be_is_said(policy: Any, kwargs: Any, message: str) -> None:
    with pytest.raises(PrefixError, match=message):
        simulate_pool(grown(1, 1), policy, **kwargs)


def test_snapshots_are_simulated_from_whole_requests() -> None:
    talk = chat(1000, 200, 100, 200, 100, 200)
    arrivals = [
        (at_s, blocks(*talk[:turn], mode="implicit", namespace=user))
        for at_s, (turn, user) in enumerate((turn, user) for turn in (2, 4, 6) for user in ("a", "b"))
    ]
    result = simulate_requests([(float(at_s), request) for at_s, request in arrivals], "anthropic")
    assert result.read_tokens == 2 * (1200 + 1500)
    assert result.total_tokens == 2 * (1200 + 1500 + 1800)


def test_more_room_reads_more_until_there_is_room_for_all() -> None:
    trace = grown(8, 6)
    done: list[tuple[int, int]] = []
    curve = hit_curve(trace, progress=lambda i, n: done.append((i, n)))
    shares = [result.read_share for result in curve.results]
    assert shares == sorted(shares)
    assert shares[0] < shares[-1] == simulate_pool(trace).read_share
    assert curve.results[-1].evicted_blocks == 0
    assert done[-1] == (len(curve.results), len(curve.results))
    assert [row["capacity_blocks"] for row in curve.rows()] == sorted(
        {row["capacity_blocks"] for row in curve.rows()}
    )


def test_a_hit_curve_is_drawn_from_its_numbers() -> None:
    from matplotlib import pyplot

    curve = hit_curve(grown(8, 6), capacities_blocks=[4, 20, 60])
    ax = curve.plot()
    line = ax.lines[0]
    assert list(line.get_xdata()) == [64, 320, 960]
    assert list(line.get_ydata()) == [100 * result.read_share for result in curve.results]
    assert curve.results[0].refused_requests > 0
    assert [len(each.get_xdata()) for each in ax.lines[1:]] == [2, 1]  # filled, then hollow
    assert curve.plot(ax) is ax
    pyplot.close(ax.figure)
    assert f"{100 * curve.results[1].read_share:.1f} %" in curve._repr_html_()


def test_an_empty_trace_has_no_curve() -> None:
    with pytest.raises(PrefixError, match="without requests"):
        hit_curve(Trace(rows=(), block_tokens=16))


def test_an_empty_file_is_refused_and_not_a_share_of_0(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(TraceError, match="it is empty: there is no request in it"):
        read_trace(path)
    with pytest.raises(TraceError, match="a block has 1 token or more, not 0"):
        read_trace(path, block_tokens=0)


def test_requests_of_two_encodings_are_no_trace() -> None:
    request = Request(messages=(text_message("user", "Hello."),))
    arrivals = [
        (float(i), cached_request(request, get_meter(name)))
        for i, name in enumerate(("o200k_base", "o200k_base", "cl100k_base"))
    ]
    assert len(Trace.of_requests(arrivals[:2])) == 2
    with pytest.raises(TraceError, match=r"request 3 is of other tokens .*cl100k_base plain and o200k"):
        Trace.of_requests(arrivals)


def test_what_is_written_is_one_object_a_line(tmp_path: Path) -> None:
    trace = Trace(rows=rows((0.0005, 5, [7])), block_tokens=16)
    write_trace(trace, tmp_path / "t.jsonl")
    assert json.loads((tmp_path / "t.jsonl").read_text(encoding="utf-8"))["timestamp"] == 0.5
