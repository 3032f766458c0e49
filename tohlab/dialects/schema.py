"""What is wrong with a value, by a JSON Schema, in a harness's words and in its order.

It knows what the tools' schemas use: `type`, `properties`, `required`, `additionalProperties: false`,
`items`, `enum`, `const` and `oneOf`. At each object it tells first which required properties are missing,
then what is wrong with the declared ones in the schema's order, then which are not declared. Source: TheOpen
Harness 0.1.1-rc.2, `packages/core/tools/src/json-schema.ts`; the `ask_args` and `skill_execute`
vectors judge it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from tohlab.ecma import json_stringify

ROOT: Final = "arguments"
"""What a violation of the whole is named where the path is empty."""


def violations(schema: Mapping[str, Any], value: Any, texts: Mapping[str, str], path: str = "") -> list[str]:
    """Return what is wrong with `value`, one text each, in walk order; empty if nothing is.

    Args:
        schema: of the kinds named in this module's head.
        value: any JSON value; a tuple counts as an array.
        texts: the harness's words by kind of break: `missing`, `undeclared`, `one-of`, `enum`, `const`,
            `finite`, `lossless`, `lossless-object`, `lossless-array`, and each type's name.
        path: where the value stands; empty for a tool's arguments, `value` for its output.
    """
    branches = schema.get("oneOf")
    if branches is not None:
        matched = sum(not violations(branch, value, texts, path) for branch in branches)
        return [] if matched == 1 else [_say(texts, "one-of", path, matched=matched)]
    kind = schema.get("type")
    match kind:
        case "object":
            return _object(schema, value, texts, path)
        case "array":
            return _array(schema, value, texts, path)
        case None:
            return [] if is_lossless(value) else [_say(texts, "lossless", path)]
    if not _is(kind, value):
        return [_say(texts, str(kind), path)]
    if kind == "number" and not is_lossless(value):
        return [_say(texts, "finite", path)]
    if "enum" in schema and value not in schema["enum"]:
        return [_say(texts, "enum", path, allowed=json_stringify(list(schema["enum"])))]
    if "const" in schema and value != schema["const"]:
        return [_say(texts, "const", path, allowed=json_stringify(schema["const"]))]
    return []


def _object(schema: Mapping[str, Any], value: Any, texts: Mapping[str, str], path: str) -> list[str]:
    if not isinstance(value, Mapping):
        return [_say(texts, "object", path)]
    properties: Mapping[str, Any] = schema.get("properties", {})
    missing = [key for key in schema.get("required", ()) if key not in value]
    found = [_say(texts, "missing", _join(path, key)) for key in missing]
    for key, child in properties.items():
        if key in value:
            found += violations(child, value[key], texts, _join(path, key))
    if schema.get("additionalProperties") is False:
        found += [_say(texts, "undeclared", _join(path, key)) for key in value if key not in properties]
    if not found and not is_lossless(value):
        found = [_say(texts, "lossless-object", path)]
    return found


def _array(schema: Mapping[str, Any], value: Any, texts: Mapping[str, str], path: str) -> list[str]:
    if not isinstance(value, (list, tuple)):
        return [_say(texts, "array", path)]
    items = schema.get("items")
    found: list[str] = []
    if items is not None:
        for index, item in enumerate(value):
            found += violations(items, item, texts, f"{path}[{index}]")
    if not found and not is_lossless(value):
        found = [_say(texts, "lossless-array", path)]
    return found


def _is(kind: Any, value: Any) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case "number":
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        case "integer":
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            return number and is_lossless(value) and value == math.floor(value)
    raise ValueError(f"a schema of type {kind!r} is not known here")


def is_lossless(value: Any) -> bool:
    """Return whether JSON brings `value` back as it is: no infinite number, no -0, nothing else."""
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, Mapping):
            if not all(isinstance(key, str) for key in item):
                return False
            todo += item.values()
        elif isinstance(item, (list, tuple)):
            todo += item
        elif isinstance(item, float):
            if not math.isfinite(item) or (item == 0 and math.copysign(1, item) < 0):
                return False
        elif item is not None and not isinstance(item, (str, bool, int)):
            return False
    return True


def _say(texts: Mapping[str, str], case: str, path: str, **facts: object) -> str:
    return texts[case].format(path=path or ROOT, **facts)


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
