"""Faults that users of other tools reported, each made to happen here; the table is in test_acceptance.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.routing import shapes
from tests.routing.service import Script, asked_text, completion, fails, ok, serving
from tohlab.dialects.harness import FileTree, Listing, Setting
from tohlab.dialects.harnesses import get_harness, harness_names
from tohlab.errors import DatasetError
from tohlab.routing import (
    OpenAIClient,
    RetryPolicy,
    RoutingDataset,
    RoutingReport,
    load_cases,
    run_routing,
)
from tohlab.routing.imports import import_cases

DOCX, PDF, SQL = shapes.NAMES


def asked(expected: list[tuple[str, ...]], script: Script, **options: Any) -> RoutingReport:
    """The report of a service that answers by this script, and is tried again at once where that helps."""
    dataset = RoutingDataset(cases=tuple(shapes.case(i, *e) for i, e in enumerate(expected)), name="d")
    with serving(script) as service:
        options = {"retry": RetryPolicy(first_wait_s=0.01), **options}
        return run_routing(dataset, shapes.source(), OpenAIClient(service.base_url), model="m", **options)


def test_fault_06_seven_sure_negatives_and_one_less_sure_count_as_eight(tmp_path: Path) -> None:
    sure = ["high"] * 7 + ["medium"]
    rows = [{"prompt": f"request number {i}", "confidence": c} for i, c in enumerate(sure)]
    path = tmp_path / "trigger_tests.yaml"
    path.write_text(json.dumps({"skill": PDF, "should_not_trigger_prompts": rows}))
    found = import_cases(path, "waza")
    one = shapes.case(8, PDF)  # so that there is something to score
    dataset = RoutingDataset(cases=(*found.cases, one), name="d")
    quiet = {"request number 7": ok(completion(PDF)), "request number 8": ok(completion(PDF))}
    with serving(lambda b, n: quiet.get(asked_text(b), ok(completion(content="No skill.")))) as service:
        report = run_routing(dataset, shapes.source(), OpenAIClient(service.base_url), model="m")
    assert report.avoided is not None
    assert (report.avoided.successes, report.avoided.n) == (7, 8)  # no weights: the eighth is a whole miss
    assert dict(report.labels) == {"ok": 1}
    assert report.n_unlabelled == 8


@pytest.mark.parametrize("name", harness_names())
def test_fault_09_what_a_harness_leaves_out_of_a_long_catalog_is_listed(name: str) -> None:
    harness, setting = get_harness(name), Setting(window_tokens=8000)

    def listing(n: int, more: str) -> Listing:
        files = {
            f"skill-{i}/SKILL.md": f"---\nname: skill-{i}\ndescription: Does {i}.{more}\n---\nBody\n".encode()
            for i in range(n)
        }
        return harness.listing(harness.load(FileTree(files), setting), setting)

    if "Does 0." not in listing(1, "").text:
        pytest.skip(f"{name} lists names alone, so no description can be cut")
    more = " word" * 180
    found = listing(60, more)
    said = " ".join(found.text.split())
    left_out = {f"skill-{i}" for i in range(60) if f"Does {i}.{more}" not in said}
    assert left_out == {cut.name for cut in found.cut} | set(found.dropped)


def test_fault_12_no_call_is_nothing_right_by_any_measure() -> None:
    report = asked([(PDF,), (SQL,)], lambda b, n: ok(completion(content="I can do that myself.")))
    assert dict(report.labels) == {"missed": 2}
    assert (report.exact.value, report.sets.micro_recall, report.macro_f1, report.sets.jaccard) == (
        0,
        0,
        0,
        0,
    )
    assert report.sets.micro_precision is None  # nothing was loaded, so there is nothing to be precise about


def test_fault_13_another_api_s_answer_is_no_answer_and_its_call_as_text_is_no_abstention() -> None:
    call = {"type": "function_call", "name": "skill", "arguments": json.dumps({"name": PDF}), "call_id": "c"}
    answers = {
        "request number 0": ok({"object": "response", "output": [call]}),
        "request number 1": ok(completion(content=json.dumps(call))),
        "request number 2": ok(completion(content=json.dumps(call))),
        "request number 3": ok(completion(PDF)),
    }
    report = asked([(PDF,), (PDF,), (), (PDF,)], lambda b, n: answers[asked_text(b)])
    assert [t.label for t in report.trials] == ["infra:garbage", "text_call", "text_call", "ok"]
    assert (report.n_scored, report.n_service_error) == (3, 1)


def test_fault_14_and_15_failed_requests_leave_the_score_and_never_the_count() -> None:
    # The hard half fails: a mean over what is left looks perfect, so n and the worst case stand beside it.
    hard = {f"request number {i}" for i in range(5, 10)}
    report = asked(
        [(PDF,)] * 10, lambda b, n: fails(500) if asked_text(b) in hard else ok(completion(PDF)),
        retry=RetryPolicy(attempts={}),
    )  # fmt: skip
    assert (report.exact.value, report.exact.n) == (1.0, 5)
    assert (report.n_total, report.n_scored, report.n_service_error) == (10, 5, 5)
    assert (report.exact_worst, report.exact_best) == (0.5, 1.0)
    data = report.to_dict()
    assert (data["exact_n"], data["n_service_error"], data["exact_worst"]) == (5, 5, 0.5)
    html = report._repr_html_()
    assert "scored 5 of 10" in html
    assert "service errors 5 (not scored)" in html


def test_fault_16_a_nan_in_an_answer_stays_in_that_answer() -> None:
    odd = completion(PDF, usage={"prompt_tokens": float("nan"), "completion_tokens": 3})
    odd["choices"][0]["logprobs"] = {
        "content": [{"token": "a", "logprob": float("nan"), "bytes": [97], "top_logprobs": []}]
    }
    report = asked([(PDF,), (PDF,)], lambda b, n: ok(odd if asked_text(b).endswith("0") else completion(PDF)))
    assert (report.exact.value, report.exact.n, report.tokens.reported) == (1.0, 2, 1)
    assert report.trials[0].usage.prompt is None
    assert report.trials[0].margin is None
    json.dumps(report.to_dict(trials=True), allow_nan=False)


def test_fault_18_a_time_out_that_was_tried_again_is_one_answer_of_one_case() -> None:
    report = asked(
        [(PDF,)],
        lambda b, n: fails(504) if n == 0 else ok(completion(PDF)),
        retry=RetryPolicy(first_wait_s=0.01),
    )
    assert (report.n_total, report.n_scored, report.exact.n, len(report.trials)) == (1, 1, 1, 1)
    assert report.trials[0].attempts == ("timeout 504",)


@pytest.mark.parametrize("said", ["the prompt is too long: 9 tokens", "maximum context length is 8"])
def test_fault_19_a_context_that_is_too_long_has_a_label_of_its_own_and_the_run_goes_on(said: str) -> None:
    bodies: list[str] = []

    def script(body: dict[str, Any], number: int) -> Any:
        bodies.append(asked_text(body))
        long = bodies[-1] == "request number 0"
        return fails(400, {"error": {"message": said}}) if long else ok(completion(PDF))

    report = asked([(PDF,)] * 3, script)
    assert [t.label for t in report.trials] == ["infra:context_length", "ok", "ok"]
    assert sorted(bodies) == [f"request number {i}" for i in range(3)]  # never a second time


def test_fault_33_one_id_for_two_cases_is_refused_before_it_can_skip_one(tmp_path: Path) -> None:
    rows = [{"id": "a", "query": q, "expected": []} for q in ("one", "other")]
    with pytest.raises(DatasetError, match=r":2: the id 'a' was already used in line 1"):
        load_cases(shapes.write_lines(tmp_path / "cases.jsonl", rows))


def test_fault_40_answers_come_whole_so_no_call_can_be_lost_in_a_stream() -> None:
    bodies: list[dict[str, Any]] = []

    def script(body: dict[str, Any], number: int) -> Any:
        bodies.append(body)
        return ok(completion(PDF, SQL))

    report = asked([(PDF, SQL)], script)
    assert report.trials[0].loaded == (PDF, SQL)
    assert "stream" not in bodies[0]


def test_fault_41_an_invented_skill_and_an_invented_tool_are_shown_and_wrong() -> None:
    calls = {"0": completion("pdf-magic"), "1": completion("pdf-magic"), "2": completion(PDF, tool="Magic")}
    report = asked([(PDF,), (), (PDF,)], lambda b, n: ok(calls[asked_text(b)[-1]]))
    assert [t.label for t in report.trials] == ["unknown_name", "unknown_name", "wrong_tool"]
    assert (report.exact.value, report.n_model_error) == (0.0, 3)
    assert report.trials[0].invalid == ("pdf-magic",)
    assert "'Magic'" in report.trials[2].detail
    cells = {(c.expected, c.predicted): c.n for c in report.confusion()}
    assert cells == {(PDF, "(invalid)"): 2, ("(none)", "(invalid)"): 1}
