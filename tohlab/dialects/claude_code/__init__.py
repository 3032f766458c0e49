"""Claude Code: a list that shrinks to fit 1 % of the window with every name kept, and arguments from `$0`.

Taken 2026-12-01 from its documentation (skills, settings and prompt caching pages of 2026-08-22) and from
transcripts that agree with each other (strings of version 2.1.240); the program was not run and no source was
read. The list is a reminder in a user message, a loaded skill is a user message too: skills and commands only
ever append, so the prefix stays. What documentation leaves open is named in `not_measured`.

tohlab runs no command of a skill's body: where the program would put a command's output, the text stays as it
is written, or reads as it does where a policy forbids such commands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from math import floor
from types import MappingProxyType
from typing import Any, Final

from tohlab.dialects.base import Provenance
from tohlab.dialects.claude_code.files import for_users_alone, parse_skill, visible
from tohlab.dialects.claude_code.texts import (
    ALREADY_LOADED,
    BUDGET_CHARS,
    BUDGET_FRACTION,
    CHARS_PER_TOKEN,
    CUT_MARK,
    DESCRIPTION,
    DESCRIPTION_LIMIT_CHARS,
    ENTRY,
    HEAD,
    LOADED,
    NAME_ONLY,
    NO_NAME,
    NOT_FOR_MODELS,
    NOT_FOR_USERS,
    PARAMETERS,
    SHELL_DISABLED,
    SUBSTITUTION,
    TAIL,
    UNKNOWN,
    WHEN,
)
from tohlab.dialects.entries import spread_entries
from tohlab.dialects.folders import argument_names, duplicate, qualified_files
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
    UserTurn,
)
from tohlab.ecma import utf16_length, utf16_slice

_VARIABLES: Final = MappingProxyType(
    {
        "CLAUDE_SESSION_ID": "session_id",
        "CLAUDE_EFFORT": "effort",
        "CLAUDE_PROJECT_DIR": "project_dir",
        "CLAUDE_PLUGIN_ROOT": "plugin_root",
        "CLAUDE_PLUGIN_DATA": "plugin_data",
    }
)
"""What `${NAME}` stands for, by the option that holds it; `${CLAUDE_SKILL_DIR}` is the skill's folder."""

_SHELL: Final = re.compile(r"^```![^\n]*\n.*?^```[^\S\n]*$|(?:^|(?<=\s))!`[^`\n]+`", re.MULTILINE | re.DOTALL)
_COMMAND: Final = re.compile(r"/(\S+)(?:\s+([\s\S]*))?")


@dataclass(frozen=True, kw_only=True)
class ClaudeCode(Harness):
    """Claude Code: names by folder, a budget in characters, gates, overrides.

    `Setting.options`: `roots` (prefixes in the tree, strongest first), `plugins` (a plug-in's name to its
    prefix), `touched` (files read, edited or written by the program's own tools, relative to the project),
    `usage` (how often each skill was used), `in_context` (loaded texts that are in the conversation), the
    settings `skillOverrides`, `skillListingMaxDescChars`, `skillListingBudgetFraction`,
    `disableSkillShellExecution`, the variable `SLASH_COMMAND_TOOL_CHAR_BUDGET`, and `session_id`, `effort`,
    `project_dir`, `plugin_root`, `plugin_data`.
    """

    reattached_tokens_each: int = 5000
    """How much of each loaded skill is put back after a compaction, from its start."""
    reattached_tokens_total: int = 25_000
    """How much of all of them together."""

    def load(self, tree: FileTree, setting: Setting) -> Loaded:
        """Return the skills in the order of precedence; a skill is called like its folder.

        A gated skill whose gate has not fired, and a nested one below whose folder nothing was touched, is
        in it, and nobody can load it.
        """
        by_name: dict[str, HarnessSkill] = {}
        skipped: list[Skipped] = []
        notes: list[str] = []
        touched = tuple(setting.options.get("touched", ()))
        files, aside = qualified_files(tree, setting)
        for place, kind, of in files:
            skill = parse_skill(tree.text(place.path), place, of if kind == "plugin" else "", notes)
            if kind == "nested" and skill.name in by_name:
                skill = replace(skill, name=f"{of}:{skill.name}")
            if skill.name in by_name:
                skipped.append(duplicate(by_name[skill.name], place.path, silent=True))
                continue
            below = kind != "nested" or any(path.startswith(f"{of}/") for path in touched)
            by_name[skill.name] = visible(skill, setting, below, touched)
        return Loaded(skills=tuple(by_name.values()), skipped=(*skipped, *aside), notes=tuple(notes))

    def budget_chars(self, setting: Setting) -> int:
        """Return how long the entries of the list may be, in UTF-16 code units, line breaks included."""
        given = setting.options.get("SLASH_COMMAND_TOOL_CHAR_BUDGET")
        if given:
            return int(given)
        if setting.window_tokens is None:
            return BUDGET_CHARS
        fraction: float = setting.options.get("skillListingBudgetFraction", BUDGET_FRACTION)
        return floor(setting.window_tokens * fraction * CHARS_PER_TOKEN)

    def listing(self, loaded: Loaded, setting: Setting) -> Listing:
        """Return the list; over the budget the least used skills are named without a description.

        Of equally used skills the later one loses its description first. Names are kept whatever the budget.
        """
        skills = [skill for skill in loaded.skills if skill.listed]
        if not skills:
            return Listing(text="", place=self.place, dropped=loaded.unlisted)
        cuts: dict[str, Cut] = {}
        shown = [_described(skill, setting, cuts) for skill in skills]
        self._fit(skills, shown, setting, cuts)
        names = [skill.name for skill in skills]
        text, spans = spread_entries(HEAD, zip(names, map(_line, names, shown), strict=True))
        return Listing(
            text=text + TAIL,
            place=self.place,
            spans=spans,
            cut=tuple(cuts[s.name] for s in skills if s.name in cuts),
            dropped=loaded.unlisted,
        )

    def _fit(
        self, skills: Sequence[HarnessSkill], shown: list[str], setting: Setting, cuts: dict[str, Cut]
    ) -> None:
        left = self.budget_chars(setting) + 1
        left -= sum(utf16_length(_line(s.name, d)) + 1 for s, d in zip(skills, shown, strict=True))
        usage: Mapping[str, float] = setting.options.get("usage", {})
        order = sorted(range(len(skills)), key=lambda n: (usage.get(skills[n].name, 0), -n))
        for number in order:
            if left >= 0:
                return
            skill, description = skills[number], shown[number]
            if description:
                left += utf16_length(_line(skill.name, description)) - utf16_length(_line(skill.name, ""))
                shown[number] = ""
                before = cuts[skill.name].before_chars if skill.name in cuts else utf16_length(description)
                why = f"the list has a budget of {self.budget_chars(setting):,} characters"
                cuts[skill.name] = Cut(name=skill.name, before_chars=before, after_chars=0, why=why)

    def announcement(self, before: Loaded, after: Loaded, setting: Setting) -> Listing:
        """Return what a running session is told when skills have changed: the new and changed ones alone.

        Nothing is said of a skill that is gone.

        Args:
            before: what the session has been told.
            after: what the files give now.
            setting: the run.
        """
        known = {
            skill.name: (skill.description, skill.fields.get("when_to_use"))
            for skill in before.skills
            if skill.listed
        }
        changed = tuple(
            skill
            for skill in after.skills
            if skill.listed and known.get(skill.name) != (skill.description, skill.fields.get("when_to_use"))
        )
        return self.listing(replace(after, skills=changed), setting)

    def announced(self, before: Loaded, after: Loaded, setting: Setting) -> tuple[str, ...]:
        """Return the list of the new and changed skills alone; nothing is said of one that is gone."""
        text = self.announcement(before, after, setting).text
        return (text,) if text else ()

    def tools(self, loaded: Loaded, setting: Setting) -> tuple[dict[str, Any], ...]:
        """Return the `Skill` tool in the form of Anthropic's API; the same with any skills."""
        return ({"name": "Skill", "description": DESCRIPTION, "input_schema": deepcopy(dict(PARAMETERS))},)

    def call(self, tool: str, arguments: Any, loaded: Loaded, tree: FileTree, setting: Setting) -> Answer:
        """Return the loaded skill, or why there is none.

        Raises:
            UnsupportedByDialect: another tool, or arguments that do not fit the schema.
        """
        given = arguments if isinstance(arguments, Mapping) else {}
        asked, args = given.get("skill"), given.get("args", "")
        if tool != "Skill" or not isinstance(asked, str) or not isinstance(args, str):
            return super().call(tool, arguments, loaded, tree, setting)
        name = asked.strip().removeprefix("/")
        if not name:
            return Answer(text=NO_NAME.format(name=asked), is_error=True)
        skill = loaded.named(name)
        if skill is None or not (skill.model_loads or for_users_alone(skill)):
            return Answer(text=UNKNOWN.format(name=name), is_error=True)
        if not skill.model_loads:
            return Answer(text=NOT_FOR_MODELS.format(name=name), is_error=True)
        text, notes = self.render_skill(skill, args, setting)
        if text in setting.options.get("in_context", ()):
            return Answer(text=ALREADY_LOADED, notes=notes)
        return Answer(text=text, notes=("as a user message behind the tool's result", *notes))

    def user(self, text: str, loaded: Loaded, tree: FileTree, setting: Setting) -> UserTurn:
        """Return the loaded skill for `/name arguments`; what is no such text goes as it is."""
        match = _COMMAND.fullmatch(text.strip())
        if match is None:
            return UserTurn(texts=(text,))
        name = match[1]
        skill = loaded.named(name)
        if skill is None and not re.fullmatch(r"[\w:-]+", name):
            return UserTurn(texts=(text,))
        if skill is None or not (skill.user_loads or skill.model_loads):
            return UserTurn(texts=(), sent=False, notes=(UNKNOWN.format(name=name),))
        if not skill.user_loads:
            return UserTurn(texts=(), sent=False, notes=(NOT_FOR_USERS.format(name=name),))
        loaded_text, notes = self.render_skill(skill, match[2] or "", setting)
        return UserTurn(texts=(loaded_text,), notes=notes)

    def render_skill(
        self, skill: HarnessSkill, arguments: str, setting: Setting
    ) -> tuple[str, tuple[str, ...]]:
        """Return a loaded skill as the model reads it, and what the program would have done to it besides.

        Args:
            skill: what is loaded.
            arguments: what follows its name, as it is typed.
            setting: where the tree's root is, and the values of variables.
        """
        directory = setting.path_of(skill.directory)
        variables = {"CLAUDE_SKILL_DIR": directory} | {
            name: str(setting.options[key]) for name, key in _VARIABLES.items() if key in setting.options
        }
        names = argument_names(skill.fields)
        body = SUBSTITUTION.apply(skill.body, arguments, names, variables).text
        notes = [
            f"${{{name}}} stays: the option {key} is not set"
            for name, key in _VARIABLES.items()
            if key not in setting.options and f"${{{name}}}" in body
        ]
        commands = len(_SHELL.findall(body))
        if commands and setting.options.get("disableSkillShellExecution"):
            body = _SHELL.sub(lambda _: SHELL_DISABLED, body)
        elif commands:
            notes.append(f"the program runs {commands} shell commands here; the text stays as it is written")
        if skill.fields.get("context") == "fork":
            notes.append("context: fork: the text is the prompt of a sub-agent")
        return LOADED.format(directory=directory, body=body), tuple(notes)


def _line(name: str, description: str) -> str:
    return (ENTRY if description else NAME_ONLY).format(name=name, description=description)


def _described(skill: HarnessSkill, setting: Setting, cuts: dict[str, Cut]) -> str:
    overrides: Mapping[str, str] = setting.options.get("skillOverrides", {})
    text, when = skill.description or "", skill.fields.get("when_to_use")
    if isinstance(when, str) and when.strip():
        text = WHEN.format(description=text, when=when.strip()) if text else when.strip()
    before = utf16_length(text)
    if overrides.get(skill.name) == "name-only":
        if text:
            cuts[skill.name] = Cut(
                name=skill.name, before_chars=before, after_chars=0, why="override name-only"
            )
        return ""
    limit = int(setting.options.get("skillListingMaxDescChars", DESCRIPTION_LIMIT_CHARS))
    if before > limit:
        text = utf16_slice(text, limit - 1) + CUT_MARK
        why = f"a description has at most {limit:,} characters"
        cuts[skill.name] = Cut(name=skill.name, before_chars=before, after_chars=utf16_length(text), why=why)
    return text


_DOCUMENTED: Final = Provenance(
    fidelity="documented",
    program="Claude Code",
    version="documentation of 2026-08-22, strings of 2.1.240",
    date="2026-12-01",
    where="docs: skills, settings, prompt caching",
)

HARNESS: Final = ClaudeCode(
    name="claude-code",
    title="Claude Code",
    provenance=_DOCUMENTED,
    text_provenance=MappingProxyType(
        {
            "listing": replace(
                _DOCUMENTED, fidelity="reconstructed", where="transcripts; the budget is documented"
            ),
            "tools": replace(
                _DOCUMENTED, fidelity="reconstructed", where="the description is in our own words"
            ),
            "call": replace(
                _DOCUMENTED, fidelity="reconstructed", where="transcripts; arguments are documented"
            ),
            "user": replace(
                _DOCUMENTED, fidelity="reconstructed", where="transcripts; arguments are documented"
            ),
        }
    ),
    place="user",
    order="precedence",
    on_change="append",
    on_resume="append",
    description_limit_chars=DESCRIPTION_LIMIT_CHARS,
    roots=("managed", "~/.claude/skills", ".claude/skills", "bundled", "<DIR>/.claude/skills", "plug-ins"),
    duplicate="enterprise, then personal, then project, then bundled; a nested one is called <DIR>:<name>",
    layers=(
        SkillRoot(folder="home/.claude/skills"),
        SkillRoot(folder="project/.claude/skills"),
    ),
    load_tool="Skill",
    not_measured=(
        "the tool's description, which is in our own words here and about five times as long in the program",
        "how description and when_to_use are joined (` - ` here) and what stands for the part that was cut "
        "(`…`)",
        "what the budget counts: the entries with their line breaks here",
        "which of two equally used skills loses its description first: the later one here",
        "the order of the entries: that of precedence, then the folder's name, here",
        "a gated skill is unknown to users as well: reported in 2026, perhaps mended since",
        "the note for a skill that is loaded again, and that text's frame; the frame of an error of the tool",
        "the command's own tags beside a skill that a user starts",
        "what a list or a number for a description becomes, and the description of a skill that has none",
        "the bundled skills, and lists of allowed tools",
    ),
)
