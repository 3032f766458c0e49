"""VS Code Copilot of early 2026: skills as a part of the attached instructions, read with the file tool.

Taken 2026-12-01 from the source of that age: microsoft/vscode `computeAutomaticInstructions.ts` (list) and
`promptsServiceImpl.ts` (which files give a skill), vscode-copilot-chat@31acd00 `agentPrompt.tsx` (reminder).
Nothing is escaped, but what looks like a tag is taken out of names and descriptions. There is no skill tool at
that age: the model reads the file whose path the list gives. Later versions have a skill tool, a budget of
15,000 characters and skills that are hidden from the model.
"""

# ruff: noqa: E501  the texts stand whole and unbroken, as the model reads them

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from tohlab.dialects.base import Provenance
from tohlab.dialects.entries import join_entries
from tohlab.dialects.folders import Place, first_of_each_name, line_of
from tohlab.dialects.harness import (
    Answer,
    Cut,
    FileTree,
    Harness,
    HarnessSkill,
    Listing,
    Loaded,
    Setting,
    SkillRoot,
    Skipped,
)
from tohlab.ecma import utf16_length, utf16_slice
from tohlab.errors import UnsupportedByDialect
from tohlab.skills.frontmatter import START_WITH_FRONTMATTER
from tohlab.skills.readers import key_value_lines, npm_yaml

HEAD: Final = """\
<skills>
Here is a list of skills that contain domain specific knowledge on a variety of topics.
Each skill comes with a description of the topic and a file path that contains the detailed instructions.
When a user asks you to perform a task that falls within the domain of a skill, use the 'read_file' tool to acquire the full instructions from the file URI.
"""

ADHERENCE_HEAD: Final = """\
<skills>
Skills provide specialized capabilities, domain knowledge, and refined workflows for producing high-quality outputs. Each skill folder contains tested instructions for specific domains like testing strategies, API design, or performance optimization. Multiple skills can be combined when a task spans different domains.
BLOCKING REQUIREMENT: When a skill applies to the user's request, you MUST load and read the SKILL.md file IMMEDIATELY as your first action, BEFORE generating any other response or taking action on the task. Use 'read_file' to load the relevant skill(s).
NEVER just mention or reference a skill in your response without actually reading it first. If a skill is relevant, load it before proceeding.
How to determine if a skill applies:
1. Review the available skills below and match their descriptions against the user's request
2. If any skill's domain overlaps with the task, load that skill immediately
3. When multiple skills apply (e.g., a flowchart in documentation), load all relevant skills
Examples:
- "Help me write unit tests for this module" -> Load the testing skill via 'read_file' FIRST, then proceed
- "Optimize this slow function" -> Load the performance-profiling skill via 'read_file' FIRST, then proceed
- "Add a discount code field to checkout" -> Load both the checkout-flow and form-validation skills FIRST
Available skills:
"""
"""In place of `HEAD` where `chat.useSkillAdherencePrompt` is on."""

ENTRY: Final = """\
<skill>
<name>{name}</name>
<description>{description}</description>
<file>{path}</file>
</skill>
"""
TAIL: Final = "</skills>\n\n"

REMINDER: Final = """\
<additional_skills_reminder>
Always check if any skills apply to the user's request. If so, use the read_file tool to read the corresponding SKILL.md files. Multiple skill files may be needed for a single request. These files contain best practices built from testing that are needed for high-quality outputs.

</additional_skills_reminder>"""

READ_TOOL: Final = "read_file"
NAME_LIMIT_UTF16: Final = 64
DESCRIPTION_LIMIT_UTF16: Final = 1024

_TAG: Final = re.compile(r"<[^>]+>")
_FENCE: Final = re.compile(r"^---\s*$")


@dataclass(frozen=True, kw_only=True)
class VSCode(Harness):
    """VS Code Copilot: one folder level, a name that has to be the folder's, nothing hidden.

    `Setting.options`: `roots` (prefixes in the tree, strongest first), `use_skill_adherence_prompt`.
    """

    def load(self, tree: FileTree, setting: Setting) -> Loaded:
        """Return the skills, the workspace's before the user's, each root by its folders' names."""
        notes: list[str] = []
        skills, skipped = first_of_each_name(
            tree, setting, lambda place: _parse(tree.text(place.path), place, notes)
        )
        return Loaded(skills=skills, skipped=skipped, notes=tuple(notes))

    def listing(self, loaded: Loaded, setting: Setting) -> Listing:
        """Return the `<skills>` section; nothing without skills or without the tool that reads files."""
        names = tuple(skill.name for skill in loaded.skills)
        if not loaded.skills or not _can_read(setting):
            reasons = dict.fromkeys(names, "no tool that reads files is at hand")
            return Listing(text="", place=self.place, dropped=names, reasons=reasons)
        adherence = setting.options.get("use_skill_adherence_prompt")
        entries = (
            (s.name, ENTRY.format(name=s.name, description=s.description, path=setting.path_of(s.path)))
            for s in loaded.skills
        )
        text, spans = join_entries(ADHERENCE_HEAD if adherence else HEAD, entries)
        cuts = []
        for skill in loaded.skills:
            before = utf16_length(str(skill.fields.get("description")))
            after = utf16_length(skill.description or "")
            if after < before:
                why = (
                    f"a description has at most {DESCRIPTION_LIMIT_UTF16:,} characters"
                    if after == DESCRIPTION_LIMIT_UTF16
                    else "what looks like a tag is taken out"
                )
                cuts.append(Cut(name=skill.name, before_chars=before, after_chars=after, why=why))
        return Listing(text=text + TAIL, place=self.place, spans=spans, cut=tuple(cuts))

    def reminder(self, loaded: Loaded, setting: Setting) -> str:
        """Return what stands at the end of each user message where there are skills; else nothing."""
        return REMINDER if self.listing(loaded, setting).text else ""

    def call(self, tool: str, arguments: Any, loaded: Loaded, tree: FileTree, setting: Setting) -> Answer:
        """Raise: a model reads a skill's file with the program's own file tool.

        Raises:
            UnsupportedByDialect: always; the file tool's answer has nothing to do with skills.
        """
        raise UnsupportedByDialect(
            f"{self.title} has no tool for skills: the model reads the file with {READ_TOOL}, frontmatter included"
        )


def _can_read(setting: Setting) -> bool:
    return setting.tools is None or READ_TOOL in setting.tools


def _header(text: str) -> str | None:
    lines = re.findall(r"[^\n]*\n|[^\n]+", text.removeprefix("\ufeff"))
    if not lines or not _FENCE.match(lines[0]):
        return None
    stop = next((n for n, line in enumerate(lines[1:], 1) if _FENCE.match(line)), len(lines))
    return "".join(lines[1:stop])


def _fields(header: str, path: str, notes: list[str]) -> Mapping[str, Any]:
    read = npm_yaml(header)
    if read.error is None:
        return read.fields
    # The program has a YAML reader of its own, which takes the rest of a line for a value.
    notes.append(f"{path}: read line by line, since it is no strict YAML: {read.error}")
    return {key: _unquoted(value) for key, value in key_value_lines(header).items()}


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def _parse(text: str, place: Place, notes: list[str]) -> HarnessSkill | Skipped:
    header = _header(text)
    fields = _fields(header, place.path, notes) if header is not None else {}
    name, description = fields.get("name"), fields.get("description")
    if not isinstance(name, str) or not name:
        return _missing(place, header, fields, "name")
    kept = utf16_slice(_TAG.sub("", name), NAME_LIMIT_UTF16)
    if kept != place.folder:
        return Skipped(
            path=place.path,
            code="name-differs-from-directory",
            reason=f'Agent skill name "{kept}" does not match folder name "{place.folder}"',
            line=line_of(header or "", "name"),
            repair=f"rename the folder to {kept}, or write `name: {place.folder}`",
        )
    if not isinstance(description, str) or not description:
        return _missing(place, header, fields, "description")
    return HarnessSkill(
        name=kept,
        description=utf16_slice(_TAG.sub("", description), DESCRIPTION_LIMIT_UTF16),
        body=text,
        path=place.path,
        text=text,
        fields=fields,
    )


def _missing(place: Place, header: str | None, fields: Mapping[str, Any], key: str) -> Skipped:
    if header is None:
        repair = START_WITH_FRONTMATTER
    elif fields.get(key) is not None and fields.get(key) != "":
        repair = f"write {key} as one text, in quotes if it is a number"
    else:
        repair = f"add a line `{key}: …` to the frontmatter"
    return Skipped(
        path=place.path,
        code=f"missing-{key}" if header is not None else "missing-frontmatter",
        reason=f"Agent skill file missing {key} attribute",
        line=line_of(header or "", key) or 1,
        repair=repair,
    )


_SOURCE: Final = Provenance(
    fidelity="source",
    program="VS Code Copilot",
    version="early 2026; copilot-chat 31acd00",
    date="2026-12-01",
    where="computeAutomaticInstructions.ts",
)

HARNESS: Final = VSCode(
    name="vscode",
    title="VS Code Copilot",
    provenance=_SOURCE,
    text_provenance=MappingProxyType(
        {
            "load": replace(_SOURCE, where="promptsServiceImpl.ts"),
            "user": replace(_SOURCE, fidelity="documented", where="documentation: no gesture at that age"),
        }
    ),
    place="system",
    order="precedence",
    on_change="rewrite",
    on_resume="rewrite",
    description_limit_chars=DESCRIPTION_LIMIT_UTF16,
    roots=(".github/skills", ".claude/skills", "~/.copilot/skills", "~/.claude/skills", "extensions"),
    duplicate="the workspace's before the user's before an extension's; the first wins, the others are logged",
    layers=(
        SkillRoot(folder="project/.github/skills"),
        SkillRoot(folder="project/.claude/skills"),
        SkillRoot(folder="home/.copilot/skills"),
        SkillRoot(folder="home/.claude/skills"),
    ),
    load_tool=None,
    not_measured=(
        "later versions: a skill tool, a budget of 15,000 characters, names alone behind it, hidden skills",
        "the program's own YAML reader: strict YAML here, and where that fails line by line",
        "whether the section sits in the system message or in the user's: a setting of the program",
        "how the file tool's name is written: `'read_file'`, as transcripts have it",
        "whether a description of nothing but tags is taken: yes here",
        "when a change of the skills reaches a running session",
    ),
)
