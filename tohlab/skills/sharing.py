"""One parse for all: what a reader makes of a text is remembered and given to whoever asks next.

Sixteen harnesses look at the same files with six YAML readers. A reader's result depends on its text alone,
so equal texts are read once for all harnesses that use the reader. What is remembered is treated as
immutable: whoever wants to change a mapping makes a copy first.

The memory is bounded: past `MEMORY_CHARACTERS` of text a reader's memory starts anew, and a text of more than
`LONGEST_CHARACTERS` is not remembered. Safe to use from several threads; two that ask for one text at the
same moment may both read it, and get equal results.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Final, TypeVar

MEMORY_CHARACTERS: Final = 4_000_000
"""How many characters of text are remembered for each reader; frontmatter of some ten thousand skills."""
LONGEST_CHARACTERS: Final = 100_000

Result = TypeVar("Result")

_memories: Final[list[_Memory]] = []


class _Memory:
    def __init__(self) -> None:
        self.results: dict[str, object] = {}
        self.held_characters = 0
        self.lock = threading.Lock()

    def keep(self, text: str, result: object) -> None:
        with self.lock:
            if self.held_characters + len(text) > MEMORY_CHARACTERS:
                self.results.clear()
                self.held_characters = 0
            if text not in self.results:
                self.held_characters += len(text)
                self.results[text] = result

    def forget(self) -> None:
        with self.lock:
            self.results.clear()
            self.held_characters = 0


def shared(reader: Callable[[str], Result]) -> Callable[[str], Result]:
    """Return the reader with a memory: a pure function of one text whose result nobody changes.

    A text that the reader raises for is not remembered.
    """
    memory = _Memory()
    _memories.append(memory)

    @functools.wraps(reader)
    def remembering(text: str) -> Result:
        results = memory.results
        if text in results:
            try:
                return results[text]  # type: ignore[return-value] # only this reader's results are in it
            except KeyError:
                pass  # another thread has just begun anew
        result = reader(text)
        if len(text) <= LONGEST_CHARACTERS:
            memory.keep(text, result)
        return result

    return remembering


def forget() -> None:
    """Forget everything that any reader remembers; for whoever measures reading."""
    for memory in _memories:
        memory.forget()
