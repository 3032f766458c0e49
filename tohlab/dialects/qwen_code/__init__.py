"""qwen-code 0.24.4 (npm `@qwen-code/qwen-code`, Apache-2.0): a reminder in the first turn, a static tool.

Taken 2026-12-01 by running the program (`qwen -y -p`, `qwen --acp -y`, skills in `<PROJECT>/.qwen/skills`);
what the runs did not reach was read in the package. The list is no part of the system prompt or the tools
block, so that no change of the skills touches what a cache holds of them; an argument of a user's command is
written to a file whose random name stands in the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from tohlab.dialects.base import Provenance
from tohlab.dialects.entries import spread_entries
from tohlab.dialects.folders import in_roots
from tohlab.dialects.harness import (
    Answer,
    Cut,
    FileTree,
    Harness,
    HarnessSkill,
    Listing,
    Loaded,
    Setting,
    Skipped,
    UserTurn,
)
from tohlab.dialects.qwen_code.entries import listed_entries, towards_budget
from tohlab.dialects.qwen_code.reading import (
    INSTALLING,
    ROOTS,
    gates,
    hidden,
    overlooked,
    parse,
    qwen_roots,
    repeated,
)
from tohlab.dialects.qwen_code.texts import (
    ALREADY_LOADED,
    ARGUMENTS,
    ARGUMENTS_PATH,
    BAD_ARGUMENTS,
    BUNDLED,
    BUNDLED_HIDDEN,
    CLOSING,
    DESCRIPTION,
    GATED,
    LOADED,
    MAX_LISTING_CHARS,
    MAX_STACKED,
    NO_NAME,
    NO_SKILLS,
    NONE_FOUND,
    NOT_FOUND,
    NOT_SUPPORTED,
    OPENING,
    PARAMETERS,
    TOOLS,
)
from tohlab.dialects.tool_forms import chat_tool
from tohlab.ecma import trim

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]")


@dataclass(frozen=True, kw_only=True)
class QwenCode(Harness):
    """qwen-code: one folder level, a lenient reader, a list by locale with all five entities escaped.

    Options of a `Setting`: `level` (`project` or `user`, where the skills lie), `active` (names of skills
    whose `paths` a file has matched), `loaded` (names of skills that the session has loaded), `session_id`.
    """

    def load(self, tree: FileTree, setting: Setting) -> Loaded:
        """Return the skills of the folders directly below the root; the first of two equal names stays."""
        found: dict[str, HarnessSkill] = {}
        skipped: list[Skipped] = []
        notes: list[str] = []
        active = setting.options.get("active", ())
        in_order = sorted(tree, key=lambda path: path.split("/"))
        for path, _, inside in in_roots(in_order, qwen_roots(setting)):
            parts = inside.split("/")
            if parts[-1] != "SKILL.md" or len(parts) != 2 or INSTALLING.search(parts[0]):
                if parts[-1].lower() == "skill.md":
                    skipped.append(overlooked(path, parts))
                continue
            skill = parse(tree.text(path), path, active)
            if isinstance(skill, Skipped):
                skipped.append(skill)
            elif skill.name in found:
                skipped.append(repeated(found[skill.name], path))
            else:
                found[skill.name] = skill
                if gates(skill) and skill.name not in active:
                    notes.append(f"{skill.name} is listed once a file is touched that its paths match")
        return Loaded(skills=tuple(found.values()), skipped=tuple(skipped), notes=tuple(notes))

    def listing(self, loaded: Loaded, setting: Setting) -> Listing:
        """Return the reminder that stands in the first user turn, before the user's own text."""
        entries = listed_entries(loaded, setting)
        if not entries:
            return Listing(text=NO_SKILLS, place=self.place, dropped=loaded.unlisted)
        kept = towards_budget(entries)
        text, spans = spread_entries(OPENING, ((entry.name, entry.text()) for entry in kept))
        cut = tuple(
            Cut(
                name=after.name,
                before_chars=len(before.description) + len(before.when),
                after_chars=len(after.description),
                why=f"the list is longer than {MAX_LISTING_CHARS} characters: first lines only",
            )
            for before, after in zip(entries, kept, strict=True)
            if (trim(before.description), before.when) != (after.description, after.when) and before != after
        )
        return Listing(text=text + CLOSING, place=self.place, spans=spans, cut=cut, dropped=loaded.unlisted)

    def tools(self, loaded: Loaded, setting: Setting) -> tuple[dict[str, Any], ...]:
        """Return the `skill` tool as chat completions take it; the same with and without skills."""
        return (chat_tool("skill", DESCRIPTION, PARAMETERS),)

    def reached(self, before: Loaded, after: Loaded) -> Loaded:
        """Return what the tool finds: new and changed skills at once, and those that are gone still."""
        there = {skill.name for skill in after.skills}
        gone = tuple(skill for skill in before.skills if skill.name not in there)
        return replace(after, skills=(*after.skills, *gone))

    def call(self, tool: str, arguments: Any, loaded: Loaded, tree: FileTree, setting: Setting) -> Answer:
        """Return a skill's text, or what the program says instead; `args` change nothing.

        Raises:
            UnsupportedByDialect: another tool, or a bundled skill, whose text is not kept here.
        """
        if tool != "skill":
            return super().call(tool, arguments, loaded, tree, setting)
        given = arguments if isinstance(arguments, dict) else {}
        asked = given.get("skill")
        if not isinstance(asked, str) or not trim(asked):
            return Answer(text=NO_NAME, is_error=True)
        if not isinstance(given.get("args", ""), str):
            return Answer(text=BAD_ARGUMENTS, is_error=True)
        skill = loaded.named(asked)
        if skill is not None and skill.model_loads:
            if asked in setting.options.get("loaded", ()):
                return Answer(text=ALREADY_LOADED.format(name=asked))
            return Answer(text=_loaded(skill, setting))
        if skill is not None and not hidden(skill):
            return Answer(text=GATED.format(name=asked), is_error=True)
        names = [entry.name for entry in listed_entries(loaded, setting)]
        if asked in names:
            raise self._not_kept(asked)
        if not names:
            return Answer(text=NONE_FOUND.format(name=asked), is_error=True)
        return Answer(text=NOT_FOUND.format(name=asked, names=", ".join(names)), is_error=True)

    def user(self, text: str, loaded: Loaded, tree: FileTree, setting: Setting) -> UserTurn:
        """Return what `/name words` and `/one /two text` become; hidden and gated skills can be started.

        Raises:
            UnsupportedByDialect: the text starts a bundled skill, whose text is not kept here.
        """
        typed = trim(text)
        if not typed.startswith("/"):
            return _turn((text,))
        skills = {skill.name: skill for skill in loaded.skills}
        stacked, rest = _stacked(typed[1:], skills)
        if len(stacked) > 1:
            parts = [_loaded(skill, setting) for skill in stacked]
            return _turn((*parts, rest) if rest else tuple(parts))
        words = typed[1:].split()
        name = words[0] if words else ""
        if name not in skills:
            if setting.bundled and (name in BUNDLED or name in BUNDLED_HIDDEN):
                raise self._not_kept(name)
            return _turn((text,))
        skill = skills[name]
        if not skill.user_loads:
            return UserTurn(texts=(), sent=False, notes=(NOT_SUPPORTED.format(name=name),))
        given = trim(trim(typed[1:])[len(name) :])
        body = _loaded(skill, setting)
        if not given:
            return _turn((body,))
        session = setting.options.get("session_id", "<SESSION>")
        path = ARGUMENTS_PATH.format(session=session, name=_UNSAFE.sub("_", name))
        note = "the arguments are written to a file with a random name, which stands in the prompt"
        return _turn((body + ARGUMENTS.format(raw=typed, path=path, given=given),), note)


def _loaded(skill: HarnessSkill, setting: Setting) -> str:
    return LOADED.format(directory=setting.path_of(skill.directory), body=skill.body)


def _turn(parts: tuple[str, ...], *notes: str) -> UserTurn:
    return UserTurn(texts=parts, json=list(parts), notes=notes)


def _stacked(line: str, skills: Mapping[str, HarnessSkill]) -> tuple[list[HarnessSkill], str]:
    # `/one /two text`: the first without its slash, the others with it, until a word names no skill.
    found: list[HarnessSkill] = []
    rest = 0
    for word in re.finditer(r"\S+", line):
        name = word[0]
        if found:
            if not name.startswith("/"):
                break
            name = name[1:]
        skill = skills.get(name)
        if skill is None or not skill.user_loads or len(found) == MAX_STACKED:
            break
        found.append(skill)
        rest = word.end()
    return found, trim(line[rest:])


_PROVENANCE: Final = Provenance(
    fidelity="executed",
    program="qwen-code",
    version="0.24.4",
    date="2026-12-01",
    where="npm @qwen-code/qwen-code: chat completions as sent",
)
_SOURCE: Final = replace(
    _PROVENANCE, fidelity="source", where="packages/core/src/skills, as bundled in the package"
)
HARNESS: Final = QwenCode(
    name="qwen-code",
    title="qwen-code",
    provenance=_PROVENANCE,
    text_provenance=MappingProxyType({"load": _SOURCE}),
    place="user",
    order="name-locale",
    on_change="announced-silently",
    on_resume="rewrite",
    roots=("<PROJECT>/.qwen/skills", "~/.qwen/skills", "extensions, as extension:name", "bundled"),
    duplicate="the stronger root; inside one root the folder that comes first in byte order",
    layers=ROOTS,
    load_tool="skill",
    tool_order=TOOLS,
    not_measured=(
        "a session that is taken up again by a new process",
        (
            "the reminders of added and removed skills, read in the package: no turn of a run was late "
            "enough for one"
        ),
        (
            "paths gates, a second load of one skill, stacked commands and the budget of 8,000 "
            "characters: read in the package"
        ),
        "the texts of the bundled skills",
        "a skill named as one of the program's slash commands, and further letters of Unicode in names",
        "the program's words for absolute and parent paths in `paths`, which say more than is said here",
    ),
)
