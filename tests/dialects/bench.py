"""One harness with small skills: what loads, what is listed, what a call and a user get."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tohlab.dialects.harness import (
    Answer,
    FileTree,
    Harness,
    Listing,
    Loaded,
    Setting,
    Skipped,
    UserTurn,
)

Files = dict[str, str]


def skill(name: str, *more: str, description: str = "d", body: str = "Do it.") -> str:
    """Return the text of a skill's file; `more` are further lines of its frontmatter."""
    return "\n".join(("---", f"name: {name}", f"description: {description}", *more, "---", "", body, ""))


@dataclass(frozen=True)
class Bench:
    """A harness in one setting; each method takes another setting as well."""

    harness: Harness
    setting: Setting
    parameter: str
    """The argument of the load tool that names a skill."""

    def load(self, files: Files, setting: Setting | None = None) -> Loaded:
        return self.harness.load(FileTree.of(files), setting or self.setting)

    def names(self, files: Files, setting: Setting | None = None) -> list[str]:
        return [found.name for found in self.load(files, setting).skills]

    def only_skipped(self, text: str) -> Skipped:
        """Return why a text gives no skill."""
        loaded = self.load({"x/SKILL.md": text})
        assert loaded.skills == ()
        [row] = loaded.skipped
        return row

    def listing(self, files: Files, setting: Setting | None = None) -> Listing:
        return self.harness.listing(self.load(files, setting), setting or self.setting)

    def listed(self, files: Files, setting: Setting | None = None) -> list[str]:
        """Return the names in the order of the list."""
        return [span.label.removeprefix("entry ").strip('"') for span in self.listing(files, setting).spans]

    def call(
        self, asked: Any, files: Files, setting: Setting | None = None, tool: str | None = None
    ) -> Answer:
        """Return the answer to a call for a skill by its name, or with arguments as they are."""
        tree, here = FileTree.of(files), setting or self.setting
        arguments = {self.parameter: asked} if isinstance(asked, str) else asked
        name = tool or self.harness.load_tool or ""
        return self.harness.call(name, arguments, self.harness.load(tree, here), tree, here)

    def user(self, text: str, files: Files, setting: Setting | None = None) -> UserTurn:
        tree, here = FileTree.of(files), setting or self.setting
        return self.harness.user(text, self.harness.load(tree, here), tree, here)
