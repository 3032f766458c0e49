"""The explorer: choose a harness, a context window and a skill, and see what a model would see.

folder -> Explored -> shown, skills, panel     state, panels, sides: plain data for one choice
                   -> record_of                record: what stays in a saved notebook
                   -> Explorer                 widget: the page that draws it and asks for more
"""

from __future__ import annotations

from tohlab.notebook.explorer.state import Choice, Explored
from tohlab.notebook.explorer.widget import Explorer, explore

__all__ = ["Choice", "Explored", "Explorer", "explore"]
