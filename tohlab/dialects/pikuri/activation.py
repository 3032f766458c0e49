"""Which of Pikuri's skills one conversation sees, and how far each root is trusted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from tohlab.dialects.folders import roots_of
from tohlab.dialects.gates import gate_opens, gate_patterns
from tohlab.dialects.harness import HarnessSkill, Loaded, Setting

Trust = Literal["hard", "vouched"]
"""`hard`: what the skills of this root say counts as untrusted content, which is the default. `vouched`: the
user has vouched for the root."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustedRoot:
    """How far the content of one root is trusted; grading is per root, never per skill."""

    root: str
    """The prefix of the root inside the tree."""
    level: Trust
    skills: tuple[str, ...]
    """The names that come from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Activation:
    """One conversation's view of a catalog: which `paths:` gates have fired so far.

    A value: what the session touches gives a new one. It belongs to one agent; a sub-agent gets the catalog
    and none of what its parent has fired.
    """

    catalog: Loaded
    """Every skill of the catalog, gated or not."""
    fired: frozenset[str] = frozenset()
    """The names whose gate has fired."""
    sealed: bool = False
    """Whether no gate can ever fire in it, as in a sub-agent's view."""

    @property
    def skills(self) -> tuple[HarnessSkill, ...]:
        """The skills that are visible in it, in the catalog's order."""
        return tuple(s for s in self.catalog.skills if s.name in self.fired or not gate_of(s))

    @property
    def names(self) -> tuple[str, ...]:
        """The names that may be told; what is withheld is not enumerated either."""
        return tuple(skill.name for skill in self.skills)

    def get(self, name: str) -> HarnessSkill | None:
        """Return the skill of exactly that name, or None where there is none or its gate has not fired."""
        return next((skill for skill in self.skills if skill.name == name), None)

    def touch(self, *paths: str) -> Activation:
        """Return the view after the session has read, written or created these files, whichever tool did.

        Args:
            paths: relative to the project.
        """
        if self.sealed:
            return self
        fired = {
            skill.name
            for skill in self.catalog.skills
            if skill.name not in self.fired and gate_of(skill) and gate_opens(gate_of(skill), paths)
        }
        return replace(self, fired=self.fired | fired) if fired else self

    def promoted_since(self, earlier: Activation) -> tuple[str, ...]:
        """Return the names that the next inventory lists and that of `earlier` did not."""
        before = set(earlier.names)
        return tuple(name for name in self.names if name not in before)

    def for_sub_agent(self) -> Activation:
        """Return the sealed view of a sub-agent: the same catalog, ungated names only."""
        return Activation(catalog=self.catalog, sealed=True)


def gate_of(skill: HarnessSkill) -> tuple[str, ...]:
    """Return the patterns of a skill's gate; empty without one."""
    return gate_patterns(skill.fields.get("paths"))


def trust_of(loaded: Loaded, setting: Setting) -> tuple[TrustedRoot, ...]:
    """Return each root that gave a skill and how far it is trusted.

    `setting.options["vouched"]` holds the roots that the user has vouched for; all others are `hard`.
    """
    vouched = {root.strip("/") for root in setting.options.get("vouched", ())}
    by_root: dict[str, list[str]] = {root: [] for root in roots_of(setting)}
    for skill in loaded.skills:
        root = next(r for r in by_root if not r or skill.path.startswith(f"{r}/"))
        by_root[root].append(skill.name)
    return tuple(
        TrustedRoot(root=root, level="vouched" if root in vouched else "hard", skills=tuple(names))
        for root, names in by_root.items()
        if names
    )


def untrusted_level(loaded: Loaded, setting: Setting) -> Trust:
    """Return what the tool as a whole is graded as: `hard` as soon as one root is."""
    levels = {root.level for root in trust_of(loaded, setting)}
    return "hard" if "hard" in levels else "vouched"
