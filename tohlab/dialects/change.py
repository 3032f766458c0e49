"""What a model is told once the skills on disk have changed: in the running session, and taken up again.

Every harness says by `on_change` and `on_resume` what it does, and by `announced` and `reached` what that
comes to; here it is put together. A harness renders the list that it has; this says which list that is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from tohlab.dialects.harness import Harness, Listing, Loaded, OnChange, Setting

When = Literal["session", "resume"]
"""`session`: the next turn of the session that runs. `resume`: a new process takes the session up again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AfterChange:
    """What the next request of a session holds after its skills have changed."""

    how: OnChange
    listing: Listing
    """What stands where the list stood."""
    tools: tuple[dict[str, Any], ...] = field(hash=False)
    appended: tuple[str, ...]
    """What is appended to the conversation, before the user's next text."""
    reached: Loaded
    """What a tool call and a user's gesture find."""
    rewritten: tuple[str, ...]
    """What of the earlier request reads otherwise now: `tools`, and the place of the list."""
    first_change: int | None
    """Where in the list's text the first other character stands; None where it reads the same."""

    @property
    def keeps_prefix(self) -> bool:
        """Whether everything that was sent before still stands as it was, so that a cache can be read."""
        return not self.rewritten


def after_change(
    harness: Harness, before: Loaded, after: Loaded, setting: Setting, when: When = "session"
) -> AfterChange:
    """Return what a session that began with `before` is told once the files give `after`.

    Args:
        harness: whose session it is.
        before: what the session began with.
        after: what `harness.load` makes of the changed files.
        setting: the same for both.
        when: whether the session runs on or is taken up again.

    Raises:
        UnsupportedByDialect: what the harness's own list raises.
    """
    how = harness.on_change if when == "session" else harness.on_resume
    told = after if how in ("rewrite", "tool-rewrite") else before
    earlier, listing = harness.listing(before, setting), harness.listing(told, setting)
    tools_before, tools = harness.tools(before, setting), harness.tools(told, setting)
    rewritten = ["tools"] if tools != tools_before else []
    # A list inside a tool's description is a part of the tools already.
    if listing.text != earlier.text and harness.place != "tool-description":
        rewritten.append(harness.place)
    return AfterChange(
        how=how,
        listing=listing,
        tools=tools,
        appended=harness.announced(before, after, setting) if how == "append" else (),
        reached=harness.reached(before, after) if when == "session" else after,
        rewritten=tuple(rewritten),
        first_change=_first_change(earlier.text, listing.text),
    )


def _first_change(one: str, other: str) -> int | None:
    if one == other:
        return None
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
