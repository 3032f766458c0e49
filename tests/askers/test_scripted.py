"""A script answers what it names, as a person could, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from tohlab.askers import DISMISS, SKIP, ScriptedAsker
from tohlab.errors import AskError, ScriptError
from tohlab.questions import Answer, AskRequest, Option, Question

ONE = Question(id="one", question="Pick", options=(Option(label="A (Recommended)"), Option(label="B")))
MANY = Question(id="many", question="Pick", options=(Option(label="X"), Option(label="Y")), multi_select=True)
FREE = Question(id="free", question="Say it")


async def answer(script: Any, *questions: Question) -> tuple[Answer, ...]:
    return await ScriptedAsker(script).ask(AskRequest.of(questions))


async def test_a_question_without_an_answer_is_named() -> None:
    with pytest.raises(ScriptError, match=r"no answer for question 'free': 'Say it'.*with SKIP"):
        await answer({"one": "B"}, ONE, FREE)
    with pytest.raises(ScriptError, match=r"the script has 'fre'"):
        await answer({"fre": "x"}, FREE)
    with pytest.raises(ScriptError, match=r"ended after 1 answers; question 'free' has none"):
        await answer(["B"], ONE, FREE)


@pytest.mark.parametrize(
    ("script", "question", "expected"),
    [
        ({"one": "B"}, ONE, Answer(id="one", selected=("B",))),
        ({"one": "own words"}, ONE, Answer(id="one", custom="own words")),
        ({"one": ["B"]}, ONE, Answer(id="one", selected=("B",))),
        ({"many": ["Y", "X"]}, MANY, Answer(id="many", selected=("Y", "X"))),
        (["Y"], MANY, Answer(id="many", selected=("Y",))),
        (
            {"many": {"selected": ["Y"], "custom": " z "}},
            MANY,
            Answer(id="many", selected=("Y",), custom="z"),
        ),
        ({"one": {"custom": "b"}}, ONE, Answer(id="one", custom="b")),
        ({"one": {"id": "one", "selected": []}}, ONE, Answer(id="one")),
        ({"free": SKIP}, FREE, Answer(id="free")),
        ({"free": lambda q: q.id.upper()}, FREE, Answer(id="free", custom="FREE")),
        (lambda q: q.labels[1], ONE, Answer(id="one", selected=("B",))),
        (lambda q: SKIP, FREE, Answer(id="free")),
        ({"free": Answer(id="free", custom=" kept ")}, FREE, Answer(id="free", custom=" kept ")),
    ],
)
async def test_every_form_of_an_answer(script: Any, question: Question, expected: Answer) -> None:
    assert await answer(script, question) == (expected,)


@pytest.mark.parametrize(
    ("script", "question", "reason"),
    [
        ({"free": ""}, FREE, "blank"),
        ({"free": " \n"}, FREE, "blank"),
        ({"one": ["A"]}, ONE, r"'A' is not one of its labels \(offered: 'A \(Recommended\)', 'B'\)"),
        ({"one": ["A (Recommended)", "B"]}, ONE, "takes one answer"),
        ({"one": {"selected": ["B"], "custom": "x"}}, ONE, "takes one answer"),
        ({"many": ["X", "X"]}, MANY, "twice"),
        ({"free": ["x"]}, FREE, "only own words"),
        ({"one": "a"}, ONE, "the label is 'A"),
        ({"one": "b"}, ONE, "the label is 'B'"),
        ({"free": {}}, FREE, "cannot be used"),
        ({"free": {"text": "x"}}, FREE, "cannot be used"),
        ({"free": {"custom": 1}}, FREE, "cannot be used"),
        ({"free": {"id": "other", "custom": "x"}}, FREE, "cannot be used"),
        ({"one": {"selected": "B"}}, ONE, "cannot be used"),
        ({"many": [1]}, MANY, "cannot be used"),
        ({"free": 3}, FREE, "cannot be used"),
        ({"free": None}, FREE, "cannot be used"),
        ({"free": b"x"}, FREE, "cannot be used"),
        ({"free": Answer(id="other", custom="x")}, FREE, "carries the id 'other'"),
    ],
)
async def test_what_no_person_could_say_is_refused(script: Any, question: Question, reason: str) -> None:
    with pytest.raises(ScriptError, match=reason):
        await answer(script, question)


@pytest.mark.parametrize("script", ["yes", b"yes", 3, None])
def test_what_is_no_script_is_refused(script: Any) -> None:
    with pytest.raises(ScriptError, match="a script is a dict"):
        ScriptedAsker(script)


async def test_a_script_can_dismiss_or_fail() -> None:
    with pytest.raises(AskError, match="cancelled"):
        await answer({"free": DISMISS}, FREE)
    with pytest.raises(OSError, match="gone"):
        await answer({"free": OSError("gone")}, FREE)


async def test_answers_that_nobody_asked_for_are_named() -> None:
    asker = ScriptedAsker({"free": "x", "old": "y"})
    await asker.ask(AskRequest.of([FREE]))
    with pytest.raises(ScriptError, match="nobody asked for: 'old'; remove"):
        asker.assert_all_used()
    ordered = ScriptedAsker(["x", "y"])
    await ordered.ask(AskRequest.of([FREE]))
    with pytest.raises(ScriptError, match="'y'"):
        ordered.assert_all_used()
    await ordered.ask(AskRequest.of([FREE]))
    ordered.assert_all_used()
    assert [q.id for q in ordered.asked] == ["free", "free"]


async def test_errors_stay_short_and_hold_for_any_key() -> None:
    long = Question(id="i" * 100_000, question="q" * 100_000, options=(Option(label="L" * 100_000),))
    scripts: tuple[Any, ...] = (
        {1: "x"},
        {"j" * 100_000: "x", "i" * 199: "y"},
        [],
        lambda q: "l" * 100_000,
        lambda q: {"text": "x" * 100_000},
        lambda q: ["x" * 100_000],
        lambda q: Answer(id="j" * 100_000),
    )
    for script in scripts:
        with pytest.raises(ScriptError) as caught:
            await answer(script, long)
        assert len(str(caught.value)) < 1_000
    unused: Any = dict.fromkeys(range(500), "x")
    left = ScriptedAsker(unused | {"k" * 100_000: "x", "\x1b[2J": "x"})
    with pytest.raises(ScriptError, match="and 492 more") as caught:
        left.assert_all_used()
    assert len(str(caught.value)) < 1_000
    with pytest.raises(ScriptError, match=r"'\\x1b\[2J'"):
        ScriptedAsker({"\x1b[2J": "x"}).assert_all_used()


async def test_two_questions_of_one_id_get_one_answer_by_id_and_two_in_order() -> None:
    assert [a.custom for a in await answer({"free": "x"}, FREE, FREE)] == ["x", "x"]
    assert [a.custom for a in await answer(["x", "y"], FREE, FREE)] == ["x", "y"]


async def test_a_script_from_json_can_skip_and_dismiss() -> None:
    asker = ScriptedAsker.from_json({"one": "B", "free": None})
    assert await asker.ask(AskRequest.of([ONE, FREE])) == (
        Answer(id="one", selected=("B",)),
        Answer(id="free"),
    )
    with pytest.raises(AskError, match="cancelled"):
        await ScriptedAsker.from_json([{"dismiss": True}]).ask(AskRequest.of([FREE]))
    with pytest.raises(ScriptError, match="not str"):
        ScriptedAsker.from_json("x")


async def test_large_and_strange_batches_are_answered() -> None:
    label = "\ud83d" + "x" * 100_000
    big = Question(id="\udc00", question="", options=tuple(Option(label=f"{i}{label}") for i in range(500)))
    questions = [big] * 200
    answers = await answer(lambda q: q.labels[499], *questions)
    assert len(answers) == 200
    assert answers[-1] == Answer(id="\udc00", selected=(f"499{label}",))
