"""The form that steps through a batch: what each action does, beyond the recorded traces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tohlab.questions import Composer, Option, Question, accepts
from tohlab.questions.composer import INCOMPLETE, UNANSWERED

ONE = Question(id="one", question="Pick one", options=(Option(label="A"), Option(label="B")))
MANY = Question(
    id="many",
    question="Pick many",
    options=(Option(label="X"), Option(label="Y"), Option(label="Z")),
    multi_select=True,
)
FREE = Question(id="free", question="Say it")


def form(*questions: Question) -> Composer:
    return Composer(questions=questions)


def sent(state: Composer) -> list[object]:
    return [None if s.answers is None else [a.to_wire() for a in s.answers] for s in state.sent]


def test_a_single_choice_moves_on_except_on_the_last_question() -> None:
    state = form(ONE, ONE).choose("A")
    assert state.position == "2 / 2"
    state = state.choose("B")
    assert (state.position, state.sent) == ("2 / 2", ())


def test_choosing_again_keeps_the_choice() -> None:
    assert form(ONE).choose("A").choose("A").draft.selected == ("A",)


def test_several_choices_keep_the_order_of_the_clicks() -> None:
    state = form(MANY).choose("Z").choose("X").choose("Y").choose("X")
    assert state.draft.selected == ("Z", "Y")
    assert sent(state.primary()) == [[{"id": "many", "selected": ["Z", "Y"]}]]


def test_own_words_take_the_place_of_one_choice_and_join_several() -> None:
    assert form(ONE).choose("A").write("own").draft.selected == ()
    assert form(ONE).write("own").choose("A").draft.custom == ""
    both = form(MANY).choose("X").write(" own ").primary()
    assert sent(both) == [[{"id": "many", "selected": ["X"], "custom": "own"}]]


def test_clearing_the_text_does_not_bring_the_choice_back() -> None:
    state = form(ONE).choose("A").write("own").write("")
    assert not state.draft.answered
    assert state.primary_disabled


@pytest.mark.parametrize("blank", ["", " ", "\n\t", "\u3000", "\ufeff"])
def test_blanks_are_no_answer(blank: str) -> None:
    state = form(FREE).write(blank).primary()
    assert (state.feedback, state.sent) == (UNANSWERED, ())


def test_a_gap_is_shown_when_the_batch_is_submitted() -> None:
    state = form(FREE, FREE).next().write("two").primary()
    assert (state.position, state.feedback, state.sent) == ("1 / 2", INCOMPLETE, ())
    state = state.write("one").primary().primary()
    assert sent(state)[0] == [
        {"id": "free", "selected": [], "custom": "one"},
        {"id": "free", "selected": [], "custom": "two"},
    ]


def test_a_skipped_question_can_be_answered_after_all() -> None:
    state = form(FREE, FREE).skip().previous().write("now").next().skip()
    assert sent(state)[0] == [
        {"id": "free", "selected": [], "custom": "now"},
        {"id": "free", "selected": []},
    ]


def test_skipping_does_not_unlock_the_button() -> None:
    assert form(ONE, ONE).skip().previous().primary_disabled


def test_enter_on_an_option_waits_for_the_whole_batch() -> None:
    half = form(ONE, ONE).choose("A")
    assert half.enter_on_option() == half
    assert half.choose("B").enter_on_option().busy == "answer"


def test_moving_clears_the_message() -> None:
    state = form(FREE, FREE).primary()
    assert state.feedback == UNANSWERED
    assert state.next().feedback is None


def test_everything_is_locked_while_an_answer_is_on_its_way() -> None:
    state = form(FREE).write("x").primary()
    assert state.primary_label == "Submitting…"
    for act in ("primary", "skip", "previous", "next", "dismiss", "enter_on_option"):
        assert getattr(state, act)() == state
    assert state.write("y") == state


def test_a_refused_answer_opens_the_form_again_with_nothing_lost() -> None:
    state = form(FREE).write("x").primary().rejected("bad-response")
    assert state.feedback == "question response rejected: bad-response"
    assert state.draft.custom == "x"
    assert len(state.primary().sent) == 2


def test_a_refused_dismissal_says_so() -> None:
    state = form(FREE).dismiss()
    assert (state.primary_label, state.primary_disabled) == ("Submit", True)
    assert state.rejected("not-pending").feedback == "question cancellation rejected: not-pending"


def test_an_unknown_label_is_refused() -> None:
    with pytest.raises(ValueError, match="is not one of"):
        form(ONE).choose("C")


def test_a_form_without_questions_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one question"):
        form()


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("choose"), st.integers(0, 2)),
        st.tuples(st.just("write"), st.text(max_size=3)),
        *(
            st.tuples(st.just(name), st.none())
            for name in ("primary", "enter_on_option", "skip", "previous", "next", "dismiss")
        ),
    ),
    max_size=30,
)


@given(questions=st.lists(st.sampled_from([ONE, MANY, FREE]), min_size=1, max_size=4), actions=ACTIONS)
def test_what_a_form_sends_is_always_taken_by_the_host(
    questions: list[Question], actions: list[tuple[str, object]]
) -> None:
    state = form(*questions)
    for name, value in actions:
        if name == "choose":
            labels = state.question.labels
            state = state.choose(labels[int(str(value)) % len(labels)]) if labels else state
        else:
            state = getattr(state, name)(*(() if value is None else (value,)))
        assert 0 <= state.index < len(questions)
    for batch in state.sent:
        assert batch.answers is None or accepts(questions, batch.answers)
