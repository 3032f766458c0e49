"""What every asker shares: the protocol, the signal, and the two ways to end without answers."""

from __future__ import annotations

from tohlab.questions.asker import Asker, aborted, dismissed
from tohlab.signals import AbortSignal

__all__ = ["AbortSignal", "Asker", "aborted", "dismissed"]
