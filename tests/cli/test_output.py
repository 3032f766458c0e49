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
