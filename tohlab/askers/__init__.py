"""Who answers a question: a script, a function, or a person at a terminal. The widget lives in notebook/."""

from tohlab.askers.base import AbortSignal, Asker, aborted, dismissed
from tohlab.askers.callback import CallbackAsker
from tohlab.askers.console import ConsoleAsker
from tohlab.askers.scripted import DISMISS, SKIP, ScriptedAsker

__all__ = [
    "DISMISS",
    "SKIP",
    "AbortSignal",
    "Asker",
    "CallbackAsker",
    "ConsoleAsker",
    "ScriptedAsker",
    "aborted",
    "dismissed",
]
