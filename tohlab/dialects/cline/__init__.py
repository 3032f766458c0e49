"""Cline 3.0.65 (npm `cline`, Apache-2.0): names in a tool's description, and no description of any skill.

Taken 2026-12-01 by running the program (`cline --json`, skills in `<PROJECT>/.cline/skills`); what the runs
did not reach was read in `sdk/packages/core/src/extensions/config` and `extensions/tools/definitions.ts`. The
`skills` tool carries the names, so every change of the set rewrites the tools block, and with it everything
behind it. The names stand in the order in which the disk gives the folders.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from tohlab.dialects.base import Provenance
from tohlab.dialects.cline.reading import FILE, overlooked, parse, replaced, skill_id
from tohlab.dialects.cline.texts import (
    ALL_DISABLED,
    AMBIGUOUS,
    ARGUMENTS,
    DESCRIBED,
    DESCRIPTION,
    DISABLED,
    INVALID,
    INVALID_UNION,
    LOADED,
    MISSING_NAME,
    NAMES,
    NO_SUCH_TOOL,
    NONE_AVAILABLE,
    NOT_FOUND,
    PARAMETERS,
    TOO_SMALL,
    TOOLS,
)
from tohlab.dialects.entries import spread_entries
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
)
from tohlab.dialects.tool_forms import chat_tool
from tohlab.ecma import json_stringify, trim
from tohlab.skills.collation import collation_key


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
                found = parse(tree.text(path), path, setting)
                if isinstance(found, Skipped):
                    skipped.append(found)
                    continue
                key = skill_id(found.name)
                earlier = by_id.get(key)
                if earlier is not None:
                    skipped.append(replaced(earlier, path))
                if earlier is not None and root_of(earlier.path, roots) == root:
                    notes.append(
                        f"{earlier.path} and {path} are both named {found.name!r}: the one that the disk "
                        "gives last wins, which may differ from machine to machine"
                    )
                by_id[key] = found
            elif parts[-1].lower() == "skill.md":
                skipped.append(overlooked(path, parts))
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
        """Return a skill's text, or the error that the program puts in its place.

        Raises:
            UnsupportedByDialect: another tool of the program.
        """
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


def _resolve(asked: str, skills: tuple[HarnessSkill, ...]) -> HarnessSkill | str:
    # The whole name first, then the leaf after a colon, in the name or in what was asked.
    wanted = trim(asked).lstrip("/").lower()
    if not wanted:
        return MISSING_NAME
    for skill in skills:
        if skill_id(skill.name) == wanted:
            return skill if skill.model_loads else DISABLED.format(name=skill.name)
    leaf = wanted.split(":")[-1]
    near = [
        skill for skill in skills if skill_id(skill.name) == leaf or skill_id(skill.name).endswith(f":{leaf}")
    ]
    on = [skill for skill in near if skill.model_loads]
    if len(on) == 1:
        return on[0]
    if on:
        return AMBIGUOUS.format(name=asked, ids=", ".join(skill_id(skill.name) for skill in on))
    if len(near) == 1:
        return DISABLED.format(name=near[0].name)
    if near:
        return ALL_DISABLED.format(name=asked, ids=", ".join(skill_id(skill.name) for skill in near))
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
_SOURCE: Final = replace(
    _PROVENANCE,
    fidelity="source",
    version="21cb8d2",
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
        "the answers for an ambiguous leaf, a disabled skill and arguments of the wrong kind (but for a "
        "missing name) were read in the source, not seen in a run",
        "whether the tool is offered where every skill is disabled",
        "a change while a session runs: the source rewrites the description at once",
        "skills of plugins, allow lists, and a second call while the same skill is being loaded",
    ),
)
