"""Claude Code with small skills: what loads and what is listed."""

from __future__ import annotations

from typing import Any

from tohlab.dialects.claude_code import HARNESS
from tohlab.dialects.harness import FileTree, Listing, Loaded, Setting

FILES = {
    "pdf/SKILL.md": (
        "---\nname: other\ndescription: Read & <fill>.\nwhen_to_use: For forms.\n---\n\nOpen $0.\n"
    ),
    "quiet/SKILL.md": "---\ndescription: Hidden.\ndisable-model-invocation: yes\n---\nShh.\n",
    "bare/SKILL.md": "# Heading of\nthe body\n\nMore.\n",
    "menu/SKILL.md": "---\ndescription: Background.\nuser-invocable: off\n---\nKnow this.\n",
}


def having(
    files: dict[str, str] = FILES, window: int | None = None, **options: Any
) -> tuple[FileTree, Loaded, Setting]:
    setting = Setting(root="/p/.claude/skills", window_tokens=window, options=options)
    tree = FileTree.of(files)
    return tree, HARNESS.load(tree, setting), setting


def listing(files: dict[str, str] = FILES, window: int | None = None, **options: Any) -> Listing:
    _, loaded, setting = having(files, window, **options)
    return HARNESS.listing(loaded, setting)


def lines(found: Listing) -> list[str]:
    return [found.text[s.start : s.stop] for s in found.spans]


def call(name: str, args: str = "", files: dict[str, str] = FILES, **options: Any) -> str:
    tree, loaded, setting = having(files, **options)
    text = HARNESS.call("Skill", {"skill": name, "args": args}, loaded, tree, setting).text
    assert text is not None
    return text


def body(text: str, args: str = "", head: str = "", **options: Any) -> str:
    files = {"x/SKILL.md": f"---\ndescription: d\n{head}---\n{text}\n"}
    return call("x", args, files, **options).split("\n\n", 1)[1]
