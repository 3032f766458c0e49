"""The skills of any source as the files of one skills root, as a person would install them.

A skill's own file is taken where it has one; else a file is made of its name, its description and its body.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tohlab.dialects.harness import FileTree
from tohlab.errors import DatasetError
from tohlab.skills.model import SkillSource, SkillSummary


def skill_files(source: SkillSource) -> FileTree:
    """Return a skills root with one folder for each skill of a source.

    Raises:
        DatasetError: a skill's own file is there and cannot be read.
    """
    texts: dict[str, str] = {}
    for skill in source.snapshot().skills:
        folder = skill.name.replace("/", "_")
        texts[f"{folder}/SKILL.md"] = _own_file(skill) or _made_file(skill, source)
    return FileTree.of(texts)


def _own_file(skill: SkillSummary) -> str | None:
    if skill.path is None:
        return None
    try:
        return Path(skill.path).read_text("utf-8", errors="replace")
    except FileNotFoundError:  # a path that is told and is on no disk, or a file that went since
        return None
    except OSError as error:
        raise DatasetError(f"cannot be read: {error.strerror}", skill.path) from error


def _made_file(skill: SkillSummary, source: SkillSource) -> str:
    loaded = source.load(skill.name)
    head: list[Sequence[str]] = [("name", skill.name), ("description", skill.description)]
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in head]
    lines += ["disable-model-invocation: true"] * (not skill.invocation.model_invocable)
    body = loaded.content if loaded is not None else f"# {skill.name}\n"
    return "\n".join(["---", *lines, "---", body])
