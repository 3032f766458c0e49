"""A run asks every case, keeps every answer, and stops for a reason."""

from __future__ import annotations

import _thread
import asyncio
import inspect
import re
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from tests.routing import shapes
from tests.routing.service import Answer, asked_text, completion, fails, ok, serving
from tohlab.errors import DatasetError, EndpointError, ReplayMiss, RoutingError, RunInterrupted, StoreError
from tohlab.routing import (
    ListedSkills,
    OpenAIClient,
    Progress,
    ReplyStore,
    RetryPolicy,
    RoutingCase,
    RoutingDataset,
    RoutingReport,
    arun_routing,
    estimate_run,
    iter_routing,
    run_routing,
)
from tohlab.routing.batch import submit_batch
from tohlab.routing.prompts import prompter
from tohlab.routing.runner import prepared
from tohlab.routing.sharded import run_sharded
from tohlab.routing.wanted import Asking
from tohlab.skills.model import Invocation, LoadedSkill
from tohlab.skills.sources import MemorySource

QUICK = RetryPolicy(first_wait_s=0.01)


def test_a_perfect_model_is_right_in_ten_of_ten() -> None:
    dataset = shapes.ten()
    with serving(shapes.perfect(dataset)) as service:
        report = run_routing(dataset, shapes.source(), OpenAIClient(service.base_url), model="m")
    assert (report.n_total, report.n_scored, report.n_service_error, report.n_model_error) == (10, 10, 0, 0)
    assert report.exact.value == 1.0
    assert report.no_skill is not None
    assert report.no_skill.n == 1
    assert (report.tokens.prompt, report.tokens.cached, report.tokens.completion) == (1000, 900, 70)


def test_the_catalog_is_asked_in_front_of_the_request_or_after_it() -> None:
    dataset = shapes.ten()
    with serving(lambda body, number: ok(completion())) as service:
        client = OpenAIClient(service.base_url)
        run_routing(dataset, shapes.source(), client, model="m")
        run_routing(dataset, shapes.source(), client, model="m", placement="same-step")
    opening, same_step = service.bodies[0]["messages"], service.bodies[10]["messages"]
    assert opening[1] == {"role": "user", "content": "request number 0"}
    assert opening == list(reversed(same_step))
    assert "docx-report" in opening[0]["content"]
    assert [t["function"]["name"] for t in service.bodies[0]["tools"]] == ["skill"]
    assert service.bodies[0]["tool_choice"] == "auto"


def test_asking_for_json_adds_one_message_and_a_schema_of_the_names() -> None:
    dataset = shapes.ten()
    with serving(lambda body, number: ok(completion(content='{"skills": ["pdf-forms"]}'))) as service:
        report = run_routing(
            dataset, shapes.source(), OpenAIClient(service.base_url), model="m", choice="json"
        )
    body = service.bodies[0]
    assert "tools" not in body
    assert [m["role"] for m in body["messages"]] == ["user"] * 3
    assert asked_text(body) == "request number 0"
    items = body["response_format"]["json_schema"]["schema"]["properties"]["skills"]["items"]
    assert items["enum"] == [*shapes.NAMES, "(none)"]
    assert report.choice == "json"
    assert dict(report.labels)["ok"] == 3


def test_a_store_makes_the_second_run_ask_nothing(tmp_path: Path) -> None:
    dataset = shapes.ten()
    with serving(shapes.perfect(dataset)) as service, ReplyStore(tmp_path / "s.sqlite") as store:
        client = OpenAIClient(service.base_url)
        first = run_routing(dataset, shapes.source(), client, model="m", store=store)
        second = run_routing(dataset, shapes.source(), client, model="m", store=store)
        assert len(service.bodies) == 10
        assert (first.n_stored, second.n_stored) == (0, 10)
        assert first.exact == second.exact


def test_a_run_works_inside_a_running_loop() -> None:
    dataset = shapes.ten()

    async def cell() -> float:
        await asyncio.sleep(0)
        with serving(shapes.perfect(dataset)) as service:
            return run_routing(
                dataset, shapes.source(), OpenAIClient(service.base_url), model="m"
            ).exact.value

    assert asyncio.run(cell()) == 1.0


def test_requests_that_fail_stand_beside_the_score() -> None:
    dataset = shapes.ten()
    perfect = shapes.perfect(dataset)
    bad = {f"request number {i}" for i in (1, 3, 5, 7, 9)}
    with serving(lambda b, n: fails(500) if asked_text(b) in bad else perfect(b, n)) as service:
        report = run_routing(dataset, shapes.source(), OpenAIClient(service.base_url), model="m", retry=QUICK)
    assert (report.n_total, report.n_scored, report.n_service_error) == (10, 5, 5)
    assert report.exact.value == 1.0
    assert report.exact.n == 5
    assert (report.exact_worst, report.exact_best) == (0.5, 1.0)
    assert dict(report.labels) == {"ok": 5, "infra:server": 5}
    assert report.no_skill is None


def test_a_key_that_is_refused_stops_the_run_at_once() -> None:
    with serving(lambda b, n: fails(401)) as service:
        with pytest.raises(EndpointError, match=r"401.*TOHLAB_API_KEY") as caught:
            run_routing(shapes.ten(), shapes.source(), OpenAIClient(service.base_url), model="m")
        assert len(service.bodies) == 1
    assert caught.value.kind == "auth"


def test_a_used_up_quota_stops_the_run_without_retries() -> None:
    body = {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}
    with serving(lambda b, n: fails(429, body)) as service:
        with pytest.raises(EndpointError, match="quota"):
            run_routing(shapes.ten(), shapes.source(), OpenAIClient(service.base_url), model="m")
        assert len(service.bodies) == 1


def test_retry_after_is_obeyed_and_the_answer_counts_once() -> None:
    dataset = shapes.ten()
    perfect = shapes.perfect(dataset)
    waits: list[str] = []
    with serving(lambda b, n: fails(429, Retry_After="1") if n == 0 else perfect(b, n)) as service:
        start = time.monotonic()
        report = run_routing(
            dataset,
            shapes.source(),
            OpenAIClient(service.base_url),
            model="m",
            retry=QUICK,
            progress=lambda p: waits.append(p.waiting),
        )
        assert time.monotonic() - start >= 1.0
        assert len(service.bodies) == 11
    assert report.n_scored == 10
    assert report.trials[0].attempts == ("rate_limit 429",)
    assert any("rate_limit 429, attempt 2 in 1 s" in wait for wait in waits)


def test_a_run_in_which_nothing_is_answered_has_no_score() -> None:
    with serving(lambda b, n: fails(429, Retry_After="0")) as service:
        client = OpenAIClient(service.base_url)
        with pytest.raises(EndpointError, match="no score") as caught:
            run_routing(shapes.ten(), shapes.source(), client, model="m", retry=RetryPolicy(failures=100))
        assert len(service.bodies) == 50
    assert caught.value.kind == "rate_limit"


def test_a_dead_port_stops_the_run_at_the_first_request() -> None:
    with serving(lambda b, n: ok({})) as service:
        url = service.base_url
    start = time.monotonic()
    with pytest.raises(EndpointError, match=r"cannot be reached.*Start the server") as caught:
        run_routing(shapes.ten(), shapes.source(), OpenAIClient(url), model="m")
    assert caught.value.kind == "connection"
    assert time.monotonic() - start < 5


@pytest.mark.parametrize(
    "body", [b"<html>hello</html>", b"", b"[]", b'{"choices": []}', b"\xff\xfe", b"null"]
)
def test_garbage_is_no_answer(body: bytes) -> None:
    one = shapes.ten().sample(1)
    with (
        serving(lambda b, n: (200, {}, body)) as service,
        pytest.raises(EndpointError, match="OpenAI-compatible") as caught,
    ):
        run_routing(one, shapes.source(), OpenAIClient(service.base_url), model="m")
    assert caught.value.kind == "garbage"


def test_a_service_that_is_too_slow_is_a_service_error() -> None:
    one = shapes.ten().sample(1)
    with serving(lambda b, n: ok(completion()), delay_s=0.5) as service:
        client = OpenAIClient(service.base_url, timeout_s=0.1)
        with pytest.raises(EndpointError, match=r"did not answer within 0\.1 s") as caught:
            run_routing(one, shapes.source(), client, model="m", retry=QUICK)
    assert caught.value.kind == "timeout"


def test_a_context_that_is_too_long_is_not_tried_again() -> None:
    body = {"error": {"message": "the request exceeds the available context size", "code": 400}}
    dataset = shapes.ten()
    perfect = shapes.perfect(dataset)
    with serving(lambda b, n: fails(400, body) if n == 0 else perfect(b, n)) as service:
        report = run_routing(dataset, shapes.source(), OpenAIClient(service.base_url), model="m")
        assert len(service.bodies) == 10
    assert report.trials[0].label == "infra:context_length"


def test_a_run_that_is_stopped_by_hand_gives_what_was_answered(tmp_path: Path) -> None:
    dataset = shapes.ten()

    def stop(progress: Progress) -> None:
        if progress.done == 3:
            _thread.interrupt_main()
            time.sleep(0.5)  # so that the run cannot end before the main thread sees it

    with (
        serving(shapes.perfect(dataset), delay_s=0.05) as service,
        ReplyStore(tmp_path / "s.sqlite") as store,
    ):
        client = OpenAIClient(service.base_url)
        with pytest.raises(RunInterrupted, match="run the same again with --store") as caught:
            run_routing(dataset, shapes.source(), client, model="m", store=store, progress=stop)
        assert (caught.value.answered, caught.value.total) == (3, 10)
        assert isinstance(caught.value.report, RoutingReport)
        assert caught.value.report.n_scored == 3
        assert len(store) == 3
        report = run_routing(dataset, shapes.source(), client, model="m", store=store)
        assert (report.n_scored, report.n_stored) == (10, 3)


def test_a_run_that_is_stopped_before_its_first_answer_names_no_file(tmp_path: Path) -> None:
    asked = threading.Event()
    perfect = shapes.perfect(shapes.ten())

    def script(body: dict[str, Any], number: int) -> Answer:
        if not asked.is_set():
            asked.set()
            _thread.interrupt_main()
            time.sleep(0.5)
        return perfect(body, number)

    with serving(script) as service, ReplyStore(tmp_path / "s.sqlite") as store:
        client = OpenAIClient(service.base_url)
        with pytest.raises(RunInterrupted, match="nothing to resume") as caught:
            run_routing(shapes.ten(), shapes.source(), client, model="m", store=store)
    assert caught.value.answered == 0
    assert store.path not in str(caught.value)


async def test_the_asyncio_form_asks_several_at_once() -> None:
    dataset = shapes.ten()
    with serving(shapes.perfect(dataset), delay_s=0.1) as service:
        start = time.monotonic()
        client = OpenAIClient(service.base_url)
        report = await arun_routing(dataset, shapes.source(), client, model="m", concurrency=10)
        one = await arun_routing(dataset, shapes.source(), client, model="m", concurrency=1)
    assert time.monotonic() - start >= 1.0
    assert report == replace(one, trials=report.trials)
    assert [t.case for t in report.trials] == list(dataset.cases)


def test_replicates_are_asked_and_stored_one_by_one() -> None:
    dataset = shapes.ten()
    sample = dataset.sample(2)
    with serving(lambda b, n: ok(completion("pdf-forms" if n % 2 else "sql-review"))) as service:
        client = OpenAIClient(service.base_url)
        with ReplyStore(":memory:") as store:
            first = run_routing(sample, shapes.source(), client, model="m", store=store, replicates=4, seed=5)
            again = run_routing(sample, shapes.source(), None, model="m", store=store, replicates=4, seed=5)
    assert [b["seed"] for b in service.bodies] == [5, 6, 7, 8] * 2
    assert (first.n_cases, first.n_total, first.exact.n) == (2, 8, 2)
    assert again.exact == first.exact
    assert [t.loaded for t in again.trials] == [t.loaded for t in first.trials]


def test_an_answer_with_a_lone_surrogate_is_kept_and_the_run_goes_on(tmp_path: Path) -> None:
    raw = completion(content="half a pair: \ud835")
    with serving(lambda b, n: ok(raw)) as service, ReplyStore(tmp_path / "s.sqlite") as store:
        client = OpenAIClient(service.base_url)
        run_routing(shapes.ten(), shapes.source(), client, model="m", store=store)
        store.export(tmp_path / "r.jsonl")
        assert run_routing(shapes.ten(), shapes.source(), None, model="m", store=store).n_stored == 10


def test_a_replay_without_the_answer_says_what_differs(tmp_path: Path) -> None:
    dataset = shapes.ten()
    with ReplyStore(":memory:") as store:
        with serving(shapes.perfect(dataset)) as service:
            run_routing(dataset, shapes.source(), OpenAIClient(service.base_url), model="m", store=store)
        replay = run_routing(dataset, shapes.source(), None, model="m", store=store)
        assert replay.n_stored == 10
        with pytest.raises(ReplayMiss, match="max_tokens: 256") as caught:
            run_routing(dataset, shapes.source(), None, model="m", store=store, max_tokens=99)
        assert "+max_tokens: 99" in caught.value.difference
        with pytest.raises(ReplayMiss, match="recorded: m"):
            run_routing(dataset, shapes.source(), None, model="other", store=store)


def test_an_unknown_mode_lists_the_known_ones() -> None:
    with pytest.raises(StoreError, match="record, replay, replay_or_record, off"):
        run_routing(shapes.ten(), shapes.source(), None, model="m", mode="once")


@pytest.mark.parametrize(("name", "value"), [("choice", "grammar"), ("placement", "end")])
def test_an_unknown_way_of_asking_lists_the_known_ones(name: str, value: str) -> None:
    with pytest.raises(RoutingError, match=f"no {name} '{value}'; known: "):
        run_routing(
            shapes.ten(), shapes.source(), OpenAIClient("http://127.0.0.1:9/v1"), model="m", **{name: value}
        )


def test_a_replaced_catalog_makes_a_name_of_the_earlier_one_stale() -> None:
    dataset = shapes.ten()
    earlier = ListedSkills([*shapes.CATALOG, ("old-notes", "Takes notes.")])
    with serving(lambda b, n: ok(completion("old-notes"))) as service:
        client = OpenAIClient(service.base_url)
        report = run_routing(dataset, shapes.source(), client, model="m", earlier=earlier)
        for placement, told in (("opening", [0, 1]), ("same-step", [0, 2])):
            service.bodies.clear()
            run_routing(dataset, shapes.source(), client, model="m", earlier=earlier, placement=placement)
            texts = [m["content"] for m in service.bodies[0]["messages"]]
            assert [i for i, text in enumerate(texts) if "pdf-forms" in text] == told
            assert "old-notes" in texts[0]
            assert "old-notes" not in texts[told[1]]
    assert dict(report.labels) == {"stale_name": 10}
    assert report.skills == shapes.NAMES


def test_an_emptied_catalog_leaves_only_staying_silent() -> None:
    silent = RoutingDataset(cases=(shapes.case(0), shapes.case(1)), name="silent")
    with serving(lambda b, n: ok(completion("pdf-forms") if n else completion(content="Done."))) as service:
        client = OpenAIClient(service.base_url)
        report = run_routing(silent, ListedSkills([]), client, model="m", earlier=shapes.source())
        with pytest.raises(DatasetError, match="the catalog is empty"):
            run_routing(silent, ListedSkills([]), client, model="m")
    assert [t.label for t in report.trials] == ["ok", "stale_name"]


def test_what_the_user_loads_and_what_a_model_may_not_load_are_known() -> None:
    pdf = LoadedSkill(name="pdf-forms", description="Fills in forms.", content="Fill.")
    never = Invocation(model_invocable=False)
    hidden = LoadedSkill(name="release-cut", description="Cuts.", content="Cut.", invocation=never)
    source = MemorySource([pdf, hidden])
    queries = ("/pdf-forms fill this in", "fill this in", "/pdf-forms again", "cut the release")
    called = dict(zip(queries, ("pdf-forms", "pdf-forms", "", "release-cut"), strict=True))
    cases = tuple(
        RoutingCase(id=q, query=q, expected=("pdf-forms",) if q == "fill this in" else ()) for q in queries
    )

    def script(body: dict[str, Any], number: int) -> Any:
        name = next(called[m["content"]] for m in body["messages"] if m["content"] in called)
        return ok(completion(name) if name else completion(content="Done."))

    with serving(script) as service:
        report = run_routing(
            RoutingDataset(cases=cases, name="d"), source, OpenAIClient(service.base_url), model="m"
        )
    assert [t.label for t in report.trials] == ["reload_after_user_load", "ok", "ok", "not_model_invocable"]


# What a run is told.


@pytest.mark.parametrize("run", [arun_routing, iter_routing, run_routing])
def test_help_and_completion_show_every_argument_of_a_run(run: Any) -> None:
    shown = inspect.signature(run)
    assert shown.parameters == inspect.signature(prepared).parameters
    assert shown.parameters["max_tokens"].default == 256
    assert shown.return_annotation == run.__annotations__["return"]


def test_every_argument_of_a_run_is_described() -> None:
    described = re.findall(r"^    (\w+): ", inspect.getdoc(run_routing) or "", re.MULTILINE)
    assert set(inspect.signature(prepared).parameters) <= set(described)


def test_how_the_cases_are_asked_is_the_same_for_one_run_and_for_many_workers() -> None:
    keywords = {
        name: parameter.default
        for name, parameter in inspect.signature(prompter).parameters.items()
        if parameter.default is not parameter.empty
    }
    of_a_run = inspect.signature(prepared).parameters
    assert {name: of_a_run[name].default for name in keywords} == keywords
    hints = get_type_hints(prompter)
    assert get_type_hints(Asking) == {name: hints[name] for name in keywords}


@pytest.mark.parametrize("asks", [estimate_run, run_sharded, submit_batch])
def test_each_way_of_asking_is_named_where_it_can_be_given(asks: Any) -> None:
    asking = (inspect.getdoc(asks) or "").partition("\n    asking: ")[2].partition("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", asking)) == set(get_type_hints(Asking))
