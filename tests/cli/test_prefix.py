"""`tohlab prefix`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tohlab.cli import run
from tohlab.edits import what_edits_cost
from tohlab.prefix import compare_prefix
from tohlab.request import Request
from tohlab.skills.sources import FilesystemSource


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    for name in ("csv", "pdf", "zip"):
        folder = tmp_path / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(
            f"---\nname: {name}\ndescription: Handle {name} files.\n---\nDo it.\n"
        )
    return tmp_path / "skills"


def as_json(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    assert run(["prefix", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def body(*texts: str) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": text} for text in texts]}


def write(path: Path, data: Any) -> Path:
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


def test_every_change_is_costed_at_both_moments(skills: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = as_json(capsys, skills)
    expected = what_edits_cost(FilesystemSource.tree(skills))
    assert data["rows"] == [row.to_dict() for row in expected]
    assert len(data["rows"]) == 8
    assert {row["skill"] for row in data["rows"]} == {"pdf"}


def test_one_change_to_one_skill_can_be_asked_for(skills: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = as_json(capsys, skills, "--edit", "edit", "--skill", "zip")["rows"]
    assert [(r["edit"], r["skill"], r["moment"]) for r in rows] == [
        ("edit", "zip", "running session"),
        ("edit", "zip", "next session"),
    ]
    assert rows[1]["where"] == 'messages[1] / skill catalog / entry "zip"'


def test_the_table_and_the_sentences_say_the_same(skills: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = as_json(capsys, skills)["rows"]
    assert run(["prefix", str(skills)]) == 0
    out = capsys.readouterr().out
    assert "reorder" in out
    assert all(f"{row['lost_tokens']:,}" in out for row in rows)
    flat = " ".join(out.split())
    assert all(row["sentence"] in flat for row in rows)


def test_two_request_files_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = body("hello", "a b"), body("hello", "a c")
    before, after = write(tmp_path / "1.json", one), write(tmp_path / "2.json", two)
    data = as_json(capsys, "--before", before, "--after", after)
    assert data == compare_prefix(Request.from_openai(one), Request.from_openai(two)).to_dict()
    assert data["divergence"]["path"] == "messages[1].content[0]"
    assert run(["prefix", "--before", str(before), "--after", str(after)]) == 0
    out = capsys.readouterr().out
    assert out.startswith('messages[1] / user: "b" became "c" at character 2, token 2 of 3; ')
    assert "shared 2 of 3 tokens (66.7%)" in out


def test_lone_surrogates_are_printed_as_what_a_terminal_can_show(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = write(tmp_path / "1.json", body("x \ud800")), write(tmp_path / "2.json", body("x y"))
    assert run(["prefix", "--before", str(before), "--after", str(after)]) == 0
    assert "\ufffd" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "2.json:1: not JSON, column 1"),
        ('{"messages": [\n{]}', "2.json:2: not JSON, column 2"),
        (
            "[]",
            "2.json: a request is expected (an object), not an array; give one of these: bodies",
        ),
        (body("a") | {"messages": [{"role": "me"}]}, "2.json: messages[0].role: 'me' is no role"),
        ("[" * 100_000, "2.json: nested too deeply"),
    ],
)
def test_a_broken_request_file_is_named_with_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: Any, message: str
) -> None:
    before, after = write(tmp_path / "1.json", body("a")), write(tmp_path / "2.json", content)
    assert run(["prefix", "--before", str(before), "--after", str(after)]) == 3
    assert message in capsys.readouterr().err


def test_a_file_that_is_missing_or_not_utf8_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = write(tmp_path / "1.json", body("a"))
    assert run(["prefix", "--before", str(before), "--after", str(tmp_path / "none.json")]) == 3
    assert "none.json: cannot be read" in capsys.readouterr().err
    (tmp_path / "latin.json").write_bytes(b'{"messages": "\xe9"}')
    assert run(["prefix", "--before", str(tmp_path / "latin.json"), "--after", str(before)]) == 3
    assert "latin.json: not UTF-8 at byte 14" in capsys.readouterr().err


def test_a_folder_without_skills_and_an_unknown_skill_are_errors(
    tmp_path: Path, skills: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    assert run(["prefix", str(tmp_path / "empty")]) == 3
    assert "no skill" in capsys.readouterr().err
    assert run(["prefix", str(skills), "--skill", "pfd"]) == 3
    assert "did you mean 'pdf'?" in capsys.readouterr().err


def test_skills_that_no_model_may_load_have_no_catalog_to_change(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "---\nname: hush\ndescription: H.\ndisable-model-invocation: true\n---\nBody.\n"
    (tmp_path / "hush").mkdir()
    (tmp_path / "hush" / "SKILL.md").write_text(text)
    assert run(["prefix", str(tmp_path)]) == 3
    assert "no skill that a model may load" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [[], ["--before", "x"], ["DIR", "--before", "x", "--after", "y"], ["DIR", "--edit", "rename"]],
)
def test_a_wrong_command_line_is_a_usage_error(arguments: list[str]) -> None:
    assert run(["prefix", *arguments]) == 2
