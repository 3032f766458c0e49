"""What a part of a body must be, said with its place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tohlab.errors import RequestError

_JSON_NAMES: Mapping[type, str] = {
    dict: "an object",
    list: "an array",
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "nothing",
}


def expect(value: Any, kind: type, what: str, where: str) -> Any:
    """Return the value.

    Raises:
        RequestError: it is of another kind.
    """
    if isinstance(value, kind):
        return value
    found = _JSON_NAMES.get(type(value), type(value).__name__)
    raise RequestError(f"{what} is expected ({_JSON_NAMES[kind]}), not {found}", where=where)


def or_default(value: Any, default: Any) -> Any:
    """A key that is missing or null means the default; any other wrong value is for `_expect` to refuse."""
    return default if value is None else value
