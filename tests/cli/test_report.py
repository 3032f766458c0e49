"""`tohlab report`: a summary for a person, the same as JSON, a page, and exit codes that can be relied on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tohlab.cli import run


@pytest.fixture
def skills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "skills"
    for name, description in (
        ("pdf-forms", "Fills in forms."),
        ("csv-cleaner", "Cleans [bold]tables[/bold]."),
    ):
        (folder / name).mkdir(parents=True)
        text = f"---\nname: {name}\ndescription: '{description}'\n---\nDo it.\n"
        (folder / name / "SKILL.md").write_text(text, encoding="utf-8")
    return folder


def test_it_prints_a_summary_and_writes_one_page(skills: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "skills"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    for words in (
        "2 skills cost",
        "2 skill files were found: 2 loaded; no problem.",
        "csv-cleaner",
        "reorder",
        "--cases cases.jsonl",
        "The page: tohlab-report.html",
    ):
        assert words in said.out
    page = Path("tohlab-report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "pdf-forms" in page


def test_lines_to_copy_are_not_broken_in_a_narrow_window(
    skills: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert run(["report", "skills"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (
        '    {"id": "r1", "query": "Fill in the form in application.pdf", "expected": ["pdf-forms"]}' in lines
    )
    assert max(len(line) for line in lines if line.startswith("There are no labelled")) <= 60


def test_two_runs_write_the_same_bytes(skills: Path) -> None:
    assert run(["report", "skills", "--out", "a.html"]) == 0
    assert run(["report", "skills", "--out", "b.html"]) == 0
    assert Path("a.html").read_bytes() == Path("b.html").read_bytes()


def test_as_json_it_prints_the_report_and_where_the_page_is(
    skills: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["report", "skills", "--out", "r.html", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["page"] == "r.html"
    assert [row["name"] for row in data["skills"]] == ["csv-cleaner", "pdf-forms"]
    rows = sum(row["entry_tokens"] for row in data["skills"])
    assert data["total_tokens"] == rows + data["frame_tokens"] + data["tool_tokens"]
    assert {file["status"] for file in data["files"]} == {"loaded"}


def test_labelled_requests_give_a_routing_table(skills: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("cases.jsonl").write_text('{"id": "1", "query": "Fill in forms", "expected": ["pdf-forms"]}\n')
    assert run(["report", "skills", "--cases", "cases.jsonl"]) == 0
    said = capsys.readouterr().out
    assert "BM25" in said
    assert "no model was asked" in said


def test_a_date_is_printed_when_it_is_given(skills: Path) -> None:
    assert run(["report", "skills", "--date", "2026-12-01"]) == 0
    assert "<dd>2026-12-01</dd>" in Path("tohlab-report.html").read_text(encoding="utf-8")


def test_open_shows_the_page_in_a_browser(skills: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert run(["report", "skills", "--open"]) == 0
    assert opened == [Path("tohlab-report.html").resolve().as_uri()]


def test_files_of_which_none_loads_are_reported_with_exit_code_1(
    skills: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("broken/x").mkdir(parents=True)
    Path("broken/x/SKILL.md").write_bytes(b"---\nname: x\ndescription: caf\xe9\n: [\n---\n")
    assert run(["report", "broken"]) == 1
    said = capsys.readouterr().out
    assert "x/SKILL.md" in said
    assert "error" in said
    assert Path("tohlab-report.html").is_file()


@pytest.mark.parametrize(
    ("argv", "code", "words"),
    [
        (["empty"], 3, "SKILL.md"),
        (["nowhere"], 3, "nowhere does not exist"),
        (["skills", "--out", "missing/page.html"], 3, "--out"),
        (["skills", "--dialect", "tho"], 3, "toh"),
        (["skills", "--cases", "none.jsonl"], 3, "none.jsonl"),
        (["skills", "--base-url", "http://127.0.0.1:9/v1"], 2, "--model"),
        (["skills", "--recording", "r.jsonl"], 2, "--cases"),
        (["skills", "--store", "s.sqlite3"], 2, "--base-url"),
    ],
)
def test_what_goes_wrong_is_said_in_a_line_with_what_to_do(
    skills: Path, capsys: pytest.CaptureFixture[str], argv: list[str], code: int, words: str
) -> None:
    Path("empty").mkdir()
    assert run(["report", *argv]) == code
    said = capsys.readouterr()
    assert words in said.err
    assert "Traceback" not in said.err
    assert said.out == ""


def test_a_service_that_is_down_is_an_error_and_not_a_score(
    skills: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("cases.jsonl").write_text('{"id": "1", "query": "Fill in forms", "expected": ["pdf-forms"]}\n')
    argv = [
        "report",
        "skills",
        "--cases",
        "cases.jsonl",
        "--base-url",
        "http://127.0.0.1:9/v1",
        "--model",
        "m",
    ]
    assert run(argv) == 3
    assert "127.0.0.1:9" in capsys.readouterr().err
    assert not Path("tohlab-report.html").exists()
