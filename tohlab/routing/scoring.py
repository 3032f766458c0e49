"""An answer gets exactly one label; the labels are counted.

An answer is scored (right or wrong), or it is a model error (scored as wrong, with a label that says how it
went wrong), or there was no answer (service error: not scored, counted beside the score). The labels, in the
order in which they are tried; the first that applies is the answer's label:

    infra:<kind>    no answer: the service failed, or its content filter cut the answer
    wrong_tool      a call of a tool that is not the skill tool (or of a `parallel` wrapper)
    malformed_args  arguments (in `json`: the content) that cannot be read: empty, cut, no object, no `name`
    invalid_name    a name that breaks the name grammar and is not in the catalog
    unknown_name    a well-formed name that is not in the catalog
    double_load     the same skill twice in one answer
    text_call       no call, but one written out in the text
    refusal         no call, and the API marks the answer as a refusal
    length_cut      no call and cut at the token limit, where a skill was expected or nothing was said
    empty           no call and no text
    ok              exactly the expected set
    missed          no call, though a skill was expected
    spurious        a call, though none was expected
    ok_extra        all the expected skills and others
    partial         some of the expected skills, not all
    wrong_skill     none of the expected skills

Text that is cut at the token limit without a call counts as an answer without a call where none was expected.
For a case that only says which skills must not be loaded, the last six are replaced by `avoided` and
`not_avoided`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from tohlab.ecma import json_parse
from tohlab.routing.client import ChatReply, Usage
from tohlab.routing.dataset import RoutingCase
from tohlab.skills.names import is_skill_name
from tohlab.tools import parse_arguments

State = Literal["scored", "model_error", "service_error"]

MODEL_ERRORS: Final = (
    "wrong_tool",
    "malformed_args",
    "invalid_name",
    "unknown_name",
    "double_load",
    "text_call",
    "refusal",
    "length_cut",
    "empty",
)
JUDGED: Final = ("ok", "missed", "spurious", "ok_extra", "partial", "wrong_skill")
NO_SKILL: Final = "(none)"
"""How `json` says that no skill fits; no skill can have this name."""
UNLABELLED: Final = ("avoided", "not_avoided")
_TEXT_CALL: Final = re.compile(
    r"<tool_call>|<function[=_]|\[TOOL_CALLS\]|<\|python_tag\|>|functools\["
    r'|"(?:name|function|tool)"\s*:\s*"(?P<json>[^"]+)"'
    r"|\b(?P<call>\w+)\(\s*(?:name\s*=\s*|\{\s*\"?name\"?\s*:\s*)[\"']"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What an answer asks to load, before it is compared with what was expected."""

    loaded: tuple[str, ...] = ()
    """Names of the catalog, each once, in the order of the calls."""
    invalid: tuple[str, ...] = ()
    """Names that are not in the catalog."""
    fault: str | None = None
    """The first label of `MODEL_ERRORS` that applies whatever was expected, or `infra:content_filter`."""
    cut: bool = False
    """Whether the text was cut at the token limit."""
    detail: str = ""
    """What is wrong, for a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One answer (or failure) to one case, with its label."""

    case: RoutingCase
    label: str
    replicate: int = 0
    loaded: tuple[str, ...] = ()
    invalid: tuple[str, ...] = ()
    detail: str = ""
    cut: bool = False
    usage: Usage = field(default_factory=Usage)
    latency_s: float | None = None
    """Seconds of the attempt that succeeded, when it was asked; None where there was no answer."""
    attempts: tuple[str, ...] = ()
    """Why earlier attempts failed."""
    stored: bool = False
    """Whether the answer was read from the store and not asked now."""

    @property
    def state(self) -> State:
        """Whether the answer is scored, a model error (scored as wrong), or a service error (not scored)."""
        if self.label.startswith("infra:"):
            return "service_error"
        return "model_error" if self.label in MODEL_ERRORS else "scored"

    @property
    def right(self) -> bool:
        """Whether exactly the expected skills were loaded."""
        return self.label == "ok"


def read_answer(reply: ChatReply, names: Sequence[str], *, choice: str, tool_name: str = "skill") -> Answer:
    """Return what a reply asks to load.

    Args:
        reply: the model's answer.
        names: the names in the catalog.
        choice: `tools` (calls of the skill tool) or `json` (a JSON object in the content).
        tool_name: the skill tool's name on the wire.
    """
    if reply.finish_reason == "content_filter":
        return Answer(fault="infra:content_filter", detail="the service's content filter cut the answer")
    cut = reply.finish_reason == "length"
    if choice == "json":
        return _read_json(reply, names, cut)
    if not reply.tool_calls:
        return _without_call(reply, names, tool_name, cut)
    asked: list[str] = []
    faults: dict[str, str] = {}
    for call in reply.tool_calls:
        if call.name != tool_name:
            faults.setdefault("wrong_tool", f"called the tool {call.name!r}")
            continue
        name = _argument(call.arguments)
        if name is None:
            faults.setdefault("malformed_args", f"arguments {call.arguments[:80]!r}")
        else:
            asked.append(name)
    return _answer(asked, names, faults, cut)


def judge(case: RoutingCase, answer: Answer) -> str:
    """Return the one label of an answer to a case (the order stands in this module's description)."""
    if answer.fault:
        return answer.fault
    loaded = set(answer.loaded)
    if case.expected is None:
        return "not_avoided" if loaded & set(case.not_expected) else "avoided"
    expected = set(case.expected)
    if answer.cut and not loaded and expected:
        return "length_cut"
    if loaded == expected:
        return "ok"
    if not loaded:
        return "missed"
    if not expected:
        return "spurious"
    if loaded > expected:
        return "ok_extra"
    return "partial" if loaded & expected else "wrong_skill"


def _read_json(reply: ChatReply, names: Sequence[str], cut: bool) -> Answer:
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


def _without_call(reply: ChatReply, names: Sequence[str], tool_name: str, cut: bool) -> Answer:
    text = reply.content.strip()
    if reply.refusal:
        return Answer(fault="refusal", cut=cut, detail=reply.refusal[:80])
    if not text:
        return Answer(fault="length_cut" if cut else "empty", cut=cut)
    for match in _TEXT_CALL.finditer(text):
        word = match["json"] or match["call"]
        if word is None or word == tool_name or word in names:
            return Answer(fault="text_call", cut=cut, detail=f"text {text[match.start() :][:80]!r}")
    return Answer(cut=cut)


def _argument(arguments: str) -> str | None:
    data = parse_arguments(arguments)
    name = data.get("name") if isinstance(data, dict) else None
    return name if isinstance(name, str) else None


def _answer(asked: Sequence[str], names: Sequence[str], faults: dict[str, str], cut: bool) -> Answer:
    known = set(names)
    for name in asked:
        if name in known:
            continue
        kind = "unknown_name" if is_skill_name(name) else "invalid_name"
        near = difflib.get_close_matches(name.lower().strip().replace("_", "-").replace(" ", "-"), names, n=1)
        faults.setdefault(kind, f"asked for {name[:80]!r}" + (f", nearest {near[0]!r}" if near else ""))
    loaded = [name for name in asked if name in known]
    if len(set(loaded)) < len(loaded):
        twice = next(name for name in loaded if loaded.count(name) > 1)
        faults.setdefault("double_load", f"asked for {twice!r} {loaded.count(twice)} times")
    fault = next((label for label in MODEL_ERRORS if label in faults), None)
    if fault == "malformed_args" and cut:
        fault = "length_cut"
    return Answer(
        loaded=tuple(dict.fromkeys(loaded)),
        invalid=tuple(name for name in asked if name not in known),
        fault=fault,
        cut=cut,
        detail=faults.get(fault or "", faults.get("malformed_args", "")),
    )
