"""From a harness vector's `files` and `params` alone to what tohlab gives, in the form the vector holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tohlab.dialects.harness import Answer, FileTree, Loaded, Setting, UserTurn
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

    def answer(self, loaded: Loaded, setting: Setting | None = None) -> Answer:
        """Return what the row's call gives back."""
        call, setting = self.params["call"], setting or self.setting
        found: Answer = self.harness.call(call["tool"], call["arguments"], loaded, self.tree, setting)
        return found

    def turn(self, loaded: Loaded, setting: Setting | None = None) -> UserTurn:
        """Return what the row's text of a user becomes."""
        text, setting = self.params["user_text"], setting or self.setting
        found: UserTurn = self.harness.user(text, loaded, self.tree, setting)
        return found

    def chat_tool(self, loaded: Loaded, setting: Setting | None = None) -> dict[str, Any]:
        """Return the tool that the row names, in the form of chat completions."""
        tools = self.harness.tools(loaded, setting or self.setting)
        by_name: dict[str, dict[str, Any]] = {tool["function"]["name"]: tool for tool in tools}
        return by_name[self.params["schema_of"]]


def holds_under_one_of(settings: Iterable[Setting], check: Callable[[Setting], None]) -> None:
    """Assert that a check holds under one of the settings that a row leaves open; else the first fault."""
    faults = []
    for setting in settings:
        try:
            check(setting)
        except AssertionError as error:
            faults.append(error)
        else:
            return
    raise faults[0]


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
