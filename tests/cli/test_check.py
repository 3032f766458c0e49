import json
from pathlib import Path

import pytest

from tests.skills.build import write, write_skill
from tohlab.cli import run

Capture = pytest.CaptureFixture[bytes]


def test_json_has_a_row_for_each_file(tmp_path: Path, capsysbinary: Capture) -> None:
    write_skill(tmp_path / "pdf", "pdf")
    write(tmp_path / "bad" / "SKILL.md", "---\nname: bad\ndescription: a: b\n---\n")
    assert run(["check", str(tmp_path), "--json"]) == 1
    out = capsysbinary.readouterr().out
    bad, good = json.loads(out)["skills"]
    assert good == {"path": "pdf/SKILL.md", "name": "pdf", "loads": {"toh": True}, "problems": []}
    assert (bad["path"], bad["name"], bad["loads"]) == ("bad/SKILL.md", None, {"toh": False})
    [problem] = bad["problems"]
    assert (problem["code"], problem["line"], problem["level"]) == ("invalid-yaml", 3, "error")
    assert problem["message"].startswith("invalid YAML frontmatter: ")
    assert problem["remedy"]


def test_the_table_says_where_what_and_how_to_mend_it(tmp_path: Path, capsysbinary: Capture) -> None:
    write_skill(tmp_path / "pdf", "pdf")
    write(tmp_path / "bad" / "SKILL.md", "---\nname: Bad\ndescription: d\n---\n")
    assert run(["check", str(tmp_path)]) == 1
    words = b" ".join(capsysbinary.readouterr().out.split()).decode()
    assert "bad/SKILL.md:2" in words
    assert 'invalid skill name "Bad" [invalid-name]' in words
    assert "→ write bad;" in words
    assert "1 of 2 skill files load in TheOpen Harness; 1 error, 0 warnings" in words


def test_warnings_alone_are_no_failure(tmp_path: Path, capsysbinary: Capture) -> None:
    write_skill(tmp_path / "folder", "skill")
    write(tmp_path / "README.md", "# Read me\n")
    assert run(["check", str(tmp_path)]) == 0
    assert b"name-differs-from-directory" in capsysbinary.readouterr().out


def test_no_text_of_a_file_reaches_the_terminal_as_a_control_code(
    tmp_path: Path, capsysbinary: Capture
) -> None:
    write(tmp_path / "bad" / "SKILL.md", '---\nname: "a\\e[31m\\ud83d"\ndescription: "[red]d[/red]"\n---\n')
    assert run(["check", str(tmp_path)]) == 1
    assert b"\x1b" not in capsysbinary.readouterr().out


@pytest.mark.parametrize("content", [None, "# Read me\n"])
def test_a_folder_without_skills_is_an_error_with_a_remedy(
    tmp_path: Path, capsysbinary: Capture, content: str | None
) -> None:
    if content:
        write(tmp_path / "README.md", content)
    assert run(["check", str(tmp_path), "--json"]) == 3
    captured = capsysbinary.readouterr()
    assert captured.out == b""
    assert b"no skills under" in captured.err
    assert b"give the folder that holds the skills" in captured.err


def test_a_folder_that_does_not_exist_is_an_error_with_a_remedy(
    tmp_path: Path, capsysbinary: Capture
) -> None:
    assert run(["check", str(tmp_path / "none")]) == 3
    assert b"does not exist; give a folder" in capsysbinary.readouterr().err


def test_a_file_that_is_not_utf8_loads_and_is_still_a_no(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "SKILL.md").write_bytes(b"---\nname: x\ndescription: d\n---\ncaf\xe9\n")
    assert run(["check", str(tmp_path), "--json"]) == 1
    (row,) = json.loads(capsys.readouterr().out)["skills"]
    assert row["loads"] == {"toh": True}
    assert [(p["code"], p["line"], p["remedy"]) for p in row["problems"]] == [
        ("not-utf8", 5, "save the file as UTF-8")
    ]


def test_a_path_cannot_turn_the_direction_of_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_skill(tmp_path / "a\u202eb", "x")
    run(["check", str(tmp_path)])
    assert "a\ufffdb" in capsys.readouterr().out
