"""Baselines are deterministic floors that need no model, and stand beside every model's result."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.routing import shapes
from tests.routing.service import asked_text, completion, fails, ok, serving
from tohlab.errors import DatasetError, MissingExtra, RoutingError
from tohlab.routing import (
    ListedSkills,
    OpenAIClient,
    RetryPolicy,
    RoutingCase,
    RoutingDataset,
    RoutingReport,
    load_report,
    run_baseline,
    run_baselines,
    run_routing,
)
from tohlab.routing.baselines import (
    BASELINES,
    available_baselines,
    missing_baselines,
    retrieval_recall,
    with_baselines,
)
from tohlab.routing.baselines.abstain import cross_fitted
from tohlab.routing.baselines.chance import chance_shares
from tohlab.routing.baselines.embedding import embed
from tohlab.routing.baselines.task import RANKERS, Task
from tohlab.routing.similarity import TfIdf, words

DOCX, PDF, SQL = shapes.NAMES
ROOT = Path(__file__).parents[2]


def dataset(*pairs: tuple[str, tuple[str, ...]]) -> RoutingDataset:
    return RoutingDataset(
        cases=tuple(RoutingCase(id=f"{i}", query=q, expected=e) for i, (q, e) in enumerate(pairs)), name="d"
    )


WORDS = {DOCX: "a Word report with headings", PDF: "flatten the PDF form", SQL: "review my migration"}


def spoken(n: int = 12) -> RoutingDataset:
    """Requests with the words of their skills, and every fourth one that no skill fits."""
    pairs: list[tuple[str, tuple[str, ...]]] = []
    for i in range(n):
        name = shapes.NAMES[i % 3]
        pairs.append((f"tell me joke {i}", ()) if i % 4 == 3 else (f"{WORDS[name]} number {i}", (name,)))
    return dataset(*pairs)


def test_bm25_finds_by_description_and_name_and_abstains_where_no_word_is_shared() -> None:
    cases = dataset(
        ("flatten these fields", (PDF,)),
        ("check for missing indexes", (SQL,)),
        ("DOCX please", (DOCX,)),
        ("xyzzy", ()),
    )
    report = run_baseline("bm25", cases, shapes.source())
    assert [t.loaded for t in report.trials] == [(PDF,), (SQL,), (DOCX,), ()]
    assert (report.exact.value, report.model, report.choice) == (1.0, "baseline:bm25", None)


@pytest.mark.parametrize("name", ["bm25", "tfidf"])
def test_a_search_works_with_one_skill_and_with_words_that_all_skills_have(name: str) -> None:
    one = ListedSkills([("pdf", "Use this for forms.")])
    report = run_baseline(name, dataset(("forms", ("pdf",)), ("hello", ())), one)
    assert report.exact.value == 1.0


@pytest.mark.parametrize("name", ["bm25", "tfidf", "embedding"])
def test_a_search_reads_the_whole_description(name: str) -> None:
    source = ListedSkills([("a", "word " * 200 + "zebra " * 200), ("b", "word horse")])
    assert run_baseline(name, dataset(("zebra", ("a",))), source).exact.value == 1.0


def test_tfidf_weighs_as_scikit_learn_does() -> None:
    # What scikit-learn 1.9.1 gave for TfidfVectorizer(token_pattern=r"[^\W_]+"), 2026-12-01.
    found = TfIdf([f"{name} {description}" for name, description in shapes.CATALOG])
    assert found.scores("Review the PDF form and flatten a report a") == pytest.approx(
        [0.3686139398878428, 0.5963232676963903, 0.32008308768502247]
    )
    assert found.scores("zebra") == [0.0, 0.0, 0.0]


def test_tfidf_takes_the_nearest_and_none_where_no_word_is_shared() -> None:
    cases = dataset(("flatten a form", (PDF,)), ("xyzzy", ()), ("missing indexes", (SQL,)))
    assert run_baseline("tfidf", cases, shapes.source()).exact.value == 1.0


def test_an_embedding_finds_without_a_shared_word_and_always_loads_one() -> None:
    source = ListedSkills([("cook", "Recipes for soup and bread."), ("drive", "Repair a car engine.")])
    cases = dataset(
        ("bake a loaf in the kitchen", ("cook",)), ("my automobile broke", ("drive",)), ("hi", ())
    )
    report = run_baseline("embedding", cases, source)
    assert [t.label for t in report.trials] == ["ok", "ok", "spurious"]
    assert any("wordllama" in note for note in report.notes)
    assert run_baseline("tfidf", cases, source).exact.successes == 1  # the words are not shared


def test_vectors_have_length_one_and_a_text_without_words_is_nothing() -> None:
    made = embed(["one text", "", "half \ud835"])
    assert [round(float((row * row).sum()), 5) for row in made] == [1.0, 0.0, 1.0]


OFFLINE = """
    import logging, socket, sys

    def closed(*_, **__):
        raise AssertionError("the network was used")

    socket.socket.connect = socket.create_connection = socket.getaddrinfo = closed
    from tohlab.routing.baselines.embedding import embed
    made = embed(["Fill in a form.", "Hello", "pdf-forms " * 50])
    assert "wordllama" not in sys.modules and not logging.getLogger().handlers

    from pathlib import Path
    import numpy, wordllama
    folder = Path(wordllama.__file__).parent
    own = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    theirs = own.embed(["Fill in a form.", "Hello", "pdf-forms " * 50], norm=True)
    print(made.shape, bool(numpy.allclose(made, theirs, atol=1e-5)))
"""


def test_the_vectors_are_the_package_s_own_and_nothing_is_downloaded() -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(OFFLINE)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["(3,", "256)", "True"]


def test_without_the_package_the_embedding_is_named_as_missing_and_the_others_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import importlib.util

    from tohlab.routing.baselines import embedding

    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda n, *a: None if n == "wordllama" else real(n, *a))
    embedding._load.cache_clear()
    assert set(missing_baselines()) == {"embedding", "embedding+abstain"}
    assert "embedding" not in available_baselines()
    with pytest.raises(MissingExtra, match=r"pip install 'tohlab\[embed\]'"):
        run_baseline("embedding", shapes.ten(), shapes.source())
    report = with_baselines(run_baseline("names", shapes.ten(), shapes.source()), shapes.source())
    assert "embedding" not in [row.name for row in report.baselines]
    assert any("embedding was left out" in note and "tohlab[embed]" in note for note in report.notes)


def test_names_looks_at_names_only() -> None:
    cases = dataset(("review this sql", (SQL,)), ("flatten these fields", ()), ("my pdf forms", (PDF,)))
    assert run_baseline("names", cases, shapes.source()).exact.value == 1.0


def test_majority_is_the_most_frequent_set() -> None:
    cases = dataset(("a", (SQL,)), ("b", (SQL,)), ("c", ()))
    report = run_baseline("majority", cases, shapes.source())
    assert (report.exact.successes, report.exact.n) == (2, 3)


def test_random_has_the_expected_value_of_a_pick_by_chance() -> None:
    # 3 skills or none: a quarter each; a set of two can never be picked.
    cases = dataset(("a", (SQL,)), ("b", ()), ("c", (PDF, SQL)))
    report = run_baseline("random", cases, shapes.source())
    assert report.exact.successes == pytest.approx(2 * 1 / 4)
    assert report.one_skill is not None
    assert report.no_skill is not None
    assert (report.one_skill.value, report.no_skill.value, report.exact.n) == (0.25, 0.25, 3)
    # Where a skill is optional, loading it and loading nothing are both right; a twin is right too.
    free = RoutingCase(id="d", query="d", expected=(), optional=(PDF,))
    twin = RoutingCase(id="e", query="e", expected=(PDF,), aliases=((DOCX, PDF),))
    shares = run_baseline(
        "random", RoutingDataset(cases=(free, twin), name="d"), shapes.source()
    ).right_shares()
    assert shares == {"d": 0.5, "e": 0.5}
    assert chance_shares(Task(RoutingDataset(cases=(free, twin), name="d"), shapes.source()))[0] == shares


def test_random_with_too_many_answers_draws_some_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from tohlab.routing.baselines import chance

    source = ListedSkills([(f"skill-{i}", f"Does {i}.") for i in range(200)])
    cases = dataset(*((f"q {i}", (f"skill-{i}",)) for i in range(100)))
    assert "not one draw" in run_baseline("random", cases, source).notes[-1]
    monkeypatch.setattr(chance, "MOST", 5_000)
    report = run_baseline("random", cases, source)
    assert len(report.trials) == 5_000
    assert "50 of the 201 answers" in report.notes[-1]
    assert report.exact.value == pytest.approx(1 / 201, abs=0.01)
    assert report == run_baseline("random", cases, source)


# A threshold for no skill.


def noisy(n: int) -> RoutingDataset:
    """Requests of one word of a skill, and requests that no skill fits and that share a common word."""
    pairs: list[tuple[str, tuple[str, ...]]] = []
    for i in range(n):
        pairs += [("flatten the fields of a pdf form", (PDF,)), (f"what is a good film {i}", ())]
    return dataset(*pairs)


@pytest.mark.parametrize("name", ["bm25", "tfidf", "embedding"])
def test_a_threshold_that_was_learnt_on_other_cases_abstains(name: str) -> None:
    cases = noisy(10)
    plain = run_baseline(name, cases, shapes.source())
    report = run_baseline(f"{name}+abstain", cases, shapes.source())
    assert (plain.exact.value, report.exact.value) == (0.5, 1.0)
    assert "each fifth of the cases on the other four" in report.notes[0]


def test_no_case_has_a_say_in_its_own_threshold() -> None:
    cases = spoken(20)
    before, _ = cross_fitted(Task(cases, shapes.source()), "tfidf")
    for i, case in enumerate(cases.cases):
        turned = (SQL,) if case.expected != (SQL,) else ()
        changed = replace(
            cases, cases=(*cases.cases[:i], replace(case, expected=turned), *cases.cases[i + 1 :])
        )
        after, _ = cross_fitted(Task(changed, shapes.source()), "tfidf")
        assert after[i] == before[i]


def test_a_threshold_needs_cases_to_be_learnt_on() -> None:
    with pytest.raises(RoutingError, match="needs 10 labelled cases"):
        run_baseline("bm25+abstain", spoken(8), shapes.source())


def test_all_baselines_run_over_the_same_cases() -> None:
    reports = run_baselines(spoken(), shapes.source())
    assert [r.model for r in reports] == [f"baseline:{name}" for name in BASELINES]
    assert {r.exact.n for r in reports} == {12}
    few = run_baselines(spoken(8), shapes.source())
    assert [r.model for r in few] == [f"baseline:{name}" for name in BASELINES if "+" not in name]
    (one,) = run_baselines(spoken(), shapes.source(), names=["tfidf"])
    assert one == run_baseline("tfidf", spoken(), shapes.source())
    assert set(RANKERS) <= set(BASELINES)


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_says_the_same_twice(name: str) -> None:
    assert run_baseline(name, spoken(), shapes.source()) == run_baseline(name, spoken(), shapes.source())


def test_a_baseline_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    run_baselines(spoken(), shapes.source())
    assert capfd.readouterr() == ("", "")


def test_what_cannot_be_scored_is_refused() -> None:
    for wrong in (["none-such"], ["bm25", "none-such"]):
        with pytest.raises(RoutingError, match="known: majority, random, names, bm25"):
            run_baselines(shapes.ten(), shapes.source(), names=wrong)
    with pytest.raises(RoutingError, match="known: majority, random, names, bm25"):
        run_baseline("none-such", shapes.ten(), shapes.source())
    with pytest.raises(DatasetError, match="not in the catalog"):
        run_baseline("bm25", shapes.ten(), ListedSkills([("other", "Other.")]))
    with pytest.raises(DatasetError, match="empty"):
        run_baseline("bm25", shapes.ten(), ListedSkills([]))


def test_names_that_no_harness_takes_are_scored_and_noted() -> None:
    source = ListedSkills([("book_hotel", "book hotel"), ("alarm", "alarm")])
    report = run_baseline("bm25", dataset(("book a hotel", ("book_hotel",))), source)
    assert report.exact.value == 1.0
    assert "1 of 2 names" in report.notes[0]


def test_words_are_letters_and_digits_of_any_script() -> None:
    assert words("PDF-Forms_2: Größe!") == ["pdf", "forms", "2", "größe"]


# Beside a model.


def asked(cases: RoutingDataset, *right: bool | None, **options: object) -> RoutingReport:
    """The report of a service that is right, wrong (loads the first skill besides) or out of order."""
    by_query = {c.query: (c, how) for c, how in zip(cases.cases, right, strict=True)}

    def script(body: dict[str, object], number: int) -> object:
        case, how = by_query[asked_text(body)]
        if how is None:
            return fails(500)
        names = case.expected or ()
        if not how:
            names = (DOCX,) if not names else ()
        return ok(completion(*names, content=None if names else "No skill."))

    with serving(script) as service:  # type: ignore[arg-type]  # the script gives what the service takes
        return run_routing(
            cases, shapes.source(), OpenAIClient(service.base_url), model="m",
            retry=RetryPolicy(attempts={}), **options,  # type: ignore[arg-type]  # of run_routing
        )  # fmt: skip


def test_a_model_s_report_has_the_baselines_on_the_cases_it_was_scored_on() -> None:
    cases = spoken()
    report = asked(cases, *([True] * 10), False, None)
    assert [row.name for row in report.baselines] == list(BASELINES)
    assert {row.exact.n for row in report.baselines} == {report.exact.n} == {11}
    scored = replace(cases, cases=cases.cases[:11])
    for row in report.baselines:
        found = run_baseline(row.name, scored, shapes.source())
        for mine, its in (
            (row.exact, found.exact),
            (row.one_skill, found.one_skill),
            (row.several_skills, found.several_skills),
            (row.no_skill, found.no_skill),
        ):
            assert mine == its or (mine and its and mine.value == pytest.approx(its.value))
        assert row.difference == pytest.approx(report.exact.value - row.exact.value)
        ours, theirs = report.right_shares(), found.right_shares()
        assert row.gained == sum(ours[i] > theirs[i] for i in ours)
        assert row.lost == sum(ours[i] < theirs[i] for i in ours)


def test_the_baselines_can_be_left_out_and_a_baseline_has_none_beside_it() -> None:
    cases = spoken()
    assert asked(cases, *([True] * 12), baselines=False).baselines == ()
    assert run_baseline("bm25", cases, shapes.source()).baselines == ()


def sure(n: int, right: Sequence[bool]) -> RoutingReport:
    """A report over requests of many skills, each a cluster of its own."""
    catalog = [(f"skill-{i}", f"Does thing number {i}.") for i in range(n)]
    cases = dataset(*((f"please {i}", (f"skill-{i}",)) for i in range(n)))
    report = run_baseline("names", cases, ListedSkills(catalog))
    trials = tuple(
        replace(t, label="ok" if ok else "missed", loaded=t.case.expected if ok else ())  # type: ignore[arg-type]  # the cases have a label
        for t, ok in zip(report.trials, right, strict=True)
    )
    from tohlab.routing.aggregate import make_report

    made = make_report(
        trials, model="m", dataset="d", skills=[n for n, _ in catalog], dialect="toh", choice="tools"
    )
    return with_baselines(made, ListedSkills(catalog))


def test_what_is_said_of_the_baselines_is_what_a_test_shows() -> None:
    good = sure(30, [True] * 30)
    above = [
        r for r in good.baselines if r.p_adjusted is not None and r.p_adjusted < 0.05 and r.difference > 0
    ]
    assert {"majority", "random"} <= {r.name for r in above}
    poor = sure(30, [False] * 30)
    assert all(r.difference <= 0 for r in poor.baselines)
    assert "Not shown to be above majority" in poor.against_baselines
    same = next(r for r in poor.baselines if r.name == "majority")
    assert same.p_adjusted is not None
    assert same.p_adjusted > 0.05
    for row in good.baselines:
        assert row.p_value is None or row.p_adjusted is None or row.p_adjusted >= row.p_value


def test_the_rows_go_through_json(tmp_path: Path) -> None:
    import json

    report = asked(spoken(), *([True] * 12))
    path = tmp_path / "a.json"
    path.write_text(json.dumps(report.to_dict(trials=True), allow_nan=False))
    again = load_report(path)
    assert again.baselines == report.baselines
    assert again.retrieval == report.retrieval
    assert again.to_dict() == report.to_dict()


def test_a_notebook_shows_the_model_and_the_baselines_in_one_table() -> None:
    html = asked(replace(spoken(), name="<b>d</b>"), *([True] * 12))._repr_html_()
    assert "<b>d</b>" not in html
    assert "&lt;b&gt;d&lt;/b&gt;" in html
    assert html.count("<tr>") == 2 + len(BASELINES)
    assert html.count("<small>baseline</small>") == len(BASELINES)


# Retrieve, then route.


def test_recall_counts_the_cases_whose_skills_are_all_among_the_first() -> None:
    source = ListedSkills([("a", "alpha"), ("b", "beta"), ("c", "gamma"), ("d", "delta")])
    cases = dataset(("alpha", ("a",)), ("alpha beta beta", ("a", "b")), ("beta", ("a",)), ("x", ()))
    found = {
        (r.ranker, r.k): r.recall for r in retrieval_recall(cases, source, rankers=["tfidf"], ks=[1, 2, 9])
    }
    # A request of no skill says nothing, and a k as large as the catalog leaves nothing out.
    assert set(found) == {("tfidf", 1), ("tfidf", 2)}
    assert (found["tfidf", 1].successes, found["tfidf", 1].n) == (1, 3)
    assert found["tfidf", 2].successes == 3  # the third by the catalog's order among those that share nothing


def test_a_search_that_cannot_be_is_refused() -> None:
    with pytest.raises(RoutingError, match="known: bm25, tfidf, embedding"):
        retrieval_recall(shapes.ten(), shapes.source(), rankers=["majority"])
    with pytest.raises(RoutingError, match="at least one"):
        retrieval_recall(shapes.ten(), shapes.source(), ks=[0])
