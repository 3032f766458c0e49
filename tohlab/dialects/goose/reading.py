"""What goose takes from a file, why it takes none, and which files belong to a skill.

Source: block/goose `crates/goose/src/skills/{mod,supporting_files,arguments}.rs`, `sources.rs`.
"""

from __future__ import annotations

import re
from typing import Final

from tohlab.dialects.harness import FileTree, HarnessSkill, Skipped
from tohlab.skills.frontmatter import START_WITH_FRONTMATTER
from tohlab.skills.readers import npm_yaml, serde_yaml
from tohlab.skills.serde_yaml import Struct

SKILL_FILE: Final = "SKILL.md"
UNSEEN_FOLDERS: Final = (".git", ".hg", ".svn")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_METADATA: Final = Struct(
    name="SkillFrontmatter",
    fields={"name": "text", "description": "text", "metadata": Struct(name="metadata", fields={})},
)


def unseen(path: str, inside: str) -> Skipped | None:
    """Return why a file is not looked at; None for one that is.

    Args:
        path: the file.
        inside: the same, below its root.
    """
    hidden = next((part for part in inside.split("/")[:-1] if part in UNSEEN_FOLDERS), None)
    if hidden is None:
        return None
    return Skipped(
        path=path,
        code="hidden-folder",
        reason=f"the folder {hidden} is not looked into",
        repair=f"move the skill out of {hidden}",
        silent=True,
    )


def parse(tree: FileTree, path: str) -> HarnessSkill | Skipped:
    """Return the skill of a file, or why it gives none."""
    try:
        text = tree[path].decode("utf-8")
    except UnicodeDecodeError as error:
        line = tree[path].count(b"\n", 0, error.start) + 1
        reason = f"Failed to read skill file {path}: stream did not contain valid UTF-8"
        return Skipped(path=path, code="not-utf-8", reason=reason, line=line, repair="save the file as UTF-8")
    # What stands before the first three hyphens is passed over, and any three hyphens end the block.
    parts = text.split("---", 2)
    if len(parts) < 3:
        return Skipped(
            path=path,
            code="missing-frontmatter",
            reason="no frontmatter",
            line=1,
            repair=START_WITH_FRONTMATTER,
            silent=True,
        )
    block = parts[1].strip()
    start = len(parts[0]) + 3 + len(parts[1]) - len(parts[1].lstrip())
    above = text.count("\n", 0, start)
    read = serde_yaml(block, _METADATA)
    if read.error is not None:
        at = None if read.line is None else read.line + above
        reason = f"Failed to parse skill frontmatter: {read.error}".replace("struct metadata", "a map")
        return Skipped(path=path, code=read.code, reason=reason, line=at, repair=read.repair)
    name = read.fields.get("name") or ""
    if not name:
        reason = f"Skill at '{path}' is missing a required 'name' in frontmatter, skipping"
        repair = "add a line `name: …` to the frontmatter"
        return Skipped(path=path, code="missing-name", reason=reason, line=1, repair=repair)
    if "/" in name:
        reason = f"Skill name '{name}' contains '/', skipping"
        line = read.lines.get("name", 1) + above
        repair = f"write the name without a slash: {name.replace('/', '-')}"
        return Skipped(path=path, code="invalid-name", reason=reason, line=line, repair=repair)
    # The names of arguments stand deeper than the typed reader looks.
    deep = npm_yaml(block).fields if "arguments" in block else {}
    return HarnessSkill(
        name=name,
        description=read.fields.get("description") or "",
        body=parts[2].strip(),
        path=path,
        text=text,
        fields={**deep, **read.fields, "metadata": deep.get("metadata")},
    )


def argument_names(skill: HarnessSkill) -> tuple[str, ...]:
    """Return the names that `metadata.arguments` declares for a skill's words."""
    metadata = skill.fields.get("metadata")
    declared = metadata.get("arguments") if isinstance(metadata, dict) else None
    names = declared if isinstance(declared, list) else []
    return tuple(name for name in names if isinstance(name, str) and _NAME.fullmatch(name))


def supporting_files(skill: HarnessSkill, tree: FileTree) -> tuple[str, ...]:
    """Return every file below a skill's folder, relative to it, but for those of further skills below it."""
    start = len(skill.directory) + 1 if skill.directory else 0
    inside = [path[start:] for path in tree.below(skill.directory)]
    further = {path.rpartition("/")[0] for path in inside if path.endswith(f"/{SKILL_FILE}")}

    def is_own(path: str) -> bool:
        folders = path.split("/")[:-1]
        above = ("/".join(folders[: depth + 1]) for depth in range(len(folders)))
        return not any(part in UNSEEN_FOLDERS for part in folders) and not any(
            one in further for one in above
        )

    return tuple(path for path in inside if path.rpartition("/")[2] != SKILL_FILE and is_own(path))
