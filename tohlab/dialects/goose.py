"""goose (block/goose, Apache-2.0): a bullet for each skill in an extension's instructions.

Read in `crates/goose/src/skills/{client,mod}.rs`, not run. Where a text was not read whole, an ellipsis
stands in it here and `not_measured` says so; nothing was put in its place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, Final

from tohlab.dialects.base import Provenance
from tohlab.dialects.harness import (
    Answer,
    FileTree,
    Harness,
    HarnessSkill,
    Listing,
    Loaded,
    Setting,
    Skipped,
)
from tohlab.request import Span
from tohlab.skills.readers import serde_yaml
from tohlab.skills.serde_yaml import Struct

HEAD: Final = (
    "\n\nYou have these skills at your disposal, when it is clear they can help you solve a problem "
    "or you are asked to use them:"
)
ENTRY: Final = "\n• {name} - {description}"

LOADED: Final = "# Loaded Skill: {name} ({kind})\n\n{description}\n\n## Content\n\n{body}\n"
FILES: Final = (
    "\n## Supporting Files\n\nSkill directory: {directory}\n\n"
    "Relative paths … supporting scripts.\n\n"  # the middle of this sentence was not read
)
FILE: Final = '- {file} → {path} (load_skill(name: "{name}/{file}"))\n'

MISSING_NAME: Final = "Missing required parameter: name"
NOT_FOUND: Final = "Skill '{name}' not found."
GUESSES: Final = " Did you mean: {names}?"
NO_FILES: Final = "Skill '{name}' has no supporting files."
FILE_NOT_FOUND: Final = "File '{file}' not found. Available: {files}"
MAX_GUESSES: Final = 3
MAX_FILES: Final = 10

_METADATA: Final = Struct(name="SkillMetadata", fields={"name": "text", "description": "text"})
_BLOCK: Final = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*\r?$\n?(.*)\Z", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Goose(Harness):
    """goose: sorted by name and path, no limit, the first of two equal names.

    Option `kind`: the word in brackets behind a loaded skill's name, `skill` where nothing is said.
    """

    def load(self, tree: FileTree, setting: Setting) -> Loaded:
        """Return the skills of every `SKILL.md`; a name is required and holds no slash."""
        skills: dict[str, HarnessSkill] = {}
        skipped: list[Skipped] = []
        for path in sorted(tree.named("SKILL.md")):
            found = _parse(tree.text(path), path)
            if isinstance(found, HarnessSkill) and found.name in skills:
                first = skills[found.name].path
                found = Skipped(
                    path=path,
                    code="duplicate-name",
                    reason=f"{first} has the same name {found.name!r} and comes first",
                    repair="give one of the two another name",
                    silent=True,
                )
            if isinstance(found, Skipped):
                skipped.append(found)
            else:
                skills[found.name] = found
        ordered = sorted(skills.values(), key=lambda skill: (skill.name, skill.path))
        return Loaded(skills=tuple(ordered), skipped=tuple(skipped))

    def listing(self, loaded: Loaded, setting: Setting) -> Listing:
        """Return the end of the extension's instructions; nothing without skills."""
        text = HEAD if loaded.skills else ""
        spans = []
        for skill in loaded.skills:
            entry = ENTRY.format(name=skill.name, description=skill.description or "")
            start, text = len(text) + 1, text + entry
            spans.append(Span(label=f'entry "{skill.name}"', start=start, stop=len(text)))
        return Listing(text=text, place=self.place, spans=tuple(spans))

    def tools(self, loaded: Loaded, setting: Setting) -> tuple[dict[str, Any], ...]:
        """Return `load_skill` with its two parameters; their descriptions were not read."""
        properties = {"name": {"type": "string"}, "args": {"type": "string"}}
        schema = {"type": "object", "properties": properties, "required": ["name"]}
        return ({"name": "load_skill", "inputSchema": schema},)

    def call(self, tool: str, arguments: Any, loaded: Loaded, tree: FileTree, setting: Setting) -> Answer:
        """Return a skill, one of its files (`skill/path`), or why there is none."""
        if tool != "load_skill":
            return super().call(tool, arguments, loaded, tree, setting)
        asked = arguments.get("name") if isinstance(arguments, dict) else None
        if not isinstance(asked, str) or not asked:
            return Answer(text=MISSING_NAME, is_error=True)
        by_name = {skill.name: skill for skill in loaded.skills}
        name, slash, file = asked.partition("/")
        if name in by_name and slash:
            return _file(by_name[name], file, tree)
        if asked not in by_name:
            return _miss(asked, tuple(by_name))
        answer = _skill(by_name[asked], tree, setting)
        if arguments.get("args"):
            return replace(answer, notes=(*answer.notes, "what becomes of args was not read"))
        return answer


def _parse(text: str, path: str) -> HarnessSkill | Skipped:
    match = _BLOCK.match(text.removeprefix("\ufeff"))
    if match is None:
        return Skipped(
            path=path,
            code="missing-frontmatter",
            reason="no frontmatter",
            line=1,
            repair="start the file with a line ---, then name and description, then a line ---",
        )
    block, body = match.groups()
    read = serde_yaml(block, _METADATA)
    if read.error is not None:
        line = None if read.line is None else read.line + 1
        return Skipped(path=path, code=read.code, reason=read.error, line=line, repair=read.repair)
    name = read.fields.get("name") or ""
    if not name:
        repair = "add a line `name: …` to the frontmatter"
        return Skipped(path=path, code="missing-name", reason="missing field `name`", line=1, repair=repair)
    if "/" in name:
        line = read.lines.get("name", 1) + 1
        repair = f"write the name without a slash: {name.replace('/', '-')}"
        return Skipped(
            path=path,
            code="invalid-name",
            reason=f"the name {name!r} holds a slash",
            line=line,
            repair=repair,
        )
    description = read.fields.get("description") or ""
    return HarnessSkill(
        name=name, description=description, body=body.strip(), path=path, text=text, fields=read.fields
    )


def _supporting(skill: HarnessSkill, tree: FileTree) -> tuple[str, ...]:
    start = len(skill.directory) + 1 if skill.directory else 0
    return tuple(path[start:] for path in tree.below(skill.directory) if path != skill.path)


def _skill(skill: HarnessSkill, tree: FileTree, setting: Setting) -> Answer:
    kind = setting.options.get("kind") or "skill"
    text = LOADED.format(name=skill.name, kind=kind, description=skill.description or "", body=skill.body)
    files = _supporting(skill, tree)
    if not files:
        return Answer(text=text)
    directory = setting.path_of(skill.directory)
    text += FILES.format(directory=directory)
    for file in files:
        text += FILE.format(file=file, path=PurePosixPath(directory) / file, name=skill.name)
    return Answer(text=text, notes=("a sentence on relative paths is not known whole",))


def _file(skill: HarnessSkill, file: str, tree: FileTree) -> Answer:
    files = _supporting(skill, tree)
    if not files:
        return Answer(text=NO_FILES.format(name=skill.name), is_error=True)
    if file not in files:
        shown = ", ".join(files[:MAX_FILES])
        return Answer(text=FILE_NOT_FOUND.format(file=file, files=shown), is_error=True)
    path = f"{skill.directory}/{file}" if skill.directory else file
    return Answer(text=tree.text(path), notes=("what stands around a file's text was not read",))


def _miss(asked: str, names: tuple[str, ...]) -> Answer:
    low = asked.lower()
    near = [name for name in names if low in name.lower() or name.lower() in low][:MAX_GUESSES]
    text = NOT_FOUND.format(name=asked) + (GUESSES.format(names=", ".join(near)) if near else "")
    return Answer(text=text, is_error=True)


_SOURCE: Final = Provenance(
    fidelity="source",
    program="goose",
    version="main",
    date="2026-12-01",
    where="block/goose crates/goose/src/skills/client.rs, mod.rs",
)
_RECONSTRUCTED: Final = replace(_SOURCE, fidelity="reconstructed")

HARNESS: Final = Goose(
    name="goose",
    title="goose",
    provenance=_SOURCE,
    text_provenance=MappingProxyType(
        {"tools": _RECONSTRUCTED, "call": _RECONSTRUCTED, "load": _RECONSTRUCTED}
    ),
    place="system",
    order="name-bytes",
    on_change="rewrite",
    on_resume="rewrite",
    roots=(
        "<PROJECT>/.agents/skills",
        "<PROJECT>/.goose/skills",
        "<PROJECT>/.claude/skills",
        "the same folders of the user",
    ),
    duplicate="the first",
    load_tool="load_skill",
    not_measured=(
        "nothing of it was run",
        "the middle of the sentence on relative paths in a loaded skill: an ellipsis stands for it",
        "the descriptions of load_skill and of its parameters, and what becomes of args",
        "what stands around a supporting file's text, which files count as such, and in which order",
        "the word in brackets behind a loaded skill's name, and whether guesses fold case",
        "how the frontmatter is cut out, how deep folders are looked into, and what is said of skipped files",
        "what a change does while a session runs: that the list is written anew is inferred",
    ),
)
