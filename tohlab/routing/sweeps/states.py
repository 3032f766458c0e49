"""The axis of catalog states: what a conversation was told of its skills before the request.

Only a harness that keeps a durable catalog has them; its own texts tell of each change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, Literal

from tohlab.dialects import Dialect
from tohlab.errors import DatasetError, RoutingError, UnsupportedByDialect
from tohlab.routing.dataset import ListedSkills, RoutingCase
from tohlab.routing.sweeps.plan import Axis, Plan, Value
from tohlab.routing.wires import find_dialect
from tohlab.skills.loading import load_skill
from tohlab.skills.model import SkillSource

State = Literal["initial", "replaced", "emptied", "loaded-by-user"]
EARLIER_MARK: Final = "-v1"


def catalog_states(*states: State, earlier: SkillSource | None = None) -> Axis:
    """Return the axis of what the conversation knows of its skills.

    `initial`: it was told the list once. `replaced`: it was told an earlier list first, and then that this
    one replaces it; a name that only the earlier one has is `stale_name`. `emptied`: it was told the list,
    and then that no skill is left; nothing may be loaded, so every case expects nothing, and its score is
    apart. `loaded-by-user`: the user's text starts the first expected skill itself (`/name`); loading it
    again is `reload_after_user_load`, only what else is expected is still to be loaded, cases without a skill
    are left out, and its score is apart.

    Args:
        states: in this order; all four unless given.
        earlier: the list that is replaced; by default the same skills under names that end in `-v1`, as if
            all had been renamed.

    Raises:
        RoutingError: another word. When the sweep is made: a skill has no body that could be loaded.
        UnsupportedByDialect: when the sweep is made: a harness that keeps no catalog.
    """
    changes: dict[str, Callable[[Plan], Plan]] = {
        "initial": lambda plan: plan,
        "replaced": lambda plan: _replaced(plan, earlier),
        "emptied": _emptied,
        "loaded-by-user": _loaded,
    }
    for state in states:
        if state not in changes:
            raise RoutingError(f"there is no catalog state {state!r}; known: {', '.join(changes)}")

    def kept(state: str) -> Value:
        def change(plan: Plan) -> Plan:
            found = find_dialect(plan.dialect)
            if not isinstance(found, Dialect):
                raise UnsupportedByDialect(
                    f"{found.name} keeps no catalog in its conversation, so there is no state {state!r}; "
                    "take the dialect toh"
                )
            return changes[state](plan)

        return Value(label=state, change=change)

    return Axis.of("catalog-state", *map(kept, states or changes), stage=6)


def _replaced(plan: Plan, earlier: SkillSource | None) -> Plan:
    if earlier is None:
        skills = plan.source.snapshot().skills
        earlier = ListedSkills(
            (f"{skill.name}{EARLIER_MARK}", skill.description)
            for skill in skills
            if skill.invocation.model_invocable
        )
        return plan.noted(f"the earlier list has every name with {EARLIER_MARK} behind it", earlier=earlier)
    return replace(plan, earlier=earlier)


def _emptied(plan: Plan) -> Plan:
    cases = tuple(
        replace(case, expected=(), not_expected=(), optional=(), aliases=())
        for case in plan.dataset.cases
        if case.labelled
    )
    why = "no skill is left, so every case expects that none is loaded"
    return replace(
        plan,
        dataset=replace(plan.dataset, cases=cases),
        source=ListedSkills([]),
        earlier=plan.source,
        apart=why,
    )


def _loaded(plan: Plan) -> Plan:
    dialect = find_dialect(plan.dialect)
    assert isinstance(dialect, Dialect)
    if dialect.user_prefix is None:
        raise UnsupportedByDialect(f"in {dialect.name} a user cannot start a skill by its name")
    startable: dict[str, bool] = {}
    cases = []
    for case in plan.dataset.cases:
        if not case.expected:
            continue
        first, *rest = case.expected
        if first not in startable:
            startable[first] = _can_start(plan.source, first)
        if startable[first]:
            cases.append(_started(case, f"{dialect.user_prefix}{first}", tuple(rest)))
    if not cases:
        raise DatasetError(
            "no case expects a skill that a user can start: catalogs without the skills' files have no "
            "bodies; give a folder of skills"
        )
    left = len(plan.dataset.cases) - len(cases)
    why = "the user has loaded the first expected skill, so only what else is expected is still to be loaded"
    return plan.noted(
        *([f"{left} cases without such a skill were left out"] if left else []),
        dataset=replace(plan.dataset, cases=tuple(cases), sample_of=len(plan.dataset.cases)),
        apart=why,
    )


def _can_start(source: SkillSource, name: str) -> bool:
    loaded = load_skill(source, name)
    return loaded is not None and loaded.invocation.user_invocable


def _started(case: RoutingCase, start: str, rest: tuple[str, ...]) -> RoutingCase:
    return replace(case, query=f"{start} {case.query}", expected=rest)
