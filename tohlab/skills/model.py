"""What a skill is: the values that sources hand on and that every later room reads.

A `SkillSummary` is what a catalog may show; a `LoadedSkill` also has the body; a `Snapshot` is one look at a
source, with everything in it that did not load.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, Protocol, runtime_checkable

ResourceKind = Literal["directory", "url", "opaque"]
Level = Literal["error", "warning"]

_NO_METADATA: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """Who may start a skill."""

    model_invocable: bool = True
    """A model may load it through the skill tool, so a catalog lists it."""
    user_invocable: bool = True
    """A user may start it by its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceBase:
    """Where a skill's own files are; a skill without one leaves them to its provider."""

    kind: ResourceKind
    value: str
    """The directory path, the URL, or the description of an opaque place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillSummary:
    """A skill without its body."""

    name: str
    description: str
    """As written in the file: not normalised, cut or escaped."""
    when_to_use: str | None = None
    invocation: Invocation = Invocation()
    source: str = "runtime"
    """Which kind of root it came from, such as `project-toh`."""
    provider: str = "runtime"
    """Which source gave it, such as `filesystem`."""
    rank: int = 250
    """Precedence inside one scope; lower wins."""
    resource_base: ResourceBase | None = None
    path: str | None = None
    """The file it was read from, or None."""
    metadata: Mapping[str, Any] = field(default_factory=lambda: _NO_METADATA, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedSkill:
    """A skill with its body."""

    name: str
    description: str
    content: str
    """The body, verbatim as the provider gives it."""
    when_to_use: str | None = None
    invocation: Invocation = Invocation()
    source: str = "runtime"
    provider: str = "runtime"
    resource_base: ResourceBase | None = None
    path: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=lambda: _NO_METADATA, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing wrong with one file."""

    code: str
    """A stable word for the rule, such as `missing-frontmatter`."""
    message: str
    """What is wrong, as the harness words it where it does."""
    path: str | None = None
    line: int | None = None
    """Counted from 1 in the whole file; None where no line can be named."""
    level: Level = "error"
    """`error`: the file gives no skill. `warning`: it does, but not as its author meant."""
    remedy: str = ""
    """What to do about it, or empty."""
    log: str = ""
    """The whole line that the harness itself logs, or empty where it says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One look at a source."""

    skills: tuple[SkillSummary, ...] = ()
    """Winners of their names, sorted by name in UTF-16 code-unit order."""
    complete: bool = True
    """False if anything could not be seen; what is missing then is unknown, not gone."""
    problems: tuple[Problem, ...] = ()
    """Everything that was found and did not load or was outranked."""


@runtime_checkable
class SkillSource(Protocol):
    """Anything that finds skills and reads their bodies.

    `snapshot` never raises for a bad file: that is a `Problem`. It may raise `ProviderError` for a broken
    contract. `load` reads the body afresh on each call and holds nothing; it gives None for a name that is
    not there (any more), and whatever the provider raises goes through.
    """

    def snapshot(self) -> Snapshot:
        """Return what the source sees now.

        Raises:
            ProviderError: the source broke its contract.
        """
        ...

    def load(self, name: str) -> LoadedSkill | None:
        """Return the skill of that name with its body, read now; None where there is none."""
        ...
