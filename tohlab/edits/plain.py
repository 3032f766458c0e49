"""A list of skills that is no program's: a line for each at the end of the system text, as they are given.

It is what an edit costs apart from any program's frame. Programs close their lists with a tag or put
sentences behind them, so that a skill at the end of the list is not at the end of the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tohlab.dialects.base import Provenance
from tohlab.dialects.harness import FileTree, Harness, Listing, Loaded, Setting
from tohlab.dialects.harnesses import get_harness
from tohlab.request import Span


@dataclass(frozen=True, kw_only=True)
class PlainList(Harness):
    """A line `- name: description` for each skill; files are read as the Agent Skills reference does."""

    def load(self, tree: FileTree, setting: Setting) -> Loaded:
        return get_harness("agent-skills").load(tree, setting)

    def listing(self, loaded: Loaded, setting: Setting) -> Listing:
        text, spans = "", []
        for skill in loaded.skills:
            line = f"- {skill.name}: {' '.join((skill.description or '').split())}\n"
            spans.append(Span(label=f'entry "{skill.name}"', start=len(text), stop=len(text) + len(line)))
            text += line
        return Listing(text=text, place=self.place, spans=tuple(spans))


PLAIN: Final = PlainList(
    name="plain",
    title="a plain list at the end of the system text",
    provenance=Provenance(
        fidelity="reconstructed",
        program="tohlab",
        version="0.1.0",
        date="2026-12-01",
        where="tohlab/edits/plain.py",
    ),
    place="system",
    order="given",
    on_change="rewrite",
)
