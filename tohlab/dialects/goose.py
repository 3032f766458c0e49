"""goose (block/goose, Apache-2.0): a bullet for each skill in an extension's instructions.

Read in `crates/goose/src/skills/{client,mod,supporting_files,arguments}.rs`, `sources.rs` and `utils.rs`, not
run. A supporting file is loaded by the same tool as a skill, and arguments take the place of placeholders.
"""

# ruff: noqa: E501  the texts stand whole and unbroken, as the model reads them

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, Final

from tohlab.dialects.base import Provenance
from tohlab.dialects.entries import spread_entries
from tohlab.dialects.folders import duplicate, in_roots, root_of
from tohlab.dialects.harness import (
    Answer,
    FileTree,
    Harness,
    HarnessSkill,
    Listing,
    Loaded,
    Setting,
    SkillRoot,
    Skipped,
)
from tohlab.dialects.substitution import Substitution, UnmatchedQuote
from tohlab.skills.frontmatter import START_WITH_FRONTMATTER
from tohlab.skills.readers import npm_yaml, serde_yaml
from tohlab.skills.serde_yaml import Struct

HEAD: Final = "\n\nYou have these skills at your disposal, when it is clear they can help you solve a problem or you are asked to use them:\n"
ENTRY: Final = "• {name} - {description}"

DESCRIPTION: Final = """\
Load a skill's full content into your context so you can follow its instructions.

Skills are listed in your system instructions. When you need to use one, load it first to get the detailed instructions.

Examples:
- load_skill(name: "gdrive") → Loads the gdrive skill instructions
- load_skill(name: "my-skill", args: "the arguments for the skill") → Loads a skill with arguments
- load_skill(name: "my-skill/template.md") → Loads a supporting file"""
PARAMETERS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {
                "type": "string",
                "description": 'Name of the skill to load. Use "skill-name/path" to load a supporting file.',
            },
            "args": {
                "type": "string",
                "description": "Optional arguments to provide when loading the skill.",
            },
        },
    }
)

LOADED: Final = "# Loaded Skill: {name} (skill)\n\n{description}\n\n## Content\n\n{body}\n"
FILES: Final = """\

## Supporting Files

Skill directory: {directory}

Relative paths in this skill resolve from the skill directory. The shell tool runs in the session working directory, so use the resolved path below or `cd` into the skill directory before running supporting scripts.

"""
FILE: Final = '- {file} → {path} (load_skill(name: "{name}/{file}"))\n'
LOADED_FILE: Final = "# Loaded: {asked}\n\n{content}\n\n---\nFile loaded into context."

MISSING_NAME: Final = "Missing required parameter: name"
NOT_FOUND: Final = "Skill '{name}' not found."
GUESSES: Final = " Did you mean: {names}?"
NO_FILES: Final = "Skill '{name}' has no supporting files."
FILE_NOT_FOUND: Final = "File '{asked}' not found. Available: {files}"
FILE_UNREADABLE: Final = "Failed to read '{asked}': {reason}"
FILE_TOO_LARGE: Final = "supporting file exceeds the maximum size of {limit} characters"
NOT_UTF8: Final = "invalid utf-8 sequence of {count} bytes from index {at}"
CUT_UTF8: Final = "incomplete utf-8 byte sequence from index {at}"
BAD_ARGUMENTS: Final = "Failed to parse skill arguments: Unmatched quote in command"
MAX_GUESSES: Final = 3
MAX_FILES: Final = 10
MAX_RESPONSE_CHARS: Final = 200_000
"""Of a supporting file with the words around it (`GOOSE_MAX_TOOL_RESPONSE_SIZE`)."""

SUBSTITUTION: Final = Substitution(
    words="leading",
    below="empty",
    indexed=True,
    named=True,
    hyphen_names=True,
    whole_arguments=True,
    append="\n\nARGUMENTS: {arguments}",
    append_empty=True,
)

SKILL_FILE: Final = "SKILL.md"
UNSEEN_FOLDERS: Final = (".git", ".hg", ".svn")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_METADATA: Final = Struct(
    name="SkillFrontmatter",
    fields={"name": "text", "description": "text", "metadata": Struct(name="metadata", fields={})},
)


@dataclass(frozen=True, kw_only=True)
class Goose(Harness):
    """goose: sorted by name and path, no limit, the first of two equal names.

    Options: `roots` (several folders of the tree, strongest first), `max_response_chars` (how long a supporting
    file may be with the words around it).
    """

    def load(self, tree: FileTree, setting: Setting) -> Loaded:
        """Return the skills of every `SKILL.md`; a name is required and holds no slash."""
        skills: dict[str, HarnessSkill] = {}
        skipped: list[Skipped] = []
        notes: list[str] = []
        roots = setting.skill_roots(SkillRoot)
        for path, root, inside in in_roots(tree.named(SKILL_FILE), roots):
            found = _unseen(path, inside) or _parse(tree, path)
            if isinstance(found, HarnessSkill) and found.name in skills:
                earlier = skills[found.name]
                if root_of(earlier.path, roots) == root:
                    notes.append(
                        f"{earlier.path} and {path} are both named {found.name!r}: the one that the disk gives "
                        "first stays, which may differ from machine to machine"
                    )
                found = duplicate(earlier, path, silent=True)
            if isinstance(found, Skipped):
                skipped.append(found)
            else:
                skills[found.name] = found
        ordered = sorted(skills.values(), key=lambda skill: (skill.name, skill.path))
        return Loaded(skills=tuple(ordered), skipped=tuple(skipped), notes=tuple(notes))

    def listing(self, loaded: Loaded, setting: Setting) -> Listing:
        """Return the end of the extension's instructions; nothing without skills."""
        if not loaded.skills:
            return Listing(text="", place=self.place)
        entries = (
            (skill.name, ENTRY.format(name=skill.name, description=skill.description or ""))
            for skill in loaded.skills
        )
        text, spans = spread_entries(HEAD, entries)
        return Listing(text=text, place=self.place, spans=spans)

    def tools(self, loaded: Loaded, setting: Setting) -> tuple[dict[str, Any], ...]:
        """Return `load_skill` as an extension offers it; the same with any skills and with none."""
        schema = deepcopy(dict(PARAMETERS))
        return ({"name": "load_skill", "description": DESCRIPTION, "inputSchema": schema},)

    def call(self, tool: str, arguments: Any, loaded: Loaded, tree: FileTree, setting: Setting) -> Answer:
        """Return a skill, one of its files (`skill/path`), or why there is none.

        Raises:
            UnsupportedByDialect: another tool.
        """
        if tool != "load_skill":
            return super().call(tool, arguments, loaded, tree, setting)
        given = arguments if isinstance(arguments, dict) else {}
        asked, args = given.get("name"), given.get("args")
        if not isinstance(asked, str) or not asked:
            return _error(MISSING_NAME)
        by_name = {skill.name: skill for skill in loaded.skills}
        if asked in by_name:
            skill = by_name[asked]
            body = skill.body
            if isinstance(args, str):
                try:
                    body = SUBSTITUTION.apply(body, args, _argument_names(skill)).text
                except UnmatchedQuote:
                    return _error(BAD_ARGUMENTS)
            return _skill(skill, body, tree, setting)
        name, slash, file = asked.partition("/")
        if name in by_name and slash:
            return _file(by_name[name], asked, file.replace("\\", "/"), tree, setting)
        return _miss(asked, tuple(by_name))


def _error(text: str) -> Answer:
    return Answer(text=text, is_error=True)


def _unseen(path: str, inside: str) -> Skipped | None:
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


def _parse(tree: FileTree, path: str) -> HarnessSkill | Skipped:
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


def _argument_names(skill: HarnessSkill) -> tuple[str, ...]:
    metadata = skill.fields.get("metadata")
    declared = metadata.get("arguments") if isinstance(metadata, dict) else None
    names = declared if isinstance(declared, list) else []
    return tuple(name for name in names if isinstance(name, str) and _NAME.fullmatch(name))


def _supporting(skill: HarnessSkill, tree: FileTree) -> tuple[str, ...]:
    # Every file below the folder, but for the files of further skills below it.
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


def _skill(skill: HarnessSkill, body: str, tree: FileTree, setting: Setting) -> Answer:
    text = LOADED.format(name=skill.name, description=skill.description or "", body=body)
    files = _supporting(skill, tree)
    if not files:
        return Answer(text=text)
    directory = setting.path_of(skill.directory)
    rows = (FILE.format(file=file, path=PurePosixPath(directory) / file, name=skill.name) for file in files)
    note = "the files stand in the order in which the disk gives them"
    return Answer(
        text=text + FILES.format(directory=directory) + "".join(rows),
        notes=(note,) if len(files) > 1 else (),
    )


def _file(skill: HarnessSkill, asked: str, file: str, tree: FileTree, setting: Setting) -> Answer:
    files = _supporting(skill, tree)
    if not files:
        return _error(NO_FILES.format(name=skill.name))
    if file not in files:
        return _error(FILE_NOT_FOUND.format(asked=asked, files=", ".join(files[:MAX_FILES])))
    data = tree[f"{skill.directory}/{file}" if skill.directory else file]
    limit = int(setting.options.get("max_response_chars", MAX_RESPONSE_CHARS))
    limit -= len(LOADED_FILE.format(asked=asked, content=""))
    try:
        content = data.decode("utf-8")
    except UnicodeDecodeError as error:
        cut = error.reason == "unexpected end of data"
        reason = (CUT_UTF8 if cut else NOT_UTF8).format(at=error.start, count=error.end - error.start)
        return _error(FILE_UNREADABLE.format(asked=asked, reason=reason))
    if len(content) > limit:
        return _error(FILE_UNREADABLE.format(asked=asked, reason=FILE_TOO_LARGE.format(limit=limit)))
    return Answer(text=LOADED_FILE.format(asked=asked, content=content))


def _miss(asked: str, names: tuple[str, ...]) -> Answer:
    low = asked.lower()
    near = [name for name in names if low in name.lower() or name.lower() in low][:MAX_GUESSES]
    text = NOT_FOUND.format(name=asked) + (GUESSES.format(names=", ".join(near)) if near else "")
    return Answer(text=text, is_error=True)


_SOURCE: Final = Provenance(
    fidelity="source",
    program="goose",
    version="0d2074c and 013ab84",
    date="2026-12-01",
    where="block/goose crates/goose/src/skills, sources.rs, utils.rs",
)

HARNESS: Final = Goose(
    name="goose",
    title="goose",
    provenance=_SOURCE,
    text_provenance=MappingProxyType(
        {"user": replace(_SOURCE, fidelity="reconstructed", where="not looked for")}
    ),
    place="system",
    order="name-bytes",
    on_change="rewrite",
    on_resume="rewrite",
    roots=(
        "<PROJECT>/.agents/skills",
        "<PROJECT>/.goose/skills",
        "<PROJECT>/.claude/skills",
        "~/.agents/skills",
        "the program's configuration folder, skills",
        "~/.claude/skills",
        "~/.config/agents/skills",
        "plug-ins",
    ),
    duplicate="the stronger root; inside one root the one that the disk gives first",
    layers=(
        SkillRoot(folder="project/.agents/skills"),
        SkillRoot(folder="project/.goose/skills"),
        SkillRoot(folder="project/.claude/skills"),
        SkillRoot(folder="home/.agents/skills"),
        SkillRoot(folder="home/.config/goose/skills"),
        SkillRoot(folder="home/.claude/skills"),
        SkillRoot(folder="home/.config/agents/skills"),
    ),
    load_tool="load_skill",
    not_measured=(
        "nothing of it was run",
        "its bundled skills, which are listed among the others, and skills of plug-ins",
        "links out of a skill's folder; supporting files stand in path order here, not in the disk's",
        "that the files are read anew for each call was read; when the list is written anew was not",
        "how the system prompt frames an extension's instructions",
        "a user's own invocation of a skill",
    ),
)
