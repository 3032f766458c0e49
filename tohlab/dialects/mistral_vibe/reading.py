"""What Mistral Vibe takes from a file, and why it takes none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tohlab.dialects.folders import key_line, misnamed, wrong_depth
from tohlab.dialects.harness import (
    FileTree,
    HarnessSkill,
    Skipped,
    folder_name,
)
from tohlab.dialects.mistral_vibe.texts import MAX_DESCRIPTION_CHARS, MAX_NAME_CHARS, METADATA_FILE, TEXTS
from tohlab.skills.frontmatter import yaml_repair
from tohlab.skills.readers import pyyaml
from tohlab.skills.yaml12 import YamlError

_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_BOUNDARY: Final = re.compile(r"^-{3,}\s*$", re.MULTILINE)
_TRUE: Final = ("1", "on", "t", "true", "y", "yes")
_FALSE: Final = ("0", "off", "f", "false", "n", "no")


def parse(tree: FileTree, path: str, notes: list[str]) -> HarnessSkill | Skipped:
    """Return the skill of a file, or why it gives none; what is told beside it is added to `notes`.

    Args:
        tree: the files.
        path: the file, relative to the root of the tree.
        notes: what is told of files, to which more is added.
    """
    text = tree.text(path).replace("\r\n", "\n").replace("\r", "\n")
    content = text.lstrip("\ufeff")
    parts = _BOUNDARY.split(content, 2)
    if len(parts) < 3 or parts[0].strip():
        reason = "Missing or invalid YAML frontmatter (metadata section must start and end with ---)"
        repair = "start the file with ---, name and description, then a line ---"
        if not parts[0].strip() and len(parts) == 2:
            repair = "close the frontmatter with a line that is exactly ---"
        return Skipped(path=path, code="missing-frontmatter", reason=reason, line=1, repair=repair)
    block = parts[1]
    above = content.find(block, len(parts[0]) + 3) if block else 0
    first = content.count("\n", 0, above)
    read = pyyaml(block, pure=True)
    if read.error is not None:
        line = None if read.line is None else first + read.line
        repair = yaml_repair(block, YamlError(read.error, read.line, code=read.code))
        return Skipped(
            path=path,
            code="invalid-yaml",
            reason=f"Invalid YAML frontmatter: {read.error}",
            line=line,
            repair=repair,
        )
    fields = {} if read.value is None else read.value
    if not isinstance(fields, dict):
        reason, repair = (
            "YAML frontmatter must be a mapping/dictionary",
            "write `name: …` and `description: …`, one a line",
        )
        start = first + block.count("\n", 0, len(block) - len(block.lstrip())) + 1
        return Skipped(path=path, code="missing-frontmatter", reason=reason, line=start, repair=repair)
    fields = fields | {key: _decoded(fields[key]) for key in TEXTS if key in fields}
    for key, code, reason, repair in _faults(fields):
        at = key_line(block, key)
        line = first + at if at else 1
        return Skipped(path=path, code=code, reason=f"{key}: {reason}", line=line, repair=repair)
    hidden = _flag(fields, "disable-model-invocation", default=False) or not _openai_allows(tree, path, notes)
    name = fields["name"]
    folder = folder_name(path)
    if name != folder:
        notes.append(
            f"{path}: the name {name!r} is not its folder's, which the program's log says and nothing else"
        )
    return HarnessSkill(
        name=name,
        description=fields["description"],
        body=parts[2].strip(),
        path=path,
        text=text,
        fields=fields,
        listed=not hidden,
        model_loads=not hidden,
        user_loads=bool(_flag(fields, "user-invocable", default=True)),
    )


def _decoded(value: Any) -> Any:
    # pydantic takes bytes (`!!binary`) for a text where they are UTF-8.
    try:
        return value.decode() if isinstance(value, bytes) else value
    except UnicodeDecodeError:
        return value


def _faults(fields: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    # The key, a code, the program's words and the repair, in the order of the fields in the program's model.
    for key, longest in (("name", MAX_NAME_CHARS), ("description", MAX_DESCRIPTION_CHARS)):
        value = fields.get(key)
        if key not in fields:
            yield key, f"missing-{key}", "Field required", f"add a line `{key}: …` to the frontmatter"
        elif not isinstance(value, str):
            repair = f"give {key} a value" if value is None else f"write {key} as one text, in quotes"
            yield key, "wrong-type", "Input should be a valid string", repair
        elif not value:
            yield key, f"missing-{key}", "String should have at least 1 character", f"give {key} a value"
        elif len(value) > longest:
            reason = f"String should have at most {longest} characters"
            yield key, f"{key}-too-long", reason, f"shorten {key} by {len(value) - longest} characters"
        elif key == "name" and not _NAME.fullmatch(value):
            reason = f"String should match pattern '^{_NAME.pattern.replace('?:', '')}$'"
            words = "-".join(re.findall("[a-z0-9]+", value.lower()))
            repair = f"write {words}" if words else "write lower-case letters, digits and single hyphens"
            yield key, "invalid-name", reason, repair
    for key in ("license", "compatibility"):
        if not isinstance(fields.get(key), str | None):
            yield key, "wrong-type", "Input should be a valid string", f"put the value of {key} in quotes"
    if not isinstance(fields.get("metadata"), dict | None):
        yield (
            "metadata",
            "wrong-type",
            "it is not a mapping",
            "write metadata as `key: value` lines, or remove it",
        )
    tools = fields.get("allowed-tools", fields.get("allowed_tools"))
    if not isinstance(tools, str | None) and not (
        isinstance(tools, list | dict | set) and all(isinstance(tool, str) for tool in tools)
    ):
        yield (
            "allowed-tools",
            "wrong-type",
            "Input should be a valid string",
            "write the tools as one text or as a list of texts",
        )
    for key in ("user-invocable", "disable-model-invocation"):
        if _flag(fields, key, default=True) is None:
            yield key, "wrong-type", "Input should be a valid boolean", f"write {key}: true or {key}: false"


def _flag(fields: Mapping[str, Any], key: str, *, default: bool) -> bool | None:
    # What pydantic takes for a truth; None where it takes it for none.
    value = fields.get(key, fields.get(key.replace("-", "_"), default))
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return bool(value) if value in (0, 1) else None
    word = value.lower() if isinstance(value, str) else ""
    return word in _TRUE if word in (*_TRUE, *_FALSE) else None


def _openai_allows(tree: FileTree, path: str, notes: list[str]) -> bool:
    # agents/openai.yaml may keep a skill from the model; a file that cannot be read keeps it from the model
    # too.
    at = f"{path.rpartition('/')[0]}/{METADATA_FILE}"
    if at not in tree:
        return True
    read = pyyaml(tree.text(at).removeprefix("\ufeff"), pure=True)
    value = {} if read.value is None else read.value
    policy = value.get("policy") if isinstance(value, dict) else False
    rules = {} if policy is None else policy
    if (
        read.error is None
        and isinstance(rules, dict)
        and rules.keys() <= {"allow_implicit_invocation", "products"}
        and isinstance(rules.get("allow_implicit_invocation"), bool | None)
        and isinstance(rules.get("products", []), list)
        and all(isinstance(product, str) for product in rules.get("products", []))
    ):
        return rules.get("allow_implicit_invocation") is not False
    notes.append(f"{at}: Model invocation disabled: the file cannot be read")
    return False


def overlooked(path: str, parts: list[str]) -> Skipped:
    """Return why a file that is called like a skill's is not looked at."""
    return misnamed(path) if len(parts) == 2 else wrong_depth(path)


def repeated(earlier: HarnessSkill, skill: HarnessSkill) -> Skipped:
    """Return why a file whose name another has taken gives no skill."""
    reason = f"Skipping duplicate skill {skill.name!r} (already loaded from {earlier.path})"
    repair = "give one of the two another name"
    return Skipped(path=skill.path, code="duplicate-name", reason=reason, line=1, repair=repair)
