"""Pikuri (Ruby gem `pikuri-skills`): a static skill tool, the inventory in the system prompt, gated entries.

Taken 2026-12-01 from the class page of `Pikuri::Tool::Skill` (tool, miss, activation) and the pages of
`pikuri-skills` 0.0.4 (`Catalog`, `Catalog::Bundled`). The source could not be read: the inventory's frame, the
frame of a loaded skill and what a sealed view answers for a gated skill are put together from what those pages
say and from pi's block, which the inventory is known to follow.

A skill with `paths:` is withheld until the session touches a file that one of its patterns names. A tool's
text never changes; a gate that fires changes the next inventory, which sits in the system prompt.
"""

# ruff: noqa: E501  the texts stand whole and unbroken, as the model reads them

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from tohlab.dialects.base import Provenance
from tohlab.dialects.entries import join_entries
from tohlab.dialects.escapes import escaped
from tohlab.dialects.folders import cut_frontmatter, first_of_each_name, line_of
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
from tohlab.dialects.pikuri.activation import Activation as Activation
from tohlab.dialects.pikuri.activation import Trust as Trust
from tohlab.dialects.pikuri.activation import TrustedRoot as TrustedRoot
from tohlab.dialects.pikuri.activation import gate_of as gate_of
from tohlab.dialects.pikuri.activation import trust_of as trust_of
from tohlab.dialects.pikuri.activation import untrusted_level as untrusted_level
from tohlab.dialects.tool_forms import chat_tool
from tohlab.skills.frontmatter import START_WITH_FRONTMATTER
from tohlab.skills.readers import key_value_lines, pyyaml

DESCRIPTION: Final = """\
Load a specialized skill that provides domain-specific instructions and resources for a particular task.

Usage:
- Invoke this tool with a skill's `name` to inject its full instructions into the conversation.
- Load only a name you were actually given: your system prompt lists them under `<available_skills>` when it carries that section, otherwise your instructions name the skills you may load.
- The loaded skill may reference helper scripts and files in its base directory — use the `read` tool to load those when the skill's instructions tell you to.
- On `Error: skill '...' not found`, do NOT retry with a guessed name — the error lists every name that does exist, so load one of those or report to the user that no matching skill is installed.
"""

NAME_PARAMETER: Final = (
    'Name of the skill to load, e.g. "pdf-extraction". Must match one of the skill names you were given.'
)
PARAMETERS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "type": "object",
        "properties": {"name": {"type": "string", "description": NAME_PARAMETER}},
        "required": ["name"],
    }
)

HEAD: Final = """\


The following skills provide specialized instructions for specific tasks.
Use the skill tool to load a skill when the task matches its description.

<available_skills>
"""
ENTRY: Final = """\
  <skill>
    <name>{name}</name>
    <description>{description}</description>
  </skill>
"""
TAIL: Final = "</available_skills>"

LOADED: Final = """\
<skill name="{name}" location="{directory}">
References are relative to {directory}.

{body}
</skill>"""

NOT_FOUND: Final = "Error: skill '{name}' not found. Available skills: {names}."
NONE_AVAILABLE: Final = "none"

MAX_NAME_LENGTH: Final = 64
MAX_DESCRIPTION_LENGTH: Final = 1024

SUBDIRECTORIES: Final = (".pikuri/skills", ".claude/skills", ".agents/skills")
"""Looked at in this order below each search base, the project before the home folder."""


@dataclass(frozen=True, kw_only=True)
class Pikuri(Harness):
    """Pikuri: exact names, static tool text, gates that withhold an entry and its name alike.

    `Setting.options`: `roots` (prefixes in the tree, strongest first), `touched` (files that the session has
    touched, relative to the project), `sealed` (a sub-agent's view), `vouched` (roots).
    """

    def load(self, tree: FileTree, setting: Setting) -> Loaded:
        """Return the catalog in the order of discovery; the first skill of a name wins.

        A skill behind a gate that has not fired is in it, neither listed nor loadable.
        """
        notes: list[str] = []
        skills, skipped = first_of_each_name(
            tree, setting, lambda place: _parse(tree.text(place.path), place.path, place.folder, notes)
        )
        catalog = Loaded(skills=skills, skipped=skipped, notes=tuple(notes))
        visible = set(self.activation(catalog, setting).names)
        return replace(
            catalog,
            skills=tuple(
                s if s.name in visible else replace(s, listed=False, model_loads=False)
                for s in catalog.skills
            ),
        )

    def activation(self, loaded: Loaded, setting: Setting) -> Activation:
        """Return the view that a setting describes."""
        activation = Activation(catalog=loaded, sealed=bool(setting.options.get("sealed")))
        return activation.touch(*setting.options.get("touched", ()))

    def inventory(self, activation: Activation) -> Listing:
        """Return the section of the system prompt for a view; nothing for an empty one or a sub-agent's.

        A sub-agent's own system prompt has to name what it may load.
        """
        visible = activation.skills
        seen = {skill.name for skill in visible}
        gated = tuple(skill.name for skill in activation.catalog.skills if skill.name not in seen)
        if activation.sealed:
            return Listing(text="", place=self.place, dropped=tuple(s.name for s in visible))
        if not visible:
            return Listing(text="", place=self.place, dropped=gated)
        entries = (
            (s.name, ENTRY.format(name=escaped(s.name), description=escaped(s.description or "")))
            for s in visible
        )
        text, spans = join_entries(HEAD, entries)
        return Listing(text=text + TAIL, place=self.place, spans=spans, dropped=gated)

    def listing(self, loaded: Loaded, setting: Setting) -> Listing:
        """Return the inventory for the setting's view; `dropped` holds what a gate withholds."""
        return self.inventory(self.activation(loaded, setting))

    def tools(self, loaded: Loaded, setting: Setting) -> tuple[dict[str, Any], ...]:
        """Return the `skill` tool, the same bytes whatever the catalog holds; nothing without skills."""
        if not loaded.skills:
            return ()
        return (chat_tool("skill", DESCRIPTION, PARAMETERS),)

    def call(self, tool: str, arguments: Any, loaded: Loaded, tree: FileTree, setting: Setting) -> Answer:
        """Return the skill's block, or the miss with every name of the view.

        Raises:
            UnsupportedByDialect: another tool, or arguments that never reach this one.
        """
        name = arguments.get("name") if isinstance(arguments, Mapping) else None
        if tool != "skill" or not isinstance(name, str):
            return super().call(tool, arguments, loaded, tree, setting)
        activation = self.activation(loaded, setting)
        skill = activation.get(name)
        if skill is None:
            names = ", ".join(activation.names) or NONE_AVAILABLE
            return Answer(text=NOT_FOUND.format(name=name, names=names), is_error=True)
        return Answer(text=self.render_skill(skill, setting))

    def render_skill(self, skill: HarnessSkill, setting: Setting) -> str:
        """Return a loaded skill as the model reads it; nothing in it is escaped."""
        return LOADED.format(name=skill.name, directory=setting.path_of(skill.directory), body=skill.body)


def _parse(text: str, path: str, folder: str, notes: list[str]) -> HarnessSkill | Skipped:
    block, body = cut_frontmatter(text)
    if block is None:
        return Skipped(
            path=path,
            code="missing-frontmatter",
            reason="the file does not begin with a block between two --- lines",
            line=1,
            repair=START_WITH_FRONTMATTER,
            silent=True,
        )
    read = pyyaml(block)
    fields: Mapping[str, Any] = read.fields
    if read.error is not None:
        fields = key_value_lines(block)
        notes.append(f"{path}: malformed YAML, read line by line: {read.error.splitlines()[0]}")
    elif read.value is not None and not isinstance(read.value, dict):
        fields = {}
    description = fields.get("description")
    if not isinstance(description, str) or not description.strip():
        return Skipped(
            path=path,
            code="missing-description",
            reason="missing description",
            line=line_of(block, "description") or 1,
            repair="add a line `description: …`, in one text, to the frontmatter",
        )
    named = fields.get("name")
    name = str(named) if isinstance(named, str | int | float) and str(named).strip() else folder
    for what, value, limit in (
        ("name", name, MAX_NAME_LENGTH),
        ("description", description, MAX_DESCRIPTION_LENGTH),
    ):
        if len(value) > limit:
            notes.append(f"{path}: the {what} has {len(value)} characters, more than {limit}; it loads")
    if name != folder:
        notes.append(f"{path}: the name {name!r} is not that of the folder {folder!r}; it loads")
    return HarnessSkill(
        name=name,
        description=description.strip(),
        body=body.strip(),
        path=path,
        text=text,
        fields=fields,
        user_loads=False,
    )


_CLASS_PAGE: Final = Provenance(
    fidelity="source",
    program="Pikuri",
    version="pikuri-skills 0.0.4 and its class page",
    date="2026-12-01",
    where="Pikuri::Tool::Skill",
)
_CATALOG_PAGE: Final = replace(_CLASS_PAGE, fidelity="documented", where="Pikuri::Skills::Catalog::Bundled")

HARNESS: Final = Pikuri(
    name="pikuri",
    title="Pikuri",
    provenance=_CLASS_PAGE,
    text_provenance=MappingProxyType(
        {
            "listing": replace(_CLASS_PAGE, fidelity="reconstructed", where="after pi's block"),
            "tools": _CLASS_PAGE,
            "call": replace(
                _CLASS_PAGE, fidelity="reconstructed", where="Renderer.format_skill; the miss is source"
            ),
            "load": _CATALOG_PAGE,
        }
    ),
    place="system",
    order="given",
    on_change="rewrite",
    on_resume="rewrite",
    roots=tuple(f"{base}/{sub}" for base in ("<PROJECT>", "~") for sub in SUBDIRECTORIES),
    duplicate="the first that is found; the others are dropped with a warning",
    layers=tuple(SkillRoot(folder=f"{base}/{sub}") for base in ("project", "home") for sub in SUBDIRECTORIES),
    load_tool="skill",
    not_measured=(
        "the inventory's and a loaded skill's frames: after pi's block, the file could not be read",
        "the glob dialect of `paths:`, and what a sealed view answers for a gated skill",
        "what is salvaged of malformed YAML: read line by line here",
        "how deep a root is searched: one folder here; a byte order mark: no frontmatter here",
        "what the catalog grades a vouched root as: `vouched` here",
    ),
)
