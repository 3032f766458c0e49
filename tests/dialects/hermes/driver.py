"""Hermes Agent with small skills: what loads, what is listed, what a call and a user get."""

from __future__ import annotations

import json
from typing import Any

from tohlab.dialects.harness import FileTree, Listing, Loaded, Setting, UserTurn
from tohlab.dialects.harnesses import get_harness

HERMES = get_harness("hermes")


ROOT = "/home/user/.hermes/skills"


def skill(name: str, *more: str, description: str = "d", body: str = "Do it.") -> str:
    return "\n".join(("---", f"name: {name}", f"description: {description}", *more, "---", "", body, ""))


def setting(tools: tuple[str, ...] | None = None, **options: Any) -> Setting:
    return Setting(root=ROOT, tools=tools, options=options)


def tree_of(files: dict[str, str | bytes]) -> FileTree:
    return FileTree({p: t if isinstance(t, bytes) else t.encode() for p, t in files.items()})


def load(files: dict[str, str | bytes], here: Setting | None = None) -> Loaded:
    return HERMES.load(tree_of(files), here or setting())


def listing(files: dict[str, str | bytes], here: Setting | None = None) -> Listing:
    return HERMES.listing(load(files, here), here or setting())


def block(files: dict[str, str | bytes], here: Setting | None = None) -> str:
    text = listing(files, here).text
    return text.partition("<available_skills>\n")[2].rpartition("</available_skills>")[0]


def call(
    files: dict[str, str | bytes], here: Setting | None = None, tool: str = "skill_view", **given: Any
) -> Any:
    tree, here = tree_of(files), here or setting()
    return json.loads(HERMES.call(tool, given, HERMES.load(tree, here), tree, here).text or "")


def user(text: str, files: dict[str, str | bytes], here: Setting | None = None) -> UserTurn:
    tree, here = tree_of(files), here or setting()
    return HERMES.user(text, HERMES.load(tree, here), tree, here)


FULL: dict[str, str | bytes] = {
    "a/SKILL.md": skill("a", body="In ${HERMES_SKILL_DIR} as ${HERMES_SESSION_ID}: !`date` $1"),
    "a/references/r.md": "# R\r\n",
    "a/references/deep/r.md": "# R\n",
    "a/scripts/run.sh": "echo\n",
    "a/assets/x/y.bin": b"\xff\x00",
    "a/notes.md": "n\n",
    "a/data.csv": "1\n",
}
