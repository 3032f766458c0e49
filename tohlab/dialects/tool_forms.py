"""How a tool is told in the forms that several harnesses' APIs share."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any


def chat_tool(name: str, description: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool as chat completions take it, keys in the order in which programs send them.

    Args:
        name: what a call names.
        description: what the model reads of it.
        parameters: the JSON Schema of the arguments; the result has a copy that may be changed.
    """
    schema = deepcopy(dict(parameters))
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": schema},
    }
