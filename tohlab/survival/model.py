"""What became of each skill file in each harness: the values of this room."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from tohlab.dialects.harnesses import get_harness
from tohlab.skills.hostile import Kind

Outcome = Literal["loads", "changed", "hidden", "skipped"]
OUTCOMES: Final[tuple[Outcome, ...]] = ("loads", "changed", "hidden", "skipped")
"""From best to worst; a file has the worst that applies to it."""

COMMON: Final = ("description-cut", "names-only", "left-out", "too-many-folders")
"""Codes that say more of a harness's limit or budget than of a file: no reason to show a file's row."""

Door = Literal["list", "loaded", "user"]
"""Where a text reaches the model: the list of skills (and the tools), a loaded skill, a user's gesture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """What one harness made of one file."""

    path: str
    """Relative to the folder that was looked at, with `/` between the parts."""
    harness: str
    """Its name, as `get_harness` takes it."""
    outcome: Outcome
    """`loads`; `changed`: it loads under another name, or with a cut or altered description; `hidden`: it
    loads, and the model is not told of it or of its name alone; `skipped`: it gives no skill."""
    name: str | None = None
    """What the harness calls the skill; None where there is none."""
    description: str | None = None
    """As the harness keeps it, before a list cuts it."""
    code: str = ""
    """A stable word for the rule behind the outcome; empty for `loads`."""
    codes: tuple[str, ...] = ()
    """The words for all that happened to it, `code` first: a skill can be renamed and cut at once."""
    reason: str = ""
    """What happened, in the harness's words where it says any; empty for `loads`."""
    line: int | None = None
    """Where, counted from 1 in the file; None where no line can be named."""
    repair: str = ""
    """The smallest change that would make it load, or load as it was meant."""
    silent: bool = False
    """The harness says nothing about it, not even in a log."""
    before_chars: int | None = None
    """Of a cut or altered description: how long it is in the file, as the harness counts."""
    after_chars: int | None = None
    """Of a cut or altered description: how much of it the model is told."""
    notes: tuple[str, ...] = ()
    """What is not certain about it, or what the harness warns of although it loads."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fate as plain data, without the file and the harness."""
        fields = self.__dataclass_fields__
        made = {key: getattr(self, key) for key in fields if key not in ("path", "harness")}
        return {**made, "codes": list(self.codes), "notes": list(self.notes)}

    @property
    def is_trouble(self) -> bool:
        """Whether something happened to the file that is not just a harness's limit or budget."""
        return any(code not in COMMON for code in self.codes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Text in a skill that does more in some harness than be read."""

    path: str
    """Relative to the folder that was looked at."""
    line: int | None
    """Counted from 1 in the file."""
    kind: Kind
    place: str
    """`name`, `description` or `body`."""
    text: str
    """What stands there: the tag, the name, or the characters' code points."""
    harnesses: tuple[str, ...]
    """Those whose rendering lets it out of its block, or passes the characters through; never empty."""
    doors: Mapping[str, tuple[Door, ...]]
    """For each of these harnesses, where."""

    @property
    def message(self) -> str:
        """What it does, in a sentence."""
        return {
            "closing-tag": f"{self.text} in the {self.place} closes the block that it stands in: what "
            "follows reads as the harness's own words",
            "quote-in-name": f"the quote in the name {self.text} ends the quoted name early",
            "control-character": f"control characters in the {self.place} reach the model: {self.text}",
            "invisible-character": f"invisible characters in the {self.place} reach the model: {self.text}",
            "bidi-character": f"characters that turn the reading direction, in the {self.place}, reach the "
            f"model: {self.text}",
        }[self.kind]

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as plain data."""
        return {
            "path": self.path,
            "line": self.line,
            "kind": self.kind,
            "place": self.place,
            "text": self.text,
            "message": self.message,
            "harnesses": list(self.harnesses),
            "doors": {name: list(doors) for name, doors in self.doors.items()},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """The smallest change to a file's text with which it loads where it did not."""

    path: str
    """Relative to the folder that was looked at."""
    rules: tuple[str, ...]
    """What is done, such as `colon` (a value is put in quotes) or `bom` (a byte order mark is removed)."""
    gains: tuple[str, ...]
    """The harnesses in which the file loads with it and did not without; each was loaded anew to see it."""
    before: str
    """The file's text; what is not UTF-8 stands in it as lone surrogates."""
    after: str

    def diff(self) -> str:
        """Return the change as a unified diff that `patch -p1` and `git apply` take."""
        old, new = (_diff_lines(text) for text in (self.before, self.after))
        rows = difflib.unified_diff(old, new, f"a/{self.path}", f"b/{self.path}")
        return "".join(
            row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the fix as plain data, the texts as a diff."""
        return {
            "path": self.path,
            "rules": list(self.rules),
            "gains": list(self.gains),
            "diff": self.diff(),
        }


def _diff_lines(text: str) -> list[str]:
    # Only a line feed ends a line of a diff; `splitlines` knows a dozen more.
    rows = text.split("\n")
    return [f"{row}\n" for row in rows[:-1]] + ([rows[-1]] if rows[-1] else [])


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """The survival table: every skill file of a folder in every harness that was asked for."""

    directory: str
    """The folder that was looked at."""
    moved: bool
    """Whether the skills' folders were laid side by side, as a person would install them."""
    harnesses: tuple[str, ...]
    """The columns."""
    files: tuple[str, ...]
    """The rows: paths relative to the folder, by their parts."""
    fates: tuple[Fate, ...]
    """One for each file and harness: row by row, each in the order of `harnesses`."""
    findings: tuple[Finding, ...] = ()
    """By path and line."""
    notes: Mapping[str, tuple[str, ...]]
    """For each harness what holds for the whole folder; under the empty text what holds for all of them."""

    def of(self, path: str) -> tuple[Fate, ...]:
        """Return a file's fates in the order of `harnesses`.

        Raises:
            KeyError: there is no such file.
        """
        if path not in self.files:
            raise KeyError(path)
        start = self.files.index(path) * len(self.harnesses)
        return self.fates[start : start + len(self.harnesses)]

    def fate(self, path: str, harness: str) -> Fate:
        """Return what one harness made of one file.

        Raises:
            KeyError: there is no such file, or the harness was not asked for.
        """
        if harness not in self.harnesses:
            raise KeyError(harness)
        return self.of(path)[self.harnesses.index(harness)]

    def by_file(self) -> Iterator[tuple[str, tuple[Fate, ...]]]:
        """Yield each file with its fates."""
        width = len(self.harnesses)
        for row, path in enumerate(self.files):
            yield path, self.fates[row * width : (row + 1) * width]

    def counts(self) -> dict[str, dict[Outcome, int]]:
        """Return for each harness how many files have each outcome."""
        counted = Counter((fate.harness, fate.outcome) for fate in self.fates)
        return {name: {outcome: counted[name, outcome] for outcome in OUTCOMES} for name in self.harnesses}

    def troubled(self) -> tuple[str, ...]:
        """Return the files that do not fare well somewhere for a reason of their own, or have a finding.

        A description that is cut, or left out for a budget, is no such reason: that is the harness's limit.
        """
        found = {finding.path for finding in self.findings}
        return tuple(
            path for path, fates in self.by_file() if path in found or any(fate.is_trouble for fate in fates)
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain row for each file and harness."""
        return [{"path": f.path, "harness": f.harness, **f.to_dict()} for f in self.fates]

    def to_dict(self) -> dict[str, Any]:
        """Return the whole survey as plain data, each harness with where its rules come from."""
        counts = self.counts()
        return {
            "directory": self.directory,
            "moved": self.moved,
            "harnesses": {
                name: {
                    "title": get_harness(name).title,
                    "version": (origin := get_harness(name).provenance_of("load")).version,
                    "fidelity": origin.fidelity,
                    "date": origin.date,
                    "counts": counts[name],
                    "notes": list(self.notes.get(name, ())),
                }
                for name in self.harnesses
            },
            "notes": list(self.notes.get("", ())),
            "rows": self.rows(),
            "findings": [finding.to_dict() for finding in self.findings],
        }

    def _repr_html_(self) -> str:
        from tohlab.survival.table import table_html

        return table_html(self)
