"""What is wrong with cases and catalog is told before anything is asked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.routing import shapes
from tests.routing.service import serving
from tohlab.cli import run
from tohlab.dialects import get_dialect
from tohlab.frames import frame
from tohlab.routing import ListedSkills, RoutingCase, RoutingDataset
from tohlab.routing.lints import Lint, lint_dataset
from tohlab.routing.similarity import pairs
from tohlab.skills.model import Invocation, LoadedSkill
from tohlab.skills.sources import MemorySource

DOCX, PDF, SQL = shapes.NAMES


def case(case_id: str, query: str, *expected: str, split: str = "", line: int | None = None) -> RoutingCase:
    return RoutingCase(id=case_id, query=query, expected=expected, split=split, line=line)


def lints(*cases: RoutingCase, code: str) -> list[Lint]:
    report = lint_dataset(RoutingDataset(cases=cases, name="d"), shapes.source())
    return [lint for lint in report.lints if lint.code == code]


def test_one_request_with_two_labels_is_an_error_that_names_both() -> None:
    (found,) = lints(
        case("a", "Fill this in.", PDF, line=3), case("b", "fill  THIS in.", DOCX, line=9), code="two-labels"
    )
    assert found.level == "error"
    assert (found.cases, found.lines) == (("a", "b"), (3, 9))
    assert "a: pdf-forms; b: docx-report" in found.message


def test_the_same_request_twice_with_one_label_is_a_warning() -> None:
    (found,) = lints(case("a", "x y", PDF), case("b", "x y", PDF), code="duplicate")
    assert (found.level, found.cases) == ("warning", ("a", "b"))


def test_a_skill_that_is_not_there_is_an_error_with_the_nearest_name() -> None:
    (found,) = lints(case("a", "x", "pdf_forms"), code="not-in-catalog")
    assert found.level == "error"
    assert "nearest 'pdf-forms' (the same but for case" in found.message


def test_a_skill_that_no_model_may_load_is_another_error() -> None:
    hidden = LoadedSkill(
        name="release-cut", description="Cuts.", content="", invocation=Invocation(model_invocable=False)
    )
    open_one = LoadedSkill(name="pdf-forms", description="Fills.", content="")
    dataset = RoutingDataset(cases=(case("a", "cut", "release-cut"),), name="d")
    codes = [x.code for x in lint_dataset(dataset, MemorySource([hidden, open_one])).lints]
    assert "hidden-skill" in codes
    assert "not-in-catalog" not in codes


@pytest.mark.parametrize(
    ("query", "leaks"),
    [
        ("use pdf-forms for it", True),
        ("PDF forms please", True),
        ("my pdf_forms", True),
        ("pdfforms", True),
        ("the pdf has forms", False),
        ("my-pdf-forms-tool", False),
        ("fill in the form", False),
    ],
)
def test_a_request_that_says_the_skill_s_name_is_easy(query: str, leaks: bool) -> None:
    assert bool(lints(case("a", query, PDF), code="leak")) == leaks
    assert lints(case("a", query), code="leak") == []


def test_a_name_of_one_word_may_be_a_plain_word_so_it_is_told_once_and_as_a_note() -> None:
    source = ListedSkills([("pdf", "Fills forms."), ("sql", "Reviews."), ("pdf-forms", "Other.")])
    cases = (
        case("a", "merge two PDF files", "pdf"),
        case("b", "my SQL and a pdf", "pdf", "sql"),
        case("c", "pdfs", "pdf"),
    )
    report = lint_dataset(RoutingDataset(cases=cases, name="d"), source)
    (found,) = [x for x in report.lints if x.code.startswith("leak")]
    assert (found.code, found.level, found.cases, found.skills) == (
        "leak-word", "note", ("a", "b"), ("pdf", "sql"),
    )  # fmt: skip
    assert "3 requests" in found.message
    assert "pdf 2, sql 1" in found.message


def test_a_skill_with_few_requests_and_a_set_without_abstention_are_weak() -> None:
    (found,) = lints(*(case(f"c{i}", f"q {i}", PDF) for i in range(5)), code="few-requests")
    assert found.skills == (DOCX, SQL)
    assert lints(case("a", "q", PDF), code="no-abstention")
    assert not lints(case("a", "q", PDF), case("b", "r"), code="no-abstention")


def test_near_copies_in_two_splits_are_found_and_in_one_split_are_not() -> None:
    text = "please fill in the tax form for the year and send it back to me"
    one, other = case("a", text, PDF, split="train"), case("b", text + " today", PDF, split="report")
    (found,) = lints(one, other, case("c", "what is the weather"), code="split-copy")
    assert found.cases == ("a", "b")
    assert "cosine 0.9" in found.message
    assert lints(one, replace(other, split="train"), code="split-copy") == []


def test_a_description_that_the_dialect_cuts_is_named() -> None:
    source = ListedSkills([("long", "word " * 200), ("short", "Short.")])
    dataset = RoutingDataset(cases=(case("a", "q", "long"),), name="d")
    (found,) = [x for x in lint_dataset(dataset, source).lints if x.code == "cut-description"]
    assert found.skills == ("long",)
    assert "500" in found.message
    wide = replace(get_dialect("toh"), description_limit=None)
    assert not [x for x in lint_dataset(dataset, source, dialect=wide).lints if x.code == "cut-description"]


def test_skills_with_the_same_description_are_twins() -> None:
    source = ListedSkills([("one", "Fills forms."), ("two", "fills  forms."), ("three", "Else.")])
    report = lint_dataset(RoutingDataset(cases=(case("a", "q", "one"),), name="d"), source)
    (found,) = [x for x in report.lints if x.code == "twin"]
    assert found.skills == ("one", "two")
    assert [(n.skill, n.neighbour, n.cosine) for n in report.neighbours] == [
        ("one", "two", 1.0),
        ("two", "one", 1.0),
    ]


def test_errors_stand_first_and_the_report_is_plain_json() -> None:
    cases = (case("a", "x y", PDF), case("b", "x y", DOCX), case("c", "z", "none-such"))
    report = lint_dataset(RoutingDataset(cases=cases, name="d"), shapes.source())
    levels = [x.level for x in report.lints]
    assert levels == sorted(levels, key=("error", "warning", "note").index)
    assert json.loads(json.dumps(report.to_dict()))["errors"] == 2


def test_pairs_are_those_that_comparing_all_gives() -> None:
    texts = ["a b c", "a b d", "x y", "", "a b c", "x y z w"]
    found = {(i, j): cosine for i, j, cosine in pairs(texts, 0.3)}
    assert set(found) == {(0, 1), (0, 4), (1, 4), (2, 5)}
    assert found[0, 4] == pytest.approx(1.0)
    assert list(pairs(texts, 2)) == []


def test_lints_are_a_table() -> None:
    dataset = RoutingDataset(cases=(case("a", "x y", PDF), case("b", "x y", DOCX)), name="d")
    rows = frame(lint_dataset(dataset, shapes.source()))
    assert (rows["code"][0], rows["level"][0], rows["cases"][0]) == ("two-labels", "error", "a b")


# On the command line.


def test_a_dry_run_asks_nothing_and_says_what_asking_would_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    argv = ["route", *shapes.write_inputs(tmp_path, shapes.ten()), "--dry-run", "--model", "m"]
    with serving(shapes.perfect(shapes.ten())) as service:
        assert run([*argv, "--base-url", service.base_url, "--price", "1,2"]) == 0
    assert service.bodies == []
    text = capsys.readouterr().out
    assert "nothing is asked. 0 errors" in text
    assert "to be asked: 10 requests" in text
    assert "o200k_base, without the service's template" in text
    assert "USD" in text
    store = tmp_path / "new.sqlite"
    assert run([*argv, "--json", "--store", str(store)]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["estimate"]["requests"], data["estimate"]["low_usd"], data["errors"]) == (10, None, 0)
    assert not store.exists()


def test_a_dry_run_with_errors_ends_with_1_and_names_the_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = RoutingDataset(cases=(case("a", "x y", PDF), case("b", "x y", DOCX)), name="d")
    argv = ["route", *shapes.write_inputs(tmp_path, dataset), "--dry-run"]
    assert run(argv) == 1
    text = " ".join(capsys.readouterr().out.split())
    assert "error: one request has two labels (a: pdf-forms; b: docx-report); keep the right one" in text
    assert "(line 1, 2)" in text
    assert "no estimate: correct the errors first" in text


def test_a_budget_and_a_price_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    dataset = shapes.ten()
    argv = ["route", *shapes.write_inputs(tmp_path, dataset), "--model", "m"]
    with serving(shapes.perfect(dataset)) as service:
        argv += ["--base-url", service.base_url]
        assert run([*argv, "--budget-tokens", "5"]) == 2
        assert "a budget needs --store" in capsys.readouterr().err
        argv += ["--store", str(tmp_path / "s.sqlite")]
        assert run([*argv, "--budget-tokens", "5"]) == 3
        assert "the budget of 5 tokens does not do" in capsys.readouterr().err
        assert run([*argv, "--budget-usd", "5"]) == 3
        assert "needs a price" in capsys.readouterr().err
        assert service.bodies == []
        assert run([*argv, "--budget-usd", "5", "--price", "1,2,0.1", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["cost"]["now_usd"] == pytest.approx(10 * (10 * 1 + 90 * 0.1 + 7 * 2) / 1e6)


def test_one_split_alone_can_be_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = shapes.write_inputs(tmp_path, shapes.ten())
    path = Path(argv[3])
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    shapes.write_lines(path, [{**row, "split": "report" if i % 2 else "train"} for i, row in enumerate(rows)])
    assert run(["route", *argv, "--baseline", "bm25", "--split", "report", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n_total"] == 5
    assert run(["route", *argv, "--baseline", "bm25", "--split", "test"]) == 3
    assert "splits: report, train" in capsys.readouterr().err
