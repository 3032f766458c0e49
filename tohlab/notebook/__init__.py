"""Results as a notebook shows them: rich views and figures."""

from __future__ import annotations

from tohlab.notebook.figures import ConfusionDisplay, TokensDisplay
from tohlab.notebook.views import View, view

__all__ = ["ConfusionDisplay", "TokensDisplay", "View", "view"]
