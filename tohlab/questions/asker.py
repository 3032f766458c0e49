"""The one protocol between whoever asks and whoever gets an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from tohlab.errors import AskError
from tohlab.questions.model import Answer, AskRequest
from tohlab.questions.rules import ABORTED, CANCELLED
from tohlab.signals import AbortSignal


@runtime_checkable
class Asker(Protocol):
    """Anything that gets a batch of questions answered.

    `ask` waits as long as it takes and never blocks the event loop. It gives one answer per question, in
    their order. A person who dismisses the batch is `dismissed()`, an `AskError` with the code
    `ASK_CANCELLED`. When `signal` is aborted it stops waiting, leaves nothing open, and raises `AskError`
    with `ASK_ABORTED`; an answer that comes later is not taken.
    """

    async def ask(self, request: AskRequest, signal: AbortSignal | None = None) -> Sequence[Answer]: ...


def dismissed() -> AskError:
    """Return the error for a person who dismissed the whole batch."""
    return AskError("ASK_CANCELLED", CANCELLED)


def aborted() -> AskError:
    """Return the error for a question that was taken back."""
    return AskError("ASK_ABORTED", ABORTED)
