"""Dialects: how each harness says which skills there are, and what it answers when one is loaded.

One file per harness. A dialect's module is loaded when it is first asked for by name.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from tohlab.dialects.base import Dialect, ErrorText, Fidelity, Placement, Provenance, Refresh
from tohlab.dialects.registry import module_named

_MODULES: Final = MappingProxyType({"toh": "tohlab.dialects.toh"})
"""Name to the module whose `DIALECT` it is."""


def dialect_names() -> tuple[str, ...]:
    """Return the name of every dialect there is, sorted."""
    return tuple(sorted(_MODULES))


def get_dialect(dialect: str | Dialect) -> Dialect:
    """Return the dialect of that name; an instance is given back as it is.

    Raises:
        UnknownDialect: no dialect of that name; the message has the nearest name and the known ones.
    """
    if isinstance(dialect, Dialect):
        return dialect
    found: Dialect = module_named(dialect, _MODULES).DIALECT
    return found


__all__ = [
    "Dialect",
    "ErrorText",
    "Fidelity",
    "Placement",
    "Provenance",
    "Refresh",
    "dialect_names",
    "get_dialect",
]
