"""How fast tohlab is, as ratios that are measured in one run: `python benchmarks/run.py [NAME...] [--json]`.

A ratio sets two ways of getting the same result side by side in one process (or, for imports, in processes
of their own), so that it says little about the machine. All times are CPU times, but for `makespan`, which is
about waiting. Where two ways give results, these are checked to be the same.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.asking import asking_cpu, makespan  # noqa: E402 - the tree is on the path now
from benchmarks.measuring import MismatchError, best, cpu, text  # noqa: E402 - as the line above
from benchmarks.scoring import scoring  # noqa: E402 - as the line above
from benchmarks.sixteen import sixteen  # noqa: E402 - as the line above

TURNS = 500
QUICK_TURNS = 60
SKILLS = 10_000
QUICK_SKILLS = 1_000
SESSIONS = 2_000
QUICK_SESSIONS = 100
SESSION_TURNS = 10


def session_requests(turns: int) -> list[Any]:
    """The requests of one session: a question, a tool call, its result and an answer in each turn.

    Thirty skills; one is added half way through, so that one catalog message is a replacement.
    """
    from tohlab.request import ToolCall
    from tohlab.session import Session
    from tohlab.skills.sources import MemorySource

    rng = random.Random(20261201)
    pairs = [(f"skill-{i:02}", text(rng, 24).replace("\n", " ")) for i in range(31)]

    class Growing:
        source = MemorySource.of(pairs[:30])

        def snapshot(self) -> Any:
            return self.source.snapshot()

        def load(self, name: str) -> Any:
            return self.source.load(name)

    skills = Growing()
    session = Session(skills, system=text(rng, 400))
    requests = []
    for turn in range(turns):
        if turn == turns // 2:
            skills.source = MemorySource.of(pairs)
        session.user(text(rng, 40))
        arguments = json.dumps({"path": f"notes/{turn}.md", "query": text(rng, 6)})
        call = ToolCall(id=f"call_{turn}", name="search", arguments=arguments)
        session.assistant(tool_calls=[call])
        session.tool_result(call.id, text(rng, 150))
        requests.append(session.next_request())
        session.assistant(text(rng, 70))
    return requests


def encode_once(requests: list[Any]) -> Callable[[], int]:
    """The floor: every distinct text of the session, encoded once."""
    from tohlab.tokens import load_encoding

    encoding, _ = load_encoding()
    texts = list(dict.fromkeys(s.text for s in requests[-1].segments()))
    return lambda: sum(len(encoding.encode_ordinary(text)) for text in texts)


def measure_session(quick: bool) -> dict[str, Any]:
    """`measure` on every request of a session against encoding every request afresh."""
    from tohlab.tokens import TiktokenMeter, load_encoding, measure

    requests = session_requests(QUICK_TURNS if quick else TURNS)
    encoding, _ = load_encoding()

    def ours() -> list[int]:
        meter = TiktokenMeter()
        return [measure(request, meter).total_tokens for request in requests]

    def afresh() -> list[int]:
        return [
            sum(len(encoding.encode_ordinary(segment.text)) for segment in request.segments())
            for request in requests
        ]

    def with_rows() -> list[Any]:
        meter = TiktokenMeter()
        return [measure(request, meter).segments for request in requests]

    (ours_s, totals), (rows_s, rows), (floor_s, _) = best(ours, with_rows, encode_once(requests))
    afresh_s, expected = cpu(afresh)
    if totals != expected or [sum(row.tokens for row in made) for made in rows] != expected:
        raise MismatchError("measure and encoding afresh count different tokens")
    return session_result(
        "times faster than encoding every request afresh (CPU, same totals)",
        requests,
        {
            "afresh_s": afresh_s,
            "ours_s": ours_s,
            "floor_s": floor_s,
            "total_tokens": totals[-1],
            "with_rows_s": rows_s,
            "with_rows_floor_ratio": rows_s / floor_s,
            "with_rows": "the same, and the costs of all segments of each request asked for "
            "(they are made when they are asked for)",
        },
    )


def prefix_session(quick: bool) -> dict[str, Any]:
    """`PrefixTracker` over a session against encoding both requests afresh and comparing token by token."""
    from tohlab.prefix import PrefixTracker
    from tohlab.tokens import TiktokenMeter, load_encoding

    requests = session_requests(QUICK_TURNS if quick else TURNS)
    encoding, _ = load_encoding()

    def ours() -> list[int]:
        tracker = PrefixTracker(TiktokenMeter())
        return [tracker.push(request).shared_tokens for request in requests]

    def afresh() -> list[int]:
        shared, last = [], []
        for request in requests:
            tokens: list[int] = []
            for segment in request.segments():
                tokens.append(-1)  # a boundary
                tokens += encoding.encode_ordinary(segment.text)
            count = 0
            for one, other in zip(last, tokens, strict=False):
                if one != other:
                    break
                count += one >= 0
            shared.append(count)
            last = tokens
        return shared

    (ours_s, found), (floor_s, _) = best(ours, encode_once(requests))
    afresh_s, expected = cpu(afresh)
    if found != expected:
        raise MismatchError("the tracker and the token-by-token comparison share different tokens")
    return session_result(
        "times faster than encoding every request afresh and comparing tokens (CPU, same shared tokens)",
        requests,
        {"afresh_s": afresh_s, "ours_s": ours_s, "floor_s": floor_s, "shared_tokens": found[-1]},
        aim=1.6,
    )


def session_result(what: str, requests: list[Any], numbers: dict[str, Any], aim: float = 2) -> dict[str, Any]:
    detail = {
        "turns": len(requests),
        "segments": sum(1 for _ in requests[-1].segments()),
        **numbers,
        "floor_ratio": numbers["ours_s"] / numbers["floor_s"],
        "floor": f"encoding each distinct segment once; at most {aim:g} times that is the aim",
    }
    return {"ratio": numbers["afresh_s"] / numbers["ours_s"], "what": what, "detail": detail}


def pool_trace(sessions: int, turns: int) -> Any:
    """Interleaved sessions that grow by a turn at a time behind one of eight shared beginnings.

    Blocks of 16 tokens; with 2,000 sessions of 10 turns there are 20,000 requests and over 100M tokens.
    """
    from array import array

    from tohlab.prefix.trace import Trace, TraceRow

    rng = random.Random(20261201)
    fresh = iter(range(1 << 40))
    shared = [array("q", (next(fresh) for _ in range(rng.randrange(60, 250)))) for _ in range(8)]
    grown = [array("q", rng.choice(shared)) for _ in range(sessions)]
    left = [turns] * sessions
    rows = []
    while waiting := [i for i in range(sessions) if left[i]]:
        for i in rng.sample(waiting, max(1, len(waiting) // 3)):
            left[i] -= 1
            grown[i] = grown[i] + array("q", (next(fresh) for _ in range(rng.randrange(10, 75))))
            tokens = len(grown[i]) * 16
            rows.append(
                TraceRow(at_s=len(rows) / 10, input_tokens=tokens, output_tokens=0, hash_ids=grown[i])
            )
    return Trace(rows=tuple(rows), block_tokens=16)


def pool(quick: bool) -> dict[str, Any]:
    """Thousands of sessions in one cache with limited room against touching every block of theirs once."""
    import tracemalloc

    from tohlab.prefix.pool import simulate_pool

    trace = pool_trace(QUICK_SESSIONS if quick else SESSIONS, SESSION_TURNS)
    room = trace.distinct_blocks // 4 + max(len(row.hash_ids) for row in trace)

    def touch() -> int:
        seen = set()
        for row in trace:
            for block in row.hash_ids:
                seen.add(block)
        return len(seen)

    def simulate(policy: str) -> Callable[[], Any]:
        return lambda: simulate_pool(trace, policy, capacity_blocks=room)

    (vllm_s, vllm), (sglang_s, sglang), (touch_s, _) = best(simulate("vllm"), simulate("sglang"), touch)
    tracemalloc.start()
    simulate("vllm")()
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    if vllm.requests != len(trace) or not vllm.evicted_blocks:
        raise MismatchError("the pool refused requests or never ran out of room")
    return {
        "ratio": vllm_s / touch_s,
        "what": "times the CPU time of touching every block once",
        "detail": {
            "requests": len(trace),
            "tokens": trace.total_tokens,
            "blocks": trace.total_tokens // 16,
            "room_blocks": room,
            "vllm_s": vllm_s,
            "sglang_s": sglang_s,
            "sglang_ratio": sglang_s / touch_s,
            "touch_s": touch_s,
            "vllm_read_share": vllm.read_share,
            "sglang_read_share": sglang.read_share,
            "state_bytes": peak_bytes,
            "aim": "at most 3 times",
        },
    }


def discovery(quick: bool) -> dict[str, Any]:
    """Finding and parsing every skill of a tree against reading the same bytes."""
    from tohlab.skills.sources import FilesystemSource

    count = QUICK_SKILLS if quick else SKILLS
    rng = random.Random(20261201)
    with tempfile.TemporaryDirectory() as folder:
        for i in range(count):
            place = Path(folder, f"group-{i % 100:02}", f"skill-{i:05}")
            place.mkdir(parents=True)
            description = text(rng, 24).replace("\n", " ").replace('"', "").replace("\\", "")
            body = f'---\nname: skill-{i:05}\ndescription: "{description}"\n---\n{text(rng, 150)}\n'
            (place / "SKILL.md").write_text(body, encoding="utf-8")

        def read() -> int:
            size = 0
            for place, _, files in os.walk(folder):
                for name in files:
                    with open(os.path.join(place, name), "rb") as stream:  # noqa: PTH118, PTH123  # a Path a file would be measured too
                        size += len(stream.read())
            return size

        def find() -> int:
            return len(FilesystemSource.tree(folder).snapshot().skills)

        size = read()
        (read_s, _), (find_s, found) = best(read, find)
    if found != count:
        raise MismatchError(f"{found} of {count} skills were found")
    return {
        "ratio": find_s / read_s,
        "what": "times the CPU time of walking the tree and reading the same bytes",
        "detail": {"skills": count, "bytes": size, "find_s": find_s, "read_s": read_s},
    }


def import_time(quick: bool) -> dict[str, Any]:
    """`import tohlab` against `import json`, each in new processes, in turn."""
    import resource

    def once(module: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", f"import {module}"], check=True, cwd=ROOT)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    runs = [(once("tohlab"), once("json")) for _ in range(7 if quick else 25)]
    ours_s, json_s = (statistics.median(column) for column in zip(*runs, strict=True))
    return {
        "ratio": ours_s / json_s,
        "what": "times the CPU time of a new process that imports json (median; both include Python's start)",
        "detail": {"runs": len(runs), "tohlab_s": ours_s, "json_s": json_s},
    }


BENCHMARKS: dict[str, Callable[[bool], dict[str, Any]]] = {
    "measure_session": measure_session,
    "prefix_session": prefix_session,
    "pool": pool,
    "discovery": discovery,
    "sixteen": sixteen,
    "scoring": scoring,
    "makespan": makespan,
    "asking_cpu": asking_cpu,
    "import": import_time,
}


def run(names: Iterable[str], *, quick: bool) -> dict[str, dict[str, Any]]:
    """Return the results of the named benchmarks, in this order."""
    return {name: BENCHMARKS[name](quick) for name in names}


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"any of: {', '.join(BENCHMARKS)} (default: all)"
    )
    parser.add_argument("--quick", action="store_true", help="a smaller input; the ratios are smaller too")
    parser.add_argument("--json", action="store_true", help="print {NAME: {ratio, what, detail}}")
    options = parser.parse_args(argv)
    unknown = [name for name in options.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}; there are: {', '.join(BENCHMARKS)}")
    results = run(options.names or BENCHMARKS, quick=options.quick)
    if options.json:
        print(json.dumps(results, indent=2))
        return 0
    for name, result in results.items():
        print(f"{name:<16} {result['ratio']:8.2f}  {result['what']}")
        for key, value in result["detail"].items():
            shown = (
                f"{value:.4g}"
                if isinstance(value, float)
                else f"{value:,}"
                if isinstance(value, int)
                else value
            )
            print(f"{'':<16} {key}: {shown}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
