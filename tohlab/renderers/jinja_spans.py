"""Where a template put the texts of a request: found by rendering with marks in their place, and proved.

All texts are exchanged for marks, plain words that nothing else contains, and the template is rendered again.
If its own text around the marks is, with the real texts put back, exactly the real rendering, then every text
is placed. A template whose course depends on a text (it splits off `</think>`, or trims) fails that proof;
then each text is exchanged alone. A text that cannot be proved to stand anywhere has no address and is named.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tohlab.addresses import stretches
from tohlab.errors import RenderError
from tohlab.renderers.base import Piece, Section
from tohlab.request import Segment

Placed = tuple[int, int, Piece]
"""First character, the one after the last, and what stands there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One text that a template is given."""

    index: int
    text: str
    section: Section
    role: str
    path: str
    segment: Segment | None = None
    """The request's segment whose whole text it is, if it is one."""


def place(
    text: str, leaves: Sequence[Leaf], run: Callable[[Mapping[int, str]], str]
) -> tuple[list[Placed], tuple[str, ...]]:
    """Return where in `text` the leaves stand, in order, and the addresses of those that stand nowhere.

    Args:
        text: the real rendering.
        leaves: every text that the template was given.
        run: renders with some leaves' texts exchanged, by index.
    """
    salt = _salt(text)
    marks = {leaf.index: f"zq{salt}n{leaf.index}qz" for leaf in leaves}
    found = _together(text, leaves, marks, re.compile(f"zq{salt}n([0-9]+)qz"), run)
    if found is None:
        found = [hit for leaf in leaves for hit in _alone(text, leaf, marks[leaf.index], run)]
        found.sort(key=lambda hit: (hit[0], -hit[1]))
        found = _disjoint(found)
    seen = {leaf.path for _, _, leaf, _ in found}
    placed = [hit for start, stop, leaf, shift in found for hit in _pieces(text, start, stop, leaf, shift)]
    return placed, tuple(leaf.path for leaf in leaves if leaf.path not in seen)


Hit = tuple[int, int, Leaf, int]
"""First character, end, the leaf, how many of its first characters are left out (-1: it is rewritten)."""


def _together(
    text: str,
    leaves: Sequence[Leaf],
    marks: Mapping[int, str],
    mark: re.Pattern[str],
    run: Callable[[Mapping[int, str]], str],
) -> list[Hit] | None:
    try:
        marked = run(marks)
    except RenderError:
        return None
    parts = mark.split(marked)
    if not text.startswith(parts[0]):
        return None
    at = len(parts[0])
    found: list[Hit] = []
    for i in range(1, len(parts), 2):
        leaf = leaves[int(parts[i])]
        after = parts[i + 1]
        last = i + 2 == len(parts)
        for variant, shift in _variants(leaf.text):
            end = at + len(variant)
            fits = text[end:] == after if last else text.startswith(after, end)
            if text.startswith(variant, at) and fits:
                found.append((at, end, leaf, shift))
                at = end + len(after)
                break
        else:
            return None
    return found if at == len(text) else None


def _alone(text: str, leaf: Leaf, mark: str, run: Callable[[Mapping[int, str]], str]) -> Iterator[Hit]:
    """Yield where the leaf stands, as rendering with its text alone exchanged shows."""
    try:
        marked = run({leaf.index: mark})
    except RenderError:
        return
    parts = marked.split(mark)
    for variant, shift in _variants(leaf.text):
        if variant.join(parts) != text:
            continue
        at = 0
        for part in parts[:-1]:
            at += len(part)
            yield at, at + len(variant), leaf, shift
            at += len(variant)
        return


def _disjoint(found: list[Hit]) -> list[Hit]:
    kept: list[Hit] = []
    for hit in found:
        if not kept or hit[0] >= kept[-1][1]:
            kept.append(hit)
    return kept


def _variants(text: str) -> Iterator[tuple[str, int]]:
    """The text as templates show it: as it is, without blanks at its ends, as JSON or Python writes it."""
    yield text, 0
    stripped = text.strip()
    if stripped != text:
        yield stripped, len(text) - len(text.lstrip())
        yield text.rstrip(), 0
        yield text.lstrip(), len(text) - len(text.lstrip())
    as_json = (json.dumps(text, ensure_ascii=ascii_only)[1:-1] for ascii_only in (False, True))
    for written in (*as_json, repr(text)[1:-1]):
        if written != text:
            yield written, -1


def _pieces(text: str, start: int, stop: int, leaf: Leaf, shift: int) -> Iterator[Placed]:
    if leaf.segment is None or shift < 0:
        shown = text[start:stop]
        if shown:
            yield start, stop, Piece(text=shown, section=leaf.section, role=leaf.role, path=leaf.path)
        return
    for stretch in stretches(leaf.segment):
        first, end = max(stretch.start, shift), min(stretch.stop, shift + stop - start)
        if first < end:
            piece = Piece(
                text=leaf.text[first:end],
                section=leaf.section,
                role=leaf.role,
                path=stretch.path,
                segment=leaf.segment.path,
                offset=first,
            )
            yield start + first - shift, start + end - shift, piece


def _salt(text: str) -> str:
    """Letters and digits that no filter changes and the text does not hold."""
    salt = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    while salt in text:
        salt = hashlib.sha256(salt.encode()).hexdigest()[:12]
    return salt
