"""YAML text to a Rust struct, as the crate `serde_yaml` 0.9 reads it: a typed reader, not a general one.

The crate's scanner is libyaml's, which PyYAML's C parser is too, so the events, the errors and their places
are the same. What comes after differs: a struct takes the keys that it knows, passes over all others, and
every value has the kind that the field asks for. A plain `3000` is a text where a text is asked for.

Source: dtolnay/serde-yaml `src/de.rs` and `src/libyaml/error.rs`; checked against the `codex` vectors.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import yaml

from tohlab.skills.yaml12 import resolve_plain

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG_NULL: Final = "tag:yaml.org,2002:null"
_NULLS: Final = ("", "~", "null", "Null", "NULL")
_FLAGS: Final = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
MAX_ALIASES_IN_A_ROW: Final = 100
"""An alias that stands for an alias and so on; more can only be a loop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Struct:
    """What a program asks of a mapping: its known keys, each optional; other keys are passed over."""

    name: str
    """The struct's name in the program, which its errors tell."""
    fields: Mapping[str, Kind]


Kind = Literal["text", "flag"] | Struct
"""`text`: a string or null. `flag`: `true`, `false` or null. A `Struct`: a mapping or nothing."""


class SerdeError(Exception):
    """A text that does not fit; `str()` is the crate's message, `line` counts from 1 in the block."""

    def __init__(self, message: str, line: int | None, code: str = "invalid-yaml") -> None:
        self.line = line
        self.code = code
        super().__init__(message)


def load_struct(block: str, struct: Struct) -> tuple[dict[str, Any], dict[str, int]]:
    """Return the known fields that the block has, and the line of each (from 1).

    A field that is null is there as None; one that is not there is not there. An empty block has none.

    Raises:
        SerdeError: no YAML (`invalid-yaml`), a known key twice (`duplicate-key`), or a value of another kind
            than the field asks for (`wrong-type`).
    """
    reader = _Reader(_events(block))
    if not reader.events:
        return {}, {}
    lines: dict[str, int] = {}
    value = reader.read_struct(struct, "", lines)
    return value, lines


def _events(block: str) -> list[Any]:
    try:
        events = list(yaml.parse(block, Loader=_Loader))
    except yaml.MarkedYAMLError as error:
        raise _scanner_error(error, block.count("\n")) from None
    except yaml.reader.ReaderError as error:
        line = block.count("\n", 0, error.position) + 1
        raise SerdeError(f"{error.reason} at position {error.position}", line) from None
    except UnicodeEncodeError as error:
        raise SerdeError("invalid Unicode character", block.count("\n", 0, error.start) + 1) from None
    starts = [event for event in events if isinstance(event, yaml.DocumentStartEvent)]
    if len(starts) > 1:
        message = "deserializing from YAML containing more than one document is not supported"
        raise SerdeError(message, _line(starts[1]))
    return [event for event in events if isinstance(event, yaml.NodeEvent | yaml.CollectionEndEvent)]


def _scanner_error(error: yaml.MarkedYAMLError, last_line: int) -> SerdeError:
    mark, context = error.problem_mark, error.context_mark
    message = error.problem or error.context or "not YAML"
    if mark:
        message += f" at line {mark.line + 1} column {mark.column + 1}"
    if error.context and error.problem:
        message += f", {error.context}"
        if context and mark and (context.line, context.column) != (mark.line, mark.column):
            message += f" at line {context.line + 1} column {context.column + 1}"
    # What is never closed is found at the very end; the line that helps is the one that opens it.
    at = context if context and (mark is None or mark.line > last_line) else mark
    return SerdeError(message, at.line + 1 if at else None)


class _Reader:
    def __init__(self, events: list[Any]) -> None:
        self.events = events
        self.at = 0
        self.anchors: dict[str, int] = {}
        for index, event in enumerate(events):
            if isinstance(event, yaml.AliasEvent):
                if event.anchor not in self.anchors:
                    raise SerdeError("unknown anchor" + _place(event), _line(event))
            elif getattr(event, "anchor", None):
                self.anchors[event.anchor] = index

    def read_struct(self, struct: Struct, path: str, lines: dict[str, int]) -> dict[str, Any]:
        event = self.events[self.at]
        if isinstance(event, yaml.ScalarEvent) and event.value == "" and _is_plain(event):
            self.at += 1
            return {}
        if not isinstance(event, yaml.MappingStartEvent):
            raise _wrong_type(event, path, f"struct {struct.name}")
        self.at += 1
        found: dict[str, Any] = {}
        while not isinstance(self.events[self.at], yaml.MappingEndEvent):
            event = self._resolve(self.events[self.at])
            if not isinstance(event, yaml.ScalarEvent):
                raise _wrong_type(event, path, "field identifier")
            line, key = _line(self.events[self.at]), event.value
            self.at += 1
            kind = struct.fields.get(key)
            if kind is None:
                self._skip()
                continue
            if key in found:
                where = f"{path}: " if path else ""
                raise SerdeError(f"{where}duplicate field `{key}`", line, "duplicate-key")
            lines[key] = line
            found[key] = self._read(kind, f"{path}.{key}" if path else key)
        self.at += 1
        return found

    def _read(self, kind: Kind, path: str) -> Any:
        event = self.events[self.at]
        target = self._resolve(event)
        if isinstance(kind, Struct):
            if target is event:
                return self.read_struct(kind, path, {})
            back, self.at = self.at + 1, self.events.index(target)
            value = self.read_struct(kind, path, {})
            self.at = back
            return value
        self._skip()
        if not isinstance(target, yaml.ScalarEvent):
            raise _wrong_type(target, path, "a string" if kind == "text" else "a boolean")
        if _is_null(target):
            return None
        if kind == "text":
            return target.value
        if _is_plain(target) and target.value in _FLAGS:
            return _FLAGS[target.value]
        raise _wrong_type(target, path, "a boolean")

    def _resolve(self, event: Any) -> Any:
        for _ in range(MAX_ALIASES_IN_A_ROW):
            if not isinstance(event, yaml.AliasEvent):
                return event
            event = self.events[self.anchors[str(event.anchor)]]
        raise SerdeError("repetition limit exceeded", _line(event))

    def _skip(self) -> None:
        depth = 0
        while True:
            event = self.events[self.at]
            self.at += 1
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            if depth == 0:
                return


def _is_plain(event: yaml.ScalarEvent) -> bool:
    return event.style in (None, "")


def _is_null(event: yaml.ScalarEvent) -> bool:
    return _is_plain(event) and event.value in _NULLS and event.tag in (None, _TAG_NULL)


def _wrong_type(event: Any, path: str, expected: str) -> SerdeError:
    where = f"{path}: " if path else ""
    message = f"{where}invalid type: {_unexpected(event)}, expected {expected}{_place(event)}"
    return SerdeError(message, _line(event), "wrong-type")


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _place(event: Any) -> str:
    return f" at line {_line(event)} column {event.start_mark.column + 1}"


def _unexpected(event: Any) -> str:
    if isinstance(event, yaml.SequenceStartEvent):
        return "sequence"
    if isinstance(event, yaml.MappingStartEvent):
        return "map"
    value = resolve_plain(event.value) if _is_plain(event) and event.tag is None else event.value
    match value:
        case None:
            return "unit value"
        case bool():
            return f"boolean `{str(value).lower()}`"
        case int():
            return f"integer `{value}`"
        case float():
            return f"floating point `{value}`"
        case _:
            return f"string {json.dumps(value, ensure_ascii=False)}"
