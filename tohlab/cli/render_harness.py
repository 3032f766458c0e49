"""`tohlab render --dialect NAME`: the exact texts of any harness."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from tohlab.dialects.base import Provenance
from tohlab.dialects.harness import FileTree, Harness, Loaded, Setting
from tohlab.errors import SkillError, UnsupportedByDialect

PARTS: Final = ("catalog", "tool", "result", "user")
"""What every harness is asked for; one that has no such part says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A text that a model reads."""

    text: str
    is_error: bool
    """It is not what was asked for: an error, a skill that was not found, a text that no model is sent."""
    provenance: Provenance
    notes: tuple[str, ...] = ()
    place: str | None = None


def render_part(
    harness: Harness, part: str, tree: FileTree, setting: Setting, name: str | None, typed: str | None
) -> Rendered:
    """Return one part of what a model reads.

    Args:
        harness: whose words.
        part: one of `PARTS`.
        tree: the skills root.
        setting: the run.
        name: which skill to load, for `result`.
        typed: what a user typed, for `user`.

    Raises:
        UnsupportedByDialect: the harness has no such part.
        SkillError: there is nothing to list, or no such skill to load.
    """
    loaded = harness.load(tree, setting)
    if part == "tool":
        return _tools(harness, loaded, setting)
    if part == "result":
        return _result(harness, loaded, tree, setting, name or "")
    if part == "user":
        turn = harness.user(typed or "", loaded, tree, setting)
        text = "\n".join(turn.texts) if turn.sent else "\n".join(turn.notes)
        notes = turn.notes if turn.sent else ("no model is asked: this is what the user is told",)
        return Rendered(
            text=text, is_error=not turn.sent, provenance=harness.provenance_of("user"), notes=notes
        )
    if part != "catalog":
        raise UnsupportedByDialect(
            f"{harness.title} has no part {part!r}; it has: {', '.join(PARTS)}. "
            "What a change does there: tohlab tokens --dialect"
            f" {harness.name} says it below the table ({harness.on_change})"
        )
    listing = harness.listing(loaded, setting)
    if not listing.text:
        raise SkillError(
            f"{harness.title} lists no skill of this folder, so nothing is sent; why, skill by skill: "
            f"tohlab tokens DIR --dialect {harness.name}"
        )
    warnings = tuple(f"the program tells its user: {warning}" for warning in listing.warnings)
    provenance = harness.provenance_of("listing")
    return Rendered(
        text=listing.text, is_error=False, provenance=provenance, notes=warnings, place=listing.place
    )


def _tools(harness: Harness, loaded: Loaded, setting: Setting) -> Rendered:
    tools = harness.tools(loaded, setting)
    if not tools:
        raise UnsupportedByDialect(
            f"{harness.title} offers no tool that has to do with skills"
            + ("" if harness.load_tool else ": a model reads the file that the list names")
        )
    text = "\n".join(json.dumps(tool, ensure_ascii=False, separators=(",", ":")) for tool in tools)
    return Rendered(text=text, is_error=False, provenance=harness.provenance_of("tools"))


def _result(harness: Harness, loaded: Loaded, tree: FileTree, setting: Setting, name: str) -> Rendered:
    if harness.load_tool is None:
        raise UnsupportedByDialect(
            f"{harness.title} has no tool that loads a skill: a model reads the file that the list names, "
            "and the text is the file's own"
        )
    arguments = _arguments(harness, loaded, setting, name)
    answer = harness.call(harness.load_tool, arguments, loaded, tree, setting)
    text = answer.text
    if text is None:
        text = json.dumps(answer.json, ensure_ascii=False, separators=(",", ":"))
    return Rendered(
        text=text,
        is_error=answer.is_error or answer.missed,
        provenance=harness.provenance_of("call"),
        notes=answer.notes,
    )


def _arguments(harness: Harness, loaded: Loaded, setting: Setting, name: str) -> dict[str, Any]:
    """Return the call that loads a skill: its name, or its path, as the tool's first required argument."""
    value = name
    if harness.loads_by == "path":
        path = next((skill.path for skill in loaded.skills if skill.name == name), None)
        if path is None:
            known = ", ".join(skill.name for skill in loaded.skills[:12]) or "none"
            raise SkillError(f"{harness.title} has no skill {name!r} in this folder; there are: {known}")
        value = setting.path_of(path)
    for tool in harness.tools(loaded, setting):
        function = tool.get("function", tool)
        if function["name"] == harness.load_tool:
            schema = next(v for v in function.values() if isinstance(v, dict) and "properties" in v)
            first, *others = schema["required"]
            return {first: value} | dict.fromkeys(others)
    raise UnsupportedByDialect(f"{harness.title} offers no tool {harness.load_tool!r} with these skills")
