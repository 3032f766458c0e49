"""A real pseudo-terminal with a real process on it."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pty = pytest.importorskip("pty", reason="pseudo-terminals are Unix's")

QUESTIONS = {
    "questions": [
        {"id": "pm", "question": "Which?", "options": [{"label": "pnpm (Recommended)"}, {"label": "npm"}]},
        {
            "id": "do",
            "question": "What?",
            "options": [{"label": "tests"}, {"label": "docs"}],
            "multi_select": True,
        },
        {"id": "why", "question": "Why? \x1b]0;pwned\x07"},
    ]
}
CALL = "import sys; from tohlab.cli import run; sys.exit(run(sys.argv[1:]))"


class Terminal:
    """A process on a pseudo-terminal; its standard output is a pipe, so that it holds the answer alone."""

    def __init__(self, *command: str) -> None:
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            command, stdin=slave, stderr=slave, stdout=subprocess.PIPE, start_new_session=True
        )
        os.close(slave)
        self.seen = ""

    def expect(self, text: str, seconds: float = 30) -> None:
        """Wait until the terminal shows `text` after what was expected before."""
        end = time.monotonic() + seconds
        while text not in self.seen:
            left = end - time.monotonic()
            assert left > 0, f"{text!r} was not shown, but: {self.seen!r}"
            if select.select([self.master], [], [], left)[0]:
                self.seen += os.read(self.master, 65536).decode()
        self.seen = self.seen.partition(text)[2]

    def type(self, line: str) -> None:
        os.write(self.master, line.encode())

    def end(self) -> tuple[int, str]:
        out, _ = self.process.communicate(timeout=30)
        return self.process.returncode, out.decode()

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()
        os.close(self.master)


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Any]:
    opened: list[Terminal] = []

    def start(*command: str) -> Terminal:
        file = tmp_path / "question.json"
        file.write_text(json.dumps(QUESTIONS), encoding="utf-8")
        opened.append(Terminal(sys.executable, *(command or ("-c", CALL, "ask", str(file)))))
        return opened[-1]

    yield start
    for terminal in opened:
        terminal.close()


def test_a_person_answers_with_numbers_words_and_commands(ask: Any) -> None:
    terminal = ask()
    terminal.expect("[1 / 3] Which?")
    terminal.expect("1. pnpm (recommended)")
    terminal.expect("number or your own words> ")
    terminal.type("1\n")
    terminal.expect("[2 / 3] What?")
    terminal.type("2 1 = and déjà vu\n")
    terminal.expect(r"[3 / 3] Why? \x1b]0;pwned\x07")
    terminal.type(":back\n")
    terminal.expect("*1. tests")
    terminal.type(":next\n")
    terminal.expect("your answer> ")
    terminal.type("\n")
    terminal.expect("Please select an option or enter a custom answer.")
    terminal.type(":skip\n")
    assert terminal.end() == (
        0,
        '{"answers":[{"id":"pm","selected":["pnpm (Recommended)"]},'
        '{"id":"do","selected":["docs","tests"],"custom":"and déjà vu"},{"id":"why","selected":[]}]}',
    )


def test_lines_that_come_all_at_once_answer_one_question_each(ask: Any) -> None:
    terminal = ask()
    terminal.expect("words> ")
    terminal.type("2\n1\nbecause\n")
    code, text = terminal.end()
    assert code == 0
    assert [a["selected"] for a in json.loads(text)["answers"]] == [["npm"], ["tests"], []]


@pytest.mark.parametrize("typed", [":cancel\n", "\x04"])
def test_cancel_and_end_of_input_cancel_the_call(ask: Any, typed: str) -> None:
    terminal = ask()
    terminal.expect("words> ")
    terminal.type(typed)
    assert terminal.end() == (1, "Error: the user cancelled ask_user_question")


def test_an_interrupt_stops_at_once_without_an_answer(ask: Any) -> None:
    terminal = ask()
    terminal.expect("words> ")
    terminal.process.send_signal(signal.SIGINT)
    terminal.expect("stopped")
    assert terminal.end() == (130, "")


def test_a_terminal_that_goes_away_cancels_the_call(ask: Any) -> None:
    terminal = ask()
    terminal.expect("words> ")
    other = os.dup(terminal.process.stdout.fileno())
    os.close(terminal.master)
    terminal.master = other
    assert terminal.end()[0] != 0


ABORTS = """
import asyncio, select, sys
from tohlab.askers import AbortSignal, ConsoleAsker
from tohlab.questions import AskRequest, Question
from tohlab.errors import AskError

async def main():
    asker, signal = ConsoleAsker(), AbortSignal()
    request = AskRequest.of([Question(id="a", question="Q?")])
    task = asyncio.create_task(asker.ask(request, signal))
    await asyncio.sleep(0.3)
    signal.abort()
    try:
        await task
    except AskError as error:
        print("aborted" if error.code == "ASK_ABORTED" else error, file=sys.stderr, flush=True)
    while not select.select([sys.stdin], [], [], 0.01)[0]:  # a person goes on typing
        await asyncio.sleep(0.01)
    print((await asker.ask(request))[0].custom)

asyncio.run(main())
"""


def test_what_is_typed_too_late_answers_nothing_and_an_abort_leaves_no_thread(ask: Any) -> None:
    terminal = ask("-c", ABORTS)
    terminal.expect("answer> ")
    terminal.expect("aborted")
    terminal.type("too late\n")
    terminal.expect("answer> ")
    terminal.type("in time\n")
    assert terminal.end() == (0, "in time\n")
