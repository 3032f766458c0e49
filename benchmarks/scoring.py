"""Scoring a finished run from its store, against asking a JSON-lines file for each of its answers."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.measuring import MismatchError, best

ROOT = Path(__file__).resolve().parent.parent
CASES = 10_000
QUICK_CASES = 200
REPLICATES = 10
PLAIN_CASES = 100
"""So many cases are scored the plain ways; their time grows with the answers, one by one."""
MODEL = "benchmark"


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that was asked before: cases, skills, and its answers as a store's export."""

    dataset: Any
    catalog: Any
    path: Path


def reply_of(rng: random.Random, expected: tuple[str, ...], names: tuple[str, ...]) -> dict[str, Any]:
    """A chat completion as a service sends it; seven in ten load what is expected."""
    right = rng.random() < 0.7
    loads = expected if right else (rng.choice(names),) if rng.random() < 0.8 else ()
    calls = [
        {
            "id": f"call_{rng.getrandbits(96):024x}",
            "type": "function",
            "function": {"name": "skill", "arguments": json.dumps({"name": name})},
        }
        for name in loads
    ]
    message: dict[str, Any] = {"role": "assistant", "content": None if calls else "I can do that at once."}
    if calls:
        message["tool_calls"] = calls
    return {
        "id": f"chatcmpl-{rng.getrandbits(96):024x}",
        "object": "chat.completion",
        "created": 1_764_000_000 + rng.randrange(100_000),
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}],
        "usage": {
            "prompt_tokens": 2_150 + rng.randrange(60),
            "completion_tokens": 12 + rng.randrange(20),
            "prompt_tokens_details": {"cached_tokens": 2_048},
        },
    }


def finished_run(folder: str, count: int) -> Finished:
    """Make a run of `count` different requests over our own skills, each answered `REPLICATES` times."""
    from tohlab.routing import RoutingDataset, load_cases, load_catalog
    from tohlab.routing.keys import Keys
    from tohlab.routing.prompts import prompter
    from tohlab.routing.recording import FORMAT, dump, shrink

    rng = random.Random(20261201)
    own = [case for case in load_cases(ROOT / "datasets" / "cases.jsonl").cases if case.labelled]
    cases = tuple(
        replace(case, id=f"{case.id}-{i}", query=f"{case.query} (request {i})")
        for i in range(count)
        for case in (own[i % len(own)],)
    )
    catalog = load_catalog(ROOT / "datasets" / "skills")
    prompts, keys = prompter(catalog, model=MODEL), Keys()
    path = Path(folder, f"answers-{count}.jsonl")
    written: set[str] = set()
    with path.open("w", encoding="ascii") as file:
        file.write(dump({"kind": "tohlab-replies", "format": FORMAT}) + "\n")
        for case in cases:
            request = prompts.request(case.query)
            body, texts = shrink(request.body())
            rows: list[dict[str, Any]] = [
                {"kind": "text", "hash": digest, "json": json.loads(text)}
                for digest, text in texts.items()
                if digest not in written
            ]
            written.update(texts)
            key = keys.key(request)
            rows.append({"kind": "request", "key": key, "endpoint": "", "model": MODEL, "body": body})
            rows += [
                {
                    "kind": "reply",
                    "key": key,
                    "replicate": replicate,
                    "latency_s": round(rng.uniform(0.3, 3), 4),
                    "attempts": [],
                    "raw": reply_of(rng, case.expected or (), prompts.names),
                }
                for replicate in range(REPLICATES)
            ]
            file.writelines(dump(row) + "\n" for row in rows)
    return Finished(RoutingDataset(cases=cases, name="benchmark"), catalog, path)


def plainly(run: Finished, build: Callable[[str], Any], names: tuple[str, ...]) -> Any:
    """Score a run one answer after the other: parse its line, build the request, its key, look up, judge."""
    from tohlab.routing import ChatReply, Trial
    from tohlab.routing.aggregate import make_report
    from tohlab.routing.answers import read_answer
    from tohlab.routing.scoring import judge
    from tohlab.routing.store import request_key

    replies = {}
    with run.path.open(encoding="ascii") as file:
        for line in file:
            row = json.loads(line)
            if row["kind"] == "reply":
                replies[row["key"], row["replicate"]] = row
    trials = []
    for case in run.dataset.cases:
        for replicate in range(REPLICATES):
            row = replies[request_key(build(case.query)), replicate]
            reply = ChatReply.from_raw(row["raw"], row["latency_s"])
            answer = read_answer(reply, names, choice="tools")
            trials.append(
                Trial(
                    case=case,
                    label=judge(case, answer),
                    replicate=replicate,
                    loaded=answer.loaded,
                    invalid=answer.invalid,
                    near=answer.near,
                    repeats=answer.repeats,
                    detail=answer.detail,
                    cut=answer.cut,
                    usage=reply.usage,
                    latency_s=reply.latency_s,
                    attempts=tuple(row["attempts"]),
                    stored=True,
                )
            )
    return make_report(
        trials,
        model=MODEL,
        dataset=run.dataset.name,
        skills=names,
        dialect="toh",
        choice="tools",
        placement="opening",
        replicates=REPLICATES,
    )


def builders(catalog: Any) -> tuple[Callable[[str], Any], Callable[[str], Any], tuple[str, ...]]:
    """Return two ways to a case's request, by a session of its own and by one prompter, and the names."""
    from tohlab.routing import ChatRequest
    from tohlab.routing.prompts import prompter
    from tohlab.session import Session

    prompts = prompter(catalog, model=MODEL)
    opening = Session(catalog)
    opening.next_request()
    history = opening.history

    def by_session(query: str) -> Any:
        body = Session(catalog, history=history).user(query).to_openai()
        return ChatRequest(
            model=MODEL,
            messages=tuple(body["messages"]),
            tools=tuple(body["tools"]),
            tool_choice="auto",
            max_tokens=256,
        )

    return by_session, prompts.request, prompts.names


def scoring(quick: bool) -> dict[str, Any]:
    """`run_routing` in mode `replay` over a whole store, against the plain ways over a part of it."""
    from tohlab.routing import ReplyStore, run_routing

    count = QUICK_CASES if quick else CASES
    with tempfile.TemporaryDirectory() as folder:
        whole, part = finished_run(folder, count), finished_run(folder, min(PLAIN_CASES, count))
        by_session, by_prompter, names = builders(whole.catalog)
        with ReplyStore(Path(folder, "answers.sqlite")) as store:
            store.import_(whole.path)

            def score(run: Finished) -> Any:
                return run_routing(
                    run.dataset,
                    run.catalog,
                    None,
                    model=MODEL,
                    store=store,
                    replicates=REPLICATES,
                    baselines=False,
                )

            with ReplyStore(Path(folder, "part.sqlite")) as small:
                small.import_(part.path)
                same = run_routing(
                    part.dataset,
                    part.catalog,
                    None,
                    model=MODEL,
                    store=small,
                    replicates=REPLICATES,
                    baselines=False,
                )
            (ours_s, report), (plain_s, one), (shared_s, other) = best(
                lambda: score(whole),
                lambda: plainly(part, by_session, names),
                lambda: plainly(part, by_prompter, names),
                repeats=3,
            )
    same = replace(same, digests=())  # what the lists show is not looked up there
    if one != same or other != same:
        raise MismatchError("the store and its lines give different reports")
    trials, plain_trials = len(report.trials), len(same.trials)
    ours_us, plain_us, shared_us = (
        1e6 * seconds / n
        for seconds, n in ((ours_s, trials), (plain_s, plain_trials), (shared_s, plain_trials))
    )
    return {
        "ratio": plain_us / ours_us,
        "what": "times less CPU for a stored answer than one by one from JSON lines: parse each line into a "
        "dictionary, build each request with `Session`, its key, look it up, read, judge, count (the same "
        "report)",
        "detail": {
            "cases": count,
            "replicates": REPLICATES,
            "trials": trials,
            "ours_s": ours_s,
            "ours_us_per_trial": ours_us,
            "plain_trials": plain_trials,
            "plain_us_per_trial": plain_us,
            "shared_prompter_us_per_trial": shared_us,
            "ratio_to_shared_prompter": shared_us / ours_us,
            "shared_prompter": "the plain way, but each request built by one `prompter` for the whole run, "
            "which is what `run_routing` builds by, too",
            "ours": "run_routing(mode replay, baselines=False) on the SQLite store, from building "
            "the requests to the report",
        },
    }
