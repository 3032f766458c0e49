"""`tohlab compare`: two harnesses over one folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tohlab.cli import run
from tohlab.compare import view_harness

HOSTILE = "evil\x1b[31m\u202e\x07\u200b\u200e\u061c\u2028\u2029\u200d"


def write(folder: Path, name: str, frontmatter: str) -> None:
    path = folder / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(f"---\n{frontmatter}\n---\nDo it.\n", encoding="utf-8")


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    write(tmp_path, "csv", "name: csv\ndescription: Clean tables.")
    write(tmp_path, "pdf", "name: pdf\ndescription: Read PDF files.\ndisable-model-invocation: true")
    return tmp_path


def as_json(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    assert run(["compare", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_what_differs_is_said_file_by_file(skills: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = as_json(capsys, skills, "claude-code", "goose")
    assert [(row["path"], row["differs"]) for row in data["skills"]] == [
        ("csv/SKILL.md", []),
        ("pdf/SKILL.md", ["state"]),
    ]
    assert data["a"]["total_tokens"] == view_harness(skills, "claude-code").total_tokens
    assert data["same_text"] is False
    assert run(["compare", str(skills), "claude-code", "goose"]) == 0
    out = capsys.readouterr().out
    for text in ("1 of 2 files differ", "hidden", "total tokens", f"{data['a']['total_tokens']:,}"):
        assert text in out


def test_both_texts_can_be_shown_line_by_line(skills: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", str(skills), "claude-code", "goose", "--text"]) == 0
    out = capsys.readouterr().out
    assert "- - csv: Clean tables.\n+ • csv - Clean tables.\n" in out


def test_one_harness_against_itself_differs_in_nothing(
    skills: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["compare", str(skills), "pi", "pi"]) == 0
    out = capsys.readouterr().out
    assert "All 2 files are taken alike" in out
    assert "the same text" in out


def test_the_window_and_the_root_are_options(skills: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for i in range(60):
        write(skills, f"s{i}", f"name: s{i}\ndescription: {'word ' * 30}")
    wide = as_json(capsys, skills, "codex", "pi", "--window", "1000000")
    narrow = as_json(capsys, skills, "codex", "pi", "--window", "20000", "--root", "/r")
    assert narrow["a"]["listing_tokens"] < wide["a"]["listing_tokens"]
    assert narrow["b"]["listing_tokens"] < wide["b"]["listing_tokens"]
    assert any("/r/csv/SKILL.md" in (line["b"] or "") for line in narrow["lines"])


def test_text_from_files_never_steers_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "a", f"name: {json.dumps(HOSTILE)}\ndescription: {json.dumps('d' + HOSTILE)}")
    write(tmp_path, "b", f"name: {json.dumps(HOSTILE)}\ndescription: [x]")
    for command in (
        ["compare", str(tmp_path), "toh", "goose", "--text"],
        ["compare", str(tmp_path), "hermes", "claude-code", "--text"],
        ["tokens", str(tmp_path), "--dialect", "all"],
        *(["tokens", str(tmp_path), "--dialect", name] for name in ("goose", "hermes", "roo", "codex")),
    ):
        assert run(command) == 0
        shown = "".join(capsys.readouterr())
        assert not set(HOSTILE[4:]) - set("[31m") & set(shown)


def test_wrong_names_and_folders_are_errors_that_say_what_to_do(
    skills: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["compare", str(skills), "codx", "pi"]) == 3
    assert "Did you mean 'codex'?" in capsys.readouterr().err
    assert run(["compare", str(tmp_path / "nowhere"), "codex", "pi"]) == 3
    assert "there is no folder" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert run(["compare", str(tmp_path / "empty"), "codex", "pi"]) == 3
    assert "a skill is a folder with a SKILL.md" in capsys.readouterr().err
    assert run(["compare", str(skills), "codex"]) == 2
    assert run(["compare", "--help"]) == 0
    assert "Examples:" in capsys.readouterr().out


@pytest.mark.parametrize("parent", [".", "plugins/a"])
def test_a_file_that_cannot_be_read_is_a_skipped_row_and_ends_nothing(
    skills: Path, capsys: pytest.CaptureFixture[str], parent: str
) -> None:
    folder = skills / parent / "bad"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").symlink_to("SKILL.md")
    where = folder.relative_to(skills).as_posix()
    why = "the file cannot be read: Too many levels of symbolic links"
    assert run(["tokens", str(skills), "--dialect", "roo", "--json"]) == 0
    (row,) = [row for row in json.loads(capsys.readouterr().out)["rows"] if row["state"] == "skipped"]
    assert (row["path"], row["why"]) == (f"{where}/SKILL.md", why)
    data = as_json(capsys, skills, "codex", "pi")
    states = {row["path"]: (row["a_state"], row["b_state"]) for row in data["skills"]}
    assert states[f"{where}/SKILL.md"] == ("skipped", "skipped")
    assert states["csv/SKILL.md"] == ("listed", "listed")


@pytest.mark.parametrize("columns", [20, 40])
def test_a_narrow_terminal_cuts_no_number_and_no_word(
    skills: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    for i in range(40):
        write(skills, f"s{i}", f"name: s{i}\ndescription: {'word ' * 60}")
    data = as_json(capsys, skills, "codex", "goose")
    monkeypatch.setenv("COLUMNS", str(columns))
    assert run(["compare", str(skills), "codex", "goose"]) == 0
    out = capsys.readouterr().out
    for number in (data["a"]["total_tokens"], data["b"]["total_tokens"]):
        assert f"{number:,}" in out
    assert "total tokens" in out
    assert run(["tokens", str(skills), "--dialect", "goose"]) == 0
    out = capsys.readouterr().out
    assert f"{data['b']['total_tokens']:,}" in out
    assert "characters" in out
    assert "listed" in out
    assert "\u2026" not in out
    assert max(map(len, out.splitlines())) < 80
