"""Loading one skill, held against the contract that whoever loads relies on."""

from __future__ import annotations

from tohlab.errors import ProviderError
from tohlab.skills.model import LoadedSkill, SkillSource


def load_skill(source: SkillSource, name: str) -> LoadedSkill | None:
    """Return the skill of that name, or None where it is not there (any more) or another one came back.

    Args:
        source: where the skill is.
        name: its exact name.

    Raises:
        ProviderError: the body is no text; in the harness's words (`packages/skill/skill/src/index.ts`).
        Exception: whatever the source raises.
    """
    loaded = source.load(name)
    if loaded is None:
        return None
    if not isinstance(loaded.content, str):
        raise ProviderError(f'loaded skill "{loaded.name}" content must be a string', "TypeError")
    return loaded if loaded.name == name else None
