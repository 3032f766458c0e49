"""What programs fall back on where their YAML library fails: readers of single lines."""

from __future__ import annotations

import re
from typing import Any, Final

from tohlab.ecma import trim


def key_value_lines(block: str) -> dict[str, str]:
    """Return what a plain split at the first colon of each line gives; other lines are passed over.

    Quotes stay, indentation and nesting are lost, the last of two equal keys wins. This is what a program
    falls back on when its YAML library fails.
    """
    found: dict[str, str] = {}
    for line in block.strip().split("\n"):
        key, colon, value = line.partition(":")
        if colon:
            found[key.strip()] = value.strip()
    return found


def simple_lines(block: str) -> dict[str, Any]:
    """Return what qwen-code's own line reader gives, on which it falls back when its YAML library fails.

    Lines of `key: value`, lists (`  - item`) and mappings one level down; the last of two equal keys wins.
    Values are true, false, null, a number, a text in double quotes or the rest of the line.
    """
    rows = [row for row in block.split("\n") if trim(row) and not trim(row).startswith("#")]
    found: dict[str, Any] = {}
    array: list[Any] | None = None
    mapping: dict[str, Any] | None = None
    array_key = mapping_key = ""
    for row, below in zip(rows, [*rows[1:], ""], strict=False):
        if row.startswith("  - "):
            array = [*(array or []), _simple_value(trim(row[4:]))]
            continue
        if array is not None:
            found[array_key], array, array_key = array, None, ""
        name, colon, rest = row.partition(":")
        name, value = trim(name), trim(rest)
        if mapping is not None and row.startswith("  "):
            mapping[name] = _simple_value(value)
            continue
        if mapping is not None:
            found[mapping_key], mapping, mapping_key = mapping, None, ""
        if colon and value:
            found[name] = _simple_value(value)
        elif colon and below.startswith("  ") and not below.startswith("  - "):
            mapping, mapping_key, array_key = {}, name, ""
        elif colon:
            array_key = name
    if array is not None:
        found[array_key] = array
    if mapping is not None:
        found[mapping_key] = mapping
    return found


def _simple_value(text: str) -> Any:
    words: dict[str, Any] = {"true": True, "false": False, "null": None}
    if text in words or not text:
        return words.get(text, "")
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    if _JS_NUMBER.fullmatch(text):
        return int(text, 0) if text[:2].lower() in ("0x", "0o", "0b") else float(text)
    return text


_JS_NUMBER: Final = re.compile(
    r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+"
)
