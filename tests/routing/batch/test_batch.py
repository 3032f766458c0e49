"""A batch gives the same answers as a live run, whatever the service does with it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.routing import shapes
from tests.routing.batch.batch_service import BatchService, Faults, batching
from tests.routing.service import completion, fails, ok
from tohlab.errors import BudgetExceeded, EndpointError, RoutingError, StoreError
from tohlab.routing import (
    Budget,
    OpenAIClient,
    Price,
    Progress,
    ReplyStore,
    RetryPolicy,
    RoutingDataset,
    RoutingReport,
    load_report,
    run_routing,
)
from tohlab.routing.batch import (
    BatchClient,
    BatchLimits,
    Collection,
    batch_report,
    batch_status,
    cancel_batch,
    collect_batch,
    run_batch,
    submit_batch,
)
from tohlab.routing.batch.results import other_model
from tohlab.routing.client import ChatRequest

QUICK = RetryPolicy(first_wait_s=0.01)
PRICE = Price(input_usd=2.0, output_usd=8.0, cached_usd=0.5)


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with ReplyStore(tmp_path / "s.sqlite") as found:
        yield found


def run(
    service: BatchService, store: ReplyStore, dataset: RoutingDataset | None = None, **more: Any
) -> RoutingReport:
    return run_batch(
        dataset or shapes.ten(),
        shapes.source(),
        BatchClient(service.base_url),
        model="m",
        store=store,
        first_poll_s=0.01,
        retry=QUICK,
        **more,
    )


def submit(
    service: BatchService, store: ReplyStore, dataset: RoutingDataset | None = None, **more: Any
) -> Any:
    client = BatchClient(service.base_url)
    return submit_batch(
        dataset or shapes.ten(), shapes.source(), client, model="m", store=store, retry=QUICK, **more
    )


def collect(service: BatchService, store: ReplyStore, **more: Any) -> Collection:
    return collect_batch(store, BatchClient(service.base_url), retry=QUICK, **more)


def perfect() -> Any:
    return shapes.perfect(shapes.ten())


def _text(body: dict[str, Any]) -> str:
    """A body with its outermost keys sorted; the order inside is sent, and so it counts."""
    return json.dumps({key: body[key] for key in sorted(body)})


# The answers.


def test_a_batch_scores_as_a_live_run_does_and_a_live_run_after_it_asks_nothing(store: ReplyStore) -> None:
    with batching(perfect(), Faults(shuffle=3)) as service:
        report = run(service, store)
        assert (report.n_total, report.n_scored, report.exact.value, report.n_stored) == (10, 10, 1.0, 0)
        live = run_routing(
            shapes.ten(), shapes.source(), OpenAIClient(service.base_url), model="m", store=store
        )
        assert service.bodies == []
    assert live.n_stored == 10
    assert live.exact == report.exact


def test_a_line_of_the_file_is_the_live_request_with_a_name_that_fits(store: ReplyStore) -> None:
    dataset = shapes.ten()
    odd = replace(dataset.cases[0], id="odd", query="half a character \ud83d and a line\u2028separator")
    dataset = replace(dataset, cases=(*dataset.cases, odd))
    with batching(lambda body, number: ok(completion())) as service:
        submit(service, store, dataset, replicates=2)
        run_routing(dataset, shapes.source(), OpenAIClient(service.base_url), model="m", replicates=2)
        (data,) = service.files.values()
        assert data.isascii()
        lines = [json.loads(line) for line in data.splitlines()]
    assert all((line["method"], line["url"]) == ("POST", "/v1/chat/completions") for line in lines)
    assert {line["custom_id"][-2:] for line in lines} == {"-0", "-1"}
    assert len({line["custom_id"] for line in lines}) == 22
    assert max(len(line["custom_id"]) for line in lines) <= 64
    live = sorted(_text(body) for body in service.bodies)
    assert sorted(_text(line["body"]) for line in lines) == live


def test_openai_itself_is_sent_its_newer_name_of_the_longest_answer() -> None:
    client = BatchClient("https://api.openai.com/v1", api_key="k" * 8)
    request = ChatRequest(model="m", messages=({"role": "user", "content": "x"},), max_tokens=7)
    body = json.loads(client.line("a-0", request))["body"]
    assert body["max_completion_tokens"] == 7
    assert "max_tokens" not in body


def test_a_batch_costs_half_and_says_so_beside_live_answers(store: ReplyStore, tmp_path: Path) -> None:
    dataset = shapes.ten()
    first = replace(dataset, cases=dataset.cases[:4])
    full = 10 * 2.0 + 90 * 0.5 + 7 * 8.0
    with batching(perfect()) as service:
        run_routing(first, shapes.source(), OpenAIClient(service.base_url), model="m", store=store)
        report = run(service, store)
    cost = report.cost(PRICE)
    assert cost.recorded_usd == pytest.approx(4 * full / 1e6)
    assert cost.now_usd == pytest.approx(6 * full / 2 / 1e6)
    assert report.cost(replace(PRICE, batch_share=0.25)).now_usd == pytest.approx(6 * full / 4 / 1e6)
    assert [t.usage.batch for t in report.trials] == [False] * 4 + [True] * 6
    assert all((t.latency_s is None) == t.usage.batch for t in report.trials)
    store.export(tmp_path / "r.jsonl")
    with ReplyStore(":memory:") as other:
        other.import_(tmp_path / "r.jsonl")
        again = run_routing(dataset, shapes.source(), None, model="m", store=other)
    assert again.cost(PRICE).recorded_usd == pytest.approx((4 + 6 / 2) * full / 1e6)


def test_a_saved_report_still_knows_what_was_half_price(store: ReplyStore, tmp_path: Path) -> None:
    with batching(perfect()) as service:
        report = run(service, store)
    (tmp_path / "r.json").write_text(json.dumps(report.to_dict(trials=True)), "utf-8")
    assert load_report(tmp_path / "r.json").cost(PRICE) == report.cost(PRICE)


def test_two_cases_with_one_text_are_one_request(store: ReplyStore) -> None:
    dataset = shapes.ten()
    twin = replace(dataset.cases[0], id="twin")
    with batching(perfect()) as service:
        report = run(service, store, replace(dataset, cases=(*dataset.cases, twin)))
        assert sum(service.asked.values()) == 10
    assert (report.n_total, report.exact.value) == (11, 1.0)


def test_replicates_are_answers_of_their_own(store: ReplyStore) -> None:
    with batching(perfect()) as service:
        report = run(service, store, replicates=3)
        assert len(service.asked) == 30
    assert (report.n_total, report.replicates, len(store)) == (30, 3, 30)


def test_requests_are_split_at_the_limits_of_a_file(store: ReplyStore) -> None:
    with batching(perfect()) as service:
        found = submit(service, store, limits=BatchLimits(requests=4))
        assert [len(data.splitlines()) for data in service.files.values()] == [4, 4, 2]
        assert found.batch_ids == ("batch_0", "batch_1", "batch_2")
        assert len(set(service.names.values())) == 3


def test_no_file_is_larger_than_its_limit(store: ReplyStore) -> None:
    with batching(perfect()) as service:
        submit(service, store, limits=BatchLimits(file_bytes=5_000))
        sizes = [len(data) for data in service.files.values()]
    assert len(sizes) > 1
    assert max(sizes) <= 5_000
    assert sum(data.count(b"\n") for data in service.files.values()) == 10


def test_one_request_above_the_limit_is_refused_before_anything_is_sent(store: ReplyStore) -> None:
    with batching(perfect()) as service:
        with pytest.raises(RoutingError, match="one request alone is"):
            submit(service, store, limits=BatchLimits(file_bytes=100))
        assert service.operations == []
    assert batch_status(store) == ()


def test_a_budget_counts_the_batch_price_and_refuses_as_a_whole(store: ReplyStore) -> None:
    with batching(perfect()) as service:
        with pytest.raises(BudgetExceeded, match=r"10 requests are up to .*Nothing was asked"):
            submit(service, store, budget=Budget(usd=0.00001, price=PRICE))
        assert service.operations == []
        # Up to 2,560 tokens out, so 0.02048 USD at the live price; at half of it there is room.
        submit(service, store, budget=Budget(usd=0.0185, price=PRICE))
    assert len(service.batches) == 1


# Submitting once.


def test_submitting_twice_submits_once(store: ReplyStore) -> None:
    with batching(perfect()) as service:
        first, second = submit(service, store), submit(service, store)
        assert (first.submitted, second.submitted, second.under_way) == (10, 0, 10)
        collect(service, store)
        collect(service, store)
        assert submit(service, store).stored == 10
        assert service.operations.count("create") == 1


def test_a_store_in_memory_is_refused() -> None:
    with batching(perfect()) as service, ReplyStore(":memory:") as store:
        with pytest.raises(StoreError, match="a store in a file"):
            submit(service, store)
        assert service.operations == []


@pytest.mark.parametrize("operation", ["upload", "create", "retrieve", "content"])
@pytest.mark.parametrize("status", [429, 500, 503, 0])
def test_a_call_that_fails_is_tried_again_and_nothing_is_asked_twice(
    store: ReplyStore, operation: str, status: int
) -> None:
    with batching(perfect(), Faults(status={operation: [status]})) as service:
        report = run(service, store)
        assert set(service.asked.values()) == {1}
        assert len(service.batches) == 1
    assert report.exact.value == 1.0


def test_a_key_that_is_refused_stops_at_once_and_a_right_one_goes_on(store: ReplyStore) -> None:
    with batching(perfect(), Faults(status={"upload": [401]})) as service:
        with pytest.raises(EndpointError, match="TOHLAB_API_KEY"):
            run(service, store)
        assert service.operations == ["upload"]
        assert run(service, store).exact.value == 1.0
        assert len(service.batches) == 1


def test_a_batch_that_the_service_does_not_take_stays_no_obstacle(store: ReplyStore) -> None:
    with batching(perfect(), Faults(status={"create": [400]})) as service:
        with pytest.raises(EndpointError, match="400"):
            submit(service, store)
        assert submit(service, store).refused == 10
        assert submit(service, store, again=True).submitted == 10


# What a service does to a batch.


def test_two_answers_to_one_request_count_once_and_the_first_one(store: ReplyStore) -> None:
    with batching(perfect(), Faults(twice=True)) as service:
        submit(service, store)
        collect(service, store)
        found = collect(service, store)
    assert (found.answered, found.duplicates) == (10, 10)
    assert batch_report(shapes.ten(), shapes.source(), model="m", store=store, endpoint="").exact.value == 1.0


def test_a_completed_batch_with_an_error_file_only_has_no_score(store: ReplyStore) -> None:
    with batching(lambda body, number: fails(500)) as service:
        with pytest.raises(EndpointError, match=r"none of 10 requests was answered \(server 10\)"):
            run(service, store)
        assert service.batches["batch_0"]["status"] == "completed"
        assert service.batches["batch_0"]["output_file_id"] is None


def test_requests_that_failed_stand_beside_the_score_by_their_kind(store: ReplyStore) -> None:
    answers = {
        0: fails(429),
        1: fails(429, {"error": {"message": "no more", "code": "insufficient_quota"}}),
        2: fails(400, {"error": {"message": "maximum context length is 10"}}),
        3: fails(401),
        4: ok({"no": "completion"}),
    }
    timeout = {"code": "request_timeout", "message": "too slow"}

    def fail(line: dict[str, Any]) -> dict[str, Any] | None:
        text = line["body"]["messages"][-1]["content"]
        if text.endswith("5"):
            return BatchService.row(line, None, timeout)
        return BatchService.row(line, {"status_code": 0, "body": None}, None) if text.endswith("6") else None

    def script(body: dict[str, Any], number: int) -> Any:
        which = int(body["messages"][-1]["content"][-1])
        return answers.get(which) or perfect()(body, number)

    with batching(script, Faults(fail=fail)) as service:
        report = run(service, store)
    assert dict(report.labels) == {
        "ok": 3,
        "infra:rate_limit": 1,
        "infra:quota": 1,
        "infra:context_length": 1,
        "infra:auth": 1,
        "infra:garbage": 1,
        "infra:timeout": 1,
        "infra:server": 1,
    }
    assert (report.n_scored, report.n_service_error, report.exact.value) == (3, 7, 1.0)
    assert len(store) == 3


@pytest.mark.parametrize("silent", [False, True])
def test_what_expired_is_submitted_again_and_only_that(store: ReplyStore, silent: bool) -> None:
    with batching(perfect(), Faults(expire_after=6, shuffle=1, silent=silent)) as service:
        report = run(service, store)
        assert [len(service.lines(batch)) for batch in service.batches.values()] == [10, 4]
        assert set(service.asked.values()) == {1}
    assert (report.n_scored, report.exact.value) == (10, 1.0)


def test_what_expires_in_the_last_round_is_no_answer_and_no_score(store: ReplyStore) -> None:
    with batching(perfect(), Faults(expire_after=6)) as service:
        report = run(service, store, rounds=1)
    assert (report.n_scored, report.n_service_error) == (6, 4)
    assert dict(report.labels)["infra:timeout"] == 4


def test_a_file_that_does_not_pass_the_check_says_why(store: ReplyStore) -> None:
    errors = [{"code": "model_not_found", "message": "there is no model m", "line": 3}]
    with batching(perfect(), Faults(invalid=errors)) as service:
        with pytest.raises(EndpointError, match=r"bad_request 10.*model_not_found.*\(line 3\)"):
            run(service, store)
        (state,) = batch_status(store)
        assert (state.status, state.collected) == ("failed", True)
        assert "model_not_found" in state.detail
        # The same again would end the same, so it is not submitted; told to, it is.
        with pytest.raises(EndpointError, match="bad_request 10"):
            run(service, store)
        assert len(service.batches) == 1
        service.faults.invalid = []
        assert run(service, store, again=True).exact.value == 1.0


def test_a_full_queue_is_no_fault_of_the_request(store: ReplyStore) -> None:
    errors = [{"code": "token_limit_exceeded", "message": "Enqueued token limit reached", "line": None}]
    with batching(perfect(), Faults(invalid=errors)) as service:
        submit(service, store)
        collect(service, store)
        assert collect(service, store).failed == (("rate_limit", 10),)
        service.faults.invalid = []
        assert submit(service, store).submitted == 10


def test_a_line_that_is_cut_spoils_no_other(store: ReplyStore) -> None:
    with batching(perfect(), Faults(cut=True)) as service:
        submit(service, store)
        collect(service, store)
        found = collect(service, store)
        assert (found.answered, found.unreadable, found.failed) == (9, 1, (("garbage", 1),))
        report = batch_report(shapes.ten(), shapes.source(), model="m", store=store, endpoint="")
        assert (report.n_scored, report.n_service_error) == (9, 1)


def test_the_same_results_can_be_read_again(store: ReplyStore) -> None:
    with batching(perfect(), Faults(cut=True)) as service:
        submit(service, store)
        collect(service, store)
        collect(service, store)
        service.faults.cut = False
        service.batches["batch_0"]["status"] = "in_progress"
        service.looked.clear()
        service.faults.looks = 0
        found = collect(service, store, again=True)
        assert (found.answered, found.failed, found.unreadable) == (1, (), 0)
    assert len(store) == 10


def test_answers_of_another_model_are_not_taken(store: ReplyStore) -> None:
    with batching(perfect(), Faults(model="gpt-other")) as service:
        submit(service, store)
        collect(service, store)
        found = collect(service, store)
        assert (found.answered, found.other_models) == (0, ("gpt-other",))
        assert len(store) == 0
        found = collect(service, store, again=True, answers_as=["gpt-other"])
        assert (found.answered, len(store)) == (10, 10)


@pytest.mark.parametrize(
    ("asked", "answered", "other"),
    [
        ("gpt-x", "gpt-x-2026-10-01", False),
        ("org/Model", "model", False),
        ("gpt-x-2026-10-01", "gpt-x", False),
        ("gpt-x", None, False),
        ("gpt-x", "gpt-y", True),
        ("gpt-x-mini", "gpt-x-nano", True),
    ],
)
def test_a_longer_or_shorter_name_is_the_same_model(asked: str, answered: str | None, other: bool) -> None:
    assert other_model(asked, answered) is other


def test_answers_that_are_missing_or_nobodys_are_counted_and_not_scored(store: ReplyStore) -> None:
    with batching(perfect(), Faults(drop=2, strangers=3)) as service:
        submit(service, store)
        collect(service, store)
        found = collect(service, store)
    assert (found.answered, found.unknown, found.failed) == (8, 3, (("server", 2),))
    assert len(store) == 8


def test_a_half_character_in_an_answer_is_stored_as_it_came(store: ReplyStore) -> None:
    with batching(lambda body, number: ok(completion(content="\ud835"))) as service:
        report = run(service, store)
    assert report.n_scored == 10


def test_a_batch_of_other_cases_in_the_same_store_disturbs_nothing(store: ReplyStore) -> None:
    others = RoutingDataset(cases=tuple(shapes.case(i, "pdf-forms") for i in range(50, 55)), name="others")
    with batching(lambda body, number: ok(completion("pdf-forms"))) as service:
        submit(service, store, others)
        service.faults.looks = 3
        report = run(service, store)
        assert (report.n_total, report.exact.n) == (10, 10)
        assert run(service, store, others).exact.value == 1.0
        assert set(service.asked.values()) == {1}


def test_a_live_answer_that_came_first_stays(store: ReplyStore) -> None:
    with batching(perfect()) as service:
        submit(service, store)
        run_routing(shapes.ten(), shapes.source(), OpenAIClient(service.base_url), model="m", store=store)
        collect(service, store)
        assert collect(service, store).answered == 0
    report = run_routing(shapes.ten(), shapes.source(), None, model="m", store=store)
    assert not any(t.usage.batch for t in report.trials)


# Looking and stopping.


def test_a_stopped_batch_keeps_what_it_answered(store: ReplyStore) -> None:
    with batching(perfect()) as service:
        submit(service, store)
        (stopped,) = cancel_batch(store, BatchClient(service.base_url))
        assert stopped.status == "cancelling"
        found = collect(service, store)
        assert (found.answered, found.failed) == (5, (("cancelled", 5),))
        report = batch_report(shapes.ten(), shapes.source(), model="m", store=store, endpoint="")
        assert dict(report.labels) == {"ok": 5, "infra:cancelled": 5}
        assert submit(service, store).submitted == 5


def test_a_batch_that_the_service_lost_can_be_forgotten(store: ReplyStore) -> None:
    with batching(perfect()) as service:
        submit(service, store)
        service.batches.clear()
        with pytest.raises(EndpointError, match=r"knows no batch batch_0.*--forget"):
            collect(service, store)
        (state,) = cancel_batch(store, BatchClient(service.base_url), forget=True)
        assert (state.status, state.collected) == ("forgotten", True)
        assert submit(service, store).submitted == 10


def test_a_report_is_refused_while_something_is_under_way(store: ReplyStore) -> None:
    with batching(perfect()) as service:
        submit(service, store)
        with pytest.raises(EndpointError, match="10 requests are still under way"):
            batch_report(shapes.ten(), shapes.source(), model="m", store=store, endpoint="")


def test_waiting_says_for_what_and_how_long_still(store: ReplyStore) -> None:
    told: list[Progress] = []
    with batching(perfect(), Faults(looks=3)) as service:
        run(service, store, progress=told.append)
    waits = [p.waiting for p in told if "next look" in p.waiting]
    assert "batch_0 in_progress 0/10; next look in 0 s" in waits
    assert (told[-1].done, told[-1].total) == (10, 10)


def test_no_key_reaches_the_store_or_the_file(store: ReplyStore, tmp_path: Path) -> None:
    secret = "sk-very-secret-42"
    with batching(lambda body, number: ok(completion(content=f"echo {secret}"))) as service:
        client = BatchClient(service.base_url, api_key=secret)
        run_batch(
            shapes.ten(), shapes.source(), client, model="m", store=store, first_poll_s=0.01, retry=QUICK
        )
        assert service.headers[0]["authorization"] == f"Bearer {secret}"
    store.close()
    assert all(secret.encode() not in path.read_bytes() for path in tmp_path.iterdir())
