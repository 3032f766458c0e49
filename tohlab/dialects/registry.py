"""How something is found by its name when it is first asked for."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable, Mapping
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
    check_name(name, modules)
    return importlib.import_module(modules[name])


def check_name(name: str, known: Iterable[str]) -> None:
    """Raise an error where a name is none of those that are known.

    Raises:
        UnknownDialect: the message has the nearest name and the known ones.
    """
    names = tuple(sorted(known))
    if name not in names:
        near = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.5)
        raise UnknownDialect(name, names, near[0] if near else None)
