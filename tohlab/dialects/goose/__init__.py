"""goose (block/goose, Apache-2.0): a bullet for each skill in an extension's instructions.

Read in `crates/goose/src/skills/{client,mod,supporting_files,arguments}.rs`, `sources.rs` and `utils.rs`, not
run. A supporting file is loaded by the same tool as a skill, and arguments take the place of placeholders.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, Final

from tohlab.dialects.base import Provenance
from tohlab.dialects.entries import spread_entries
from tohlab.dialects.folders import duplicate, in_roots, root_of
from tohlab.dialects.goose.reading import SKILL_FILE, argument_names, parse, supporting_files, unseen
from tohlab.dialects.goose.texts import (
    BAD_ARGUMENTS,
    CUT_UTF8,
    DESCRIPTION,
    ENTRY,
    FILE,
    FILE_NOT_FOUND,
    FILE_TOO_LARGE,
    FILE_UNREADABLE,
    FILES,
    GUESSES,
    HEAD,
    LOADED,
    LOADED_FILE,
    MAX_FILES,
    MAX_GUESSES,
    MAX_RESPONSE_CHARS,
    MISSING_NAME,
    NO_FILES,
    NOT_FOUND,
    NOT_UTF8,
    PARAMETERS,
    SUBSTITUTION,
)
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
from tohlab.dialects.substitution import UnmatchedQuote


@dataclass(frozen=True, kw_only=True)
class Goose(Harness):
    """goose: sorted by name and path, no limit, the first of two equal names.

    Options: `roots` (several folders of the tree, strongest first), `max_response_chars` (how long a
    supporting file may be with the words around it).
    """

    def load(self, tree: FileTree, setting: Setting) -> Loaded:
        """Return the skills of every `SKILL.md`; a name is required and holds no slash."""
        skills: dict[str, HarnessSkill] = {}
        skipped: list[Skipped] = []
        notes: list[str] = []
        roots = setting.skill_roots(SkillRoot)
        for path, root, inside in in_roots(tree.named(SKILL_FILE), roots):
            found = unseen(path, inside) or parse(tree, path)
            if isinstance(found, HarnessSkill) and found.name in skills:
                earlier = skills[found.name]
                if root_of(earlier.path, roots) == root:
                    notes.append(
                        f"{earlier.path} and {path} are both named {found.name!r}: the one that the disk "
                        "gives first stays, which may differ from machine to machine"
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
                    body = SUBSTITUTION.apply(body, args, argument_names(skill)).text
                except UnmatchedQuote:
                    return _error(BAD_ARGUMENTS)
            return _skill(skill, body, tree, setting)
        name, slash, file = asked.partition("/")
        if name in by_name and slash:
            return _file(by_name[name], asked, file.replace("\\", "/"), tree, setting)
        return _miss(asked, tuple(by_name))


def _error(text: str) -> Answer:
    return Answer(text=text, is_error=True)


def _skill(skill: HarnessSkill, body: str, tree: FileTree, setting: Setting) -> Answer:
    text = LOADED.format(name=skill.name, description=skill.description or "", body=body)
    files = supporting_files(skill, tree)
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
    files = supporting_files(skill, tree)
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
