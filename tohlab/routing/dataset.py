"""Labelled requests, and the catalog they are labelled against.

Cases are JSON lines: `{"id": ..., "query": ..., "expected": [names], "not_expected": [names], "optional":
[names], "aliases": {name: name}, "group": ..., "split": ..., "paraphrase_of": id}`; other keys are ignored.
`expected: []` means that no skill fits. `expected: null` (or no such key) together with `not_expected` is a
case labelled against some skills only: it says what is wrong, not what is right, so it never counts towards
accuracy and is reported apart. `optional` are skills that a model may load or leave alone, such as for a
request that is easy without them. `aliases` are twins: loading the first name counts as loading the second.
`paraphrase_of` (or `seed`) says which case, or which need, a request says in other words.
"""

from __future__ import annotations

import difflib
import json
import random
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from tohlab.ecma import utf16_sort_key
from tohlab.errors import DatasetError
from tohlab.routing.unloaded import why_unloaded
from tohlab.skills.model import LoadedSkill, Problem, SkillSource, SkillSummary, Snapshot
from tohlab.skills.sources import FilesystemSource, LayeredSource

KINDS: Final = ("one skill", "several skills", "no skill")
"""What a labelled case may expect."""


def kind_of(expected: Collection[str]) -> str:
    """Return which of the `KINDS` a case is that expects these skills."""
    return "no skill" if not expected else "one skill" if len(expected) == 1 else "several skills"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingCase:
    """One request of a user, with the skills that should be loaded for it."""

    id: str
    query: str
    expected: tuple[str, ...] | None
    """Names that should be loaded, sorted; empty: none should; None: not known (see `not_expected`)."""
    not_expected: tuple[str, ...] = ()
    """Names that must not be loaded, sorted."""
    optional: tuple[str, ...] = ()
    """Names that may be loaded or not, sorted; neither right nor wrong, so they are left out of the count."""
    aliases: tuple[tuple[str, str], ...] = ()
    """Pairs of names, sorted: loading the first counts as loading the second (an installed twin)."""
    group: str = ""
    """What it belongs to (a skill, a kind of request); empty: nothing."""
    split: str = ""
    """Which part of the data it is in (`train`, `selection`, `report`, or any other word); empty: none."""
    paraphrase_of: str = ""
    """Which case (its id), or which need, it says in other words; empty: none."""
    line: int | None = field(default=None, compare=False)
    """Where it stands in its file, counted from 1, or None."""

    def counted(self, loaded: Iterable[str]) -> tuple[str, ...]:
        """Return the loaded names that count, twins by the name that is labelled, without optional ones."""
        twins = dict(self.aliases)
        names = dict.fromkeys(twins.get(name, name) for name in loaded)
        return tuple(name for name in names if name not in self.optional)

    @property
    def labelled(self) -> bool:
        """Whether it is known what should be loaded."""
        return self.expected is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingDataset:
    """Cases with a name."""

    cases: tuple[RoutingCase, ...]
    name: str = ""
    path: Path | None = None
    """The file it was read from, or None."""
    sample_of: int | None = None
    """How many cases the whole set has, where this is a sample of it."""
    sample_seed: int | None = None

    def __len__(self) -> int:
        return len(self.cases)

    def sample(self, n: int, seed: int = 0) -> RoutingDataset:
        """Return `n` labelled cases drawn with `seed`, in their old order; all of them if there are no more.

        Cases without a label are left out of a sample, since they do not count towards accuracy.
        """
        labelled = [i for i, case in enumerate(self.cases) if case.labelled]
        if n >= len(labelled):
            return self
        chosen = sorted(random.Random(seed).sample(labelled, n))
        cases = tuple(self.cases[i] for i in chosen)
        return replace(self, cases=cases, sample_of=len(self.cases), sample_seed=seed)

    def check_scorable(self, names: Collection[str], problems: Collection[Problem] = ()) -> None:
        """Make sure that the cases can be scored against a catalog of `names`.

        Args:
            names: the names in the catalog.
            problems: what kept other files from giving a skill (see `unloaded`).

        Raises:
            DatasetError: a case names a skill that is not there (with the name most like it), or no case says
                what should be loaded.
        """
        if not any(case.labelled for case in self.cases):
            raise DatasetError(
                'no case says what should be loaded ("expected"), so nothing can be scored', self.path
            )
        for case in self.cases:
            for name in (
                *(case.expected or ()), *case.not_expected, *case.optional,
                *(name for pair in case.aliases for name in pair),
            ):  # fmt: skip
                if name not in names:
                    if why := why_unloaded(name, problems):
                        raise DatasetError(
                            f"the case {case.id!r} names the skill {name!r}, and {why}. Mend that file "
                            "(`tohlab check DIR` says how).",
                            self.path,
                            case.line,
                        )
                    near = difflib.get_close_matches(name, list(names), n=1)
                    hint = f" Did you mean {near[0]!r}?" if near else ""
                    raise DatasetError(
                        f"the case {case.id!r} names the skill {name!r}, which is not in the catalog of "
                        f"{len(names)} skills.{hint} Correct the name, or give the catalog that the cases "
                        "were labelled against.",
                        self.path,
                        case.line,
                    )


class ListedSkills:
    """A source of names and descriptions without bodies, as a catalog file has them.

    Unlike `MemorySource` it takes any name: published routing sets have names that no harness would accept
    (`accept_reservations`), and can be scored all the same. A report notes how many there are.
    """

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        ordered = sorted(pairs, key=lambda pair: utf16_sort_key(pair[0]))
        self._skills = tuple(SkillSummary(name=n, description=d, provider="catalog-file") for n, d in ordered)

    def snapshot(self) -> Snapshot:
        """Return all of them, sorted by name as a harness sorts."""
        return Snapshot(skills=self._skills)

    def load(self, name: str) -> LoadedSkill | None:
        """Return None: there are no bodies."""
        return None


def load_cases(path: str | Path) -> RoutingDataset:
    """Return the labelled requests of a JSON-lines file, in file order.

    Raises:
        DatasetError: the file cannot be read, has no cases, or a line is not a case; with path and line.
    """
    path = Path(path)
    cases: list[RoutingCase] = []
    seen: dict[str, int] = {}
    for line, row in _rows(path):
        case = case_of(row, path, line)
        if case.id in seen:
            raise DatasetError(
                f"the id {case.id!r} was already used in line {seen[case.id]}; ids must differ", path, line
            )
        seen[case.id] = line
        cases.append(case)
    if not cases:
        raise DatasetError("there are no cases in this file; write one JSON object a line", path)
    name = path.resolve().parent.name if path.stem == "cases" else path.stem
    return RoutingDataset(cases=tuple(cases), name=name, path=path)


def load_catalog(path: str | Path, *more: str | Path) -> SkillSource:
    """Return the skills of a folder, or of a catalog file with lines of `name` and `description`.

    Args:
        path: a folder or a catalog file.
        more: further ones; the catalog is then all of them together.

    Raises:
        DatasetError: there is nothing there, a line of the file is not a catalog entry, or two of the paths
            have a skill of the same name.
    """
    if not more:
        return _catalog(Path(path))
    paths = [Path(found) for found in (path, *more)]
    sources = [_catalog(found) for found in paths]
    first: dict[str, Path] = {}
    for found, source in zip(paths, sources, strict=True):
        for skill in source.snapshot().skills:
            if skill.name in first:
                raise DatasetError(
                    f"the skill {skill.name!r} is also in {first[skill.name]}; give each skill once", found
                )
            first[skill.name] = found
    return LayeredSource([sources])


def _catalog(path: Path) -> SkillSource:
    if path.is_dir():
        source: SkillSource = FilesystemSource.tree(path)
        if not source.snapshot().skills:
            raise DatasetError("no skill was found in this folder; `tohlab check` says what is there", path)
        return source
    pairs: list[tuple[str, str]] = []
    seen: dict[str, int] = {}
    for line, row in _rows(path):
        name, description = row.get("name"), row.get("description")
        if not isinstance(name, str) or not name or not isinstance(description, str) or not description:
            raise DatasetError(
                'an entry needs "name" and "description", both texts that are not empty', path, line
            )
        if name in seen:
            raise DatasetError(f"the skill {name!r} was already listed in line {seen[name]}", path, line)
        seen[name] = line
        pairs.append((name, description))
    if not pairs:
        raise DatasetError("there are no skills in this file; write one JSON object a line", path)
    return ListedSkills(pairs)


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise DatasetError("there is no such file or folder", path) from None
    except OSError as error:
        raise DatasetError(f"cannot be read: {error.strerror}", path) from error
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not raw.strip():
            continue
        try:
            row = json.loads(raw.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise DatasetError(
                f"not UTF-8 (byte {error.start} of the line); save the file as UTF-8", path, number
            ) from None
        except (ValueError, RecursionError) as error:
            raise DatasetError(f"not JSON: {error}; write one JSON object a line", path, number) from None
        if not isinstance(row, dict):
            raise DatasetError("a line must be a JSON object", path, number)
        yield number, row


def case_of(row: Mapping[str, Any], path: Path, line: int) -> RoutingCase:
    """Return the case that a row with the keys of our own files says (see the top of this module).

    Raises:
        DatasetError: it says none; with path and line.
    """
    case_id, query = row.get("id"), row.get("query")
    if not isinstance(case_id, str) or not case_id:
        raise DatasetError('"id" must be a text that is not empty', path, line)
    if not isinstance(query, str) or not query.strip():
        raise DatasetError('"query" must be a text that is not empty', path, line)
    words = {key: row[key] for key in ("group", "split", "paraphrase_of") if row.get(key) is not None}
    if "paraphrase_of" not in words and isinstance(row.get("seed"), str):
        words["paraphrase_of"] = row["seed"]
    for key, word in words.items():
        if not isinstance(word, str):
            raise DatasetError(f'"{key}" must be a text', path, line)
    expected = _names(row, "expected", path, line)
    not_expected = _names(row, "not_expected", path, line) or ()
    optional = _names(row, "optional", path, line) or ()
    if expected is None and not not_expected:
        raise DatasetError(
            '"expected" must be a list of skill names; write [] where no skill fits', path, line
        )
    if both := set(expected or ()) & set(not_expected):
        raise DatasetError(f"{min(both)!r} is both expected and not expected", path, line)
    if both := set(optional) & {*(expected or ()), *not_expected}:
        raise DatasetError(f"{min(both)!r} is optional, so it cannot be expected or not expected", path, line)
    return RoutingCase(
        id=case_id,
        query=query,
        expected=expected,
        not_expected=not_expected,
        optional=optional,
        aliases=_aliases(row, path, line),
        line=line,
        **words,
    )


def _names(row: Mapping[str, Any], key: str, path: Path, line: int) -> tuple[str, ...] | None:
    value = row.get(key)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(name, str) and name for name in value):
        raise DatasetError(f'"{key}" must be a list of skill names', path, line)
    if len(set(value)) != len(value):
        raise DatasetError(f'"{key}" names a skill twice', path, line)
    return tuple(sorted(value))


def _aliases(row: Mapping[str, Any], path: Path, line: int) -> tuple[tuple[str, str], ...]:
    value = row.get("aliases")
    if value is None:
        return ()
    if not isinstance(value, dict) or not all(isinstance(n, str) and n and a for a, n in value.items()):
        raise DatasetError('"aliases" must be an object of skill names, {twin: name}', path, line)
    if chain := value.keys() & set(value.values()):
        raise DatasetError(
            f"the alias {min(chain)!r} is itself an alias; name the labelled skill", path, line
        )
    return tuple(sorted(value.items()))
