"""Mistral Vibe 3.0.2 (PyPI `mistral-vibe`, Apache-2.0): a strict reader, a list at the system prompt's end.

Taken 2026-12-01 by running the program (`vibe -p --trust --yolo`) and its native core by itself, with the
Python part read where the runs did not reach. The entries stand in the order in which the disk gives the
folders, and the bundled ones have a content hash in their paths.
"""

# ruff: noqa: E501  the texts stand whole and unbroken, as the model reads them

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
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
    UserTurn,
    folder_name,
)
from tohlab.ecma import json_stringify
from tohlab.errors import UnsupportedByDialect
from tohlab.request import Span
from tohlab.skills.frontmatter import yaml_repair
from tohlab.skills.readers import pyyaml
from tohlab.skills.yaml12 import YamlError

OPENING: Final = "<available-skills>\n"
ENTRY: Final = """\
  <skill>
    <name>{name}</name>
    <description>{description}</description>
    <path>{path}</path>
  </skill>
"""
CLOSING: Final = "</available-skills>"

NAMESPACE: Final = "vibe:"
PACKAGE: Final = "{home}/.vibe/logs/session/plugins/packages/99/99661bff0021b9aaa31a2f8446f4388ef82bad88e8c8e2298879981b9f0459b1/skills/{name}/SKILL.md"
"""Where the bundled skills lie; the hash is the content's."""
BUNDLED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "create-plugin": "Create a Vibe plugin package — the Agent Plugins 1.0 format with optional Vibe extensions for skills, MCP servers, hooks, knowledge, agents, libraries, and connectors. Use when the user wants to create, scaffold, or author a plugin for Mistral Vibe.",
        "skill-creator": "Load this skill before creating, updating, or deleting a Vibe skill, or whenever you plan to add or modify SKILL.md files under a skills directory. It explains Vibe's SKILL.md frontmatter, discovery order, support files, and the permission flow.",
        "vibe": """\
Authoritative reference for Mistral Vibe — the CLI agent you (the model) are running inside.

LOAD when the user:
- asks anything about Vibe itself, even by indirect name ("this CLI", "this tool", "you");
- wants to change, inspect, or reset their setup;
- asks why the agent did or did not act;
- asks how to make the CLI do X, where X lives, or what a flag/command/setting does;
- asks any meta question about your own behavior;
- is unsure whether a command, flag, env var, or file is in scope — this skill is the source of truth.

SCOPE: config under `~/.vibe/` and project-local `.vibe/`; `VIBE_*` and `LOG_*` env vars; models and providers; agents and subagents; skills; tools and their permission model; every slash command and CLI flag; hooks; MCP servers; connectors; plugins; trusted folders; `@`-file mentions; logs; themes; voice.""",
        "worktree": "Create, reuse, and clean up git worktrees under $VIBE_HOME/worktrees. Use when the user wants to work in an isolated git worktree, create a worktree for a task, or list/remove existing worktrees.",
    }
)
"""The skills of the shipped plugin, by their names in the namespace."""

DESCRIPTION: Final = 'Load a specialized skill that provides domain-specific instructions and workflows. When a task matches one of the available skills listed in your system prompt, call this tool with the exact skill name to load the full skill instructions. Only listed names are valid. Call exactly with {"name":"<exact name>"}; no other argument keys are accepted.'
PARAMETERS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "name": {
                "type": "string",
                "description": "The exact name of the skill to load from the available skills.",
                "minLength": 1,
            }
        },
        "required": ["name"],
    }
)

LOADED: Final = """\
<skill_content name="{name}">
# Skill: {name}

{body}

Base directory for this skill: {directory}
Relative paths in this skill are relative to this base directory.
Note: file list is sampled.

<skill_files>
{files}
</skill_files>
</skill_content>"""
FILE: Final = "<file>{path}</file>"
SAMPLED_FILES: Final = 10
UNSAMPLED_FOLDERS: Final = (
    ".git",
    "node_modules",
    "__pycache__",
    ".venv",
    "venv",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    "dist",
    "build",
)
ALREADY_LOADED: Final = (
    "Skill '{name}' is already loaded earlier in this conversation. Reuse those instructions."
)

NOT_AVAILABLE: Final = "Skill {name} is not available.{near} Use an exact name from the available skills below. Connector names and unlisted names in skill instructions are not skills. {available}"
NEAR: Final = " Did you mean: {names}?"
AVAILABLE: Final = "Available skills: {names}."
NO_SKILLS: Final = "No skills are available."
NO_TOOL: Final = 'unsupported top-level tool "{tool}"'
INVALID: Final = "tool arguments do not satisfy the declared input schema: {fault}"
UNEXPECTED: Final = "Additional properties are not allowed ('{key}' was unexpected). Allowed fields: name."
REQUIRED: Final = '"name" is a required property'
WRONG_TYPE: Final = '{at}{value} is not of type "{kind}"'
TOO_SHORT: Final = '{at}"" is shorter than 1 character'
AT_NAME: Final = "at /name: "

TOOLS: Final = (
    "search_tool_functions",
    "run_typescript",
    "wait",
    "read_file",
    "write_file",
    "edit",
    "bash",
    "skill",
    "todo",
    "unified_harness_scratchpad",
)
"""The tools that the program offers, in its order."""

MAX_NAME_CHARS: Final = 64
MAX_DESCRIPTION_CHARS: Final = 1024
TEXTS: Final = ("name", "description", "license", "compatibility")
"""The fields that have to be texts."""
METADATA_FILE: Final = "agents/openai.yaml"

_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_BOUNDARY: Final = re.compile(r"^-{3,}\s*$", re.MULTILINE)
_TRUE: Final = ("1", "on", "t", "true", "y", "yes")
_FALSE: Final = ("0", "off", "f", "false", "n", "no")
_PLACEHOLDER: Final = re.compile(r"<[A-Z]+>")
_MENTION: Final = re.compile(r"(?<!\S)/(\S+)")
_MENTIONED_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._:-]*")
_FENCED: Final = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1|\Z)", re.DOTALL | re.MULTILINE)
_INLINE: Final = re.compile(r"(`+)[^`\n]*?\1")
_PUNCTUATION: Final = ".,;:!?)]}'\"`"


@dataclass(frozen=True, kw_only=True)
class MistralVibe(Harness):
    """Mistral Vibe: one folder level, names and descriptions by the standard's rules, near names on a miss.

    Options of a `Setting`: `home` (the user's home folder, in the paths of the bundled skills; `<HOME>` where
    nothing is said), `loaded` (the names of skills whose text the conversation has already), `first_read` (the
    path that the disk gives first).
    """

    def load(self, tree: FileTree, setting: Setting) -> Loaded:
        """Return the skills of the folders directly below the root; the first of two equal names stays."""
        found: dict[str, HarnessSkill] = {}
        skipped: list[Skipped] = []
        notes: list[str] = []
        first = setting.options.get("first_read")
        for path in sorted(tree, key=lambda path: (path != first, path.split("/"))):
            parts = path.split("/")
            if parts[-1] != "SKILL.md" or len(parts) != 2:
                if parts[-1].lower() == "skill.md":
                    skipped.append(_overlooked(path, parts))
                continue
            skill = _parse(tree, path, notes)
            if isinstance(skill, Skipped):
                skipped.append(skill)
                continue
            earlier = found.setdefault(skill.name, skill)
            if earlier is not skill:
                skipped.append(_repeated(earlier, skill))
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
        text, spans = OPENING, []
        for name, description, path in _entries(loaded, setting):
            entry = ENTRY.format(name=_escaped(name), description=_escaped(description), path=path)
            spans.append(Span(label=f'entry "{name}"', start=len(text), stop=len(text) + len(entry) - 1))
            text += entry
        dropped = tuple(skill.name for skill in loaded.skills if not skill.listed)
        if not spans:
            return Listing(text="", place=self.place, dropped=dropped)
        return Listing(text=text + CLOSING, place=self.place, spans=tuple(spans), dropped=dropped)

    def tools(self, loaded: Loaded, setting: Setting) -> tuple[dict[str, Any], ...]:
        """Return the `skill` tool as chat completions take it; nothing where there is no skill."""
        if not any(_entries(loaded, setting)):
            return ()
        function = {"name": "skill", "description": DESCRIPTION, "parameters": deepcopy(dict(PARAMETERS))}
        return ({"type": "function", "function": function},)

    def call(self, tool: str, arguments: Any, loaded: Loaded, tree: FileTree, setting: Setting) -> Answer:
        """Return a skill's text with a sample of its files, or the error that stands in its place.

        Raises:
            UnsupportedByDialect: another tool of the program, or a bundled skill, whose text is not kept here.
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
            raise UnsupportedByDialect(f"the text of {asked} is a part of {self.title} that is not kept here")
        near = near_names(asked, names)
        return _error(
            NOT_AVAILABLE.format(
                name=_quoted(asked),
                near=NEAR.format(names=", ".join(map(_quoted, near))) if near else "",
                available=AVAILABLE.format(names=", ".join(map(_quoted, names))) if names else NO_SKILLS,
            )
        )

    def user(self, text: str, loaded: Loaded, tree: FileTree, setting: Setting) -> UserTurn:
        """Return the text as typed, with the skills behind it that it starts with or mentions as `/name`."""
        texts, notes = [text], []
        by_name = {skill.name.casefold(): skill for skill in reversed(loaded.skills)}
        for typed in () if _is_loop(text) else invoked_names(text):
            skill = by_name.get(typed)
            if skill is None:
                bundled = setting.bundled and typed.removeprefix(NAMESPACE) in BUNDLED
                if bundled and typed.startswith(NAMESPACE):
                    raise UnsupportedByDialect(
                        f"the text of {typed} is a part of {self.title} that is not kept here"
                    )
                continue
            if not skill.user_loads:
                notes.append(f"{skill.name} is not for users: the text goes as it is")
            elif skill.name in setting.options.get("loaded", ()):
                texts.append(ALREADY_LOADED.format(name=skill.name))
            else:
                texts.append(_loaded(skill, tree, setting))
        joined = "\n\n".join(texts)
        return UserTurn(texts=(joined,), json=[{"role": "user", "text": joined}], notes=tuple(notes))


def near_names(asked: str, names: list[str]) -> tuple[str, ...]:
    """Return the three names that are nearest to what was asked, nearest first.

    Only ASCII letters and digits count, in lower case. Equal comes first, then one that holds the other, then
    by Levenshtein distance as a share of the longer one; nothing in common is left out, and the order of the
    list settles ties. Found by trying the program's native core over two thousand random names.
    """
    wanted = _letters(asked)
    rated: list[tuple[float, int, str]] = []
    for at, name in enumerate(names):
        letters = _letters(name)
        if not wanted or not letters:
            continue
        if wanted == letters:
            likeness = 2.0
        elif wanted in letters or letters in wanted:
            likeness = 1.0
        else:
            likeness = 1 - _distance(wanted, letters) / max(len(wanted), len(letters))
        if likeness > 0:
            rated.append((-likeness, at, name))
    return tuple(name for _, _, name in sorted(rated)[:3])


def invoked_names(text: str) -> tuple[str, ...]:
    """Return the case-folded names that a text starts: a leading `/name`, then each `/name` outside code."""
    prose = _INLINE.sub("\0", _FENCED.sub("\0", text))
    start = len(prose) - len(prose.lstrip())
    stripped = text.strip()
    names = (
        [stripped[1:].split(None, 1)[0].casefold()]
        if stripped.startswith("/") and stripped[1:].strip()
        else []
    )
    for match in _MENTION.finditer(prose):
        name = match[1].rstrip(_PUNCTUATION)
        if match.start() != start and _MENTIONED_NAME.fullmatch(name) and name not in names:
            names.append(name)
    return tuple(names)


def _parse(tree: FileTree, path: str, notes: list[str]) -> HarnessSkill | Skipped:
    text = tree.text(path).replace("\r\n", "\n").replace("\r", "\n")
    content = text.lstrip("\ufeff")
    parts = _BOUNDARY.split(content, 2)
    if len(parts) < 3 or parts[0].strip():
        reason = "Missing or invalid YAML frontmatter (metadata section must start and end with ---)"
        repair = "start the file with ---, name and description, then a line ---"
        if not parts[0].strip() and len(parts) == 2:
            repair = "close the frontmatter with a line that is exactly ---"
        return Skipped(path=path, code="missing-frontmatter", reason=reason, line=1, repair=repair)
    block = parts[1]
    above = content.find(block, len(parts[0]) + 3) if block else 0
    first = content.count("\n", 0, above)
    read = pyyaml(block, pure=True)
    if read.error is not None:
        line = None if read.line is None else first + read.line
        repair = yaml_repair(block, YamlError(read.error, read.line, code=read.code))
        return Skipped(
            path=path,
            code="invalid-yaml",
            reason=f"Invalid YAML frontmatter: {read.error}",
            line=line,
            repair=repair,
        )
    fields = {} if read.value is None else read.value
    if not isinstance(fields, dict):
        reason, repair = (
            "YAML frontmatter must be a mapping/dictionary",
            "write `name: …` and `description: …`, one a line",
        )
        start = first + block.count("\n", 0, len(block) - len(block.lstrip())) + 1
        return Skipped(path=path, code="missing-frontmatter", reason=reason, line=start, repair=repair)
    fields = fields | {key: _decoded(fields[key]) for key in TEXTS if key in fields}
    for key, code, reason, repair in _faults(fields):
        at = re.search(rf"^{re.escape(key)}\s*:", block, re.MULTILINE)
        line = first + block.count("\n", 0, at.start()) + 1 if at else 1
        return Skipped(path=path, code=code, reason=f"{key}: {reason}", line=line, repair=repair)
    hidden = _flag(fields, "disable-model-invocation", default=False) or not _openai_allows(tree, path, notes)
    name = fields["name"]
    folder = folder_name(path)
    if name != folder:
        notes.append(
            f"{path}: the name {name!r} is not its folder's, which the program's log says and nothing else"
        )
    return HarnessSkill(
        name=name,
        description=fields["description"],
        body=parts[2].strip(),
        path=path,
        text=text,
        fields=fields,
        listed=not hidden,
        model_loads=not hidden,
        user_loads=bool(_flag(fields, "user-invocable", default=True)),
    )


def _decoded(value: Any) -> Any:
    # pydantic takes bytes (`!!binary`) for a text where they are UTF-8.
    try:
        return value.decode() if isinstance(value, bytes) else value
    except UnicodeDecodeError:
        return value


def _faults(fields: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    # The key, a code, the program's words and the repair, in the order of the fields in the program's model.
    for key, longest in (("name", MAX_NAME_CHARS), ("description", MAX_DESCRIPTION_CHARS)):
        value = fields.get(key)
        if key not in fields:
            yield key, f"missing-{key}", "Field required", f"add a line `{key}: …` to the frontmatter"
        elif not isinstance(value, str):
            repair = f"give {key} a value" if value is None else f"write {key} as one text, in quotes"
            yield key, "wrong-type", "Input should be a valid string", repair
        elif not value:
            yield key, f"missing-{key}", "String should have at least 1 character", f"give {key} a value"
        elif len(value) > longest:
            reason = f"String should have at most {longest} characters"
            yield key, f"{key}-too-long", reason, f"shorten {key} by {len(value) - longest} characters"
        elif key == "name" and not _NAME.fullmatch(value):
            reason = f"String should match pattern '^{_NAME.pattern.replace('?:', '')}$'"
            words = "-".join(re.findall("[a-z0-9]+", value.lower()))
            repair = f"write {words}" if words else "write lower-case letters, digits and single hyphens"
            yield key, "invalid-name", reason, repair
    for key in ("license", "compatibility"):
        if not isinstance(fields.get(key), str | None):
            yield key, "wrong-type", "Input should be a valid string", f"put the value of {key} in quotes"
    if not isinstance(fields.get("metadata"), dict | None):
        yield (
            "metadata",
            "wrong-type",
            "it is not a mapping",
            "write metadata as `key: value` lines, or remove it",
        )
    tools = fields.get("allowed-tools", fields.get("allowed_tools"))
    if not isinstance(tools, str | None) and not (
        isinstance(tools, list | dict | set) and all(isinstance(tool, str) for tool in tools)
    ):
        yield (
            "allowed-tools",
            "wrong-type",
            "Input should be a valid string",
            "write the tools as one text or as a list of texts",
        )
    for key in ("user-invocable", "disable-model-invocation"):
        if _flag(fields, key, default=True) is None:
            yield key, "wrong-type", "Input should be a valid boolean", f"write {key}: true or {key}: false"


def _flag(fields: Mapping[str, Any], key: str, *, default: bool) -> bool | None:
    # What pydantic takes for a truth; None where it takes it for none.
    value = fields.get(key, fields.get(key.replace("-", "_"), default))
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return bool(value) if value in (0, 1) else None
    word = value.lower() if isinstance(value, str) else ""
    return word in _TRUE if word in (*_TRUE, *_FALSE) else None


def _openai_allows(tree: FileTree, path: str, notes: list[str]) -> bool:
    # agents/openai.yaml may keep a skill from the model; a file that cannot be read keeps it from the model too.
    at = f"{path.rpartition('/')[0]}/{METADATA_FILE}"
    if at not in tree:
        return True
    read = pyyaml(tree.text(at).removeprefix("\ufeff"), pure=True)
    value = {} if read.value is None else read.value
    policy = value.get("policy") if isinstance(value, dict) else False
    rules = {} if policy is None else policy
    if (
        read.error is None
        and isinstance(rules, dict)
        and rules.keys() <= {"allow_implicit_invocation", "products"}
        and isinstance(rules.get("allow_implicit_invocation"), bool | None)
        and isinstance(rules.get("products", []), list)
        and all(isinstance(product, str) for product in rules.get("products", []))
    ):
        return rules.get("allow_implicit_invocation") is not False
    notes.append(f"{at}: Model invocation disabled: the file cannot be read")
    return False


def _overlooked(path: str, parts: list[str]) -> Skipped:
    if len(parts) == 2:
        code, reason, repair = "file-name", "the file has to be named SKILL.md", "rename it to SKILL.md"
    else:
        code, reason = "wrong-depth", "only the folders directly below the root are looked at"
        repair = "move it into a folder directly below the root"
    return Skipped(path=path, code=code, reason=reason, repair=repair, silent=True)


def _repeated(earlier: HarnessSkill, skill: HarnessSkill) -> Skipped:
    reason = f"Skipping duplicate skill {skill.name!r} (already loaded from {earlier.path})"
    repair = "give one of the two another name"
    return Skipped(path=skill.path, code="duplicate-name", reason=reason, line=1, repair=repair)


def _entries(loaded: Loaded, setting: Setting) -> Iterator[tuple[str, str, str]]:
    # A placeholder such as <ROOT> stands for a path and is not escaped.
    for skill in loaded.skills:
        if skill.listed:
            yield skill.name, skill.description or "", _escaped_path(setting.root, setting, skill.path)
    if setting.bundled:
        home = setting.options.get("home", "<HOME>")
        for name, description in BUNDLED.items():
            path = PACKAGE.format(home=home if _PLACEHOLDER.fullmatch(home) else _escaped(home), name=name)
            yield f"{NAMESPACE}{name}", description, path


def _escaped_path(root: str, setting: Setting, relative: str) -> str:
    if _PLACEHOLDER.fullmatch(root):
        return setting.path_of(_escaped(relative))
    return _escaped(setting.path_of(relative))


def _escaped(text: str) -> str:
    for char, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&apos;")):
        text = text.replace(char, entity)
    return text


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


def _quoted(text: str) -> str:
    # As Rust shows a text: what cannot be printed by its number.
    special = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}
    shown = (special.get(c) or (c if c.isprintable() else f"\\u{{{ord(c):x}}}") for c in text)
    return f'"{"".join(shown)}"'


def _letters(text: str) -> str:
    return "".join(char for char in text.lower() if char.isascii() and char.isalnum())


def _distance(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        diagonal, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (a != b))
    return row[-1]


def _is_loop(text: str) -> bool:
    words = text.split(None, 1)
    return bool(words) and words[0].casefold() == "/loop"


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
    load_tool="skill",
    not_measured=(
        "a change of the skills while a session runs: the source watches the folders and renders the prompt anew",
        "the section `## Available Skills` earlier in the system prompt, which says how to use the list",
        "files that are neither UTF-8 nor marked as UTF-16 or UTF-32: the program guesses their encoding",
        "the texts of the bundled skills, slash commands of the terminal, files mentioned with @",
        "enabled_skills and disabled_skills of config.toml, skills of other plugins and of the registry",
        "combining characters at the very start of a name that is not found",
    ),
)
