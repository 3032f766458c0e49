"""What is wrong with cases and catalog, told before any money is spent on asking.

An `error` makes numbers false (one request with two labels, an expected skill that is not there). A `warning`
makes them weak or easy (a request that says the skill's name, a skill with too few requests, near copies in
two splits). A `note` is what a reader of the numbers should know.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal

from tohlab.dialects import Dialect, get_dialect
from tohlab.routing.dataset import RoutingCase, RoutingDataset
from tohlab.routing.nearness import near_name
from tohlab.routing.similarity import pairs, words
from tohlab.routing.unloaded import told, unloaded, why_unloaded
from tohlab.skills.model import Problem, SkillSource, SkillSummary

Level = Literal["error", "warning", "note"]
FEWEST: Final = 5
"""A skill with fewer requests has no rate worth reading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lint:
    """One thing that is wrong."""

    code: str
    """A stable word: `two-labels`, `duplicate`, `not-in-catalog`, `hidden-skill`, `empty-catalog`, `leak`,
    `leak-word`, `few-requests`, `split-copy`, `cut-description`, `twin`, `no-abstention`."""
    level: Level
    message: str
    """What it is and what to do, for a person."""
    cases: tuple[str, ...] = ()
    """The ids of the cases it is about."""
    skills: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()
    """Where the cases stand in their file, counted from 1; empty for cases from memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """The skill whose description is most like another's: what it is confused with, if with anything."""

    skill: str
    neighbour: str
    cosine: float
    """TF-IDF cosine of the two descriptions as the dialect shows them, 0..1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LintReport:
    """All that was found; made by `lint_dataset`."""

    dataset: str
    dialect: str
    n_cases: int
    n_skills: int
    lints: tuple[Lint, ...]
    """Errors first, then warnings, then notes; each in the order of the file."""
    neighbours: tuple[Neighbour, ...]
    """Each skill's nearest neighbour, the nearest pairs first; skills that share no word with another have
    none."""

    def count(self, level: Level) -> int:
        """Return how many lints are of a level."""
        return sum(lint.level == level for lint in self.lints)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "dataset": self.dataset,
            "dialect": self.dialect,
            "n_cases": self.n_cases,
            "n_skills": self.n_skills,
            "errors": self.count("error"),
            "warnings": self.count("warning"),
            "lints": [asdict(lint) for lint in self.lints],
            "neighbours": [asdict(neighbour) for neighbour in self.neighbours],
        }


def lint_dataset(
    dataset: RoutingDataset, source: SkillSource, *, dialect: str | Dialect = "toh", alike: float = 0.8
) -> LintReport:
    """Return what is wrong with cases and the catalog they are labelled against.

    Args:
        dataset: the labelled requests.
        source: the skills.
        dialect: whose catalog is meant: which skills it shows, and where it cuts a description.
        alike: from which TF-IDF cosine on two requests count as copies.
    """
    found = get_dialect(dialect)
    snapshot = source.snapshot()
    catalog = found.catalog_of(snapshot)
    shown = {entry.name: entry.description for entry in catalog.entries}
    problems = unloaded(source)
    lints = [
        *(_not_loaded(problem) for problem in problems),
        *_labels(dataset, shown, {s.name for s in snapshot.skills}, problems),
        *_copies(dataset.cases, alike),
        *_leaks(dataset.cases, shown),
        *_amounts(dataset.cases, shown),
        *_cuts(found, [s for s in snapshot.skills if s.name in shown]),
        *_twins(shown),
    ]
    order = ("error", "warning", "note")
    return LintReport(
        dataset=dataset.name,
        dialect=found.name,
        n_cases=len(dataset.cases),
        n_skills=len(shown),
        lints=tuple(sorted(lints, key=lambda lint: order.index(lint.level))),
        neighbours=_neighbours(shown),
    )


def _lint(code: str, level: Level, message: str, *cases: RoutingCase, skills: Sequence[str] = ()) -> Lint:
    return Lint(
        code=code,
        level=level,
        message=message,
        cases=tuple(case.id for case in cases),
        skills=tuple(skills),
        lines=tuple(case.line for case in cases if case.line is not None),
    )


def _not_loaded(problem: Problem) -> Lint:
    remedy = problem.remedy or "see `tohlab check DIR`"
    return _lint("skill-not-loaded", "warning", f"{told(problem)}; {remedy}")


def _labels(
    dataset: RoutingDataset, shown: dict[str, str], there: set[str], problems: Sequence[Problem]
) -> Iterator[Lint]:
    if not shown:
        yield _lint(
            "empty-catalog", "error", "the catalog is empty: no skill that a model may load was found"
        )
    for case in dataset.cases:
        for name in (*(case.expected or ()), *case.not_expected, *case.optional, *dict(case.aliases)):
            if name in shown:
                continue
            if name in there:
                yield _lint(
                    "hidden-skill",
                    "error",
                    f"case {case.id!r} names {name!r}, which a model may not load (it is not in the "
                    "catalog); label the case with what the model should do instead",
                    case,
                    skills=(name,),
                )
                continue
            near = near_name(name, list(shown))
            said = f"; {near}" if near else ""
            said += "; correct the name or give the right catalog"
            if why := why_unloaded(name, problems):
                said = f": {why}"
            yield _lint(
                "not-in-catalog",
                "error",
                f"case {case.id!r} names {name!r}, which is not in the catalog{said}",
                case,
                skills=(name,),
            )


def _plain(query: str) -> str:
    return " ".join(query.split()).casefold()


def _copies(cases: Sequence[RoutingCase], alike: float) -> Iterator[Lint]:
    same: defaultdict[str, list[RoutingCase]] = defaultdict(list)
    for case in cases:
        same[_plain(case.query)].append(case)
    for found in same.values():
        if len(found) < 2:
            continue
        ids = ", ".join(case.id for case in found)
        if len({(case.expected, case.optional, case.aliases) for case in found}) > 1:
            labels = "; ".join(f"{case.id}: {_said(case)}" for case in found)
            yield _lint(
                "two-labels", "error", f"one request has two labels ({labels}); keep the right one", *found
            )
        else:
            yield _lint(
                "duplicate",
                "warning",
                f"the same request stands there {len(found)} times ({ids}); it would count as {len(found)} "
                "cases",
                *found,
            )
    for i, j, cosine in pairs([case.query for case in cases], alike):
        one, other = cases[i], cases[j]
        identical = _plain(one.query) == _plain(other.query)
        if one.split != other.split:
            yield _lint(
                "split-copy",
                "warning",
                f"{one.id} ({one.split or 'no split'}) and {other.id} ({other.split or 'no split'}) are "
                f"{'the same' if identical else f'nearly the same (cosine {cosine:.2f})'}: what is learnt by "
                "the one is known of the other; put them into one split",
                one,
                other,
            )


def _said(case: RoutingCase) -> str:
    if case.expected is None:
        return "not labelled"
    return " + ".join(case.expected) or "no skill"


def _leaks(cases: Sequence[RoutingCase], shown: dict[str, str]) -> Iterator[Lint]:
    # Names of one word are often plain words of the language; only as a word of its own, and with the same
    # joints for longer names, does a request name the skill.
    patterns = {
        name: re.compile(
            r"(?<![\w-])" + r"[\s_-]?".join(map(re.escape, words(name))) + r"(?![\w-])", re.IGNORECASE
        )
        for name in shown
        if len(words(name)) > 1
    }
    for case in cases:
        for name in case.expected or ():
            pattern = patterns.get(name)
            if pattern is not None and pattern.search(case.query):
                yield _lint(
                    "leak",
                    "warning",
                    f"case {case.id!r} says the name of the skill that it expects ({name}); a model needs no "
                    "description for it",
                    case,
                    skills=(name,),
                )
    # A name of one word may be meant as the plain word it is, so these are told once and as a note.
    plain = [
        (case, name)
        for case in cases
        for name in case.expected or ()
        if name in shown and words(name) == [name.lower()] and name.lower() in words(case.query)
    ]
    if plain:
        counts = Counter(name for _, name in plain)
        listed = ", ".join(f"{name} {count}" for name, count in counts.most_common(12))
        yield _lint(
            "leak-word",
            "note",
            f"{len(plain)} requests have the one-word name of a skill that they expect ({listed}); it may be "
            "a plain word there, but a name alone finds them, as the baseline `names` shows",
            *dict.fromkeys(case for case, _ in plain),
            skills=tuple(counts),
        )


def _amounts(cases: Sequence[RoutingCase], shown: dict[str, str]) -> Iterator[Lint]:
    counts = Counter(name for case in cases for name in case.expected or ())
    few = [name for name in shown if counts[name] < FEWEST]
    if few:
        listed = ", ".join(f"{name} {counts[name]}" for name in few[:12])
        more = f" and {len(few) - 12} more" if len(few) > 12 else ""
        yield _lint(
            "few-requests",
            "warning",
            f"{len(few)} of {len(shown)} skills have fewer than {FEWEST} requests ({listed}{more}); their "
            "own rates mean nothing",
            skills=few,
        )
    if any(case.labelled for case in cases) and not any(case.expected == () for case in cases):
        yield _lint(
            "no-abstention",
            "warning",
            "no case expects no skill, so loading one for every request costs nothing here; add requests "
            "that no skill fits",
        )


def _cuts(dialect: Dialect, skills: Sequence[SkillSummary]) -> Iterator[Lint]:
    endless = replace(dialect, description_limit=None)
    cut = [s.name for s in skills if dialect.describe(s.description) != endless.describe(s.description)]
    if cut:
        yield _lint(
            "cut-description",
            "warning",
            f"{len(cut)} of {len(skills)} descriptions are longer than the {dialect.description_limit} "
            f"units that {dialect.name} shows, and are cut: {', '.join(cut[:12])}"
            + (f" and {len(cut) - 12} more" if len(cut) > 12 else ""),
            skills=cut,
        )


def _twins(shown: dict[str, str]) -> Iterator[Lint]:
    same: defaultdict[str, list[str]] = defaultdict(list)
    for name, description in shown.items():
        same[_plain(description)].append(name)
    for names in same.values():
        if len(names) > 1:
            yield _lint(
                "twin",
                "warning",
                f"{', '.join(names)} have the same description, so a model can only guess between them; "
                "remove all but one, or give the cases the others as aliases",
                skills=names,
            )


def _neighbours(shown: dict[str, str]) -> tuple[Neighbour, ...]:
    names = list(shown)
    best: dict[int, tuple[float, int]] = {}
    for i, j, cosine in pairs(list(shown.values()), 1e-6):
        for one, other in ((i, j), (j, i)):
            if one not in best or cosine > best[one][0]:
                best[one] = (cosine, other)
    found = [
        Neighbour(skill=names[i], neighbour=names[j], cosine=round(cosine, 4))
        for i, (cosine, j) in best.items()
    ]
    return tuple(sorted(found, key=lambda n: (-n.cosine, n.skill)))
