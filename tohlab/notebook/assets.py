"""The widgets' scripts and style sheets, as the wheel carries them."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources


@lru_cache(maxsize=16)
def module_of(*names: str) -> str:
    """Return several files as one text, in the order given: one JavaScript module, or one style sheet."""
    folder = resources.files("tohlab.notebook")
    return "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)
