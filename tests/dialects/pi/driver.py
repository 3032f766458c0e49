"""pi with small skills: what loads and what is listed."""

from __future__ import annotations

from tohlab.dialects.harness import FileTree, Loaded, Setting
from tohlab.dialects.harnesses import get_harness
from tohlab.dialects.pi import Pi

SETTING = Setting(root="/s")


def pi() -> Pi:
    harness = get_harness("pi")
    assert isinstance(harness, Pi)
    return harness


def skill(name: str, description: str = "Does it.", more: str = "", body: str = "\nBody.\n") -> str:
    return f"---\nname: {name}\ndescription: {description}\n{more}---\n{body}"


def load(texts: dict[str, str], setting: Setting = SETTING) -> Loaded:
    return pi().load(FileTree.of(texts), setting)


def listed(texts: dict[str, str], setting: Setting = SETTING) -> str:
    return pi().listing(load(texts, setting), setting).text


TWO = {"b/SKILL.md": skill("b", "Uses <x> & 'y'."), "a/SKILL.md": skill("a")}
