"""An asker that is a function: for other front ends, and for a policy that answers by itself."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence

from tohlab.askers.base import AbortSignal, aborted
from tohlab.questions.model import Answer, AskRequest
from tohlab.questions.rules import shortened
from tohlab.signals import Abandoned, until_aborted

Answers = Sequence[Answer]


class CallbackAsker:
    """Asks a function, plain or async, that takes the request and gives the answers.

    Args:
        function: called once per batch. What it raises goes through to the caller. A plain function is called
            where `ask` runs and so must not wait; one that waits must be async, and is cancelled on an abort.
    """

    def __init__(self, function: Callable[[AskRequest], Answers | Awaitable[Answers]]) -> None:
        self._function = function

    async def ask(self, request: AskRequest, signal: AbortSignal | None = None) -> Answers:
        """Return what the function gives.

        Raises:
            AskError: `ASK_ABORTED` if the signal is aborted before, during or right after the call.
            TypeError: the function gave something else than a sequence of answers.
        """
        if signal is not None and signal.aborted:
            raise aborted()
        result = self._function(request)
        try:
            answers = await until_aborted(result, signal) if inspect.isawaitable(result) else result
        except Abandoned:
            raise aborted() from None
        if signal is not None and signal.aborted:
            raise aborted()
        if not isinstance(answers, Sequence) or not all(isinstance(a, Answer) for a in answers):
            raise TypeError(f"the function must give a sequence of Answer, not {shortened(answers)}")
        return answers
