"""pi's `read` tool: how its arguments are taken, and what it gives back of a file.

Source: `dist/core/tools/{read,truncate,path-utils}.js` of 1.6.0, `@earendil-works/pi-ai` (validation) and
`@earendil-works/pi-schema` (what is coerced, and the words for what cannot be). Images are sent as
attachments and are not shown here.
"""

from __future__ import annotations

import json
import posixpath
import re
from typing import Any, Final

from tohlab.dialects.harness import Answer, FileTree, Setting
from tohlab.ecma import json_stringify
from tohlab.errors import UnsupportedByDialect

MAX_LINES: Final = 2000
MAX_BYTES: Final = 50 * 1024

INVALID: Final = 'Validation failed for tool "read":\n{errors}\n\nReceived arguments:\n{arguments}'
INVALID_LINE: Final = "  - {path}: {message}"
NO_FILE: Final = "ENOENT: no such file or directory, access '{path}'"
NO_FOLDER: Final = "ENOTDIR: not a directory, access '{path}'"
A_FOLDER: Final = "EISDIR: illegal operation on a directory, read"
BEYOND: Final = "Offset {offset} is beyond end of file ({total} lines total)"
LINE_TOO_LONG: Final = (
    "[Line {start} is {size}, exceeds 50.0KB limit. Use bash: sed -n '{start}p' {path} | head -c 51200]"
)
SHOWING: Final = "\n\n[Showing lines {start}-{end} of {total}{limit}. Use offset={next} to continue.]"
BYTE_LIMIT: Final = " (50.0KB limit)"
MORE_LINES: Final = "\n\n[{remaining} more lines in file. Use offset={next} to continue.]"

_SPACES: Final = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_IMAGES: Final = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"BM")
_TYPES: Final = {"path": "string", "offset": "number", "limit": "number"}


def read(arguments: Any, tree: FileTree, setting: Setting) -> Answer:
    """Return what the model reads for a call of `read`; the tree is all that there is on the disk.

    A relative path is taken from the option `cwd` (`<PROJECT>`), `~` from the option `home` (`<HOME>`).

    Args:
        arguments: what the call was given, of any kind.
        tree: the files.
        setting: where the tree's root is, and the options named above.

    Raises:
        UnsupportedByDialect: the file is an image, or a range is no whole number.
    """
    wrong = _coerced(arguments)
    if isinstance(wrong, str):
        return Answer(text=wrong, is_error=True)
    path = _resolve(wrong["path"], setting)
    inside = setting.inside(path)
    if inside is None or inside not in tree:
        return _missing(path, inside, tree)
    data = tree[inside]
    if data.startswith(_IMAGES) or (data[:4] == b"RIFF" and data[8:12] == b"WEBP"):
        raise UnsupportedByDialect(f"{path} is an image, which pi sends as an attachment")
    text = data.decode("utf-8", "replace")
    return _lines(text, wrong["path"], wrong.get("offset"), wrong.get("limit"))


def _coerced(arguments: Any) -> dict[str, Any] | str:
    made: dict[str, Any] = {}
    errors: list[str] = []
    if not isinstance(arguments, dict):
        errors.append(INVALID_LINE.format(path="root", message=f"expected object, got {_type_of(arguments)}"))
    else:
        for name, wanted in _TYPES.items():
            value = arguments.get(name)
            if name not in arguments or (value is None and name != "path"):
                if name == "path":
                    errors.append(INVALID_LINE.format(path=name, message="missing"))
                continue
            taken = _as_string(value) if wanted == "string" else _as_number(value)
            if taken is None:
                message = f"expected {wanted}, got {_type_of(value)}"
                errors.append(INVALID_LINE.format(path=name, message=message))
            made[name] = taken
    if errors:
        received = json.dumps(arguments, indent=2, ensure_ascii=False)
        return INVALID.format(errors="\n".join(errors), arguments=received)
    return made


def _as_string(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    return None if isinstance(value, (list, dict)) else json_stringify(value)


def _as_number(value: Any) -> int | None:
    if isinstance(value, str):
        text = value.strip()
        if len(text) > 15:
            raise UnsupportedByDialect(
                "a line number of more than 15 characters has no meaning that was recorded"
            )
        if re.fullmatch(r"[+-]?[0-9]+", text):
            return int(text)
        if re.fullmatch(r"0[xX][0-9a-fA-F]+", text):
            return int(text, 16)
        return None if text else 0
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float) and not value.is_integer():
        raise UnsupportedByDialect(f"a line number of {value} has no meaning that was recorded")
    return int(value) if isinstance(value, (int, float)) else None


def _type_of(value: Any) -> str:
    if value is None:
        return "null"
    names = ((bool, "boolean"), (str, "string"), (list, "array"), (dict, "object"))
    return next((name for kind, name in names if isinstance(value, kind)), "number")


def _resolve(path: str, setting: Setting) -> str:
    path = _SPACES.sub(" ", path).removeprefix("@")
    home = str(setting.options.get("home", "<HOME>"))
    if path == "~" or path.startswith("~/"):
        path = home + path[1:]
    # A root and a home may be placeholders, which are absolute all the same.
    places = (setting.root, home, *setting.mounts.values())
    absolute = any(path == place or path.startswith(f"{place}/") for place in places)
    if not absolute and not path.startswith("/"):
        path = f"{setting.options.get('cwd', '<PROJECT>')}/{path}"
    return posixpath.normpath(path)


def _missing(path: str, inside: str | None, tree: FileTree) -> Answer:
    if inside is not None:
        if not inside or any(other.startswith(f"{inside}/") for other in tree):
            return Answer(text=A_FOLDER, is_error=True)
        parts = inside.split("/")
        if any("/".join(parts[:depth]) in tree for depth in range(1, len(parts))):
            return Answer(text=NO_FOLDER.format(path=path), is_error=True)
    return Answer(text=NO_FILE.format(path=path), is_error=True)


def _lines(text: str, path: str, offset: int | None, limit: int | None) -> Answer:
    lines = text.split("\n")
    total = len(lines)
    start = max(0, offset - 1) if offset else 0
    if start >= total:
        return Answer(text=BEYOND.format(offset=offset, total=total), is_error=True)
    end = total if limit is None else min(start + limit, total)
    chosen = lines[start:end]
    content = "\n".join(chosen)
    counted = chosen[:-1] if content.endswith("\n") else chosen if content else []
    if len(counted) <= MAX_LINES and _size(content) <= MAX_BYTES:
        if limit is not None and end < total:
            content += MORE_LINES.format(remaining=total - end, next=end + 1)
        return Answer(text=content)
    if _size(counted[0]) > MAX_BYTES:
        size = _format_size(_size(counted[0]))
        return Answer(text=LINE_TOO_LONG.format(start=start + 1, size=size, path=path))
    kept: list[str] = []
    size_bytes = 0
    by_bytes = False
    for line in counted[:MAX_LINES]:
        size_bytes += _size(line) + (1 if kept else 0)
        if size_bytes > MAX_BYTES:
            by_bytes = True
            break
        kept.append(line)
    last = start + len(kept)
    shown = SHOWING.format(
        start=start + 1, end=last, total=total, limit=BYTE_LIMIT if by_bytes else "", next=last + 1
    )
    return Answer(text="\n".join(kept) + shown)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _format_size(size_bytes: int) -> str:
    if size_bytes < 1024 * 1024:
        return f"{size_bytes / 1024:.1f}KB"
    return f"{size_bytes / (1024 * 1024):.1f}MB"
