"""One folder as one harness lists it, with the price of every part.

Two texts are counted, each by itself: the list, and the tools that have to do with skills (as compact JSON of
name, description and parameters, whatever the harness's API wraps around them). A list that sits in a tool's
description is part of that tool; there the tool's share is what the list leaves of it. So
`tools_tokens + listing_tokens == total_tokens` for every harness, and the entries with the frame add up to
`listing_tokens`.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Generic, Protocol, TypeVar

from tohlab.compare.source import Laid, lay_out
from tohlab.compare.values import EntryView, HarnessView, Unlisted
from tohlab.dialects.harness import (
    FileTree,
    Harness,
    HarnessSkill,
    Listing,
    Loaded,
    Setting,
)
from tohlab.dialects.harnesses import get_harness
from tohlab.dialects.installed import Layout
from tohlab.ecma import json_stringify
from tohlab.errors import DialectError
from tohlab.tokens import TokenMeter, count_spans, get_meter

ROOT: Final = "/home/user/.agents/skills"
"""The skills root that the texts print unless told otherwise: paths cost tokens, and a machine's own would
give each machine other numbers."""
WINDOW_TOKENS: Final = 200_000

_IN_TOOL: Final = "tool-description"
_PARAMETERS: Final = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema")
"""What harnesses' APIs call the JSON Schema of a tool's arguments."""


def view_harness(
    source: str | os.PathLike[str] | FileTree,
    harness: str | Harness,
    *,
    window_tokens: int | None = WINDOW_TOKENS,
    meter: TokenMeter | None = None,
    layout: Layout = "auto",
    root: str = ROOT,
    setting: Setting | None = None,
) -> HarnessView:
    """Return what one harness lists of a folder, and what that costs.

    Args:
        source: the folder that holds the skills, on disk or in memory.
        harness: by name (see `harness_names`) or as an instance.
        window_tokens: the model's context window, from which some harnesses make a budget; None where the
            program does not know it.
        meter: what counts; `o200k_base` unless told otherwise.
        layout: how the folder becomes one skills root (see `installed`); `auto` lays nested skills side by
            side, as a person does who installs a repository.
        root: the skills root that the texts print.
        setting: everything about the run, in place of `window_tokens` and `root`.

    Raises:
        SkillError: there is no such folder.
        UnknownDialect: no harness of that name.
        EncodingUnavailable: no meter was given and the default encoding cannot be had.
    """
    meter = meter or get_meter()
    setting = setting or Setting(root=root, window_tokens=window_tokens)
    return view_laid(lay_out(source, layout), get_harness(harness), setting, meter)


def view_laid(laid: Laid, harness: Harness, setting: Setting, meter: TokenMeter) -> HarnessView:
    """Return what one harness lists of a folder that is already laid out."""
    loaded = harness.load(laid.tree, setting)
    listing = harness.listing(loaded, setting)
    tools = harness.tools(loaded, setting)
    listing_tokens, shares = count_spans(listing.text, listing.spans, meter)
    tools_tokens = sum(meter.count(tool_json(tool, harness.title)) for tool in tools)
    if harness.place == _IN_TOOL:
        tools_tokens -= listing_tokens
    entries, unlisted = _entries(loaded, listing, shares)
    return HarnessView(
        harness=harness.name,
        title=harness.title,
        provenance=harness.provenance_of("listing"),
        tools_provenance=harness.provenance_of("tools"),
        place=listing.place,
        on_change=harness.on_change,
        loaded=loaded,
        listing=listing,
        tools=tuple(MappingProxyType(tool) for tool in tools),
        listing_tokens=listing_tokens,
        tools_tokens=tools_tokens,
        entries=entries,
        dropped=tuple(_dropped(skill, listing) for skill in unlisted if skill.listed),
        hidden=tuple(_hidden(skill) for skill in unlisted if not skill.listed),
        skipped=(*loaded.skipped, *laid.left_out),
        layout_notes=(*laid.notes, *laid.unread_notes(), *_root_note(listing, setting)),
        notes=(*_tool_note(harness, tools), *loaded.notes),
        not_measured=harness.not_measured,
        meter=meter.name,
        window_tokens=setting.window_tokens,
        setting=setting,
        origin=laid.origin,
    )


def tool_json(tool: Mapping[str, Any], title: str) -> str:
    function = tool.get("function", tool)
    parameters = next((function[key] for key in _PARAMETERS if key in function), None)
    if parameters is None:
        raise DialectError(f"{title} gives a tool without a schema of its arguments: {', '.join(function)}")
    described = {"description": function["description"]} if "description" in function else {}
    return json_stringify({"name": function["name"], **described, "parameters": parameters})


class _Named(Protocol):
    @property
    def name(self) -> str: ...


Item = TypeVar("Item", bound=_Named)


class _Waiting(Generic[Item]):
    """Things by name, each given out once, equal names in order."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._first: dict[str, Item] = {}
        self._others: dict[str, deque[Item]] = {}
        for item in items:
            if self._first.setdefault(item.name, item) is not item:
                self._others.setdefault(item.name, deque()).append(item)

    def next(self, name: str) -> Item | None:
        item = self._first.pop(name, None)
        others = self._others.get(name)
        if item is not None and others:
            self._first[name] = others.popleft()
        return item


def _entries(
    loaded: Loaded, listing: Listing, shares: Sequence[int]
) -> tuple[tuple[EntryView, ...], list[HarnessSkill]]:
    """Return the entries of the list, and the skills that are in none of them.

    Of several skills of one name the first in the harness's order has the first entry of that name.
    """
    skills = _Waiting(sorted(loaded.skills, key=lambda skill: not skill.listed))
    cuts = _Waiting(listing.cut)
    entries, told = [], set[int]()
    for span, tokens in zip(listing.spans, shares, strict=True):
        name = span.label[7:-1]  # entry "…"
        skill = skills.next(name)
        if skill is not None:
            told.add(id(skill))
        cut = cuts.next(name)
        entries.append(
            EntryView(
                name=name,
                path=None if skill is None else skill.path,
                text=listing.text[span.start : span.stop],
                tokens=tokens,
                characters=span.stop - span.start,
                before_chars=None if cut is None else cut.before_chars,
                after_chars=None if cut is None else cut.after_chars,
                why="" if cut is None else cut.why,
            )
        )
    return tuple(entries), [skill for skill in loaded.skills if id(skill) not in told]


def _dropped(skill: HarnessSkill, listing: Listing) -> Unlisted:
    why = listing.reasons.get(skill.name) or "the harness leaves it out"
    return Unlisted(name=skill.name, path=skill.path, why=why, model_loads=skill.model_loads)


def _hidden(skill: HarnessSkill) -> Unlisted:
    why = "the model can load it by its name and is not told of it"
    if not skill.model_loads:
        why = (
            "not for models: a user can start it"
            if skill.user_loads
            else "switched off, for models and users"
        )
    return Unlisted(name=skill.name, path=skill.path, why=why, model_loads=skill.model_loads)


def _tool_note(harness: Harness, tools: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    if tools and harness.loads_by == "path":
        yield f"the tool {harness.load_tool} reads any file and is there without skills too"


def _root_note(listing: Listing, setting: Setting) -> Iterable[str]:
    if setting.root and setting.root in listing.text:
        yield f"paths are printed below {setting.root} whatever the folder's own path is: paths cost tokens"
