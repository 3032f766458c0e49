"""A person at a console: what each line does, and what is shown."""

from __future__ import annotations

import io
from typing import Any

import pytest

from tohlab.askers import ConsoleAsker
from tohlab.askers.terminal import visible
from tohlab.errors import AskError, AskerUnavailable
from tohlab.questions import Answer, AskRequest, Option, Question

ONE = Question(
    id="one",
    header="Choose",
    question="Pick one",
    options=(Option(label="A (Recommended)", description="first"), Option(label="B")),
)
MANY = Question(
    id="many",
    question="Pick many",
    options=(Option(label="X"), Option(label="Y"), Option(label="Z")),
    multi_select=True,
)
FREE = Question(id="free", question="Say it")


@pytest.mark.parametrize("line", [None, 5, b"x"])
async def test_a_read_function_that_gives_no_text_is_an_error_and_not_asked_again(line: Any) -> None:
    calls: list[str] = []

    def read(prompt: str) -> Any:
        calls.append(prompt)
        return line

    with pytest.raises(TypeError, match="must give a string, not"):
        await ConsoleAsker(read=read, write=lambda text: None).ask(AskRequest.of([FREE]))
    assert len(calls) == 1


async def test_an_error_names_a_long_question_in_short() -> None:
    long = Question(id="i" * 100_000, question="q" * 100_000)
    with pytest.raises(AskerUnavailable) as caught:
        await ConsoleAsker(terminal=io.StringIO()).ask(AskRequest.of([long]))
    assert len(str(caught.value)) < 500


async def talk(lines: list[str], *questions: Question) -> tuple[tuple[Answer, ...], str]:
    shown: list[str] = []
    given = iter(lines)
    asker = ConsoleAsker(read=lambda prompt: next(given), write=shown.append)
    answers = await asker.ask(AskRequest.of(questions))
    assert list(given) == [], "every line was read"
    return answers, "\n".join(shown)


@pytest.mark.parametrize(
    ("lines", "question", "expected"),
    [
        (["2"], ONE, Answer(id="one", selected=("B",))),
        ([" 1 "], ONE, Answer(id="one", selected=("A (Recommended)",))),
        (["B"], ONE, Answer(id="one", selected=("B",))),
        (["A"], ONE, Answer(id="one", selected=("A (Recommended)",))),
        (["neither, because"], ONE, Answer(id="one", custom="neither, because")),
        (["=2"], ONE, Answer(id="one", custom="2")),
        (["= :skip "], ONE, Answer(id="one", custom=":skip")),
        (["1 2", "0", "3", "", "2"], ONE, Answer(id="one", selected=("B",))),
        (["99999999999999999999"], ONE, Answer(id="one", custom="99999999999999999999")),
        (["3,1"], MANY, Answer(id="many", selected=("Z", "X"))),
        (["1 1 2"], MANY, Answer(id="many", selected=("X", "Y"))),
        (["2 = and more"], MANY, Answer(id="many", selected=("Y",), custom="and more")),
        (["7 = more", "a = b"], MANY, Answer(id="many", custom="a = b")),
        (["Y"], MANY, Answer(id="many", selected=("Y",))),
        (["7"], FREE, Answer(id="free", custom="7")),
        (["", "  ", "=", "\u3000", "at last"], FREE, Answer(id="free", custom="at last")),
        ([":skip"], FREE, Answer(id="free")),
        ([":skpi", ":skip"], FREE, Answer(id="free")),
        (["\ud83d"], FREE, Answer(id="free", custom="\ud83d")),
    ],
)
async def test_a_line_means_what_it_says(lines: list[str], question: Question, expected: Answer) -> None:
    assert (await talk(lines, question))[0] == (expected,)


async def test_a_person_can_go_back_and_change_an_answer() -> None:
    answers, shown = await talk(["1", "2 3", ":back", "1", "words"], ONE, MANY, FREE)
    assert answers[1].selected == ("X",)
    assert " *2. Y" in shown, "what was chosen is marked"


async def test_a_gap_is_asked_for_before_the_batch_is_given() -> None:
    answers, shown = await talk([":next", "words", "2", ""], ONE, FREE)
    assert "Please complete this question first." in shown
    assert "so far: words\n  Enter keeps what is there." in shown
    assert answers == (Answer(id="one", selected=("B",)), Answer(id="free", custom="words"))


async def test_going_past_the_ends_says_so() -> None:
    _, shown = await talk([":back", ":next", "x"], FREE)
    assert "There is no question before this one." in shown
    assert "There is no question after this one." in shown


@pytest.mark.parametrize("lines", [[":cancel"], []])
async def test_cancel_and_the_end_of_input_dismiss_the_batch(lines: list[str]) -> None:
    with pytest.raises(AskError, match="the user cancelled"):
        await talk([*lines], FREE)


async def test_everything_about_a_question_is_shown() -> None:
    plan = Question(id="p", question="Ship?\nReally?", detail="# Plan\n- a")
    _, shown = await talk(["1", "x"], ONE, plan)
    assert "[1 / 2] Choose: Pick one" in shown
    assert "  1. A (recommended) - first" in shown
    assert "[2 / 2] Ship?\n  | Really?\n  | # Plan\n  | - a" in shown


async def test_no_text_of_a_model_moves_the_cursor_or_turns_the_line_around() -> None:
    evil = "\x1b[2J\x07\u202egnp.exe\u2066\r\n 9. Fake\u2028\x9b31m\U000e0041\ud800"
    question = Question(
        id="a", header=evil, question=evil, detail=evil, options=(Option(label=evil, description=evil),)
    )
    _, shown = await talk(["1"], question)
    assert r"\x1b[2J\x07\u202egnp.exe\u2066" in shown
    assert r"\u2028\x9b31m\U000e0041\ud800" in shown or r"\x9b31m\U000e0041\ud800" in shown
    assert not {c for c in shown if ord(c) < 32 or 0x7F <= ord(c) < 0xA0} - {"\n"}
    assert not set(shown) & set("\u202e\u2066\u2028\U000e0041\ud800")
    assert not any(line.lstrip().startswith("9.") for line in shown.split("\n")), "no option is made up"


def test_what_joins_letters_stays() -> None:
    assert visible("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001f468\u200d\U0001f469") == (
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001f468\u200d\U0001f469"
    )
    assert visible("a\u200db 日本") == r"a\u200db 日本"


async def test_500_long_options_are_numbered_and_the_value_is_the_whole_label() -> None:
    options = tuple(Option(label=f"{i}:" + "x" * 100_000) for i in range(1, 501))
    answers, shown = await talk(["500"], Question(id="a", question="Q", options=options))
    assert answers[0].selected == (options[499].label,)
    assert "500. 500:xxx" in shown
    assert "characters more)" in shown
    assert len(shown) < 500 * 600


async def test_200_questions_can_be_answered() -> None:
    answers, _ = await talk(["x"] * 200, *[FREE] * 200)
    assert len(answers) == 200


async def test_two_options_of_one_label_are_one_choice() -> None:
    twins = Question(id="t", question="Q", options=(Option(label="X"), Option(label="X")), multi_select=True)
    assert (await talk(["1 2"], twins))[0] == (Answer(id="t", selected=("X",)),)


async def test_without_a_terminal_the_question_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.StringIO()
    closed.close()
    for stream in (io.StringIO("1\n"), None, closed):
        monkeypatch.setattr("sys.stdin", stream)
        with pytest.raises(AskerUnavailable, match=r"question 'free' \('Say it'\).*ScriptedAsker"):
            await ConsoleAsker().ask(AskRequest.of([FREE]))


async def test_a_batch_without_questions_has_no_answers() -> None:
    assert await ConsoleAsker().ask(AskRequest.of([])) == ()
