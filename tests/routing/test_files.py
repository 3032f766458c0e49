"""Requests of other tools come in, and reports go out in the forms that other tools read."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.routing import shapes
from tests.routing.service import asked_text, completion, fails, ok, serving
from tohlab.cli import run
from tohlab.errors import DatasetError, RoutingError
from tohlab.routing import (
    OpenAIClient,
    RetryPolicy,
    RoutingCase,
    RoutingDataset,
    RoutingReport,
    load_cases,
    load_catalog,
    run_routing,
)
from tohlab.routing.exports import to_inspect_log, to_junit, to_promptfoo
from tohlab.routing.import_benchmarks import import_bfcl, import_metatool_catalog
from tohlab.routing.imports import cases_to_lines, import_cases

WAZA = """\
# comment
skill: pdf-forms
should_trigger_prompts:
  - prompt: "Fill this in"
    reason: "Direct"
    confidence: high
should_not_trigger_prompts:
  - prompt: "What time is it?"
"""
VALLY = """\
name: pdf-forms
type: capability
stimuli:
  - name: Fill a form
    prompt: Fill this in
    graders:
      - type: exit-success
  - name: Stay out of Word
    prompt: Write a letter
    expect_activation: false
"""


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def labels(dataset: RoutingDataset) -> list[tuple[str, str, Any, tuple[str, ...]]]:
    return [(c.id, c.query, c.expected, c.not_expected) for c in dataset.cases]


@pytest.mark.parametrize(
    ("format_", "text", "ids"),
    [
        ("waza", WAZA, ("pdf-forms-1", "pdf-forms-2")),
        ("vally", VALLY, ("Fill a form", "Stay out of Word")),
        (
            "vally",
            VALLY.replace("name: pdf-forms\ntype: capability\nstimuli", "scenarios"),
            ("Fill a form", "Stay out of Word"),
        ),
        (
            "skill-creator",
            json.dumps(
                [
                    {"query": "Fill this in", "should_trigger": True},
                    {"query": "Not this", "should_trigger": False},
                ]
            ),
            ("pdf-forms-1", "pdf-forms-2"),
        ),
    ],
)
def test_a_request_that_must_not_start_a_skill_says_nothing_of_the_others(
    tmp_path: Path, format_: str, text: str, ids: tuple[str, str]
) -> None:
    found = import_cases(write(tmp_path / "x", text), format_, skill="pdf-forms")
    first, second = labels(found)
    assert first == (ids[0], "Fill this in", ("pdf-forms",), ())
    assert (second[0], second[2], second[3]) == (ids[1], None, ("pdf-forms",))


def test_a_table_has_all_that_a_case_can_have(tmp_path: Path) -> None:
    text = (
        "id,query,expected,not_expected,optional,group,split\r\n"
        'a,"fill, and\nsend",sql-review pdf-forms,,docx-report,g,train\r\n'
        "b,hello,,pdf-forms|sql-review,,,\r\n"
    )
    found = import_cases(write(tmp_path / "x.csv", text), "csv").cases
    assert found[0] == RoutingCase(
        id="a", query="fill, and\nsend", expected=("pdf-forms", "sql-review"), optional=("docx-report",),
        group="g", split="train",
    )  # fmt: skip
    assert (found[1].expected, found[1].not_expected) == ((), ("pdf-forms", "sql-review"))


@pytest.mark.parametrize("cell", ['"b, a"', "a;b", "b|a", "a b", '"a ,; b,"'])
def test_names_in_a_cell_are_joined_as_people_join_them(tmp_path: Path, cell: str) -> None:
    found = import_cases(write(tmp_path / "x.csv", f"id,query,expected\n1,q,{cell}\n"), "csv")
    assert found.cases[0].expected == ("a", "b")


BUILDKITE = """\
trigger_evals:
  - id: t-1
    query: Fill this in
    expected_skill: pdf-forms
    tags: [should-trigger]
  - id: t-2
    query: Check my migration
    expected_skill: sql-review
    expected_not_skills: [pdf-forms]
    tags: [near-miss, pdf-vs-sql]
  - id: t-3
    query: What time is it?
    expected_skill: null
"""


def test_buildkite_s_near_misses_keep_what_must_not_be_loaded(tmp_path: Path) -> None:
    found = import_cases(write(tmp_path / "trigger_dataset.yaml", BUILDKITE), "buildkite")
    assert labels(found) == [
        ("t-1", "Fill this in", ("pdf-forms",), ()),
        ("t-2", "Check my migration", ("sql-review",), ("pdf-forms",)),
        ("t-3", "What time is it?", (), ()),
    ]
    assert [c.group for c in found.cases] == ["should-trigger", "near-miss", ""]


def test_metatool_has_one_tool_in_a_table_and_several_in_a_list(tmp_path: Path) -> None:
    table = 'Query,Tool\n"Find papers, please",ResearchFinder\n Improve my site,SEOTool\n'
    one = import_cases(write(tmp_path / "all_clean_data.csv", table), "metatool")
    assert labels(one) == [
        ("q1", "Find papers, please", ("ResearchFinder",), ()),
        ("q2", "Improve my site", ("SEOTool",), ()),
    ]
    assert [c.line for c in one.cases] == [2, 3]
    pairs = [{"query": "News of this stock?", "tool": ["NewsTool", "FinanceTool"]}]
    several = import_cases(write(tmp_path / "multi.json", json.dumps(pairs)), "metatool")
    assert labels(several) == [("q1", "News of this stock?", ("FinanceTool", "NewsTool"), ())]
    said = write(tmp_path / "des.json", json.dumps({"SEOTool": "Tunes\n sites.", "PDF&URLTool": "Reads."}))
    found = import_metatool_catalog(said).snapshot().skills
    assert [(s.name, s.description) for s in found] == [
        ("PDF&URLTool", "Reads."),
        ("SEOTool", "Tunes sites."),
    ]
    for broken in ("[]", "{}", '{"a": ""}', '{"a": 3}'):
        with pytest.raises(DatasetError):
            import_metatool_catalog(write(tmp_path / "des.json", broken))


def bfcl(tmp_path: Path) -> Path:
    def row(name: str, *functions: str) -> dict[str, Any]:
        return {
            "id": name,
            "question": [[{"role": "system", "content": "s"}, {"role": "user", "content": f"ask {name}"}]],
            "function": [{"name": f, "description": f"Does {f}.", "parameters": {}} for f in functions],
        }

    path = shapes.write_lines(tmp_path / "BFCL_v4_multiple.json", [row("m_0", "a.b", "c"), row("m_1", "c")])
    (tmp_path / "possible_answer").mkdir()
    truth = [
        {"id": "m_0", "ground_truth": [{"a.b": {"x": [1]}}, {"c": {}}]},
        {"id": "m_1", "ground_truth": [{"c": {}}]},
    ]
    shapes.write_lines(tmp_path / "possible_answer" / path.name, truth)
    shapes.write_lines(tmp_path / "BFCL_v4_irrelevance.json", [row("i_0", "c")])
    return path


def test_bfcl_s_functions_become_one_catalog(tmp_path: Path) -> None:
    dataset, source = import_bfcl(bfcl(tmp_path))
    assert labels(dataset) == [("m_0", "ask m_0", ("a.b", "c"), ()), ("m_1", "ask m_1", ("c",), ())]
    assert [(s.name, s.description) for s in source.snapshot().skills] == [
        ("a.b", "Does a.b."),
        ("c", "Does c."),
    ]
    dataset.check_scorable(["a.b", "c"])
    silent, _ = import_bfcl(tmp_path / "BFCL_v4_irrelevance.json")
    assert silent.cases[0].expected == ()


@pytest.mark.parametrize(
    ("format_", "text", "said"),
    [
        ("waza", "- a", "must be a YAML mapping"),
        ("waza", "skill: [x", "not YAML"),
        ("waza", "should_trigger_prompts: []", "does not name its skill"),
        ("waza", "skill: a\nshould_trigger_prompts: [text]", "list of objects"),
        ("waza", "skill: a", "no requests"),
        ("vally", "name: a\nstimuli:\n  - {name: x, prompt: p, expect_activation: 3}", "true or false"),
        ("vally", "name: a\nstimuli:\n  - {name: x, prompt: p}\n  - {name: x, prompt: q}", "twice"),
        ("skill-creator", "[]", "name it"),
        ("csv", "id,query\na,b", "lacks expected"),
        ("csv", 'id,query,expected\n"a', "not CSV"),
        ("csv", "id,query,expected\na,read this, please,pdf", "x:2: there are more cells than the header"),
        ("csv", "id,query,expected,expected\na,q,b,c", "x:1: the header has expected twice"),
        ("csv", "id,query,expected,not_expected\na,q,b,b", "x:2: 'b' is both expected and not expected"),
        ("bfcl", '{"id": "a"}', "no answers"),
        ("mlperf", "", "known: skill-creator, waza, vally, buildkite, bfcl, metatool, csv"),
        ("buildkite", "evals: []", "trigger_evals: must be a list"),
        ("buildkite", "trigger_evals:\n  - {id: a, query: q}", "lacks expected_skill"),
        ("buildkite", "trigger_evals:\n  - {id: a, query: q, expected_skill: [b]}", "a name, or null"),
        ("buildkite", "trigger_evals:\n  - {query: q, expected_skill: b}", "needs an id"),
        (
            "buildkite",
            "trigger_evals:\n  - {id: a, query: q, expected_skill: b, expected_not_skills: [b]}",
            "both expected and not",
        ),
        ("metatool", "a,b\nc,d", "header must be Query,Tool"),
        ("metatool", "Query,Tool\nask,", "names no tool"),
        ("metatool", '[{"query": "q", "tool": []}]', "names no tool"),
        ("metatool", "[{]", "not JSON"),
    ],
)
def test_what_is_not_of_the_format_is_one_message(tmp_path: Path, format_: str, text: str, said: str) -> None:
    with pytest.raises(DatasetError, match=said):
        import_cases(write(tmp_path / "x", text), format_)


@pytest.mark.parametrize("format_", ["csv", "buildkite", "bfcl", "metatool"])
def test_one_skill_is_not_taken_where_each_request_names_its_own(tmp_path: Path, format_: str) -> None:
    with pytest.raises(DatasetError, match="name their own skills, so leave out --skill"):
        import_cases(write(tmp_path / "x", "id,query,expected\na,b,pdf-forms"), format_, skill="sql-review")


def test_what_was_imported_is_what_load_cases_reads(tmp_path: Path) -> None:
    found = import_cases(write(tmp_path / "x.yaml", WAZA), "waza")
    again = load_cases(write(tmp_path / "c.jsonl", cases_to_lines(found)))
    assert again.cases == found.cases


def mixed() -> RoutingReport:
    """Right, wrong, not answered, and a case that only says what is wrong."""
    cases = (
        shapes.case(0, "pdf-forms", group="g"),
        shapes.case(1),
        shapes.case(2, "sql-review"),
        RoutingCase(id="c3", query="request number 3", expected=None, not_expected=("pdf-forms",)),
    )
    answers = {
        "request number 0": ok(completion("pdf-forms")),
        "request number 1": ok(completion("pdf-\x01\ud835")),
        "request number 2": fails(400, {"error": {"message": "no <tag>"}}),
        "request number 3": ok(completion("pdf-forms")),
    }
    with serving(lambda b, n: answers[asked_text(b)]) as service:
        return run_routing(
            RoutingDataset(cases=cases, name="d & e"), shapes.source(), OpenAIClient(service.base_url),
            model="m", retry=RetryPolicy(attempts={}),
        )  # fmt: skip


def test_junit_has_failures_for_wrong_answers_and_errors_for_none() -> None:
    suite = ET.fromstring(to_junit(mixed()))
    assert {k: suite.get(k) for k in ("name", "tests", "failures", "errors")} == {
        "name": "m on d & e", "tests": "4", "failures": "2", "errors": "1",
    }  # fmt: skip
    found = {c.get("name"): [child.tag for child in c] for c in suite.iter("testcase")}
    assert found == {"c0": [], "c1": ["failure"], "c2": ["error"], "c3": ["failure"]}
    (failure,) = suite.findall("testcase[@name='c1']/failure")
    assert failure.get("type") == "invalid_name"
    (error,) = suite.findall("testcase[@name='c2']/error")
    assert "no <tag>" in str(error.get("message"))


def test_an_inspect_log_has_a_sample_for_each_answer_and_no_score_without_one() -> None:
    log = to_inspect_log(mixed(), created=datetime(2026, 12, 1, tzinfo=UTC))
    json.dumps(log, allow_nan=False)
    assert (log["version"], log["status"]) == (2, "success")
    assert log["eval"]["created"] == "2026-12-01T00:00:00+00:00"
    assert (log["results"]["total_samples"], log["results"]["completed_samples"]) == (4, 3)
    values = [s.get("scores", {}).get("exact_set", {}).get("value") for s in log["samples"]]
    assert values == ["C", "I", None, "I"]
    assert set(log["samples"][2]["error"]) == {"message", "traceback", "traceback_ansi"}
    assert log["results"]["scores"][0]["metrics"]["accuracy"]["value"] == 0.5


def test_a_promptfoo_configuration_asks_what_a_run_asks() -> None:
    dataset = shapes.ten()
    with serving(shapes.perfect(dataset)) as service:
        run_routing(dataset, shapes.source(), OpenAIClient(service.base_url), model="m")
        config = to_promptfoo(dataset, shapes.source(), model="m", base_url=service.base_url)
        sent = service.bodies
    (provider,) = config["providers"]
    assert provider["id"] == "openai:chat:m"
    assert provider["config"] == {
        **{k: v for k, v in sent[0].items() if k not in ("model", "messages")},
        "apiBaseUrl": service.base_url,
    }
    assert config["prompts"] == ["{{messages}}"]
    for test, body, case in zip(config["tests"], sent, dataset.cases, strict=True):
        assert json.loads(test["vars"]["messages"]) == body["messages"]
        assert json.loads(test["vars"]["expected"]) == list(case.expected or ())
    templated = RoutingDataset(
        cases=(RoutingCase(id="a", query="fill {{this}}", expected=("pdf-forms",)),), name="d"
    )
    with pytest.raises(RoutingError, match="takes for a template"):
        to_promptfoo(templated, shapes.source(), model="m")


# On the command line.


def test_files_come_in_and_go_out_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["route", "import", str(write(tmp_path / "t.yaml", WAZA)), "--from", "waza"]) == 0
    assert capsys.readouterr().out.count("\n") == 2
    catalog = tmp_path / "catalog.jsonl"
    argv = ["route", "import", str(bfcl(tmp_path)), "--from", "bfcl", "--catalog", str(catalog)]
    assert run(argv) == 0
    cases = write(tmp_path / "cases.jsonl", capsys.readouterr().out)
    assert len(load_catalog(catalog).snapshot().skills) == 2
    inputs = ["--skills", str(catalog), "--cases", str(cases)]
    assert run(["route", *inputs, "--baseline", "bm25", "--json", "--trials"]) == 0
    report = write(tmp_path / "a.json", capsys.readouterr().out)
    for to, start in (("junit", "<testsuite"), ("inspect", "{"), ("csv", "case,query,group")):
        assert run(["route", "export", str(report), "--to", to]) == 0
        assert capsys.readouterr().out.startswith(start)
    assert run(["route", "export", *inputs, "--to", "promptfoo", "--model", "m"]) == 0
    assert len(json.loads(capsys.readouterr().out)["tests"]) == 2


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        (["import", "none.yaml", "--from", "waza"], 3, "no such file"),
        (["import", "x", "--from", "mlperf"], 3, "known: skill-creator"),
        (["import", "x", "--from", "csv", "--catalog", "y"], 2, "belongs to --from bfcl or metatool"),
        (["import", "x", "--from", "csv", "--answers", "y"], 2, "belongs to --from bfcl"),
        (
            ["import", "x", "--from", "csv", "--skill", "y"],
            2,
            "--skill belongs to --from skill-creator, waza",
        ),
        (
            ["import", "x", "--from", "bfcl", "--skill", "y"],
            2,
            "--skill belongs to --from skill-creator, waza",
        ),
        (["import", "x", "--from", "mlperf", "--skill", "y"], 3, "known: skill-creator"),
        (["import", "x", "--from", "metatool", "--catalog", "y"], 2, "give both"),
        (["export", "--to", "junit"], 2, "the others need one"),
        (["export", "a.json", "--to", "promptfoo"], 2, "takes no report"),
        (["export", "--to", "promptfoo"], 2, "needs --model"),
        (["export", "none.json", "--to", "junit"], 3, "no such file"),
    ],
)
def test_a_wrong_command_is_one_message(
    argv: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["route", *argv]) == code
    assert said in capsys.readouterr().err
