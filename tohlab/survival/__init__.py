"""Which skill files survive in which harness, what gets out of its block there, and what mends a file.

    survey(folder) -> Survey    a Fate for each file and harness, Findings
    fixes(folder)  -> Fix, ...  changes that were tried in every harness; `write_fixes` writes them

Each harness's own reader judges; this room only sets the answers side by side.
"""

from __future__ import annotations

from tohlab.survival.fixes import fixes, write_fixes
from tohlab.survival.look import survey
from tohlab.survival.model import OUTCOMES, Fate, Finding, Fix, Outcome, Survey

__all__ = ["OUTCOMES", "Fate", "Finding", "Fix", "Outcome", "Survey", "fixes", "survey", "write_fixes"]
