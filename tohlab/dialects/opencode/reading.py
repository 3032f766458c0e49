"""What opencode takes from a file: a lenient reader, a repair that works once, and what gives no skill."""

from __future__ import annotations

import re
from typing import Final, Literal

from tohlab.dialects.folders import key_line
from tohlab.dialects.harness import HarnessSkill, Skipped
from tohlab.ecma import trim
from tohlab.skills.gray_matter import GrayMatter, gray_matter

_BLOCK: Final = re.compile(r"\A---\r?\n((?s:.*?))\r?\n---")
_PAIR: Final = re.compile(r"([a-zA-Z_][a-zA-Z0-9_]*)\s*:\s*(.*)")
_Fate = Literal["read", "repaired", "failed", "hidden", "lost"]


def sanitize(text: str) -> str:
    """Return a text whose frontmatter has its unquoted colons put into literal blocks, as the program does.

    Only top-level keys of letters, digits and underscores are repaired, and only values with a colon that
    are not quoted; a byte order mark keeps the program from seeing the block at all.
    """
    match = _BLOCK.match(text)
    if match is None:
        return text
    rows: list[str] = []
    for row in re.split(r"\r?\n", match[1]):
        pair = None if not row or row[0].isspace() or row.startswith("#") else _PAIR.fullmatch(row)
        value = trim(pair[2]) if pair else ""
        if pair is None or value in ("", ">", "|") or value[0] in "\"'" or ":" not in value:
            rows.append(row)
        else:
            rows += [f"{pair[1]}: |-", f"  {value}"]
    return text.replace(match[1], "\n".join(rows), 1)


def read_matter(text: str, *, parsed_before: bool) -> tuple[GrayMatter, _Fate]:
    """Return what the parser makes of a text, and how it fared."""
    # The parser keeps what it made of a text before it fails, and gives that, without fields and without an
    # error, whenever it sees the same text again: in another project, and when the repair changed nothing.
    matter = gray_matter(text)
    if matter.read.error is None:
        return matter, "read"
    repaired = gray_matter(sanitize(text))
    if parsed_before and repaired.read.error is None:
        return matter, "lost"
    if parsed_before or sanitize(text) == text:
        return matter, "hidden"
    return (matter, "failed") if repaired.read.error is not None else (repaired, "repaired")


def skill_of(matter: GrayMatter, path: str, text: str, fate: _Fate) -> HarnessSkill | Skipped:
    """Return the skill of a file, or why it gives none.

    Args:
        matter: what the parser made of the file.
        path: the file, relative to the root of the tree.
        text: the whole file.
        fate: how the parser fared.
    """
    error = matter.read.error
    if error is not None:
        return Skipped(
            path=path,
            code="parsed-before" if fate == "lost" else matter.read.code,
            reason=f"Failed to parse YAML frontmatter: {error}",
            line=None if matter.read.line is None else matter.read.line + 1,
            repair=matter.read.repair,
            silent=fate != "failed",
        )
    fields = matter.data if isinstance(matter.data, dict) else {}
    name, description = fields.get("name"), fields.get("description")
    if not isinstance(name, str):
        if not matter.has_block:
            return _silent(
                path,
                "missing-frontmatter",
                "there is no frontmatter",
                1,
                "start the file with ---, name and description, ---",
            )
        if "name" in fields:
            return _silent(
                path,
                "wrong-type",
                "name is not a text",
                key_line(text, "name", quoted=True),
                "put the value of name in quotes",
            )
        return _silent(path, "missing-name", "there is no name", 1, "add a line `name: …` to the frontmatter")
    if "description" in fields and not isinstance(description, str):
        if description is None:
            repair = "give description a value, or remove the line"
        elif isinstance(description, dict | list):
            repair = "write description as one text"
        else:
            repair = "put the value of description in quotes"
        return _silent(
            path,
            "wrong-type",
            "description is not a text",
            key_line(text, "description", quoted=True),
            repair,
        )
    return HarnessSkill(
        name=name,
        description=description,
        body=matter.content,
        path=path,
        text=text,
        fields=fields,
        listed=description is not None,
    )


def _silent(path: str, code: str, reason: str, line: int | None, repair: str) -> Skipped:
    return Skipped(path=path, code=code, reason=reason, line=line, repair=repair, silent=True)


def replaced_by(earlier: HarnessSkill, path: str) -> Skipped:
    """Return why a file whose name a later one has taken gives no skill."""
    reason = f"duplicate skill name: {path} has the same name {earlier.name!r} and was read later"
    repair = "give one of the two another name"
    return Skipped(path=earlier.path, code="duplicate-name", reason=reason, line=1, repair=repair)
