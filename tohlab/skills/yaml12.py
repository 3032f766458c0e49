"""YAML 1.2 core text to plain Python values, with lines: what the harness's own YAML library makes of it.

PyYAML reads YAML 1.1. Its parser is kept (the C one where there is one) and everything after it is ours:
plain scalars by the 1.2 core schema, duplicate keys as errors, `<<` as a plain key, a limit on aliases, and
no recursion, so that nothing in a file can hang or crash a reader. Characters that 1.1 treats in its own way
(line breaks of Unicode, control characters) are swapped for private ones around the parser.

Source: the `frontmatter` vectors and the npm package `yaml` 2, whose default schema the harness uses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import yaml

T = TypeVar("T")
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

MAX_ALIASES: Final = 100
"""How often a value may be repeated through aliases, as npm `yaml` counts them."""
MAX_DEPTH: Final = 500
"""How deep values may be nested; deeper text is refused, before anything else could overflow."""

_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INT: Final = re.compile(r"[-+]?[0-9]+")
_OCTAL: Final = re.compile(r"0o[0-7]+")
_HEX: Final = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INF: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)")
_NAN: Final = (".nan", ".NaN", ".NAN")

# Not printable for YAML 1.1, or a line break for it alone. A lone carriage return is no break in 1.2.
_FOREIGN: Final = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|\r(?!\n)"
)
_TABBED: Final = re.compile(r" *\t")
_TABBED_NOTHING: Final = re.compile(r" *\t\s*(?:#.*)?")
_PRIVATE: Final = range(0xE000, 0xF8FF)
_TAG: Final = "tag:yaml.org,2002:"


class YamlError(Exception):
    """Text that is not YAML 1.2; `line` counts from 1 in the text that was given."""

    def __init__(
        self, reason: str, line: int | None, *, kind: str = "YAMLParseError", code: str = "invalid-yaml"
    ) -> None:
        self.reason = reason
        self.line = line
        self.kind = kind
        self.code = code
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class TaggedScalar:
    """A scalar whose tag makes it something that is neither text, number, truth nor null."""

    tag: str
    text: str


@dataclass(slots=True)
class _Anchor:
    value: Any
    weight: int  # how much one alias of it repeats
    count: int = 1
    open: bool = False


class _Frame:
    __slots__ = ("anchor", "is_map", "items", "key", "keys", "lines", "waiting", "weight")

    def __init__(self, is_map: bool, anchor: str | None) -> None:
        self.is_map = is_map
        self.anchor = anchor
        self.items: Any = {} if is_map else []
        self.keys: set[tuple[str, Any]] = set()
        self.lines: dict[str, int] = {}
        self.waiting = False  # a key was read, its value was not
        self.key = ""
        self.weight = 0


def resolve_plain(text: str) -> Any:
    """Return what an unquoted scalar means in the YAML 1.2 core schema: text, number, truth or null."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _INT.fullmatch(text):
        return int(text) if len(text) < 1000 else float(text)
    if _OCTAL.fullmatch(text):
        return int(text[2:], 8)
    if _HEX.fullmatch(text):
        return int(text[2:], 16)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _INF.fullmatch(text):
        return float("-inf" if text[0] == "-" else "inf")
    if text in _NAN:
        return float("nan")
    return text


def load_yaml(text: str) -> tuple[Any, dict[str, int]]:
    """Return the one value that `text` holds and, for a mapping, the line of each of its keys (from 1).

    Nothing at all is None. Keys are text, as JavaScript's object keys are. Known tags of YAML that stand for
    other kinds of value give a `TaggedScalar`; unknown tags are dropped, as the harness drops them.

    Raises:
        YamlError: for anything that is not one well-formed document of YAML 1.2, a duplicate key, a value
            that holds itself, nesting deeper than `MAX_DEPTH`, or more than `MAX_ALIASES` repetitions.
    """
    return read_events(text, _build)


def read_events(
    text: str, build: Callable[[Iterable[yaml.Event], dict[int, str]], T], loader: Any = _Loader
) -> T:
    """Return what `build` makes of the parser's events, for a reader with rules of its own.

    Args:
        text: YAML.
        build: gets the events, and the table by which `str.translate` gives back the characters that were
            swapped for private ones.
        loader: PyYAML's, or one with rules of its own.

    Raises:
        YamlError: the parser gave up, or `build` raised it.
    """
    text = text.removeprefix("\ufeff")
    back: dict[int, str] = {}
    foreign = sorted(set(_FOREIGN.findall(text)))
    if foreign:
        free = (code for code in _PRIVATE if chr(code) not in text)
        there = {char: chr(next(free)) for char in foreign}
        back = {ord(private): char for char, private in there.items()}
        text = _FOREIGN.sub(lambda m: there[m.group()], text)
    try:
        return build(_events(text, loader), back)
    except yaml.MarkedYAMLError as error:
        failure = error
    without = _without_tabbed_nothing(text)
    if without != text:
        try:
            return build(_events(without, loader), back)
        except yaml.MarkedYAMLError as error:
            failure = error
    mark = failure.problem_mark or failure.context_mark
    reason = failure.problem or failure.context or "not YAML"
    if mark and any(_TABBED.match(line) for line in text.split("\n")[mark.line : mark.line + 1]):
        reason = "Tabs are not allowed as indentation"
    raise YamlError(reason.translate(back), mark.line + 1 if mark else None)


def _events(text: str, loader: Any) -> Iterator[Any]:
    """The parser's events; a comment that touches the value before it is an error, as npm `yaml` has it."""
    for event in yaml.parse(text, Loader=loader):
        mark: Any = event.end_mark
        quoted = isinstance(event, yaml.ScalarEvent) and event.style in ("'", '"')
        if quoted or isinstance(event, yaml.CollectionEndEvent):
            end = mark.index
            if text[end : end + 1] == "#" and text[end - 1] in "'\"]}":
                raise YamlError(
                    "Comments must be separated from other tokens by white space characters", mark.line + 1
                )
        yield event


def _without_tabbed_nothing(text: str) -> str:
    # Lines of nothing but tabs, spaces and a comment may stand in 1.2 unless a value is still awaited.
    lines = text.split("\n")
    awaited = False
    for number, line in enumerate(lines):
        if not awaited and _TABBED_NOTHING.fullmatch(line):
            lines[number] = ""
        elif line.strip():
            awaited = line.rstrip().endswith(":")
    return "\n".join(lines)


def _build(events: Any, back: dict[int, str]) -> tuple[Any, dict[str, int]]:
    anchors: dict[str, _Anchor] = {}
    stack: list[_Frame] = []
    documents = 0
    result: Any = None
    lines: dict[str, int] = {}
    for event in events:
        line = event.start_mark.line + 1
        match event:
            case yaml.ScalarEvent():
                value, weight = _scalar(event, back), 1
                if event.anchor:
                    anchors[event.anchor] = _Anchor(value, 1)
            case yaml.AliasEvent():
                name = event.anchor or ""
                value, weight = _alias(name.translate(back), anchors.get(name), line)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                if len(stack) >= MAX_DEPTH:
                    raise YamlError(f"Values are nested more than {MAX_DEPTH} deep", line)
                stack.append(_Frame(isinstance(event, yaml.MappingStartEvent), event.anchor))
                if event.anchor:
                    anchors[event.anchor] = _Anchor(stack[-1].items, 0, open=True)
                continue
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                frame = stack.pop()
                value, weight, lines = frame.items, frame.weight, frame.lines
                if frame.anchor:
                    anchors[frame.anchor].weight = weight
                    anchors[frame.anchor].open = False
            case yaml.DocumentStartEvent():
                documents += 1
                if documents > 1:
                    raise YamlError("Source contains multiple documents", line)
                continue
            case _:
                continue
        if not stack:
            result = value
        else:
            _add(stack[-1], value, weight, line, isinstance(event, yaml.ScalarEvent))
    return result, lines if isinstance(result, dict) else {}


def _add(frame: _Frame, value: Any, weight: int, line: int, is_scalar: bool) -> None:
    frame.weight = max(frame.weight, weight)
    if not frame.is_map:
        frame.items.append(value)
    elif frame.waiting:
        frame.items[frame.key] = value
        frame.waiting = False
    else:
        key = _key_text(value)
        if is_scalar:
            identity = (_kind(value), value)
            if identity in frame.keys:
                reason = f'Map keys must be unique: "{key}" is there twice'
                raise YamlError(reason, line, code="duplicate-key")
            frame.keys.add(identity)
        frame.lines.setdefault(key, line)
        frame.key = key
        frame.waiting = True


def _alias(name: str, anchor: _Anchor | None, line: int) -> tuple[Any, int]:
    if anchor is None:
        reason = f"Unresolved alias (the anchor must be set before the alias): {name}"
        raise YamlError(reason, line, kind="ReferenceError")
    if anchor.open:
        raise YamlError(f"The alias {name} stands inside the value that it repeats", line)
    anchor.count += 1
    weight = anchor.count * anchor.weight
    if weight > MAX_ALIASES:
        reason = "Excessive alias count indicates a resource exhaustion attack"
        raise YamlError(reason, line, kind="ReferenceError")
    return anchor.value, weight


def _scalar(event: yaml.ScalarEvent, back: dict[int, str]) -> Any:
    text = event.value.translate(back) if back else event.value
    tag = event.tag
    if tag is None:
        return resolve_plain(text) if event.implicit[0] else text
    kind = tag.removeprefix(_TAG)
    if kind in ("binary", "timestamp"):
        return TaggedScalar(kind, text)
    if kind in ("int", "float", "bool", "null"):
        value = resolve_plain(text)
        return value if _kind(value) == {"int": "number", "float": "number"}.get(kind, kind) else text
    return text


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float)):
        return "number"
    return "text" if isinstance(value, str) else "other"


def _key_text(value: Any) -> str:
    match value:
        case str():
            return value
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer() and abs(value) < 1e21:
            return str(int(value))
        case int() | float():
            return str(value).replace("inf", "Infinity").replace("nan", "NaN")
        case list():
            return "[ " + ", ".join(map(_key_text, value)) + " ]"
        case dict():
            return "{ " + ", ".join(f"{k}: {_key_text(v)}" for k, v in value.items()) + " }"
        case _:
            return str(value)
