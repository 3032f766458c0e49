"""What counts as the name of a skill."""

from __future__ import annotations

import re
from typing import Final

_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def is_skill_name(text: str) -> bool:
    """Return whether `text` is a skill name: lower-case ASCII words and digits joined by single hyphens.

    There is no limit on the length, and nothing is trimmed: a final newline makes a name invalid. Source:
    `isSkillName` of the harness, checked against the `skill_name` vectors.
    """
    return _NAME.fullmatch(text) is not None
