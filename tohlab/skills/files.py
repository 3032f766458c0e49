"""Skill files on disk: as much of one as its frontmatter takes, and what the system says when it will not.

A scan reads a file up to the closing `---` and no further, so a body of any size costs nothing until it is
asked for. Like the harness, it takes bytes that are not UTF-8 as U+FFFD.
"""

from __future__ import annotations

import codecs
import errno
import os
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from tohlab.errors import FrontmatterError, ProviderError
from tohlab.skills.frontmatter import SkillFile, missing_frontmatter, parse_frontmatter, read_fields
from tohlab.skills.model import Problem

_CHUNK: Final = 8192
_MAX_CHUNK: Final = 1 << 20
_CLOSING: Final = re.compile(rb"\n---\r?\n")
# Not blocking, so that a named pipe called SKILL.md reads as empty and does not wait for a writer.
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)

_NODE_TEXTS: Final = {
    errno.EACCES: "permission denied",
    errno.EIO: "i/o error",
    errno.EISDIR: "illegal operation on a directory",
    errno.ELOOP: "too many symbolic links encountered",
    errno.EMFILE: "too many open files",
    errno.ENAMETOOLONG: "name too long",
    errno.ENOENT: "no such file or directory",
    errno.ENOTDIR: "not a directory",
    errno.EPERM: "operation not permitted",
}


class Head(NamedTuple):
    """The frontmatter of one file, read without its body; a tuple, since a scan makes one for each file."""

    fields: Mapping[str, Any]
    key_lines: Mapping[str, int]
    bad_line: int | None
    """The first line that is not UTF-8, or None."""


def is_absent(error: OSError) -> bool:
    """Return whether the harness takes this error for "nothing there": no such path, or no such folder."""
    return error.errno in (errno.ENOENT, errno.ENOTDIR)


def node_text(error: OSError, call: str, path: str) -> str:
    """Return a system error as Node words it, such as `Error: EACCES: permission denied, open 'x'`.

    Args:
        error: what the system said.
        call: the system's call, such as `open`.
        path: what was read.
    """
    code = errno.errorcode.get(error.errno or 0, "UNKNOWN")
    text = _NODE_TEXTS.get(error.errno or 0, (error.strerror or "unknown error").lower())
    if error.errno == errno.EISDIR:
        return f"Error: {code}: {text}, read"
    return f"Error: {code}: {text}, {call} '{path}'"


def read_head(path: str) -> Head:
    """Return the frontmatter of the file at `path`; nothing after the chunk that closes it is read.

    Raises:
        FrontmatterError: as `parse_frontmatter`.
        OSError: whatever the system says.
    """
    fd = os.open(path, _FLAGS)
    try:
        data = os.read(fd, _CHUNK)
        if data.startswith(b"---\n"):
            start = 4
        elif data.startswith(b"---\r\n"):
            start = 5
        else:
            raise missing_frontmatter(data.decode("utf-8", "replace"))
        match = _CLOSING.search(data, start - 1)
        if match is None:
            data, end = _read_on(fd, data, start - 1)
        else:
            end = match.start() + 1
    finally:
        os.close(fd)
    try:
        text, bad_line = data[start:end].decode(), None
    except UnicodeDecodeError as error:
        text = data[start:end].decode("utf-8", "replace")
        bad_line = data.count(b"\n", 0, start + error.start) + 1
    return Head(*read_fields(text), bad_line)


def _read_on(fd: int, first: bytes, at: int) -> tuple[bytes, int]:
    data, size = bytearray(first), _CHUNK
    while chunk := os.read(fd, size):
        at = max(at, len(data) - 5)
        data += chunk
        match = _CLOSING.search(data, at)
        if match is not None:
            return bytes(data), match.start() + 1
        size = min(2 * size, _MAX_CHUNK)
    for ending in (b"\n---", b"\n---\r"):
        if data.endswith(ending):
            return bytes(data), len(data) - len(ending) + 1
    raise missing_frontmatter(data.decode("utf-8", "replace"))


def read_file(path: str) -> SkillFile:
    """Return the whole file at `path`, taken apart.

    Raises:
        FrontmatterError: as `parse_frontmatter`.
        OSError: whatever the system says.
    """
    fd = os.open(path, _FLAGS)
    with open(fd, "rb") as file:  # noqa: PTH123 (a descriptor, not a path)
        return parse_frontmatter(file.read().decode("utf-8", "replace"))


def first_bad_line(path: str) -> int | None:
    """Return the first line of a file that is not UTF-8, or None; the file is read in pieces and not held.

    Raises:
        OSError: whatever the system says.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    line = 1
    fd = os.open(path, _FLAGS)
    try:
        while True:
            chunk = os.read(fd, _MAX_CHUNK)
            try:
                line += decoder.decode(chunk, final=not chunk).count("\n")
            except UnicodeDecodeError as error:
                return line + error.object.count(b"\n", 0, error.start)
            if not chunk:
                return None
    finally:
        os.close(fd)


def file_problem(path: str, error: FrontmatterError) -> Problem:
    """Return the problem of a file that gives no skill, with the harness's own log line."""
    return Problem(
        code=error.code,
        message=error.reason,
        path=path,
        line=error.line,
        remedy=error.remedy,
        log=f"skill file {path} ignored: {error.reason}",
    )


def not_utf8(path: str, line: int) -> Problem:
    """Return the warning for a file that loads with U+FFFD in the place of bytes that are not UTF-8."""
    return Problem(
        code="not-utf8",
        message="not UTF-8: the model reads U+FFFD in the place of what was meant",
        path=path,
        line=line,
        level="warning",
        remedy="save the file as UTF-8",
    )


def provider_skipped(provider: str, path: str, reason: str) -> Problem:
    """Return the warning for a source that could not be read, so that nothing of it is known.

    Args:
        provider: the name of the source.
        path: what could not be read.
        reason: why, as Node words it.
    """
    return Problem(
        code="provider-failed",
        message=f'skill provider "{provider}" skipped: {reason}',
        path=path,
        level="warning",
        remedy="make it readable, or move it out of the way; until then the catalog is not updated",
        log=f'skill provider "{provider}" skipped: {reason}',
    )


def unreadable(path: str, error: OSError, call: str) -> ProviderError:
    """Return the error that the harness's provider rejects with when a path cannot be read.

    Args:
        path: what could not be read.
        error: what the system said.
        call: the system's call, such as `open`.
    """
    return ProviderError(node_text(error, call, path).removeprefix("Error: "))
