"""The service between the tool and the one user interface that answers: who may ask, and whether anybody can.

Source of the order of checks and of every text: TheOpen Harness 0.1.1-rc.2,
`packages/interaction/user-questions/src/index.ts`; the `ask_error` and `ask_service_error` vectors judge it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tohlab.errors import AskError
from tohlab.questions.agents import LiveAgents
from tohlab.questions.asker import Asker, aborted
from tohlab.questions.model import Answer, AskRequest
from tohlab.questions.rules import (
    DELEGATED,
    DUPLICATE_PROVIDER,
    EMPTY,
    NO_PROVIDER,
    NOT_LIVE,
    check_intents,
)
from tohlab.signals import AbortSignal


class UserQuestions:
    """The seam where a user interface registers and a tool asks; it is an asker itself.

    Args:
        agents: which agents are live; a registry of its own unless given.
    """

    def __init__(self, agents: LiveAgents | None = None) -> None:
        self.agents = agents if agents is not None else LiveAgents()
        self._provider: Asker | None = None

    def register_provider(self, provider: Asker) -> Callable[[], None]:
        """Let `provider` answer from now on and return the function that takes it off again.

        Raises:
            AskError: `DUPLICATE_PROVIDER`, since at most one can answer.
        """
        if self._provider is not None:
            raise AskError("DUPLICATE_PROVIDER", DUPLICATE_PROVIDER)
        self._provider = provider
        registered = True

        def dispose() -> None:
            nonlocal registered
            if registered:
                registered = False
                self._provider = None

        return dispose

    async def ask(self, request: AskRequest, signal: AbortSignal | None = None) -> Sequence[Answer]:
        """Return what the provider answers, unchecked: what an answer may be is the provider's business.

        Raises:
            AskError: the first that holds of `ASK_ABORTED` (the signal is aborted already),
                `EMPTY_QUESTIONS`, `CALLER_NOT_LIVE` (`request.agent` is not the registry's live object),
                `DELEGATED_CALLER` (another live agent owns it), `BAD_INTENT`, `NO_PROVIDER`.
            Exception: whatever the provider raises.
        """
        if signal is not None and signal.aborted:
            raise aborted()
        if not request.questions:
            raise AskError("EMPTY_QUESTIONS", EMPTY)
        agent = request.agent
        if agent is not None:
            if not self.agents.is_live(agent):
                raise AskError("CALLER_NOT_LIVE", NOT_LIVE)
            if all(root is not agent for root in self.agents.roots()):
                raise AskError("DELEGATED_CALLER", DELEGATED)
        check_intents(request.questions)
        if self._provider is None:
            raise AskError("NO_PROVIDER", NO_PROVIDER)
        return await self._provider.ask(request, signal)
