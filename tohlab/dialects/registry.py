"""How something is found by its name when it is first asked for."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping
from types import ModuleType

from tohlab.errors import UnknownDialect


def module_named(name: str, modules: Mapping[str, str]) -> ModuleType:
    """Return the module that stands for a name; it is loaded now, if it was not before.

    Args:
        name: what was asked for.
        modules: every name there is, and the module that it stands for.

    Raises:
        UnknownDialect: no such name; the message has the nearest name and the known ones.
    """
    if name not in modules:
        names = tuple(sorted(modules))
        near = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.5)
        raise UnknownDialect(name, names, near[0] if near else None)
    return importlib.import_module(modules[name])
