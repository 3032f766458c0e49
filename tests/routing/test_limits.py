"""A run goes as fast as the service lets it, ends for every reason there is, and loses nothing."""

from __future__ import annotations

import asyncio
import io
import os
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.routing import shapes
from tests.routing.service import asked_text, completion, fails, ok, serving
from tohlab.errors import BudgetExceeded, EndpointError, RoutingError
from tohlab.frames import frame
from tohlab.library import library_cases, library_recording, library_skills
from tohlab.routing import (
    Budget,
    ChatReply,
    ChatRequest,
    OpenAIClient,
    Price,
    Progress,
    ProgressBar,
    ReplyStore,
    RetryPolicy,
    RoutingDataset,
    RoutingReport,
    Trial,
    estimate_run,
    iter_routing,
    load_cases,
    load_catalog,
    run_routing,
)
from tohlab.routing.limiter import Limiter

QUICK = RetryPolicy(first_wait_s=0.01)


def many(n: int) -> RoutingDataset:
    return RoutingDataset(cases=tuple(shapes.case(i, shapes.NAMES[i % 3]) for i in range(n)), name="many")


# As fast as the service lets it.


async def test_places_grow_with_answers_and_halve_once_for_each_complaint() -> None:
    limiter = Limiter(8, 64)
    tokens = [await limiter.enter() for _ in range(8)]
    for token in tokens[:4]:
        limiter.leave(token, "rate_limit")
    assert limiter.places == 4  # four refusals of one burst are one complaint
    for token in tokens[4:]:
        limiter.leave(token, None)
    assert limiter.places == 4
    limiter.leave(await limiter.enter(), "server")
    assert limiter.places == 2
    for _ in range(200):
        limiter.leave(await limiter.enter(), None)
    assert 15 <= limiter.places <= 64
    for kind in ("bad_request", "content_filter"):
        limiter.leave(await limiter.enter(), kind)
    assert limiter.places >= 15


async def test_until_the_first_complaint_the_places_double_with_each_round_of_answers() -> None:
    limiter = Limiter(8, 64)
    for places in (16, 32, 64, 64):
        for token in [await limiter.enter() for _ in range(limiter.places)]:
            limiter.leave(token, None)
        assert limiter.places == places
    limiter.leave(await limiter.enter(), "rate_limit")
    assert limiter.places == 32
    for token in [await limiter.enter() for _ in range(32)]:
        limiter.leave(token, None)
    assert limiter.places == 32  # from now on a round of answers is worth about one place
    limiter.leave(await limiter.enter(), None)
    limiter.leave(await limiter.enter(), None)
    assert limiter.places == 33


async def test_nobody_waits_for_a_place_for_ever() -> None:
    limiter = Limiter(1, 1)
    order: list[int] = []

    async def one(i: int) -> None:
        token = await limiter.enter()
        order.append(i)
        await asyncio.sleep(0)
        limiter.leave(token, None if i % 2 else "timeout")

    async with asyncio.timeout(5):
        await asyncio.gather(*(one(i) for i in range(20)))
    assert sorted(order) == list(range(20))


def test_a_service_that_takes_three_at_once_is_asked_fewer_at_once() -> None:
    dataset = many(40)
    perfect = shapes.perfect(dataset)
    lock = threading.Lock()
    under_way = most = refused = 0

    def script(body: dict[str, Any], number: int) -> Any:
        nonlocal under_way, most, refused
        with lock:
            under_way += 1
            most = max(most, under_way)
            crowded = under_way > 3
            refused += crowded
        time.sleep(0.02)
        with lock:
            under_way -= 1
        return fails(429, Retry_After="0.05") if crowded else perfect(body, number)

    seen: list[int] = []
    with serving(script) as service:
        report = run_routing(
            dataset,
            shapes.source(),
            OpenAIClient(service.base_url),
            model="m",
            concurrency=16,
            retry=RetryPolicy(attempts={"rate_limit": 30}, first_wait_s=0.01),
            progress=lambda p: seen.append(p.at_once),
        )
    assert (report.n_scored, report.exact.value) == (40, 1.0)
    assert refused > 0
    assert seen[0] == 8
    assert min(seen) <= 4


# Every reason to end.


def test_an_attempt_that_never_answers_has_an_end_whatever_the_client_is() -> None:
    class Silent:
        async def complete(self, request: ChatRequest) -> ChatReply:
            await asyncio.sleep(3600)
            raise AssertionError

    start = time.monotonic()
    with pytest.raises(EndpointError, match=r"no answer within 0\.05 s") as caught:
        run_routing(
            many(1),
            shapes.source(),
            Silent(),
            model="m",
            retry=RetryPolicy(deadline_s=0.05, first_wait_s=0.01),
        )
    assert caught.value.kind == "timeout"
    assert time.monotonic() - start < 30


def test_a_content_filter_is_asked_once_and_stands_beside_the_score() -> None:
    dataset = many(4)
    perfect = shapes.perfect(dataset)
    body = {"error": {"code": "content_filter", "message": "no"}}
    with serving(lambda b, n: fails(400, body) if n == 0 else perfect(b, n)) as service:
        report = run_routing(dataset, shapes.source(), OpenAIClient(service.base_url), model="m")
        assert len(service.bodies) == 4
    assert (report.trials[0].label, report.n_scored) == ("infra:content_filter", 3)


# A budget.


def test_a_budget_stops_a_run_before_it_is_passed_and_says_what_was_asked() -> None:
    dataset = many(20)
    estimate = estimate_run(dataset, shapes.source(), model="m", max_tokens=10)
    usage = {"prompt_tokens": estimate.prompt_tokens // 20, "completion_tokens": 5}
    right = {c.query: c.expected or () for c in dataset.cases}
    budget = Budget(tokens=estimate.prompt_tokens + 60)
    with serving(lambda b, n: ok(completion(*right[asked_text(b)], usage=usage))) as service:
        report = run_routing(
            dataset, shapes.source(), OpenAIClient(service.base_url), model="m", max_tokens=10, budget=budget
        )
        asked = len(service.bodies)
    assert 10 < asked < 20
    assert (report.n_total, report.n_scored) == (asked, asked)
    (note,) = report.notes
    assert f"{asked} of 20 requests were asked" in note
    assert "no sample" in note
    assert report.tokens.prompt + report.tokens.completion <= estimate.prompt_tokens + 60


def test_what_a_content_filter_took_away_uses_up_the_budget_too() -> None:
    dataset = many(20)
    estimate = estimate_run(dataset, shapes.source(), model="m", max_tokens=10)
    each = estimate.prompt_tokens // 20
    usage = {"prompt_tokens": each, "completion_tokens": 10}
    taken = completion(content="", finish="content_filter", usage=usage)
    budget = Budget(tokens=estimate.prompt_tokens + 60)
    with serving(lambda b, n: ok(completion("pdf-forms", usage=usage) if n == 0 else taken)) as service:
        report = run_routing(
            dataset, shapes.source(), OpenAIClient(service.base_url), model="m", max_tokens=10, budget=budget
        )
        asked = len(service.bodies)
    assert asked < 20
    assert (report.n_scored, report.n_service_error) == (1, asked - 1)
    assert report.tokens.prompt == asked * each


def test_a_budget_that_the_prompts_alone_pass_is_refused_before_anything_is_asked() -> None:
    with serving(lambda b, n: ok(completion("pdf-forms"))) as service:
        client = OpenAIClient(service.base_url)
        for budget in (Budget(tokens=10), Budget(usd=1e-6, price=Price(input_usd=1, output_usd=1))):
            with pytest.raises(BudgetExceeded, match="--limit N"):
                run_routing(many(5), shapes.source(), client, model="m", budget=budget)
        assert service.bodies == []
    with pytest.raises(RoutingError, match="needs a price"):
        Budget(usd=1)
    with pytest.raises(RoutingError, match="above 0"):
        Budget(tokens=0)


def test_a_budget_in_money_counts_what_the_answers_cost(tmp_path: Path) -> None:
    price = Price(input_usd=1000, output_usd=1000, cached_usd=0)  # a cent for ten tokens
    usage = {"prompt_tokens": 300, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 290}}
    estimate = estimate_run(many(10), shapes.source(), model="m", max_tokens=10, price=price)
    assert estimate.high_usd is not None
    small = Budget(usd=estimate.high_usd / 10 + 0.05, price=price)  # room for one more after two or three
    with serving(lambda b, n: ok(completion("pdf-forms", usage=usage))) as service:
        client = OpenAIClient(service.base_url)
        with ReplyStore(tmp_path / "s.sqlite") as store:
            first = run_routing(
                many(10), shapes.source(), client, model="m", max_tokens=10, store=store,
                budget=small,
            )  # fmt: skip
            asked = len(service.bodies)
            assert 1 <= asked < 10
            again = run_routing(
                many(10), shapes.source(), client, model="m", max_tokens=10, store=store,
                budget=Budget(usd=100, price=price),
            )  # fmt: skip
    assert first.cost(price).now_usd == pytest.approx(asked * 0.02)
    assert again.cost(price).now_usd == pytest.approx((10 - asked) * 0.02)
    assert again.cost(price).recorded_usd == pytest.approx(asked * 0.02)


def test_an_estimate_counts_what_would_be_sent_and_not_what_the_store_has(tmp_path: Path) -> None:
    dataset = shapes.ten()
    price = Price(input_usd=1, output_usd=10, cached_usd=0.1)
    before = estimate_run(dataset, shapes.source(), model="m", price=price)
    assert (before.requests, before.stored, before.completion_tokens) == (10, 0, 2560)
    assert before.low_usd == pytest.approx(before.prompt_tokens * 0.1 / 1e6)
    assert before.high_usd == pytest.approx((before.prompt_tokens + 25_600) / 1e6)
    with ReplyStore(tmp_path / "s.sqlite") as store:
        with serving(shapes.perfect(dataset)) as service:
            client = OpenAIClient(service.base_url)
            run_routing(dataset.sample(4), shapes.source(), client, model="m", store=store)
        rest = estimate_run(dataset, shapes.source(), model="m", store=store)
    assert (rest.requests, rest.stored, rest.low_usd) == (6, 4, None)
    assert estimate_run(dataset, shapes.source(), model="m", max_tokens=None).completion_tokens is None


# Results as they finish.


def test_trials_come_as_they_finish_and_fill_a_table() -> None:
    dataset = shapes.ten()
    rows: list[Trial] = []
    with serving(shapes.perfect(dataset), delay_s=0.02) as service:
        running = iter_routing(dataset, shapes.source(), OpenAIClient(service.base_url), model="m")
        rows.append(next(running))
        assert len(service.bodies) < 10
        for trial in running:
            rows.append(trial)
            assert len(frame(rows)) == len(rows)
    assert [t.case for t in rows] == list(dataset.cases)
    assert frame(rows)["right"].all()


def test_the_generator_s_value_is_the_report_and_its_error_the_run_s() -> None:
    dataset = shapes.ten()

    def whole(client: OpenAIClient) -> Any:
        return (yield from iter_routing(dataset, shapes.source(), client, model="m"))

    with serving(shapes.perfect(dataset)) as service:
        generator = whole(OpenAIClient(service.base_url))
        trials = [next(generator) for _ in range(10)]
        with pytest.raises(StopIteration) as caught:
            next(generator)
    assert [t.case for t in trials] == list(dataset.cases)
    assert isinstance(caught.value.value, RoutingReport)
    with serving(lambda b, n: fails(401)) as service, pytest.raises(EndpointError, match="401"):
        list(iter_routing(dataset, shapes.source(), OpenAIClient(service.base_url), model="m"))


def test_closing_early_stops_the_run_and_keeps_what_was_answered(tmp_path: Path) -> None:
    dataset = shapes.ten()
    with (
        serving(shapes.perfect(dataset), delay_s=0.02) as service,
        ReplyStore(tmp_path / "s.sqlite") as store,
    ):
        client = OpenAIClient(service.base_url)
        running = iter_routing(dataset, shapes.source(), client, model="m", store=store)
        got = [next(running) for _ in range(3)]
        running.close()
        assert len(service.bodies) <= 5
        kept = len(store)
        assert 3 <= kept <= 5
        rest = list(iter_routing(dataset, shapes.source(), client, model="m", store=store))
    assert [t.stored for t in rest] == [True] * kept + [False] * (10 - kept)
    assert [t.case for t in got] == [t.case for t in rest[:3]]


def test_the_bar_says_why_it_waits() -> None:
    dataset = many(3)
    perfect = shapes.perfect(dataset)
    out = io.StringIO()
    with serving(lambda b, n: fails(429, Retry_After="1") if n == 1 else perfect(b, n)) as service:
        run_routing(
            dataset,
            shapes.source(),
            OpenAIClient(service.base_url),
            model="m",
            progress=ProgressBar(file=out, mininterval=0),
        )
    assert "waiting: rate_limit 429, attempt 2 in 1 s" in out.getvalue()
    assert "1/3" in out.getvalue()


# Nothing is lost.

RUN = """
    import resource, sys
    from tests.routing import shapes
    from tests.routing.test_limits import many
    from tohlab.errors import AnswerNotKept
    from tohlab.routing import OpenAIClient, ReplyStore, run_routing

    url, path, limit = sys.argv[1:]
    with ReplyStore(path) as store:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
        try:
            run_routing(many(40), shapes.source(), OpenAIClient(url), model="m", store=store)
        except AnswerNotKept as error:
            print(error.answered, error.report.n_scored, error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on a file's size")
def test_a_disk_that_is_full_stops_the_run_and_the_next_asks_only_the_rest(tmp_path: Path) -> None:
    dataset = many(40)
    path = tmp_path / "s.sqlite"
    perfect = shapes.perfect(dataset)
    padding = "x" * 3000

    def script(body: dict[str, Any], number: int) -> Any:
        status, headers, data = perfect(body, number)
        return status, headers, data.replace(b'"object"', b'"padding": "' + padding.encode() + b'", "object"')

    with serving(script) as service:
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(RUN), service.base_url, str(path), "120000"],
            capture_output=True,
            text=True,
            cwd=Path(__file__).parents[2],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        answered, scored = map(int, done.stdout.split()[:2])
        assert answered == scored
        assert 3 <= answered < 40
        assert f"run the same again with --store {path}" in done.stdout
        before = len(service.bodies)
        with ReplyStore(path) as store:
            kept = len(store)
            assert answered - 1 <= kept <= answered
            client = OpenAIClient(service.base_url)
            report = run_routing(dataset, shapes.source(), client, model="m", store=store)
        assert len(service.bodies) - before == 40 - kept
    assert (report.n_scored, report.n_stored, report.exact.value) == (40, kept, 1.0)


def test_our_own_recording_is_replayed_whole_and_scored_without_asking() -> None:
    dataset, source = load_cases(library_cases()), load_catalog(library_skills())
    told: list[Progress] = []
    with ReplyStore(":memory:") as store:
        count = store.import_(library_recording())
        (model,) = store.models()
        report = run_routing(dataset, source, None, model=model, store=store, progress=told.append)
    assert report.n_stored == report.n_total == len(dataset) <= count
    assert sum(p.trial is not None for p in told) == len(dataset)


def test_neither_a_key_nor_a_header_is_ever_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOHLAB_API_KEY", "key-nobody-may-see")
    raw = {**completion("pdf-forms"), "echo": "key-nobody-may-see"}
    with (
        serving(lambda b, n: (200, {"X-Secret": "header-text"}, ok(raw)[2])) as service,
        ReplyStore(tmp_path / "s.sqlite") as store,
    ):
        run_routing(many(2), shapes.source(), OpenAIClient(service.base_url), model="m", store=store)
        store.export(tmp_path / "r.jsonl")
    for path in tmp_path.iterdir():
        data = path.read_bytes()
        assert b"key-nobody-may-see" not in data
        assert b"header-text" not in data
        assert b"uthorization" not in data
