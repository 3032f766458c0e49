"""Supercode (Rust crate `supercode-core`): an index of names, one tool for every door, qualified names.

Taken 2026-12-01 from the class page of the skill tool and the item pages of `supercode-core` 0.4.14 to 0.4.19
(`find_skill`, `load_for_config`, `LoopSkill`, `implicit_skill_match`). The source could not be read: the index
section, the envelope of a loaded body and what a missing positional becomes are put together from what those
pages say.

The skill set is fixed when an agent is made; the tool's text never changes. A skill of a nested folder or a
plug-in has a qualified name (`infra:deploy`), and its leaf alone finds it where only one skill owns that leaf.
tohlab runs no command of a skill's body: `shell_injection` is refused.
"""

# ruff: noqa: E501  the texts stand whole and unbroken, as the model reads them

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from tohlab.dialects.base import Provenance
from tohlab.dialects.entries import spread_entries
from tohlab.dialects.folders import (
    Place,
    argument_names,
    cut_frontmatter,
    duplicate,
    qualified_files,
)
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
    UserTurn,
)
from tohlab.dialects.substitution import Substitution
from tohlab.dialects.tool_forms import chat_tool
from tohlab.errors import UnsupportedByDialect
from tohlab.skills.readers import key_value_lines, npm_yaml

DESCRIPTION: Final = "Load a skill's full instructions on demand. The system prompt lists only each skill's name and description; call this with a name from that list to read the skill's body into the conversation, then follow it. `arguments` is substituted for `$ARGUMENTS` in the body."

PARAMETERS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "additionalProperties": False,
        "properties": {
            "arguments": {
                "description": "Text substituted for `$ARGUMENTS` (and `$1`..`$9`) inside the skill body.",
                "type": "string",
            },
            "name": {
                "description": "Skill name exactly as the skills list gives it (qualified `dir:skill` / `plugin:skill` names included).",
                "type": "string",
            },
        },
        "required": ["name"],
        "type": "object",
    }
)
"""Keys sorted, as the program's JSON library writes them."""

HEAD: Final = "## Skills\n"
ENTRY: Final = "- {name}: {description}"
UNDESCRIBED: Final = "- {name}"

LOADED: Final = """\
<skill name="{name}" dir="{directory}">
{body}
</skill>"""

UNKNOWN: Final = "no skill named `{name}` — {known}"
KNOWN: Final = "known skills: {names}"
NONE_INSTALLED: Final = "no skills are installed in the roots this config reads"
MAX_SUGGESTIONS: Final = 40
"""Names in the answer to an unknown one: the first so many in discovery order, then sorted. With more skills
than that, they are not the first of the alphabet."""

SUBSTITUTION: Final = Substitution(first=1, digits="one", words="shell", missing="empty", named=True)
"""`$0` stays, `$10` is the first word and a `0`."""

SHELL_REFUSED: Final = (
    "Supercode with shell_injection on would run the commands of a skill's body; tohlab runs nothing from a "
    "skill. Leave the option out: the text then stays as it is written"
)
STOP_WORDS: Final = (
    "about after also always asked before does from have into more only other over some such task than that "
    "their them then there these they this those through user using what when where which while will with "
    "without work your"
)
"""Words of a description that match nothing implicitly, beside those of fewer than four letters."""

_SHELL: Final = re.compile(r"(?:^|(?<=\s))!`[^`\n]+`", re.MULTILINE)
_WORD: Final = re.compile(r"[^\W_]+")
_STOP: Final = frozenset(STOP_WORDS.split())


def find_skill(skills: Sequence[HarnessSkill], query: str) -> HarnessSkill | None:
    """Return the one skill that `query` means, or None; every door of the program asks here.

    One leading `/` or `$` is taken off. Then the exact name, then the name in any case, then the leaf of a
    qualified name, where exactly one skill owns it.
    """
    name = query[1:] if query[:1] in ("/", "$") else query
    for skill in skills:
        if skill.name == name:
            return skill
    for skill in skills:
        if skill.name.lower() == name.lower():
            return skill
    owners = [skill for skill in skills if ":" in skill.name and skill.name.rsplit(":", 1)[1] == name]
    return owners[0] if len(owners) == 1 else None


def known_names(skills: Sequence[HarnessSkill]) -> str:
    """Return the end of the answer to an unknown name."""
    names = sorted(skill.name for skill in skills[:MAX_SUGGESTIONS])
    return KNOWN.format(names=", ".join(names)) if names else NONE_INSTALLED


def implicit_skill_match(skills: Sequence[HarnessSkill], text: str) -> HarnessSkill | None:
    """Return at most one skill that a user's text means without naming a gesture.

    A skill is meant where its own name stands in the text as a word, or two different significant words of
    its description do. Names go before descriptions; among equals the first skill wins.
    """
    low = text.lower()
    for skill in skills:
        if re.search(rf"(?<![\w:-]){re.escape(skill.name.lower())}(?![\w:-])", low):
            return skill
    words = set(_WORD.findall(low))
    for skill in skills:
        if len(_significant(skill.description or "") & words) >= 2:
            return skill
    return None


def _significant(description: str) -> set[str]:
    return {w for w in _WORD.findall(description.lower()) if len(w) >= 4 and w not in _STOP}


@dataclass(frozen=True, kw_only=True)
class Supercode(Harness):
    """Supercode: one resolver for `/name`, `$slug` and the tool, arguments from `$1`.

    `Setting.options`: `roots` (prefixes in the tree, strongest first), `plugins` (a plug-in's name to its
    prefix), `enabled` (default true), `implicit_match` (default false), `shell_injection` (refused).
    """

    def load(self, tree: FileTree, setting: Setting) -> Loaded:
        """Return the skills in the order of precedence: the roots, nested `.claude/skills`, plug-ins.

        Raises:
            UnsupportedByDialect: `shell_injection` is on.
        """
        _refuse_shell(setting)
        if not setting.options.get("enabled", True):
            return Loaded(notes=("[core.skills] enabled is off: no root is read",))
        by_name: dict[str, HarnessSkill] = {}
        skipped: list[Skipped] = []
        notes: list[str] = []
        files, aside = qualified_files(tree, setting)
        for place, _, qualifier in files:
            skill = _parse(tree.text(place.path), place, qualifier, notes)
            if skill.name in by_name:
                skipped.append(duplicate(by_name[skill.name], place.path, silent=True))
                continue
            by_name[skill.name] = skill
            commands = len(_SHELL.findall(skill.body)) if "!`" in skill.body else 0
            if commands:
                notes.append(f"{place.path}: {commands} shell commands stay as they are written")
        return Loaded(skills=tuple(by_name.values()), skipped=(*skipped, *aside), notes=tuple(notes))

    def listing(self, loaded: Loaded, setting: Setting) -> Listing:
        """Return the index section; nothing where no skill is advertised."""
        shown = [skill for skill in loaded.skills if skill.listed]
        if not shown:
            return Listing(text="", place=self.place, dropped=loaded.unlisted)
        entries = (
            (s.name, (ENTRY if s.description else UNDESCRIBED).format(name=s.name, description=s.description))
            for s in shown
        )
        text, spans = spread_entries(HEAD, entries)
        return Listing(text=text, place=self.place, spans=spans, dropped=loaded.unlisted)

    def tools(self, loaded: Loaded, setting: Setting) -> tuple[dict[str, Any], ...]:
        """Return the `skill` tool; its text is the same with any skills and with none."""
        return (chat_tool("skill", DESCRIPTION, PARAMETERS),)

    def call(self, tool: str, arguments: Any, loaded: Loaded, tree: FileTree, setting: Setting) -> Answer:
        """Return the skill's envelope, or the program's text for an unknown name.

        Raises:
            UnsupportedByDialect: another tool, arguments that do not fit the schema (the program's text for
                them is not known), or `shell_injection` is on.
        """
        _refuse_shell(setting)
        if tool != "skill":
            return super().call(tool, arguments, loaded, tree, setting)
        given = arguments if isinstance(arguments, Mapping) else {}
        name, text = given.get("name"), given.get("arguments", "")
        if not isinstance(name, str) or not isinstance(text, str):
            raise UnsupportedByDialect(
                f"{self.title} refuses such arguments to its skill tool, in words that are not known: "
                "give a text for `name` and, if at all, one for `arguments`"
            )
        skill = find_skill(loaded.skills, name)
        if skill is None:
            message = UNKNOWN.format(name=name, known=known_names(loaded.skills))
            return Answer(
                text=message, is_error=True, notes=("inside the program's own frame of a tool error",)
            )
        return Answer(text=self.render_skill(skill, text, setting), notes=_shell_notes(skill))

    def user(self, text: str, loaded: Loaded, tree: FileTree, setting: Setting) -> UserTurn:
        """Return the envelope in place of `/name arguments`, or behind a text with a `$slug` mention.

        With `implicit_match`, a text without either gets the envelope of the skill that it means.

        Raises:
            UnsupportedByDialect: `shell_injection` is on.
        """
        _refuse_shell(setting)
        command = re.fullmatch(r"/(\S+)(?:\s+([\s\S]*))?", text)
        if command:
            skill = find_skill(loaded.skills, f"/{command[1]}")
            if skill is not None:
                envelope = self.render_skill(skill, (command[2] or "").strip(), setting)
                return UserTurn(texts=(envelope,), notes=_shell_notes(skill))
            return UserTurn(texts=(text,))
        found = [find_skill(loaded.skills, mention) for mention in _mentions(text)]
        if not any(found) and setting.options.get("implicit_match"):
            found = [implicit_skill_match([s for s in loaded.skills if s.listed], text)]
        skills = tuple({skill.name: skill for skill in found if skill is not None}.values())
        envelopes = tuple(self.render_skill(skill, "", setting) for skill in skills)
        return UserTurn(texts=(text, *envelopes), notes=sum((_shell_notes(skill) for skill in skills), ()))

    def render_skill(self, skill: HarnessSkill, arguments: str, setting: Setting) -> str:
        """Return the envelope in which a body arrives, the same whichever door it came through.

        Args:
            skill: what is loaded.
            arguments: what takes the placeholders' places, as it is typed.
            setting: where the tree's root is.
        """
        body = SUBSTITUTION.apply(skill.body, arguments, argument_names(skill.fields)).text
        return LOADED.format(name=skill.name, directory=setting.path_of(skill.directory), body=body)


def _refuse_shell(setting: Setting) -> None:
    if setting.options.get("shell_injection"):
        raise UnsupportedByDialect(SHELL_REFUSED)


def _shell_notes(skill: HarnessSkill) -> tuple[str, ...]:
    found = _SHELL.findall(skill.body)
    return (f"{skill.name}: {len(found)} shell commands stay as they are written",) if found else ()


def _mentions(text: str) -> list[str]:
    return [match.rstrip(".:-") for match in re.findall(r"\$[A-Za-z][\w:./-]*", text)]


def _parse(text: str, place: Place, qualifier: str, notes: list[str]) -> HarnessSkill:
    block, body = cut_frontmatter(text)
    fields: Mapping[str, Any] = {}
    if block is not None:
        read = npm_yaml(block)
        fields = read.fields
        if read.error is not None:
            fields = key_value_lines(block)
            notes.append(f"{place.path}: malformed YAML, read line by line: {read.error}")
    named = fields.get("name")
    name = named.strip() if isinstance(named, str) and named.strip() else place.folder
    description = fields.get("description")
    advertised = fields.get("enabled") is not False and fields.get("disable-model-invocation") is not True
    return HarnessSkill(
        name=f"{qualifier}:{name}" if qualifier else name,
        description=(" ".join(description.split()) or None) if isinstance(description, str) else None,
        body=body.strip(),
        path=place.path,
        text=text,
        fields=fields,
        listed=advertised,
    )


_CLASS_PAGE: Final = Provenance(
    fidelity="source",
    program="Supercode",
    version="supercode-core 0.4.19",
    date="2026-12-01",
    where="supercode::skills::SkillTool",
)
_ITEM_PAGES: Final = replace(_CLASS_PAGE, fidelity="documented", where="docs.rs supercode::skills")

HARNESS: Final = Supercode(
    name="supercode",
    title="Supercode",
    provenance=_CLASS_PAGE,
    text_provenance=MappingProxyType(
        {
            "listing": replace(_CLASS_PAGE, fidelity="reconstructed", where="the index section"),
            "tools": _CLASS_PAGE,
            "call": replace(_CLASS_PAGE, fidelity="reconstructed", where="render_skill; the miss is source"),
            "user": replace(_ITEM_PAGES, fidelity="reconstructed", where="render_skill"),
            "load": _ITEM_PAGES,
        }
    ),
    place="system",
    order="precedence",
    on_change="ignored",
    on_resume="rewrite",
    roots=("config dirs", ".claude/skills", "~/.claude/skills", "<DIR>/.claude/skills", "plug-ins"),
    duplicate="the first root in the order of precedence wins a name; one folder through two roots is one skill",
    layers=(
        SkillRoot(folder="project/.claude/skills"),
        SkillRoot(folder="home/.claude/skills"),
    ),
    load_tool="skill",
    not_measured=(
        "the index section's and the envelope's frames",
        "what a missing positional becomes (empty here), and whether a value is scanned again (no here)",
        "whether a leaf is found in another case: no here",
        "whether the tool finds a skill that is not advertised: yes here, as the one resolver says",
        "what malformed YAML gives: read line by line here; a file without frontmatter loads undescribed",
        "where the envelope of a `$slug` mention stands: behind the text here, without arguments",
        "which words of a description count as significant: four letters and no stop word here",
        "the text for arguments that do not fit, and whether keys of no meaning do: they are ignored here",
        "one folder reached through two links: a tree of files has no links",
    ),
)
