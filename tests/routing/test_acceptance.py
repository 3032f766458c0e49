"""The twenty acceptance tests, numbered, over the public API; and where each reported fault is tested.

The tests are those that today's other tools fail. `FAULTS` names for each of the 44 faults that users of
other tools reported the test that would see it here, or says why it cannot happen.
"""

from __future__ import annotations

import _thread
import ast
import asyncio
import json
import random
import re
import subprocess
import sys
import textwrap
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.routing import shapes
from tests.routing.service import asked_text, completion, fails, ok, serving
from tohlab.cli import run
from tohlab.errors import EndpointError, ReplayMiss, RunInterrupted
from tohlab.frames import frame
from tohlab.routing import (
    ChatReply,
    ListedSkills,
    OpenAIClient,
    Price,
    Progress,
    ReplyStore,
    RetryPolicy,
    RoutingCase,
    RoutingDataset,
    RoutingReport,
    Trial,
    best_of,
    compare,
    lint_dataset,
    load_report,
    run_routing,
)
from tohlab.routing.aggregate import make_report
from tohlab.routing.clusters import clustered_share
from tohlab.routing.pricing import cost_usd
from tohlab.routing.statistics import rate

ROOT = Path(__file__).parents[2]
DOCX, PDF, SQL = shapes.NAMES


def cases(*expected: Sequence[str]) -> RoutingDataset:
    return RoutingDataset(cases=tuple(shapes.case(i, *e) for i, e in enumerate(expected)), name="d")


def asked(dataset: RoutingDataset, *answers: Any, **options: Any) -> RoutingReport:
    """The report of a service that answers the first case with the first answer, and so on."""
    by_query = {c.query: a for c, a in zip(dataset.cases, answers, strict=True)}

    def script(body: dict[str, Any], number: int) -> Any:
        answer = by_query[asked_text(body)]
        return answer if isinstance(answer, tuple) else ok(answer)

    with serving(script) as service:
        options = {"retry": RetryPolicy(first_wait_s=0.01), "model": "m", **options}
        return run_routing(dataset, shapes.source(), OpenAIClient(service.base_url), **options)


def silent(text: str = "I can do that without a skill.") -> dict[str, Any]:
    return completion(content=text)


def test_01_a_call_an_abstention_a_spurious_call_and_a_429_are_two_of_three_and_one_beside() -> None:
    report = asked(
        cases((PDF,), (), (), (SQL,)), completion(PDF), silent(), completion(PDF), fails(429, Retry_After="0")
    )
    assert (report.exact.successes, report.exact.n) == (2, 3)
    assert (report.n_total, report.n_scored, report.n_service_error) == (4, 3, 1)
    assert (report.exact_worst, report.exact_best) == (2 / 4, 3 / 4)
    cells = {(c.expected, c.predicted): c.n for c in report.confusion()}
    assert cells == {(PDF, PDF): 1, ("(none)", "(none)"): 1, ("(none)", PDF): 1}


def test_02_a_dead_endpoint_gives_no_score_and_an_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(lambda b, n: ok({})) as service:
        url = service.base_url
    code = run(
        ["route", *shapes.write_inputs(tmp_path, shapes.ten()), "--base-url", url, "--model", "m", "--json"]
    )
    out, error = capsys.readouterr()
    assert (code, out) == (3, "")
    assert "cannot be reached" in error


def test_03_calling_every_skill_is_never_exact_and_has_a_precision_of_one_in_n() -> None:
    report = asked(cases((DOCX,), (PDF,), (SQL,)), *[completion(*shapes.NAMES)] * 3)
    assert report.exact.value == 0
    assert report.sets.micro_precision == report.sets.macro_precision == pytest.approx(1 / 3)
    assert report.sets.over_loads == 6


def test_04_a_right_abstention_is_right() -> None:
    report = asked(cases(()), silent())
    assert (report.exact.value, report.sets.jaccard) == (1.0, 1.0)
    assert report.no_skill is not None
    assert (report.no_skill.value, report.sets.micro_f1) == (1.0, None)


def test_05_loading_twice_is_a_label_of_its_own_and_no_success() -> None:
    report = asked(cases((PDF,)), completion(PDF, PDF))
    assert dict(report.labels) == {"double_load": 1}
    assert (report.exact.value, report.sets.double_loads) == (0.0, 1)


def test_06_twenty_of_twenty_may_be_five_sixths_and_no_bound_leaves_the_unit() -> None:
    whole, most = rate(20, 20), rate(19, 20)
    assert whole is not None
    assert most is not None
    assert (round(whole.low, 2), whole.high) == (0.84, 1.0)
    assert most.high <= 1.0


def scored(results: Sequence[bool], seed: int = 0) -> RoutingReport:
    """A report over cases that no skill fits, so that each is a cluster of its own."""
    trials = [
        Trial(case=shapes.case(i), label="ok" if right else "spurious", loaded=() if right else (PDF,))
        for i, right in enumerate(results)
    ]
    return make_report(trials, model="m", dataset="d", skills=shapes.NAMES, dialect="toh", choice="tools")


def test_07_the_same_scores_and_the_same_seed_give_the_same_interval() -> None:
    rng = random.Random(1)
    one, other = ([rng.random() < p for _ in range(40)] for p in (0.4, 0.6))
    first = compare(scored(one), scored(other), seed=7)
    assert first == compare(scored(one), scored(other), seed=7)
    assert (first.clustered_low, first.clustered_high) != (None, None)
    drawn = [compare(scored(one), scored(other), seed=seed) for seed in range(5)]
    assert len({c.clustered_p for c in drawn}) > 1  # the seed is what decides
    assert [c.seed for c in drawn] == list(range(5))


def test_08_an_edited_description_is_asked_anew() -> None:
    dataset = shapes.ten()
    edited = ListedSkills([(n, d + " Also scans." if n == PDF else d) for n, d in shapes.CATALOG])
    with ReplyStore(":memory:") as store, serving(shapes.perfect(dataset)) as service:
        client = OpenAIClient(service.base_url)
        run_routing(dataset, shapes.source(), client, model="m", store=store)
        with pytest.raises(ReplayMiss) as caught:
            run_routing(dataset, edited, None, model="m", store=store)
        assert any("Also scans." in line for line in caught.value.difference)
        run_routing(dataset, edited, client, model="m", store=store)
        assert len(service.bodies) == 20


def test_09_another_model_is_asked_anew() -> None:
    dataset = shapes.ten()
    with ReplyStore(":memory:") as store, serving(shapes.perfect(dataset)) as service:
        client = OpenAIClient(service.base_url)
        for model in ("one", "other", "one"):
            run_routing(dataset, shapes.source(), client, model=model, store=store)
        assert [b["model"] for b in service.bodies] == ["one"] * 10 + ["other"] * 10


def test_10_five_repeats_are_five_answers_that_are_replayed_in_order() -> None:
    dataset = cases((PDF,))
    turns = [completion(PDF), silent(), completion(SQL), completion(PDF, SQL), completion(PDF)]
    with ReplyStore(":memory:") as store:
        with serving(lambda b, n: ok(turns[n])) as service:
            client = OpenAIClient(service.base_url)
            first = run_routing(dataset, shapes.source(), client, model="m", store=store, replicates=5)
        again = run_routing(dataset, shapes.source(), None, model="m", store=store, replicates=5)
    want = ["ok", "missed", "wrong_skill", "ok_extra", "ok"]
    assert [t.label for t in first.trials] == [t.label for t in again.trials] == want
    assert (again.exact.n, again.exact.value) == (1, 2 / 5)
    assert again.passes(2).at_least_once == pytest.approx(1 - 3 / 10)
    assert again.passes(2).every_time == pytest.approx(1 / 10)


def test_11_one_text_with_two_labels_is_an_error_before_anything_is_asked() -> None:
    dataset = RoutingDataset(
        cases=(
            RoutingCase(id="a", query="fill it in", expected=(PDF,)),
            RoutingCase(id="b", query="Fill it in", expected=()),
        ),
        name="d",
    )
    (found,) = [x for x in lint_dataset(dataset, shapes.source()).lints if x.level == "error"]
    assert (found.code, found.cases) == ("two-labels", ("a", "b"))


def test_12_five_identical_descriptions_give_no_evidence_in_95_of_100() -> None:
    rng = random.Random(12)
    shown = 0
    for _ in range(200):
        runs = [scored([rng.random() < 0.7 for _ in range(20)]) for _ in range(5)]
        shown += best_of(runs, resamples=199).evidence
    assert shown <= 200 * 0.05


CELL = """
import asyncio, sys, warnings
for name in ("nest_asyncio", "ipywidgets", "anywidget"):
    sys.modules[name] = None  # importing it fails, as where it is not installed
warnings.simplefilter("error")
before = type(asyncio.get_running_loop())
from tests.routing import shapes
from tohlab.routing import OpenAIClient, run_routing
for again in range(2):
    report = run_routing(shapes.ten(), shapes.source(), OpenAIClient({url!r}), model="m")
    print(report.exact.value, report.n_scored)
print(type(asyncio.get_running_loop()) is before)
"""


def test_13_a_run_in_a_notebook_s_cell_needs_no_further_package_and_works_twice() -> None:
    with serving(shapes.perfect(shapes.ten())) as service:
        code = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n" + CELL.format(url=service.base_url)
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
        NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    printed = "".join(o.text for o in notebook.cells[0].outputs if o.get("name") == "stdout")
    assert printed.splitlines() == ["1.0 10", "1.0 10", "True"]


OFFLINE = """
    import socket, sys

    def closed(*_, **__):
        raise AssertionError("the network was used")

    socket.socket.connect = socket.create_connection = socket.getaddrinfo = closed
    from tohlab.library import library_cases, library_recording, library_skills
    from tohlab.routing import ReplyStore, load_cases, load_catalog, run_routing

    with ReplyStore(":memory:") as store:
        store.import_(library_recording())
        (model,) = store.models()
        report = run_routing(
            load_cases(library_cases()), load_catalog(library_skills()), None, model=model, store=store
        )
    print(report.n_scored, report.n_stored, sorted({"tiktoken", "openai"} & set(sys.modules)))
"""


def test_14_a_replay_needs_neither_network_nor_tokenizer() -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(OFFLINE)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["194", "194", "[]"]


def test_15_ctrl_c_gives_the_rows_so_far_and_the_next_run_asks_the_rest(tmp_path: Path) -> None:
    dataset = shapes.ten()

    def stop(progress: Progress) -> None:
        if progress.done == 3:
            _thread.interrupt_main()
            time.sleep(0.5)

    with (
        serving(shapes.perfect(dataset), delay_s=0.05) as service,
        ReplyStore(tmp_path / "s.sqlite") as store,
    ):
        client = OpenAIClient(service.base_url)
        with pytest.raises(RunInterrupted) as caught:
            run_routing(dataset, shapes.source(), client, model="m", store=store, progress=stop)
        rows = frame(caught.value.report)
        assert list(rows["case"]) == ["c0", "c1", "c2"]
        assert rows["right"].all()
        before = len(service.bodies)
        # In another order, so that what is resumed goes by the request and not by its place.
        turned = replace(dataset, cases=tuple(reversed(dataset.cases)))
        report = run_routing(turned, shapes.source(), client, model="m", store=store)
        assert len(service.bodies) - before == 7
    assert (report.n_scored, report.n_stored, report.exact.value) == (10, 3, 1.0)


def test_16_an_error_is_never_an_abstention() -> None:
    error = {"error": {"message": "Error during inference: 429"}}
    report = asked(cases((), (), (PDF,)), fails(500, error), ok(error), completion(PDF))
    assert [t.label for t in report.trials] == ["infra:server", "infra:garbage", "ok"]
    assert (report.n_scored, report.no_skill) == (1, None)


def test_17_half_a_character_goes_through_store_recording_and_report(tmp_path: Path) -> None:
    dataset = cases((PDF,), ())
    raw = completion(arguments=['{"name": "pdf\\ud835"}'], content="half: \ud835")
    with ReplyStore(tmp_path / "s.sqlite") as store:
        answers = {"request number 0": raw, "request number 1": silent("\ud835 is a half")}
        with serving(lambda b, n: ok(answers[asked_text(b)])) as service:
            client = OpenAIClient(service.base_url)
            first = run_routing(dataset, shapes.source(), client, model="m", store=store)
        store.export(tmp_path / "r.jsonl.gz")
    with ReplyStore(":memory:") as store:
        store.import_(tmp_path / "r.jsonl.gz")
        again = run_routing(dataset, shapes.source(), None, model="m", store=store)
    path = tmp_path / "report.json"
    path.write_text(json.dumps(again.to_dict(trials=True)))
    assert [t.label for t in first.trials] == [t.label for t in again.trials] == ["invalid_name", "ok"]
    assert [t.loaded for t in load_report(path).trials] == [t.loaded for t in first.trials]
    assert load_report(path).trials[0].invalid == ("pdf\ud835",)


def test_18_arguments_and_tools_of_any_form_are_labelled_and_never_raised() -> None:
    wrapper = completion(
        arguments=[json.dumps({"tool_uses": [{"recipient_name": "functions.skill", "parameters": {}}]})],
        tool="parallel",
    )
    report = asked(
        cases(*[(PDF,)] * 6),
        completion(arguments=['{}""']),
        completion(arguments=['""']),
        completion(arguments=[""]),
        completion(arguments=['{"name": "pdf-fo']),
        completion(arguments=['{"name": "pdf-fo'], finish="length"),
        wrapper,
    )
    assert [t.label for t in report.trials] == ["malformed_args"] * 4 + ["length_cut", "wrong_tool"]
    assert (report.n_scored, report.n_model_error, report.exact.value) == (6, 6, 0.0)


def test_19_a_million_tokens_mostly_cached_cost_what_they_cost_in_both_conventions() -> None:
    price = Price(input_usd=3.0, output_usd=15.0, cached_usd=0.3)
    subset = {
        "prompt_tokens": 1_000_000, "completion_tokens": 100,
        "prompt_tokens_details": {"cached_tokens": 900_000},
    }  # fmt: skip
    beside = {"input_tokens": 100_000, "cache_read_input_tokens": 900_000, "output_tokens": 100}
    for usage in (subset, beside):
        reply = ChatReply.from_raw(completion(PDF, usage=usage))
        assert cost_usd(reply.usage, price) == pytest.approx(0.1 * 3 + 0.9 * 0.3 + 100 * 15 / 1e6)


def test_20_one_cluster_has_no_error_and_not_an_error_of_nothing() -> None:
    found = clustered_share([1.0, 0.0, 1.0, 1.0], ["one"] * 4)
    assert (found.se, found.low, found.high) == (None, None, None)
    assert found.warning
    report = asked(cases((PDF,), (PDF,)), completion(PDF), silent())
    assert report.clustered.se is None
    assert report.to_dict()["clustered"]["se"] is None


# The faults of the table in the specification, by their numbers.


def test_fault_01_and_03_a_call_beside_the_right_one_counts_as_what_it_is() -> None:
    raw = completion(PDF)
    bash = {"id": "x", "type": "function", "function": {"name": "Bash", "arguments": "{}"}}
    raw["choices"][0]["message"]["tool_calls"].insert(0, bash)
    report = asked(cases((PDF,), (PDF,)), raw, completion(SQL, PDF))
    assert [t.label for t in report.trials] == ["wrong_tool", "ok_extra"]
    # The right skill is not lost for what stands beside it.
    assert [PDF in t.loaded for t in report.trials] == [True, True]
    assert report.sets.micro_recall == 1.0


def test_fault_02_a_service_that_is_too_slow_is_no_miss() -> None:
    dataset = cases((PDF,), (SQL,))
    perfect = shapes.perfect(dataset)

    def script(body: dict[str, Any], number: int) -> Any:
        if asked_text(body) == "request number 0":
            time.sleep(1.0)
        return perfect(body, number)

    with serving(script) as service:
        report = run_routing(
            dataset, shapes.source(), OpenAIClient(service.base_url, timeout_s=0.4), model="m",
            retry=RetryPolicy(attempts={}),
        )  # fmt: skip
    assert [t.label for t in report.trials] == ["infra:timeout", "ok"]
    assert (report.exact.value, report.exact.n, report.exact_worst) == (1.0, 1, 0.5)


def test_fault_07_a_request_never_has_a_skill_s_body() -> None:
    body = "BODY-OF-THE-SKILL"
    from tohlab.skills.model import LoadedSkill
    from tohlab.skills.sources import MemorySource

    source = MemorySource([LoadedSkill(name=PDF, description="Fills in forms.", content=body)])
    with serving(lambda b, n: ok(completion(PDF))) as service:
        for choice in ("tools", "json"):
            run_routing(cases((PDF,)), source, OpenAIClient(service.base_url), model="m", choice=choice)
        assert len(service.bodies) == 2
        assert all(body not in json.dumps(b) for b in service.bodies)


def test_fault_25_a_service_that_is_always_out_of_quota_ends_the_run_at_once() -> None:
    body = {"error": {"code": "insufficient_quota", "message": "no"}}
    start = time.monotonic()
    with serving(lambda b, n: fails(429, body)) as service, pytest.raises(EndpointError) as caught:
        run_routing(shapes.ten(), shapes.source(), OpenAIClient(service.base_url), model="m")
    assert (caught.value.kind, len(service.bodies)) == ("quota", 1)
    assert time.monotonic() - start < 30


def test_fault_32_a_resumed_run_is_counted_over_all_cases() -> None:
    dataset = RoutingDataset(cases=tuple(shapes.case(i, PDF) for i in range(100)), name="d")
    right = {c.query for c in dataset.cases[:30]}
    with ReplyStore(":memory:") as store:
        script = lambda b, n: ok(completion(PDF) if asked_text(b) in right else silent())  # noqa: E731  # one line beside its only use
        with serving(script) as service:
            client = OpenAIClient(service.base_url)
            part = replace(dataset, cases=dataset.cases[:90])
            run_routing(part, shapes.source(), client, model="m", store=store)
            report = run_routing(dataset, shapes.source(), client, model="m", store=store)
    assert (report.n_stored, report.exact.successes, report.exact.n) == (90, 30, 100)


async def test_fault_36_two_runs_at_once_in_one_loop_do_not_wait_for_each_other() -> None:
    dataset = shapes.ten()
    with serving(shapes.perfect(dataset)) as service:
        before = type(asyncio.get_running_loop())
        jobs = [
            asyncio.to_thread(
                run_routing, dataset, shapes.source(), OpenAIClient(service.base_url), model="m"
            )
            for _ in range(2)
        ]
        async with asyncio.timeout(60):
            reports = await asyncio.gather(*jobs)
    assert [r.exact.value for r in reports] == [1.0, 1.0]
    assert type(asyncio.get_running_loop()) is before


HERE = "test_acceptance.py::"
FAULTS_FILE = "test_faults.py::"
SCORING, RUNNER, LIMITS = "test_scoring.py::", "test_runner.py::", "test_limits.py::"
FAULTS: dict[int, str] = {
    1: HERE + "test_fault_01_and_03_a_call_beside_the_right_one_counts_as_what_it_is",
    2: HERE + "test_fault_02_a_service_that_is_too_slow_is_no_miss",
    3: "test_report.py::test_a_skill_that_is_loaded_whatever_is_asked_is_named",
    4: SCORING + "test_a_twin_counts_as_the_skill_that_is_labelled",
    5: "test_comparing.py::test_descriptions_that_make_no_difference_are_said_to_make_none",
    6: FAULTS_FILE + "test_fault_06_seven_sure_negatives_and_one_less_sure_count_as_eight",
    7: HERE + "test_fault_07_a_request_never_has_a_skill_s_body",
    8: "test_report.py::test_cases_with_an_optional_skill_are_reported_separately_too",
    9: FAULTS_FILE + "test_fault_09_what_a_harness_leaves_out_of_a_long_catalog_is_listed",
    10: SCORING + "test_a_call_written_as_text_is_no_call_and_no_abstention",
    11: "cannot happen: a case expects a set of skills, so [a, a] cannot be asked for: a file that names one "
    "twice is refused (test_dataset.py::test_a_broken_line_is_named), and loading twice has its own label",
    12: FAULTS_FILE + "test_fault_12_no_call_is_nothing_right_by_any_measure",
    13: FAULTS_FILE + "test_fault_13_another_api_s_answer_is_no_answer_and_its_call_as_text_is_no_abstention",
    14: FAULTS_FILE + "test_fault_14_and_15_failed_requests_leave_the_score_and_never_the_count",
    15: FAULTS_FILE + "test_fault_14_and_15_failed_requests_leave_the_score_and_never_the_count",
    16: FAULTS_FILE + "test_fault_16_a_nan_in_an_answer_stays_in_that_answer",
    17: RUNNER + "test_a_run_in_which_nothing_is_answered_has_no_score",
    18: FAULTS_FILE + "test_fault_18_a_time_out_that_was_tried_again_is_one_answer_of_one_case",
    19: FAULTS_FILE + "test_fault_19_a_context_that_is_too_long_has_a_label_of_its_own_and_the_run_goes_on",
    20: HERE + "test_09_another_model_is_asked_anew",
    21: RUNNER + "test_replicates_are_asked_and_stored_one_by_one",
    22: "test_store.py::test_every_part_of_the_request_is_in_the_key",
    23: HERE + "test_10_five_repeats_are_five_answers_that_are_replayed_in_order",
    24: "test_store.py::test_every_part_of_the_request_is_in_the_key",
    25: HERE + "test_fault_25_a_service_that_is_always_out_of_quota_ends_the_run_at_once",
    26: LIMITS + "test_an_attempt_that_never_answers_has_an_end_whatever_the_client_is",
    27: HERE + "test_15_ctrl_c_gives_the_rows_so_far_and_the_next_run_asks_the_rest",
    28: LIMITS + "test_the_bar_says_why_it_waits",
    29: "../cli/test_route.py::test_a_killed_run_is_resumed_with_the_rest_only",
    30: "../cli/test_route.py::test_a_store_makes_the_same_command_ask_only_the_rest",
    31: HERE + "test_15_ctrl_c_gives_the_rows_so_far_and_the_next_run_asks_the_rest",
    32: HERE + "test_fault_32_a_resumed_run_is_counted_over_all_cases",
    33: HERE + "test_15_ctrl_c_gives_the_rows_so_far_and_the_next_run_asks_the_rest",
    34: "../cli/test_route.py::test_a_killed_run_is_resumed_with_the_rest_only",
    35: HERE + "test_13_a_run_in_a_notebook_s_cell_needs_no_further_package_and_works_twice",
    36: HERE + "test_fault_36_two_runs_at_once_in_one_loop_do_not_wait_for_each_other",
    37: HERE + "test_18_arguments_and_tools_of_any_form_are_labelled_and_never_raised",
    38: HERE + "test_17_half_a_character_goes_through_store_recording_and_report",
    39: SCORING + "test_another_tool_is_wrong_even_where_no_skill_fits",
    40: FAULTS_FILE + "test_fault_40_answers_come_whole_so_no_call_can_be_lost_in_a_stream",
    41: FAULTS_FILE + "test_fault_41_an_invented_skill_and_an_invented_tool_are_shown_and_wrong",
    42: "test_pricing.py::test_cached_tokens_are_neither_paid_twice_nor_at_the_full_price",
    43: "test_pricing.py::test_cached_tokens_are_neither_paid_twice_nor_at_the_full_price",
    44: "cannot happen: there is no batch back end; each request is one call with one answer, and the store "
    "goes by the request itself (test_store.py::test_replicates_are_different_replies)",
}
"""Each fault by its number: the test that would see it, or why it cannot happen."""


@pytest.mark.parametrize("number", range(1, 45))
def test_every_reported_fault_has_a_test_that_is_there_or_a_reason_with_one(number: int) -> None:
    said = FAULTS[number]
    named = re.findall(r"([\w./]+\.py)::(test_\w+)", said)
    assert named, f"{said!r} names no test that a reader could run"
    assert said.startswith("cannot happen: ") or f"{named[0][0]}::{named[0][1]}" == said
    for file, test in named:
        tree = ast.parse((Path(__file__).parent / file).read_text("utf-8"))
        tests = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
        (found,) = [n for n in tests if n.name == test]
        assert any(isinstance(n, ast.Assert) or _expects(n) for n in ast.walk(found)), (
            f"{test} checks nothing"
        )


def _expects(node: ast.AST) -> bool:
    """Whether this is `pytest.raises(...)`."""
    return isinstance(node, ast.Attribute) and node.attr == "raises"
