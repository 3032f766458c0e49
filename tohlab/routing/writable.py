"""Whether a file can be written, asked before anything is paid for."""

from __future__ import annotations

import os
from pathlib import Path

from tohlab.errors import StoreError


def check_writable(path: str | Path, option: str = "--export") -> Path:
    """Return the path of a file to be written, so that what will fail fails before anything was asked.

    Raises:
        StoreError: it is a folder, or its folder is not there or cannot be written.
    """
    path = Path(path)
    folder = path.parent
    if not path.name or path.is_dir():
        raise StoreError(f"{path} cannot be written: it is a folder; name a file in it with {option}")
    if not folder.is_dir():
        raise StoreError(
            f"{path} cannot be written: there is no folder {folder}; make it, or name another with {option}"
        )
    if not os.access(folder, os.W_OK):
        raise StoreError(
            f"{path} cannot be written: the folder {folder} is read-only; name another file with {option}"
        )
    return path


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or as it was; a link stays a link, and a pipe is written to.

    Raises:
        OSError: it cannot be written.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    temporary = path.with_name(path.name + ".part")
    temporary.write_bytes(data)
    temporary.replace(path)
