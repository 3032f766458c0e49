"""What a comparison tells beside its one number: kinds, wrong loads, edited texts, what was not reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tohlab.cli import run
from tohlab.routing import RoutingCase, Trial, Usage
from tohlab.routing.aggregate import make_report
from tohlab.routing.compare import compare
from tohlab.routing.comparison import RunComparison
from tohlab.routing.report import RoutingReport

SKILLS = ("bread", "trip")
CASES = (
    RoutingCase(id="one", query="bake", expected=("bread",)),
    RoutingCase(id="both", query="bake and travel", expected=SKILLS),
    RoutingCase(id="none", query="hello", expected=()),
    RoutingCase(id="thanks", query="thank you", expected=()),
)


def report_of(loads: dict[str, tuple[str, ...]], texts: tuple[str, str] = ("x", "y")) -> RoutingReport:
    trials = []
    for case in CASES:
        loaded = loads.get(case.id, case.expected or ())
        right = loaded == case.expected
        label = "ok" if right else "spurious" if not case.expected else "missed"
        trials.append(Trial(case=case, label=label, loaded=loaded, usage=Usage(prompt=10, completion=1)))
    digests = tuple(zip(SKILLS, texts, strict=True))
    return make_report(
        trials, model="m", dataset="d", skills=SKILLS, dialect="toh", choice="tools", digests=digests
    )


def greedy() -> RunComparison:
    """The second description of `trip` claims what needs no skill, and the request for both is found."""
    before = report_of({"both": ("bread",)})
    return compare(before, report_of({"none": ("trip",), "thanks": ("trip",)}, ("x", "z")))


def test_what_was_gained_and_lost_is_told_by_kind() -> None:
    rows = [(k.kind, k.n, k.a, k.b, k.gained, k.lost) for k in greedy().by_kind]
    assert rows == [
        ("one skill", 1, 1.0, 1.0, 0, 0),
        ("several skills", 1, 0.0, 1.0, 1, 0),
        ("no skill", 2, 1.0, 0.0, 0, 2),
    ]


def test_a_skill_that_became_greedy_shows_it_in_its_row() -> None:
    rows = {row.name: (row.gained, row.lost, row.a_wrong, row.b_wrong) for row in greedy().per_skill}
    assert rows == {"bread": (1, 0, 0, 0), "trip": (1, 0, 0, 2)}


def test_only_what_is_expected_somewhere_counts_for_holm() -> None:
    first = compare(report_of({"one": ()}), report_of({}))
    assert {row.name: row.p_adjusted for row in first.per_skill} == {"bread": 1.0}


def test_a_text_that_was_edited_is_named_and_unknown_texts_are_not() -> None:
    assert greedy().edited == ("trip",)
    assert compare(report_of({}), report_of({})).edited == ()


def test_tokens_of_the_cache_that_nobody_reported_are_none_and_not_zero() -> None:
    assert greedy().a_spent.cached_tokens is None


def test_the_command_prints_all_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = []
    for name, text in (("a", "Bake bread"), ("b", "Say hello")):
        skills, cases = tmp_path / f"{name}-catalog.jsonl", tmp_path / "cases.jsonl"
        rows = [{"name": "bread", "description": text}, {"name": "trip", "description": "Travel far"}]
        skills.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        labelled = [{"id": c.id, "query": c.query, "expected": list(c.expected or ())} for c in CASES]
        cases.write_text("".join(json.dumps(row) + "\n" for row in labelled), "utf-8")
        argv = ["route", "--skills", str(skills), "--cases", str(cases), "--baseline", "bm25"]
        assert run([*argv, "--json", "--trials"]) == 0
        files.append(tmp_path / f"{name}.json")
        files[-1].write_text(capsys.readouterr().out, "utf-8")
    assert run(["route", "diff", *map(str, files)]) == 0
    out = capsys.readouterr().out
    assert "texts shown of skills: 1 differ (bread)" in out
    assert "By kind" in out
    assert "wrong in B" in " ".join(out.split())
    old = json.loads(files[0].read_text("utf-8"))
    del old["digests"]
    files[0].write_text(json.dumps(old), "utf-8")
    assert run(["route", "diff", *map(str, files)]) == 0
    assert "texts shown" not in capsys.readouterr().out


def test_a_seed_below_zero_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["route", "diff", "a.json", "b.json", "--seed", "-1"]) == 2
    assert "--seed" in capsys.readouterr().err


@pytest.mark.parametrize("command", [[], ["sweep", "--over", "order=2"]])
def test_a_timeout_without_an_end_is_a_usage_error(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--timeout", "inf"]
    assert run(["route", *command, *asked]) == 2
    assert "--timeout must be a number of seconds" in capsys.readouterr().err
