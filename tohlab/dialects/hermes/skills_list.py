"""What Hermes Agent's `skills_list` answers: the files read once more, and not quite as for the prompt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tohlab.dialects.harness import Loaded, Setting
from tohlab.dialects.hermes.reading import folder_of, parse, runs_on, suits
from tohlab.dialects.hermes.texts import LIST_CHARS, LIST_HINT, LIST_READS_CHARS, NAME_CHARS, NO_SKILLS
from tohlab.dialects.hermes.view import ERRORS


def _entries(loaded: Loaded, setting: Setting) -> Iterator[dict[str, Any]]:
    # What the program's listing tool makes of the files; what it trips over it leaves out without a word.
    disabled = frozenset(setting.options.get("disabled") or ())
    seen: set[Any] = set()
    for skill in loaded.skills:
        if not skill.text and not skill.model_loads:
            continue
        fields, body = skill.fields, skill.body
        if len(skill.text) > LIST_READS_CHARS:
            fields, body, _ = parse(skill.text[:LIST_READS_CHARS])
        try:
            if not runs_on(fields, setting) or not suits(fields, setting):
                continue
            name: Any = fields.get("name", folder_of(skill.path, setting))[:NAME_CHARS]
            if name in seen or name in disabled:
                continue
            said: Any = fields.get("description", "")
            if not said:
                lines = (line.strip() for line in body.strip().split("\n"))
                said = next((line for line in lines if line and not line.startswith("#")), said)
            if len(said) > LIST_CHARS:
                said = said[: LIST_CHARS - 3] + "..."
        except ERRORS:
            continue
        seen.add(name)
        parts = skill.path.split("/")
        yield {"name": name, "description": said, "category": parts[0] if len(parts) > 2 else None}


def _sorted_entries(loaded: Loaded, setting: Setting) -> list[dict[str, Any]]:
    return sorted(_entries(loaded, setting), key=lambda entry: (entry["category"] or "", entry["name"]))


def listed_names(loaded: Loaded, setting: Setting) -> list[Any]:
    """Return the names that the tool lists, in its order."""
    return [entry["name"] for entry in _sorted_entries(loaded, setting)]


def skills_list(category: Any, loaded: Loaded, setting: Setting) -> dict[str, Any]:
    """Return the answer as a value: every skill that is listed, or those of one category.

    Args:
        category: the category that is asked for; None, or anything that is false, for all.
        loaded: what was loaded.
        setting: the run.

    Raises:
        TypeError, ValueError, AttributeError, LookupError, OSError, RecursionError: what the program's own
            code raises there for odd values, and catches; the error's text is its answer.
    """
    entries = _sorted_entries(loaded, setting)
    if not entries:
        return {"success": True, "skills": [], "categories": [], "message": NO_SKILLS}
    if category:
        entries = [entry for entry in entries if entry["category"] == category]
    categories = sorted({entry["category"] for entry in entries if entry["category"]})
    return {
        "success": True,
        "skills": entries,
        "categories": categories,
        "count": len(entries),
        "hint": LIST_HINT,
    }
