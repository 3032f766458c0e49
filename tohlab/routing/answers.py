"""What a reply asks to load: calls, JSON and text read into one value, before any comparison."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from tohlab.ecma import json_parse
from tohlab.routing.client import ChatReply
from tohlab.routing.nearness import NearName, near_name
from tohlab.skills.names import is_skill_name
from tohlab.tools import parse_arguments

MODEL_ERRORS: Final = (
    "wrong_tool",
    "malformed_args",
    "invalid_name",
    "stale_name",
    "not_model_invocable",
    "unknown_name",
    "double_load",
    "reload_after_user_load",
    "text_call",
    "refusal",
    "length_cut",
    "empty",
)
"""The labels that an answer can get whatever was expected, in the order in which they are tried."""
NO_SKILL: Final = "(none)"
"""How `json` says that no skill fits; no skill can have this name."""
_WRAPPERS: Final = ("parallel", "multi_tool_use.parallel")
_TEXT_CALL: Final = re.compile(
    r"<tool_call>|<function[=_]|\[TOOL_CALLS\]|<\|python_tag\|>|functools\["
    r'|"(?:name|function|tool)"\s*:\s*"(?P<json>[^"]+)"'
    r"|\b(?P<call>\w+)\(\s*(?:name\s*=\s*|\{\s*\"?name\"?\s*:\s*)[\"']"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Which names there are in the conversation that a reply answers."""

    catalog: tuple[str, ...]
    """The catalog that is in force, in its order."""
    stale: tuple[str, ...] = ()
    """Names of an earlier catalog of the same conversation that the present one does not have."""
    hidden: tuple[str, ...] = ()
    """Skills that exist and that a model may not load."""
    loaded: tuple[str, ...] = ()
    """Skills that the user's own text has loaded already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What an answer asks to load, before it is compared with what was expected."""

    loaded: tuple[str, ...] = ()
    """Names of the catalog, each once, in the order of the calls."""
    invalid: tuple[str, ...] = ()
    """Names that are not in the catalog."""
    near: tuple[NearName, ...] = ()
    """For each name of `invalid` that is like a name of the catalog, which one and how far it is."""
    repeats: int = 0
    """How many loads were of a skill that the same answer had loaded before."""
    fault: str | None = None
    """The first label of `MODEL_ERRORS` that applies whatever was expected, or `infra:content_filter`."""
    cut: bool = False
    """Whether the text was cut at the token limit."""
    detail: str = ""
    """What is wrong, for a person."""


def read_answer(
    reply: ChatReply,
    names: Names | Sequence[str],
    *,
    choice: str,
    tool_name: str = "skill",
    argument: str = "name",
    paths: Mapping[str, str] = MappingProxyType({}),
) -> Answer:
    """Return what a reply asks to load.

    Args:
        reply: the model's answer.
        names: the names in the catalog, or more that is known of names.
        choice: `json` (a JSON object in the content), or how calls of the skill tool were asked for.
        tool_name: the skill tool's name on the wire.
        argument: by which argument it is told the skill.
        paths: where a skill is loaded by its file, the paths to the names.
    """
    known = names if isinstance(names, Names) else Names(catalog=tuple(names))
    if reply.finish_reason == "content_filter":
        return Answer(fault="infra:content_filter", detail="the service's content filter cut the answer")
    cut = reply.finish_reason == "length"
    if choice == "json":
        return _read_json(reply, known, cut)
    if not reply.tool_calls:
        return _without_call(reply, known, tool_name, cut)
    asked: list[str] = []
    faults: dict[str, str] = {}
    for call in reply.tool_calls:
        if call.name != tool_name:
            wrapper = " (a wrapper around calls, which was not offered)" if call.name in _WRAPPERS else ""
            faults.setdefault("wrong_tool", f"called the tool {call.name!r}{wrapper}")
            continue
        name = _argument(call.arguments, argument)
        if name is None:
            faults.setdefault("malformed_args", f"arguments {call.arguments[:80]!r}")
        else:
            asked.append(paths.get(name, name))
    return _answer(asked, known, faults, cut)


def _read_json(reply: ChatReply, names: Names, cut: bool) -> Answer:
    text = reply.content.strip()
    if not text:
        return _without_call(reply, names, "", cut)
    try:
        data = json_parse(text)
    except (ValueError, RecursionError):
        data = None
    found = data.get("skills") if isinstance(data, dict) else None
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        if reply.refusal:
            return Answer(fault="refusal", detail=reply.refusal[:80])
        fault = "length_cut" if cut else "malformed_args"
        return Answer(fault=fault, cut=cut, detail=f"content {text[:80]!r}")
    if NO_SKILL in found and set(found) != {NO_SKILL}:
        return Answer(fault="malformed_args", detail=f"both no skill and skills: {text[:80]!r}")
    return _answer([name for name in found if name != NO_SKILL], names, {}, cut)


def _without_call(reply: ChatReply, names: Names, tool_name: str, cut: bool) -> Answer:
    text = reply.content.strip()
    if reply.refusal:
        return Answer(fault="refusal", cut=cut, detail=reply.refusal[:80])
    if not text:
        return Answer(fault="length_cut" if cut else "empty", cut=cut)
    for match in _TEXT_CALL.finditer(text):
        word = match["json"] or match["call"]
        if word is None or word == tool_name or word in names.catalog:
            return Answer(fault="text_call", cut=cut, detail=f"text {text[match.start() :][:80]!r}")
    return Answer(cut=cut)


def _argument(arguments: str, key: str) -> str | None:
    data = parse_arguments(arguments)
    name = data.get(key) if isinstance(data, dict) else None
    return name if isinstance(name, str) else None


def _answer(asked: Sequence[str], names: Names, faults: dict[str, str], cut: bool) -> Answer:
    known = set(names.catalog)
    nearest: dict[str, NearName | None] = {}
    for name in asked:
        if name in known:
            continue
        nearest[name] = near = near_name(name, names.catalog)
        faults.setdefault(_kind(name, names), f"asked for {name[:80]!r}" + (f", {near}" if near else ""))
    loaded = [name for name in asked if name in known]
    counts = Counter(loaded)
    repeats = counts.total() - len(counts)
    if repeats:
        twice = next(name for name in loaded if counts[name] > 1)
        faults.setdefault("double_load", f"asked for {twice!r} {counts[twice]} times")
    if again := [name for name in asked if name in names.loaded]:
        faults.setdefault("reload_after_user_load", f"asked for {again[0]!r}, which the user had loaded")
    fault = next((label for label in MODEL_ERRORS if label in faults), None)
    if fault == "malformed_args" and cut:
        fault = "length_cut"
    return Answer(
        loaded=tuple(counts),
        invalid=tuple(name for name in asked if name not in known),
        near=tuple(near for near in nearest.values() if near is not None),
        repeats=repeats,
        fault=fault,
        cut=cut,
        detail=faults.get(fault or "", faults.get("malformed_args", "")),
    )


def _kind(name: str, names: Names) -> str:
    if name in names.stale:
        return "stale_name"
    if name in names.hidden:
        return "not_model_invocable"
    return "unknown_name" if is_skill_name(name) else "invalid_name"
