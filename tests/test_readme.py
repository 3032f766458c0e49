"""The README says only what the program prints: its Python runs, its output and its table are today's."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tohlab.library import library_cases, library_recording, library_skills
from tohlab.report import replay
from tohlab.routing import load_cases, run_baseline
from tohlab.routing.report import RoutingReport
from tohlab.skills.sources import FilesystemSource

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def _tidy(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def test_the_python_example_runs_and_prints_what_the_readme_says() -> None:
    # the other blocks need a notebook; tests/browser drives their like there
    (code,) = (block for block in _blocks("python") if block.startswith("import tohlab\n"))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})  # the README's own code is what is tested
    assert printed.getvalue() in _blocks("text")


def test_the_report_prints_what_the_readme_shows(tmp_path: Path) -> None:
    shown = next(block for block in _blocks("text") if block.startswith("$ tohlab report\n"))
    run = subprocess.run(
        [sys.executable, "-m", "tohlab", "report"],
        capture_output=True,
        cwd=tmp_path,
        env={**os.environ, "COLUMNS": "92", "NO_COLOR": "1", "PYTHONUTF8": "1"},
        check=True,
    )
    printed, expected = _tidy(run.stdout.decode()), _tidy(shown.partition("\n")[2])
    # What is loaded names the skill's folder: in another checkout each of those numbers is as much larger.
    loaded = re.compile(r"^ \S+ +\d+ +█+ +(\d+)$")
    here, there = (
        [int(m[1]) for line in lines if (m := loaded.match(line))] for lines in (printed, expected)
    )
    assert len(there) == 8
    assert len({ours - theirs for ours, theirs in zip(here, there, strict=True)}) == 1
    assert [loaded.sub("", line) for line in printed] == [loaded.sub("", line) for line in expected]


def test_the_table_of_harnesses_is_what_the_readme_shows() -> None:
    head = "$ tohlab tokens datasets/skills --dialect all --window 32000\n"
    shown = next(block for block in _blocks("text") if block.startswith(head))
    run = subprocess.run(
        [sys.executable, "-m", *head.removeprefix("$ ").split()],
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "92", "NO_COLOR": "1", "PYTHONUTF8": "1"},
        check=True,
    )
    assert _tidy(run.stdout.decode()) == _tidy(shown.removeprefix(head))


def _row(label: str, report: RoutingReport) -> str:
    def rate(name: str, mark: str = "") -> str:
        value = getattr(report, name)
        low, high = 100 * value.low, 100 * value.high
        return f"{mark}{100 * value.value:.1f} %{mark} [{low:.1f}, {high:.1f}]"

    cells = [
        label,
        f"{report.n_scored} of {report.n_total}",
        rate("exact", "**"),
        rate("one_skill"),
        rate("several_skills"),
        rate("no_skill"),
        str(report.n_model_error),
        str(report.n_service_error),
    ]
    return f"| {' | '.join(cells)} |"


@pytest.mark.parametrize(
    ("label", "picker"),
    [
        ("Qwen2.5-Coder-1.5B-Instruct Q4_K_M", None),
        ("BM25 over name and description", "bm25"),
        ("names alone", "names"),
        ("always the commonest answer", "majority"),
        ("by chance (expected value)", "random"),
        ("TF-IDF", "tfidf"),
        ("embedding (wordllama)", "embedding"),
        ("BM25, threshold chosen on other requests", "bm25+abstain"),
        ("TF-IDF, threshold chosen on other requests", "tfidf+abstain"),
        ("embedding, threshold chosen on other requests", "embedding+abstain"),
    ],
)
def test_the_routing_table_is_what_the_recording_and_the_baselines_give(
    label: str, picker: str | None
) -> None:
    source, dataset = FilesystemSource.tree(library_skills()), load_cases(library_cases())
    report = (
        replay(dataset, source, library_recording())[0]
        if picker is None
        else run_baseline(picker, dataset, source)
    )
    assert _row(label, report) in README.splitlines()


@pytest.mark.parametrize("path", re.findall(r"\]\(((?!https?:)[^)#]+)\)", README))
def test_every_file_the_readme_points_at_is_there(path: str) -> None:
    assert (ROOT / path).exists()
