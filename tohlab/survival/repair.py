"""Small changes to a skill file's text, one for each fault that a machine can mend without guessing.

Each rule gives a changed text, or the same one where it finds nothing to do. Whether a change helps is not
decided here: `fixes` loads the file again in every harness.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import yaml

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FENCE: Final = re.compile(r"---[^\S\n]*")
_ENTRY: Final = re.compile(r"([ ]*)([\"']?[A-Za-z_][\w.-]*[\"']?)[ ]*:[ \t]+(\S.*)")
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
_BLOCK_MARK: Final = re.compile(r"[|>][-+0-9]*[ \t]*(#.*)?")
_HINTS: Final = ("argument-hint",)
"""Fields that are prose, so that brackets in them are no list."""


class Parts(NamedTuple):
    """A file taken apart as leniently as can be; `head + block + fence + body` is the file."""

    head: str
    """All up to the first line of the block."""
    block: str
    fence: str
    """The closing line, with its line break."""
    body: str


def split_file(text: str) -> Parts | None:
    """Return the parts of a file, or None if it has no frontmatter even to a lenient eye.

    A byte order mark and blank lines may stand before the first `---`, white space behind both.
    """
    rows = text.split("\n")
    start = next((n for n, row in enumerate(rows) if row.strip("\ufeff \t\r")), None)
    if start is None or not _FENCE.fullmatch(rows[start].strip("\ufeff \t\r")):
        return None
    for number in range(start + 1, len(rows)):
        if _FENCE.fullmatch(rows[number].rstrip()):
            pieces = (rows[: start + 1], rows[start + 1 : number], rows[number : number + 1])
            head, block, fence = ("".join(f"{row}\n" for row in piece) for piece in pieces)
            if number == len(rows) - 1:
                fence = fence[:-1]
            return Parts(head, block, fence, "\n".join(rows[number + 1 :]))
    return None


def _in_block(change: Callable[[str], str]) -> Callable[[str, str], str]:
    def rule(text: str, folder: str) -> str:
        parts = split_file(text)
        if parts is None:
            return text
        carriage = "\r\n" in parts.block
        block = parts.block.replace("\r\n", "\n") if carriage else parts.block
        changed = change(block)
        if changed == block:
            return text
        if carriage:
            changed = changed.replace("\n", "\r\n")
        return "".join((parts.head, changed, parts.fence, parts.body))

    return rule


def _without_mark(text: str, folder: str) -> str:
    return text.lstrip("\ufeff")


def _clean_fences(text: str, folder: str) -> str:
    parts = split_file(text)
    if parts is None:
        return text
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    end = "\r\n" if parts.head.endswith("\r\n") else "\n"
    closing = parts.fence.rstrip() + parts.fence[len(parts.fence.rstrip("\r\n")) :]
    return f"{mark}---{end}{parts.block}{closing}{parts.body}"


def _line_feeds(text: str, folder: str) -> str:
    return text.replace("\r\n", "\n")


def _without_controls(block: str) -> str:
    return _CONTROL.sub("", block)


def _without_tabs(block: str) -> str:
    rows = []
    for row in block.split("\n"):
        indent = row[: len(row) - len(row.lstrip())].replace("\t", "  ")
        rows.append(indent + re.sub(r"^([\"']?[\w.-]+[\"']?:)\t+", r"\1 ", row.lstrip()))
    return "\n".join(rows)


def _composes(text: str) -> bool:
    try:
        yaml.compose(text, Loader=_Loader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return False
    return True


def quoted(value: str) -> str:
    """Return a text in quotes as YAML takes it back; line breaks inside fold as they did."""
    if '"' in value or "\\" in value:
        return "'" + value.replace("'", "''") + "'"
    return f'"{value}"'


def _entries(rows: list[str]) -> Iterator[tuple[int, int, re.Match[str]]]:
    # Each `key: value` outside of blocks of text, with the line after its last one.
    number = 0
    while number < len(rows):
        match = _ENTRY.fullmatch(rows[number])
        if match is None:
            number += 1
            continue
        stop = number + 1
        while stop < len(rows) and (
            not rows[stop].strip() or len(rows[stop]) - len(rows[stop].lstrip(" ")) > len(match[1])
        ):
            stop += 1
        while not rows[stop - 1].strip():
            stop -= 1
        if not _BLOCK_MARK.fullmatch(match[3]):
            yield number, stop, match
        number = stop


def _prose_in_quotes(block: str) -> str:
    if _composes(block):
        return block
    rows = block.split("\n")
    for number, stop, match in list(_entries(rows)):
        whole = rows[number:stop]
        if _composes("\n".join(whole)):
            continue
        value = "\n".join([match[3], *whole[1:]]).rstrip()
        opening = rows[number][: match.start(3)]
        rows[number:stop] = f"{opening}{quoted(value)}".split("\n")
    return "\n".join(rows)


def _nodes(root: yaml.Node | None) -> Iterator[tuple[yaml.Node, yaml.Node | None]]:
    # Every value and item with its key, outermost first; a node that aliases share comes once.
    seen: set[int] = set()
    waiting = [] if root is None else [root]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            below = [(value, key) for key, value in node.value]
        elif isinstance(node, yaml.SequenceNode):
            below = [(item, None) for item in node.value]
        else:
            continue
        yield from below
        waiting += [value for value, _ in reversed(below)]


def _compose(block: str) -> yaml.Node | None:
    try:
        found: yaml.Node | None = yaml.compose(block, Loader=_Loader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return found


def _without_second_keys(block: str) -> str:
    root = _compose(block)
    mappings = [root, *(node for node, _ in _nodes(root))]
    rows = block.split("\n")
    dropped: set[int] = set()
    for mapping in mappings:
        if not isinstance(mapping, yaml.MappingNode) or mapping.flow_style:
            continue
        seen: set[str] = set()
        for (key, value), after in zip(mapping.value, [*mapping.value[1:], None], strict=True):
            name = str(key.value)
            if name in seen and key.start_mark.line >= mapping.start_mark.line:
                last = value.end_mark.line + (value.end_mark.column > 0)
                stop = after[0].start_mark.line if after else max(last, key.start_mark.line + 1)
                dropped |= set(range(key.start_mark.line, stop))
            seen.add(name)
    return "\n".join(row for number, row in enumerate(rows) if number not in dropped)


def _blocks_for_flows(block: str) -> str:
    root = _compose(block)
    done = -1
    changes: list[tuple[int, int, str]] = []
    for node, key in sorted(_nodes(root), key=lambda pair: pair[0].start_mark.index):
        start, stop = node.start_mark.index, node.end_mark.index
        is_flow = isinstance(node, yaml.CollectionNode) and node.flow_style
        if not is_flow or start < done or "#" in block[start:stop]:
            continue
        if block[start : start + 1] not in ("[", "{"):  # behind an anchor or a tag
            continue
        done = stop
        if key is not None and key.value in _HINTS:
            changes.append((start, stop, quoted(block[start:stop])))
            continue
        column = key.start_mark.column if key is not None else node.start_mark.column - 2
        before = len(block[:start].rstrip(" "))
        if isinstance(node, yaml.CollectionNode) and not node.value:
            changes.append((before, stop, ""))
        else:
            changes.append((before, stop, "\n" + "\n".join(_as_block(node, block, " " * (column + 2)))))
    for start, stop, text in reversed(changes):
        block = block[:start] + text + block[stop:]
    return block


def _as_block(node: yaml.Node, block: str, indent: str) -> Iterator[str]:
    pairs = [(None, item) for item in node.value] if isinstance(node, yaml.SequenceNode) else node.value
    for key, value in pairs:
        head = f"{indent}-" if key is None else f"{indent}{_source(key, block)}:"
        if isinstance(value, yaml.ScalarNode):
            yield f"{head} {_source(value, block)}".rstrip()
        else:
            yield head
            yield from _as_block(value, block, f"{indent}  ")


def _source(node: yaml.Node, block: str) -> str:
    text = " ".join(block[node.start_mark.index : node.end_mark.index].split())
    plain = isinstance(node, yaml.ScalarNode) and not node.style
    return quoted(text) if plain and text and not _composes(f"k: {text}") else text


def _texts_as_texts(block: str) -> str:
    root = _compose(block)
    if not isinstance(root, yaml.MappingNode):
        return block
    for key, value in reversed(root.value):
        if key.value not in ("name", "description"):
            continue
        start, stop = value.start_mark.index, value.end_mark.index
        text = block[start:stop]
        if isinstance(value, yaml.ScalarNode) and not value.style and text.strip():
            if value.tag != "tag:yaml.org,2002:str" and "\n" not in text:
                block = block[:start] + quoted(text) + block[stop:]
        elif isinstance(value, yaml.SequenceNode) and value.flow_style and value.value:
            items = [item.value for item in value.value if isinstance(item, yaml.ScalarNode)]
            if len(items) == len(value.value) and "\n" not in text:
                block = block[:start] + quoted(", ".join(items)) + block[stop:]
    return block


def _folder_as_name(text: str, folder: str) -> str:
    parts = split_file(text)
    if parts is None or not folder:
        return text
    plain = re.fullmatch(r"[A-Za-z][\w-]*", folder) and _composes(f"name: {folder}")
    line = f"name: {folder if plain and folder.lower() not in _WORDS else quoted(folder)}"
    carriage = "\r" if "\r\n" in parts.head else ""
    named = re.search(r"^[\"']?name[\"']?[ \t]*:[ \t]*([^\r\n]*)", parts.block, re.MULTILINE)
    if named is None:
        return f"{parts.head}{line}{carriage}\n{parts.block}{parts.fence}{parts.body}"
    if named[1].strip("\"' ") == folder or named[1].startswith(("|", ">", "&", "*")):
        return text
    block = parts.block[: named.start()] + line + parts.block[named.end() :]
    return "".join((parts.head, block, parts.fence, parts.body))


_WORDS: Final = ("true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan", "inf")

RULES: Final[dict[str, Callable[[str, str], str]]] = {
    "bom": _without_mark,
    "fence": _clean_fences,
    "crlf": _line_feeds,
    "control-character": _in_block(_without_controls),
    "tab": _in_block(_without_tabs),
    "colon": _in_block(_prose_in_quotes),
    "duplicate-key": _in_block(_without_second_keys),
    "text": _in_block(_texts_as_texts),
    "flow": _in_block(_blocks_for_flows),
    "name": _folder_as_name,
}
"""What can be done, in this order: each gets the text and the folder's name."""

SAID: Final = {
    "bom": "remove the byte order mark",
    "fence": "make both --- lines exactly ---, the first of them line 1",
    "crlf": "end the lines with a line feed alone",
    "control-character": "remove control characters from the frontmatter",
    "tab": "write spaces for tabs in the frontmatter",
    "colon": "put a value in quotes",
    "duplicate-key": "remove the second of two equal keys",
    "text": "put a value in quotes that has to be text",
    "flow": "write a list or a mapping in brackets as indented lines",
    "name": "give the skill its folder's name",
}
"""The rules in words."""


def mended_block(block: str) -> str:
    """Return a block with every rule applied to it that only a YAML reader sees."""
    for change in (_without_controls, _without_tabs, _prose_in_quotes, _without_second_keys):
        block = change(block)
    return block
