"""Roo Code (RooCodeInc/Roo-Code, Apache-2.0): a section of the system prompt that depends on the mode.

Read in the program's source at commit cb83656 and around it, not run. Behind the list stands a long text that
makes the model look for a skill before every answer; the slug of the mode stands in it twice, so a switch of
the mode rewrites the system prompt even where the same skills are listed.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from tohlab.dialects.base import Provenance
from tohlab.dialects.entries import join_entries
from tohlab.dialects.escapes import escaped, escaped_path
from tohlab.dialects.folders import duplicate, in_roots, root_of
from tohlab.dialects.harness import Answer, FileTree, Harness, HarnessSkill, Listing, Loaded, Setting, Skipped
from tohlab.dialects.roo.reading import DEFAULT_MODE, RooRoot, elsewhere, parse, roots_of_modes
from tohlab.dialects.roo.texts import (
    ARGUMENTS,
    ENTRY,
    FAILED,
    HEAD,
    LOADED,
    MISSING,
    NO_NAMES,
    NOT_FOUND,
    TAIL,
    TOOL,
)
from tohlab.ecma import json_stringify
from tohlab.errors import UnsupportedByDialect


@dataclass(frozen=True, kw_only=True)
class Roo(Harness):
    """Roo Code: a strict reader, a list for the mode at hand, and its own words around it.

    Options: `mode` (the slug of the mode, `code` where nothing is said), `source` (`project` or `global`),
    `roots` (several folders of the tree, as `roots_of_modes` gives them).
    """

    def load(self, tree: FileTree, setting: Setting) -> Loaded:
        """Return the skills of the folders directly below the root whose name is their folder's."""
        mode = _mode(setting)
        by_name: dict[str, HarnessSkill] = {}
        skipped: list[Skipped] = []
        # The weakest root is read first: of one name there is one skill, in the place of the first that was
        # met. A skill that is not for the mode takes no other's place.
        for path, root, inside in in_roots(tree.named("SKILL.md"), _roots(setting)[::-1]):
            if inside.count("/") != 1:
                skipped.append(elsewhere(path))
                continue
            found = parse(tree.text(path), path, mode, root)
            if isinstance(found, Skipped):
                skipped.append(found)
                continue
            earlier = by_name.get(found.name)
            if earlier is None or (found.listed or not earlier.listed):
                by_name[found.name] = found
                if earlier is not None:
                    skipped.append(duplicate(found, earlier.path, silent=True))
            else:
                skipped.append(duplicate(earlier, path, silent=True))
        skills = list(by_name.values())
        notes = (
            ("the skills stand in the order in which the disk gives the folders",) if len(skills) > 1 else ()
        )
        return Loaded(skills=tuple(skills), skipped=tuple(skipped), notes=notes)

    def listing(self, loaded: Loaded, setting: Setting) -> Listing:
        """Return the section of the system prompt; nothing where the mode has no skills."""
        entries = (
            (
                skill.name,
                ENTRY.format(
                    name=escaped(skill.name),
                    description=escaped(skill.description or ""),
                    location=escaped_path(setting, skill.path),
                ),
            )
            for skill in loaded.skills
            if skill.listed
        )
        text, spans = join_entries(HEAD, entries)
        if not spans:
            return Listing(text="", place=self.place, dropped=loaded.unlisted)
        text += TAIL.format(mode=_mode(setting))
        return Listing(text=text, place=self.place, spans=spans, dropped=loaded.unlisted)

    def tools(self, loaded: Loaded, setting: Setting) -> tuple[dict[str, Any], ...]:
        """Return the strict `skill` tool, the same with any skills and with none."""
        return (deepcopy(dict(TOOL)),)

    def call(self, tool: str, arguments: Any, loaded: Loaded, tree: FileTree, setting: Setting) -> Answer:
        """Return a skill of the mode, or an error in JSON with the names that there are.

        Raises:
            UnsupportedByDialect: another tool, or arguments that are no texts: what the program's API does
                with those was not read.
        """
        if tool != "skill":
            return super().call(tool, arguments, loaded, tree, setting)
        given = arguments if isinstance(arguments, dict) else {}
        asked, args = given.get("skill"), given.get("args")
        if not asked:
            return _error(MISSING)
        if not isinstance(asked, str) or not isinstance(args, str | None):
            raise UnsupportedByDialect(f"{self.title}'s API takes no arguments but texts for {tool!r}")
        here = {skill.name: skill for skill in loaded.skills if skill.model_loads}
        if asked not in here:
            names = ", ".join(here) or NO_NAMES
            return _error(NOT_FOUND.format(name=asked, names=names))
        skill = here[asked]
        return Answer(
            text=LOADED.format(
                name=skill.name,
                description=skill.description,
                args=ARGUMENTS.format(args=args) if args else "",
                source=_root_of(skill, setting).source,
                body=skill.body,
            )
        )


def _mode(setting: Setting) -> str:
    return str(setting.options.get("mode") or DEFAULT_MODE)


def _roots(setting: Setting) -> tuple[RooRoot, ...]:
    if setting.options.get("roots") is None:
        return (RooRoot(source=setting.options.get("source") or "project"),)
    return setting.skill_roots(RooRoot)


def _root_of(skill: HarnessSkill, setting: Setting) -> RooRoot:
    return root_of(skill.path, _roots(setting))


def _error(words: str) -> Answer:
    return Answer(text=json_stringify({"status": "error", "message": FAILED, "error": words}), is_error=True)


_SOURCE: Final = Provenance(
    fidelity="source",
    program="Roo Code",
    version="cb83656",
    date="2026-12-01",
    where="RooCodeInc/Roo-Code, its skills manager",
)
_TEXTS: Final = replace(
    _SOURCE,
    version="main of early 2026, from the skill tool on",
    where="src/core/prompts: sections/skills.ts, tools/native-tools/skill.ts, responses.ts",
)
_UNREAD: Final = replace(
    _SOURCE, fidelity="reconstructed", where="no gesture at that age, as far as was read"
)

HARNESS: Final = Roo(
    name="roo",
    title="Roo Code",
    provenance=_SOURCE,
    text_provenance=MappingProxyType({"listing": _TEXTS, "tools": _TEXTS, "call": _TEXTS, "user": _UNREAD}),
    place="system",
    order="directory",
    on_change="rewrite",
    on_resume="rewrite",
    roots=("<PROJECT>/.roo/skills-<mode>", "<PROJECT>/.roo/skills", "~/.roo/skills-<mode>", "~/.roo/skills"),
    duplicate="the project's before the user's, the mode's own before the general one",
    layers=roots_of_modes("architect", "code", "ask", "debug", "orchestrator"),
    load_tool="skill",
    not_measured=(
        "nothing of it was run",
        "whether the section at cb83656 has this wording: it is that of when the skill tool came",
        "skills that come with the program, which were listed without a location for a while",
        "that gray-matter with js-yaml 3 reads the frontmatter",
        "arguments that are no texts: the program's API refuses them before the tool does",
        "a user's own command: later versions start a skill by /name",
        "modes of the user's own: their folders are given with roots_of_modes",
    ),
)
