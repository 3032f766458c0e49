"""A tool's JSON Schema as the TypeScript that gpt-oss reads, with the address of every character.

The way of writing is that of `openai-harmony` 0.0.8, found by feeding it schemas and held against it in the
tests. Its odd habits are kept: a description's further lines have no comment mark, an object's description
is written twice, `"x" | "y"[]` has no brackets, the first variant's description yields to the property's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from tohlab.ecma import json_stringify
from tohlab.jsonpath import join_path

Written = Iterator[tuple[str, str]]
"""Texts in order, each with the path of what it stands for."""

SHOWN_KEYS: Final = frozenset(
    {
        "type",
        "properties",
        "required",
        "description",
        "title",
        "examples",
        "default",
        "enum",
        "oneOf",
        "nullable",
        "items",
    }
)
"""Schema keys that can leave a trace in the text; any other is free to change."""

_NAMES: Final = {"integer": "number", "number": "number", "boolean": "boolean"}


def write_tool(name: str, description: str, parameters: Mapping[str, Any] | None, path: str) -> Written:
    """Yield one tool; `path` is its address, such as `tools[0]`."""
    for line in description.removesuffix("\n").split("\n") if description else ():
        yield "// ", path
        yield line.removesuffix("\r"), f"{path}.description"
        yield "\n", path
    yield "type ", path
    yield name, f"{path}.name"
    if parameters is None:
        yield " = () => any;", path
        return
    yield " = (_: ", path
    yield from _type(parameters, "", f"{path}.parameters")
    yield ") => any;", path


def _type(schema: Any, indent: str, path: str) -> Written:
    if not isinstance(schema, Mapping):
        yield "any", path
        return
    variants = schema.get("oneOf")
    if isinstance(variants, list):
        for i, variant in enumerate(variants):
            yield f"\n{indent} | ", path
            yield from _variant(variant, f"{indent}   ", f"{path}.oneOf[{i}]", quoted=True)
        return
    kind = schema.get("type")
    if isinstance(kind, list):
        names = [_NAMES.get(name, name) for name in kind if isinstance(name, str)]
        yield " | ".join(names) or "any", f"{path}.type"
    elif kind == "object":
        yield from _object(schema, indent, path)
    elif kind == "array":
        if "items" in schema:
            yield from _type(schema["items"], indent, f"{path}.items")
            yield "[]", path
        else:
            yield "Array<any>", f"{path}.type"
    elif kind == "string":
        if _is_enum(schema) and any(isinstance(value, str) for value in schema["enum"]):
            yield from _enum(schema["enum"], f"{path}.enum")
        else:
            yield "string", f"{path}.type"
    else:
        yield _NAMES.get(kind, "any") if isinstance(kind, str) else "any", f"{path}.type" if kind else path


def _enum(values: list[Any], path: str) -> Written:
    first = True
    for i, value in enumerate(values):
        if isinstance(value, str):
            yield ("" if first else " | "), path
            yield f'"{value}"', f"{path}[{i}]"
            first = False


def _object(schema: Mapping[str, Any], indent: str, path: str) -> Written:
    if isinstance(schema.get("description"), str):
        yield f"{indent}// ", path
        yield schema["description"], f"{path}.description"
        yield "\n", path
    yield "{\n", path
    properties = schema.get("properties")
    required = schema.get("required")
    needed = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set()
    if isinstance(properties, Mapping):
        for name, value in properties.items():
            at = join_path(f"{path}.properties", name)
            yield from _property(name, value, indent, at, optional=name not in needed)
    yield f"{indent}}}", path


def _property(name: str, schema: Any, indent: str, path: str, *, optional: bool) -> Written:
    value: Mapping[str, Any] = schema if isinstance(schema, Mapping) else {}
    variants = value.get("oneOf")
    by_variants = isinstance(variants, list)
    if isinstance(value.get("title"), str):
        yield from _comment(value["title"], indent, f"{path}.title", path)
        yield f"{indent}//\n", path
    if isinstance(value.get("description"), str) and "oneOf" not in value:
        yield from _comment(value["description"], indent, f"{path}.description", path)
    examples = value.get("examples")
    if isinstance(examples, list) and examples:
        yield f"{indent}// Examples:\n", f"{path}.examples"
        for i, example in enumerate(examples):
            if isinstance(example, str):
                yield from _comment(f'- "{example}"', indent, f"{path}.examples[{i}]", f"{path}.examples")
    mark = "?" if optional else ""
    if by_variants:
        yield from _property_of_variants(name, value, indent, path, mark)
        return
    yield f"{indent}{name}{mark}: ", path
    written = tuple(_type(schema, f"{indent}    ", path))
    yield from written
    yield from _null(value, written, path)
    yield ",", path
    if "default" in value and "oneOf" not in value:
        yield " // ", path
        yield _default(value), f"{path}.default"
    yield "\n", path


def _property_of_variants(name: str, value: Mapping[str, Any], indent: str, path: str, mark: str) -> Written:
    described = isinstance(value.get("description"), str)
    first = value["oneOf"][0] if value["oneOf"] else None
    if described and not (isinstance(first, Mapping) and first.get("description") == value["description"]):
        yield from _comment(value["description"], indent, f"{path}.description", path)
    if "default" in value:
        yield from _comment(_default(value), indent, f"{path}.default", path)
    yield f"{indent}{name}{mark}:\n", path
    for i, variant in enumerate(value["oneOf"]):
        yield f"{indent} | ", path
        twin = isinstance(variant, Mapping) and variant.get("description") == value.get("description")
        shown = not (described and (i == 0 or twin))
        yield from _variant(variant, f"{indent}   ", f"{path}.oneOf[{i}]", described=shown, quoted=False)
        yield "\n", path
    yield f"{indent},\n", path


def _variant(variant: Any, indent: str, path: str, *, quoted: bool, described: bool = True) -> Written:
    written = tuple(_type(variant, indent, path))
    yield from written
    if not isinstance(variant, Mapping):
        return
    yield from _null(variant, written, path)
    mark = " // "
    if described and isinstance(variant.get("description"), str):
        yield mark, path
        yield variant["description"], f"{path}.description"
        mark = " "
    if "default" in variant:
        yield mark, path
        yield _default(variant, quoted=quoted), f"{path}.default"


def _null(schema: Mapping[str, Any], written: tuple[tuple[str, str], ...], path: str) -> Written:
    # "null" anywhere in the type counts as saying so already, also in a comment.
    if schema.get("nullable") is True and "null" not in "".join(text for text, _ in written):
        yield " | null", f"{path}.nullable"


def _comment(text: str, indent: str, path: str, around: str) -> Written:
    yield f"{indent}// ", around
    yield text, path
    yield "\n", around


def _default(schema: Mapping[str, Any], *, quoted: bool = False) -> str:
    default = schema["default"]
    if not isinstance(default, str):
        return f"default: {json_stringify(default)}"
    return f'default: "{default}"' if quoted or not _is_enum(schema) else f"default: {default}"


def _is_enum(schema: Mapping[str, Any]) -> bool:
    return isinstance(schema.get("enum"), list) and bool(schema["enum"])
