"""Catalog states and paraphrases: what the conversation knows, and the same need in other words."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.routing.service import completion
from tests.routing.sweeps.scripted import SKILLS, Scripted, cases, few, in_memory, listed, no_call, right
from tohlab.errors import DatasetError, RoutingError, UnsupportedByDialect
from tohlab.routing import ListedSkills, RoutingDataset, catalog_states, load_cases, paraphrases, sweep


def texts(body: dict[str, Any]) -> list[str]:
    return [message["content"] for message in body["messages"]]


def test_each_state_is_told_in_the_harness_s_own_words() -> None:
    client = Scripted(lambda body: no_call())
    found = sweep(few(), in_memory(), client, over=catalog_states(), model="m")
    assert [point.label for point in found] == ["initial", "replaced", "emptied", "loaded-by-user"]
    initial, replaced, emptied, loaded = (client.bodies[i] for i in (0, 4, 8, 12))
    assert len(initial["messages"]) == 2
    earlier, update, _ = texts(replaced)
    assert "`pdf-forms-v1`" in earlier
    assert "replaces every earlier available-skills list" in update
    assert "`pdf-forms-v1`" not in update
    assert "No skills are currently available" in texts(emptied)[1]
    assert texts(loaded)[1] == "/pdf-forms fill in this pdf form"
    assert '<skill_content name="pdf-forms">' in texts(loaded)[2]


def test_a_name_of_the_list_that_was_replaced_is_stale() -> None:
    client = Scripted(lambda body: completion("pdf-forms-v1"))
    found = sweep(few(), in_memory(), client, over=catalog_states("replaced"), model="m")
    report = found.points[0].report
    assert report is not None
    assert dict(report.labels) == {"stale_name": 4}
    assert any("-v1" in note for note in found.points[0].notes)


def test_the_list_that_is_replaced_can_be_given() -> None:
    client = Scripted(lambda body: completion("fax-send"))
    earlier = ListedSkills([("fax-send", "Send a fax.")])
    found = sweep(few(), in_memory(), client, over=catalog_states("replaced", earlier=earlier), model="m")
    report = found.points[0].report
    assert report is not None
    assert dict(report.labels) == {"stale_name": 4}


def test_in_an_emptied_list_only_silence_is_right_and_its_score_is_apart() -> None:
    client = Scripted(right(few()))
    found = sweep(few(), in_memory(), client, over=catalog_states("initial", "emptied"), model="m")
    emptied = found.point("emptied")
    assert emptied.report is not None
    assert emptied.report.no_skill is not None
    assert (emptied.report.no_skill.n, emptied.report.exact.value) == (4, 0.25)
    assert dict(emptied.report.labels) == {"stale_name": 3, "ok": 1}
    assert emptied.comparison is None
    assert "every case expects that none is loaded" in emptied.why_not
    assert (found.looks, found.flip) == (0, None)
    assert emptied.n_skills == 0


def test_loading_again_what_the_user_loaded_is_its_own_fault() -> None:
    two = cases(
        ("fill in and review", ("pdf-forms", "sql-review")),
        ("fill in this form", ("pdf-forms",)),
        ("what time is it", ()),
    )
    client = Scripted(lambda body: completion("pdf-forms"))
    found = sweep(two, in_memory(), client, over=catalog_states("loaded-by-user"), model="m")
    report = found.points[0].report
    assert report is not None
    assert dict(report.labels) == {"reload_after_user_load": 2}
    assert [trial.case.expected for trial in report.trials] == [("sql-review",), ()]
    assert any("1 cases without such a skill were left out" in note for note in found.points[0].notes)


def test_a_skill_without_a_body_cannot_be_started() -> None:
    with pytest.raises(DatasetError, match="give a folder of skills"):
        sweep(few(), listed(), Scripted(right(few())), over=catalog_states("loaded-by-user"), model="m")


def test_only_a_harness_that_keeps_a_catalog_has_states() -> None:
    client = Scripted(right(few()))
    with pytest.raises(UnsupportedByDialect, match="pikuri keeps no catalog"):
        sweep(few(), in_memory(), client, over=catalog_states(), model="m", dialect="pikuri")


def worded() -> RoutingDataset:
    found = cases(
        ("fill in this pdf form", ("pdf-forms",)),
        ("the fields of the form, please", ("pdf-forms",)),
        ("review my migration", ("sql-review",)),
        ("are there locks in it", ("sql-review",)),
        ("say it once", ("tone-rewrite",)),
    )
    seeds = {"c1": "c0", "c3": "c2"}
    return replace(found, cases=tuple(replace(c, paraphrase_of=seeds.get(c.id, "")) for c in found.cases))


def test_wordings_are_points_and_are_compared_need_by_need() -> None:
    everything = worded()

    def answer(body: dict[str, Any]) -> dict[str, Any]:
        return completion("pdf-forms" if "form" in texts(body)[1] else "tone-rewrite")

    found = sweep(everything, listed(), Scripted(answer), over=paraphrases(), model="m")
    first, second = (point.report for point in found)
    assert first is not None
    assert second is not None
    assert [t.case.id for t in first.trials] == ["c0", "c2"]
    assert [t.case.id for t in second.trials] == ["c1", "c3"]
    compared = found.points[1].comparison
    assert compared is not None
    assert (compared.n, compared.difference) == (2, 0.0)
    assert found.flip is not None
    assert (found.flip.n, found.agreement) == (2, 1.0)


def test_the_needs_can_be_given_as_a_mapping() -> None:
    plain = replace(worded(), cases=tuple(replace(c, paraphrase_of="") for c in worded().cases))
    found = sweep(plain, listed(), "bm25", over=paraphrases({"c1": "form", "c0": "form"}))
    assert [p.report.n_cases for p in found if p.report] == [1, 1]
    with pytest.raises(RoutingError, match="there is no case 'c9'"):
        sweep(plain, listed(), "bm25", over=paraphrases({"c9": "c0"}))
    with pytest.raises(RoutingError, match="no need is said in two ways"):
        sweep(plain, listed(), "bm25", over=paraphrases())
    with pytest.raises(RoutingError, match="'c0' and 'c2' are wordings of one need and labelled differently"):
        sweep(plain, listed(), "bm25", over=paraphrases({"c2": "c0"}))


@pytest.mark.parametrize("key", ["paraphrase_of", "seed"])
def test_a_case_says_in_its_file_whose_wording_it_is(tmp_path: Path, key: str) -> None:
    rows = [
        {"id": "a", "query": "fill in", "expected": ["pdf-forms"]},
        {"id": "b", "query": "the fields", "expected": ["pdf-forms"], key: "a"},
    ]
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert [case.paraphrase_of for case in load_cases(path).cases] == ["", "a"]


def test_the_states_name_every_skill_of_the_source() -> None:
    client = Scripted(lambda body: no_call())
    sweep(few(), in_memory(), client, over=catalog_states("replaced"), model="m")
    earlier = texts(client.bodies[0])[0]
    assert all(f"`{name}-v1`" in earlier for name in SKILLS)
