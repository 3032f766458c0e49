"""Results as a notebook shows them, and the form in which a notebook asks: rich views, figures, askers,
and the explorer of what harnesses tell a model."""

from __future__ import annotations

from tohlab.notebook.asker import Pending, WidgetAsker
from tohlab.notebook.choice import AutoAsker, RecordedScript, asker_here
from tohlab.notebook.explorer import Explorer, explore
from tohlab.notebook.figures import ConfusionDisplay, TokensDisplay
from tohlab.notebook.record import Record
from tohlab.notebook.views import View, append_only_badge, view

__all__ = [
    "AutoAsker",
    "ConfusionDisplay",
    "Explorer",
    "Pending",
    "Record",
    "RecordedScript",
    "TokensDisplay",
    "View",
    "WidgetAsker",
    "append_only_badge",
    "asker_here",
    "explore",
    "view",
]
