"""Gemini CLI 0.61.0 (npm `@google/gemini-cli`, Apache-2.0): every name three times, and no text escaped.

Taken 2026-12-01 by running the program (`gemini -y -p`, `gemini --acp`; skills in `<PROJECT>/.gemini/skills`);
what the runs did not reach was read in google-gemini/gemini-cli `packages/core/src/skills` and `tools`. The list
stands in the system prompt, the names also in the description and in the schema of the load tool, so a change of
the set rewrites the tools block. The entries stand roughly in the reverse order of the folders.
"""

# ruff: noqa: E501  the texts stand whole and unbroken, as the model reads them

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tohlab.dialects.base import Provenance
from tohlab.dialects.folder_tree import folder_tree
from tohlab.dialects.harness import (
    Answer,
    FileTree,
    Harness,
    HarnessSkill,
    Listing,
    Loaded,
    Setting,
    Skipped,
    UserTurn,
)
from tohlab.ecma import WHITESPACE, trim
from tohlab.errors import UnsupportedByDialect
from tohlab.request import Span
from tohlab.skills.frontmatter import missing_frontmatter
from tohlab.skills.readers import js_yaml

HEAD: Final = """# Available Agent Skills

You have access to the following specialized skills. To activate a skill and receive its detailed instructions, {call} the `activate_skill` tool with the skill's name.

<available_skills>
"""
CALL: Final = "call"
CALL_LEGACY: Final = "you can call"
"""In the prompt of the models before Gemini 3."""
ENTRY: Final = """  <skill>
    <name>{name}</name>
    <description>{description}</description>
    <location>{location}</location>
  </skill>
"""
TAIL: Final = "</available_skills>"

BUILT_IN: Final = (
    (
        "skill-creator",
        "Guide for creating effective skills. This skill should be used when users want to create a new skill (or update an existing skill) that extends Gemini CLI's capabilities with specialized knowledge, workflows, or tool integrations.",
    ),
    (
        "antigravity-support",
        "Use when the user asks questions, seeks help, or requests instructions related to installing, setting up, or migrating to Antigravity CLI. This skill provides the latest up to date details, requirements, and commands sourced from the official Antigravity CLI documentation.",
    ),
)
"""The program's own skills, name and description, in its order; they come first."""
BUILT_IN_LOCATION: Final = "{bundle}/builtin/{name}/SKILL.md"

TOOL: Final = "activate_skill"
DESCRIPTION: Final = "Activates a specialized agent skill by name (Available: {names}). Returns the skill's instructions wrapped in `<activated_skill>` tags. These provide specialized guidance for the current task. Use this when you identify a task that matches a skill's description. ONLY use names exactly as they appear in the `<available_skills>` section."
NAME_DESCRIPTION: Final = "The name of the skill to activate."

LOADED: Final = """<activated_skill name="{name}">
  <instructions>
    {body}
  </instructions>

  <available_resources>
    {tree}
  </available_resources>
</activated_skill>"""

NOT_AN_OBJECT: Final = "Value of params must be an object"
NOT_A_RECORD: Final = "params must be object"
NAME_MISSING: Final = "params must have required property 'name'"
MORE_THAN_NAME: Final = "params must NOT have additional properties"
NAME_NOT_TEXT: Final = "params/name must be string"
NOT_ALLOWED: Final = "params/name must be equal to one of the allowed values"

CONFLICT: Final = (
    'Skill conflict detected: "{name}" from "{winner}" is overriding the same skill from "{loser}".'
)

FILE: Final = "SKILL.md"
_FRONTMATTER: Final = re.compile(r"---\r?\n((?s:.*?))\r?\n---(?:\r?\n((?s:.*)))?")
_NOT_IN_NAMES: Final = re.compile(r'[:\\/<>*?"|]')
_REST: Final = "[^\n\r\u2028\u2029]*"
_NAME: Final = re.compile(f"[{WHITESPACE}]*name:[{WHITESPACE}]*({_REST})")
_DESCRIPTION: Final = re.compile(f"[{WHITESPACE}]*description:[{WHITESPACE}]*({_REST})")
_CONTINUED: Final = re.compile(f"[ \t]+[^{WHITESPACE}]")
_MODERN: Final = re.compile(r"gemini-(?:[3-9]|[1-9]\d)(?![\d])|(?!gemini-)")


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillRoot:
    """A folder in which Gemini CLI looks for skills."""

    folder: str = ""
    """Relative to the root of the tree; empty for the tree itself."""
    project: bool = False
    """Part of a project: looked into only where the project is trusted."""


ROOTS: Final = (
    SkillRoot(folder="project/.agents/skills", project=True),
    SkillRoot(folder="project/.gemini/skills", project=True),
    SkillRoot(folder="home/.agents/skills"),
    SkillRoot(folder="home/.gemini/skills"),
)
"""Gemini CLI's own roots, strongest first, for a tree with a project and a home: the option `roots`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GeminiLoaded(Loaded):
    """What Gemini CLI made of a tree, with what it tells its user."""

    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class GeminiCli(Harness):
    """Gemini CLI: one folder level, two readers in turn, a lookup that the schema makes exact.

    Options: `headless_approval` (False where nobody can approve a call: then there is no load tool), `bundle`
    (the folder of the installed program, as the locations of its own skills tell it), `roots` (several folders
    of the tree, as `ROOTS` names them) and `trusted` (False leaves out those of the project).
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
        for root in reversed(setting.options.get("roots") or (SkillRoot(),)):
            if setting.options.get("trusted", True) or not root.project:
                taken, passed_over = _find(tree, root.folder)
                paths += taken
                overlooked += passed_over
        for path in paths:
            found = _parse(path, tree)
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
                        f"{loser.path} and {path} are both named {found.name!r}: which is met last may differ "
                        "from machine to machine"
                    )
                skipped.append(_replaced(loser, warning))
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
        """Return the section of the system prompt; nothing where there is no skill, not even a built-in one."""
        shown = _shown(loaded, setting)
        if not shown:
            return Listing(text="", place=self.place)
        modern = setting.model is not None and _MODERN.match(setting.model) is not None
        text, spans = HEAD.format(call=CALL if modern else CALL_LEGACY), []
        for name, (description, location, _) in shown.items():
            entry = ENTRY.format(name=name, description=description, location=location)
            spans.append(Span(label=f'entry "{name}"', start=len(text), stop=len(text) + len(entry) - 1))
            text += entry
        warnings = loaded.warnings if isinstance(loaded, GeminiLoaded) else ()
        return Listing(text=text + TAIL, place=self.place, spans=tuple(spans), warnings=warnings)

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


def _find(tree: FileTree, root: str) -> tuple[list[str], list[Skipped]]:
    taken, overlooked = [], []
    prefix = f"{root}/" if root else ""
    for path in tree:
        if not path.startswith(prefix) or not path.lower().endswith(FILE.lower()):
            continue
        *folders, name = path.removeprefix(prefix).split("/")
        if name.lower() != FILE.lower():
            continue
        reason = _overlooked(path, folders)
        if reason is None:
            taken.append(path)
        else:
            overlooked.append(reason)
    taken.sort(key=lambda path: path.split("/")[:-1], reverse=True)
    if taken and taken[-1] == prefix + FILE:
        taken.insert(0, taken.pop())
    return taken, sorted(overlooked, key=lambda one: one.path.split("/"))


def _overlooked(path: str, folders: list[str]) -> Skipped | None:
    if not path.endswith(FILE):
        code, reason, repair = "file-name", f"the file has to be named {FILE}", f"rename it to {FILE}"
    elif len(folders) > 1:
        code, reason = "too-deep", "only the folders directly below the root are looked at"
        repair = f"move the folder {'/'.join(folders)} up, directly below the root"
    elif folders and (folders[0].startswith(".") or folders[0] == "node_modules"):
        code, reason = "hidden-folder", f"the folder {folders[0]} is not looked into"
        repair = f"give {folders[0]} another name"
    else:
        return None
    return Skipped(path=path, code=code, reason=reason, repair=repair, silent=True)


def _parse(path: str, tree: FileTree) -> HarnessSkill | Skipped:
    try:
        text = tree.text(path)
    except OSError as error:
        reason = f"the file cannot be read: {error.strerror}"
        return Skipped(
            path=path, code="unreadable", reason=reason, repair="make the file readable", silent=True
        )
    match = _FRONTMATTER.match(text)
    if match is None:
        return _without_frontmatter(path, text)
    block = match[1]
    read = js_yaml(block)
    name, description = read.fields.get("name"), read.fields.get("description")
    if not (isinstance(name, str) and isinstance(description, str)):
        name, description = line_fields(block)
    if name is None or description is None:
        key = "name" if name is None else "description"
        return Skipped(
            path=path,
            code=f"missing-{key}",
            reason=f"the frontmatter has no {key}",
            line=1,
            repair=f"add a line `{key}: …` to the frontmatter",
            silent=True,
        )
    return HarnessSkill(
        name=_NOT_IN_NAMES.sub("-", name),
        description=description,
        body=trim(match[2] or ""),
        path=path,
        text=text,
        fields=read.fields or {"name": name, "description": description},
    )


def line_fields(block: str) -> tuple[str | None, str | None]:
    """Return name and description as the reader takes them that follows where YAML fails or gives no texts.

    A line of either key counts, however deep; quotes and block marks such as `>-` stay. Indented lines behind
    a description belong to it, with a space between, whatever they hold.
    """
    name: str | None = None
    description: str | None = None
    lines = iter(re.split(r"\r?\n", block))
    line = next(lines, None)
    while line is not None:
        match = _NAME.fullmatch(line)
        if match is not None:
            name = trim(match[1])
        elif (match := _DESCRIPTION.fullmatch(line)) is not None:
            parts = [trim(match[1])]
            line = next(lines, None)
            while line is not None and _CONTINUED.match(line):
                parts.append(trim(line))
                line = next(lines, None)
            description = " ".join(part for part in parts if part)
            continue
        line = next(lines, None)
    return name, description


def _without_frontmatter(path: str, text: str) -> Skipped:
    error = missing_frontmatter(text)
    reason = "no frontmatter: the file has to start with a line --- and the next one closes it"
    return Skipped(
        path=path,
        code="missing-frontmatter",
        reason=reason,
        line=error.line,
        repair=error.remedy,
        silent=True,
    )


def _replaced(loser: HarnessSkill, warning: str) -> Skipped:
    repair = "give one of the two another name"
    return Skipped(path=loser.path, code="duplicate-name", reason=warning, line=1, repair=repair)


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
_SOURCE: Final = Provenance(
    fidelity="source",
    program="Gemini CLI",
    version="04fbf507",
    date="2026-12-01",
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
    duplicate="the strongest root's, in the place of the weakest; the project's roots count only if it is trusted",
    load_tool=TOOL,
    not_measured=(
        "the models other than gemini-2.5-flash and gemini-3-pro-preview: told as their family is",
        "where a skill that is the root's own file stands in the list",
        "the answers for arguments that are no object, and for a name that is no text, were read in the source",
        "two names that differ in case alone: the lookup was read in the source",
        "a skill's `/name` in the terminal interface, disabled skills, and extensions",
    ),
)
