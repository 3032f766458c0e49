"""`tohlab ask`: what the model reads, and nothing else, on standard output."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tohlab.cli import run

QUESTION = {
    "questions": [
        {"id": "pm", "question": "Which?", "options": [{"label": "pnpm"}, {"label": "npm"}]},
        {"id": "why", "question": "Why?"},
    ]
}


@pytest.fixture
def written(tmp_path: Path) -> Any:
    def write(name: str, value: Any) -> str:
        path = tmp_path / name
        path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return str(path)

    return write


def test_the_answer_is_printed_as_the_model_reads_it(
    written: Any, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    script = written("a.json", {"pm": "npm", "why": "déjà \ud83d"})
    assert run(["ask", written("q.json", QUESTION), "--script", script]) == 0
    assert capfdbinary.readouterr().out.decode() == (
        '{"answers":[{"id":"pm","selected":["npm"]},{"id":"why","selected":[],"custom":"déjà \\ud83d"}]}'
    )


def test_json_says_what_became_of_it_and_what_it_costs(
    written: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        run(["ask", written("q.json", QUESTION), "--script", written("a.json", [None, None]), "--json"]) == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert (found["outcome"], found["code"]) == ("declined", None)
    assert found["text"] == '{"answers":[{"id":"pm","selected":[]},{"id":"why","selected":[]}]}'
    tokens = found["tokens"]
    assert tokens["encoding"] == "o200k_base"
    assert tokens["exchange_tokens"] == tokens["arguments_tokens"] + tokens["answer_tokens"]
    assert tokens["schema_tokens"] > 200


@pytest.mark.parametrize(
    ("question", "script", "text"),
    [
        (QUESTION, [{"dismiss": True}], "Error: the user cancelled ask_user_question"),
        ({"questions": []}, {}, "Error: ask_user_question requires at least one question"),
        ("not json", {}, 'Error: invalid arguments: "arguments" must be an object'),
        ("\n", {}, 'Error: invalid arguments: missing required property "questions"'),
    ],
)
def test_an_error_that_the_model_reads_is_exit_code_1(
    written: Any, capfdbinary: pytest.CaptureFixture[bytes], question: Any, script: Any, text: str
) -> None:
    assert run(["ask", written("q.json", question), "--script", written("a.json", script)]) == 1
    assert capfdbinary.readouterr().out.decode() == text


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ({"pm": "npm"}, "no answer for question 'why'"),
        ({"pm": ["yarn"], "why": None}, "'yarn' is not one of its labels (offered: 'pnpm', 'npm')"),
        ("{", "a.json is not JSON"),
        ("[" * 100_000, "a.json is nested too deeply to be a script"),
        ('"npm"', "a script is an object by question id or a list in order"),
    ],
)
def test_a_script_that_does_not_answer_is_exit_code_3(
    written: Any, capsys: pytest.CaptureFixture[str], script: Any, reason: str
) -> None:
    assert run(["ask", written("q.json", QUESTION), "--script", written("a.json", script)]) == 3
    captured = capsys.readouterr()
    assert reason in captured.err
    assert captured.out == ""


def test_answers_that_no_question_asked_for_are_named(
    written: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    script = written("a.json", {"pm": "npm", "why": None, "old\u202e": "x"})
    assert run(["ask", written("q.json", QUESTION), "--script", script]) == 0
    captured = capsys.readouterr()
    assert "answers that nobody asked for: 'old\\u202e'" in captured.err
    assert captured.out == '{"answers":[{"id":"pm","selected":["npm"]},{"id":"why","selected":[]}]}'
    dismissed = written("b.json", [{"dismiss": True}, "never reached"])
    assert run(["ask", written("q.json", QUESTION), "--script", dismissed]) == 1
    assert capsys.readouterr().err == ""


def test_a_file_that_is_not_utf_8_is_refused_and_not_guessed(
    tmp_path: Path, written: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    latin = tmp_path / "latin.json"
    latin.write_bytes('{"questions": [{"id": "a", "question": "Café?"}]}'.encode("latin-1"))
    assert run(["ask", str(latin), "--script", written("a.json", ["x"])]) == 3
    assert "latin.json is not UTF-8 at byte 43; save it as UTF-8" in capsys.readouterr().err
    assert run(["ask", written("q.json", QUESTION), "--script", str(latin)]) == 3
    marked = tmp_path / "marked.json"
    marked.write_bytes(b"\xef\xbb\xbf" + json.dumps(QUESTION).encode())
    assert run(["ask", str(marked), "--script", written("c.json", [None, None])]) == 0


def test_nobody_to_ask_is_exit_code_3_and_names_the_question(
    written: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert run(["ask", written("q.json", QUESTION)]) == 3
    assert "question 'pm' ('Which?') was asked, but there is no terminal" in capsys.readouterr().err


def test_a_question_can_come_by_a_pipe(written: Any) -> None:
    code = "import sys; from tohlab.cli import run; sys.exit(run(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "ask", "-"]
    script = ["--script", written("a.json", {"pm": "pnpm", "why": "so"})]
    piped = {"input": json.dumps(QUESTION), "capture_output": True, "text": True, "start_new_session": True}
    answered = subprocess.run([*command, *script], check=True, **piped)  # type: ignore[call-overload]  # options of a run by their names
    assert json.loads(answered.stdout)["answers"][0] == {"id": "pm", "selected": ["pnpm"]}
    alone = subprocess.run(command, check=False, **piped)  # type: ignore[call-overload]  # options of a run by their names
    assert (alone.returncode, alone.stdout) == (3, "")
    assert "there is no terminal to ask at" in alone.stderr


def test_a_file_that_cannot_be_read_is_named(written: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "/nowhere/q.json"]) == 3
    assert "/nowhere/q.json cannot be read: No such file" in capsys.readouterr().err
    assert run(["ask", "-", "--script", "-"]) == 2
