"""Whether a skill's text gets out of its block, or unseen characters get through: rendered, not looked up.

A harmless skill is rendered first in every harness. That shows which tags stand open around a name, a
description and a body, in the list, in a loaded skill and in a user's turn. A suspicious file is then
rendered by itself the same way; a tag that its text closes too early, and that comes out raw, is a finding.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tohlab.dialects.harness import FileTree, Harness, HarnessSkill, Loaded, Setting
from tohlab.errors import UnsupportedByDialect
from tohlab.skills.hostile import Place, Suspicion, spelled, suspicions
from tohlab.survival.meant import Meant
from tohlab.survival.model import Door, Finding
from tohlab.survival.trees import Folder, Root

_MARKS: Final[dict[Place, str]] = {"name": "zqname", "description": "zqdescription", "body": "zqbody"}
_HARMLESS: Final = "---\nname: zqname\ndescription: zqdescription\n---\nzqbody\n"
_GESTURES: Final = ("/{name}", "/skill:{name}", "${name}")
_TAG: Final = re.compile(r"<(/?)([A-Za-z_][\w.:-]*)(?:\s[^<>]*)?>")

Texts = dict[Door, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """What stands around a skill's text in one harness, by door."""

    texts: Texts = field(hash=False)
    open_tags: Mapping[tuple[Door, Place], frozenset[str]] = field(hash=False)
    """The tags that are open where a part of a skill stands."""


def findings_of(folder: Folder, harnesses: tuple[Harness, ...]) -> tuple[Finding, ...]:
    """Return what gets out or through, by path and line."""
    found: list[Finding] = []
    roots = {origin: (root, path) for root in folder.roots for path, origin in root.back.items()}
    # The folder's own name goes into the texts; its signs are not the skill's.
    setting = Setting(root="/" + re.sub("[<>\"']", "-", folder.directory.rpartition("/")[2]))
    frames = {harness.name: _frame(harness, setting) for harness in harnesses}
    closed = {tag for frame in frames.values() for tags in frame.open_tags.values() for tag in tags}
    for path in folder.files:
        if path in roots:
            suspects = [
                (one, line)
                for one, line in _suspects(folder.meant[path], folder.tree.text(path))
                if one.kind != "closing-tag" or _tag_of(one.text) in closed
            ]
            if suspects:
                found += _judge(path, suspects, *roots[path], harnesses, frames, setting)
    return tuple(found)


def _tag_of(text: str) -> str:
    match = _TAG.match(text)
    return match[2] if match else ""


def _suspects(meant: Meant, text: str) -> Iterator[tuple[Suspicion, int | None]]:
    for place, part in (("name", meant.name), ("description", meant.description or "")):
        for one in suspicions(part, place):  # type: ignore[arg-type]  # both are places
            yield one, _line_of(one, meant, text)
    for one in suspicions(meant.body, "body"):
        yield one, meant.body_line + meant.body.count("\n", 0, one.offset)


def _line_of(one: Suspicion, meant: Meant, text: str) -> int | None:
    # Where it stands as written; a text that YAML spells otherwise has the line of its key.
    start = meant.lines.get(one.place)
    if start is None:
        return None
    rows = text.split("\n")[start - 1 : meant.body_line - 1]
    return next((start + n for n, row in enumerate(rows) if one.text in row), start)


def _judge(
    path: str,
    suspects: list[tuple[Suspicion, int | None]],
    root: Root,
    placed: str,
    harnesses: tuple[Harness, ...],
    frames: Mapping[str, _Frame],
    setting: Setting,
) -> Iterator[Finding]:
    doors: list[dict[str, tuple[Door, ...]]] = [{} for _ in suspects]
    tree = FileTree({placed: root.placed.tree[placed]})
    for harness in harnesses:
        loaded = harness.load(tree, setting)
        skill = next((skill for skill in loaded.skills if skill.path == placed), None)
        if skill is None:
            continue
        texts = rendered(harness, skill, loaded, tree, setting)
        frame = frames[harness.name]
        for (one, _), through in zip(suspects, doors, strict=True):
            passed = tuple(door for door in texts if _gets_out(one, door, texts[door], frame, skill))
            if passed:
                through[harness.name] = passed
    for (one, line), through in zip(suspects, doors, strict=True):
        if through:
            yield Finding(
                path=path,
                line=line,
                kind=one.kind,
                place=one.place,
                text=one.text if one.kind in ("closing-tag", "quote-in-name") else spelled(one.text),
                harnesses=tuple(through),
                doors=through,
            )


def _gets_out(one: Suspicion, door: Door, texts: tuple[str, ...], frame: _Frame, skill: HarnessSkill) -> bool:
    plain = frame.texts.get(door, ())
    if one.kind == "closing-tag":
        tag = _tag_of(one.text)
        if tag not in frame.open_tags.get((door, one.place), frozenset()):
            return False
        return sum(text.count(one.text) for text in texts) > sum(text.count(one.text) for text in plain)
    if one.kind == "quote-in-name":
        mark = _MARKS["name"]
        return any(
            quote in skill.name
            and any(f"{quote}{mark}{quote}" in text for text in plain)
            and any(f"{quote}{skill.name}{quote}" in text for text in texts)
            for quote in "\"'"
        )
    carried = any(_MARKS[one.place] in text for text in plain)
    return carried and any(
        sum(text.count(character) for text in texts) > sum(text.count(character) for text in plain)
        for character in set(one.text)
    )


def rendered(
    harness: Harness, skill: HarnessSkill, loaded: Loaded, tree: FileTree, setting: Setting
) -> Texts:
    """Return every text in which a skill reaches the model, by door."""
    listing = harness.listing(loaded, setting)
    tools = harness.tools(loaded, setting)
    texts: Texts = {"list": (listing.text, *_strings(tools))}
    arguments = _arguments(harness, tools, skill, setting)
    if arguments is not None:
        try:
            answer = harness.call(harness.load_tool or "", arguments, loaded, tree, setting)
        except UnsupportedByDialect:  # a bundled skill of that name, whose text is not here
            pass
        else:
            texts["loaded"] = (answer.text or "", *_strings(answer.json))
    turns: list[str] = []
    for gesture in _GESTURES:
        typed = gesture.format(name=skill.name)
        try:
            turn = harness.user(typed, loaded, tree, setting)
        except UnsupportedByDialect:
            continue
        turns += [text for text in turn.texts if text != typed]
    texts["user"] = tuple(turns)
    return texts


def _arguments(
    harness: Harness, tools: tuple[dict[str, Any], ...], skill: HarnessSkill, setting: Setting
) -> dict[str, Any] | None:
    # What to call the load tool with, by the names of its own parameters.
    for tool in tools:
        function = tool.get("function", tool)
        if function.get("name") != harness.load_tool:
            continue
        schemas = (value for value in function.values() if isinstance(value, Mapping))
        for parameters in (schema.get("properties", {}) for schema in schemas):
            for key, value in (
                ("name", skill.name),
                ("skill", skill.name),
                ("path", setting.path_of(skill.path)),
            ):
                if key in parameters:
                    return {key: value}
    return None


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _strings(part)


def _frame(harness: Harness, setting: Setting) -> _Frame:
    tree = FileTree.of({"zqname/SKILL.md": _HARMLESS})
    loaded = harness.load(tree, setting)
    texts = rendered(harness, loaded.skills[0], loaded, tree, setting) if loaded.skills else {}
    tags: dict[tuple[Door, Place], frozenset[str]] = {}
    for door, parts in texts.items():
        for place, mark in _MARKS.items():
            standing: set[str] = set()
            for text in parts:
                for match in re.finditer(mark, text):
                    standing |= _open_at(text, match.start())
            tags[door, place] = frozenset(standing)
    return _Frame(texts=texts, open_tags=tags)


def _open_at(text: str, position: int) -> set[str]:
    # Only what is closed later is a block; a tag that prose mentions in passing is none.
    depths: Counter[str] = Counter()
    for match in _TAG.finditer(text, 0, position):
        depths[match[2]] += -1 if match[1] else 1
    behind = {match[2] for match in _TAG.finditer(text, position) if match[1]}
    return {tag for tag, depth in depths.items() if depth > 0 and tag in behind}
