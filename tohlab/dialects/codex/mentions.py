"""What in a user's text asks for a skill: `$name` anywhere, or a link `[$name](path)`.

Source: openai/codex `codex-rs/core-skills/src/injection.rs`, checked against the `gesture` vectors.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Final

from tohlab.dialects.codex.reading import SPACE, STRIPPED
from tohlab.dialects.harness import HarnessSkill

_NAME: Final = "[A-Za-z0-9_:-]+"
_ASK: Final = re.compile(rf"\[\$({_NAME})\][ \t\n\f\r]*\((?=[^)]*[^){SPACE}][^)]*\))([^)]*)\)|\$({_NAME})")
_OTHER_KINDS: Final = ("app://", "mcp://", "plugin://")
_SKILL_PREFIX: Final = "skill://"
VARIABLES: Final = frozenset(
    ("PATH", "HOME", "USER", "SHELL", "PWD", "TMPDIR", "TEMP", "TMP", "LANG", "TERM", "XDG_CONFIG_HOME")
)
"""Names that are never taken for a skill's, in any case of letters."""


def mentioned(
    text: str, skills: tuple[HarnessSkill, ...], path_of: Callable[[str], str]
) -> tuple[HarnessSkill, ...]:
    """Return the skills that a text asks for: the linked ones, then the named ones, each in list order.

    A name that two skills have asks for neither. A link asks for a path alone, whatever its name.

    Args:
        text: the user's text.
        skills: what loaded, in list order.
        path_of: gives the absolute path of a file of the tree.
    """
    names: set[str] = set()
    paths: set[str] = set()
    for match in _ASK.finditer(text):
        linked, path, plain = match.groups()
        if (linked or plain).upper() in VARIABLES:
            continue
        if plain:
            names.add(plain)
        elif not (path := path.strip(STRIPPED)).startswith(_OTHER_KINDS):
            paths.add(path.removeprefix(_SKILL_PREFIX))
    if not names and not paths:
        return ()
    found = [skill for skill in skills if path_of(skill.path) in paths]
    known = Counter(skill.name for skill in skills)
    taken = {skill.name for skill in found}
    for skill in skills:
        if skill.name in names and known[skill.name] == 1 and skill.name not in taken:
            found.append(skill)
    return tuple(found)
