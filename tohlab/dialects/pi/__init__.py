"""pi 1.6.0 (npm `@earendil-works/pi-coding-agent`, MIT): a block in the system prompt, and its `read` tool.

Taken 2026-12-01 by running the program (`pi -p`, `--mode rpc`, `-c`) and by calling `dist/core/skills.js`;
what the runs did not reach was read in `dist/`. There is no skill tool: the model reads the file that the
block names. The skills are a snapshot of the start; a session takes no notice of a change, and `-c` in a new
process writes the block anew, so that the first changed entry ends the shared prefix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from tohlab.dialects.base import Provenance
from tohlab.dialects.entries import join_entries
from tohlab.dialects.escapes import escaped, escaped_path
from tohlab.dialects.harness import (
    Answer,
    FileTree,
    Harness,
    HarnessSkill,
    Listing,
    Loaded,
    RequestLayout,
    Setting,
    Skipped,
    UserTurn,
)
from tohlab.dialects.pi.discovery import PiRoot, walk
from tohlab.dialects.pi.loading import COLLISION, Diagnostic, make_skill
from tohlab.dialects.pi.read import read
from tohlab.ecma import trim
from tohlab.errors import UnsupportedByDialect
from tohlab.request import Span

HEAD: Final = """

The following skills provide specialized instructions for specific tasks.
{reader}
Resolve relative paths against the skill's directory (parent of SKILL.md). Use absolute paths in tool calls.

<available_skills>"""
READERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "read": "Use the read tool to load a skill's file when the task matches its description.",
        "bash": "Use bash to load a skill's file when the task matches its description.",
    }
)
"""The second line, by the tool that loads a file."""
INDIRECT: Final = "Load a skill's file when the task matches its description."
"""The second line where a file can be read, but by no tool that the model sees."""
ENTRY: Final = """\
  <skill>
    <name>{name}</name>
    <description>{description}</description>
    <location>{location}</location>
  </skill>"""
TAIL: Final = "</available_skills>"
SECTION: Final = "<skills>\n{block}\n</skills>"
"""The block, trimmed, as a section of the system prompt, before `<cwd>`."""

GESTURE: Final = "/skill:"
INVOKED: Final = """\
<skill name="{name}" location="{location}">
References are relative to {directory}.

{body}
</skill>"""
"""What a user's `/skill:NAME` becomes; nothing is escaped."""
ARGUMENTS: Final = "\n\n{arguments}"

NOT_FOUND: Final = "Tool {tool} not found"
READ_TOOL: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "type": "function",
        "function": {
            "name": "read",
            "description": (
                "Read the contents of a file. Supports text files and images (jpg, png, gif, webp, bmp)."
                " Images are sent as attachments. For text files, output is truncated to 2000 lines or 50KB"
                " (whichever is hit first). Use offset/limit for large files. When you need the full file,"
                " continue with offset until complete."
            ),
            "parameters": {
                "type": "object",
                "required": ["path"],
                "properties": {
                    "path": {
                        "type": "string",
                        "description": "Path to the file to read (relative or absolute)",
                    },
                    "offset": {
                        "type": "number",
                        "description": "Line number to start reading from (1-indexed)",
                    },
                    "limit": {"type": "number", "description": "Maximum number of lines to read"},
                },
            },
        },
    }
)
TOOLS: Final = ("read", "bash", "edit", "write")
"""The program's own tools, in its order."""

ROOTS: Final = (
    PiRoot(folder="project/.pi/skills", project=True),
    PiRoot(folder="project/.agents/skills", kind="agents", project=True),
    PiRoot(folder="home/.pi/agent/skills"),
    PiRoot(folder="home/.agents/skills", kind="agents"),
)
"""pi's own roots, strongest first, for a tree that holds a project and a home: the option `roots`.

The folders between a project and the root of its repository give one `.agents/skills` each, nearest first,
right after the project's own."""


class Scan(NamedTuple):
    """What pi found in its roots, before equal names are told apart."""

    found: tuple[HarnessSkill, ...]
    diagnostics: tuple[Diagnostic, ...]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, kw_only=True)
class Pi(Harness):
    """pi, with these options of a `Setting`:

    `kind` (`pi` or `agents`: how the tree is walked) or `roots` (several folders of the tree) with `trusted`
    (whether those of the project are looked into); `hidden_tools`; `cwd` and `home` for the `read` tool.
    """

    def scan(self, tree: FileTree, setting: Setting) -> Scan:
        """Return every skill of every root in order, duplicates too, and what pi says of the files."""
        found: list[HarnessSkill] = []
        said: list[Diagnostic] = []
        skipped: list[Skipped] = []
        for root in _roots(setting):
            walked = walk(tree, root)
            skipped += walked.overlooked
            for path in walked.candidates:
                made = make_skill(tree[path].decode("utf-8", "replace"), path, setting)
                said += made.diagnostics
                if isinstance(made.skill, HarnessSkill):
                    found.append(made.skill)
                else:
                    skipped.append(made.skill)
        kept: dict[str, str] = {}
        for skill in found:
            winner = kept.setdefault(skill.name, skill.path)
            if winner == skill.path:
                continue
            message = COLLISION.format(name=skill.name)
            said.append(
                Diagnostic(
                    type="collision",
                    message=message,
                    path=skill.path,
                    name=skill.name,
                    winner=winner,
                )
            )
            repair = f"give it another name than {winner} has"
            skipped.append(Skipped(path=skill.path, code="duplicate-name", reason=message, repair=repair))
        return Scan(tuple(found), tuple(said), tuple(skipped))

    def load(self, tree: FileTree, setting: Setting) -> Loaded:
        """Return the skills of the roots, the first of each name, in the order in which they are met."""
        scan = self.scan(tree, setting)
        kept: dict[str, HarnessSkill] = {}
        for skill in scan.found:
            kept.setdefault(skill.name, skill)
        loaded = {skill.path for skill in scan.found}
        notes = tuple(f"{d.path}: {d.message}" for d in scan.diagnostics if d.path in loaded)
        return Loaded(skills=tuple(kept.values()), skipped=scan.skipped, notes=notes)

    def block(self, skills: Sequence[HarnessSkill], setting: Setting, reader: str = "read") -> Listing:
        """Return `formatSkillsForPrompt`: the block itself, which begins with two line breaks.

        Args:
            skills: what was loaded.
            setting: where the root is.
            reader: the tool that loads a file; any word but `read` and `bash` for none.
        """
        shown = [skill for skill in skills if skill.listed]
        if not shown:
            return Listing(text="", place="none")
        entries = (
            (
                skill.name,
                ENTRY.format(
                    name=escaped(skill.name),
                    description=escaped(skill.description or ""),
                    location=escaped_path(setting, skill.path),
                ),
            )
            for skill in shown
        )
        text, spans = join_entries(f"{HEAD.format(reader=READERS.get(reader, INDIRECT))}\n", entries)
        return Listing(text=text + TAIL, place=self.place, spans=spans)

    def listing(self, loaded: Loaded, setting: Setting) -> Listing:
        """Return the `<skills>` section; nothing without a visible skill or a tool that reads files."""
        tools = TOOLS if setting.tools is None else setting.tools
        seen = [tool for tool in tools if tool not in setting.options.get("hidden_tools", ())]
        reader = next((tool for tool in READERS if tool in seen), None)
        if reader is None and not any(tool in READERS for tool in tools):
            return Listing(text="", place="none")
        block = self.block(loaded.skills, setting, reader or "indirect")
        if not block.text:
            return block
        text = trim(block.text)
        shift = SECTION.index("{block}") - (len(block.text) - len(text))
        spans = (Span(label=s.label, start=s.start + shift, stop=s.stop + shift) for s in block.spans)
        return Listing(text=SECTION.format(block=text), place=self.place, spans=tuple(spans))

    def tools(self, loaded: Loaded, setting: Setting) -> tuple[dict[str, Any], ...]:
        """Return the `read` tool, whose text no skill changes."""
        return (deepcopy(dict(READ_TOOL)),) if setting.tools is None or "read" in setting.tools else ()

    def call(self, tool: str, arguments: Any, loaded: Loaded, tree: FileTree, setting: Setting) -> Answer:
        """Return what `read` gives of a file of the tree, or what is said of a tool that is not there.

        Raises:
            UnsupportedByDialect: another tool of the program, an image, or a range that is no whole number.
        """
        at_hand = TOOLS if setting.tools is None else setting.tools
        if tool not in at_hand:
            return Answer(text=NOT_FOUND.format(tool=tool), is_error=True)
        if tool != "read":
            raise UnsupportedByDialect(f"pi's tool {tool!r} has nothing to do with skills")
        return read(arguments, tree, setting)

    def user(self, text: str, loaded: Loaded, tree: FileTree, setting: Setting) -> UserTurn:
        """Return `/skill:NAME words` as the skill's body and the words; any other text goes as it is.

        A name that is not there goes as it is, too. It ends at the first space: a line break belongs to it.
        """
        if not text.startswith(GESTURE):
            return UserTurn(texts=(text,))
        head, _, arguments = text.partition(" ")
        name = head.removeprefix(GESTURE)
        skill = loaded.named(name)
        if skill is None:
            note = f"there is no skill {name!r}: the model is sent the text as it was typed"
            return UserTurn(texts=(text,), notes=(note,))
        made = INVOKED.format(
            name=skill.name,
            location=setting.path_of(skill.path),
            directory=setting.path_of(skill.directory),
            body=skill.body,
        )
        arguments = trim(arguments)
        return UserTurn(texts=(made + ARGUMENTS.format(arguments=arguments) if arguments else made,))


def _roots(setting: Setting) -> tuple[PiRoot, ...]:
    if setting.options.get("roots") is None:
        return (PiRoot(kind=setting.options.get("kind", "pi")),)
    return setting.skill_roots(PiRoot)


_EXECUTED: Final = Provenance(
    fidelity="executed",
    program="@earendil-works/pi-coding-agent",
    version="1.6.0",
    date="2026-12-01",
    where="dist/core/{skills,system-prompt,agent-session}.js",
)

HARNESS: Final = Pi(
    name="pi",
    title="pi",
    provenance=_EXECUTED,
    text_provenance={
        "call": replace(
            _EXECUTED,
            fidelity="source",
            where="dist/core/tools/{read,truncate}.js; misses and whole files were executed",
        ),
    },
    place="system",
    order="path-bytes",
    on_change="ignored",
    on_resume="rewrite",
    roots=(
        ".pi/skills",
        ".agents/skills (project, then each folder up to the root of its repository)",
        "~/.pi/agent/skills",
        "~/.agents/skills",
    ),
    duplicate="the first root wins, and in one root the first in the order of folders",
    layers=ROOTS,
    load_tool="read",
    loads_by="path",
    tool_order=TOOLS,
    layouts=(
        RequestLayout(
            api="anthropic-messages",
            path="/v1/messages?beta=true",
            keys=("model", "messages", "max_tokens", "stream", "system", "tools"),
            breakpoints=("tools/-1", "system/0", "messages/-1/content/-1"),
            provenance=_EXECUTED,
        ),
    ),
    not_measured=(
        "links: the program drops a second path to one file without a word; a tree of files has no links",
        "skills of packages, settings and extensions; extra patterns of settings",
        "the words of the YAML library for rare faults; the line is named all the same",
    ),
)
"""pi 1.6.0."""
