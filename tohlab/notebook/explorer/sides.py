"""The explorer's panel of two harnesses side by side, with what only one of them says marked word by word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from tohlab.compare import Difference, HarnessView, LineDifference
from tohlab.compare.difference import Kind
from tohlab.notebook.explorer.parts import Panel, some
from tohlab.notebook.explorer.state import Choice, Explored
from tohlab.notebook.record import legible

MOST_COMPARED: Final = 100
"""How many stretches of two long lists are set side by side, around the chosen skill."""

_MOST_FATES: Final = 6
_LEGEND: Final = "What only one of them says is struck out on the left and underlined on the right."


def sides(explored: Explored, choice: Choice) -> Panel:
    found = explored.difference(choice.harness, choice.other, choice.window_tokens)
    lines, notes = _near(found, choice.skill)
    if found.is_same_text:
        notes.insert(0, "Both lists are the same text.")
    else:
        notes.insert(0, f"{_LEGEND} {_fates(found)}".rstrip())
    return {
        "kind": "sides",
        "notes": notes,
        "left": _half(found.a, _stretches(lines, "a", "removed")),
        "right": _half(found.b, _stretches(lines, "b", "added")),
    }


def _fates(found: Difference) -> str:
    """Say which files end differently: listed here and cut there, say."""
    fates = [skill for skill in found.skills if "state" in skill.differs]
    if not fates:
        return ""
    named = [
        f"{legible(one.path, 200)} ({one.a_state or 'not looked at'}, {one.b_state or 'not looked at'})"
        for one in fates[:_MOST_FATES]
    ]
    more = len(fates) - len(named)
    named += [f"{more:,} more"] if more else []
    return f"What becomes of {some(len(fates), 'file')} differs: {'; '.join(named)}."


def _near(found: Difference, skill: str | None) -> tuple[Sequence[LineDifference], list[str]]:
    lines = found.lines
    if len(lines) <= MOST_COMPARED:
        return lines, []
    at = next((i for i, line in enumerate(lines) if line.part == "entry" and line.name == skill), 0)
    first = max(0, min(at - MOST_COMPARED // 2, len(lines) - MOST_COMPARED))
    last = first + MOST_COMPARED
    return lines[first:last], [
        f"Stretches {first + 1:,} to {last:,} of {len(lines):,}, around the chosen skill."
    ]


def _half(view: HarnessView, stretches: list[list[Any]]) -> Panel:
    about = f"{some(view.listing_tokens, 'token')}, {view.fidelity}, {view.version}, {view.date}"
    return {"title": view.title, "about": about, "stretches": stretches}


def _stretches(lines: Sequence[LineDifference], side: Literal["a", "b"], own: Kind) -> list[list[Any]]:
    """Return one side as `[skill or None, [[text, whether this side alone says it], ...]]`."""
    stretches = []
    for line in lines:
        text = line.a if side == "a" else line.b
        if text is None:
            continue
        pieces = line.words() if line.kind == "changed" else ((line.kind, text),)
        told = [(words, kind == own and not line.moved) for kind, words in pieces if kind in ("same", own)]
        stretches.append([line.name or None, [[legible(words, None), alone] for words, alone in told]])
    return stretches
