"""Dialects: how each harness says which skills there are, and what it answers when one is loaded.

One file per harness. A dialect's module is loaded when it is first asked for by name.
"""

from __future__ import annotations

import difflib
import importlib
from types import MappingProxyType
from typing import Final

from tohlab.dialects.base import Dialect, ErrorText, Fidelity, Placement, Provenance, Refresh
from tohlab.errors import UnknownDialect

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
    if dialect not in _MODULES:
        names = dialect_names()
        near = difflib.get_close_matches(dialect.lower(), names, n=1, cutoff=0.5)
        raise UnknownDialect(dialect, names, near[0] if near else None)
    found: Dialect = importlib.import_module(_MODULES[dialect]).DIALECT
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
