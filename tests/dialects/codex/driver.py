"""Codex with small skills: what loads, what is listed, what a text sends."""

from __future__ import annotations

from typing import Any

from tohlab.dialects.harness import FileTree, Listing, Loaded, Setting
from tohlab.dialects.harnesses import get_harness

CODEX: Any = get_harness("codex")


SETTING = Setting()


def skill(name: str, description: str = "d", *more: str) -> str:
    return "\n".join(("---", f"name: {name}", f"description: {description}", *more, "---", "", "Do it.", ""))


def load(files: dict[str, str], setting: Setting = SETTING) -> Loaded:
    loaded: Loaded = CODEX.load(FileTree.of(files), setting)
    return loaded


def listing(files: dict[str, str], **setting: Any) -> Listing:
    given_ = Setting(**setting)
    result: Listing = CODEX.listing(load(files, given_), given_)
    return result


def entries(text: str) -> list[str]:
    lines = text.split("\n")
    start = lines.index("### Available skills") + 1
    return [line for line in lines[start:] if line.startswith("- ") and line.endswith(".md)")]


def sent(text: str, files: dict[str, str]) -> list[str]:
    tree = FileTree.of(files)
    turn = CODEX.user(text, CODEX.load(tree, SETTING), tree, SETTING)
    assert turn.texts[0] == text
    return [body.split("\n")[1][len("<name>") : -len("</name>")] for body in turn.texts[1:]]


MANY = {
    f"unit-{n:03}/SKILL.md": skill(f"unit-{n:03}", f"{'harbour tide table ' * 5}number {n}.")
    for n in range(120)
}
