"""opencode with small skills: what loads, what is listed, what a call and a user get."""

from __future__ import annotations

from typing import Any

from tohlab.dialects.harness import Answer, FileTree, Listing, Loaded, Setting, UserTurn
from tohlab.dialects.harnesses import get_harness

OPENCODE = get_harness("opencode")


SETTING = Setting(root="/p", bundled=False)


def skill(name: str, description: str | None = "d", body: str = "Do it.") -> str:
    about = "" if description is None else f"description: {description}\n"
    return f"---\nname: {name}\n{about}---\n\n{body}\n"


def options(**given: Any) -> Setting:
    return Setting(root="/p", bundled=False, options=given)


def load(files: dict[str, str], setting: Setting = SETTING) -> Loaded:
    return OPENCODE.load(FileTree.of(files), setting)


def listing(files: dict[str, str], setting: Setting = SETTING) -> Listing:
    return OPENCODE.listing(load(files, setting), setting)


def listed(files: dict[str, str], setting: Setting = SETTING) -> list[str]:
    return [span.label.removeprefix("entry ").strip('"') for span in listing(files, setting).spans]


def call(asked: Any, files: dict[str, str], setting: Setting = SETTING, tool: str = "skill") -> Answer:
    tree = FileTree.of(files)
    arguments = {"name": asked} if isinstance(asked, str) else asked
    return OPENCODE.call(tool, arguments, OPENCODE.load(tree, setting), tree, setting)


def user(text: str, files: dict[str, str], setting: Setting = SETTING) -> UserTurn:
    tree = FileTree.of(files)
    return OPENCODE.user(text, OPENCODE.load(tree, setting), tree, setting)
