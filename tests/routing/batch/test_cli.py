"""`tohlab route batch`: submit, status, collect, cancel and run, each from a process of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.routing import shapes
from tests.routing.batch.batch_service import BatchService, Faults, batching
from tohlab.cli import run


def asked(folder: Path, service: BatchService) -> list[str]:
    inputs = shapes.write_inputs(folder, shapes.ten())
    return [*inputs, "--base-url", service.base_url, "--model", "m", *kept(folder)]


def kept(folder: Path) -> list[str]:
    return ["--store", str(folder / "s.sqlite")]


def told(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_the_four_commands_one_after_the_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with batching(shapes.perfect(shapes.ten())) as service:
        assert run(["route", "batch", "submit", *asked(tmp_path, service), "--json"]) == 0
        found = told(capsys)
        assert (found["batch_ids"], found["submitted"]) == (["batch_0"], 10)
        assert run(["route", "batch", "status", *kept(tmp_path), "--json"]) == 0
        (state,) = told(capsys)["batches"]
        assert (state["status"], state["requests"], state["collected"]) == ("in_progress", 10, False)
        service.faults.looks = 3
        assert run(["route", "batch", "collect", *kept(tmp_path), "--json"]) == 1
        assert told(capsys)["under_way"] == 10
        service.faults.looks = 0
        assert run(["route", "batch", "collect", *kept(tmp_path), "--json"]) == 0
        found = told(capsys)
        assert (found["answered"], found["under_way"], found["failed"]) == (10, 0, {})
        assert run(["route", "batch", "collect", *kept(tmp_path), "--json"]) == 0
        assert told(capsys)["answered"] == 0
        assert run(["route", "batch", "cancel", *kept(tmp_path), "--json"]) == 0
        assert told(capsys) == {"batches": []}
        assert run(["route", *asked(tmp_path, service), "--mode", "replay", "--json"]) == 0
        assert told(capsys)["exact"] == 1.0
        assert service.bodies == []


def test_run_prints_the_report_with_what_it_cost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with batching(shapes.perfect(shapes.ten()), Faults(looks=0)) as service:
        asking = [*asked(tmp_path, service), "--price", "2,8,0.5"]
        assert run(["route", "batch", "run", *asking, "--json"]) == 0
        report = told(capsys)
        assert report["cost"]["now_usd"] == pytest.approx(10 * (10 * 2 + 90 * 0.5 + 7 * 8) / 1e6 / 2)
        assert run(["route", "batch", "run", *asking, "--batch-share", "0.25"]) == 0
        assert "cost: 0.0000 USD now, 0.0003 USD when recorded" in capsys.readouterr().out
        assert len(service.batches) == 1


def test_what_a_person_reads_says_what_to_do_next(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with batching(shapes.perfect(shapes.ten()), Faults(model="other", looks=0)) as service:
        run(["route", "batch", "submit", *asked(tmp_path, service)])
        said = capsys.readouterr().out.replace("\n", " ")
        assert "submitted 10 requests in 1 batch: batch_0" in said
        assert "tohlab route batch collect --store" in said
        run(["route", "batch", "collect", *kept(tmp_path)])
        said = " ".join(capsys.readouterr().out.split())
        assert "no answer: infra:garbage 10" in said
        assert "--again --answers-as NAME" in said
        again = ["--again", "--answers-as", "other"]
        assert run(["route", "batch", "collect", *kept(tmp_path), *again]) == 0
        assert "10 new answers" in capsys.readouterr().out


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("status", "collect", "cancel"):
        assert run(["route", "batch", command, *kept(tmp_path)]) == 3
        assert "there is no store" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_what_a_service_says_cannot_steer_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    errors = [{"code": "bad\x1b[31m", "message": "red\x1b]0;title\x07"}]
    with batching(shapes.perfect(shapes.ten()), Faults(invalid=errors, looks=0)) as service:
        run(["route", "batch", "submit", *asked(tmp_path, service)])
        run(["route", "batch", "collect", *kept(tmp_path)])
    out = capsys.readouterr().out
    assert "red" in out
    assert "\x1b" not in out
    assert "\x07" not in out


def test_stopping_one_batch_by_its_id(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with batching(shapes.perfect(shapes.ten())) as service:
        run(["route", "batch", "submit", *asked(tmp_path, service)])
        capsys.readouterr()
        assert run(["route", "batch", "cancel", "batch_0", *kept(tmp_path), "--json"]) == 0
        assert told(capsys)["batches"][0]["status"] == "cancelling"
