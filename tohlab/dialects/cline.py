"""Cline 3.0.65 (npm `cline`, Apache-2.0): names in a tool's description, and no description of a skill at all.

Taken 2026-12-01 by running the program (`cline --json`, skills in `<PROJECT>/.cline/skills`); what the runs did
not reach was read in `sdk/packages/core/src/extensions/config` and `extensions/tools/definitions.ts`. The
`skills` tool carries the names, so every change of the set rewrites the tools block, and with it everything
behind it. The names stand in the order in which the disk gives the folders.
"""

# ruff: noqa: E501  the texts stand whole and unbroken, as the model reads them

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, Final

from tohlab.dialects.base import Provenance
from tohlab.dialects.entries import spread_entries
from tohlab.dialects.folders import in_roots, line_of, misnamed, root_of, too_deep
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
    folder_name,
)
from tohlab.dialects.tool_forms import chat_tool
from tohlab.ecma import json_stringify, trim
from tohlab.skills.collation import collation_key
from tohlab.skills.readers import npm_yaml

DESCRIPTION: Final = (
    "Execute a skill within the main conversation. When users ask you to perform tasks, check if any available skills match. When users reference a slash command, invoke it with this tool. "
    'Input: `skill` (required) and optional `args`. Example: `skill: "pdf"`, `skill: "commit", args: "-m \\"Fix bug\\""`, `skill: "review-pr", args: "123"`, `skill: "ms-office-suite:pdf"`. '
    "When a skill matches the user's request, invoking this tool is a blocking requirement before any other response. Never mention a skill without invoking this tool."
)
NAMES: Final = "Available skills: "
"""Then the names with a comma and a space between, and a full stop."""

PARAMETERS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "type": "object",
        "properties": {
            "skill": {"type": "string", "minLength": 1, "description": "Name of the skill to execute."},
            "args": {
                "description": "Arguments for the skill; use null when omitted",
                "anyOf": [{"type": "string"}, {"type": "null"}],
            },
        },
        "required": ["skill"],
        "additionalProperties": False,
    }
)

LOADED: Final = "<command-name>{name}</command-name>{args}\n<command-instructions>\n{description}{body}\n</command-instructions>"
ARGUMENTS: Final = "\n<command-args>{args}</command-args>"
DESCRIBED: Final = "Description: {description}\n\n"

MISSING_NAME: Final = "Missing skill name."
DISABLED: Final = 'Skill "{name}" is configured but disabled.'
AMBIGUOUS: Final = 'Skill "{name}" is ambiguous. Use one of: {ids}'
ALL_DISABLED: Final = 'Skill "{name}" is ambiguous, and all matches are disabled: {ids}'
NOT_FOUND: Final = 'Skill "{name}" not found. Available skills: {names}'
NONE_AVAILABLE: Final = "No skills are currently available."
NO_SUCH_TOOL: Final = "Tool call {tool} was rejected before execution: AI_NoSuchToolError: Model tried to call unavailable tool '{tool}'. Available tools: {tools}."
INVALID: Final = "✖ Invalid input: expected {expected}, received {received}{at}"
INVALID_UNION: Final = "✖ Invalid input{at}"
TOO_SMALL: Final = "✖ Too small: expected string to have >=1 characters{at}"

TOOLS: Final = (
    "read_files",
    "search_codebase",
    "run_commands",
    "fetch_web_content",
    "editor",
    "ask_question",
    "spawn_agent",
    "team_spawn_teammate",
    "team_shutdown_teammate",
    "team_status",
    "team_task",
    "team_run_task",
    "team_cancel_run",
    "team_list_runs",
    "team_await_runs",
    "team_send_message",
    "team_broadcast",
    "team_read_mailbox",
    "team_mission_log",
    "team_cleanup",
    "team_create_outcome",
    "team_attach_outcome_fragment",
    "team_review_outcome_fragment",
    "team_finalize_outcome",
    "team_list_outcomes",
)
"""The program's other tools, in its order; `skills` stands before them where there are skills."""

FILE: Final = "SKILL.md"
_BLOCK: Final = re.compile(r"\A---\r?\n((?s:.*?))\r?\n---\r?\n?((?s:.*))\Z")


@dataclass(frozen=True, kw_only=True)
class Cline(Harness):
    """Cline: one folder level, names alone, a lookup that folds case and takes a leading slash."""

    def load(self, tree: FileTree, setting: Setting) -> Loaded:
        """Return the skills of the root's own `SKILL.md` and of each folder directly below it.

        Equal names (case folded) are one skill: it stands where the first was met and is what the last says.
        """
        by_id: dict[str, HarnessSkill] = {}
        skipped: list[Skipped] = []
        notes: list[str] = []
        roots = setting.skill_roots(SkillRoot)[::-1]
        in_order = sorted(tree, key=lambda path: path.split("/"))
        for path, root, inside in in_roots(in_order, roots):
            parts = inside.split("/")
            if parts[-1] == FILE and len(parts) <= 2:
                found = _parse(tree.text(path), path, setting)
                if isinstance(found, Skipped):
                    skipped.append(found)
                    continue
                key = _id(found.name)
                earlier = by_id.get(key)
                if earlier is not None:
                    skipped.append(_replaced(earlier, path))
                if earlier is not None and root_of(earlier.path, roots) == root:
                    notes.append(
                        f"{earlier.path} and {path} are both named {found.name!r}: the one that the disk gives "
                        "last wins, which may differ from machine to machine"
                    )
                by_id[key] = found
            elif parts[-1].lower() == "skill.md":
                skipped.append(_overlooked(path, parts))
        if len(by_id) > 1:
            notes.append("the names stand in the order of the disk: two machines may give two tools blocks")
        return Loaded(skills=tuple(by_id.values()), skipped=tuple(skipped), notes=tuple(notes))

    def listing(self, loaded: Loaded, setting: Setting) -> Listing:
        """Return the last sentence of the tool's description; nothing without skills."""
        entries = ((skill.name, skill.name) for skill in loaded.skills if skill.listed)
        text, spans = spread_entries(NAMES, entries, ", ")
        if not spans:
            return Listing(text="", place=self.place, dropped=loaded.unlisted)
        return Listing(text=f"{text}.", place=self.place, spans=spans, dropped=loaded.unlisted)

    def tools(self, loaded: Loaded, setting: Setting) -> tuple[dict[str, Any], ...]:
        """Return the `skills` tool as chat completions take it; nothing without skills."""
        listing = self.listing(loaded, setting).text
        if not listing:
            return ()
        return (chat_tool("skills", f"{DESCRIPTION} {listing}", PARAMETERS),)

    def call(self, tool: str, arguments: Any, loaded: Loaded, tree: FileTree, setting: Setting) -> Answer:
        """Return a skill's text, or the error that the program puts in its place."""
        offered = tuple(t["function"]["name"] for t in self.tools(loaded, setting))
        others = TOOLS if setting.tools is None else tuple(t for t in setting.tools if t != "skills")
        if tool not in offered and tool not in others:
            return _error(NO_SUCH_TOOL.format(tool=tool, tools=", ".join((*offered, *others))))
        if tool != "skills":
            return super().call(tool, arguments, loaded, tree, setting)
        issues = _issues(arguments)
        if issues:
            return _error("\n".join(issues))
        found = _resolve(arguments["skill"], loaded.skills)
        if isinstance(found, str):
            return Answer(text=found, missed=True)
        given = trim(arguments.get("args") or "")
        return Answer(
            text=LOADED.format(
                name=found.name,
                args=ARGUMENTS.format(args=given) if given else "",
                description=DESCRIBED.format(description=found.description) if found.description else "",
                body=found.body,
            )
        )


def _parse(text: str, path: str, setting: Setting) -> HarnessSkill | Skipped:
    text = text.removeprefix("\ufeff")
    match = _BLOCK.match(text)
    fields: Mapping[str, Any] = {}
    block, body = "", text
    if match is not None:
        block, body = match.groups()
        read = npm_yaml(block)
        if read.error is not None:
            return Skipped(
                path=path,
                code="invalid-yaml",
                reason=f"Failed to parse YAML frontmatter: {read.error}",
                line=None if read.line is None else read.line + 1,
                repair=read.repair,
                silent=True,
            )
        fields = read.fields
    body = trim(body)
    if not body:
        last = text.count("\n") + (not text.endswith("\n"))
        reason, repair = (
            "Missing instructions body in skill file.",
            "write the instructions below the second ---",
        )
        return Skipped(path=path, code="empty-body", reason=reason, line=last, repair=repair, silent=True)
    for key in ("name", "description"):
        value = fields.get(key)
        if value is not None and not isinstance(value, str):
            one = f"write {key} as one text"
            repair = one if isinstance(value, dict | list) else f"put the value of {key} in quotes"
            return _wrong_kind(path, block, key, "a string", repair)
    # `enabled` is not looked at where `disabled` says it.
    switch = "enabled" if fields.get("disabled") is None else "disabled"
    value = fields.get(switch)
    if value is not None and not isinstance(value, bool):
        return _wrong_kind(path, block, switch, "a boolean", f"write {switch}: true or {switch}: false")
    on = value is None or value is (switch == "enabled")
    folder = folder_name(path) or PurePosixPath(setting.root).name
    name = trim(fields.get("name") or "") or trim(folder)
    if not name:
        reason, repair = "Missing skill name.", "add a line `name: …` to the frontmatter"
        return Skipped(path=path, code="missing-name", reason=reason, line=1, repair=repair, silent=True)
    return HarnessSkill(
        name=name,
        description=trim(fields.get("description") or "") or None,
        body=body,
        path=path,
        text=text,
        fields=fields,
        listed=on,
        model_loads=on,
        user_loads=on,
    )


def _wrong_kind(path: str, block: str, key: str, kind: str, repair: str) -> Skipped:
    return Skipped(
        path=path,
        code="wrong-type",
        reason=f"Frontmatter field '{key}' must be {kind}.",
        line=line_of(block, key),
        repair=repair,
        silent=True,
    )


def _replaced(earlier: HarnessSkill, path: str) -> Skipped:
    return Skipped(
        path=earlier.path,
        code="duplicate-name",
        reason=f"{path} has the same name {earlier.name!r} and was read later",
        line=1,
        repair="give one of the two another name",
        silent=True,
    )


def _overlooked(path: str, parts: list[str]) -> Skipped:
    return too_deep(path, "/".join(parts[:-1])) if len(parts) > 2 else misnamed(path)


def _id(name: str) -> str:
    return trim(name).lower()


def _resolve(asked: str, skills: tuple[HarnessSkill, ...]) -> HarnessSkill | str:
    # The whole name first, then the leaf after a colon, in the name or in what was asked.
    wanted = trim(asked).lstrip("/").lower()
    if not wanted:
        return MISSING_NAME
    for skill in skills:
        if _id(skill.name) == wanted:
            return skill if skill.model_loads else DISABLED.format(name=skill.name)
    leaf = wanted.split(":")[-1]
    near = [skill for skill in skills if _id(skill.name) == leaf or _id(skill.name).endswith(f":{leaf}")]
    on = [skill for skill in near if skill.model_loads]
    if len(on) == 1:
        return on[0]
    if on:
        return AMBIGUOUS.format(name=asked, ids=", ".join(_id(skill.name) for skill in on))
    if len(near) == 1:
        return DISABLED.format(name=near[0].name)
    if near:
        return ALL_DISABLED.format(name=asked, ids=", ".join(_id(skill.name) for skill in near))
    names = sorted((skill.name for skill in skills if skill.model_loads), key=collation_key)
    return NOT_FOUND.format(name=asked, names=", ".join(names)) if names else NONE_AVAILABLE


def _issues(arguments: Any) -> list[str]:
    # What the program's schema library says of arguments that do not fit.
    if not isinstance(arguments, dict):
        return [INVALID.format(expected="object", received=_kind(arguments), at="")]
    found = []
    skill = arguments.get("skill", ...)
    if not isinstance(skill, str):
        found.append(INVALID.format(expected="string", received=_kind(skill), at="\n  → at skill"))
    elif not skill:
        found.append(TOO_SMALL.format(at="\n  → at skill"))
    if not isinstance(arguments.get("args"), str | None):
        found.append(INVALID_UNION.format(at="\n  → at args"))
    return found


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "undefined" if value is ... else "object"


def _error(message: str) -> Answer:
    return Answer(text=json_stringify({"error": message}), is_error=True)


_PROVENANCE: Final = Provenance(
    fidelity="executed",
    program="Cline",
    version="3.0.65",
    date="2026-12-01",
    where="npm cline: chat completions as sent",
)
_SOURCE: Final = Provenance(
    fidelity="source",
    program="Cline",
    version="21cb8d2",
    date="2026-12-01",
    where="cline/cline sdk/packages/core/src/extensions/config/user-instruction-config-loader.ts",
)

HARNESS: Final = Cline(
    name="cline",
    title="Cline",
    provenance=_PROVENANCE,
    text_provenance=MappingProxyType({"load": _SOURCE}),
    place="tool-description",
    order="directory",
    on_change="tool-rewrite",
    on_resume="tool-rewrite",
    names_in_tool=True,
    layers=(
        SkillRoot(folder="home/.agents/skills"),
        SkillRoot(folder="home/.cline/skills"),
        SkillRoot(folder="project/.cline/skills", project=True),
    ),
    tool_order=("skills", *TOOLS),
    roots=("~/.agents/skills", "~/.cline/skills", "<PROJECT>/.cline/skills"),
    duplicate="the one that is read last; roots are read from the project outwards, so the user's wins",
    load_tool="skills",
    not_measured=(
        "the answers for an ambiguous leaf, a disabled skill and arguments of the wrong kind (but for a missing "
        "name) were read in the source, not seen in a run",
        "whether the tool is offered where every skill is disabled",
        "a change while a session runs: the source rewrites the description at once",
        "skills of plugins, allow lists, and a second call while the same skill is being loaded",
    ),
)
