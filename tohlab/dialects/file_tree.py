"""The files below a skills root, and several roots as one tree."""

from __future__ import annotations

import contextlib
import os
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Self

from tohlab.errors import SkillError, UnreadableFile


class FileTree(Mapping[str, bytes]):
    """The files below a skills root, by relative path with `/` between the parts; read when asked for.

    Args:
        contents: file contents held in memory, by path.
        directory: a folder on disk whose files are read on demand, or None.
    """

    def __init__(self, contents: Mapping[str, bytes], directory: Path | None = None) -> None:
        self._contents = dict(contents)
        self._directory = directory
        self._paths: Mapping[str, None] | None = None
        self._in_order: list[str] | None = None
        self._texts: dict[str, str] = {}

    @classmethod
    def of(cls, texts: Mapping[str, str]) -> Self:
        """Return a tree of texts held in memory, encoded as UTF-8 (lone surrogates kept)."""
        return cls({path: text.encode("utf-8", "surrogatepass") for path, text in texts.items()})

    @classmethod
    def at(cls, directory: str | os.PathLike[str]) -> Self:
        """Return the tree of a folder on disk; links are followed, loops are not.

        A file is read when it is asked for; one that cannot be read is an `UnreadableFile` then.

        Raises:
            SkillError: there is no such folder.
        """
        path = Path(directory)
        if not path.is_dir():
            what = f"{path} is a file" if path.exists() else f"there is no folder {path}"
            raise SkillError(f"{what}; give the folder that holds the skills")
        return cls({}, path)

    def __getitem__(self, path: str) -> bytes:
        if path not in self._contents:
            if self._directory is None or path not in self._listed():
                raise KeyError(path)
            self._contents[path] = self._read(self._directory / path)
        return self._contents[path]

    def _read(self, path: Path) -> bytes:
        try:
            return read_regular(path)
        except OSError as error:
            why = error.strerror or error
            message = f"{path} cannot be read: {why}; make it a file that can be read, or remove it"
            raise UnreadableFile(message, str(why)) from error

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed())

    def __len__(self) -> int:
        return len(self._listed())

    def __contains__(self, path: object) -> bool:
        return path in self._listed()

    def _listed(self) -> Mapping[str, None]:
        if self._paths is None:
            found = self._contents if self._directory is None else _walk(self._directory)
            self._paths = dict.fromkeys(found)
        return self._paths

    def text(self, path: str) -> str:
        """Return a file as text: UTF-8, what is not becomes U+FFFD; a byte order mark is kept."""
        text = self._texts.get(path)
        if text is None:
            text = self._texts[path] = self._decoded(self[path])
        return text

    def _decoded(self, data: bytes) -> str:
        if self._directory is None:
            with contextlib.suppress(UnicodeDecodeError):
                return data.decode("utf-8", "surrogatepass")
        return data.decode("utf-8", "replace")

    def below(self, directory: str) -> tuple[str, ...]:
        """Return the paths inside a folder of the tree, in path order (bytes)."""
        if self._in_order is None:
            self._in_order = sorted(self._listed())
        if not directory:
            return tuple(self._in_order)
        # What begins with `a/` lies between `a/` and `a0`, the character after the slash.
        start = bisect_left(self._in_order, f"{directory}/")
        return tuple(self._in_order[start : bisect_left(self._in_order, f"{directory}0", start)])

    def named(self, *names: str) -> tuple[str, ...]:
        """Return the paths whose last part is one of `names`, in path order (bytes)."""
        return tuple(sorted(p for p in self._listed() if p.rpartition("/")[2] in names))


class ReadableTree(FileTree):
    """A folder whose files that cannot be read count as empty, so that one of them ends no look at the rest.

    `unreadable` holds those that were asked for, with what the system says.
    """

    def __init__(self, contents: Mapping[str, bytes], directory: Path | None = None) -> None:
        super().__init__(contents, directory)
        self.unreadable: dict[str, str] = {}

    def _read(self, path: Path) -> bytes:
        try:
            return read_regular(path)
        except OSError as error:
            assert self._directory is not None
            inside = path.relative_to(self._directory).as_posix()
            self.unreadable[inside] = error.strerror or str(error)
            return b""

    def without(self, paths: frozenset[str]) -> None:
        """Leave files out from now on."""
        self._paths = {path: None for path in self._listed() if path not in paths}
        self._in_order = None


class _Layered(FileTree):
    """Several trees side by side; a file is read in its own tree when it is asked for."""

    def __init__(self, trees: Mapping[str, FileTree]) -> None:
        super().__init__({})
        self._trees = {folder.strip("/"): tree for folder, tree in trees.items()}
        self._homes: dict[str, tuple[FileTree, str]] | None = None

    def _at(self) -> dict[str, tuple[FileTree, str]]:
        if self._homes is None:
            self._homes = {}
            for folder, tree in self._trees.items():
                for path in tree:
                    self._homes.setdefault(f"{folder}/{path}" if folder else path, (tree, path))
        return self._homes

    def __getitem__(self, path: str) -> bytes:
        tree, inside = self._at()[path]
        return tree[inside]

    def text(self, path: str) -> str:
        tree, inside = self._at()[path]
        return tree.text(inside)

    def _listed(self) -> Mapping[str, None]:
        if self._paths is None:
            self._paths = dict.fromkeys(self._at())
        return self._paths


def layered(trees: Mapping[str, FileTree]) -> FileTree:
    """Return several trees as one, as a harness with several roots sees them.

    Args:
        trees: each by the folder under which it lies, such as `project/.agents/skills` and
            `home/.agents/skills`; the folders of a harness's `layers` are those of its own roots. Where two
            trees have a file at one path, the tree that is named first has it.
    """
    return _Layered(trees)


def read_regular(path: Path) -> bytes:
    """Return what a file holds.

    Raises:
        OSError: whatever the system says, or it is no regular file: a named pipe is listed as one and would
            never end.
    """
    if not path.is_file():
        path.stat()  # a link that leads nowhere says so itself
        raise OSError("it is no regular file")
    return path.read_bytes()


def _walk(directory: Path) -> Iterator[str]:
    seen: set[tuple[int, int]] = set()
    top = os.fspath(directory)
    for here, folders, files in os.walk(top, followlinks=True):
        status = os.stat(here)  # noqa: PTH116 - paths are text here, for speed over large trees
        if (status.st_dev, status.st_ino) in seen:
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        folders[:] = sorted(f for f in folders if f != ".git")
        base = here[len(top) :].lstrip(os.sep).replace(os.sep, "/")
        for name in sorted(files):
            yield f"{base}/{name}" if base else name
