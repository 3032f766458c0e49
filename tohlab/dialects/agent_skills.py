"""skills-ref 0.1.1 (PyPI `skills-ref`, Apache-2.0): the reference library of the Agent Skills standard.

Taken 2026-12-01 by calling the package's functions; what the calls did not reach was read in `skills_ref/`.
It is no harness but what builders of one are told of: `validate` judges one folder, `read_properties` reads
one, `to_prompt` lists the folders it is given, in the order in which it is given them. Here a tree stands for
all of its folders with a skill file, in path order. One folder that cannot be read ends `to_prompt` for all;
`load` says so in a note and lists the others, as a caller would who asks for each by itself.
"""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from tohlab.dialects.base import Provenance
from tohlab.dialects.entries import join_entries
from tohlab.dialects.harness import FileTree, Harness, HarnessSkill, Listing, Loaded, Setting, Skipped
from tohlab.skills.readers import strictyaml

OPEN: Final = "<available_skills>"
CLOSE: Final = "</available_skills>"
ENTRY: Final = """\
<skill>
<name>
{name}
</name>
<description>
{description}
</description>
<location>
{location}
</location>
</skill>"""
"""One skill; name and description are escaped, the location is not."""

NOT_FOUND: Final = "SKILL.md not found in {directory}"
NO_FRONTMATTER: Final = "SKILL.md must start with YAML frontmatter (---)"
NOT_CLOSED: Final = "SKILL.md frontmatter not properly closed with ---"
INVALID_YAML: Final = "Invalid YAML in frontmatter: {error}"
NOT_A_MAPPING: Final = "SKILL.md frontmatter must be a YAML mapping"
MISSING_FIELD: Final = "Missing required field in frontmatter: {field}"
EMPTY_FIELD: Final = "Field '{field}' must be a non-empty string"
NOT_TEXT: Final = "Field '{field}' must be a string"

NO_PATH: Final = "Path does not exist: {directory}"
NO_FILE: Final = "Missing required file: SKILL.md"
UNEXPECTED: Final = "Unexpected fields in frontmatter: {fields}. Only {allowed} are allowed."
NAME_LENGTH: Final = "Skill name '{name}' exceeds 64 character limit ({length} chars)"
NAME_CASE: Final = "Skill name '{name}' must be lowercase"
NAME_EDGE: Final = "Skill name cannot start or end with a hyphen"
NAME_DOUBLE: Final = "Skill name cannot contain consecutive hyphens"
NAME_CHARACTERS: Final = (
    "Skill name '{name}' contains invalid characters. Only letters, digits, and hyphens are allowed."
)
NAME_DIRECTORY: Final = "Directory name '{directory}' must match skill name '{name}'"
TOO_LONG: Final = "{field} exceeds {limit} character limit ({length} chars)"

ALLOWED: Final = ("allowed-tools", "compatibility", "description", "license", "metadata", "name")
FILES: Final = ("SKILL.md", "skill.md")
"""The file's names, the preferred one first."""
NAME_LIMIT: Final = 64
DESCRIPTION_LIMIT: Final = 1024
COMPATIBILITY_LIMIT: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """A Python exception that a function of the package raises; `problem` says more than the package does."""

    kind: str
    """The class of the exception: `ParseError`, `ValidationError`, or one that the package lets through."""
    message: str
    """`str()` of the exception."""
    problem: Skipped
    """The same for a person, with line and repair."""


class _Parsed(NamedTuple):
    path: str
    text: str
    fields: Mapping[str, Any]
    lines: Mapping[str, int]
    body: str
    cut: bool  # the closing --- stands inside a line


@dataclass(frozen=True, kw_only=True)
class AgentSkills(Harness):
    """The reference library: every function of it that has to do with a model or an author."""

    def load(self, tree: FileTree, setting: Setting) -> Loaded:
        """Return what `read_properties` reads in each folder of the tree that has a skill file.

        What `validate` finds in a skill that can be read is a note: the library lists it all the same.
        """
        skills: list[HarnessSkill] = []
        skipped: list[Skipped] = []
        notes: list[str] = []
        for directory in self.directories(tree):
            parsed = self._parse(tree, directory, setting)
            made = parsed if isinstance(parsed, Raised) else _properties(parsed)
            if isinstance(parsed, Raised) or isinstance(made, Raised):
                failed = made if isinstance(made, Raised) else parsed
                assert isinstance(failed, Raised)
                skipped.append(failed.problem)
                continue
            assert isinstance(made, dict)
            if parsed.cut:
                notes.append(f"{parsed.path}: the frontmatter ends at the first --- inside a value")
            notes += [f"{parsed.path}: {p}" for p in _problems(parsed.fields, setting.path_of(directory))]
            skills.append(
                HarnessSkill(
                    name=made["name"],
                    description=made["description"],
                    body=parsed.body,
                    path=parsed.path,
                    text=parsed.text,
                    fields=parsed.fields,
                )
            )
        if skipped:
            notes.append(
                f"to_prompt over all folders fails at {skipped[0].path}: a bad folder ends it for all"
            )
        skipped += [
            Skipped(
                path=path,
                code="second-file",
                reason="SKILL.md stands beside it and is taken",
                repair="keep one of the two files",
                silent=True,
            )
            for path in tree.named("skill.md")
            if f"{path[:-8]}SKILL.md" in tree
        ]
        return Loaded(skills=tuple(skills), skipped=tuple(skipped), notes=tuple(notes))

    def listing(self, loaded: Loaded, setting: Setting) -> Listing:
        """Return `to_prompt` of the folders that could be read; the block stands even when it is empty."""
        entries = (
            (skill.name, _entry(skill.name, skill.description or "", setting.path_of(skill.path)))
            for skill in loaded.skills
        )
        text, spans = join_entries(f"{OPEN}\n", entries)
        return Listing(text=text + CLOSE, place=self.place, spans=spans)

    def directories(self, tree: FileTree) -> tuple[str, ...]:
        """Return the folders with a skill file, in path order; the root is the empty text."""
        found = {path.rpartition("/")[0] for path in tree if path.rpartition("/")[2] in FILES}
        return tuple(sorted(found))

    def find_skill_md(self, tree: FileTree, directory: str, setting: Setting) -> str | None:
        """Return `find_skill_md`: the absolute path of a folder's skill file, or None.

        Args:
            tree: the files.
            directory: a folder of the tree, relative; the root is the empty text.
            setting: where the tree's root is.
        """
        path = _file_of(tree, directory)
        return None if path is None else setting.path_of(path)

    def read_properties(self, tree: FileTree, directory: str, setting: Setting) -> dict[str, Any] | Raised:
        """Return `read_properties(directory).to_dict()`, or what it raises.

        Args:
            tree: the files.
            directory: a folder of the tree, relative; the root is the empty text.
            setting: where the tree's root is.
        """
        parsed = self._parse(tree, directory, setting)
        return parsed if isinstance(parsed, Raised) else _properties(parsed)

    def validate(
        self, tree: FileTree, directory: str, setting: Setting, *, exists: bool = True
    ) -> tuple[str, ...] | Raised:
        """Return `validate(directory)`: what is wrong, in the package's words; nothing for a valid skill.

        Args:
            tree: the files.
            directory: a folder of the tree, relative.
            setting: where the tree's root is.
            exists: whether the folder is there; a tree holds files alone and knows no empty folder.
        """
        if not exists:
            return (NO_PATH.format(directory=setting.path_of(directory)),)
        if _file_of(tree, directory) is None:
            return (NO_FILE,)
        parsed = self._parse(tree, directory, setting)
        if isinstance(parsed, Raised):
            return (parsed.message,) if parsed.kind == "ParseError" else parsed
        return _problems(parsed.fields, setting.path_of(directory))

    def to_prompt(self, tree: FileTree, directories: Sequence[str], setting: Setting) -> str | Raised:
        """Return `to_prompt(directories)`, in the order given, or what the first bad folder raises.

        Args:
            tree: the files.
            directories: folders of the tree, relative.
            setting: where the tree's root is.
        """
        entries = [OPEN]
        for directory in directories:
            made = self.read_properties(tree, directory, setting)
            if isinstance(made, Raised):
                return made
            location = self.find_skill_md(tree, directory, setting)
            entries.append(_entry(made["name"], made["description"], str(location)))
        return "\n".join([*entries, CLOSE])

    def _parse(self, tree: FileTree, directory: str, setting: Setting) -> _Parsed | Raised:
        path = _file_of(tree, directory)
        if path is None:
            message = NOT_FOUND.format(directory=setting.path_of(directory))
            return _parse_error(directory, "missing-file", message, None, "put a SKILL.md into the folder")
        try:
            decoded = tree[path].decode("utf-8")
        except UnicodeDecodeError as error:
            line = tree[path].count(b"\n", 0, error.start) + 1
            repair = "save the file as UTF-8"
            problem = Skipped(path=path, code="not-utf-8", reason=str(error), line=line, repair=repair)
            return Raised(kind="UnicodeDecodeError", message=str(error), problem=problem)
        text = decoded.replace("\r\n", "\n").replace("\r", "\n")
        if not text.startswith("---"):
            bom = text.startswith("\ufeff")
            repair = "save the file as UTF-8 without a byte order mark" if bom else "make line 1 exactly ---"
            return _parse_error(path, "missing-frontmatter", NO_FRONTMATTER, 1, repair)
        parts = text.split("---", 2)
        if len(parts) < 3:
            repair = "close the frontmatter with a line ---"
            return _parse_error(path, "unclosed-frontmatter", NOT_CLOSED, text.count("\n") or 1, repair)
        read = strictyaml(parts[1])
        if read.error is not None:
            if read.kind == "YAMLError":
                message = INVALID_YAML.format(error=read.error)
                return _parse_error(path, read.code, message, read.line, read.repair)
            problem = Skipped(
                path=path, code=read.code, reason=read.error, line=read.line, repair=read.repair
            )
            return Raised(kind=read.kind, message=read.error, problem=problem)
        if not isinstance(read.value, dict):
            repair = "write `name: …` and `description: …`, one a line"
            return _parse_error(path, "no-mapping", NOT_A_MAPPING, 2, repair)
        fields = dict(read.value)
        if isinstance(fields.get("metadata"), dict):
            fields["metadata"] = {key: str(value) for key, value in fields["metadata"].items()}
        inside = not parts[1].endswith("\n")
        return _Parsed(path, text, fields, read.lines, parts[2].strip(), inside)


def _file_of(tree: FileTree, directory: str) -> str | None:
    prefix = f"{directory}/" if directory else ""
    return next((prefix + name for name in FILES if prefix + name in tree), None)


def _parse_error(path: str, code: str, message: str, line: int | None, repair: str) -> Raised:
    problem = Skipped(path=path, code=code, reason=message, line=line, repair=repair)
    return Raised(kind="ParseError", message=message, problem=problem)


def _entry(name: str, description: str, location: str) -> str:
    return ENTRY.format(name=html.escape(name), description=html.escape(description), location=location)


def _properties(parsed: _Parsed) -> dict[str, Any] | Raised:
    for wanted, code, text in _WANTED:
        for name in ("name", "description"):
            value = parsed.fields.get(name)
            good = name in parsed.fields if wanted == "there" else isinstance(value, str) and value.strip()
            if not good:
                there = name in parsed.fields
                problem = Skipped(
                    path=parsed.path,
                    code=f"{code}-{name}",
                    reason=text.format(field=name),
                    line=parsed.lines.get(name) if there else 1,
                    repair=f"give {name} a text" if there else f"add a line `{name}: …` to the frontmatter",
                )
                return Raised(kind="ValidationError", message=problem.reason, problem=problem)
    made = {name: parsed.fields[name].strip() for name in ("name", "description")}
    for name in ("license", "compatibility", "allowed-tools"):
        if name in parsed.fields:
            made[name] = parsed.fields[name]
    if parsed.fields.get("metadata"):
        made["metadata"] = parsed.fields["metadata"]
    return made


_WANTED: Final = (("there", "missing", MISSING_FIELD), ("text", "empty", EMPTY_FIELD))
"""First both have to be there, then both have to be text."""


def _problems(fields: Mapping[str, Any], directory: str) -> tuple[str, ...]:
    found: list[str] = []
    extra = sorted(fields.keys() - set(ALLOWED))
    if extra:
        found.append(UNEXPECTED.format(fields=", ".join(extra), allowed=list(ALLOWED)))
    if "name" in fields:
        found += _name_problems(fields["name"], directory.rpartition("/")[2])
    else:
        found.append(MISSING_FIELD.format(field="name"))
    description = fields.get("description")
    if "description" not in fields:
        found.append(MISSING_FIELD.format(field="description"))
    elif not isinstance(description, str) or not description.strip():
        found.append(EMPTY_FIELD.format(field="description"))
    elif len(description) > DESCRIPTION_LIMIT:
        found.append(_too_long("Description", DESCRIPTION_LIMIT, description))
    compatibility = fields.get("compatibility", "")
    if not isinstance(compatibility, str):
        found.append(NOT_TEXT.format(field="compatibility"))
    elif len(compatibility) > COMPATIBILITY_LIMIT:
        found.append(_too_long("Compatibility", COMPATIBILITY_LIMIT, compatibility))
    return tuple(found)


def _too_long(field: str, limit: int, text: str) -> str:
    return TOO_LONG.format(field=field, limit=limit, length=len(text))


def _name_problems(given: Any, directory: str) -> list[str]:
    if not isinstance(given, str) or not given.strip():
        return [EMPTY_FIELD.format(field="name")]
    name = unicodedata.normalize("NFKC", given.strip())
    broken = (
        (len(name) > NAME_LIMIT, NAME_LENGTH),
        (name != name.lower(), NAME_CASE),
        (name.startswith("-") or name.endswith("-"), NAME_EDGE),
        ("--" in name, NAME_DOUBLE),
        (not all(c.isalnum() or c == "-" for c in name), NAME_CHARACTERS),
        (unicodedata.normalize("NFKC", directory) != name, NAME_DIRECTORY),
    )
    return [
        text.format(name=name, length=len(name), directory=directory)
        for is_broken, text in broken
        if is_broken
    ]


_SOURCE: Final = Provenance(
    fidelity="executed",
    program="skills-ref",
    version="0.1.1",
    date="2026-12-01",
    where="skills_ref/{parser,validator,prompt}.py",
)

HARNESS: Final = AgentSkills(
    name="agent-skills",
    title="Agent Skills (skills-ref)",
    provenance=_SOURCE,
    place="system",
    order="given",
    on_change="rewrite",
    duplicate="both are listed: the library compares no names",
    not_measured=(
        "the place of the block: the library gives a text, its caller puts it somewhere",
        "a tree of files has no empty folder; `validate(exists=False)` says that a folder is not there",
        "an error of YAML at a tab behind a blank line, or at `<<` without a value, may name another place",
    ),
)
"""The reference library."""
