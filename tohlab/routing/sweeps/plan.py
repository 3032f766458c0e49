"""What one point of a sweep is told: a run's settings as a value that axes change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from tohlab.dialects import Dialect
from tohlab.dialects.harness import Harness
from tohlab.errors import RoutingError
from tohlab.routing.client import ChatClient
from tohlab.routing.dataset import RoutingCase, RoutingDataset
from tohlab.routing.pricing import Price
from tohlab.routing.prompts import Choice, Placement
from tohlab.routing.wires import Limit
from tohlab.skills.model import SkillSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One point of a sweep before it is run."""

    dataset: RoutingDataset
    source: SkillSource
    asked: ChatClient | str | None
    """Who is asked: a service, a baseline by its name, or nobody (answers come from the store)."""
    model: str
    dialect: str | Dialect | Harness = "toh"
    description_limit: Limit = "own"
    choice: Choice = "tools"
    placement: Placement = "opening"
    enumerate_names: bool | None = None
    earlier: SkillSource | None = None
    price: Price | None = None
    stands_for: Mapping[str, RoutingCase] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    """For each case by its id, the one whose result is compared with its own; a case that is not named is
    its own."""
    apart: str = ""
    """Why its score is not to be compared with other points'; empty: it is."""
    notes: tuple[str, ...] = ()
    """What a reader of its score has to know."""

    def asking(self) -> dict[str, Any]:
        """Return the settings that `run_routing` and `prompter` share."""
        return {
            "model": self.model,
            "dialect": self.dialect,
            "description_limit": self.description_limit,
            "choice": self.choice,
            "placement": self.placement,
            "enumerate_names": self.enumerate_names,
            "earlier": self.earlier,
        }

    def noted(self, *notes: str, **changes: Any) -> Plan:
        """Return the plan with further notes and other settings."""
        return replace(self, notes=(*self.notes, *notes), **changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One value of an axis."""

    label: str
    """As tables and figures show it."""
    change: Callable[[Plan], Plan] = field(repr=False)
    """What the value changes."""
    number: float | None = None
    """The value where it is a number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """What is varied, and by which values; the first is what all the others are compared with."""

    name: str
    make: Callable[[Plan], tuple[Value, ...]] = field(repr=False)
    """The values, for the cases and skills at hand."""
    stage: int
    """Axes with a lower number change a plan before those with a higher one, however they were given."""
    ordered: bool = False
    """Whether the values have an order, so that a line may join them."""
    asks: bool = True
    """Whether it only means something where a model is asked; a baseline is refused then."""

    @classmethod
    def of(cls, name: str, *values: Value, stage: int, ordered: bool = False, asks: bool = True) -> Axis:
        """Return an axis with the same values for all cases and skills.

        Raises:
            RoutingError: no value, or one twice.
        """
        if not values:
            raise RoutingError(f"the axis {name} needs at least one value")
        labels = [value.label for value in values]
        if twice := next((label for label in labels if labels.count(label) > 1), None):
            raise RoutingError(f"the axis {name} has the value {twice!r} twice")
        return cls(name=name, make=lambda _: values, stage=stage, ordered=ordered, asks=asks)
