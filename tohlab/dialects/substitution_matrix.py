"""What every harness does with the arguments of a skill, side by side, found by trying it.

Each harness that takes arguments is given small skills through each of its doors, and what comes out is read.
So the matrix says what tohlab renders, and no rule is told twice. A row is as sure as its harness is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal

from tohlab.dialects.base import Fidelity
from tohlab.dialects.harness import FileTree, Harness, Setting
from tohlab.dialects.harnesses import get_harness, harness_names
from tohlab.dialects.substitution import Missing, Words

DoorKind = Literal["tool", "user", "none"]

NAME: Final = "probe"
_SETTING: Final = Setting(root="/skills", bundled=False)
_MARKED: Final = re.compile("⟦(.*?)⟧", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """One way by which a skill is started with arguments."""

    harness: str
    kind: DoorKind
    tool: str = ""
    parameters: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    """For a tool: its parameters, with `{name}` and `{arguments}` in their values."""
    names: str = "arguments: [{names}]\n"
    """How a skill declares names for its words, whole lines of frontmatter."""
    gesture: str = ""
    """For a user: what is typed, with `{name}`; arguments follow after a space."""


def _tool(harness: str, tool: str, name: str, arguments: str, **more: str) -> Door:
    parameters = MappingProxyType({name: "{name}", arguments: "{arguments}"})
    return Door(harness=harness, kind="tool", tool=tool, parameters=parameters, **more)


DOORS: Final = (
    _tool("claude-code", "Skill", "skill", "args"),
    Door(harness="claude-code", kind="user", gesture="/{name}"),
    _tool("cline", "skills", "skill", "args"),
    Door(harness="codex", kind="user", gesture="${name}"),
    _tool("goose", "load_skill", "name", "args", names="metadata:\n  arguments: [{names}]\n"),
    Door(harness="hermes", kind="user", gesture="/{name}"),
    Door(harness="mistral-vibe", kind="user", gesture="/{name}"),
    Door(harness="opencode", kind="user", gesture="/{name}"),
    Door(harness="pi", kind="user", gesture="/skill:{name}"),
    _tool("qwen-code", "skill", "skill", "args"),
    Door(harness="qwen-code", kind="user", gesture="/{name}"),
    _tool("roo", "skill", "skill", "args"),
    _tool("supercode", "skill", "name", "arguments"),
    Door(harness="supercode", kind="user", gesture="/{name}"),
    Door(harness="toh", kind="user", gesture="/{name}"),
)
"""Every door that takes arguments; a harness that is not here has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubstitutionRow:
    """What one door of one harness does with arguments. None where the question does not arise."""

    harness: str
    door: DoorKind
    """`none`: the harness has no way of giving a skill arguments."""
    fidelity: Fidelity
    whole: bool
    """Whether `$ARGUMENTS` becomes the arguments as typed."""
    first: Literal[0, 1] | None
    """The number of the first word; None where no number is replaced."""
    words: Words | None
    """How arguments are split into words."""
    missing: Missing | None
    """What a number beyond the last word becomes."""
    zero: Missing | None
    """What `$0` becomes where the first word is `$1`, beside other numbers."""
    two_digits: bool | None
    """Whether `$12` is the twelfth word."""
    whole_number: bool | None
    """Whether `$1x` is left alone."""
    last_swallows: bool | None
    """Whether the highest number takes all the words that are left."""
    indexed: bool
    """Whether `$ARGUMENTS[N]` is a word."""
    named: bool
    """Whether names that a skill declares are words."""
    missing_name: Missing | None
    """What a declared name beyond the last word becomes."""
    fenced: bool | None
    """Whether placeholders in fenced code are replaced too."""
    escape: bool | None
    """Whether a backslash keeps a placeholder and goes away."""
    rescan: bool | None
    """Whether a placeholder inside a value is replaced in its turn."""
    replacement_patterns: bool | None
    """Whether `$&` in the arguments means what JavaScript's `replaceAll` makes of it."""
    unused: str
    """How arguments are told where the body has no placeholder, as for `alpha bravo`; empty: not at all."""
    as_typed: bool
    """Whether the user's own line is sent as well, arguments and all."""

    @property
    def substitutes(self) -> bool:
        """Whether anything in a body is replaced at all."""
        return self.whole or self.first is not None or self.named


def substitution_matrix() -> tuple[SubstitutionRow, ...]:
    """Return one row for each door that takes arguments and one for each harness that has none, by name."""
    with_doors = {door.harness for door in DOORS}
    rows = [_row(door) for door in DOORS]
    rows += [_no_row(get_harness(name)) for name in harness_names() if name not in with_doors]
    return tuple(sorted(rows, key=lambda row: (row.harness, row.door)))


def try_door(door: Door, body: str, arguments: str, fields: str = "") -> str:
    """Return what a model reads when a skill with this body is started through a door.

    Args:
        door: how.
        body: the skill's text.
        arguments: as typed; empty for none.
        fields: further frontmatter, whole lines.
    """
    harness = get_harness(door.harness)
    tree = FileTree.of({f"{NAME}/SKILL.md": f"---\nname: {NAME}\ndescription: d\n{fields}---\n{body}\n"})
    loaded = harness.load(tree, _SETTING)
    if door.kind == "tool":
        given: dict[str, Any] = {
            key: value.format(name=NAME, arguments=arguments)
            for key, value in door.parameters.items()
            if arguments or "{arguments}" not in value
        }
        answer = harness.call(door.tool, given, loaded, tree, _SETTING)
        return answer.text or str(answer.json)
    return "\n".join(harness.user(_typed(door, arguments), loaded, tree, _SETTING).texts)


def _typed(door: Door, arguments: str) -> str:
    return f"{door.gesture.format(name=NAME)} {arguments}".rstrip(" ")


def _inside(door: Door, text: str, arguments: str, fields: str = "") -> str:
    match = _MARKED.search(try_door(door, f"⟦{text}⟧", arguments, fields))
    assert match is not None, f"{door.harness} ({door.kind}) does not show a skill's body"
    return match[1]


def _row(door: Door) -> SubstitutionRow:
    whole = _inside(door, "$ARGUMENTS", "a  b") == "a  b"
    pair = _inside(door, "$0|$1|", "a b")
    first: Literal[0, 1] | None = 0 if pair == "a|b|" else 1 if pair.split("|")[1].startswith("a") else None
    named = _inside(door, "$who|", "a", door.names.format(names="who")) == "a|"
    numbers = first is not None
    replaced = whole or numbers
    one = f"${first}" if numbers else "$ARGUMENTS"
    far = f"${(first or 0) + 8}"
    return SubstitutionRow(
        harness=door.harness,
        door=door.kind,
        fidelity=get_harness(door.harness).provenance_of("call" if door.kind == "tool" else "user").fidelity,
        whole=whole,
        first=first,
        words=_words(door, first) if numbers else None,
        missing=_missing(_inside(door, f"{one} {far}|", "a"), "a ", far) if numbers else None,
        zero=_missing(_inside(door, "$1 $0|", "a"), "a ", "$0") if first == 1 else None,
        two_digits=_inside(door, "$12|", "a b c") not in ("a2|", "b2|") if numbers else None,
        whole_number=_inside(door, f"{one}x|", "a") == f"{one}x|" if numbers else None,
        last_swallows=_inside(door, f"{one}|", "a b") == "a b|" if numbers else None,
        indexed=_inside(door, "$ARGUMENTS[1]", "a b") == "b",
        named=named,
        missing_name=_missing(
            _inside(door, "$who $else|", "a", door.names.format(names="who, else")), "a ", "$else"
        )
        if named
        else None,
        fenced=_inside(door, f"\n```\n{one}\n```\n", "a") == "\n```\na\n```\n" if replaced else None,
        escape=_inside(door, rf"\{one}", "a") == one if replaced else None,
        rescan=_inside(door, f"{one} {far}|", "$ARGUMENTS x").startswith("$ARGUMENTS x") if numbers else None,
        replacement_patterns=_inside(door, "$ARGUMENTS", "$&") != "$&" if whole else None,
        unused=_unused(door),
        as_typed=door.kind == "user"
        and _typed(door, "alpha bravo") in try_door(door, "Plain.", "alpha bravo"),
    )


def _words(door: Door, first: int | None) -> Words:
    start = first or 0
    text = _inside(door, f"${start}|${start + 1}|", "x'y z'w")
    if text.startswith("xy zw|"):
        return "shell"
    if text.startswith("x|y z"):
        return "quotes"
    return "leading" if _inside(door, f"${start}|", "'x y' z").startswith("x y|") else "space"


def _missing(text: str, before: str, literal: str) -> Missing:
    end = text.removeprefix(before).removesuffix("|")
    return "empty" if end == "" else "literal" if end == literal else "undefined"


def _unused(door: Door) -> str:
    arguments = "alpha bravo"
    without, given = try_door(door, "Plain.", ""), try_door(door, "Plain.", arguments)
    if door.kind == "user":
        without, given = without.removeprefix(_typed(door, "")), given.removeprefix(_typed(door, arguments))
    start = _common(without, given)
    rest, more = without[start:], given[start:]
    stop = _common(rest[::-1], more[::-1])
    return _shifted(given, start, len(more) - stop)


def _common(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _shifted(text: str, start: int, length: int) -> str:
    # Where what was put in ends as the text before it does, it may as well begin earlier: with its line.
    shift = 0
    while shift < start and text[start - shift - 1] == text[start + length - shift - 1]:
        shift += 1
        if text[start - shift] == "\n":
            return text[start - shift : start + length - shift]
    return text[start : start + length]


def _no_row(harness: Harness) -> SubstitutionRow:
    return SubstitutionRow(
        harness=harness.name,
        door="none",
        fidelity=harness.provenance_of("user").fidelity,
        whole=False,
        first=None,
        words=None,
        missing=None,
        zero=None,
        two_digits=None,
        whole_number=None,
        last_swallows=None,
        indexed=False,
        named=False,
        missing_name=None,
        fenced=None,
        escape=None,
        rescan=None,
        replacement_patterns=None,
        unused="",
        as_typed=False,
    )
