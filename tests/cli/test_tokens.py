"""`tohlab tokens`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tohlab.cli import run
from tohlab.dialects import get_dialect
from tohlab.dialects.harnesses import harness_names
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


def test_an_unknown_dialect_is_refused_with_all_that_are_taken(
    skills: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["tokens", str(skills), "--dialect", "nope"]) == 3
    known = capsys.readouterr().err.strip().partition("Known: ")[2].split(", ")
    assert known == sorted((*harness_names(), "all"))


def test_a_wrong_command_line_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tokens"]) == 2
    assert run(["tokens", "x", "--sort", "size"]) == 2
    assert run(["tokens", "--help"]) == 0
    assert "Examples:" in capsys.readouterr().out


# The other harnesses, and all of them.


def test_all_harnesses_stand_in_one_table(skills: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = as_json(capsys, skills, "--dialect", "all")
    assert [row["harness"] for row in data["rows"]] == list(harness_names())
    assert data["window_tokens"] == 200_000
    for row in data["rows"]:
        assert row["total_tokens"] == row["tools_tokens"] + row["listing_tokens"]
    toh = next(row for row in data["rows"] if row["harness"] == "toh")
    assert toh["total_tokens"] == as_json(capsys, skills)["total_tokens"]
    assert run(["tokens", str(skills), "--dialect", "all"]) == 0
    out = capsys.readouterr().out
    assert all(line in out for line in ("ratio", "codex", "reconstructed: claude-code"))
    assert max(map(len, out.splitlines())) <= 80
    assert "…" not in out


def test_the_dearest_can_come_first(skills: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = as_json(capsys, skills, "--dialect", "all", "--sort", "tokens")["rows"]
    totals = [row["total_tokens"] for row in rows]
    assert totals == sorted(totals, reverse=True)


@pytest.mark.parametrize("name", [name for name in harness_names() if name != "toh"])
def test_every_harness_has_a_table_of_its_skills(
    name: str, skills: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = as_json(capsys, skills, "--dialect", name)
    assert data["harness"] == name
    assert {"csv", "pdf"} <= {row["name"] for row in data["rows"]}
    entries = sum(row["tokens"] or 0 for row in data["rows"])
    assert entries + data["frame_tokens"] + data["tools_tokens"] == data["total_tokens"]
    assert run(["tokens", str(skills), "--dialect", name]) == 0
    out = capsys.readouterr().out
    assert f"{data['total_tokens']:,} tokens in every request" in out
    assert data["fidelity"] in out


def test_what_a_small_window_costs_is_said_with_the_reason(
    skills: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = as_json(capsys, skills, "--dialect", "codex", "--window", "300")
    assert {row["state"] for row in data["rows"]} == {"dropped"}
    assert run(["tokens", str(skills), "--dialect", "codex", "--window", "300"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "the list may cost 6 tokens" in out
    assert "Exceeded skills context budget" in out


def test_a_repository_lists_its_nested_skills(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one", "two"):
        folder = tmp_path / "plugins" / "p" / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: d\n---\nDo it.\n")
    nested = as_json(capsys, tmp_path, "--dialect", "cline")
    assert [row["name"] for row in nested["rows"]] == ["one", "two"]
    assert nested["rows"][0]["source"] == "plugins/p/skills/one/SKILL.md"
    flat = as_json(capsys, tmp_path, "--dialect", "cline", "--layout", "as-is")
    assert {row["state"] for row in flat["rows"]} == {"skipped"}


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_the_table_can_be_drawn(
    ending: str, skills: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"figure.{ending}"
    assert run(["tokens", str(skills), "--dialect", "all", "--figure", str(path)]) == 0
    assert path.read_bytes()[:5] in (b"<?xml", b"\x89PNG\r")
    assert str(path) in capsys.readouterr().err


def test_options_that_would_do_nothing_are_refused(
    skills: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, word in (
        (("--window", "1000"), "--window"),
        (("--layout", "as-is"), "--layout"),
        (("--no-bundled",), "--no-bundled"),
        (("--figure", "x.svg"), "--figure"),
        (("--dialect", "codex", "--bodies"), "--bodies"),
        (("--dialect", "all", "--sort", "loaded"), "--sort loaded"),
        (("--dialect", "all", "--window", "0"), "--window"),
    ):
        assert run(["tokens", str(skills), *arguments]) == 2
        assert word in capsys.readouterr().err
    assert run(["tokens", str(skills), "--dialect", "all", "--figure", str(tmp_path / "x.gif")]) == 3
    assert ".svg" in capsys.readouterr().err
    assert run(["tokens", str(tmp_path / "nowhere"), "--dialect", "all"]) == 3
    assert "there is no folder" in capsys.readouterr().err
