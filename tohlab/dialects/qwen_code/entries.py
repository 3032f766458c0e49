"""The entries of qwen-code's list: their text, their budget, and what a later turn tells of a change."""

from __future__ import annotations

from typing import NamedTuple

from tohlab.dialects.escapes import escaped
from tohlab.dialects.folders import root_of
from tohlab.dialects.harness import Loaded, Setting
from tohlab.dialects.qwen_code.reading import qwen_roots
from tohlab.dialects.qwen_code.texts import (
    ADDED,
    BUNDLED,
    BUNDLED_WHEN,
    ENTRY,
    MAX_LISTING_CHARS,
    REMINDER,
    REMOVED,
    WHEN,
)
from tohlab.ecma import json_stringify, trim, utf16_length, utf16_sort_key
from tohlab.skills.collation import collation_key


class _Entry(NamedTuple):
    name: str
    description: str
    when: str
    level: str

    def text(self) -> str:
        description = escaped(self.description)
        if self.when:
            description = WHEN.format(description=description, when=escaped(self.when))
        return ENTRY.format(name=escaped(self.name), description=description, level=self.level)


def change_reminder(before: Loaded, after: Loaded, setting: Setting) -> str:
    """Return the reminder that a later turn starts with after skills came or went; empty for neither.

    A changed description says nothing. The program looks for changes when a turn starts; in a run, a turn
    right after a change came too early for it.

    Args:
        before: what the session has been told.
        after: what the files give now.
        setting: the run.
    """
    old, new = listed_entries(before, setting), listed_entries(after, setting)
    names = {entry.name for entry in old}
    added = [entry for entry in new if entry.name not in names]
    removed = sorted(names - {entry.name for entry in new}, key=utf16_sort_key)
    parts = []
    if added:
        parts.append(ADDED.format(entries="\n".join(entry.text() for entry in towards_budget(added))))
    if removed:
        parts.append("\n".join((REMOVED, *(f"- {json_stringify(name)}" for name in removed))))
    return REMINDER.format(text="\n\n".join(parts)) if parts else ""


def listed_entries(loaded: Loaded, setting: Setting) -> list[_Entry]:
    """Return what is listed, the bundled skills too, in the order of a locale."""
    roots = qwen_roots(setting)
    entries = []
    for skill in loaded.skills:
        if skill.listed:
            when = skill.fields.get("when_to_use")
            description = skill.description or ""
            level = root_of(skill.path, roots).level
            entries.append(_Entry(skill.name, description, when if isinstance(when, str) else "", level))
    if setting.bundled:
        names = {skill.name for skill in loaded.skills}
        entries += [
            _Entry(name, description, BUNDLED_WHEN.get(name, ""), "bundled")
            for name, description in BUNDLED.items()
            if name not in names
        ]
    return sorted(entries, key=lambda entry: collation_key(entry.name))


def towards_budget(entries: list[_Entry]) -> list[_Entry]:
    """Return the entries with first lines alone where the list is too long."""
    if utf16_length("\n".join(entry.text() for entry in entries)) <= MAX_LISTING_CHARS:
        return entries
    return [
        entry
        if entry.level == "bundled"
        else entry._replace(description=trim(entry.description.split("\n")[0]), when="")
        for entry in entries
    ]
