"""What a session says of skills: one look at them, the catalog's message, those that a user started."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Any

from tohlab.catalog import Catalog, CatalogUpdate
from tohlab.dialects import Dialect
from tohlab.request import Message, TextBlock
from tohlab.skills.loading import load_skill
from tohlab.skills.model import SkillSource, SkillSummary


class SkillTexts:
    """The messages of one dialect; an unchanged look gives the same catalog again, and that the same message.

    It holds what follows from the skills alone, so a session and its forks share one.
    """

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._seen: tuple[tuple[SkillSummary, ...], Catalog] = ((), Catalog())
        self._told: tuple[CatalogUpdate, Message] | None = None

    def look(self, source: SkillSource) -> tuple[Catalog, bool]:
        """Return the catalog as it is now, and whether everything could be read."""
        snapshot = source.snapshot()
        skills, catalog = self._seen
        if snapshot.skills is not skills and snapshot.skills != skills:
            catalog = self._dialect.catalog_of(snapshot)
        self._seen = (snapshot.skills, catalog)
        return catalog, snapshot.complete

    def catalog(self, update: CatalogUpdate) -> Message:
        """Return the message that tells of a catalog."""
        told = self._told
        if told is None or told[0].form != update.form or told[0].catalog is not update.catalog:
            block = self._dialect.render_catalog(update.catalog, update.form)
            told = self._told = (update, Message(role="user", content=(block,), source=update.source()))
        return told[1]

    def invocations(self, source: SkillSource, batch: Iterable[Message]) -> list[Message]:
        """Return a message for each skill that the users of a batch started by name."""
        blocks = [block.text for m in batch if m.source.get("kind") == "user" for block in m.content]
        messages = []
        for name in self._dialect.invoked_names(blocks):
            loaded = load_skill(source, name)
            if loaded is None or not loaded.invocation.user_invocable:
                continue  # stays prose, as the user wrote it
            record: dict[str, Any] = {"kind": "skill-invocation", "name": name, "form": "instructions"}
            block = TextBlock(text=self._dialect.render_skill(loaded))
            messages.append(Message(role="user", content=(block,), source=MappingProxyType(record)))
        return messages
