"""A walk of edits is the same for the same seed and answers, and keeps to its bounds."""

from __future__ import annotations

import itertools

from hypothesis import example, given
from hypothesis import strategies as st

from tohlab.serve.walk import EDITS, EditWalk, Step


def walked(seed: int, steps: int, *, longest: int = 2000, answer: tuple[int, ...] = (5, 6)) -> list[Step]:
    walk = EditWalk(seed, 400, longest)
    made = []
    for _ in range(steps):
        made.append(walk.step())
        walk.answered(answer)
    return made


@given(st.integers(0, 2**32))
def test_a_seed_gives_one_walk(seed: int) -> None:
    assert walked(seed, 20) == walked(seed, 20)


@given(st.integers(0, 2**32))
@example(2452)  # shortens a session whose last answer had no token
def test_prompts_are_never_empty_nor_much_too_long_and_hold_ids_of_the_vocabulary(seed: int) -> None:
    for step in walked(seed, 60, longest=600):
        assert 0 < len(step.prompt) < 1500
        assert min(step.prompt) >= 3
        assert max(step.prompt) < 400
        assert step.edit in EDITS
        assert step.generate >= 1


def test_a_turn_that_is_appended_holds_the_answer_as_it_was_generated() -> None:
    walk = EditWalk(3, 400)
    before = walk.step()
    while True:
        walk.answered((91, 92, 93))
        after = walk.step()
        if after.edit == "append" and after.session == before.session:
            break
        before = after

    assert after.prompt[: len(before.prompt)] == before.prompt
    assert after.prompt[len(before.prompt) :][:3] == (91, 92, 93)


def test_sessions_come_and_go() -> None:
    sessions = [step.session for step in walked(1, 200)]

    assert set(sessions) == {0, 1, 2, 3, 4, 5}
    assert sum(a != b for a, b in itertools.pairwise(sessions)) > 20
