"""`tohlab tokens`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tohlab.cli import run
from tohlab.dialects import get_dialect
from tohlab.request import Message, Request
from tohlab.skills.sources import FilesystemSource
from tohlab.tokens import get_meter, measure


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    for name, description in (("pdf", "Read PDF files."), ("csv", "Clean tables and join them with others.")):
        folder = tmp_path / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {description}\n---\nDo it.\n")
    return tmp_path / "skills"


def as_json(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    assert run(["tokens", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_rows_are_the_tool_the_frame_and_each_skill_and_add_up(
    skills: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = as_json(capsys, skills)
    assert (data["encoding"], data["dialect"]) == ("o200k_base", "toh")
    assert [(row["kind"], row["name"]) for row in data["rows"]] == [
        ("tool", "skill"),
        ("catalog", "frame"),
        ("skill", "csv"),
        ("skill", "pdf"),
    ]
    assert all(set(row) == {"kind", "name", "tokens"} for row in data["rows"])
    assert sum(row["tokens"] for row in data["rows"]) == data["total_tokens"]


def test_the_total_is_what_the_first_request_pays_for_having_skills(
    skills: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    toh = get_dialect("toh")
    catalog = toh.catalog_of(FilesystemSource.tree(skills).snapshot())
    message = Message(role="user", content=(toh.render_catalog(catalog, "initial"),))
    request = Request(tools=(toh.skill_tool(),), messages=(message,))
    for encoding in ("o200k_base", "cl100k_base"):
        data = as_json(capsys, skills, "--encoding", encoding)
        assert data["total_tokens"] == measure(request, get_meter(encoding)).total_tokens


def test_bodies_and_the_order_are_options(skills: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = as_json(capsys, skills, "--bodies")
    assert ["loaded_tokens" in row for row in data["rows"]] == [False, False, True, True]
    pdf = FilesystemSource.tree(skills).load("pdf")
    assert pdf is not None
    assert data["rows"][3]["loaded_tokens"] == get_meter().count(get_dialect("toh").render_skill(pdf))
    (skills / "pdf" / "SKILL.md").write_text("---\nname: pdf\ndescription: Read.\n---\n" + "Do it. " * 99)
    loaded = as_json(capsys, skills, "--sort", "loaded")
    assert [row["name"] for row in loaded["rows"]] == ["skill", "frame", "pdf", "csv"]
    assert [row["name"] for row in as_json(capsys, skills, "--sort", "tokens")["rows"]][2:] == ["csv", "pdf"]


def test_the_table_says_the_same(skills: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = as_json(capsys, skills)
    assert run(["tokens", str(skills), "--bodies"]) == 0
    out = capsys.readouterr().out
    for text in (
        "o200k_base",
        "plain renderer",
        "pdf",
        "csv",
        "2 skills",
        "when loaded",
        f"{data['total_tokens']:,}",
    ):
        assert text in out


def test_a_file_that_does_not_load_is_pointed_at(skills: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (skills / "broken").mkdir()
    (skills / "broken" / "SKILL.md").write_text("no frontmatter")
    assert run(["tokens", str(skills)]) == 0
    assert f"tohlab check {skills}" in capsys.readouterr().err


def test_a_folder_without_skills_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tokens", str(tmp_path)]) == 3
    assert "no skill" in capsys.readouterr().err
    assert run(["tokens", str(tmp_path / "nowhere")]) == 3
    assert "does not exist" in capsys.readouterr().err


def test_unknown_encodings_and_dialects_are_errors_with_the_known_ones(
    skills: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["tokens", str(skills), "--encoding", "o200k"]) == 3
    assert "o200k_base" in capsys.readouterr().err
    assert run(["tokens", str(skills), "--dialect", "tho"]) == 3
    assert "Did you mean 'toh'?" in capsys.readouterr().err


def test_a_wrong_command_line_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tokens"]) == 2
    assert run(["tokens", "x", "--sort", "size"]) == 2
    assert run(["tokens", "--help"]) == 0
    assert "Examples:" in capsys.readouterr().out
