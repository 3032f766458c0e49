"""Hermes Agent 0.19.0 (PyPI `hermes-agent`, MIT): a list by category, cut to 60 characters, JSON answers.

Taken 2026-12-01 by running the program's own `build_skills_system_prompt`, `skills_list`, `skill_view` and
`build_skill_invocation_message`. Its list is built once for each set of tools and kept on disk, its reader
takes nearly everything, and the name that it lists is not always one that it loads. What `skill_view` and a
user's `/name` answer stands in `view` and `user`, the words in `texts`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Final

from tohlab.dialects.base import Provenance
from tohlab.dialects.folders import misnamed
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
from tohlab.dialects.hermes.reading import (
    folder_of,
    name_error,
    out_of_sight,
    parse,
    read,
    runs_on,
    suits,
)
from tohlab.dialects.hermes.skills_list import listed_names, skills_list
from tohlab.dialects.hermes.texts import (
    GATES,
    HEAD,
    LISTED_CHARS,
    NAMES_ONLY_NOTE,
    SKILL_VIEW,
    SKILLS_LIST,
    TAIL,
)
from tohlab.dialects.hermes.user import user_turn
from tohlab.dialects.hermes.view import ERRORS, Place, answer, tool_error, view
from tohlab.request import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class HermesLoaded(Loaded):
    """What Hermes made of a tree, with what it says of its categories."""

    categories: Mapping[str, str] = field(default_factory=dict)
    """The `description` of each folder's `DESCRIPTION.md`."""


@dataclass(frozen=True, kw_only=True)
class Hermes(Harness):
    """Hermes Agent: every `SKILL.md` at any depth, by category and name.

    Options: `platform` (what Python calls the system, default `linux`), `environments` (of `kanban`,
    `docker`, `s6`), `toolsets`, `disabled` (names), `compact_categories` (listed by name alone), `variables`
    (environment variables that are set), `credential_files` (that exist), `session_id`.
    """

    def load(self, tree: FileTree, setting: Setting) -> HermesLoaded:
        """Return every `SKILL.md` that the program walks to; one that it cannot read is listed too."""
        paths = frozenset(tree)
        skills: list[HarnessSkill] = []
        skipped: list[Skipped] = []
        notes: list[str] = []
        categories: dict[str, str] = {}
        for path in sorted(paths):
            name = path.rpartition("/")[2]
            if name == "DESCRIPTION.md" and not out_of_sight(path, paths):
                said = _category_description(tree, path)
                if said:
                    categories[path.rpartition("/")[0] or "general"] = said
            elif name == "SKILL.md":
                where = out_of_sight(path, paths)
                if where:
                    skipped.append(_passed_over(path, where))
                else:
                    skills.append(_skill(tree, path, setting, notes))
            elif name.lower() == "skill.md":
                skipped.append(misnamed(path))
        for same, count in Counter(skill.name for skill in skills).items():
            if count > 1:
                notes.append(
                    f"{count} skills are named {same!r}: all are listed, skill_view refuses the bare name"
                )
        return HermesLoaded(
            skills=tuple(skills), skipped=tuple(skipped), notes=tuple(notes), categories=categories
        )

    def listing(self, loaded: Loaded, setting: Setting) -> Listing:
        """Return the block of the system prompt; nothing where no skill is shown.

        A gate whose value is no list stops the program while it builds the block: no text, and a warning.
        """
        categories = loaded.categories if isinstance(loaded, HermesLoaded) else {}
        by_category: dict[str, list[HarnessSkill]] = {}
        dropped: list[str] = []
        reasons: dict[str, str] = {}
        for skill in loaded.skills:
            try:
                shown = skill.listed and _gates_open(skill.fields, setting)
            except TypeError as error:
                warning = f"the program cannot build its list: the gates of {skill.path}: {error}"
                reasons = {skill.name: warning for skill in loaded.skills}
                return Listing(text="", place=self.place, warnings=(warning,), reasons=reasons)
            if shown:
                by_category.setdefault(_category(skill.path), []).append(skill)
            else:
                dropped.append(skill.name)
                reasons[skill.name] = "a gate in its metadata is closed by the tools at hand"
        compact = frozenset(setting.options.get("compact_categories") or ())
        text, demoted = "", False
        spans: list[Span] = []
        cut: list[Cut] = []
        for category in sorted(by_category):
            skills = by_category[category]
            if category.split("/", 1)[0] in compact:
                demoted = True
                text += f"  {category} [names only]: "
                for at, name in enumerate(sorted({skill.name for skill in skills})):
                    text += ", " if at else ""
                    spans.append(_span(name, len(HEAD) + len(text), name))
                    text += name
                text += "\n"
                continue
            said = categories.get(category, "")
            text += f"  {category}: {said}\n" if said else f"  {category}:\n"
            seen: set[str] = set()
            for skill in sorted(skills, key=lambda skill: skill.name):
                if skill.name in seen:
                    dropped.append(skill.name)
                    reasons[skill.name] = "its category lists a skill of the same name already"
                    continue
                seen.add(skill.name)
                said = _cut(skill.description or "", LISTED_CHARS)
                if said != (skill.description or ""):
                    before = len(skill.description or "")
                    cut.append(
                        Cut(
                            name=skill.name,
                            before_chars=before,
                            after_chars=len(said),
                            why="over 60 characters",
                        )
                    )
                line = f"    - {skill.name}: {said}" if said else f"    - {skill.name}"
                spans.append(_span(skill.name, len(HEAD) + len(text), line))
                text += f"{line}\n"
        if not text:
            return Listing(text="", place=self.place, dropped=tuple(dropped), reasons=reasons)
        return Listing(
            text=HEAD + text + TAIL + (NAMES_ONLY_NOTE if demoted else ""),
            place=self.place,
            spans=tuple(spans),
            cut=tuple(cut),
            dropped=tuple(dropped),
            reasons=reasons,
        )

    def tools(self, loaded: Loaded, setting: Setting) -> tuple[dict[str, Any], ...]:
        """Return `skills_list` and `skill_view`; both are always there and never change."""
        return deepcopy(dict(SKILLS_LIST)), deepcopy(dict(SKILL_VIEW))

    def call(self, tool: str, arguments: Any, loaded: Loaded, tree: FileTree, setting: Setting) -> Answer:
        """Return what `skills_list` or `skill_view` give: a JSON text.

        Raises:
            UnsupportedByDialect: another tool.
        """
        given = arguments if isinstance(arguments, dict) else {}
        if tool == "skill_view":
            return view(given.get("name", ""), given.get("file_path"), _place(loaded, tree, setting))
        if tool == "skills_list":
            try:
                return answer(skills_list(given.get("category"), loaded, setting))
            except ERRORS as error:
                return tool_error(error)
        return super().call(tool, arguments, loaded, tree, setting)

    def user(self, text: str, loaded: Loaded, tree: FileTree, setting: Setting) -> UserTurn:
        """Return what a user's text becomes: `/name words` is the skill with the words below it."""
        return user_turn(text, _place(loaded, tree, setting))


def _place(loaded: Loaded, tree: FileTree, setting: Setting) -> Place:
    return Place(loaded=loaded, tree=tree, setting=setting, names=lambda: listed_names(loaded, setting))


def _skill(tree: FileTree, path: str, setting: Setting, notes: list[str]) -> HarnessSkill:
    folder = folder_of(path, setting)
    try:
        text = read(tree, path)
    except UnicodeDecodeError as error:
        notes.append(f"{path} is listed by its folder's name, but skill_view cannot read it: {error}")
        return HarnessSkill(
            name=folder, description=None, body="", path=path, model_loads=False, user_loads=False
        )
    fields, body, how = parse(text)
    if how:
        notes.append(f"{path}: {how}")
    given = fields.get("name", folder)
    name = str(given)
    here = runs_on(fields, setting)
    disabled = frozenset(setting.options.get("disabled") or ())
    off = name in disabled or folder in disabled
    loads = here and not (isinstance(given, str) and given in disabled)
    known = name in (given, folder)
    if here and not known:
        notes.append(f"{path} is listed as {name!r}, but its name is no text: only {folder!r} loads it")
    elif here and name_error(name):
        notes.append(f"{path} is listed as {name!r}, which skill_view refuses: {name_error(name)}")
    return HarnessSkill(
        name=name,
        description=_description(fields) or None,
        body=body,
        path=path,
        text=text,
        fields=fields,
        listed=here and suits(fields, setting) and not off,
        model_loads=loads and known and name_error(name) is None,
        user_loads=here and suits(fields, setting) and isinstance(given, str) and given not in disabled,
    )


def _description(fields: Mapping[str, Any]) -> str:
    raw = fields.get("description", "")
    return str(raw).strip().strip("'\"") if raw else ""


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _category(path: str) -> str:
    parts = path.split("/")
    if len(parts) > 2:
        return "/".join(parts[:-2])
    return parts[0] if len(parts) == 2 else "general"


def _category_description(tree: FileTree, path: str) -> str:
    try:
        fields = parse(read(tree, path))[0]
    except UnicodeDecodeError:
        return ""
    return _description(fields)


def _passed_over(path: str, where: str) -> Skipped:
    return Skipped(
        path=path,
        code="excluded-folder",
        reason=f"the folder {where} is not looked into",
        repair=f"move the skill out of {where}",
        silent=True,
    )


def _gates_open(fields: Mapping[str, Any], setting: Setting) -> bool:
    toolsets = setting.options.get("toolsets")
    if setting.tools is None and toolsets is None:
        return True  # without knowledge of the tools nothing is hidden
    metadata = fields.get("metadata")
    own = metadata.get("hermes") if isinstance(metadata, dict) else None
    if not isinstance(own, dict):
        return True
    at_hand = {"tools": frozenset(setting.tools or ()), "toolsets": frozenset(toolsets or ())}
    for gate, needed in GATES:
        have = at_hand[gate.rpartition("_")[2]]
        for wanted in own.get(gate, []):
            if (wanted in have) is not needed:
                return False
    return True


def _span(name: str, start: int, text: str) -> Span:
    return Span(label=f'entry "{name}"', start=start, stop=start + len(text))


_PROVENANCE: Final = Provenance(
    fidelity="executed",
    program="Hermes Agent",
    version="0.19.0",
    date="2026-12-01",
    where="PyPI hermes-agent: agent/prompt_builder.py, tools/skills_tool.py, agent/skill_commands.py",
)

HARNESS: Final = Hermes(
    name="hermes",
    title="Hermes Agent",
    provenance=_PROVENANCE,
    place="system",
    order="category",
    on_change="ignored",
    on_resume="rewrite",
    description_limit_chars=LISTED_CHARS,
    roots=("$HERMES_HOME/skills", "skills.external_dirs of config.yaml"),
    duplicate="both are listed, and skill_view refuses the name; in another root the first root's",
    load_tool="skill_view",
    not_measured=(
        "where the list sits in the whole system prompt, and what a change does while a session runs",
        "skills of plugins, bundles, external roots and an organisation; values of metadata.hermes.config",
        "a list from the program's snapshot on disk, which shows skills of environments that are not active",
        "the words for a file outside of the skill end as Python 3.12 and later have them",
        "asking the user for a missing secret: the answers are those of a program that cannot ask",
    ),
)
