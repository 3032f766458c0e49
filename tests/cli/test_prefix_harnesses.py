"""`tohlab prefix --dialect all` sets harnesses side by side in one table."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tohlab.cli import run
from tohlab.cli.prefix_costs_text import _groups
from tohlab.dialects.harnesses import harness_names


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    for name in ("csv", "pdf", "zip"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: Handle {name}.\n---\nDo it.\n")
    return tmp_path


def test_one_edit_in_one_cache_is_one_table_of_harnesses(
    skills: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert run(["prefix", str(skills), "--dialect", "all", "--policy", "vllm", "--edit", "add"]) == 0
    out = capsys.readouterr().out
    rows = {line.split()[0]: line.split() for line in out.splitlines() if line.startswith(" ")}
    assert set(harness_names()) | {"plain", "harness"} <= set(rows)
    assert out.count("harness  ") == 1
    assert rows["harness"][1:] == ["of", "shared", "read", "%", "lost", "$/1000", "turns", "even"]
    assert rows["toh"][5] == "0"
    assert int(rows["pikuri"][5].replace(",", "")) > 10_000


def test_a_narrow_terminal_gets_several_tables_and_no_cut_number(skills: Path) -> None:
    options = ["--dialect", "all", "--policy", "vllm", "--policy", "kimi", "--edit", "clock"]
    command = [sys.executable, "-m", "tohlab", "prefix", str(skills), *options]
    done = subprocess.run(command, capture_output=True, env={"COLUMNS": "32"} | _environ(), check=True)
    lines = done.stdout.decode().splitlines()
    heads = [line.split()[-1] for line in lines if line.strip().startswith("harness")]
    assert heads == ["vllm", "kimi"]
    rows = [line for line in lines if line.strip().startswith("toh ")]
    assert len(rows) == 2
    assert not any("\u2026" in row for row in rows)


def _environ() -> dict[str, str]:
    import os

    return {name: value for name, value in os.environ.items() if name != "COLUMNS"}


@pytest.mark.parametrize(
    ("widths", "room", "groups"),
    [([3, 3, 3], 12, [[0, 1, 2]]), ([3, 3, 3], 8, [[0, 1], [2]]), ([30, 3], 5, [[0], [1]]), ([3], 0, [[0]])],
)
def test_columns_are_grouped_by_the_width(widths: list[int], room: int, groups: list[list[int]]) -> None:
    assert _groups(widths, room) == groups


@pytest.mark.parametrize("options", [(), ("--policy", "vllm")])
def test_an_unknown_dialect_is_refused_with_all_that_are_taken(
    skills: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    assert run(["prefix", str(skills), "--dialect", "nope", *options]) == 3
    err = capsys.readouterr().err
    known = err.strip().partition("Known: ")[2].split(", ")
    assert known == sorted((*harness_names(), "plain", "all"))


@pytest.mark.parametrize("dialect", ["plain", "codex"])
def test_a_harness_without_a_cache_is_told_what_it_needs(
    skills: Path, capsys: pytest.CaptureFixture[str], dialect: str
) -> None:
    assert run(["prefix", str(skills), "--dialect", dialect]) == 2
    assert f"--dialect {dialect} needs --policy; without one it is toh or all" in capsys.readouterr().err
