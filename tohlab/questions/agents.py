"""Which agents are live, and which of them belongs to another one: what decides who may ask the user."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tohlab.errors import QuestionError


@dataclass(frozen=True, kw_only=True, eq=False)
class Agent:
    """One running agent. Two objects with one id are two agents, and at most one of them is live."""

    id: str
    delegation_depth: int = 0
    """How deep the saved session says it was delegated. Kept for the record; it decides nothing."""


class LiveAgents:
    """The registry of running agents, with the agent that owns each.

    Ownership at run time decides, not what a saved session says of its parents: a delegated session that is
    resumed on its own is a root.
    """

    def __init__(self) -> None:
        self._live: dict[str, tuple[Agent, Agent | None]] = {}

    def enter(self, agent: Agent, owner: Agent | None = None) -> Callable[[], None]:
        """Make `agent` live and return the function that ends it.

        Args:
            agent: the very object that will later say who it is.
            owner: the live agent that delegates to it, or None for a root.

        Raises:
            QuestionError: an agent of that id is live already, or the owner is not live.
        """
        if agent.id in self._live:
            raise QuestionError(f"an agent {agent.id!r} is live already; end it before entering another")
        if owner is not None and not self.is_live(owner):
            raise QuestionError(f"agent {agent.id!r} cannot be owned by {owner.id!r}, which is not live")
        self._live[agent.id] = (agent, owner)

        def leave() -> None:
            if self.is_live(agent):
                del self._live[agent.id]

        return leave

    def get(self, agent_id: str) -> Agent | None:
        """Return the live agent of that id, or None."""
        entry = self._live.get(agent_id)
        return None if entry is None else entry[0]

    def is_live(self, agent: object) -> bool:
        """Return whether `agent` is the very object that is live under its id."""
        return isinstance(agent, Agent) and self.get(agent.id) is agent

    def roots(self) -> tuple[Agent, ...]:
        """Return the live agents that no other live agent owns, in the order in which they entered."""
        return tuple(a for a, owner in self._live.values() if owner is None or not self.is_live(owner))
