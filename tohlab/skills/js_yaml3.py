"""YAML text to plain Python values as the npm package `js-yaml` 3 reads it (its `safeLoad`).

PyYAML's parser is kept; what follows it is js-yaml's: plain scalars with YAML 1.1's numbers and dates but the
truths of 1.2, duplicate keys and unknown tags as errors, `<<` as a merge. Held against js-yaml 3.15.2 over
real frontmatter and random text; what still differs is `a: ?` (a mapping there, an error here), a bare `!` in
a flow collection or before a colon (an error there, nothing here), what follows a flow collection on its line
(`[] b: c` is two keys there), and what follows a quoted text on its last line, where that spans lines.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable
from typing import Any, Final

import yaml

from tohlab.skills.yaml12 import MAX_DEPTH, TaggedScalar, YamlError, read_events

_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INT: Final = re.compile(
    r"[-+]?(?:(?P<two>0b_*[01][01_]*)|(?P<sixteen>0x_*[0-9a-fA-F][0-9a-fA-F_]*)|(?P<eight>0_*[0-7][0-7_]*)"
    r"|0|(?P<ten>[1-9][0-9_]*)(?P<sixty>(?::[0-5]?[0-9])*))(?<!_)"
)
_FLOAT: Final = re.compile(
    r"(?:[-+]?(?:0|[1-9][0-9_]*)(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9_]+(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))(?<!_)"
)
_DATE: Final = re.compile(
    r"[0-9]{4}-(?:[0-9]{2}-[0-9]{2}|[0-9][0-9]?-[0-9][0-9]?(?:[Tt]|[ \t]+)[0-9][0-9]?:[0-9]{2}:[0-9]{2}"
    r"(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9][0-9]?(?::[0-9]{2})?))?)"
)
_UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_TRAILING_PAIR: Final = re.compile(
    r"""^( *)([\w-]+:[ \t]+(?:"(?:[^"\\\n]|\\.)*+"|'(?:[^'\n]|'')*+'))[ \t]*([^#\s].*:(?:[ \t].*)?)$""",
    re.MULTILINE,
)
"""js-yaml takes `a: "b" c: d` for two keys of one mapping."""
_TAG: Final = "tag:yaml.org,2002:"
_SCALAR_TAGS: Final = ("str", "null", "bool", "int", "float", "timestamp", "binary", "merge")
_MAP_TAGS: Final = ("map", "set")
_LIST_TAGS: Final = ("seq", "omap", "pairs")
_MERGE: Final = object()
_NO_NODE: Final = ("did not find expected node content", "expected the node content, but found ','")
"""What the two parsers of PyYAML say of a comma where a value is awaited."""


class _Loader(yaml.SafeLoader):
    """A comma where a value is awaited in a flow collection stands for an empty one: `[a,,b]`."""

    def parse_flow_node(self) -> Any:
        parser: Any = super()  # without types in PyYAML's stubs
        if not parser.check_token(yaml.FlowEntryToken):
            return parser.parse_flow_node()
        self.state = self.states.pop()
        return parser.process_empty_scalar(parser.peek_token().start_mark)


def resolve_plain(text: str) -> Any:
    """Return what an unquoted scalar means: text, number, truth, null or a `TaggedScalar` for a date."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    match = _INT.fullmatch(text)
    if match is not None:
        return _integer(text, match)
    if _FLOAT.fullmatch(text):
        return _float(text)
    return TaggedScalar("timestamp", text) if _DATE.fullmatch(text) else text


def load_js_yaml3(text: str) -> tuple[Any, dict[str, int]]:
    """Return the one value that `text` holds and, for a mapping, the line of each of its keys (from 1).

    A value that holds itself, which js-yaml takes, holds None in that place here.

    Raises:
        YamlError: js-yaml refuses the text, or it is nested deeper than `MAX_DEPTH`.
    """
    strange = _UNPRINTABLE.search(text)
    if strange is not None:
        line = text.count("\n", 0, strange.start()) + 1
        raise YamlError("the stream contains non-printable characters", line, kind="YAMLException")
    text = re.sub("\r(?!\n)", "\n", text)
    last_line = text.count("\n") + 1
    text = text if text.endswith("\n") else f"{text}\n"
    try:
        return read_events(text, _build)
    except YamlError as error:
        reason = error.reason
        if reason in _NO_NODE:
            with contextlib.suppress(YamlError):  # the first reason is the one to tell
                return read_events(text, _build, _Loader)
        apart = _TRAILING_PAIR.sub(r"\1\2\n\1\3", text)
        if apart != text:
            try:
                return read_events(apart, _build)[0], {}
            except YamlError:
                pass  # the first reason is the one to tell
        if reason.startswith("mapping values are not allowed"):
            reason = "bad indentation of a mapping entry"
        at = None if error.line is None else min(error.line, last_line)
        raise YamlError(reason, at, kind="YAMLException", code=error.code) from None


def _integer(text: str, match: re.Match[str]) -> int:
    sign = -1 if text[0] == "-" else 1
    digits = text.lstrip("+-").replace("_", "")
    if match["two"]:
        return sign * int(digits[2:], 2)
    if match["sixteen"]:
        return sign * int(digits[2:], 16)
    if match["eight"]:
        return sign * int(digits, 8)
    value = 0
    for part in digits.split(":"):
        value = value * 60 + int(part[:4000])  # longer ones are a float there; nobody reads them
    return sign * value


def _float(text: str) -> float:
    sign, digits = (-1.0 if text[0] == "-" else 1.0), text.lstrip("+-").replace("_", "").lower()
    if digits in (".inf", ".nan"):
        return sign * float(digits[1:])
    value = 0.0
    for part in digits.split(":"):
        value = value * 60 + float(f"0{part}")
    return sign * value


class _Frame:
    __slots__ = ("anchor", "is_map", "items", "key", "lines", "merged", "waiting")

    def __init__(self, is_map: bool, anchor: str | None) -> None:
        self.is_map = is_map
        self.anchor = anchor
        self.items: Any = {} if is_map else []
        self.lines: dict[str, int] = {}
        self.merged: set[str] = set()
        self.waiting = False
        self.key: Any = ""


def _build(events: Iterable[Any], back: dict[int, str]) -> tuple[Any, dict[str, int]]:
    anchors: dict[str, Any] = {}
    stack: list[_Frame] = []
    documents = 0
    result: Any = None
    lines: dict[str, int] = {}
    for event in events:
        line = event.start_mark.line + 1
        match event:
            case yaml.ScalarEvent():
                value = _scalar(event, back, line)
                if event.anchor:
                    anchors[event.anchor] = value
            case yaml.AliasEvent():
                if event.anchor not in anchors:
                    raise YamlError(f'unidentified alias "{(event.anchor or "").translate(back)}"', line)
                value = anchors[event.anchor]
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                is_map = isinstance(event, yaml.MappingStartEvent)
                _check_tag(event.tag, _MAP_TAGS if is_map else _LIST_TAGS, line)
                if len(stack) >= MAX_DEPTH:
                    raise YamlError(f"Values are nested more than {MAX_DEPTH} deep", line)
                stack.append(_Frame(is_map, event.anchor))
                if event.anchor:
                    anchors[event.anchor] = None
                continue
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                frame = stack.pop()
                value, lines = frame.items, frame.lines
                if frame.anchor:
                    anchors[frame.anchor] = value
            case yaml.DocumentStartEvent():
                documents += 1
                if documents > 1:
                    reason = "expected a single document in the stream, but found more"
                    raise YamlError(reason, line)
                continue
            case _:
                continue
        if stack:
            _add(stack[-1], value, line)
        else:
            result = None if value is _MERGE else value
    return result, lines if isinstance(result, dict) else {}


def _add(frame: _Frame, value: Any, line: int) -> None:
    if not frame.is_map:
        frame.items.append("<<" if value is _MERGE else value)
    elif not frame.waiting:
        frame.key = value if value is _MERGE else _key_text(value, line)
        frame.waiting = True
        if value is not _MERGE:
            if frame.key in frame.items and frame.key not in frame.merged:
                raise YamlError("duplicated mapping key", line, code="duplicate-key")
            frame.lines.setdefault(frame.key, line)
    else:
        frame.waiting = False
        if frame.key is _MERGE:
            for source in value if isinstance(value, list) else [value]:
                if not isinstance(source, dict):
                    raise YamlError("cannot merge mappings; the provided source object is unacceptable", line)
                new = {k: v for k, v in source.items() if k not in frame.items}
                frame.items.update(new)
                frame.merged.update(new)
        else:
            frame.items[frame.key] = "<<" if value is _MERGE else value
            frame.merged.discard(frame.key)


def _check_tag(tag: str | None, known: tuple[str, ...], line: int) -> str | None:
    if tag is None or tag == "!":
        return None
    kind = tag.removeprefix(_TAG)
    if kind not in known or kind == tag:
        raise YamlError(f"unknown tag !<{tag}>", line)
    return kind


def _scalar(event: yaml.ScalarEvent, back: dict[int, str], line: int) -> Any:
    text: str = event.value.translate(back) if back else event.value
    kind = _check_tag(event.tag, _SCALAR_TAGS, line)
    if kind is None:
        if event.implicit[0] and event.tag is None:
            return _MERGE if text == "<<" else resolve_plain(text)
        return None if event.tag == "!" and not event.style and not text else text
    if kind == "str":
        return text
    if kind in ("timestamp", "binary"):
        return TaggedScalar(kind, text)
    value = _MERGE if kind == "merge" else resolve_plain(text)
    kinds: Any = {"null": type(None), "bool": bool, "int": int, "float": (int, float), "merge": object}[kind]
    if not isinstance(value, kinds):
        raise YamlError(f"cannot resolve a node with !<{event.tag}> explicit tag", line)
    return value


def _key_text(value: Any, line: int) -> str:
    match value:
        case str():
            return value
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case TaggedScalar():
            return value.text
        case int() | float():
            return str(value)
        case list():
            if any(isinstance(item, list) for item in value):
                raise YamlError("nested arrays are not supported inside keys", line)
            return ",".join("[object Object]" if isinstance(i, dict) else _key_text(i, line) for i in value)
        case _:
            return "[object Object]"
