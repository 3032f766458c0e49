"""The record of a question: what a reader of a saved notebook sees."""

from __future__ import annotations

import re

from tohlab.notebook import Record
from tohlab.notebook.record import legible
from tohlab.questions import Answer, Question

COLOUR = Question.from_wire(
    {
        "id": "c",
        "header": "Colour",
        "question": "Which colour?",
        "options": [{"label": "Blue (Recommended)"}, {"label": "Red"}, {"label": "Grey"}],
    }
)
TOOLS = Question.from_wire(
    {"id": "t", "question": "Which tools?", "multiSelect": True, "options": [{"label": "a"}, {"label": "b"}]}
)
NAME = Question.from_wire({"id": "n", "question": "What is it called?"})
ANSWERS = (
    Answer(id="c", selected=("Blue (Recommended)",)),
    Answer(id="t", selected=("b", "a"), custom="and\nmore"),
    Answer(id="n"),
)


def test_it_says_what_was_asked_what_was_answered_and_what_was_not_chosen() -> None:
    record = Record(questions=(COLOUR, TOOLS, NAME), state="answered", answers=ANSWERS)
    assert repr(record) == (
        "ask_user_question: 2/3 answered\n"
        "  ? [Colour] Which colour?\n"
        "    -> Blue (Recommended)\n"
        "    not chosen: Red; Grey\n"
        "  ? Which tools?\n"
        "    -> b\n"
        "    -> a\n"
        '    -> own words: "and\n'
        '       more"\n'
        "  ? What is it called?\n"
        "    -> skipped"
    )


def test_without_answers_it_says_how_it_ended_and_what_was_offered() -> None:
    text = repr(Record(questions=(COLOUR,), state="interrupted"))
    assert text == (
        "ask_user_question: interrupted before an answer\n"
        "  ? [Colour] Which colour?\n"
        "    Blue (Recommended); Red; Grey"
    )


def test_the_html_is_the_same_each_time_and_has_no_script_style_sheet_or_id() -> None:
    record = Record(questions=(COLOUR, TOOLS, NAME), state="answered", answers=ANSWERS)
    html = record._repr_html_()
    assert html == Record(questions=(COLOUR, TOOLS, NAME), state="answered", answers=ANSWERS)._repr_html_()
    assert not re.search(r"<script|<style|<link|\sid=|\son\w+=|https?:", html)
    assert "Recommended</span>" in html


def test_every_text_is_escaped_and_isolated() -> None:
    evil = "<script>x</script>&\"'\u202e"
    question = Question.from_wire(
        {
            "id": evil,
            "header": evil,
            "question": evil,
            "detail": evil,
            "options": [{"label": evil}, {"label": "ok"}],
        }
    )
    for answer in (Answer(id=evil, selected=(evil,)), Answer(id=evil, custom=evil)):
        html = Record(questions=(question,), state="answered", answers=(answer,))._repr_html_()
        assert "<script" not in html
        assert "\u202e" not in html
        assert html.count("&lt;script&gt;") >= 4


def test_a_message_can_carry_it_whatever_the_texts_hold() -> None:
    question = Question.from_wire({"id": "s", "question": "\ud83d \udc00 \ud83d\ude00 \x00", "options": []})
    record = Record(questions=(question,), state="answered", answers=(Answer(id="s", custom="\udfff"),))
    text = repr(record) + record._repr_html_()
    text.encode("utf-8")
    assert "\\ud83d \\udc00 😀 \\u0000" in text


def test_marks_and_joiners_that_scripts_need_stay() -> None:
    assert legible("می\u200cخواهم \u200f 👩\u200d💻") == "می\u200cخواهم \u200f 👩\u200d💻"


def test_long_texts_and_many_options_are_cut_with_their_size_stated() -> None:
    question = Question.from_wire(
        {"id": "x", "question": "q" * 100_000, "options": [{"label": f"option {i}"} for i in range(500)]}
    )
    record = Record(
        questions=(question,), state="answered", answers=(Answer(id="x", selected=("option 3",)),)
    )
    assert "[100,000 characters]" in repr(record)
    assert "and 487 more" in repr(record)
    assert len(record._repr_html_()) < 8_000
    many = Record(questions=(NAME,) * 250, state="cancelled")
    assert "and 50 further questions" in repr(many)


def test_a_front_end_gets_the_forms_that_it_asks_for() -> None:
    record = Record(questions=(NAME,), state="cancelled")
    assert sorted(record._repr_mimebundle_()) == ["text/html", "text/plain"]
    assert list(record._repr_mimebundle_(include=["text/plain", "image/png"])) == ["text/plain"]
    assert list(record._repr_mimebundle_(exclude=["text/plain"])) == ["text/html"]


def test_the_plan_that_was_reviewed_stands_in_it() -> None:
    plan = Question.from_wire({"id": "p", "question": "Go on?", "detail": "# Plan\n1. test"})
    record = Record(questions=(plan,), state="cancelled")
    assert "    | # Plan\n    | 1. test" in repr(record)
    assert "# Plan\n1. test" in record._repr_html_()
