"""What changing one skill does to the prompt cache.

Each change is made to a copy of the source's list, in two situations. In a running session the harness tells
the model of the change by a further message, so nothing before it is lost, but the whole list is sent again.
At the start of the next session the list itself differs, and everything behind the first difference is
computed anew. Both requests are built by `Session` and compared by `compare_prefix`; nothing is estimated.

The opening user message is the same before and after. In a dialect that puts the catalog behind it (as
TheOpen Harness does), another opening message ends the shared prefix before the catalog anyway.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, get_args

from tohlab.dialects import Dialect, get_dialect
from tohlab.errors import SkillError
from tohlab.prefix import PrefixComparison, compare_prefix
from tohlab.request import Request
from tohlab.session import Session
from tohlab.skills.model import LoadedSkill, SkillSource, SkillSummary, Snapshot
from tohlab.tokens import TokenMeter, get_meter, measure

Edit = Literal["add", "edit", "remove", "reorder"]
Moment = Literal["running session", "next session"]

EDITS: Final[tuple[Edit, ...]] = get_args(Edit)

OPENING: Final = "Please help me with the next task."
REPLY: Final = "Done. What else?"
FOLLOW_UP: Final = "And the one after that."
EDITED_WORD: Final = "Revised. "
"""What `edit` puts before the description."""

Skills = tuple[SkillSummary, ...]

_WHAT: Final[dict[Edit, str]] = {
    "add": "Adding {skill}",
    "edit": "Editing the description of {skill}",
    "remove": "Removing {skill}",
    "reorder": "Moving {skill} to another place in the list",
}
_SORTED: Final = " (Folders are listed by name, so only another kind of source does this.)"


@dataclass(frozen=True, slots=True, kw_only=True)
class EditCost:
    """What one change to one skill does, at one moment."""

    edit: Edit
    skill: str
    moment: Moment
    before_tokens: int
    """The request before the change: the session's last one, or a new session's first."""
    after_tokens: int
    """The request after it: the session's next one, or a new session's first."""
    shared_tokens: int
    """What the request after the change shares with the one before it."""
    lost_tokens: int
    """What would be shared without the change and is not."""
    added_tokens: int
    """How much longer the request after the change is than the same request without the change; negative if
    shorter."""
    where: str
    """The first difference, such as `messages[1] / skill catalog / entry "pdf"`; empty if only appended."""
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain data under the same names."""
        return {name: getattr(self, name) for name in self.__slots__}


class _List:
    """A source's list of skills that can be exchanged; bodies come from the source."""

    def __init__(self, source: SkillSource, skills: Skills) -> None:
        self._source = source
        self.skills = skills

    def snapshot(self) -> Snapshot:
        return Snapshot(skills=self.skills)

    def load(self, name: str) -> LoadedSkill | None:
        return self._source.load(name)


def what_edits_cost(
    source: SkillSource,
    dialect: str | Dialect = "toh",
    meter: TokenMeter | None = None,
    *,
    skill: str | None = None,
    edits: Sequence[Edit] = EDITS,
    snapshot: Snapshot | None = None,
) -> tuple[EditCost, ...]:
    """Return what adding, editing, removing and reordering one skill does, in both situations.

    `add` compares the list without the skill with the list that has it; `remove` the other way round; `edit`
    puts a word before its description; `reorder` moves it to the start of the list (the first one to the
    end).

    Args:
        source: where the skills are; it is not changed.
        dialect: whose wording and lifecycle.
        meter: what counts; `o200k_base` unless told otherwise.
        skill: which skill; the middle one of the catalog unless told otherwise.
        edits: which changes, in this order.
        snapshot: a look at `source` that was already taken, to save another.

    Returns:
        Two rows a change, the running session first; no rows where no skill is shown to the model.

    Raises:
        SkillError: the catalog has no such skill; the message names the nearest one.
        UnsupportedByDialect: the dialect's catalog is not told by appended messages.
        EncodingUnavailable: no meter was given and the default encoding cannot be had.
    """
    meter = meter or get_meter()
    harness = get_dialect(dialect)
    look = snapshot or source.snapshot()
    skills = tuple(s for s in look.skills if s.invocation.model_invocable)
    if not skills and skill is None:
        return ()
    name = _pick(skills, skill)
    rows: list[EditCost] = []
    for edit in edits:
        before, after = _apply(edit, skills, name)
        for moment, build in _MOMENTS.items():
            rows.append(_cost(edit, name, moment, build(source, harness, before, after), meter))
    return tuple(rows)


def _pick(skills: Skills, wanted: str | None) -> str:
    names = [s.name for s in skills]
    if wanted is None:
        return names[len(names) // 2]
    if wanted in names:
        return wanted
    near = difflib.get_close_matches(wanted, names, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise SkillError(f"no skill {wanted!r} is shown to the model{hint}")


def _apply(edit: Edit, skills: Skills, name: str) -> tuple[Skills, Skills]:
    """The lists before and after the change."""
    at = next(i for i, s in enumerate(skills) if s.name == name)
    without = skills[:at] + skills[at + 1 :]
    if edit == "add":
        return without, skills
    if edit == "remove":
        return skills, without
    if edit == "edit":
        changed = replace(skills[at], description=EDITED_WORD + skills[at].description)
        return skills, (*skills[:at], changed, *skills[at + 1 :])
    return skills, ((skills[at], *without) if at else (*without, skills[at]))


Requests = tuple[Request, Request, Request]
"""Before the change, after it, and in place of the latter had nothing changed."""


def _running(source: SkillSource, dialect: Dialect, before: Skills, after: Skills) -> Requests:
    def talk(then: Skills) -> tuple[Request, Request]:
        skills = _List(source, before)
        session = Session(skills, dialect)
        first = session.user(OPENING)
        session.assistant(REPLY)
        skills.skills = then
        return first, session.user(FOLLOW_UP)

    first, second = talk(after)
    return first, second, talk(before)[1]


def _next(source: SkillSource, dialect: Dialect, before: Skills, after: Skills) -> Requests:
    first = Session(_List(source, before), dialect).user(OPENING)
    return first, Session(_List(source, after), dialect).user(OPENING), first


_MOMENTS: Final[dict[Moment, Callable[[SkillSource, Dialect, Skills, Skills], Requests]]] = {
    "running session": _running,
    "next session": _next,
}


def _cost(edit: Edit, skill: str, moment: Moment, requests: Requests, meter: TokenMeter) -> EditCost:
    before, after, unchanged = requests
    comparison = compare_prefix(before, after, meter)
    without_edit = compare_prefix(before, unchanged, meter)
    added = comparison.after_tokens - measure(unchanged, meter).total_tokens
    return EditCost(
        edit=edit,
        skill=skill,
        moment=moment,
        before_tokens=comparison.before_tokens,
        after_tokens=comparison.after_tokens,
        shared_tokens=comparison.shared_tokens,
        lost_tokens=without_edit.shared_tokens - comparison.shared_tokens,
        added_tokens=added,
        where=comparison.divergence.label if comparison.divergence else "",
        sentence=_sentence(edit, skill, moment, comparison, added),
    )


def _sentence(edit: Edit, skill: str, moment: Moment, comparison: PrefixComparison, added: int) -> str:
    what = _WHAT[edit].format(skill=f'"{skill}"')
    note = _SORTED if edit == "reorder" else ""
    when = "in a running session" if moment == "running session" else "before the next session"
    if moment == "running session" and comparison.append_only:
        if added == 0:
            return f"{what} {when} changes nothing that the model is sent.{note}"
        return (
            f"{what} {when} loses nothing: all {comparison.before_tokens:,} earlier tokens are shared, and "
            f"the message that tells of it adds {added:,}.{note}"
        )
    return f"{what} {when}. {comparison.sentence}{note}"
