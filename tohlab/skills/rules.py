"""What TheOpen Harness asks of a skill file's fields, in the order in which it asks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from tohlab.errors import FrontmatterError
from tohlab.skills.model import Invocation
from tohlab.skills.names import is_skill_name

_LEGACY: Final = (
    ("disableModelInvocation", "disable-model-invocation"),
    ("modelInvocable", "disable-model-invocation"),
    ("userInvocable", "user-invocable"),
)
_TRUE: Final = ("true", "yes", "on", "1")
_FALSE: Final = ("false", "no", "off", "0")
_DEFAULT: Final = Invocation()
_NOTHING: Final[Mapping[str, Any]] = {}


class SkillFields(NamedTuple):
    """The fields of one skill as the harness takes them; a tuple, since a scan makes one for each file."""

    name: str
    description: str
    when_to_use: str | None
    invocation: Invocation
    metadata: Mapping[str, Any]


def skill_fields(fields: Mapping[str, Any], key_lines: Mapping[str, int]) -> SkillFields:
    """Return what the harness takes from a file's frontmatter.

    Source: `parseSkillFile` of the harness's filesystem provider, checked against the `frontmatter` vectors.

    Args:
        fields: the frontmatter.
        key_lines: where each key stands, for the errors.

    Raises:
        FrontmatterError: `missing-field`, `invalid-name` or `invalid-invocation`, in that order of looking.
    """
    name, description = fields.get("name"), fields.get("description")
    if not (isinstance(name, str) and name and isinstance(description, str) and description):
        raise _missing_field(fields, key_lines)
    if not is_skill_name(name):
        reason = f'invalid skill name "{name}"'
        raise FrontmatterError("invalid-name", reason, key_lines.get("name"), remedy=_name_repair(name))
    when = fields.get("whenToUse")
    metadata = fields.get("metadata")
    return SkillFields(
        name=name,
        description=description,
        when_to_use=when if isinstance(when, str) and when else None,
        invocation=_invocation(fields, key_lines),
        metadata=metadata if isinstance(metadata, dict) else _NOTHING,
    )


def _missing_field(fields: Mapping[str, Any], key_lines: Mapping[str, int]) -> FrontmatterError:
    reason = "frontmatter requires name and description"
    for key in ("name", "description"):
        line: int | None = 1
        value = fields.get(key)
        if isinstance(value, str) and value:
            continue
        if key not in fields:
            remedy = f"add a line `{key}: …` to the frontmatter"
        elif value is None or value == "":
            line, remedy = key_lines.get(key), f"give {key} a value"
        else:
            line, remedy = key_lines.get(key), f"{key} has to be text: put its value in quotes"
        return FrontmatterError("missing-field", reason, line, remedy=remedy)
    raise AssertionError("both fields are there")


def _name_repair(name: str) -> str:
    words = "".join(c if c.isascii() and c.isalnum() else " " for c in name.lower()).split()
    repaired = "-".join(words)
    rule = "a name is lower-case letters, digits and single hyphens"
    return f"write {repaired}; {rule}" if is_skill_name(repaired) else rule


def _invocation(fields: Mapping[str, Any], key_lines: Mapping[str, int]) -> Invocation:
    for legacy, canonical in _LEGACY:
        if legacy in fields:
            reason = f'Error: frontmatter field "{legacy}" is unsupported; use "{canonical}"'
            opposite = " with the opposite value" if legacy == "modelInvocable" else ""
            raise _bad_invocation(reason, key_lines.get(legacy), f"write {canonical}{opposite} instead")
    disabled = _boolean(fields, "disable-model-invocation", key_lines)
    user = _boolean(fields, "user-invocable", key_lines)
    if not disabled and user is not False:
        return _DEFAULT
    return Invocation(model_invocable=disabled is not True, user_invocable=user is not False)


def _boolean(fields: Mapping[str, Any], key: str, key_lines: Mapping[str, int]) -> bool | None:
    if key not in fields:
        return None
    value = fields[key]
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)) and value in (0, 1):
        return value == 1
    if isinstance(value, str) and value.isascii():
        if value.lower() in _TRUE:
            return True
        if value.lower() in _FALSE:
            return False
    reason = f'TypeError: frontmatter field "{key}" must be a boolean'
    remedy = f"write `{key}: true` or `{key}: false`, or remove the line"
    raise _bad_invocation(reason, key_lines.get(key), remedy)


def _bad_invocation(reason: str, line: int | None, remedy: str) -> FrontmatterError:
    reason = f"invalid invocation frontmatter: {reason}"
    return FrontmatterError("invalid-invocation", reason, line, remedy=remedy)
