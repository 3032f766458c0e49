"""Gemini CLI with small skills: what loads, what is listed, what a call gives back."""

from __future__ import annotations

from typing import Any

from tohlab.dialects.gemini_cli import GeminiLoaded
from tohlab.dialects.harness import Answer, FileTree, Listing, Setting
from tohlab.dialects.harnesses import get_harness

GEMINI: Any = get_harness("gemini-cli")


ALONE = Setting(bundled=False)


def skill(name: str, description: str = "d", body: str = "Do it.") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n\n{body}\n"


def load(files: dict[str, str], setting: Setting = ALONE) -> GeminiLoaded:
    loaded: GeminiLoaded = GEMINI.load(FileTree.of(files), setting)
    return loaded


def listing(files: dict[str, str], **more: Any) -> Listing:
    setting = Setting(**{"bundled": False, **more})
    found: Listing = GEMINI.listing(load(files, setting), setting)
    return found


def names(files: dict[str, str]) -> list[str]:
    return [found.name for found in load(files).skills]


def call(
    arguments: Any, files: dict[str, str], setting: Setting = ALONE, tool: str = "activate_skill"
) -> Answer:
    tree = FileTree.of(files)
    answer: Answer = GEMINI.call(tool, arguments, GEMINI.load(tree, setting), tree, setting)
    return answer
