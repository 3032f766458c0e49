"""A source whose skills a test changes while a session runs."""

from __future__ import annotations

from dataclasses import replace

from tohlab.skills.model import LoadedSkill, Snapshot
from tohlab.skills.sources import MemorySource


class Shelf:
    """Skills by name and description, or whole; `body of <name>` where only those are given."""

    def __init__(self, **skills: str) -> None:
        self.complete = True
        self.looks = 0
        self.put(*(self.skill(name, description) for name, description in skills.items()))

    @staticmethod
    def skill(name: str, description: str) -> LoadedSkill:
        return LoadedSkill(name=name, description=description, content=f"body of {name}")

    def put(self, *skills: LoadedSkill) -> None:
        """Have these from now on."""
        self._source = MemorySource(skills)

    def snapshot(self) -> Snapshot:
        self.looks += 1
        return replace(self._source.snapshot(), complete=self.complete)

    def load(self, name: str) -> LoadedSkill | None:
        return self._source.load(name)
