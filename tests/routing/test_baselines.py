"""Baselines are deterministic floors that need no model."""

from __future__ import annotations

import pytest

from tests.routing import shapes
from tohlab.errors import DatasetError, RoutingError
from tohlab.routing import ListedSkills, RoutingCase, RoutingDataset, run_baseline
from tohlab.routing.similarity import words

DOCX, PDF, SQL = shapes.NAMES


def dataset(*pairs: tuple[str, tuple[str, ...]]) -> RoutingDataset:
    return RoutingDataset(
        cases=tuple(RoutingCase(id=f"{i}", query=q, expected=e) for i, (q, e) in enumerate(pairs)), name="d"
    )


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


def test_bm25_works_with_one_skill_and_with_words_that_all_skills_have() -> None:
    one = ListedSkills([("pdf", "Use this for forms.")])
    report = run_baseline("bm25", dataset(("forms", ("pdf",)), ("hello", ())), one)
    assert report.exact.value == 1.0


def test_bm25_reads_the_whole_description() -> None:
    source = ListedSkills([("a", "word " * 200 + "zebra"), ("b", "word horse")])
    assert run_baseline("bm25", dataset(("zebra", ("a",))), source).exact.value == 1.0


def test_names_looks_at_names_only() -> None:
    cases = dataset(("review this sql", (SQL,)), ("flatten these fields", ()), ("my pdf forms", (PDF,)))
    assert run_baseline("names", cases, shapes.source()).exact.value == 1.0


def test_majority_is_the_most_frequent_set() -> None:
    cases = dataset(("a", (SQL,)), ("b", (SQL,)), ("c", ()))
    report = run_baseline("majority", cases, shapes.source())
    assert (report.exact.successes, report.exact.n) == (2, 3)


@pytest.mark.parametrize("name", ["bm25", "names", "majority"])
def test_a_baseline_says_the_same_twice(name: str) -> None:
    assert run_baseline(name, shapes.ten(), shapes.source()) == run_baseline(
        name, shapes.ten(), shapes.source()
    )


def test_a_baseline_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    run_baseline("bm25", shapes.ten(), shapes.source())
    assert capfd.readouterr() == ("", "")


def test_what_cannot_be_scored_is_refused() -> None:
    with pytest.raises(RoutingError, match="bm25, names, majority"):
        run_baseline("tfidf", shapes.ten(), shapes.source())
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
