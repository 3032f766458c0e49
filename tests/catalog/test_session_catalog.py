"""When a session has to be told: one row per sentence of the harness's rules."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tohlab.catalog import Catalog, CatalogUpdate, Decision, PublishedCatalog, SessionCatalog

NONE = Catalog()
A = Catalog.of([("a", "Alpha")])
B = Catalog.of([("b", "Beta")])


def log(*published: tuple[Catalog, bool]) -> SessionCatalog:
    """A log of catalogs, oldest first, each with whether the model still reads it."""
    return SessionCatalog(
        published=tuple(
            PublishedCatalog(catalog=c, position=i, on_surface=shown)
            for i, (c, shown) in enumerate(published)
        )
    )


def tell(action: str, form: str, catalog: Catalog) -> Decision:
    return Decision(action=action, update=CatalogUpdate(form=form, catalog=catalog))  # type: ignore[arg-type]  # words as the scenarios write them


NOTHING = Decision(action="nothing")
KEEP = Decision(action="keep")
DROP = Decision(action="drop")


@dataclass(frozen=True, kw_only=True)
class Case:
    sentence: str
    before: SessionCatalog = field(default_factory=SessionCatalog)
    seen: Catalog = A
    visible: bool = True
    complete: bool = True
    proposed: Catalog | None = None
    expected: Decision


CASES = [
    Case(sentence="the first view with skills is the initial catalog", expected=tell("append", "initial", A)),
    Case(sentence="an empty view says nothing where nothing was said", seen=NONE, expected=NOTHING),
    Case(sentence="an unchanged view says nothing", before=log((A, True)), expected=NOTHING),
    Case(
        sentence="a changed view replaces",
        before=log((A, True)),
        seen=B,
        expected=tell("append", "replacement", B),
    ),
    Case(
        sentence="an emptied view is a tombstone",
        before=log((A, True)),
        seen=NONE,
        expected=tell("append", "tombstone", NONE),
    ),
    Case(
        sentence="a tombstone is not repeated",
        before=log((A, True), (NONE, True)),
        seen=NONE,
        expected=NOTHING,
    ),
    Case(
        sentence="skills after a tombstone replace it; there is never a second initial",
        before=log((A, True), (NONE, True)),
        expected=tell("append", "replacement", A),
    ),
    Case(
        sentence="going back to an older view replaces",
        before=log((A, True), (B, True)),
        expected=tell("append", "replacement", A),
    ),
    Case(sentence="an incomplete look says nothing at first", complete=False, expected=NOTHING),
    Case(
        sentence="an incomplete look keeps what was said",
        before=log((A, True)),
        seen=NONE,
        complete=False,
        expected=NOTHING,
    ),
    Case(sentence="a hidden tool says nothing where nothing was said", visible=False, expected=NOTHING),
    Case(
        sentence="a hidden tool is a tombstone",
        before=log((A, True)),
        visible=False,
        expected=tell("append", "tombstone", NONE),
    ),
    Case(
        sentence="a hidden tool is a tombstone even while the look is incomplete",
        before=log((A, True)),
        visible=False,
        complete=False,
        expected=tell("append", "tombstone", NONE),
    ),
    Case(
        sentence="a catalog that compaction took away is told again, as a replacement",
        before=log((A, False)),
        expected=tell("append", "replacement", A),
    ),
    Case(
        sentence="a catalog that compaction took away and that is empty now is a tombstone",
        before=log((A, False)),
        seen=NONE,
        expected=tell("append", "tombstone", NONE),
    ),
    Case(
        sentence="where compaction left an older catalog, that one is compared",
        before=log((A, True), (B, False)),
        seen=B,
        expected=tell("append", "replacement", B),
    ),
    Case(
        sentence="where the older catalog that compaction left is right, nothing is said",
        before=log((A, True), (B, False)),
        expected=NOTHING,
    ),
    Case(sentence="a right catalog in the batch stays", proposed=A, expected=KEEP),
    Case(
        sentence="a stale catalog in the batch is replaced where it stands",
        proposed=B,
        expected=tell("replace", "initial", A),
    ),
    Case(
        sentence="a stale catalog in the batch is replaced by a replacement once something was said",
        before=log((B, True)),
        proposed=B,
        expected=tell("replace", "replacement", A),
    ),
    Case(
        sentence="a catalog in the batch is dropped where the model reads the right one",
        before=log((A, True)),
        proposed=A,
        expected=DROP,
    ),
    Case(
        sentence="a catalog in the batch is dropped where there is nothing to say",
        seen=NONE,
        proposed=B,
        expected=DROP,
    ),
    Case(
        sentence="an incomplete look leaves a catalog in the batch alone",
        complete=False,
        proposed=B,
        expected=NOTHING,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.sentence)
def test_what_a_step_has_to_do(case: Case) -> None:
    decision = case.before.observe(
        case.seen, visible=case.visible, complete=case.complete, proposed=case.proposed
    )
    assert decision == case.expected


def test_a_log_is_read_back_with_what_counts_only() -> None:
    entries = [{"name": "a", "description": "Alpha"}]
    state = SessionCatalog.resume(
        [
            ({"kind": "user"}, True),
            ({"kind": "skill-catalog", "entries": [{"name": "x"}]}, True),
            ({"kind": "plugin", "entries": entries}, True),
            ({"kind": "skill-catalog", "entries": entries}, False),
        ]
    )
    assert state.published == (PublishedCatalog(catalog=A, position=3, on_surface=False),)
    assert state.baseline is None


def test_publishing_and_shadowing_give_new_states() -> None:
    start = SessionCatalog()
    told = start.publish(A, 1)
    hidden = told.shadow([1])
    assert start.published == ()
    assert told.baseline == A
    assert hidden.baseline is None
    assert told.shadow([0, 7]) == told


VIEWS = st.sampled_from([NONE, A, B])
STEPS = st.lists(st.tuples(VIEWS, st.booleans(), st.booleans(), st.booleans()), max_size=12)


@given(STEPS)
def test_the_model_is_always_told_of_the_last_view_that_counted(
    steps: list[tuple[Catalog, bool, bool, bool]],
) -> None:
    state, initials = SessionCatalog(), 0
    for position, (seen, visible, complete, compact) in enumerate(steps):
        if compact:
            state = state.shadow(range(position))
        decision = state.observe(seen, visible=visible, complete=complete)
        if decision.update is not None:
            initials += decision.update.form == "initial"
            state = state.publish(decision.update.catalog, position)
        if complete or not visible:
            view = seen if visible else NONE
            assert (state.baseline or NONE) == view
            assert state.observe(seen, visible=visible, complete=complete) == NOTHING
    assert initials <= 1
