"""Roo Code (RooCodeInc/Roo-Code, Apache-2.0): a section of the system prompt that depends on the mode.

Read in the program's source at commit cb83656, not run. The long `<mandatory_skill_check>` was not read
whole: an ellipsis stands in it here, around the slug of the mode that it holds, and `not_measured` says so.
"""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final
from xml.sax.saxutils import escape

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
    folder_name,
)
from tohlab.ecma import trim, utf16_length
from tohlab.request import Span
from tohlab.skills.gray_matter import gray_matter

HEAD: Final = "====\n\nAVAILABLE SKILLS\n\n<available_skills>\n"
ENTRY: Final = """\
  <skill>
    <name>{name}</name>
    <description>{description}</description>
    <location>{location}</location>
  </skill>"""
TAIL: Final = "</available_skills>\n\n<mandatory_skill_check>\n… {mode} …\n</mandatory_skill_check>"
ENTITIES: Final = MappingProxyType({'"': "&quot;", "'": "&apos;"})

LOADED: Final = """\
Skill: {name}
Description: {description}
{args}Source: {source}

--- Skill Instructions ---

{body}"""
ARGUMENTS: Final = "Provided arguments: {args}\n"
NOT_FOUND: Final = "Skill '{name}' not found. Available skills: {names}"
NO_NAMES: Final = "(none)"

DEFAULT_MODE: Final = "code"
MAX_DESCRIPTION_CHARS: Final = 1024
_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_TOOL: Final = MappingProxyType(
    {
        "type": "function",
        "function": {
            "name": "skill",
            "strict": True,
            "parameters": {
                "type": "object",
                "properties": {"skill": {"type": "string"}, "args": {"type": ["string", "null"]}},
                "required": ["skill", "args"],
                "additionalProperties": False,
            },
        },
    }
)


@dataclass(frozen=True, kw_only=True)
class Roo(Harness):
    """Roo Code: a strict reader, a list for the mode at hand, and its own words around it.

    Options: `mode` (the slug of the mode, `code` where nothing is said), `source` (`project` or `global`).
    """

    def load(self, tree: FileTree, setting: Setting) -> Loaded:
        """Return the skills of the folders directly below the root whose name is their folder's."""
        mode = _mode(setting)
        skills: list[HarnessSkill] = []
        skipped: list[Skipped] = []
        for path in tree.named("SKILL.md"):
            if path.count("/") != 1:
                skipped.append(_elsewhere(path))
                continue
            found = _parse(tree.text(path), path, mode)
            if isinstance(found, Skipped):
                skipped.append(found)
            else:
                skills.append(found)
        skills.sort(key=lambda skill: skill.directory)
        notes = (
            ("the skills stand in the order in which the disk gives the folders",) if len(skills) > 1 else ()
        )
        return Loaded(skills=tuple(skills), skipped=tuple(skipped), notes=notes)

    def listing(self, loaded: Loaded, setting: Setting) -> Listing:
        """Return the section of the system prompt; nothing where the mode has no skills."""
        text, spans = HEAD, []
        for skill in loaded.skills:
            if not skill.listed:
                continue
            entry = ENTRY.format(
                name=_escaped(skill.name),
                description=_escaped(skill.description or ""),
                location=_escaped(setting.path_of(skill.path)),
            )
            spans.append(Span(label=f'entry "{skill.name}"', start=len(text), stop=len(text) + len(entry)))
            text += f"{entry}\n"
        dropped = tuple(skill.name for skill in loaded.skills if not skill.listed)
        if not spans:
            return Listing(text="", place=self.place, dropped=dropped)
        text += TAIL.format(mode=_mode(setting))
        return Listing(text=text, place=self.place, spans=tuple(spans), dropped=dropped)

    def tools(self, loaded: Loaded, setting: Setting) -> tuple[dict[str, Any], ...]:
        """Return the strict `skill` tool; its descriptions were not read."""
        return (deepcopy(dict(_TOOL)),)

    def call(self, tool: str, arguments: Any, loaded: Loaded, tree: FileTree, setting: Setting) -> Answer:
        """Return a skill of the mode, or the names that there are."""
        if tool != "skill":
            return super().call(tool, arguments, loaded, tree, setting)
        given = arguments if isinstance(arguments, dict) else {}
        asked, args = str(given.get("skill") or ""), given.get("args")
        here = {skill.name: skill for skill in loaded.skills if skill.model_loads}
        if asked not in here:
            names = ", ".join(here) or NO_NAMES
            return Answer(text=NOT_FOUND.format(name=asked, names=names), is_error=True)
        skill = here[asked]
        return Answer(
            text=LOADED.format(
                name=skill.name,
                description=skill.description,
                args=ARGUMENTS.format(args=args) if args else "",
                source=setting.options.get("source") or "project",
                body=skill.body,
            )
        )


def _mode(setting: Setting) -> str:
    return str(setting.options.get("mode") or DEFAULT_MODE)


def _escaped(text: str) -> str:
    return escape(text, dict(ENTITIES))


def _parse(text: str, path: str, mode: str) -> HarnessSkill | Skipped:
    folder = folder_name(path)
    found = gray_matter(text)
    if found.read.error is not None:
        line = None if found.read.line is None else found.read.line + 1
        reason, repair = found.read.error, found.read.repair
        return Skipped(path=path, code=found.read.code, reason=reason, line=line, repair=repair)
    fields = found.data if isinstance(found.data, dict) else {}
    name, description = fields.get("name"), fields.get("description")
    problem: tuple[str, str, str, str] | None = None
    if not isinstance(name, str) or not name:
        problem = ("missing-name", "name is not a text", "name", f"write name: {folder}")
    elif not isinstance(description, str) or not description:
        repair = "write `description: …` as one text"
        problem = ("missing-description", "description is not a text", "description", repair)
    elif name != folder:
        repair = f"name the folder {name}, or write name: {folder}"
        problem = ("name-differs", f"name {name!r} is not the folder's name {folder!r}", "name", repair)
    elif not _NAME.fullmatch(name):
        repair = "use small letters, digits and single hyphens between them"
        problem = ("invalid-name", f"invalid skill name {name!r}", "name", repair)
    elif not 1 <= utf16_length(trim(description)) <= MAX_DESCRIPTION_CHARS:
        length = utf16_length(trim(description))
        repair = (
            f"shorten it by {length - MAX_DESCRIPTION_CHARS} characters" if length else "write a description"
        )
        problem = (
            "description-length",
            f"description has {length} characters, not 1 to 1024",
            "description",
            repair,
        )
    if problem is not None:
        code, reason, key, repair = problem
        return Skipped(path=path, code=code, reason=reason, line=_line(text, key), repair=repair)
    here = _for_mode(fields, mode)
    return HarnessSkill(
        name=folder,
        description=trim(str(description)),
        body=trim(found.content),
        path=path,
        text=text,
        fields=fields,
        listed=here,
        model_loads=here,
        user_loads=here,
    )


def _line(text: str, key: str) -> int:
    at = re.search(rf"^{key}\s*:", text, re.MULTILINE)
    return text.count("\n", 0, at.start()) + 1 if at else 1


def _for_mode(fields: Any, mode: str) -> bool:
    # `modeSlugs` says it; the older `mode` is looked at where there is none.
    slugs = fields.get("modeSlugs")
    if slugs is None:
        slugs = fields.get("mode")
    wanted = [
        slug for slug in (slugs if isinstance(slugs, list) else [slugs]) if isinstance(slug, str) and slug
    ]
    return not wanted or mode in wanted


def _elsewhere(path: str) -> Skipped:
    deep = "/" in path
    return Skipped(
        path=path,
        code="too-deep" if deep else "no-folder",
        reason="only the folders directly below the root are looked at",
        repair=f"move {path.rpartition('/')[0]} up, directly below the root"
        if deep
        else "put it in a folder of its name",
        silent=True,
    )


_SOURCE: Final = Provenance(
    fidelity="source",
    program="Roo Code",
    version="cb83656",
    date="2026-12-01",
    where="RooCodeInc/Roo-Code, its skills section of the system prompt, skills manager and skill tool",
)
_RECONSTRUCTED: Final = replace(_SOURCE, fidelity="reconstructed")

HARNESS: Final = Roo(
    name="roo",
    title="Roo Code",
    provenance=_SOURCE,
    text_provenance=MappingProxyType({"listing": _RECONSTRUCTED, "tools": _RECONSTRUCTED}),
    place="system",
    order="directory",
    on_change="rewrite",
    on_resume="rewrite",
    roots=("<PROJECT>/.roo/skills-<mode>", "<PROJECT>/.roo/skills", "~/.roo/skills-<mode>", "~/.roo/skills"),
    duplicate="the project's before the user's, the mode's own before the general one",
    load_tool="skill",
    not_measured=(
        "nothing of it was run",
        "the long <mandatory_skill_check> and what follows it: an ellipsis stands for the text around the "
        "mode's slug, so the section is longer in truth and costs more tokens than are counted here",
        "the descriptions of the skill tool and of its parameters",
        "whether anything is said where no skill is there, and how the body is trimmed",
        "the words of the console errors for skipped files",
        "that gray-matter with js-yaml 3 reads the frontmatter",
        "the answer for a call without a name",
        "a user's own command, and the longest name",
        "what a change does while a session runs; that the list is written anew is inferred",
    ),
)
