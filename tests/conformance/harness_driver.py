"""From a harness vector's `files` and `params` alone to what tohlab gives, in the form the vector holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tohlab.dialects.harness import FileTree, Setting, UserTurn
from tohlab.dialects.harnesses import get_harness

Row = dict[str, Any]

NAMES = {"skills-ref": "agent-skills"}
"""A vector's harness to our name, where they differ."""

SETTING_KEYS = ("window_tokens", "model", "tools", "bundled")


@dataclass(frozen=True)
class Given:
    """What a vector gives: the harness, the files, and the setting."""

    harness: Any
    tree: FileTree
    setting: Setting
    params: dict[str, Any]


def given(row: Row) -> Given:
    """Return a row's input as values."""
    params = dict(row["input"].get("params") or {})
    known: dict[str, Any] = {k: params[k] for k in SETTING_KEYS if k in params}
    if known.get("tools") is not None:
        known["tools"] = tuple(known["tools"])
    options = {k: v for k, v in params.items() if k not in SETTING_KEYS}
    name = row["harness"]
    return Given(
        harness=get_harness(NAMES.get(name, name)),
        tree=FileTree.of(row["input"]["files"]),
        setting=Setting(options=options, **known),
        params=params,
    )


def turn_as_text(turn: UserTurn) -> str:
    """Return the one text of a user turn."""
    assert len(turn.texts) == 1, turn
    return turn.texts[0]
