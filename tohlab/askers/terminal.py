"""Lines from a terminal without a thread that hangs, and text on it that cannot move the cursor."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import threading
import unicodedata
from collections.abc import Callable
from typing import Final, TextIO

_KEPT: Final = frozenset("\u200c\u200d")
"""They join letters in Persian and parts of an emoji; between two letters they are harmless."""
_SUSPECT: Final = re.compile(r"[^\x20-\x7e]")
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def visible(text: str, *, limit: int | None = None) -> str:
    """Return `text` on one line, with every control, direction and unseen character as an escape.

    Args:
        text: anything; what a model writes is not trusted.
        limit: how many characters to show before saying how many more there are; None for all.
    """
    more = "" if limit is None or len(text) <= limit else f"… ({len(text) - limit:,} characters more)"
    shown = text if limit is None else text[:limit]
    return _SUSPECT.sub(_escape, shown) + more


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if unicodedata.category(character) not in _HIDDEN:
        return character
    if character in _KEPT:
        around = (
            match.string[match.start() - 1 : match.start()],
            match.string[match.end() : match.end() + 1],
        )
        if all(c > "\x7f" for c in around):
            return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


class TerminalLines:
    """Reads lines from a terminal inside the event loop; a read that is given up leaves nothing behind.

    Args:
        stream: a text stream on a terminal.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._rest = b""

    async def read(self) -> str:
        """Return the next line without its end.

        Raises:
            EOFError: the end of input, or the terminal is gone.
        """
        try:
            fd = self._stream.fileno()
            asyncio.get_running_loop().add_reader(fd, lambda: None)
            asyncio.get_running_loop().remove_reader(fd)
        except (NotImplementedError, PermissionError):  # a loop that cannot watch it, such as Windows' own
            return await in_thread(self._line_of_stream)
        while b"\n" not in self._rest:
            chunk = await self._chunk(fd)
            if not chunk:
                rest, self._rest = self._rest, b""
                if rest:
                    return self._text(rest)
                raise EOFError
            self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        return self._text(line)

    def drop_typed(self) -> None:
        """Forget what was typed and not read yet, so that it answers nothing that is asked later."""
        self._rest = b""
        with contextlib.suppress(ImportError, OSError, ValueError):
            import termios  # not on Windows

            termios.tcflush(self._stream.fileno(), termios.TCIFLUSH)

    async def _chunk(self, fd: int) -> bytes:
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()

        def wake() -> None:
            if not ready.done():
                ready.set_result(None)

        loop.add_reader(fd, wake)
        try:
            await ready
        finally:
            loop.remove_reader(fd)
        try:
            return os.read(fd, 65536)
        except OSError:  # the terminal was closed
            return b""

    def _text(self, line: bytes) -> str:
        return line.decode(self._stream.encoding or "utf-8", "replace").removesuffix("\r")

    def _line_of_stream(self) -> str:
        line = self._stream.readline()
        if not line:
            raise EOFError
        return line.rstrip("\r\n")


async def in_thread(read: Callable[[], str]) -> str:
    """Return what `read` gives, on a thread of its own that keeps nobody from ending.

    If the wait is given up, the thread goes on until its line comes, and that line is not taken.

    Raises:
        TypeError: `read` gave no string.
        BaseException: what `read` raises; `EOFError` where it is `StopIteration`.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[str] = loop.create_future()

    def settle(line: object, error: BaseException | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        elif not isinstance(line, str):  # an empty line in its place would be asked for again without end
            future.set_exception(TypeError(f"reading a line must give a string, not {type(line).__name__}"))
        else:
            future.set_result(line)

    def run() -> None:
        line, error = None, None
        try:
            line = read()
        except BaseException as caught:
            error = EOFError() if isinstance(caught, StopIteration) else caught
        with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits there any more
            loop.call_soon_threadsafe(settle, line, error)

    threading.Thread(target=run, name="tohlab-console", daemon=True).start()
    return await future
