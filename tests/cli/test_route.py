"""`tohlab route` prints the scores, and every failure is one message with a remedy and its own exit code."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.routing import shapes
from tests.routing.service import Script, Service, asked_text, completion, fails, ok, serving
from tohlab.cli import run
from tohlab.library import library_cases, library_skill_folders
from tohlab.routing import ReplyStore, RoutingDataset
from tohlab.routing.baselines import BASELINES
from tohlab.routing.statistics import wilson

CONTRACT = {
    "n_total",
    "n_scored",
    "n_service_error",
    "exact",
    "exact_low",
    "exact_high",
    "no_skill",
    "per_skill",
}


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "200")
    for name in ("TOHLAB_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def printed(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, Any]:
    assert run(["route", *argv, "--json"]) == 0
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    return data


def failed(capsys: pytest.CaptureFixture[str], *argv: str, code: int = 3) -> str:
    assert run(["route", *argv]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err
    return err


def leftovers(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache").rglob("*.sqlite*"))


def test_a_baseline_gives_the_contract_s_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = printed(capsys, *shapes.write_inputs(tmp_path, shapes.ten()), "--baseline", "bm25")
    assert set(data) >= CONTRACT
    assert data["n_total"] == data["n_scored"] == 10
    assert data["n_service_error"] == 0
    assert 0 <= data["exact_low"] <= data["exact"] <= data["exact_high"] <= 1
    assert [s["name"] for s in data["per_skill"]] == list(shapes.NAMES)


def test_a_live_run_gives_the_same_json_and_leaves_no_store(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = shapes.ten()
    inputs = shapes.write_inputs(tmp_path, dataset)
    with serving(shapes.perfect(dataset)) as service:
        data = printed(capsys, *inputs, "--base-url", service.base_url, "--model", "m", "--trials")
    assert set(data) >= CONTRACT
    assert (data["exact"], data["no_skill"], data["no_skill_n"]) == (1.0, 1.0, 1)
    assert (data["model"], data["choice"], data["placement"]) == ("m", "tools", "opening")
    assert len(data["trials"]) == 10
    assert leftovers(tmp_path) == []


def test_the_text_has_n_and_interval_for_every_rate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = shapes.ten()
    with serving(shapes.perfect(dataset)) as service:
        code = run(
            ["route", *shapes.write_inputs(tmp_path, dataset), "--base-url", service.base_url, "--model", "m"]
        )
    text = capsys.readouterr().out
    assert code == 0
    assert re.search(r"exact set +100\.0% +72\.2% to 100\.0% +10\b", text)
    assert re.search(r"no skill +100\.0% +20\.7% to 100\.0% +1\b", text)
    assert "scored 10 of 10" in text
    assert "another run over the same 10 cases has to differ by 67 points to be told apart" in text
    assert "tokens over 10 answers: prompt 1,000 (cached 900)" in text


def test_a_model_s_result_has_the_baselines_beside_it_unless_they_are_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = shapes.ten()
    argv = [*shapes.write_inputs(tmp_path, dataset), "--model", "m", "--base-url"]
    with serving(shapes.perfect(dataset)) as service:
        assert run(["route", *argv, service.base_url]) == 0
        text = capsys.readouterr().out
        data = printed(capsys, *argv, service.base_url)
        assert run(["route", *argv, service.base_url, "--no-baselines"]) == 0
        without = capsys.readouterr().out
        bare = printed(capsys, *argv, service.base_url, "--no-baselines")
    assert "Beside it: what needs no model, on the same 10 cases" in text
    # Nine of ten cases have one right answer of four, and the one of two skills has none.
    assert re.search(r"^ the model +100\.0% ", text, re.MULTILINE)
    assert re.search(r"^ random +22\.5% ", text, re.MULTILINE)
    assert re.search(r"^ random +\+77\.5 +- ", text, re.MULTILINE)  # too few clusters for an interval
    assert "Above " in text or "Not shown to be above" in text
    names = [row["name"] for row in data["baselines"]]
    assert names == list(BASELINES)
    assert {row["exact"]["n"] for row in data["baselines"]} == {10}
    assert "Beside it" not in without
    assert "baselines" not in bare


def test_all_baselines_are_one_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = [*shapes.write_inputs(tmp_path, shapes.ten()), "--baseline", "all"]
    assert run(["route", *argv]) == 0
    text = capsys.readouterr().out
    for name in BASELINES:
        assert re.search(rf"^ {re.escape(name)} +\d", text, re.MULTILINE)
    assert "note: random: each of the 4 answers" in text
    assert "Retrieve, then route" in text
    data = printed(capsys, *argv)
    assert [row["model"] for row in data["baselines"]] == [f"baseline:{name}" for name in BASELINES]
    assert {row["ranker"] for row in data["retrieval"]} == {"bm25", "tfidf", "embedding"}
    assert data["missing"] == {}


def test_an_earlier_catalog_makes_its_names_stale(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    earlier = shapes.write_lines(tmp_path / "earlier.jsonl", [{"name": "old", "description": "Old."}])
    argv = [*shapes.write_inputs(tmp_path, shapes.ten()), "--model", "m", "--earlier", str(earlier)]
    with serving(lambda b, n: ok(completion("old"))) as service:
        data = printed(capsys, *argv, "--base-url", service.base_url)
    assert data["labels"] == {"stale_name": 10}


def test_a_sample_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = [
        *shapes.write_inputs(tmp_path, shapes.ten()),
        "--baseline",
        "names",
        "--limit",
        "4",
        "--seed",
        "7",
    ]
    assert run(["route", *argv]) == 0
    assert "4 cases, a sample of 10 (seed 7)" in capsys.readouterr().out
    data = printed(capsys, *argv)
    assert (data["n_total"], data["sample_of"], data["sample_seed"]) == (4, 10, 7)


def test_a_split_is_not_called_a_sample(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["route", "--set", "wide", "--split", "test", "--baseline", "majority"]) == 0
    assert "291 cases of 734 (one split), 65 skills" in capsys.readouterr().out


def test_the_wide_set_is_asked_for_by_name_and_by_split(capsys: pytest.CaptureFixture[str]) -> None:
    data = printed(capsys, "--set", "wide", "--split", "test", "--baseline", "majority")
    assert data["dataset"] == "tohlab's own set 'wide'"
    assert (data["n_total"], data["sample_of"], len(data["per_skill"])) == (291, 734, 65)


def test_the_core_set_is_what_is_asked_for_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    named = printed(capsys, "--set", "core", "--baseline", "majority")
    assert named == printed(capsys, "--baseline", "majority")
    assert named["n_total"] == 194


def test_several_folders_of_skills_are_one_catalog(capsys: pytest.CaptureFixture[str]) -> None:
    core, more = library_skill_folders("wide")
    argv = ["--skills", str(core), "--skills", str(more), "--cases", str(library_cases("wide"))]
    assert len(printed(capsys, *argv, "--baseline", "majority")["per_skill"]) == 65
    assert "names the skill" in failed(capsys, *argv[2:], "--baseline", "majority")


def test_the_recording_of_the_wide_set_is_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    how = (
        "--split",
        "test",
        "--choice",
        "json",
        "--temperature",
        "0.7",
        "--replicates",
        "2",
        "--limit",
        "30",
    )
    data = printed(capsys, "--set", "wide", *how, "--model", "qwen2.5-coder-1.5b", "--no-baselines")
    assert (data["n_cases"], data["n_total"], data["n_stored"]) == (30, 60, 60)


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--set", "huge", "--baseline", "bm25"], "has no set of skills and requests called 'huge'"),
        (["--set", "wide", "--cases", "mine.jsonl", "--baseline", "bm25"], "without --skills and --cases"),
        (
            ["--set", "wide", "--model", "m"],
            "with --split test --choice json --temperature 0.7 --replicates 3",
        ),
    ],
)
def test_a_set_that_cannot_be_used_is_an_error_with_a_remedy(
    argv: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = 2 if argv[1] == "wide" else 3
    assert said in failed(capsys, *argv, code=code)


@pytest.mark.parametrize(
    "argv",
    [
        ["--baseline", "bm25"],
        ["sweep", "--baseline", "bm25", "--over", "order=2"],
        ["batch", "submit", "--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--store", "s.sqlite"],
        ["batch", "run", "--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--store", "s.sqlite"],
    ],
)
def test_two_sets_are_refused_since_a_run_is_over_one(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    error = " ".join(failed(capsys, *argv, "--set", "wide", "--set", "core", code=2).split())
    assert "--set is given 2 times ('wide', 'core'); a run is over one set" in error


def test_a_recording_is_replayed_with_the_model_s_name_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = shapes.ten()
    inputs = shapes.write_inputs(tmp_path, dataset)
    recording = str(tmp_path / "r.jsonl.gz")
    with serving(shapes.perfect(dataset)) as service:
        live = printed(capsys, *inputs, "--base-url", service.base_url, "--model", "m", "--export", recording)
    replay = printed(capsys, *inputs, "--model", "m", "--recording", recording)
    assert replay.pop("n_stored") == 10
    assert live.pop("n_stored") == 0
    assert replay == live
    assert "nearest" in failed(capsys, *inputs, "--model", "m", "--recording", recording, "--choice", "json")
    assert "recorded: m" in failed(capsys, *inputs, "--model", "x", "--recording", recording)
    assert "no recording" in failed(
        capsys, *inputs, "--model", "m", "--recording", str(tmp_path / "none.jsonl")
    )


def test_a_store_makes_the_same_command_ask_only_the_rest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = shapes.ten()
    perfect = shapes.perfect(dataset)
    argv = [*shapes.write_inputs(tmp_path, dataset), "--model", "m", "--store", str(tmp_path / "s.sqlite")]
    with serving(lambda b, n: fails(401) if n == 4 else perfect(b, n)) as service:
        error = failed(capsys, *argv, "--base-url", service.base_url)
        assert "4 of 10 requests were answered" in error
        assert f"--store {tmp_path / 's.sqlite'}" in error
        data = printed(capsys, *argv, "--base-url", service.base_url)
        assert len(service.bodies) == 11
    assert (data["n_scored"], data["n_stored"]) == (10, 4)


def test_without_a_store_the_answers_of_a_broken_run_are_kept_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = shapes.ten()
    perfect = shapes.perfect(dataset)
    argv = [*shapes.write_inputs(tmp_path, dataset), "--model", "m"]
    with serving(lambda b, n: fails(403) if n == 6 else perfect(b, n)) as service:
        error = failed(capsys, *argv, "--base-url", service.base_url)
        (kept,) = leftovers(tmp_path)
        assert f"--store {kept}" in error
        data = printed(capsys, *argv, "--base-url", service.base_url, "--store", str(kept))
    assert (data["n_scored"], data["n_stored"]) == (10, 6)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (fails(401), "Set a valid key in TOHLAB_API_KEY or OPENAI_API_KEY"),
        (fails(429, Retry_After="0"), "10 requests in a row failed"),
        (fails(429, Retry_After="86400"), "--concurrency 1"),
        (fails(404), "Check the model's name"),
        ((200, {}, b"<html>"), "OpenAI-compatible API"),
        (ok({"object": "error"}), "no chat completion"),
    ],
)
def test_a_service_that_never_answers_is_one_message_and_exit_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], answer: Any, said: str
) -> None:
    inputs = shapes.write_inputs(tmp_path, shapes.ten())
    with serving(lambda b, n: answer) as service:
        error = failed(capsys, *inputs, "--base-url", service.base_url, "--model", "m", "--json")
    assert said in error
    assert leftovers(tmp_path) == []


def half_garbage(dataset: RoutingDataset, right: int) -> Script:
    """A script that answers the first cases rightly, and the others with what is no chat completion."""
    good = shapes.perfect(dataset)
    known = {case.query for case in dataset.cases[:right]}

    def script(body: dict[str, Any], number: int) -> Any:
        return good(body, number) if asked_text(body) in known else (200, {}, b"<html>")

    return script


def test_a_run_that_scored_fewer_than_half_gives_no_verdict_and_exit_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = shapes.ten()
    argv = ["route", *shapes.write_inputs(tmp_path, dataset), "--model", "m", "--json"]
    for right, code in ((4, 3), (5, 0)):
        with serving(half_garbage(dataset, right)) as service:
            assert run([*argv, "--base-url", service.base_url]) == code
        out, error = capsys.readouterr()
        data = json.loads(out)
        assert data["n_scored"] == right
        assert data["against_baselines"].startswith("No verdict, ") is (code == 3)
        said = (
            "tohlab: no verdict, fewer than half of the answers could be scored: 4 of 10 (service errors: "
            "garbage 6); ask again\n"
        )
        assert error.startswith(said) == (code == 3)
        assert bool(error) == (code == 3)
        if code:
            (kept,) = leftovers(tmp_path)  # to go on with
            assert f"go on with --store {kept}" in error
            kept.unlink()
    assert leftovers(tmp_path) == []


def test_a_service_that_is_down_is_said_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(lambda b, n: ok({})) as service:
        url = service.base_url
    error = failed(capsys, *shapes.write_inputs(tmp_path, shapes.ten()), "--base-url", url, "--model", "m")
    assert "cannot be reached" in error
    assert "tohlab model start" in error


def test_bad_inputs_are_named_with_their_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    skills, cases = shapes.write_inputs(tmp_path, shapes.ten())[1::2]
    Path(cases).write_text('{"id": "a", "query": "q", "expected": ["pdf-form"]}\n')
    error = failed(capsys, "--skills", skills, "--cases", cases, "--baseline", "bm25")
    assert f"{cases}:1: " in error
    assert "Did you mean 'pdf-forms'" in error
    assert "no such file" in failed(capsys, "--skills", "none", "--cases", cases, "--baseline", "bm25")
    error = failed(capsys, "--skills", skills, "--cases", cases, "--baseline", "x")
    assert "majority, random, names, bm25" in error
    argv = ["--skills", skills, "--cases", cases, "--model", "m", "--base-url", "http://127.0.0.1:9/v1"]
    assert "record, replay, replay_or_record, off" in failed(capsys, *argv, "--mode", "once")
    assert "known: tools, json" in failed(capsys, *argv, "--choice", "grammar")
    assert "must look like" in failed(capsys, *argv[:-1], "nowhere")
    assert "needs a service" in failed(capsys, *argv[:-2], "--store", str(tmp_path / "s"), "--mode", "record")
    assert "set TOHLAB_API_KEY" in failed(capsys, *argv[:-1], "https://api.example.com/v1")


@pytest.mark.parametrize(
    "argv",
    [[], ["--baseline", "bm25", "--model", "m"], ["--baseline", "bm25", "--skills", "x"], ["--limit", "0"],
     ["--model", "m", "--temperature", "warm"]],
)  # fmt: skip
def test_a_wrong_command_line_is_exit_2(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["route", *argv]) == 2
    assert "Usage" in capsys.readouterr().err


def test_the_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["route", "--help"]) == 0
    assert "tohlab route --baseline bm25" in capsys.readouterr().out


def started(tmp_path: Path, service: Service, *more: str) -> subprocess.Popen[str]:
    inputs = shapes.write_inputs(tmp_path, shapes.ten())
    argv = [
        sys.executable,
        "-m",
        "tohlab",
        "route",
        *inputs,
        "--base-url",
        service.base_url,
        "--model",
        "m",
        *more,
    ]
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def wait_for(service: Service, requests: int) -> None:
    end = time.monotonic() + 60
    while len(service.bodies) < requests:
        assert time.monotonic() < end, "the program asked nothing"
        time.sleep(0.02)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize("with_store", [True, False])
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_kill_keep_what_was_answered_and_say_how_to_resume(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], sent: signal.Signals, with_store: bool
) -> None:
    perfect = shapes.perfect(shapes.ten())
    store = ["--store", str(tmp_path / "s.sqlite")] if with_store else []
    with serving(perfect, delay_s=0.2) as service:
        process = started(tmp_path, service, *store)
        wait_for(service, 4)
        process.send_signal(sent)
        out, error = process.communicate(timeout=30)
        assert process.returncode == 130
        assert out == ""
        assert "Traceback" not in error
        found = re.search(
            r"stopped after (\d+) of 10 answers.* run the same again with (--store \S+): ", error
        )
        assert found, error
        answered, option = int(found[1]), found[2].split()
        assert answered >= 3
        before = len(service.bodies)
        argv = [
            *shapes.write_inputs(tmp_path, shapes.ten()),
            "--base-url",
            service.base_url,
            "--model",
            "m",
            *option,
        ]
        data = printed(capsys, *argv)
        assert len(service.bodies) - before == 10 - answered
    assert (data["n_scored"], data["n_stored"]) == (10, answered)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_run_is_resumed_with_the_rest_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    perfect = shapes.perfect(shapes.ten())
    path = tmp_path / "s.sqlite"
    with serving(perfect, delay_s=0.1) as service:
        process = started(tmp_path, service, "--store", str(path))
        wait_for(service, 6)
        process.kill()
        process.communicate(timeout=30)
        with ReplyStore(path) as store:
            answered = len(store)
        assert answered >= 4
        before = len(service.bodies)
        argv = shapes.write_inputs(tmp_path, shapes.ten())
        data = printed(capsys, *argv, "--base-url", service.base_url, "--model", "m", "--store", str(path))
        assert len(service.bodies) - before == 10 - answered
        assert sorted({asked_text(b) for b in service.bodies}) == sorted(c.query for c in shapes.ten().cases)
    assert (data["n_scored"], data["n_total"], data["exact"]) == (10, 10, 1.0)


def test_a_live_run_whose_output_cannot_be_written_keeps_its_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = shapes.ten()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tohlab.cli.route_text.print_report", full)
    argv = [*shapes.write_inputs(tmp_path, dataset), "--model", "m"]
    with serving(shapes.perfect(dataset)) as service:
        error = failed(capsys, *argv, "--base-url", service.base_url)
        (kept,) = leftovers(tmp_path)
        assert f"go on with --store {kept}" in error
        data = printed(capsys, *argv, "--base-url", service.base_url, "--store", str(kept))
    assert (data["n_stored"], len(service.bodies)) == (10, 10)


@pytest.mark.parametrize(
    ("option", "value", "code", "said"),
    [
        ("--temperature", "nan", 2, "must be a number, or none"),
        ("--timeout", "nan", 2, "must be a number of seconds"),
        ("--export", "none/r.jsonl", 3, "there is no folder none"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, value: str, code: int, said: str
) -> None:
    argv = [*shapes.write_inputs(tmp_path, shapes.ten()), "--model", "m", option, value]
    with serving(shapes.perfect(shapes.ten())) as service:
        assert said in failed(capsys, *argv, "--base-url", service.base_url, code=code)
    assert service.bodies == []


def test_what_is_not_installed_is_said_before_anything_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "scipy"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "scipy", None)
    wilson.cache_clear()  # as in a new process
    argv = [*shapes.write_inputs(tmp_path, shapes.ten()), "--model", "m"]
    with serving(shapes.perfect(shapes.ten())) as service:
        assert "pip install 'tohlab[eval]'" in failed(capsys, *argv, "--base-url", service.base_url)
    assert service.bodies == []


@pytest.mark.parametrize(
    "given",
    [["--choice", "json"], ["--logprobs", "5"], ["--base-url", "http://127.0.0.1:9/v1"], ["--dry-run"]],
)
@pytest.mark.parametrize("baseline", ["bm25", "all"])
def test_what_a_baseline_would_pass_over_is_refused(
    given: list[str], baseline: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["route", "--baseline", baseline, *given]) == 2
    assert f"leave out {given[0]}" in capsys.readouterr().err


def test_eighty_columns_show_every_column_and_break_no_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["route", *shapes.write_inputs(tmp_path, shapes.ten()), "--baseline", "all"]) == 0
    rows = capsys.readouterr().out.split("Retrieve")[0].splitlines()
    row = next(line for line in rows if "bm25+abstain" in line)
    assert re.fullmatch(r" bm25\+abstain +[\d.]+% +[\d.]+% to [\d.]+%( +[\d.]+%){3} +\d\.\d{3} *", row)
    assert max(map(len, rows)) <= 80


@pytest.mark.parametrize("columns", [80, 60])
def test_a_narrow_terminal_breaks_no_name_and_no_number_beside_a_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    dataset = shapes.ten()
    argv = [*shapes.write_inputs(tmp_path, dataset), "--model", "someone/a-model-with-a-long-name-Instruct"]
    with serving(shapes.perfect(dataset)) as service:
        assert run(["route", *argv, "--base-url", service.base_url]) == 0
    text = capsys.readouterr().out.split("Beside it")[1].split("Retrieve")[0]
    assert max(map(len, text.splitlines())) <= columns
    rates, differences = text.split("The model less each of them, in points")
    number = r"\d+\.\d%"
    for name in map(re.escape, ("the model", *BASELINES)):
        row = rf"^ {name} +{number} +{number} to {number}( +{number}){{3}}$"
        broken = rf"^{name} +{number} +{number} to( +{number}){{3}}$\n +{number}$"
        assert re.search(row if columns == 80 else broken, rates, re.MULTILINE), name
    for name in map(re.escape, BASELINES):
        row = rf"^ {name} +[+-]\d+\.\d +(-|[+-]\d+\.\d to [+-]\d+\.\d) +\d\.\d{{3}}$"
        assert re.search(row, differences, re.MULTILINE), name


@pytest.mark.parametrize("command", [[], ["sweep", "--over", "order=2"]])
@pytest.mark.parametrize("option", ["--store", "--split", "--price"])
def test_an_option_without_a_value_is_not_taken_for_none(
    capsys: pytest.CaptureFixture[str], command: list[str], option: str
) -> None:
    asked = ["--base-url", "http://127.0.0.1:9/v1", "--model", "m", option, ""]
    assert run(["route", *command, *asked]) == 2
    assert f"{option} is empty; give it a value, or leave it out" in " ".join(capsys.readouterr().err.split())
