"""Mistral Vibe 3.0.2 (PyPI `mistral-vibe`, Apache-2.0): a strict reader, a list at the system prompt's end.

Taken 2026-12-01 by running the program (`vibe -p --trust --yolo`) and its native core by itself, with the
Python part read where the runs did not reach. The entries stand in the order in which the disk gives the
folders, and the bundled ones have a content hash in their paths.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from tohlab.dialects.base import Provenance
from tohlab.dialects.entries import join_entries
from tohlab.dialects.escapes import escaped, escaped_path
from tohlab.dialects.folders import in_roots, root_of
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
    UserTurn,
)
from tohlab.dialects.mistral_vibe.names import invoked_names, is_loop, near_names, quoted
from tohlab.dialects.mistral_vibe.reading import overlooked, parse, repeated
from tohlab.dialects.mistral_vibe.texts import (
    ALREADY_LOADED,
    AT_NAME,
    AVAILABLE,
    BUNDLED,
    CLOSING,
    DESCRIPTION,
    ENTRY,
    FILE,
    INVALID,
    LOADED,
    NAMESPACE,
    NEAR,
    NO_SKILLS,
    NO_TOOL,
    NOT_AVAILABLE,
    OPENING,
    PACKAGE,
    PARAMETERS,
    REQUIRED,
    SAMPLED_FILES,
    TOO_SHORT,
    TOOLS,
    UNEXPECTED,
    UNSAMPLED_FOLDERS,
    WRONG_TYPE,
)
from tohlab.dialects.tool_forms import chat_tool
from tohlab.ecma import json_stringify

_PLACEHOLDER: Final = re.compile(r"<[A-Z]+>")


@dataclass(frozen=True, kw_only=True)
class MistralVibe(Harness):
    """Mistral Vibe: one folder level, names and descriptions by the standard's rules, near names on a miss.

    Options of a `Setting`: `home` (the user's home folder, in the paths of the bundled skills; `<HOME>` where
    nothing is said), `loaded` (the names of skills whose text the conversation has already), `first_read`
    (the path that the disk gives first), `roots` and `trusted` (several folders of the tree).
    """

    def load(self, tree: FileTree, setting: Setting) -> Loaded:
        """Return the skills of the folders directly below the root; the first of two equal names stays."""
        found: dict[str, HarnessSkill] = {}
        skipped: list[Skipped] = []
        notes: list[str] = []
        first = setting.options.get("first_read")
        roots = setting.skill_roots(SkillRoot)
        in_order = sorted(tree, key=lambda path: (path != first, path.split("/")))
        for path, root, inside in in_roots(in_order, roots):
            parts = inside.split("/")
            if parts[-1] != "SKILL.md" or len(parts) != 2:
                if parts[-1].lower() == "skill.md":
                    skipped.append(overlooked(path, parts))
                continue
            skill = parse(tree, path, notes)
            if isinstance(skill, Skipped):
                skipped.append(skill)
                continue
            earlier = found.setdefault(skill.name, skill)
            if earlier is not skill:
                skipped.append(repeated(earlier, skill))
                if root_of(earlier.path, roots) != root:
                    continue
                notes.append(
                    f"{earlier.path} and {path} are both named {skill.name!r}: the one that the disk gives "
                    "first wins, which may differ from machine to machine"
                )
        if len(found) > 1:
            notes.append(
                "the entries stand in the order of the disk: two machines may give two system prompts"
            )
        return Loaded(skills=tuple(found.values()), skipped=tuple(skipped), notes=tuple(notes))

    def listing(self, loaded: Loaded, setting: Setting) -> Listing:
        """Return the block at the end of the system prompt; nothing where there is no skill."""
        entries = (
            (name, ENTRY.format(name=escaped(name), description=escaped(description), path=path))
            for name, description, path in _entries(loaded, setting)
        )
        text, spans = join_entries(OPENING, entries)
        if not spans:
            return Listing(text="", place=self.place, dropped=loaded.unlisted)
        return Listing(text=text + CLOSING, place=self.place, spans=spans, dropped=loaded.unlisted)

    def tools(self, loaded: Loaded, setting: Setting) -> tuple[dict[str, Any], ...]:
        """Return the `skill` tool as chat completions take it; nothing where there is no skill."""
        if not any(_entries(loaded, setting)):
            return ()
        return (chat_tool("skill", DESCRIPTION, PARAMETERS),)

    def call(self, tool: str, arguments: Any, loaded: Loaded, tree: FileTree, setting: Setting) -> Answer:
        """Return a skill's text with a sample of its files, or the error that stands in its place.

        Raises:
            UnsupportedByDialect: another tool of the program, or a bundled skill, whose text is not kept.
        """
        if tool not in (TOOLS if setting.tools is None else (*setting.tools, "skill")):
            return _error(NO_TOOL.format(tool=tool))
        if tool != "skill":
            return super().call(tool, arguments, loaded, tree, setting)
        fault = _fault(arguments)
        if fault is not None:
            return _error(INVALID.format(fault=fault))
        asked = arguments["name"]
        for skill in loaded.skills:
            if skill.name == asked and skill.model_loads:
                return Answer(text=_loaded(skill, tree, setting))
        names = [name for name, _, _ in _entries(loaded, setting)]
        if asked in names:
            raise self._not_kept(asked)
        near = near_names(asked, names)
        return _error(
            NOT_AVAILABLE.format(
                name=quoted(asked),
                near=NEAR.format(names=", ".join(map(quoted, near))) if near else "",
                available=AVAILABLE.format(names=", ".join(map(quoted, names))) if names else NO_SKILLS,
            )
        )

    def user(self, text: str, loaded: Loaded, tree: FileTree, setting: Setting) -> UserTurn:
        """Return the text as typed, with the skills behind it that it starts with or mentions as `/name`.

        Raises:
            UnsupportedByDialect: the text starts a bundled skill, whose text is not kept here.
        """
        texts, notes = [text], []
        by_name = {skill.name.casefold(): skill for skill in reversed(loaded.skills)}
        for typed in () if is_loop(text) else invoked_names(text):
            skill = by_name.get(typed)
            if skill is None:
                bundled = setting.bundled and typed.removeprefix(NAMESPACE) in BUNDLED
                if bundled and typed.startswith(NAMESPACE):
                    raise self._not_kept(typed)
                continue
            if not skill.user_loads:
                notes.append(f"{skill.name} is not for users: the text goes as it is")
            elif skill.name in setting.options.get("loaded", ()):
                texts.append(ALREADY_LOADED.format(name=skill.name))
            else:
                texts.append(_loaded(skill, tree, setting))
        joined = "\n\n".join(texts)
        return UserTurn(texts=(joined,), json=[{"role": "user", "text": joined}], notes=tuple(notes))


def _entries(loaded: Loaded, setting: Setting) -> Iterator[tuple[str, str, str]]:
    # A placeholder such as <ROOT> stands for a path and is not escaped.
    for skill in loaded.skills:
        if skill.listed:
            yield skill.name, skill.description or "", escaped_path(setting, skill.path)
    if setting.bundled:
        home = setting.options.get("home", "<HOME>")
        for name, description in BUNDLED.items():
            path = PACKAGE.format(home=home if _PLACEHOLDER.fullmatch(home) else escaped(home), name=name)
            yield f"{NAMESPACE}{name}", description, path


def _loaded(skill: HarnessSkill, tree: FileTree, setting: Setting) -> str:
    return LOADED.format(
        name=skill.name,
        body=skill.body,
        directory=setting.path_of(skill.directory),
        files="\n".join(FILE.format(path=path) for path in _sample(skill, tree)),
    )


def _sample(skill: HarnessSkill, tree: FileTree) -> list[str]:
    # Names in path order; folders of tools and every SKILL.md are passed over.
    cut = len(skill.directory) + 1
    inside = (path[cut:] for path in tree.below(skill.directory))
    kept = (
        path
        for path in inside
        if path.rpartition("/")[2] != "SKILL.md" and not set(path.split("/")[:-1]) & set(UNSAMPLED_FOLDERS)
    )
    return sorted(kept)[:SAMPLED_FILES]


def _fault(arguments: Any) -> str | None:
    # What the program's schema library says first of arguments that do not fit.
    if not isinstance(arguments, dict):
        return WRONG_TYPE.format(at="", value=json_stringify(arguments), kind="object")
    for key, value in arguments.items():
        if key != "name":
            return UNEXPECTED.format(key=key)
        if not isinstance(value, str):
            return WRONG_TYPE.format(at=AT_NAME, value=json_stringify(value), kind="string")
        if not value:
            return TOO_SHORT.format(at=AT_NAME)
    return None if "name" in arguments else REQUIRED


def _error(message: str) -> Answer:
    error = {"type": "error", "error": {"name": "InvalidToolCall", "message": message}}
    return Answer(text=json_stringify({"result": error}), is_error=True)


_PROVENANCE: Final = Provenance(
    fidelity="executed",
    program="Mistral Vibe",
    version="3.0.2",
    date="2026-12-01",
    where="PyPI mistral-vibe: chat completions as sent, and its native core by itself",
)
_SOURCE: Final = replace(
    _PROVENANCE, fidelity="source", where="vibe/core/skills, vibe/app_server/_skill_invocation.py"
)
HARNESS: Final = MistralVibe(
    name="mistral-vibe",
    title="Mistral Vibe",
    provenance=_PROVENANCE,
    text_provenance=MappingProxyType({"load": _SOURCE, "user": _SOURCE}),
    place="system",
    order="directory",
    on_change="rewrite",
    on_resume="rewrite",
    roots=(
        "skill_paths of config.toml",
        "<PROJECT>/.vibe/skills",
        "<PROJECT>/.agents/skills",
        "~/.vibe/skills",
        "~/.agents/skills",
    ),
    duplicate="the stronger root; inside one root the one that the disk gives first",
    layers=(
        SkillRoot(folder="project/.vibe/skills", project=True),
        SkillRoot(folder="project/.agents/skills", project=True),
        SkillRoot(folder="home/.vibe/skills"),
        SkillRoot(folder="home/.agents/skills"),
    ),
    load_tool="skill",
    tool_order=TOOLS,
    not_measured=(
        (
            "a change of the skills while a session runs: the source watches the folders and renders "
            "the prompt anew"
        ),
        "the section `## Available Skills` earlier in the system prompt, which says how to use the list",
        "files that are neither UTF-8 nor marked as UTF-16 or UTF-32: the program guesses their encoding",
        "the texts of the bundled skills, slash commands of the terminal, files mentioned with @",
        "enabled_skills and disabled_skills of config.toml, skills of other plugins and of the registry",
        "combining characters at the very start of a name that is not found",
    ),
)
