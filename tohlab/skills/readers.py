"""The YAML readers of the real programs: which text each takes, and what it makes of it.

A reader gets the text between the two `---` lines, already cut out by its program, and gives a `YamlRead`: a
value, or the reason why there is none. None of them raises. How a program finds the block stands in its
harness; what its YAML library does stands here, once for each library.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from tohlab.skills.frontmatter import read_simple_block, read_simple_fields, whole_lines, yaml_repair
from tohlab.skills.js_yaml3 import load_js_yaml3
from tohlab.skills.js_yaml3 import resolve_plain as js_yaml3_plain
from tohlab.skills.line_readers import key_value_lines as key_value_lines
from tohlab.skills.line_readers import simple_lines as simple_lines
from tohlab.skills.serde_yaml import SerdeError, Struct, load_struct
from tohlab.skills.sharing import shared
from tohlab.skills.strict_yaml import StrictYamlError, load_strict_yaml
from tohlab.skills.yaml12 import YamlError, load_yaml

_PyLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
MAX_VALUES: Final = 100_000
"""How many values a block may stand for once its aliases are written out; no real file comes near."""


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlRead:
    """What a reader made of a block."""

    value: Any = None
    """The value; None where the block is empty or could not be read."""
    lines: Mapping[str, int] = field(default_factory=dict)
    """The line of each key of a mapping, from 1, in the block; a plain block of few fields may have none."""
    error: str | None = None
    """Why there is no value."""
    line: int | None = None
    """Where the error stands, from 1, in the block."""
    repair: str = ""
    """The smallest change that would let it be read, where one is known."""
    code: str = "invalid-yaml"
    """A stable word for the rule that was broken, where there is an error."""
    kind: str = "YAMLError"
    """The class of the error: the library's own, or one that it lets through."""

    @property
    def fields(self) -> Mapping[str, Any]:
        """Return the value where it is a mapping, else an empty one."""
        return self.value if isinstance(self.value, dict) else {}


@shared
def npm_yaml(block: str) -> YamlRead:
    """Return what the npm package `yaml` 2 reads: YAML 1.2 core.

    `yes` is text, `0o7` a number. An unquoted `: ` in a value, a duplicate key and a second document are
    errors. Keys are text. A literal block at the very end has its line break even if the text has none.
    """
    block = block if block.endswith("\n") else block + "\n"
    simple = read_simple_fields(block)
    if simple is not None:
        return YamlRead(value=simple)
    try:
        value, lines = load_yaml(block)
    except YamlError as error:
        return YamlRead(error=error.reason, line=error.line, repair=yaml_repair(block, error))
    return YamlRead(value=value, lines=lines)


def pyyaml(block: str, *, pure: bool = False) -> YamlRead:
    """Return what PyYAML's `CSafeLoader` reads: YAML 1.1; with `pure`, what its `SafeLoader` reads.

    `yes` is true, `2026-01-02` a date, `1:30` a number; the last of two equal keys wins; keys may be of any
    kind. An unquoted `: ` in a value and an unknown tag are errors. A block whose aliases
    stand for more than `MAX_VALUES` is refused: the program itself would fill the memory. The loader written
    in Python takes no tab before a value; for all else the two are one, and the quick one reads.
    """
    return _pure_pyyaml(block) if pure and "\t" in block else _quick_pyyaml(block)


@shared
def _quick_pyyaml(block: str) -> YamlRead:
    lines = whole_lines(block)
    read = None if lines is None else _simple_pyyaml(lines)
    return read if read is not None else _load_pyyaml(block, _PyLoader)


@shared
def _simple_pyyaml(lines: str) -> YamlRead | None:
    simple = read_simple_fields(lines)
    if simple is not None and all(map(_same_in_yaml11, simple.items())):
        return YamlRead(value=simple)
    return None


@shared
def _pure_pyyaml(block: str) -> YamlRead:
    return _load_pyyaml(block, yaml.SafeLoader)


def _same_in_yaml11(field: tuple[str, Any]) -> bool:
    # A text in quotes that YAML 1.1 would take for something else without them is read again: that is rare.
    key, value = field
    if isinstance(value, dict):
        return _is_text_in_yaml11(key) and all(map(_same_in_yaml11, value.items()))
    return _is_text_in_yaml11(key) and (
        _is_text_in_yaml11(value) if isinstance(value, str) else value is None or isinstance(value, bool)
    )


def _is_text_in_yaml11(text: str) -> bool:
    rules = _PyLoader.yaml_implicit_resolvers.get(text[:1], ())
    return bool(text) and not any(rule.match(text) for _, rule in rules)


def _load_pyyaml(block: str, loader: Any) -> YamlRead:
    try:
        if "*" in block and "&" in block:
            _measure(block)
        value = yaml.load(block, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return YamlRead(error=str(error), line=mark.line + 1 if mark else None)
    except (yaml.YAMLError, ValueError, TypeError, OverflowError, RecursionError) as error:
        return YamlRead(error=str(error))
    return YamlRead(value=value)


def _measure(block: str) -> None:
    # The weight of a value is the number of values it stands for; an alias weighs what its anchor weighs.
    weights: dict[str, int] = {}
    open_values: list[tuple[str | None, int]] = []
    for event in yaml.parse(block, Loader=_PyLoader):
        match event:
            case yaml.ScalarEvent():
                anchor, weight = event.anchor, 1
            case yaml.AliasEvent():
                anchor, weight = None, weights.get(event.anchor or "", 1)
            case yaml.CollectionStartEvent():
                open_values.append((event.anchor, 1))
                continue
            case yaml.CollectionEndEvent():
                anchor, weight = open_values.pop()
            case _:
                continue
        if anchor:
            weights[anchor] = weight
        if open_values:
            above, sum_above = open_values[-1]
            if sum_above + weight > MAX_VALUES:
                raise ValueError(f"the aliases stand for more than {MAX_VALUES} values")
            open_values[-1] = above, sum_above + weight


_STRICT_REPAIRS: Final = {
    "flow-collection": "write the list or the mapping as indented lines, or put the value in quotes",
    "tag": "remove the tag, or put the value in quotes",
    "anchor": "put the value in quotes: it must not start with &",
    "duplicate-key": "keep one of the two and remove the other",
    "unquoted-colon": "put the value in quotes",
    "indentation": "indent the mappings of one level alike",
    "tab": "write a space instead of the tab",
    "control-character": "remove the control character",
}


@shared
def strictyaml(block: str) -> YamlRead:
    """Return what the Python package `strictyaml` reads: block collections of plain texts.

    Every scalar is a text as written. Flow collections, tags, anchors, duplicate keys, unquoted `: ` and
    control characters are errors, in the package's own words.
    """
    simple = read_simple_block(block)
    if simple is not None and _holds_only_texts(simple[0]):
        return YamlRead(value=simple[0], lines=simple[1])
    try:
        value, lines = load_strict_yaml(block)
    except StrictYamlError as error:
        repair = _STRICT_REPAIRS.get(error.code, "correct the YAML here, or put the value in quotes")
        return YamlRead(error=str(error), line=error.line, repair=repair, code=error.code, kind=error.kind)
    return YamlRead(value=value, lines=lines)


def serde_yaml(block: str, struct: Struct) -> YamlRead:
    """Return what the Rust crate `serde_yaml` 0.9 reads for a struct: the fields that it knows.

    A plain `3000` or `yes` is a text where a text is asked for; unknown keys may have any value and stand
    there twice. An unquoted `: `, a known key twice and a value of another kind are errors.
    """
    simple = read_simple_block(block)
    if simple is not None:
        known = _texts_of(simple[0], struct)
        if known is not None:
            return YamlRead(value=known, lines={key: simple[1][key] for key in known})
    try:
        value, lines = load_struct(block, struct)
    except SerdeError as error:
        reason, line, code = str(error), error.line, error.code
        if code == "wrong-type":
            repair = "write the value as one text, or as the kind that is expected"
        else:
            repair = yaml_repair(block, YamlError(reason, line, code=code))
        return YamlRead(error=reason, line=line, repair=repair, code=code, kind="Error")
    return YamlRead(value=value, lines=lines)


def _holds_only_texts(fields: Mapping[str, Any]) -> bool:
    # A mapping inside is read by the parser, which compares how deep they stand.
    return all(isinstance(value, str) for value in fields.values())


def _texts_of(fields: Mapping[str, Any], struct: Struct) -> dict[str, Any] | None:
    # None where the crate's own reader has to look: what it makes of a plain `3000` depends on the quotes.
    known = {key: value for key, value in fields.items() if key in struct.fields}
    for key, value in known.items():
        if struct.fields[key] != "text" or not isinstance(value, str):
            return None
    return known


@shared
def js_yaml(block: str) -> YamlRead:
    """Return what the npm package `js-yaml` 4 reads: YAML 1.2 core, with timestamps and merge keys besides.

    An unquoted `: ` in a value, a duplicate key, an unknown tag and a control character are errors. What the
    package makes of dates, `<<` and digits with `_` is not told apart here: they stay texts or plain keys.
    """
    strange = _JS_YAML_UNPRINTABLE.search(block)
    if strange:
        line = block.count("\n", 0, strange.start()) + 1
        reason = "the stream contains non-printable characters"
        return YamlRead(error=reason, line=line, repair="remove the control character", kind="YAMLException")
    read = npm_yaml(block)
    if read.error is None and _MAYBE_TAG.search(block):
        try:
            tags = [token for token in yaml.scan(block, Loader=_PyLoader) if isinstance(token, yaml.TagToken)]
        except yaml.YAMLError:
            return read  # a line break of Unicode, which only YAML 1.1 takes for one
        for token in tags:
            if token.value not in _JS_YAML_TAGS:
                reason = f"unknown tag !<{(token.value[0] or '') + token.value[1]}>"
                repair = "remove the tag, or put the value in quotes"
                line = token.start_mark.line + 1
                return YamlRead(error=reason, line=line, repair=repair, kind="YAMLException")
    return read


@shared
def js_yaml3(block: str) -> YamlRead:
    """Return what the npm package `js-yaml` 3 reads, which `gray-matter` uses.

    `yes` is text, `017`, `1_000` and `1:30` are numbers, `2026-01-02` is a date, `<<` a merge. An unquoted
    `: ` in a value, a duplicate key, an unknown tag and a control character are errors.
    """
    simple = read_simple_fields(block if block.endswith("\n") else block + "\n")
    if simple is not None and all(map(_same_in_js_yaml3, simple.values())):
        return YamlRead(value=simple)
    try:
        value, lines = load_js_yaml3(block)
    except YamlError as error:
        repair = yaml_repair(block, error)
        return YamlRead(
            error=error.reason, line=error.line, repair=repair, code=error.code, kind="YAMLException"
        )
    return YamlRead(value=value, lines=lines)


def _same_in_js_yaml3(value: Any) -> bool:
    # Only what YAML 1.2 takes for text, and 1.1 might not, has to be read again.
    if isinstance(value, dict):
        return all(map(_same_in_js_yaml3, value.values()))
    return (
        value is None
        or isinstance(value, bool)
        or (isinstance(value, str) and js_yaml3_plain(value) is value)
    )


_MAYBE_TAG: Final = re.compile(r"(?:^|[\s\[{,])!")
_JS_YAML_UNPRINTABLE: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]"
)
_JS_YAML_TAGS: Final = frozenset(
    ("!!", kind)
    for kind in (
        "str",
        "seq",
        "map",
        "null",
        "bool",
        "int",
        "float",
        "timestamp",
        "merge",
        "binary",
        "omap",
        "pairs",
        "set",
    )
)
