import json
from pathlib import Path

import pytest

from tests.skills.build import write, write_skill
from tohlab.cli import run
from tohlab.cli.check_table import initials
from tohlab.dialects.harnesses import harness_names

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


COLON = "---\nname: sail\ndescription: a: b\n---\nB\n"


def test_the_table_counts_and_marks_for_each_harness(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    write(tmp_path / "sail" / "SKILL.md", COLON)
    write_skill(tmp_path / "jib", "jib")
    assert run(["check", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    rows = [line.split() for line in out.splitlines()]
    assert ["co", "codex", "2", "0", "0", "0", "source"] in rows
    assert ["pi", "pi", "1", "0", "0", "1", "executed"] in rows
    assert ["sail", *["X", ".", "X", ".", ".", "X", ".", "X", ".", "X", ".", ".", "X", ".", "X", "."]] in rows
    assert not any(row[:1] == ["jib"] for row in rows)
    assert "1 file without trouble of their own not shown" in out
    assert max(map(len, out.splitlines())) <= 80


def test_all_files_have_a_row_when_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_skill(tmp_path / "jib", "jib")
    assert run(["check", str(tmp_path), "--all", "--dialect", "codex, pi", "--dialect", "toh"]) == 0
    out = capsys.readouterr().out
    assert ["jib", ".", ".", "."] in [line.split() for line in out.splitlines()]
    assert "claude-code" not in out


def test_each_skip_is_told_with_its_harnesses_line_and_remedy(tmp_path: Path, capsysbinary: Capture) -> None:
    write(tmp_path / "sail" / "SKILL.md", COLON)
    run(["check", str(tmp_path)])
    words = b" ".join(capsysbinary.readouterr().out.split()).decode()
    assert "sail/SKILL.md:3 skipped in cline, goose, mistral-vibe, pi, roo: " in words
    assert "→ put the value of description in quotes" in words


@pytest.mark.parametrize(
    ("required", "code"),
    [("codex,hermes", 0), ("codex,pi", 1), ("pi", 1), ("toh", 1)],
)
def test_the_harnesses_that_are_required_decide(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], required: str, code: int
) -> None:
    write(tmp_path / "sail" / "SKILL.md", COLON)
    assert run(["check", str(tmp_path), "--dialect", "toh", "--require", required]) == code
    out = capsys.readouterr().out
    assert all(name in out for name in required.split(","))


def test_a_harness_that_does_not_exist_is_an_error_with_the_nearest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_skill(tmp_path / "jib", "jib")
    for option in ("--dialect", "--require"):
        assert run(["check", str(tmp_path), option, "codx"]) == 3
        assert "Did you mean 'codex'?" in capsys.readouterr().err
    assert run(["check", str(tmp_path), "--dialect", "codex,"]) == 2
    assert run(["check", str(tmp_path), "--write"]) == 2


def test_the_repairs_are_printed_as_a_diff_and_nothing_is_written(
    tmp_path: Path, capsysbinary: Capture
) -> None:
    path = write(tmp_path / "sail" / "SKILL.md", COLON)
    assert run(["check", str(tmp_path), "--fix"]) == 1
    captured = capsysbinary.readouterr()
    rows = captured.out.decode().splitlines()
    assert [row for row in rows[2:] if row[0] in "+-"] == ["-description: a: b", '+description: "a: b"']
    assert (
        captured.err
        == b"1 of 1 files that some harness skips can be mended, nothing is written; add --write\n"
    )
    assert path.read_text(encoding="utf-8") == COLON


def test_the_repairs_are_written_and_then_decide(tmp_path: Path, capsysbinary: Capture) -> None:
    path = write(tmp_path / "sail" / "SKILL.md", COLON)
    assert run(["check", str(tmp_path), "--fix", "--write", "--dialect", "pi"]) == 0
    assert capsysbinary.readouterr().err.endswith(b"; 1 written\n")
    assert '"a: b"' in path.read_text(encoding="utf-8")
    assert run(["check", str(tmp_path), "--fix"]) == 0
    captured = capsysbinary.readouterr()
    assert (captured.out, captured.err) == (
        b"",
        b"0 of 0 files that some harness skips can be mended\n",
    )


def test_json_has_every_row_finding_and_repair(tmp_path: Path, capsysbinary: Capture) -> None:
    write(tmp_path / "sail" / "SKILL.md", COLON + "</skill_content>\n")
    run(["check", str(tmp_path), "--json"])
    data = json.loads(capsysbinary.readouterr().out)
    assert len(data["rows"]) == len(data["harnesses"]) == 16
    (pi,) = (row for row in data["rows"] if row["harness"] == "pi")
    assert (pi["path"], pi["outcome"], pi["code"], pi["line"]) == (
        "sail/SKILL.md",
        "skipped",
        "invalid-yaml",
        3,
    )
    assert data["harnesses"]["pi"]["counts"]["skipped"] == 1
    (finding,) = data["findings"]
    assert (finding["text"], finding["line"], finding["harnesses"]) == ("</skill_content>", 6, ["opencode"])
    run(["check", str(tmp_path), "--json", "--fix", "--dialect", "pi"])
    (fix,) = json.loads(capsysbinary.readouterr().out)["fixes"]
    assert (fix["rules"], fix["gains"]) == (["colon"], ["pi"])


def test_a_repository_is_checked_as_it_is_installed_unless_told_otherwise(
    tmp_path: Path, capsysbinary: Capture
) -> None:
    write_skill(tmp_path / "plugins" / "web" / "jib", "jib")
    assert run(["check", str(tmp_path), "--require", "roo"]) == 0
    assert run(["check", str(tmp_path), "--require", "roo", "--layout", "as-is"]) == 1
    assert b"[too-deep]" in capsysbinary.readouterr().out


def test_the_last_line_and_the_exit_code_say_what_the_column_of_toh_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "SKILL.md", "---\nname: root\ndescription: d\n---\n")
    write_skill(tmp_path / "a", "a")
    write_skill(tmp_path / "x" / "y" / "deep", "deep")
    for asked in ((), ("--dialect", "pi")):  # with another harness's column alone it is the same
        assert run(["check", str(tmp_path), *asked]) == 1
        assert "2 of 3 skill files load in TheOpen Harness; 0 errors" in " ".join(
            capsys.readouterr().out.split()
        )
    assert run(["check", str(tmp_path), "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["harnesses"]["toh"]["counts"]["skipped"] == 1
    assert run(["check", str(tmp_path), "--require", "codex"]) == 0


def test_a_finding_is_shown_without_its_characters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "sail" / "SKILL.md", "---\nname: sail\ndescription: d\n---\nTurn\u202e.\n")
    assert run(["check", str(tmp_path)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "sail/SKILL.md:5 finding characters that turn the reading direction" in out
    assert "U+202E RIGHT-TO-LEFT OVERRIDE [bidi-character], in claude-code, cline" in out


def test_no_two_harnesses_have_the_same_letters() -> None:
    letters = initials(harness_names())
    assert len(set(letters.values())) == len(letters) == 16
    assert (letters["claude-code"], letters["pi"], letters["pikuri"]) == ("cc", "pi", "pk")


def test_which_of_two_files_with_one_name_is_taken_is_said_for_each_harness(
    tmp_path: Path, capsysbinary: Capture
) -> None:
    for folder in "abc":
        write_skill(tmp_path / folder, "twin")
    run(["check", str(tmp_path), "--dialect", "cline,pikuri"])
    words = b" ".join(capsysbinary.readouterr().out.split()).decode()
    assert "skipped in cline: c/SKILL.md has the same name 'twin' and was read later" in words
    assert "skipped in pikuri: a/SKILL.md has the same name 'twin'" in words


def test_words_that_stand_for_others_are_given_to_whom_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "a" / "SKILL.md", COLON)
    run(["check", str(tmp_path), "--dialect", "cline,goose,roo,codex"])
    words = " ".join(capsys.readouterr().out.split())
    assert "skipped in cline, goose, roo: " in words
    assert "(so says cline) [invalid-yaml]" in words
    run(["check", str(tmp_path), "--dialect", "cline"])
    assert "so says" not in capsys.readouterr().out


def test_what_a_file_puts_into_a_line_is_bounded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20000")
    many = "".join(chr(0x200B + n % 3) + chr(0x202A + n % 5) for n in range(3000))
    write(tmp_path / "long" / "SKILL.md", f"---\nname: {'n ' * 2500}\ndescription: d\n---\n{many}\n")
    write(tmp_path / "one" / "SKILL.md", f"---\nname: {'N' * 5001}\ndescription: {'1' * 5000}\n---\n")
    run(["check", str(tmp_path), "--all"])
    lines = capsys.readouterr().out.splitlines()
    told = [line.rstrip() for line in lines if line.startswith("  ")]
    assert len(told) > 10
    assert max(map(len, told)) < 700
    run(["check", str(tmp_path), "--json"])
    notes = [note for row in json.loads(capsys.readouterr().out)["rows"] for note in row["notes"]]
    assert max(map(len, notes)) > 5000


@pytest.mark.parametrize("options", [(), ("--all",)])
def test_what_a_programs_limit_skips_is_said_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    for n in range(2010):
        write(tmp_path / f"s{n:04d}" / "SKILL.md", f"---\nname: s{n:04d}\ndescription: d\n---\n")
    assert run(["check", str(tmp_path), "--dialect", "codex", *options]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.count("only the first 2000 folders are looked into [too-many-folders]") == 1
    assert "11 files skipped in codex: " in out
    assert run(["check", str(tmp_path), "--dialect", "codex", "--require", "codex"]) == 1
