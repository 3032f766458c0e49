"""Where two harnesses say different things of one folder: skill by skill, and line by line.

Lists of two harnesses differ in nearly every byte, so their lines are not set against each other blindly: the
entries of one skill stand side by side, whatever each harness writes around them, and the frames are compared
line by line. Nothing is left out: the left sides joined are the left text, the right sides the right one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final, Literal

from tohlab.compare.view import HarnessView

Kind = Literal["same", "changed", "removed", "added"]

_WORD: Final = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True, kw_only=True)
class LineDifference:
    """One stretch of the two lists, side by side."""

    kind: Kind
    part: Literal["frame", "entry"]
    name: str
    """The skill of an entry; empty for a line of the frame."""
    a: str | None
    """The left text; None where it has nothing here."""
    b: str | None
    """The right text; None where it has nothing here."""
    moved: bool = False
    """Whether the other list has the same skill elsewhere."""

    def words(self) -> tuple[tuple[Kind, str], ...]:
        """Return the stretch word by word: `same`, `removed` (left only) or `added` (right only) pieces."""
        left, right = _WORD.findall(self.a or ""), _WORD.findall(self.b or "")
        found: list[tuple[Kind, str]] = []
        for tag, a0, a1, b0, b1 in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
            if tag == "equal":
                found.append(("same", "".join(left[a0:a1])))
                continue
            if a1 > a0:
                found.append(("removed", "".join(left[a0:a1])))
            if b1 > b0:
                found.append(("added", "".join(right[b0:b1])))
        return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillDifference:
    """What the two harnesses make of one file."""

    path: str
    """Below the skills root."""
    a_state: str
    """`listed`, `cut`, `dropped`, `hidden`, `skipped`, or empty where the harness does not look at it."""
    b_state: str
    a_name: str | None
    b_name: str | None
    a_description: str | None
    """As the harness keeps it, before any cut."""
    b_description: str | None
    a_tokens: int | None
    """Of its entry; None where it has none."""
    b_tokens: int | None
    a_why: str
    """Why it is cut, dropped, hidden or skipped."""
    b_why: str

    @property
    def differs(self) -> tuple[str, ...]:
        """Which of `state`, `name` and `description` differ."""
        pairs = (
            ("state", self.a_state, self.b_state),
            ("name", self.a_name, self.b_name),
            ("description", self.a_description, self.b_description),
        )
        return tuple(word for word, a, b in pairs if a != b)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Two harnesses over one folder."""

    a: HarnessView
    b: HarnessView
    lines: tuple[LineDifference, ...]
    """Both lists from their beginning to their end."""
    skills: tuple[SkillDifference, ...]
    """Every file that one of them looked at, by path."""

    @property
    def is_same_text(self) -> bool:
        """Whether both lists are the same text."""
        return self.a.listing.text == self.b.listing.text

    def rows(self) -> tuple[dict[str, Any], ...]:
        """Return one plain dict for each stretch of the lists: kind, part, name, a, b, moved."""
        return tuple(
            {
                "kind": line.kind,
                "part": line.part,
                "name": line.name,
                "a": line.a,
                "b": line.b,
                "moved": line.moved,
            }
            for line in self.lines
        )

    def skill_rows(self) -> tuple[dict[str, Any], ...]:
        """Return one plain dict for each file."""
        return tuple(
            {
                "path": skill.path,
                "differs": list(skill.differs),
                "a_state": skill.a_state,
                "b_state": skill.b_state,
                "a_name": skill.a_name,
                "b_name": skill.b_name,
                "a_description": skill.a_description,
                "b_description": skill.b_description,
                "a_tokens": skill.a_tokens,
                "b_tokens": skill.b_tokens,
                "a_why": skill.a_why,
                "b_why": skill.b_why,
            }
            for skill in self.skills
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "a": _head(self.a),
            "b": _head(self.b),
            "same_text": self.is_same_text,
            "skills": list(self.skill_rows()),
            "lines": list(self.rows()),
        }


def difference(a: HarnessView, b: HarnessView) -> Difference:
    """Return where two views of one folder differ."""
    return Difference(a=a, b=b, lines=tuple(_lines(a, b)), skills=tuple(_skills(a, b)))


def _head(view: HarnessView) -> dict[str, Any]:
    return {
        "harness": view.harness,
        "title": view.title,
        "fidelity": view.fidelity,
        "version": view.version,
        "date": view.date,
        "place": view.place,
        "on_change": view.on_change,
        "tools_tokens": view.tools_tokens,
        "listing_tokens": view.listing_tokens,
        "total_tokens": view.total_tokens,
    }


_Key = tuple[str, str]


def _blocks(view: HarnessView) -> Iterator[tuple[_Key, str]]:
    """Yield the list in stretches, each with its key: a skill's file (or its name), a line of the frame."""
    text, at, seen = view.listing.text, 0, set[_Key]()
    for span, entry in zip(view.listing.spans, view.entries, strict=True):
        yield from _frame(text[at : span.start])
        key = ("entry", entry.path if entry.path is not None else f"\0{entry.name}")
        while key in seen:  # a list may tell of one skill twice
            key = ("entry", f"{key[1]}\0")
        seen.add(key)
        at = span.stop + text.startswith("\n", span.stop)  # the line break belongs to the line
        yield key, text[span.start : at]
    yield from _frame(text[at:])


def _frame(text: str) -> Iterator[tuple[_Key, str]]:
    for line in text.splitlines(keepends=True):
        yield ("frame", line), line


def _lines(a: HarnessView, b: HarnessView) -> Iterator[LineDifference]:
    left, right = list(_blocks(a)), list(_blocks(b))
    names = dict(zip((k for k, _ in left if k[0] == "entry"), (e.name for e in a.entries), strict=True))
    names |= dict(zip((k for k, _ in right if k[0] == "entry"), (e.name for e in b.entries), strict=True))
    both = {key for key, _ in left} & {key for key, _ in right}

    def line(one: tuple[_Key, str] | None, other: tuple[_Key, str] | None) -> LineDifference:
        key = one[0] if one is not None else other[0] if other is not None else ("frame", "")
        kind: Kind = "removed" if other is None else "added"
        if one is not None and other is not None:
            kind = "same" if one[1] == other[1] else "changed"
        return LineDifference(
            kind=kind,
            part="entry" if key[0] == "entry" else "frame",
            name=names.get(key, ""),
            a=None if one is None else one[1],
            b=None if other is None else other[1],
            moved=key[0] == "entry" and key in both and (one is None or other is None),
        )

    for same, a0, a1, b0, b1 in _opcodes([k for k, _ in left], [k for k, _ in right]):
        if same:
            for one, other in zip(left[a0:a1], right[b0:b1], strict=True):
                yield line(one, other)
            continue
        yield from (line(one, None) for one in left[a0:a1])
        yield from (line(None, other) for other in right[b0:b1])


def _opcodes(left: Sequence[_Key], right: Sequence[_Key]) -> Iterator[tuple[bool, int, int, int, int]]:
    # Blank lines between entries are the same key many times, which takes difflib quadratic time: autojunk
    # passes over them and finds them again beside what it matched.
    for tag, a0, a1, b0, b1 in SequenceMatcher(None, left, right).get_opcodes():
        yield tag == "equal", a0, a1, b0, b1


def _skills(a: HarnessView, b: HarnessView) -> Iterator[SkillDifference]:
    left, right = _by_path(a), _by_path(b)
    nothing: dict[str, Any] = {"state": "", "name": None, "description": None, "tokens": None, "why": ""}
    for path in sorted({*left, *right}):
        one, other = left.get(path, nothing), right.get(path, nothing)
        yield SkillDifference(
            path=path,
            a_state=one["state"],
            b_state=other["state"],
            a_name=one["name"],
            b_name=other["name"],
            a_description=one["description"],
            b_description=other["description"],
            a_tokens=one["tokens"],
            b_tokens=other["tokens"],
            a_why=one["why"],
            b_why=other["why"],
        )


def _by_path(view: HarnessView) -> dict[str, dict[str, Any]]:
    descriptions = {skill.path: skill.description for skill in view.loaded.skills}
    return {
        row["path"]: {**row, "description": descriptions.get(row["path"])}
        for row in view.rows()
        if row["path"] is not None
    }
