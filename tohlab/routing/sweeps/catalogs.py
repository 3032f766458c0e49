"""The axes that change which skills the list holds, and in which order."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal, get_args

from tohlab.ecma import utf16_sort_key
from tohlab.errors import RoutingError
from tohlab.routing.dataset import RoutingDataset
from tohlab.routing.order import Rotated, rotations
from tohlab.routing.similarity import TfIdf
from tohlab.routing.sweeps.plan import Axis, Plan, Value
from tohlab.skills.model import LoadedSkill, SkillSource, SkillSummary, Snapshot

Distractors = Literal["nearest", "random"]


class Chosen:
    """Some skills of one or two sources, in one list.

    Args:
        source: the skills; of two with one name these win.
        names: which ones, in the order in which they are listed.
        pool: further skills.
    """

    def __init__(self, source: SkillSource, names: Iterable[str], pool: SkillSource | None = None) -> None:
        self._sources = (source, *([pool] if pool is not None else []))
        found: dict[str, SkillSummary] = {}
        complete = True
        for one in reversed(self._sources):
            snapshot = one.snapshot()
            complete = complete and snapshot.complete
            found |= {skill.name: skill for skill in snapshot.skills}
        self._snapshot = Snapshot(skills=tuple(found[name] for name in names), complete=complete)
        self._names = frozenset(skill.name for skill in self._snapshot.skills)

    def snapshot(self) -> Snapshot:
        """Return the chosen skills."""
        return self._snapshot

    def load(self, name: str) -> LoadedSkill | None:
        """Return the skill, if it is one of the chosen."""
        if name not in self._names:
            return None
        return next((found for one in self._sources if (found := one.load(name)) is not None), None)


def orders(k: int, seed: int | None = None) -> Axis:
    """Return the axis of `k` orders of the list, cyclic shifts by equal steps; the first is not shifted.

    With as many shifts as there are skills each skill stands at each place once.

    Args:
        k: how many, at least 1.
        seed: shifts of an order drawn with it, so that neighbours are others too; None: shifts of the
            source's own order.

    Raises:
        RoutingError: `k` is below 1; more than there are skills is refused when the sweep is made.
    """
    if k < 1:
        raise RoutingError(f"there must be at least 1 order, not {k}")

    def shifted(i: int) -> Value:
        def change(plan: Plan) -> Plan:
            names = [skill.name for skill in plan.source.snapshot().skills]
            source = plan.source
            if seed is not None:
                random.Random(seed).shuffle(names)
                source = Chosen(source, names)
            made: Rotated = rotations(source, k)[i]
            ours = i > 0 or seed is not None
            notes = ("an order of the list that the harness would not give",) if ours else ()
            return plan.noted(*notes, source=made if ours else source)

        return Value(label=str(i + 1), number=i + 1, change=change)

    return Axis.of("order", *map(shifted, range(k)), stage=5, ordered=True, asks=False)


def sizes(
    *counts: int, distractors: Distractors = "nearest", seed: int = 0, pool: SkillSource | None = None
) -> Axis:
    """Return the axis of catalog sizes: all skills that the cases name, and others until there are enough.

    The cases and their labels are the same at each size, and each of them can be answered. A smaller list is
    part of each larger one. The list is in order of names.

    Args:
        counts: how many skills the list holds.
        distractors: `nearest` takes first what is most like a named skill (TF-IDF cosine of name and
            description); `random` draws.
        seed: of the draw.
        pool: further skills to take distractors from.

    Raises:
        RoutingError: none, one twice, or another word for `distractors`. When the sweep is made: fewer than
            the cases name, or more than there are.
    """
    if distractors not in get_args(Distractors):
        raise RoutingError(
            f"there are no {distractors!r} distractors; known: {', '.join(get_args(Distractors))}"
        )

    def sized(n: int) -> Value:
        def change(plan: Plan) -> Plan:
            needed, others = _ranked(plan, distractors, seed, pool)
            if not len(needed) <= n <= len(needed) + len(others):
                raise RoutingError(
                    f"a catalog of {n} skills cannot be made: the cases name {len(needed)} skills and there "
                    f"are {len(others)} others, so sizes go from {len(needed)} to "
                    f"{len(needed) + len(others)}. For smaller ones take cases of fewer skills (a sample), "
                    "for larger ones give pool="
                )
            hidden = [s.name for s in plan.source.snapshot().skills if not s.invocation.model_invocable]
            names = sorted({*needed, *others[: n - len(needed)], *hidden}, key=utf16_sort_key)
            return replace(plan, source=Chosen(plan.source, names, pool))

        return Value(label=str(n), number=n, change=change)

    return Axis.of("size", *map(sized, counts), stage=4, ordered=True, asks=False)


def named_skills(dataset: RoutingDataset) -> frozenset[str]:
    """Return every skill that a case names in any way."""
    return frozenset(
        name
        for case in dataset.cases
        for name in (
            *(case.expected or ()),
            *case.not_expected,
            *case.optional,
            *(name for pair in case.aliases for name in pair),
        )
    )


def _ranked(
    plan: Plan, distractors: Distractors, seed: int, pool: SkillSource | None
) -> tuple[list[str], list[str]]:
    """The skills that the cases need, and the others with those to be taken first at the front."""
    texts: dict[str, str] = {}
    for one in (*([pool] if pool is not None else []), plan.source):
        for skill in one.snapshot().skills:
            if skill.invocation.model_invocable:
                texts[skill.name] = f"{skill.name} {skill.description}"
    named = named_skills(plan.dataset)
    needed = [name for name in texts if name in named]
    others = sorted(name for name in texts if name not in named)
    random.Random(seed).shuffle(others)
    if distractors == "nearest":
        near = _nearness([*needed, *others], len(needed), texts)
        others.sort(key=lambda name: (-near[name], utf16_sort_key(name)))
    return needed, others


def _nearness(names: Sequence[str], needed: int, texts: dict[str, str]) -> dict[str, float]:
    """For each name behind the needed ones its highest cosine to one of those."""
    found = TfIdf([texts[name] for name in names]).vectors
    near = {}
    for name, vector in zip(names[needed:], found[needed:], strict=True):
        near[name] = max(
            (sum(v * other.get(word, 0.0) for word, v in vector.items()) for other in found[:needed]),
            default=0.0,
        )
    return near
