"""What a comparison tells beside its one number: kinds, wrong loads, edited texts, what was not reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tohlab.cli import run
from tohlab.cli._console import make_console
from tohlab.cli.route_diff import print_comparison
from tohlab.routing import RoutingCase, Trial, Usage
from tohlab.routing.aggregate import make_report
from tohlab.routing.compare import compare
from tohlab.routing.comparison import AVOIDED, RunComparison
from tohlab.routing.paired import newcombe
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


def test_the_command_prints_all_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "250")
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
    assert "texts shown of skills: 1 differs (bread)" in out
    assert out.startswith(f"A: {files[0]}")
    assert f"\nB: {files[1]}" in out
    assert "By kind" in out
    assert "wrong in B" in " ".join(out.split())
    old = json.loads(files[0].read_text("utf-8"))
    del old["digests"]
    files[0].write_text(json.dumps(old), "utf-8")
    assert run(["route", "diff", *map(str, files)]) == 0
    assert "texts shown" not in capsys.readouterr().out


def of_skills(before: list[tuple[str, ...]], after: list[tuple[str, ...]], names: list[str]) -> RunComparison:
    """One case for each name (an empty one expects nothing), with what the two runs load for it."""
    runs = []
    for loads in (before, after):
        trials = []
        for i, (name, loaded) in enumerate(zip(names, loads, strict=True)):
            one = RoutingCase(id=f"c{i}", query=f"q{i}", expected=(name,) if name else ())
            wrong = "missed" if not loaded else "wrong_skill" if name else "spurious"
            label = "ok" if loaded == one.expected else wrong
            trials.append(Trial(case=one, label=label, loaded=loaded))
        skills = sorted({*names, *(name for loaded in loads for name in loaded)} - {""})
        runs.append(make_report(trials, model="m", dataset="d", skills=skills, dialect="toh", choice="tools"))
    return compare(*runs)


def printed(found: RunComparison, capsys: pytest.CaptureFixture[str]) -> str:
    print_comparison(found, make_console(width=160))
    return " ".join(capsys.readouterr().out.split())


def test_no_kind_is_hidden_behind_what_is_more(capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"s{i:02}" for i in range(30)] + ["", ""]
    right: list[tuple[str, ...]] = [(name,) if name else () for name in names]
    wrong: list[tuple[str, ...]] = [() if name else ("s00",) for name in names]
    out = printed(of_skills(right, wrong, names), capsys)
    assert "Lost: 32" in out
    assert "c30: q30" in out
    assert "c31: q31" in out
    assert "12 more (12 one skill); all of them with --json" in out


def test_the_skills_that_changed_most_are_shown_and_the_others_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = [f"s{i:02}" for i in range(25)] + ["", ""]
    right: list[tuple[str, ...]] = [(name,) if name else () for name in names]
    greedy = [*([()] * 25), ("zz",), ("zz",)]
    table = printed(of_skills(right, greedy, names), capsys).split("Skills", 1)[1]
    assert table.index("zz") < table.index("s00")
    assert "s24" not in table
    assert "And 6 more; all of them with --json." in table


def test_the_interval_is_of_the_test_whose_p_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    names = ["bread"] * 10 + ["trip"] * 10 + [f"s{i}" for i in range(6)]
    right: list[tuple[str, ...]] = [(name,) for name in names]
    together = of_skills([()] * 10 + right[10:], right, names)
    assert together.clustered_p is not None
    assert together.p_value < 0.05 < together.clustered_p == together.decisive.p_value
    assert (together.decisive.low, together.decisive.high) == (
        together.clustered_low,
        together.clustered_high,
    )
    assert together.decisive.test == "signs flipped of whole skills (8 clusters, seed 0)"
    out = printed(together, capsys)
    assert f"B - A +38.5 {100 * (together.clustered_low or 0):+.1f} to" in out
    assert "the less sure of two; McNemar's exact test: p = 0.002." in out
    # One skill's gain and loss cancel out within it, so whole skills are surer than cases.
    names = ["s0", "s0", *(f"s{i}" for i in range(1, 7)), *(f"s{i}" for i in range(7))]
    right = [(name,) for name in names]
    mixed = of_skills([(), right[1], *[()] * 6, *right[8:]], [right[0], (), *right[2:]], names)
    assert mixed.p_value > (mixed.clustered_p or 1)
    assert (mixed.decisive.test, mixed.decisive.p_value) == ("McNemar's exact test", mixed.p_value)
    assert (mixed.decisive.low, mixed.decisive.high) == newcombe(7, 7, 1, 0)


def test_what_could_be_seen_says_by_how_many_that_come_out_differently(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = [f"s{i}" for i in range(20)]
    right: list[tuple[str, ...]] = [(name,) for name in names]
    found = of_skills([(), *right[1:]], right, names)
    assert found.changed_share == 0.05
    assert (
        "(80 % power, where 5.0% of the cases come out differently, as here, or as many as the difference "
        "needs)" in printed(found, capsys)
    )


def test_an_answer_that_is_unusable_is_not_shown_as_loading_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    one = RoutingCase(id="one", query="bake", expected=("bread",))

    def report(trial: Trial) -> RoutingReport:
        return make_report([trial], model="m", dataset="d", skills=SKILLS, dialect="toh", choice="tools")

    after = report(Trial(case=one, label="ok", loaded=("bread",)))
    for label, called, shown in (
        ("unknown_name", ("loaf",), "'loaf', which is in no catalog (unknown_name)"),
        ("text_call", (), "(invalid) (text_call)"),
        ("missed", (), "none (missed)"),
    ):
        before = report(Trial(case=one, label=label, invalid=called))
        assert f"A {shown} B bread (ok)" in printed(compare(before, after), capsys)


def test_what_must_not_be_loaded_is_a_kind_of_its_own_also_without_a_label() -> None:
    labelled = RoutingCase(id="one", query="bake", expected=("bread",), not_expected=("trip",))
    only_not = RoutingCase(id="not", query="sit down", expected=None, not_expected=("trip",))

    def report(loaded: tuple[str, ...], label: str) -> RoutingReport:
        trials = [
            Trial(case=labelled, label="ok", loaded=("bread",)),
            Trial(case=only_not, label=label, loaded=loaded),
        ]
        return make_report(trials, model="m", dataset="d", skills=SKILLS, dialect="toh", choice="tools")

    found = compare(report((), "avoided"), report(("trip",), "not_avoided"))
    assert [(k.kind, k.n, k.a, k.b, k.gained, k.lost) for k in found.by_kind] == [
        ("one skill", 1, 1.0, 1.0, 0, 0),
        (AVOIDED, 2, 1.0, 0.5, 0, 1),
    ]


def test_one_is_not_told_as_several(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(of_skills([()], [("bread",)], ["bread"]), capsys)
    assert "1 case could show nothing" in out
    assert "in 1 cluster nothing can be said" in out
    assert "1 cases" not in out
    assert "1 clusters" not in out


def test_a_seed_below_zero_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["route", "diff", "a.json", "b.json", "--seed", "-1"]) == 2
    assert "--seed" in capsys.readouterr().err


@pytest.mark.parametrize("command", [[], ["sweep", "--over", "order=2"], ["batch", "submit", "--store", "s"]])
def test_a_timeout_without_an_end_is_a_usage_error(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--timeout", "inf"]
    assert run(["route", *command, *asked]) == 2
    assert "it must be a number of seconds" in capsys.readouterr().err
