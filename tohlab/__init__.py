"""tohlab: what a model sees of an agent's skills, what it costs, what breaks the prompt cache, and whether the
right skill gets picked.

Every public name is loaded when it is first used; importing tohlab loads nothing else.
"""

from __future__ import annotations

__version__ = "0.1.0"
