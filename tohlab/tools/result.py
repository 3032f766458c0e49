"""What comes into a tool and what comes of it: a model's arguments, and the result that it reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tohlab.dialects import Dialect
from tohlab.ecma import json_parse


def parse_arguments(raw: str) -> Any:
    """Return what a harness makes of the arguments that a model wrote.

    An empty string is `{}`; JSON is its value, `null` is None; anything else stays the string it is, and then
    fails the tool's schema. `NaN` and `Infinity` are not JSON, as in JavaScript.
    """
    if raw == "":
        return {}
    try:
        return json_parse(raw)
    except (ValueError, RecursionError):
        return raw


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What came of a call."""

    text: str
    """What the model reads."""
    is_error: bool = False
    value: Mapping[str, Any] | None = field(default=None, hash=False)
    """The result before it was rendered (`{name, provider, resourceBase?, content}`), or None."""
    code: str | None = None
    """The harness's own error code, such as `INVALID_ARGS`, where it gives one."""
    message: str | None = None
    """The error without its frame, or None."""
    error_name: str | None = None
    """The harness's own error class, where it gives one."""


def failure(dialect: Dialect, case: str, **facts: str) -> ToolResult:
    """Return the result of a call that failed in a way that the dialect has a text for."""
    error = dialect.error(case, **facts)
    return ToolResult(
        text=dialect.error_frame.format(message=error.message),
        is_error=True,
        code=error.code,
        message=error.message,
        error_name=error.error_name,
    )


def raised(dialect: Dialect, error: Exception) -> ToolResult:
    """Return the result of a call during which something raised: its own text, in the harness's frame.

    An error without a text, or whose text cannot be had, is told by the name of its class.
    """
    try:
        message = str(error) or type(error).__name__
    except Exception:  # its own __str__ is at fault, and the model is told of the first error
        message = type(error).__name__
    return ToolResult(text=dialect.error_frame.format(message=message), is_error=True, message=message)
