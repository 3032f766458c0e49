"""Gemini CLI 0.61.0 (npm `@google/gemini-cli`, Apache-2.0): every name three times, and no text escaped.

Taken 2026-12-01 by running the program (`gemini -y -p`, `gemini --acp`; skills in
`<PROJECT>/.gemini/skills`); what the runs did not reach was read in google-gemini/gemini-cli
`packages/core/src/skills` and `tools`. The list stands in the system prompt, the names also in the
description and in the schema of the load tool, so a change of the set rewrites the tools block. The entries
stand roughly in the reverse order of the folders.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from tohlab.dialects.base import Provenance
from tohlab.dialects.entries import join_entries
from tohlab.dialects.folder_tree import folder_tree
from tohlab.dialects.gemini_cli.reading import find, parse, replaced
from tohlab.dialects.gemini_cli.texts import (
    BUILT_IN,
    BUILT_IN_LOCATION,
    CALL,
    CALL_LEGACY,
    CONFLICT,
    DESCRIPTION,
    ENTRY,
    HEAD,
    LOADED,
    MORE_THAN_NAME,
    NAME_DESCRIPTION,
    NAME_MISSING,
    NAME_NOT_TEXT,
    NOT_A_RECORD,
    NOT_ALLOWED,
    NOT_AN_OBJECT,
    TAIL,
    TOOL,
    TOOLS,
    UNAPPROVED,
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
    UserTurn,
)
from tohlab.errors import UnsupportedByDialect

ROOTS: Final = (
    SkillRoot(folder="project/.agents/skills", project=True),
    SkillRoot(folder="project/.gemini/skills", project=True),
    SkillRoot(folder="home/.agents/skills"),
    SkillRoot(folder="home/.gemini/skills"),
)
"""Gemini CLI's own roots, strongest first, for a tree with a project and a home: the option `roots`."""
_MODERN: Final = re.compile(r"gemini-(?:[3-9]|[1-9]\d)(?![\d])|(?!gemini-)")


@dataclass(frozen=True, slots=True, kw_only=True)
class GeminiLoaded(Loaded):
    """What Gemini CLI made of a tree, with what it tells its user."""

    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class GeminiCli(Harness):
    """Gemini CLI: one folder level, two readers in turn, a lookup that the schema makes exact.

    Options: `headless_approval` (False where nobody can approve a call: then there is no load tool), `bundle`
    (the folder of the installed program, as the locations of its own skills tell it), `roots` (several
    folders of the tree, as `ROOTS` names them) and `trusted` (False leaves out those of the project).
    """

    def load(self, tree: FileTree, setting: Setting) -> GeminiLoaded:
        """Return the skills of each root's own `SKILL.md` and of each folder directly below it.

        The weakest root is read first. Of one name there is one skill: it stands where the first was met and
        is what the last says.
        """
        by_name: dict[str, HarnessSkill] = {}
        skipped: list[Skipped] = []
        warnings: list[str] = []
        notes: list[str] = []
        paths: list[str] = []
        overlooked: list[Skipped] = []
        for root in reversed(setting.skill_roots(SkillRoot)):
            taken, passed_over = find(tree, root.folder)
            paths += taken
            overlooked += passed_over
        for path in paths:
            found = parse(path, tree)
            if isinstance(found, Skipped):
                skipped.append(found)
                continue
            loser = by_name.get(found.name)
            if loser is not None:
                warning = CONFLICT.format(
                    name=found.name, winner=setting.path_of(path), loser=setting.path_of(loser.path)
                )
                warnings.append(warning)
                if loser.path.split("/")[:-2] == path.split("/")[:-2]:
                    notes.append(
                        f"{loser.path} and {path} are both named {found.name!r}: which is met last "
                        "may differ "
                        "from machine to machine"
                    )
                skipped.append(replaced(loser, warning))
            by_name[found.name] = found
        for name, _ in BUILT_IN:
            if name in by_name and setting.bundled:
                notes.append(f"{by_name[name].path} stands in the place of the program's own {name}")
        if len(by_name) > 1:
            notes.append(
                "the entries stand in the order in which the disk gave them: two machines may differ"
            )
        return GeminiLoaded(
            skills=tuple(by_name.values()),
            skipped=(*skipped, *overlooked),
            notes=tuple(notes),
            warnings=tuple(warnings),
        )

    def listing(self, loaded: Loaded, setting: Setting) -> Listing:
        """Return the section of the system prompt; nothing without any skill, not even a built-in one."""
        shown = _shown(loaded, setting)
        if not shown:
            return Listing(text="", place=self.place)
        modern = setting.model is not None and _MODERN.match(setting.model) is not None
        head = HEAD.format(call=CALL if modern else CALL_LEGACY)
        entries = (
            (name, ENTRY.format(name=name, description=description, location=location))
            for name, (description, location, _) in shown.items()
        )
        text, spans = join_entries(head, entries)
        warnings = loaded.warnings if isinstance(loaded, GeminiLoaded) else ()
        return Listing(text=text + TAIL, place=self.place, spans=spans, warnings=warnings)

    def tools(self, loaded: Loaded, setting: Setting) -> tuple[dict[str, Any], ...]:
        """Return the load tool as a function declaration; none where nobody can approve its calls."""
        names = list(_shown(loaded, setting))
        if not names or setting.options.get("headless_approval", True) is False:
            return ()
        name = {"type": "string", "enum": names, "description": NAME_DESCRIPTION}
        schema = {
            "type": "object",
            "properties": {"name": name},
            "required": ["name"],
            "additionalProperties": False,
            "$schema": "http://json-schema.org/draft-07/schema#",
        }
        available = ", ".join(f"'{name}'" for name in names)
        description = DESCRIPTION.format(names=available)
        return ({"name": TOOL, "description": description, "parametersJsonSchema": schema},)

    def tool_names(self, loaded: Loaded, setting: Setting) -> tuple[str, ...]:
        """Return the names of the tools that a request offers; fewer where nobody can approve a call."""
        if setting.options.get("headless_approval", True) is False:
            return UNAPPROVED
        return super().tool_names(loaded, setting)

    def call(self, tool: str, arguments: Any, loaded: Loaded, tree: FileTree, setting: Setting) -> Answer:
        """Return a function response: a skill's text and the files beside it, or what the schema says.

        Raises:
            UnsupportedByDialect: another tool, or one of the program's own skills, whose text is not here.
        """
        if tool != TOOL or not self.tools(loaded, setting):
            return super().call(tool, arguments, loaded, tree, setting)
        shown = _shown(loaded, setting)
        fault = _fault(arguments, shown)
        if fault is not None:
            return Answer(json={"error": fault}, is_error=True)
        asked = arguments["name"]
        # The schema is exact, the lookup behind it folds case and takes the first.
        first = next(name for name in shown if name.lower() == asked.lower())
        found = shown[first][2]
        if found is None:
            raise UnsupportedByDialect(f"the text of {self.title}'s own skill {first} is not part of tohlab")
        resources = folder_tree(tree, found.directory, setting.path_of(found.directory))
        notes = () if first == asked else (f"{asked!r} gives the skill {first!r}, which is met first",)
        return Answer(
            json={"output": LOADED.format(name=asked, body=found.body, tree=resources)},
            notes=notes,
        )

    def user(self, text: str, loaded: Loaded, tree: FileTree, setting: Setting) -> UserTurn:
        """Return the user's text as it is: outside the terminal interface no `/name` starts a skill."""
        return UserTurn(texts=(text,), json=[[{"text": text}], []])


_Shown = dict[str, tuple[str, str, HarnessSkill | None]]


def _shown(loaded: Loaded, setting: Setting) -> _Shown:
    # Built-in skills come first; a skill of that name takes the place.
    bundle = setting.options.get("bundle", "<BUNDLE>")
    shown: _Shown = {}
    if setting.bundled:
        for name, description in BUILT_IN:
            shown[name] = (description, BUILT_IN_LOCATION.format(bundle=bundle, name=name), None)
    for skill in loaded.skills:
        shown[skill.name] = (skill.description or "", setting.path_of(skill.path), skill)
    return shown


def _fault(arguments: Any, shown: Mapping[str, Any]) -> str | None:
    # The first fault alone, in the order in which the schema's rules are looked at.
    if not isinstance(arguments, dict | list):
        return NOT_AN_OBJECT
    if isinstance(arguments, list):
        return NOT_A_RECORD
    if "name" not in arguments:
        return NAME_MISSING
    if len(arguments) > 1:
        return MORE_THAN_NAME
    if not isinstance(arguments["name"], str):
        return NAME_NOT_TEXT
    return None if arguments["name"] in shown else NOT_ALLOWED


_PROVENANCE: Final = Provenance(
    fidelity="executed",
    program="Gemini CLI",
    version="0.61.0",
    date="2026-12-01",
    where="npm @google/gemini-cli: generateContent requests as sent",
)
_SOURCE: Final = replace(
    _PROVENANCE,
    fidelity="source",
    version="04fbf507",
    where="google-gemini/gemini-cli packages/core/src/skills/skillLoader.ts",
)
HARNESS: Final = GeminiCli(
    name="gemini-cli",
    title="Gemini CLI",
    provenance=_PROVENANCE,
    text_provenance={"load": _SOURCE},
    place="system",
    order="directory",
    on_change="ignored",
    on_resume="tool-rewrite",
    names_in_tool=True,
    roots=(
        "<PROJECT>/.agents/skills",
        "<PROJECT>/.gemini/skills",
        "~/.agents/skills",
        "~/.gemini/skills",
        "extensions",
        "the program's own",
    ),
    duplicate=(
        "the strongest root's, in the place of the weakest; the project's roots count only if it is trusted"
    ),
    layers=ROOTS,
    load_tool=TOOL,
    tool_order=TOOLS,
    not_measured=(
        "the models other than gemini-2.5-flash and gemini-3-pro-preview: told as their family is",
        "where a skill that is the root's own file stands in the list",
        (
            "the answers for arguments that are no object, and for a name that is no text, were read "
            "in the source"
        ),
        "two names that differ in case alone: the lookup was read in the source",
        "a skill's `/name` in the terminal interface, disabled skills, and extensions",
    ),
)
