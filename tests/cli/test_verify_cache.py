"""`tohlab model verify-cache`: a table, JSON with every mismatch, and an exit code that a script can use."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from importlib.metadata import version

import pytest

from tohlab.cli import run
from tohlab.prefix.policies.llama_cpp import SOURCES, LlamaCpp, LlamaCppState


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutStore(LlamaCpp):
    """A wrong rule: the server has a memory store and the prediction knows nothing of it."""

    def start(self) -> LlamaCppState:
        return LlamaCppState(self.with_settings(ram_mib=0))


def test_the_table_has_a_row_for_each_server_and_the_sum(capsys: pytest.CaptureFixture[str]) -> None:
    code = run(
        ["model", "verify-cache", "--requests", "30", "--server", "two-slots", "--server", "moved-pieces"]
    )

    text = capsys.readouterr().out
    assert code == 0
    assert f"engine xllamacpp {version('xllamacpp')}, llama model with random weights, seed 0" in text
    assert re.search(r"^two-slots +30 +[\d,]+ +\d+ % +0$", text, re.MULTILINE)
    assert re.search(r"^moved-pieces +30 +[\d,]+ +\d+ % +0$", text, re.MULTILINE)
    assert re.search(r"^all +60 +[\d,]+ +\d+ % +0$", text, re.MULTILINE)


def test_json_has_the_same_facts(capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["model", "verify-cache", "--requests", "20", "--seed", "4", "--server", "one-slot", "--json"])

    row = json.loads(capsys.readouterr().out)
    assert (code, row["holds"]) == (0, True)
    [server] = row["servers"]
    assert (server["server"], server["requests"], server["seed"]) == ("one-slot", 20, 4)
    assert sum(server["edits"].values()) == 20
    assert server["mismatches"] == []


def test_a_difference_is_shown_with_its_edits_and_exit_code_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = WithoutStore(name="wrong", title="wrong", sources=SOURCES, ram_mib=64)
    monkeypatch.setattr("tohlab.serve.SETTINGS", (wrong,))

    code = run(["model", "verify-cache", "--requests", "80", "--seed", "1"])

    text = capsys.readouterr().out
    assert code == 1
    assert re.search(
        r"^wrong, request \d+ \([\d,]+ tokens\): predicted [\d,]+ from slot 0, the engine", text, re.M
    )
    assert "edits: " in text


def test_an_unknown_server_is_said_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["model", "verify-cache", "--server", "nine-slots"]) == 2

    assert "no server 'nine-slots'; there are: one-slot, one-slot-store," in capsys.readouterr().err
