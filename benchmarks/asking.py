"""How well a run uses its time, and how much of the machine it takes: real HTTP on loopback.

`makespan` sets the wall time of a run beside the least that its latencies allow; `asking_cpu` sets the CPU
time of a request beside that of the plain openai client, and of the runners of Inspect and pydantic-evals.
"""

from __future__ import annotations

import asyncio
import gzip
import heapq
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.askers import CONCURRENCY, EXPECTED, MODEL
from benchmarks.measuring import MismatchError
from benchmarks.service import serving

ROOT = Path(__file__).resolve().parent.parent
RECORDING = ROOT / "datasets" / "recordings" / "qwen2.5-coder-1.5b.jsonl.gz"
PEERS = "TOHLAB_PEERS_PYTHON"
"""Names the Python that has Inspect and pydantic-evals, where that is another one."""

REQUESTS = 512
QUICK_REQUESTS = 128
MEAN_S = 1.0
"""What recorded latencies are scaled to, on average."""
CPU_REQUESTS = 300
QUICK_CPU_REQUESTS = 20
CPU_DELAY_S = 0.05
ROUNDS = 5
"""The least of so many counts; Inspect, which takes long, is asked once."""

REPLY: dict[str, Any] = {
    "id": "chatcmpl-benchmark",
    "object": "chat.completion",
    "created": 1_764_000_000,
    "model": MODEL,
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "call_0",
                        "type": "function",
                        "function": {"name": "skill", "arguments": json.dumps({"name": EXPECTED})},
                    }
                ],
            },
            "finish_reason": "tool_calls",
        }
    ],
    "usage": {"prompt_tokens": 2_150, "completion_tokens": 17, "total_tokens": 2_167},
}


def recorded_latencies() -> list[float]:
    """The latencies of our recording of the core set, in seconds, in the order of their keys."""
    with gzip.open(RECORDING, "rt", encoding="utf-8") as file:
        return [row["latency_s"] for line in file if (row := json.loads(line))["kind"] == "reply"]


def delays(count: int) -> list[float]:
    """`count` of the recorded latencies, drawn with a seed and scaled to `MEAN_S` on average."""
    drawn = random.Random(20261201).choices(recorded_latencies(), k=count)
    scale = MEAN_S / statistics.fmean(drawn)
    return [latency * scale for latency in drawn]


def list_schedule(times: Sequence[float], workers: int) -> float:
    """When the last of these is done, if each in its order goes to the first worker that is free."""
    free = [0.0] * workers
    for one in times:
        heapq.heapreplace(free, free[0] + one)
    return max(free)


class Waiting:
    """A client without a service: each request waits for its time and gets the same answer."""

    def __init__(self, times: Sequence[float]) -> None:
        self._times = iter(times)

    async def complete(self, request: Any) -> Any:
        from tohlab.routing import ChatReply

        latency_s = next(self._times)
        await asyncio.sleep(latency_s)
        return ChatReply.from_raw(REPLY, latency_s)


def asked(client: Any, count: int, *, start: int | None) -> float:
    """The seconds from a run's first request to its report, with so many places at first; None: as it is."""
    from tohlab.routing import RoutingCase, RoutingDataset, load_catalog
    from tohlab.routing.runner import prepared

    cases = tuple(RoutingCase(id=str(i), query=f"request {i}", expected=(EXPECTED,)) for i in range(count))
    run = prepared(
        RoutingDataset(cases=cases, name="benchmark"),
        load_catalog(ROOT / "datasets" / "skills"),
        client,
        model=MODEL,
        concurrency=CONCURRENCY,
        baselines=False,  # they ask nothing of a service
    )
    if start is not None:
        run.settings.start = start
    import openai  # noqa: F401 - a second that is no part of asking

    begin = time.monotonic()
    report = asyncio.run(run())
    took_s = time.monotonic() - begin
    if report.exact.value != 1 or len(report.trials) != count:
        raise MismatchError("the run did not get the answers that the service gave")
    return took_s


def makespan(quick: bool) -> dict[str, Any]:
    """A run of 64 at once against list scheduling of the same latencies on 64 workers."""
    from tohlab.routing import OpenAIClient

    times = delays(QUICK_REQUESTS if quick else REQUESTS)
    ideal_s = list_schedule(times, CONCURRENCY)
    before = os.times()
    with serving(times, REPLY) as base_url:
        full_s = asked(OpenAIClient(base_url, api_key="none"), len(times), start=CONCURRENCY)
    after = os.times()
    with serving(times, REPLY) as base_url:
        ramp_s = asked(OpenAIClient(base_url, api_key="none"), len(times), start=None)
    alone_s = asked(Waiting(times), len(times), start=CONCURRENCY)
    cpu_s = after.user + after.system - before.user - before.system
    return {
        "ratio": full_s / ideal_s,
        "what": "times the ideal makespan at concurrency 64, all places open from the start (wall time)",
        "detail": {
            "requests": len(times),
            "mean_latency_s": statistics.fmean(times),
            "longest_latency_s": max(times),
            "ideal_s": ideal_s,
            "ideal": "list scheduling of the same latencies in the same order on 64 workers",
            "ours_s": full_s,
            "with_ramp_s": ramp_s,
            "with_ramp_ratio": ramp_s / ideal_s,
            "ramp": "as a run begins: 8 at once, and one more with each answer until 64; it is what a "
            "run pays once for finding out what the service bears, however long it is",
            "without_http_s": alone_s,
            "without_http_ratio": alone_s / ideal_s,
            "without_http": "the same run with a client that only waits: what the runner itself adds; the "
            "rest is the HTTP client's and the service's CPU time, which a busy machine lacks",
            "cpu_share": cpu_s / full_s,
            "cpu": "of one core, taken by the run itself; latencies are long beside it, or the cores would "
            "be measured",
            "load_average": os.getloadavg()[0],
            "aim": "at most 1.05 times",
        },
    }


def versions(python: str) -> dict[str, str]:
    """The installed versions of what the peers need, in that Python."""
    code = (
        "import json\nfrom importlib.metadata import PackageNotFoundError, version\nfound = {}\n"
        "for name in ('openai', 'inspect-ai', 'pydantic-evals', 'pydantic-ai-slim'):\n"
        "    try:\n        found[name] = version(name)\n    except PackageNotFoundError:\n        pass\n"
        "print(json.dumps(found))"
    )
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def cpu_of(python: str, way: str, base_url: str, path: Path, count: int) -> float:
    """The CPU seconds that a process of its own takes for so many requests, without its imports."""
    command = [python, str(ROOT / "benchmarks" / "askers.py"), way, base_url, str(path), str(count)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise MismatchError(f"{way} did not get its {count} answers: {done.stderr.strip()[-600:]}")
    return float(done.stdout.split()[-1])


def asking_cpu(quick: bool) -> dict[str, Any]:
    """The CPU time of one request of our runner beside the plain client's and other runners'."""
    from tohlab.routing import load_catalog
    from tohlab.routing.prompts import prompter

    count = QUICK_CPU_REQUESTS if quick else CPU_REQUESTS
    skills = ROOT / "datasets" / "skills"
    request = prompter(load_catalog(skills), model=MODEL).request("?")
    peers = os.environ.get(PEERS, sys.executable)
    found = versions(peers)
    ways = {"tohlab": sys.executable, "tohlab_store": sys.executable, "openai": sys.executable}
    missing = []
    for way, package in (
        ("inspect", "inspect-ai"),
        ("pydantic_evals", "pydantic-evals"),
        ("pydantic_evals_model", "pydantic-ai-slim"),
    ):
        if package in found:
            ways[way] = peers
        else:
            missing.append(package)
    spent: dict[str, list[float]] = {way: [] for way in ways}
    with tempfile.TemporaryDirectory() as folder, serving([CPU_DELAY_S], REPLY) as base_url:
        path = Path(folder, "data.json")
        data = {
            "catalog": request.messages[0]["content"],
            "tool": request.tools[0],
            "skills": str(skills),
            "queries": [f"request {i}" for i in range(count)],
        }
        path.write_text(json.dumps(data), "utf-8")
        for number in range(1 if quick else ROUNDS):
            for way, python in ways.items():
                if number and way == "inspect":
                    continue
                spent[way].append(1e3 * cpu_of(python, way, base_url, path, count) / count)
                for left in Path(folder).glob("*.sqlite*"):
                    left.unlink()
    each_ms = {way: min(runs) for way, runs in spent.items()}
    ours = each_ms["tohlab"]
    detail: dict[str, Any] = {
        "requests": f"{count} and {2 * count}; the difference counts, so imports do not"
    }
    for way, runs in spent.items():
        detail[f"{way}_ms"] = each_ms[way]
        if len(runs) > 1:
            detail[f"{way}_ms_range"] = f"{min(runs):.3g} to {max(runs):.3g}"
        if way != "openai":
            detail[f"{way}_beyond_openai_ms"] = each_ms[way] - each_ms["openai"]
        if way in ("inspect", "pydantic_evals", "pydantic_evals_model"):
            detail[f"{way}_ratio"] = each_ms[way] / ours
    detail |= {
        "tohlab_store": "our runner with every answer committed to its file as it arrives",
        "openai": "AsyncOpenAI in asyncio.gather with a semaphore of 64, the same bodies, answers parsed",
        "inspect": "a Task with use_tools, generate and a scorer, the provider openai, 64 connections",
        "pydantic_evals": "Dataset.evaluate with the plain openai client in the task: nearly all of it is "
        "that client's own",
        "pydantic_evals_model": "the same with pydantic-ai's model of the service in the task",
        "versions": ", ".join(f"{name} {version}" for name, version in found.items()) or "none",
        "load_average": os.getloadavg()[0],
        "aim": "at most 1.3 times; Inspect and pydantic-evals at least 3 times ours",
    }
    if missing:
        detail["missing"] = (
            f"{', '.join(missing)} not in {peers}: install the group `peers` "
            f"(pip install --group peers), or name a Python that has it in {PEERS}"
        )
    return {
        "ratio": ours / each_ms["openai"],
        "what": "times the CPU time that a request takes with the plain openai client in a gather loop",
        "detail": detail,
    }
