"""A skill file that gives no skill is told wherever its catalog is measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from tohlab.cli import run
from tohlab.errors import DatasetError
from tohlab.routing import load_cases, load_catalog, run_baseline
from tohlab.routing.lints import lint_dataset
from tohlab.routing.prompts import prompter

CASES = (
    '{"id": "1", "query": "bake bread", "expected": ["bread"]}\n{"id": "2", "query": "hi", "expected": []}\n'
)
BROKEN = "description: Plan a trip: day by day"
NOTE = "1 skill file did not load, so the catalog is without it: "


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, line in (("bread", "description: Bake bread"), ("trip", BROKEN)):
        file = tmp_path / "skills" / name / "SKILL.md"
        file.parent.mkdir(parents=True)
        file.write_text(f"---\nname: {name}\n{line}\n---\nbody\n", "utf-8")
    (tmp_path / "cases.jsonl").write_text(CASES, "utf-8")
    return tmp_path


def test_a_run_and_a_baseline_say_which_file_is_missing_from_the_catalog(folder: Path) -> None:
    cases, skills = load_cases(folder / "cases.jsonl"), load_catalog(folder / "skills")
    where = f"{folder / 'skills' / 'trip' / 'SKILL.md'}:3: invalid YAML frontmatter"
    for notes in (prompter(skills, model="m").notes, run_baseline("bm25", cases, skills).notes):
        assert notes[0].startswith(NOTE + where)
        assert notes[0].endswith("`tohlab check DIR` says what to do.")


def test_where_all_load_nothing_is_said(folder: Path) -> None:
    file = folder / "skills" / "trip" / "SKILL.md"
    file.write_text(file.read_text("utf-8").replace(BROKEN, "description: Plan a trip"), "utf-8")
    cases, skills = load_cases(folder / "cases.jsonl"), load_catalog(folder / "skills")
    assert prompter(skills, model="m").notes == ()
    assert not any("did not load" in note for note in run_baseline("bm25", cases, skills).notes)


def test_a_label_of_a_skill_that_did_not_load_is_told_why_and_not_to_correct_the_name(folder: Path) -> None:
    with (folder / "cases.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "3", "query": "plan", "expected": ["trip"]}\n')
    cases, skills = load_cases(folder / "cases.jsonl"), load_catalog(folder / "skills")
    with pytest.raises(DatasetError, match=r"'trip', and its file did not load: .*:3: invalid YAML.*Mend"):
        run_baseline("bm25", cases, skills)
    messages = {lint.code: lint.message for lint in lint_dataset(cases, skills).lints}
    assert "put the value of description in quotes" in messages["skill-not-loaded"]
    assert "which is not in the catalog: its file did not load: " in messages["not-in-catalog"]


@pytest.mark.parametrize("command", [[], ["--dry-run"], ["sweep", "--over", "description-limit=500,10"]])
def test_each_command_says_so_on_standard_error(
    folder: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    given = ["--skills", str(folder / "skills"), "--cases", str(folder / "cases.jsonl")]
    asked = [] if "--dry-run" in command else ["--baseline", "bm25"]
    assert run(["route", *command, *given, *asked]) == 0
    assert f"warning: {NOTE}" in capsys.readouterr().err
