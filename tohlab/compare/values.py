"""What a look at one folder through one harness gives: every skill with its state, price and reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tohlab.dialects.base import Provenance, Sourced
from tohlab.dialects.harness import Listing, Loaded, OnChange, Place, Setting, Skipped


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryView:
    """One skill in a harness's list."""

    name: str
    path: str | None
    """Its file below the skills root; None for a skill that the program brings itself."""
    text: str
    """The entry as the model reads it."""
    tokens: int
    """Its share of the list, encoded as one text."""
    characters: int
    """Python code points of `text`."""
    before_chars: int | None = None
    """How long the description was, as the harness counts; None where it was not cut."""
    after_chars: int | None = None
    """What was left of it; None where it was not cut."""
    why: str = ""
    """Why it was cut; empty where it was not."""

    @property
    def bundled(self) -> bool:
        """Whether the program brings the skill itself."""
        return self.path is None

    @property
    def is_cut(self) -> bool:
        """Whether the description was shortened or left out."""
        return self.before_chars is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlisted:
    """A skill that loads and that the model is not told of."""

    name: str
    path: str
    """Its file below the skills root."""
    why: str
    model_loads: bool
    """Whether a model that knows the name can load it all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessView(Sourced):
    """What one harness makes of a folder, and what a model pays for it in every request."""

    harness: str
    title: str
    provenance: Provenance
    """Where the list's text comes from and how sure it is."""
    tools_provenance: Provenance
    """The same of the tools."""
    place: Place
    on_change: OnChange
    """What a change of the skills does while a session runs."""
    loaded: Loaded
    listing: Listing
    tools: tuple[Mapping[str, Any], ...] = field(hash=False)
    """In the form in which the harness's API takes them."""
    listing_tokens: int
    """The whole list, encoded as one text."""
    tools_tokens: int
    """The tools, without the list where it sits in a tool's description."""
    entries: tuple[EntryView, ...]
    """In the order of the list."""
    dropped: tuple[Unlisted, ...]
    """Skills that disappear: they are for the list, and a limit, a gate or another skill keeps them out."""
    hidden: tuple[Unlisted, ...]
    """Skills that their own files or the settings keep out of the list."""
    skipped: tuple[Skipped, ...]
    """Files that give no skill; paths below the skills root, in the folder for `folder-name-taken`."""
    layout_notes: tuple[str, ...]
    """How the folder was laid out, and where its paths come from."""
    notes: tuple[str, ...]
    """What is not certain."""
    not_measured: tuple[str, ...]
    """What is known to differ from the real program, or was not checked."""
    meter: str
    """Which meter counted."""
    window_tokens: int | None
    """The context window that budgets are made from."""
    setting: Setting
    """The run that this is a view of."""
    origin: Mapping[str, str] = field(hash=False, repr=False, compare=False)
    """Each path below the skills root to the path in the folder that was given."""

    @property
    def total_tokens(self) -> int:
        """List and tools together: what having these skills costs in every request."""
        return self.tools_tokens + self.listing_tokens

    @property
    def frame_tokens(self) -> int:
        """What the list costs besides its entries."""
        return self.listing_tokens - sum(entry.tokens for entry in self.entries)

    @property
    def bundled_tokens(self) -> int:
        """What the entries cost that the program brings itself."""
        return sum(entry.tokens for entry in self.entries if entry.bundled)

    @property
    def cut(self) -> tuple[EntryView, ...]:
        """The entries whose description was shortened or left out."""
        return tuple(entry for entry in self.entries if entry.is_cut)

    def rows(self) -> tuple[dict[str, Any], ...]:
        """Return one plain dict for each skill and file: what became of it.

        `state` is `listed`, `cut`, `dropped`, `hidden` or `skipped`; numbers are None where there are none.
        """
        rows = [
            _row(
                "cut" if entry.is_cut else "listed",
                entry.name,
                entry.path,
                entry.why,
                tokens=entry.tokens,
                characters=entry.characters,
                before_chars=entry.before_chars,
                after_chars=entry.after_chars,
                bundled=entry.bundled,
            )
            for entry in self.entries
        ]
        rows += [_row("dropped", one.name, one.path, one.why) for one in self.dropped]
        rows += [_row("hidden", one.name, one.path, one.why) for one in self.hidden]
        rows += [_row("skipped", None, one.path, one.reason) for one in self.skipped]
        for row in rows:
            row["source"] = self.origin.get(row["path"], row["path"])
        return tuple(rows)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, texts included."""
        return {
            "harness": self.harness,
            "title": self.title,
            "fidelity": self.fidelity,
            "version": self.version,
            "date": self.date,
            "where": self.provenance.where,
            "tools_fidelity": self.tools_provenance.fidelity,
            "place": self.place,
            "on_change": self.on_change,
            "meter": self.meter,
            "window_tokens": self.window_tokens,
            "root": self.setting.root,
            "total_tokens": self.total_tokens,
            "tools_tokens": self.tools_tokens,
            "listing_tokens": self.listing_tokens,
            "frame_tokens": self.frame_tokens,
            "bundled_tokens": self.bundled_tokens,
            "listing": self.listing.text,
            "tools": [dict(tool) for tool in self.tools],
            "rows": list(self.rows()),
            "warnings": list(self.listing.warnings),
            "notes": [*self.layout_notes, *self.notes],
            "not_measured": list(self.not_measured),
        }


def _row(state: str, name: str | None, path: str | None, why: str, **numbers: Any) -> dict[str, Any]:
    empty = {"tokens": None, "characters": None, "before_chars": None, "after_chars": None, "bundled": False}
    return {"state": state, "name": name, "path": path, "why": why, **empty, **numbers}
