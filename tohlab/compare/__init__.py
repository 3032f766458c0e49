"""The same folder in sixteen harnesses: what each lists of it, what that costs, what disappears.

folder -> view_harness -> HarnessView        one harness: texts, tokens, cuts and drops with their reasons
       -> compare_harnesses -> Comparison    all of them, in one table and one figure
two views -> difference -> Difference        where two harnesses say different things of one folder
"""

from __future__ import annotations

from tohlab.compare.comparison import Comparison, compare_harnesses
from tohlab.compare.difference import Difference, LineDifference, SkillDifference, difference
from tohlab.compare.view import ROOT, EntryView, HarnessView, Unlisted, view_harness

__all__ = [
    "ROOT",
    "Comparison",
    "Difference",
    "EntryView",
    "HarnessView",
    "LineDifference",
    "SkillDifference",
    "Unlisted",
    "compare_harnesses",
    "difference",
    "view_harness",
]
