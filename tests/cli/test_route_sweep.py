"""`tohlab route sweep` asks in many ways, says what it will cost, and writes one table and one figure."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.routing import shapes
from tests.routing.service import asked_text, completion, ok, serving
from tohlab.cli import run
from tohlab.cli.route_sweep_axes import AXES, read_axis


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "220")
    for name in ("TOHLAB_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def printed(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert run(["route", "sweep", *argv]) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *argv: str, code: int = 2) -> str:
    assert run(["route", "sweep", *argv]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err
    return err


def read(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(printed(capsys, *argv, "--json"))
    return data


def test_a_baseline_needs_no_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inputs = shapes.write_inputs(tmp_path, shapes.ten())
    text = printed(capsys, *inputs, "--baseline", "bm25", "--over", "description-limit=500,10,none")
    assert re.search(r"^ *500 ", text, re.MULTILINE)
    assert re.search(r"^ *none ", text, re.MULTILINE)
    assert "p (Holm)" in text
    assert "could show" in text


def test_two_axes_give_the_grid_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inputs = shapes.write_inputs(tmp_path, shapes.ten())
    over = ["--over", "dialect=toh,pikuri", "--over", "order=3"]
    data = read(capsys, *inputs, "--baseline", "bm25", *over)
    assert [list(point["settings"].values()) for point in data["points"]] == [
        [name, str(i)] for name in ("toh", "pikuri") for i in (1, 2, 3)
    ]
    assert data["looks"] == 5


def test_a_live_sweep_says_how_many_requests_it_is_and_a_second_one_asks_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = shapes.ten()
    inputs = [*shapes.write_inputs(tmp_path, dataset), "--model", "m", "--store", str(tmp_path / "s.sqlite")]
    over = ["--over", "choice=tools,required", "--over", "enumeration"]
    with serving(shapes.perfect(dataset)) as service:
        argv = ["route", "sweep", *inputs, *over, "--base-url", service.base_url, "--json"]
        assert run(argv) == 0
        out, err = capsys.readouterr()
        first = json.loads(out)
        assert "4 runs over 10 cases: 40 requests" in err
        assert len(service.bodies) == 40
        assert run(argv) == 0
        out, err = capsys.readouterr()
        assert "0 requests (40 more are in the store)" in err
        assert len(service.bodies) == 40
    assert [p["report"]["exact"] for p in json.loads(out)["points"]] == [1.0] * 4
    assert [p["settings"] for p in json.loads(out)["points"]] == [p["settings"] for p in first["points"]]


def test_a_point_that_scored_fewer_than_half_is_named_and_exit_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = shapes.ten()
    good = shapes.perfect(dataset)
    known = {case.query for case in dataset.cases[:4]}

    def script(body: dict[str, Any], number: int) -> Any:
        fails = body.get("tool_choice") == "required" and asked_text(body) not in known
        return (200, {}, b"<html>") if fails else good(body, number)

    argv = [
        "--model",
        "m",
        "--over",
        "choice=tools,required",
        "--store",
        str(tmp_path / "s.sqlite"),
        "--json",
    ]
    with serving(script) as service:
        inputs = shapes.write_inputs(tmp_path, dataset)
        assert run(["route", "sweep", *inputs, *argv, "--base-url", service.base_url]) == 3
    out, error = capsys.readouterr()
    assert [point["report"]["n_scored"] for point in json.loads(out)["points"]] == [10, 4]
    assert error.splitlines()[-1] == (
        "tohlab: no verdict, fewer than half of the answers could be scored: required: 4 of 10 (service "
        "errors: garbage 6); ask again"
    )


def test_a_dry_run_asks_nothing_and_adds_everything_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inputs = shapes.write_inputs(tmp_path, shapes.ten())
    argv = [*inputs, "--model", "m", "--over", "placement=opening,system", "--dry-run", "--price", "1,2"]
    text = printed(capsys, *argv)
    assert "Nothing is asked" in text
    assert "2 runs over 10 cases: 20 requests" in text
    assert "USD" in text
    data = read(capsys, *argv)
    assert (data["requests"], data["stored"], len(data["points"])) == (20, 0, 2)
    assert data["total"]["prompt_tokens"] == sum(point["prompt_tokens"] for point in data["points"])
    assert not list((tmp_path / "cache").rglob("*"))


def test_one_figure_is_written_where_it_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inputs = shapes.write_inputs(tmp_path, shapes.ten())
    argv = [*inputs, "--baseline", "bm25", "--over", "dialect=toh,cline"]
    printed(capsys, *argv, "--figure", str(tmp_path / "sweep.png"))
    assert (tmp_path / "sweep.png").read_bytes().startswith(b"\x89PNG")
    assert "must end in" in refused(capsys, *argv, "--figure", str(tmp_path / "sweep.txt"))
    assert "--figure" in refused(capsys, *argv, "--figure", str(tmp_path / "no" / "sweep.png"), code=3)


def test_a_budget_is_for_the_whole_sweep(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inputs = shapes.write_inputs(tmp_path, shapes.ten())
    with serving(lambda body, number: ok(completion())) as service:
        argv = [*inputs, "--model", "m", "--base-url", service.base_url, "--over", "order=3"]
        error = refused(
            capsys, *argv, "--store", str(tmp_path / "s.sqlite"), "--budget-tokens", "1000", code=3
        )
        assert "the prompts of 30 requests alone" in error
        assert "a budget needs --store" in refused(capsys, *argv, "--budget-tokens", "1000")
        assert service.bodies == []


def test_every_axis_can_be_written_as_the_help_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seeds = tmp_path / "seeds.json"
    seeds.write_text(json.dumps({"c3": "c0", "c6": "c0"}), "utf-8")
    skills = tmp_path / "skills"
    for name, text in shapes.CATALOG:
        (skills / name).mkdir(parents=True)
        (skills / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {text}\n---\nBody.\n")
    inputs = shapes.write_inputs(tmp_path, shapes.ten())
    inputs[1] = str(skills)
    written = {**AXES, "order": "order=3", "size": "size=3", "paraphrase": f"paraphrase={seeds}"}
    written["choice"] = "choice=tools,required,named,none"
    for name, text in written.items():
        who = ["--baseline", "bm25"] if name == "description-limit" else ["--model", "m"]
        who = [] if name in ("model", "baseline") else who
        data = read(capsys, *inputs, *who, "--over", text, "--dry-run")
        assert len(data["points"]) >= 1, name
        assert all(name in point["settings"] for point in data["points"])


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--over", "dialekt=toh", "--baseline", "bm25"], "did you mean dialect?"),
        (["--over", "order=two", "--baseline", "bm25"], "'two' is no whole number"),
        (["--over", "order=2,3", "--baseline", "bm25"], "one number, how many orders"),
        (["--over", "size", "--baseline", "bm25"], "write size=10,20,40"),
        (["--over", "dialect=toh,,pikuri", "--baseline", "bm25"], "write dialect=toh,pikuri"),
        (["--over", "enumeration=yes", "--model", "m"], "neither off nor on"),
        (["--over", "order=2"], "give either --baseline NAME, or --model NAME"),
        (["--over", "order=2", "--baseline", "bm25", "--model", "m"], "give either"),
        (["--over", "order=2", "--skills", "x", "--baseline", "bm25"], "give both --skills and --cases"),
        (["--baseline", "bm25"], "Missing option '--over'"),
        (
            ["--over", "order=2", "--baseline", "bm25", "--pool", "x"],
            "--over size is not given, so leave out",
        ),
        (["--over", "size=9", "--model", "m", "--order-seed", "3"], "leave out --order-seed"),
    ],
)
def test_a_wrong_command_line_is_told(argv: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert said in refused(capsys, *argv)


@pytest.mark.parametrize(
    ("axis", "said"),
    [
        ("dialect=tohh", "Did you mean 'toh'"),
        ("dialect=toh,toh", "'toh' twice"),
        ("description-limit=2", "greater than or equal to 3"),
        ("order=99", "29 skills can be shifted into 1 to 29 orders"),
        ("size=2", "a catalog of 2 skills cannot be made"),
        ("choice=tools", "a baseline (bm25) is not asked"),
        ("paraphrase=/nowhere.json", "cannot be read"),
    ],
)
def test_what_cannot_be_swept_is_told_without_a_traceback(
    axis: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said in refused(capsys, "--baseline", "bm25", "--over", axis, code=3)


def test_baselines_may_be_what_is_varied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inputs = shapes.write_inputs(tmp_path, shapes.ten())
    data = read(capsys, *inputs, "--over", "baseline=bm25,names")
    assert [point["settings"]["baseline"] for point in data["points"]] == ["bm25", "names"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("--base-url", "http://127.0.0.1:9/v1"),
        ("--choice", "json"),
        ("--placement", "same-step"),
        ("--store", "s.sqlite"),
        ("--mode", "replay"),
        ("--recording", "r.jsonl"),
        ("--replicates", "3"),
        ("--concurrency", "2"),
        ("--max-tokens", "9"),
        ("--temperature", "0.7"),
        ("--timeout", "9"),
        ("--price", "1,2"),
        ("--budget-tokens", "9"),
        ("--budget-usd", "9"),
    ],
)
def test_what_a_baseline_would_pass_over_is_refused(
    name: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for argv in (["--baseline", "bm25", "--over", "order=2"], ["--over", "baseline=bm25,names"]):
        error = " ".join(refused(capsys, *argv, name, value).split())
        assert f"a baseline asks nothing, so leave out {name}; or give --model NAME instead" in error


def test_every_axis_of_values_is_made_by_its_name() -> None:
    for name in ("dialect", "description-limit", "choice", "placement", "model", "baseline"):
        assert read_axis(AXES[name], {}).name == name


def test_a_point_has_one_line_in_eighty_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = printed(capsys, "--set", "core", "--baseline", "bm25", "--over", "description-limit=500,10,none")
    rate, difference = r"\d+\.\d% +\d+\.\d% to \d+\.\d%", r"[+-][\d.]+ +[\d.]+ +[\d.]+"
    point = rf"^(?:500|10|none) +{rate} +[\d,]+ +\d\.\d\d(?: +{difference})?$"
    assert len(re.findall(point, text, re.MULTILINE)) == 3
    assert max(map(len, text.splitlines())) <= 80
    assert re.search(r"^description- .*\nlimit .* show$", text, re.MULTILINE)
    assert re.search(r"^The same in every row: cases \d+, skills \d+, tool tokens \d+\.$", text, re.MULTILINE)


def test_a_set_that_was_recorded_otherwise_needs_a_service(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["route", "sweep", "--set", "wide", "--model", "m", "--over", "order=2"]) == 2
    assert "was asked with --split test --choice json" in " ".join(capsys.readouterr().err.split())


def test_an_unknown_axis_is_said_in_two_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["route", "sweep", "--baseline", "bm25", "--over", "zzz=1"]) == 2
    assert "there is no axis 'zzz'. Axes: dialect, " in " ".join(capsys.readouterr().err.split())
