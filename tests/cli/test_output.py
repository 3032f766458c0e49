"""No terminal, locale or closed stream turns a command into a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tohlab.cli import run


def tohlab(*arguments: str, shell: str = "", **environ: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "tohlab", *arguments]
    if shell:
        command = ["sh", "-c", f'"$@" {shell}', "sh", *command]
    return subprocess.run(command, capture_output=True, env={**os.environ, **environ}, check=False)


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    (tmp_path / "x").mkdir()
    text = "---\nname: y\ndescription: An arrow \u2192 in a description.\n---\nDo it.\n"
    (tmp_path / "x" / "SKILL.md").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("command", ["check", "tokens", "prefix"])
def test_what_an_encoding_does_not_have_is_a_question_mark(command: str, skills: Path) -> None:
    done = tohlab(command, str(skills), LC_ALL="C", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()


@pytest.mark.parametrize("command", ["render", "check", "tokens"])
def test_a_closed_output_is_no_error(command: str, skills: Path) -> None:
    done = tohlab(command, str(skills), shell=">&-")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("command", ["render", "check", "tokens"])
def test_a_full_disk_is_a_message(command: str, skills: Path) -> None:
    done = tohlab(command, str(skills), shell="> /dev/full")
    assert done.returncode == 3
    assert done.stderr == b"tohlab: the output cannot be written: No space left on device\n"


def test_a_message_cannot_steer_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["render", "no\x1b[31mthing\u202e", "--part", "tool"]) == 3
    assert capsys.readouterr().err.startswith("tohlab: no\ufffd[31mthing\ufffd does not exist")


def test_a_reader_that_leaves_early_is_no_failure(tmp_path: Path) -> None:
    for number in range(400):
        folder = tmp_path / f"skill-{number}"
        folder.mkdir()
        text = f"---\nname: skill-{number}\ndescription: {'Words. ' * 40}\n---\nDo it.\n"
        (folder / "SKILL.md").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "tohlab", "tokens", str(tmp_path), "--dialect", "codex"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as started:
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdout.close()
        assert started.stderr.read() == b""
    assert started.returncode == 0


@pytest.mark.parametrize("columns", ["20", "80"])
def test_no_number_of_all_harnesses_is_cut(skills: Path, columns: str) -> None:
    done = tohlab("tokens", str(skills), "--dialect", "all", COLUMNS=columns)
    [row] = [row for row in done.stdout.decode().splitlines() if row.startswith("gemini-cli")]
    assert "\u2026" not in row
    assert len(row.split()) == 11


@pytest.fixture
def rewriting(tmp_path: Path) -> list[str]:
    """A gate that fails: its harness writes the list anew."""
    for name in ("csv", "pdf"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: Handle {name}.\n---\nDo it.\n")
    gate = ["--dialect", "mistral-vibe", "--policy", "vllm", "--edit", "add", "--fail-under", "0.95"]
    return ["prefix", str(tmp_path), *gate]


def unread(*arguments: str) -> int:
    """Exit code where nobody reads what is printed."""
    command = [sys.executable, "-m", "tohlab", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as started:
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdout.close()
        assert b"Traceback" not in started.stderr.read()
    return started.returncode


def test_a_failed_gate_fails_where_nobody_reads_on(rewriting: list[str]) -> None:
    assert unread(*rewriting) == 1
    assert unread(*rewriting[:-1], "0.01") == 0


def test_a_failed_check_fails_where_nobody_reads_on(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "SKILL.md").write_text("no frontmatter", encoding="utf-8")
    assert tohlab("check", str(tmp_path)).returncode == 1
    assert unread("check", str(tmp_path)) == 1


@pytest.mark.parametrize("columns", ["40", "100"])
@pytest.mark.parametrize("command", ["check", "tokens", "prefix", "compare", "tokens all", "prefix all"])
def test_no_line_ends_in_spaces(command: str, columns: str, skills: Path) -> None:
    more = {
        "tokens all": ["--dialect", "all"],
        "prefix all": ["--policy", "vllm", "--edit", "add"],
    }
    name = command.partition(" ")[0]
    options = more.get(command, [])
    arguments = ["compare", str(skills), "toh", "pi"] if name == "compare" else [name, str(skills), *options]
    done = tohlab(*arguments, COLUMNS=columns)
    assert done.stdout
    assert [line for line in done.stdout.decode().splitlines() if line != line.rstrip()] == []


def test_the_two_ratings_say_of_what_they_are(skills: Path) -> None:
    assert b"loading rules" in tohlab("check", str(skills), COLUMNS="120").stdout
    assert b"the list's text is " in tohlab("tokens", str(skills), "--dialect", "pi", COLUMNS="120").stdout


def test_loading_without_a_name_shows_how() -> None:
    done = tohlab("render", "--part", "result")
    assert done.returncode == 2
    assert b"--part result needs --name" in done.stderr
    assert b"tohlab render --part result --name pdf" in done.stderr
    assert b"--name goes with --part result alone" in tohlab("render", "--name", "pdf").stderr
