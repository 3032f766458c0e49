"""`tohlab route diff` sets two printed reports side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.routing import shapes
from tohlab.cli import run
from tohlab.routing import RoutingCase, RoutingDataset


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")


def reports(tmp_path: Path, capsys: pytest.CaptureFixture[str], query: str = "flatten it") -> list[str]:
    cases = (
        RoutingCase(id="words", query=query, expected=("pdf-forms",)),
        RoutingCase(id="name", query="pdf forms please", expected=("pdf-forms",)),
        RoutingCase(id="silent", query="xyzzy", expected=()),
    )
    return reports_of(cases, tmp_path, capsys)


def reports_of(
    cases: tuple[RoutingCase, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> list[str]:
    inputs = shapes.write_inputs(tmp_path, RoutingDataset(cases=cases, name="d"))
    files = []
    for baseline in ("names", "bm25"):
        assert run(["route", *inputs, "--baseline", baseline, "--json", "--trials"]) == 0
        (tmp_path / f"{baseline}.json").write_text(capsys.readouterr().out)
        files.append(str(tmp_path / f"{baseline}.json"))
    return files


def test_two_reports_are_set_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = reports(tmp_path, capsys)
    assert run(["route", "diff", *files]) == 0
    text = capsys.readouterr().out
    assert "No evidence of a difference: +33.3 points (p = 1.000); 3 cases could show nothing" in text
    assert "Gained: 1" in text
    assert "words" in text
    assert "Lost: nothing" in text
    assert "tokens: A not reported" in text


def test_the_json_has_the_same_and_every_change(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = reports(tmp_path, capsys)
    assert run(["route", "diff", *files, "--json", "--price", "1,2"]) == 0
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (data["n"], data["verdict"], data["smallest"]) == (3, "no evidence", None)
    assert [c["case"] for c in data["gained"]] == ["words"]
    assert data["differs"][0] == {"name": "model", "a": "baseline:names", "b": "baseline:bm25"}


def test_a_request_cannot_steer_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = reports(tmp_path, capsys, "flatten \x1b[31m it")
    assert run(["route", "diff", *files]) == 0
    text = capsys.readouterr().out
    assert "\x1b" not in text
    assert "flatten \ufffd[31m it" in text


def test_what_cannot_be_compared_is_one_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = reports(tmp_path, capsys)
    for argv, code, said in (
        ([files[0], "none.json"], 3, "no such file"),
        ([*files, "--price", "cheap"], 3, "is no price"),
        ([*files, "--by", "day"], 3, "known: skill, group, case"),
        ([files[0]], 2, "Usage"),
    ):
        assert run(["route", "diff", *argv]) == code
        assert said in capsys.readouterr().err
    assert run(["route", "--baseline", "bm25", "diff", *files]) == 2
    assert "put the options of `diff` behind it" in capsys.readouterr().err


def test_a_baseline_is_said_to_be_not_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = reports(tmp_path, capsys)
    asked = json.loads(Path(files[1]).read_text())
    Path(files[1]).write_text(json.dumps(asked | {"model": "m", "choice": "none", "placement": "opening"}))
    assert run(["route", "diff", *files]) == 0
    assert "choice: A not asked; B none" in capsys.readouterr().out


@pytest.mark.parametrize("columns", [80, 60])
def test_what_changed_breaks_no_name_in_a_narrow_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    cases = (
        RoutingCase(
            id="paraphrase-of-a-longer-request-017", query="flatten it, please", expected=("pdf-forms",)
        ),
        RoutingCase(id="silent", query="xyzzy", expected=()),
    )
    assert run(["route", "diff", *reports_of(cases, tmp_path, capsys)]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= columns
    assert (
        "\nGained: 1\n\n"
        "paraphrase-of-a-longer-request-017: flatten it, please\n"
        "   expected  pdf-forms\n"
        "   A         none (missed)\n"
        "   B         pdf-forms (ok)\n"
    ) in text
