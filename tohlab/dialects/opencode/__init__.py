"""opencode 1.18.33 (npm `opencode-ai`, MIT): skills last in the system prompt, and commands of their names.

Taken 2026-12-01 by running the program (`opencode serve`, `opencode debug skill`); what the runs did not
reach was read in the code that the binary carries. Three things there depend on what happened before in a
process: which of two equal names wins, whether an unquoted colon is repaired, and which files a skill's
sample names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from tohlab.dialects.base import Provenance
from tohlab.dialects.entries import join_entries
from tohlab.dialects.escapes import escaped, escaped_path
from tohlab.dialects.folders import in_roots
from tohlab.dialects.harness import (
    Answer,
    FileTree,
    Harness,
    HarnessSkill,
    Listing,
    Loaded,
    RequestLayout,
    Setting,
    SkillRoot,
    Skipped,
    UserTurn,
)
from tohlab.dialects.opencode.reading import read_matter, replaced_by, skill_of
from tohlab.dialects.opencode.rules import is_denied, rules_of, tool_is_off
from tohlab.dialects.opencode.texts import (
    BUILT_IN_DESCRIPTION,
    BUILT_IN_LOCATION,
    BUILT_IN_NAME,
    CATCH_ALL,
    CLOSING,
    COMMAND,
    DENIED,
    DESCRIPTION,
    ENTRY,
    FILE,
    INVALID,
    LOADED,
    MISSING_KEY,
    NO_FOLDER,
    NO_NAMES,
    NO_SKILLS,
    NO_TOOL,
    NOT_FOUND,
    OPENING,
    OWN_COMMANDS,
    PARAMETERS,
    PREAMBLE,
    SAMPLED_FILES,
    SUBSTITUTION,
    TOOLS,
    WRONG_KIND,
)
from tohlab.dialects.tool_forms import chat_tool
from tohlab.ecma import json_stringify, trim, utf16_sort_key
from tohlab.skills.collation import collation_key

_SHELL: Final = re.compile(r"!`([^`]+)`")
APOSTROPHE: Final = "&#39;"


@dataclass(frozen=True, kw_only=True)
class OpenCode(Harness):
    """opencode: every `SKILL.md` at any depth, a lenient reader with a repair, a list by locale.

    Options of a `Setting`:

    `parsed_before`: the process has read files of these very bytes already (another project, an earlier
    instance); the parser's cache then hides the error that would start the repair, and such a skill is lost
    in silence. `last_read`: the path that is read last among equal names, and so wins; otherwise the last in
    path order. `permission`: the user's rules for skills, a pattern to `allow`, `ask` or `deny`, the last
    that fits counts. `command`: the text came through the program's command call, which no unknown name
    survives.
    """

    def load(self, tree: FileTree, setting: Setting) -> Loaded:
        """Return the skills of every `SKILL.md` below the root, hidden folders and `node_modules` too."""
        found: dict[str, HarnessSkill] = {}
        skipped: list[Skipped] = []
        notes: list[str] = []
        spent: set[str] = set()
        last = setting.options.get("last_read")
        roots = setting.skill_roots(SkillRoot)
        # The strongest root is read last, as far as the race lets it.
        read = [path for path, _, _ in in_roots(tree.named("SKILL.md"), roots[::-1])]
        for path in sorted(read, key=lambda path: path == last):
            text = tree.text(path)
            parsed_before = text in spent or bool(setting.options.get("parsed_before"))
            matter, fate = read_matter(text, parsed_before=parsed_before)
            if fate == "repaired":
                spent.add(text)
                notes.append(
                    f"{path} loads only because its unquoted colon is repaired, which happens once "
                    "for the same "
                    "bytes in one process: a second project or instance loses the skill in silence"
                )
            skill = skill_of(matter, path, text, fate)
            if isinstance(skill, Skipped):
                skipped.append(skill)
                continue
            earlier = found.pop(skill.name, None)
            if earlier is not None:
                skipped.append(replaced_by(earlier, path))
                notes.append(
                    f"{earlier.path} and {path} are both named {skill.name!r}: files are read side "
                    "by side and "
                    "the last to finish wins, which may differ from run to run"
                )
            found[skill.name] = skill
        skipped.extend(
            Skipped(
                path=path,
                code="file-name",
                reason="only files named SKILL.md are read",
                repair="rename it to SKILL.md",
                silent=True,
            )
            for path, _, _ in in_roots(tree, roots)
            if path.rpartition("/")[2].lower() == "skill.md" and not path.endswith("SKILL.md")
        )
        skills = sorted(found.values(), key=lambda skill: skill.path)
        return Loaded(skills=tuple(skills), skipped=tuple(skipped), notes=tuple(notes))

    def listing(self, loaded: Loaded, setting: Setting) -> Listing:
        """Return the end of the system prompt; nothing where every skill is denied by the last rule."""
        if tool_is_off(setting):
            names = tuple(skill.name for skill in loaded.skills)
            reasons = dict.fromkeys(names, "the skill tool is off")
            return Listing(text="", place=self.place, dropped=names, reasons=reasons)
        shown = [
            (skill.name, skill.description, escaped_path(setting, skill.path, APOSTROPHE))
            for skill in loaded.skills
            if skill.listed and not is_denied(skill.name, setting)
        ]
        known = {skill.name for skill in loaded.skills}
        if setting.bundled and BUILT_IN_NAME not in known and not is_denied(BUILT_IN_NAME, setting):
            shown.append((BUILT_IN_NAME, BUILT_IN_DESCRIPTION, escaped(BUILT_IN_LOCATION)))
        dropped = tuple(sorted(known - {name for name, _, _ in shown}, key=utf16_sort_key))
        reasons = dict.fromkeys(dropped, "a permission rule denies it")
        if not shown:
            text = f"{PREAMBLE}{NO_SKILLS}"
            return Listing(text=text, place=self.place, dropped=dropped, reasons=reasons)
        entries = (
            (name, ENTRY.format(name=name, description=description, location=location))
            for name, description, location in sorted(shown, key=lambda entry: collation_key(entry[0]))
        )
        text, spans = join_entries(PREAMBLE + OPENING, entries)
        return Listing(text=text + CLOSING, place=self.place, spans=spans, dropped=dropped, reasons=reasons)

    def tools(self, loaded: Loaded, setting: Setting) -> tuple[dict[str, Any], ...]:
        """Return the `skill` tool as chat completions take it; the same with and without skills."""
        if tool_is_off(setting):
            return ()
        return (chat_tool("skill", DESCRIPTION, PARAMETERS),)

    def call(self, tool: str, arguments: Any, loaded: Loaded, tree: FileTree, setting: Setting) -> Answer:
        """Return a skill's text with a sample of its files, or what the program says instead.

        A tool's name in capitals is taken for the name in small letters.

        Raises:
            UnsupportedByDialect: another tool, or the built-in skill, whose text is the program's own.
        """
        offered = {"skill", *(TOOLS if setting.tools is None else setting.tools)}
        if tool_is_off(setting):
            offered.remove("skill")
        meant = tool if tool in offered else tool.lower()
        if meant not in offered:
            names = ", ".join(sorted((*offered, CATCH_ALL)))
            return Answer(text=NO_TOOL.format(tool=tool, tools=names), is_error=True)
        if meant != "skill":
            return super().call(meant, arguments, loaded, tree, setting)
        fault = _fault(arguments)
        if fault is not None:
            return Answer(text=INVALID.format(detail=fault), is_error=True)
        name = arguments["name"]
        skills = {skill.name: skill for skill in loaded.skills}
        built_in = setting.bundled and name == BUILT_IN_NAME
        if name not in skills and not built_in:
            known = [*skills, *([BUILT_IN_NAME] if setting.bundled and BUILT_IN_NAME not in skills else [])]
            names = ", ".join(sorted(known, key=utf16_sort_key)) or NO_NAMES
            return Answer(text=NOT_FOUND.format(name=name, names=names), is_error=True)
        if is_denied(name, setting):
            return Answer(text=DENIED.format(rules=json_stringify(rules_of(setting))), is_error=True)
        if name not in skills:
            raise self._not_kept(name)
        skill = skills[name]
        if not tree.below(skill.directory):  # gone since the process read it
            return Answer(text=NO_FOLDER, is_error=True)
        files = _sample(skill, tree)
        notes = ("which files are named, and in which order, is up to ripgrep's threads",) if files else ()
        return Answer(
            text=LOADED.format(
                name=name,
                body=trim(skill.body),
                directory=setting.path_of(skill.directory),
                files="\n".join(FILE.format(path=setting.path_of(path)) for path in files),
            ),
            notes=notes,
        )

    def user(self, text: str, loaded: Loaded, tree: FileTree, setting: Setting) -> UserTurn:
        """Return a skill's text for `/name arguments`; hidden and denied skills can be started too.

        Raises:
            UnsupportedByDialect: the text starts the built-in skill, whose text is not kept here.
        """
        command = setting.options.get("command")
        name, given = _command(text)
        if command is not None:
            name, given = command, str(setting.options.get("arguments", ""))
        skill = loaded.named(name)
        if name in OWN_COMMANDS:
            return UserTurn(
                texts=(text,), notes=(f"/{name} is a command of the program, whose text goes instead",)
            )
        if setting.bundled and skill is None and name == BUILT_IN_NAME:
            raise self._not_kept(name)
        if skill is None:
            if command is None:
                return UserTurn(texts=(text,))
            return UserTurn(texts=(), sent=False, notes=(f'Command not found: "{name}".',))
        template = COMMAND.format(body=skill.body, directory=setting.path_of(skill.directory))
        filled = SUBSTITUTION.apply(template, given).text
        notes = tuple(
            f"the program runs this in a shell and puts its output here: {match[1]}"
            for match in _SHELL.finditer(filled)
        )
        return UserTurn(texts=(trim(filled),), notes=notes)


def _sample(skill: HarnessSkill, tree: FileTree) -> tuple[str, ...]:
    paths = tree.below(skill.directory)
    ours = (path for path in paths if path.rpartition("/")[2] != "SKILL.md" and "/.git/" not in f"/{path}")
    return tuple(path for path, _ in zip(ours, range(SAMPLED_FILES), strict=False))


def _fault(arguments: Any) -> str | None:
    # What the program's schema library says of arguments that do not fit; further keys are passed over.
    if not isinstance(arguments, dict):
        return WRONG_KIND.format(expected="object", value=json_stringify(arguments), at="")
    if "name" not in arguments:
        return MISSING_KEY
    if not isinstance(arguments["name"], str):
        return WRONG_KIND.format(
            expected="string", value=json_stringify(arguments["name"]), at='\n  at ["name"]'
        )
    return None


def _command(text: str) -> tuple[str | None, str]:
    # The first word of the first line without its slash; what follows on that line, and the lines below.
    if not text.startswith("/"):
        return None, ""
    line, _, below = text.partition("\n")
    name, _, given = line[1:].partition(" ")
    return name, given + (f"\n{below}" if below else "")


_PROVENANCE: Final = Provenance(
    fidelity="executed",
    program="opencode",
    version="1.18.33",
    date="2026-12-01",
    where="npm opencode-ai: chat completions as sent",
)
_SOURCE: Final = replace(_PROVENANCE, fidelity="source", where="the code inside the binary")
ANTHROPIC: Final = RequestLayout(
    api="anthropic-messages",
    path="/v1/messages",
    keys=("model", "max_tokens", "system", "messages", "tools", "tool_choice", "stream"),
    breakpoints=("system/0", "messages/-2/content/-1", "messages/-1/content/-1"),
    provenance=replace(_PROVENANCE, where="a request of @ai-sdk/anthropic after one call of the skill tool"),
)
LAYERS: Final = (
    SkillRoot(folder="project/.opencode/skills", project=True),
    SkillRoot(folder="project/.opencode/skill", project=True),
    SkillRoot(folder="home/.config/opencode/skills"),
    SkillRoot(folder="home/.config/opencode/skill"),
    SkillRoot(folder="project/.agents/skills", project=True),
    SkillRoot(folder="project/.claude/skills", project=True),
    SkillRoot(folder="home/.agents/skills"),
    SkillRoot(folder="home/.claude/skills"),
)
"""opencode's own roots, for a tree with a project and a home: the option `roots`.

The folders from the working folder up to the root of a repository give one of each kind."""

HARNESS: Final = OpenCode(
    name="opencode",
    title="opencode",
    provenance=_PROVENANCE,
    text_provenance=MappingProxyType({"user": _SOURCE}),
    place="system",
    order="name-locale",
    on_change="ignored",
    on_resume="rewrite",
    roots=(
        "skills.urls of opencode.json",
        "skills.paths of opencode.json",
        "<PROJECT>/.opencode/{skill,skills}",
        "~/.config/opencode/{skill,skills}",
        "<PROJECT>/.agents/skills",
        "<PROJECT>/.claude/skills",
        "~/.agents/skills",
        "~/.claude/skills",
    ),
    duplicate="the file that is read last; all are read side by side, so it is a race over all roots",
    layers=LAYERS,
    load_tool="skill",
    tool_order=TOOLS,
    layouts=(ANTHROPIC,),
    not_measured=(
        "a tool whose name differs in capitals where the skill tool is denied",
        "frontmatter in JavaScript (`---js`): the program runs it and takes what it gives; tohlab never does",
        "the order in which ripgrep names files, and files that a .gitignore hides from it",
        "the text of the built-in skill and of the program's own commands",
        "a skill named as one of the user's commands or MCP prompts: that one is started instead",
    ),
)
