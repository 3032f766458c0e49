"""What the npm package `yaml` 2 says of frontmatter that it cannot read: its own words and its snippet.

The reader tells good from bad; this names the fault as the package does, for the faults people make: an
unquoted colon, a key twice, a line without a colon, a value that starts with a reserved character, text
behind a closing quote. For anything else there is no message, and the caller says what the reader said.

Source: yaml 2.9.0 (`compose/resolve-*.js`, `errors.js`), held against the running package.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from tohlab.skills.yaml12 import YamlError, load_yaml

NESTED: Final = "Nested mappings are not allowed in compact mappings"
TWICE: Final = "Map keys must be unique"
ONE_LINE: Final = "Implicit keys need to be on a single line"
NO_VALUE: Final = "Implicit map keys need to be followed by map values"
RESERVED: Final = "Plain value cannot start with reserved character {char}"
DIRECTIVE: Final = "Plain value cannot start with directive indicator character {char}"
AT_NODE_END: Final = "Unexpected scalar at node end"
SEQUENCE: Final = "Unexpected block-seq-ind on same line with key"
ALIAS: Final = "Unresolved alias (the anchor must be set before the alias): {name}"

_KEY: Final = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'#&*!|>%@`\[{,-](?:[^:#]|:(?=\S)|(?<=\S)#)*?|-\S(?:[^:#]|:(?=\S)|(?<=\S)#)*?)[ \t]*:(?=[ \t]|$)""")  # fmt: skip  # noqa: E501  # one pattern, as long as the rule
_COLON: Final = re.compile(r":(?:[ \t]|$)", re.MULTILINE)
_QUOTED: Final = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')[ \t]*""")
_COMMENT: Final = re.compile(r"(?:(?<=[ \t])|^)#.*$", re.MULTILINE)


class _Entry(NamedTuple):
    line: int  # from 0
    lines: tuple[str, ...]


class _Fault(NamedTuple):
    message: str
    line: int  # from 0
    column: int  # from 0
    length: int = 1


def npm_yaml_message(block: str) -> str | None:
    """Return the package's message for a block that it cannot read, or None where its words are not known.

    Args:
        block: the text between the two `---` lines, as the program hands it to the package.
    """
    lines = block.split("\n")
    fault = _find(lines, 0, 0)
    if fault is not None:
        return _pretty(fault, lines)
    # An alias is looked up last, and without a place.
    return next((ALIAS.format(name=name) for at, name in _aliases(lines) if _only_fault(lines, at)), None)


def _aliases(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines):
        match = _KEY.match(line)
        value = line[match.end() :].strip() if match else ""
        if re.fullmatch(r"\*[^\s,\[\]{}]+", value):
            yield number, value[1:]


def _only_fault(lines: Sequence[str], number: int) -> bool:
    try:
        load_yaml("\n".join(line for at, line in enumerate(lines) if at != number))
    except YamlError:
        return False
    return True


def _entries(lines: Sequence[str], first: int, indent: int) -> Iterator[_Entry]:
    start: int | None = None
    for at, line in enumerate(lines):
        if line.strip() and not line.lstrip().startswith("#") and len(line) - len(line.lstrip(" ")) <= indent:
            if start is not None:
                yield _Entry(first + start, tuple(lines[start:at]))
            start = at
    if start is not None:
        yield _Entry(first + start, tuple(lines[start:]))


def _find(lines: Sequence[str], first: int, indent: int) -> _Fault | None:
    seen: set[str] = set()
    top = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    if len(top) - len(top.lstrip(" ")) != indent:
        return None
    entries = list(_entries(lines, first, indent))
    for at, entry in enumerate(entries):
        head = entry.lines[0]
        if head[:indent].strip() or head[indent : indent + 1].isspace():
            return None
        match = _KEY.match(head, indent)
        if match is None:
            return _loose(entry, indent, at + 1 == len(entries))
        key = match[1].strip("\"'") if match[1][0] in "\"'" else match[1]
        if key in seen:
            return _Fault(TWICE, entry.line, indent)
        seen.add(key)
        if _is_sound(entry, indent):
            continue
        return _value_fault(entry, match.end())
    return None


def _is_sound(entry: _Entry, indent: int) -> bool:
    try:
        load_yaml("\n".join(line[indent:] for line in entry.lines))
    except YamlError as error:
        return error.kind == "ReferenceError"
    return True


def _loose(entry: _Entry, indent: int, is_last: bool) -> _Fault | None:
    text = entry.lines[0][indent:].rstrip()
    if text[0] in "\"'[{&*!|>%@`-?:." or _COMMENT.search(text) or re.search(r"\t|:[>|]", text):
        return None
    if not is_last or any(line.strip() for line in entry.lines[1:]):
        return _Fault(ONE_LINE, entry.line, indent)
    return _Fault(NO_VALUE, entry.line, indent, len(text))


def _value_fault(entry: _Entry, after_key: int) -> _Fault | None:
    head = entry.lines[0]
    column = after_key + len(head[after_key:]) - len(head[after_key:].lstrip(" "))
    value = head[column:].rstrip()
    if not value or value.startswith("#"):
        rest = [line for line in entry.lines[1:] if line.strip()]
        if not rest or rest[0].lstrip().startswith(("- ", "#")) or rest[0].lstrip(" ").startswith("\t"):
            return None
        inner = len(rest[0]) - len(rest[0].lstrip(" "))
        return _find(entry.lines[1:], entry.line + 1, inner)
    more = any(line.strip() for line in entry.lines[1:])
    if value[0] in "[{|>&!*\t" or (more and (value[0] in "\"'-" or _COMMENT.search(value))):
        return None
    whole = "\n".join((value, *entry.lines[1:]))
    if value == "-" or value.startswith("- "):
        return _Fault(SEQUENCE, entry.line, column)
    quoted = _QUOTED.match(value)
    if value[0] in "\"'":
        if quoted is None:
            return None
        rest_of_value = value[quoted.end() :]
        if rest_of_value.startswith(":") and _COLON.match(rest_of_value):
            return _Fault(NESTED, entry.line, column)
        if not rest_of_value or rest_of_value[0] in "#\"'[{&*!|>%@`,:" or _COLON.search(rest_of_value):
            return None
        return _Fault(AT_NODE_END, entry.line, column + quoted.end(), len(rest_of_value))
    if _COLON.search(_COMMENT.sub("", whole)) or value.startswith("? "):
        return _Fault(NESTED, entry.line, column)
    if value[0] in "@`":
        return _Fault(RESERVED.format(char=value[0]), entry.line, column)
    if value[0] == "%":
        return _Fault(DIRECTIVE.format(char=value[0]), entry.line, column)
    return None


def _pretty(fault: _Fault, lines: Sequence[str]) -> str:
    # The line of the fault, cut to 80 characters around it, and the line before where it stands at the start.
    column, line = fault.column, lines[fault.line]
    if column >= 60 and len(line) > 80:
        start = min(column - 39, len(line) - 79)
        line = "…" + line[start:]
        column -= start - 1
    if len(line) > 80:
        line = line[:79] + "…"
    if fault.line and not line[:column].strip(" "):
        before = lines[fault.line - 1] + "\n"
        line = (before[:79] + "…\n" if len(before) > 80 else before) + line
    carets = "^" * max(1, min(fault.length, 80 - column))
    place = f"at line {fault.line + 1}, column {fault.column + 1}"
    return f"{fault.message} {place}:\n\n{line}\n{' ' * column}{carets}\n"
