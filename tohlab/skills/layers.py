"""Skills in memory, and several sources as one view."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

from tohlab.errors import SkillError
from tohlab.skills.model import LoadedSkill, SkillSource, SkillSummary, Snapshot
from tohlab.skills.names import is_skill_name
from tohlab.skills.registry import RUNTIME_RANK, Listing, failed_listing, merge_scopes, settle


class MemorySource:
    """Skills that are given, bodies and all.

    Args:
        skills: in the order of registration; the first of a name wins.
        rank: what they are worth inside a scope; 250 is the harness's rank for skills registered at run time.
    """

    def __init__(self, skills: Iterable[LoadedSkill], *, rank: int = RUNTIME_RANK) -> None:
        self._skills = tuple(skills)
        self._rank = rank
        self._snapshot: Snapshot | None = None
        for skill in self._skills:
            if not is_skill_name(skill.name):
                raise SkillError(f'invalid skill name "{skill.name}"; use lower-case words joined by hyphens')
            if not skill.description:
                raise SkillError(f'skill "{skill.name}" requires a description; give it one')

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> MemorySource:
        """Return a source of skills without bodies, from pairs of name and description.

        Raises:
            SkillError: for a bad name or an empty description.
        """
        return cls(LoadedSkill(name=name, description=description, content="") for name, description in pairs)

    def candidates(self) -> Listing:
        """Return all of them as summaries, names not yet settled."""
        return Listing(
            skills=tuple(
                SkillSummary(
                    name=skill.name,
                    description=skill.description,
                    when_to_use=skill.when_to_use,
                    invocation=skill.invocation,
                    source=skill.source,
                    provider=skill.provider,
                    rank=self._rank,
                    resource_base=skill.resource_base,
                    path=skill.path,
                    metadata=skill.metadata,
                )
                for skill in self._skills
            )
        )

    def snapshot(self) -> Snapshot:
        """Return the first of each name, and a problem for each other one.

        What is given never changes, so each look gives the same value: a session of many steps pays once.
        """
        if self._snapshot is None:
            self._snapshot = settle([self.candidates()])
        return self._snapshot

    def load(self, name: str) -> LoadedSkill | None:
        """Return the first skill of that name, or None."""
        return next((skill for skill in self._skills if skill.name == name), None)


class LayeredSource:
    """Several sources as one view: rank decides inside a layer, and the nearest layer wins a name.

    A source that raises is left out; the snapshot is then incomplete and carries the harness's log line.

    Args:
        layers: the sources of each scope in the order of registration; the nearest scope last.
    """

    def __init__(self, layers: Sequence[Sequence[SkillSource]]) -> None:
        self._layers = tuple(tuple(layer) for layer in layers)

    def snapshot(self) -> Snapshot:
        """Return the view over all layers."""
        return merge_scopes(settle(map(_listing, layer)) for layer in self._layers)

    def load(self, name: str) -> LoadedSkill | None:
        """Return the winner of that name with its body; what its source raises goes through.

        A source that cannot be listed is passed over, as in a snapshot.
        """
        if not is_skill_name(name):
            return None
        for layer in reversed(self._layers):
            best: tuple[int, SkillSource] | None = None
            for source in layer:
                for skill in _listing(source).skills:
                    if skill.name == name and (best is None or skill.rank < best[0]):
                        best = skill.rank, source
            if best is not None:
                return best[1].load(name)
        return None


@runtime_checkable
class _Lists(Protocol):
    """A source that can tell its losers too, so that the log names them in the harness's order."""

    def candidates(self) -> Listing: ...


def _listing(source: SkillSource) -> Listing:
    try:
        if isinstance(source, _Lists):
            return source.candidates()
        snapshot = source.snapshot()
    except Exception as error:  # whatever a source does, the others are still seen
        return failed_listing(getattr(source, "provider", type(source).__name__), error)
    return Listing(skills=snapshot.skills, complete=snapshot.complete, problems=snapshot.problems)
