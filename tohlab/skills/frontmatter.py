"""The text of a skill file to its fields and its body.

Most frontmatter is a few lines of `key: value`; `read_fields` reads those without a YAML parser and hands
everything else, at the least doubt, to `yaml12`. A law in the tests holds the two against each other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tohlab.ecma import trim
from tohlab.errors import FrontmatterError
from tohlab.skills.sharing import shared
from tohlab.skills.yaml12 import YamlError, load_yaml, resolve_plain

# Characters that mean nothing to YAML inside a plain scalar, and those that do only in certain places.
_SAFE: Final = (
    "!$%&()*+,./0-9;<=>?@A-Z\\[\\\\\\]^_`a-z{|}~\u00a1-\u2027\u202a-\ud7ff\uf900-\ufdff\uff01-\uff60-"
)
_ANY: Final = _SAFE + ":#\"'"
_SIMPLE_LINE: Final = re.compile(
    r"([A-Za-z][A-Za-z0-9_-]{0,62}): (?:"
    # plain: a colon only before, a hash only after, something that is not a space
    rf"([A-Za-z0-9][{_SAFE}\"' ]*(?:(?::(?=[{_ANY}])|(?<! )#)[{_SAFE}\"' ]*)*)\r?\n"
    rf"|\"([{_SAFE.replace(2 * chr(92), '')}:#' ]*)\"\r?\n"
    rf"|'([{_SAFE}:#\" ]*)'\r?\n"
    # folded or literal: lines of one indentation, none of them empty or ending in a space
    rf"|([>|])(-?)\n(( +)[{_ANY}](?:[{_ANY} ]*[{_ANY}])?\n(?:\8[{_ANY}](?:[{_ANY} ]*[{_ANY}])?\n)*)"
    r")"
)
# A mapping inside: lines of one indentation, to be read one by one.
_NESTED: Final = re.compile(
    r"([A-Za-z][A-Za-z0-9_-]{0,62}):\r?\n(( +)[A-Za-z][^\n]*\n(?:\3[A-Za-z][^\n]*\n)*)"
)
START_WITH_FRONTMATTER: Final = "start the file with a line ---, then name and description, then a line ---"
"""The repair of a file that has no frontmatter at all."""
_UNSURE: Final = object()
_CLOSING: Final = re.compile(r"^---\r?(?:\n|\Z)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillFile:
    """A skill file taken apart, before any harness has judged it."""

    fields: Mapping[str, Any]
    """The frontmatter; values as YAML 1.2 core has them."""
    body: str
    """Everything after the closing line, trimmed as JavaScript trims."""
    key_lines: Mapping[str, int]
    """The line of each top-level key, counted from 1 in the whole file."""
    body_line: int
    """The line after the closing line, counted from 1."""


def parse_frontmatter(text: str) -> SkillFile:
    """Return the fields and the body of a skill file.

    The first line has to be exactly `---` (a carriage return may follow), and so has the closing one; between
    them stands a mapping in YAML 1.2 core. Source: `parseFrontmatter` of the harness's filesystem provider,
    checked against the `frontmatter` vectors.

    Args:
        text: the whole file, decoded; a byte order mark is part of it and spoils the first line.

    Raises:
        FrontmatterError: `missing-frontmatter`, `invalid-yaml` or `duplicate-key`, with the line in the file,
            the reason as the harness logs it, and the smallest repair.
    """
    opening = text.find("\n")
    if opening < 0 or text[:opening] not in ("---", "---\r"):
        raise missing_frontmatter(text)
    closing = _CLOSING.search(text, opening + 1)
    if closing is None:
        raise missing_frontmatter(text)
    fields, lines = read_fields(text[opening + 1 : closing.start()])
    return SkillFile(
        fields=fields,
        body=trim(text[closing.end() :]),
        key_lines=lines,
        body_line=text.count("\n", 0, closing.start()) + 2,
    )


def read_fields(yaml_text: str) -> tuple[Mapping[str, Any], Mapping[str, int]]:
    """Return the fields between the two `---` lines and the line of each in the file.

    Raises:
        FrontmatterError: as `parse_frontmatter`.
    """
    simple = _read_simple(yaml_text)
    if simple is not None:
        return simple
    try:
        value, lines = load_yaml(yaml_text)
    except YamlError as error:
        line = None if error.line is None else error.line + 1
        reason = f"invalid YAML frontmatter: {error.kind}: {error.reason}"
        raise FrontmatterError(error.code, reason, line, remedy=yaml_repair(yaml_text, error)) from None
    if not isinstance(value, dict):
        remedy = "write `name: …` and `description: …`, one a line, between the two --- lines"
        raise FrontmatterError("missing-frontmatter", "missing YAML frontmatter", 2, remedy=remedy)
    return value, {key: line + 1 for key, line in lines.items()}


def whole_lines(block: str) -> str | None:
    """Return a block without a line break before it and with one behind it, if that leaves its values alone.

    Programs cut their blocks out with and without them; whole lines are what they have in common.
    """
    text = block[1:] if block.startswith("\n") else block
    if text.endswith("\n"):
        return text
    if text[text.rfind("\n") + 1 : text.rfind("\n") + 2] == " ":
        return None  # a block of text ends in the line break that is not there
    return text + "\n"


def read_simple_block(block: str) -> tuple[Mapping[str, Any], Mapping[str, int]] | None:
    """Return the fields of a block as `read_simple_fields`, and the line of each in the block, from 1.

    One line break before them and none behind them are fine. None means that a YAML parser has to look.
    """
    text = whole_lines(block)
    found = None if text is None else _read_simple(text)
    if found is None:
        return None
    fields, lines = found
    shift = 0 if block.startswith("\n") else 1
    return fields, {key: line - shift for key, line in lines.items()}


def read_simple_fields(yaml_text: str) -> dict[str, Any] | None:
    """Return the fields if each is a plain `key: value`, a plain block of text or a mapping of such.

    None means that a YAML parser has to look.

    Where this gives fields, `load_yaml` gives the same ones.
    """
    found = _read_simple(yaml_text)
    return None if found is None else found[0]


@shared
def _read_simple(yaml_text: str) -> tuple[dict[str, Any], dict[str, int]] | None:
    fields: dict[str, Any] = {}
    lines: dict[str, int] = {}
    at, end, line = 0, len(yaml_text), 2
    while at < end:
        match = _SIMPLE_LINE.match(yaml_text, at)
        if match is not None:
            key, value = match[1], _simple_value(match)
        else:
            match = _NESTED.match(yaml_text, at)
            if match is None:
                return None
            key, value = match[1], _simple_mapping(match[2], match[3])
        if value is _UNSURE or key in fields or resolve_plain(key) is not key:
            return None
        fields[key] = value
        lines[key] = line
        line += yaml_text.count("\n", at, match.end())
        at = match.end()
    return (fields, lines) if fields else None


def _simple_mapping(text: str, indent: str) -> Any:
    fields: dict[str, Any] = {}
    for row in text.splitlines(keepends=True):
        match = _SIMPLE_LINE.match(row, len(indent))
        if match is None or match.end() != len(row):
            return _UNSURE
        key, value = match[1], _simple_value(match)
        if value is _UNSURE or key in fields or resolve_plain(key) is not key:
            return _UNSURE
        fields[key] = value
    return fields


def _simple_value(match: re.Match[str]) -> Any:
    _, plain, double, single, style, strip, block, indent = match.groups()
    if plain is not None:
        return _UNSURE if plain[-1] == " " else resolve_plain(plain)
    if block is not None:
        rows = [row[len(indent) :] for row in block.splitlines()]
        return (" " if style == ">" else "\n").join(rows) + ("" if strip else "\n")
    return double if single is None else single


def missing_frontmatter(text: str) -> FrontmatterError:
    """Return the error for a text without frontmatter, with the repair that its first lines call for."""
    first, _, rest = text.partition("\n")
    line = 1
    if first.startswith("\ufeff---"):
        remedy = "save the file as UTF-8 without a byte order mark"
    elif first.rstrip("\r") == "---":
        fence = re.search(r"^(?:[ \t]+---[ \t]*|---[ \t]+|-{4,}|\.\.\.)\r?$", rest, re.MULTILINE)
        line = text.count("\n") + (not text.endswith("\n"))
        remedy = "close the frontmatter with a line that is exactly ---"
        if fence:
            line = rest.count("\n", 0, fence.start()) + 2
            remedy = f"make line {line} exactly --- (nothing before or after it)"
        elif not rest:
            line = 1
    elif first.rstrip() == "---" or re.fullmatch(r"\s*-{3,}\s*", first):
        remedy = "make line 1 exactly --- (nothing before or after it)"
    elif not first.strip() and rest.lstrip().startswith("---"):
        remedy = "remove everything before the first ---, blank lines too"
    elif not text.strip():
        remedy = "the file is empty: start it with ---, name, description, ---"
    else:
        remedy = START_WITH_FRONTMATTER
    return FrontmatterError("missing-frontmatter", "missing YAML frontmatter", line, remedy=remedy)


def yaml_repair(yaml_text: str, error: YamlError) -> str:
    """Return the smallest change that would let `yaml_text` be read, in words."""
    lines = yaml_text.split("\n")
    at = (error.line or 1) - 1
    line = lines[at].rstrip("\r") if at < len(lines) else ""
    if error.code == "duplicate-key":
        return "keep one of the two and remove the other"
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "indent with spaces instead of tabs"
    key, colon, value = _continued(lines, at).strip().partition(": ")
    if colon and value and value[0] not in "\"'|>" and re.fullmatch(r"[\w-]+", key):
        if value[0] in "[{" and not re.search(r"[\]}]\s*$", value):
            return f"close the bracket, or put the value of {key} in quotes"
        return f"put the value of {key} in quotes, or on an indented line of its own after `{key}: >-`"
    if colon and value and value[0] in "\"'":
        return f"close the quotes of {key}, or write \\\" for one inside double quotes, '' inside single ones"
    return "correct the YAML here, or put the value in quotes"


def _continued(lines: list[str], at: int) -> str:
    # A plain value may go on over indented lines; what is wrong with one of those is mended at its key.
    while at > 0 and at < len(lines) and lines[at][:1] == " ":
        indent = len(lines[at]) - len(lines[at].lstrip())
        above = next((n for n in range(at - 1, -1, -1) if lines[n].strip()), None)
        if above is None or not re.match(r" *[\w-]+: +[^\s|>\[{]", lines[above]):
            break
        if len(lines[above]) - len(lines[above].lstrip()) >= indent:
            break
        at = above
    return lines[at].rstrip("\r") if at < len(lines) else ""
