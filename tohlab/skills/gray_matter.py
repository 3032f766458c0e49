"""A text to its frontmatter and its content, as the npm package `gray-matter` 4 cuts it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any, Final

from tohlab.skills.readers import YamlRead, js_yaml3

_COMMENTS: Final = re.compile(r"^\s*#[^\n]+", re.MULTILINE)
_YAML: Final = ("", "yaml", "yml")
_CODE: Final = ("js", "javascript")


@dataclass(frozen=True, slots=True, kw_only=True)
class GrayMatter:
    """What gray-matter makes of a text."""

    data: Any
    """The frontmatter as js-yaml 3 reads it; an empty mapping where there is none."""
    content: str
    """What follows the closing `---`, without one line break; the whole text where there is no block."""
    read: YamlRead
    """The reading of the block, with the error where there is one; lines count from the block's first."""
    has_block: bool
    """The text starts with `---`."""


def gray_matter(text: str) -> GrayMatter:
    """Return what gray-matter makes of a text; nothing raises.

    The block starts with `---` at the very beginning (a byte order mark is dropped) and ends before the next
    line that starts with `---`, whatever follows there; without such a line it is everything, and the content
    is empty. A word after the first `---` names the language: `yaml` or none is YAML, `json` is JSON;
    JavaScript, which gray-matter would run, is an error here, and any other language is one there too.
    """
    text = text.removeprefix("\ufeff")
    if not text.startswith("---") or text[3:4] == "-":
        return GrayMatter(data={}, content=text, read=YamlRead(value={}), has_block=False)
    rest = text[3:]
    first = rest.partition("\n")[0].removesuffix("\r") if "\n" in rest else rest[:-1]
    language = first.strip()
    if language:
        rest = rest[len(first) :]
    end = rest.find("\n---")
    block = rest if end < 0 else rest[:end]
    content = "" if end < 0 else rest[end + 4 :]
    content = content.removeprefix("\r").removeprefix("\n")
    if not _COMMENTS.sub("", block).strip():
        return GrayMatter(data={}, content=content, read=YamlRead(value={}), has_block=True)
    read = _read(language, block)
    return GrayMatter(data=read.value, content=content, read=read, has_block=True)


def _read(language: str, block: str) -> YamlRead:
    kind = language.lower()
    if kind in _YAML:
        below = block.removeprefix("\r").removeprefix("\n")
        read = js_yaml3(below)
        if below != block or not block:
            return read
        # White space behind the first three hyphens: the block begins on their line, so its line 1 is line 0.
        lines = {key: line - 1 for key, line in read.lines.items()}
        return replace(read, lines=lines, line=None if read.line is None else read.line - 1)
    code, repair = "frontmatter-language", "make line 1 exactly ---, and write the fields as YAML"
    if language == "json":
        try:
            return YamlRead(value=json.loads(block, parse_constant=_no_constant))
        except (ValueError, RecursionError) as error:
            return YamlRead(error=f"not JSON: {error}", line=0, repair=repair, code="invalid-json")
    if kind in _CODE:
        return YamlRead(
            error="frontmatter in JavaScript, which is not run here", line=0, repair=repair, code=code
        )
    reason = f'gray-matter engine "{language}" is not registered'
    return YamlRead(error=reason, line=0, repair=repair, code=code)


def _no_constant(text: str) -> None:
    raise ValueError(f"{text} is not JSON")
