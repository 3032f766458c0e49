"""Sweeps: one question asked in many ways, over the same cases, and the answers side by side.

The way through: axes are values made by functions (axes, catalogs, wordings, states); a grid of them becomes
plans (plan, grid); each plan is a normal run (running); the reports are compared with the first (comparing)
and come back as a `Sweep` (results), which is a table (table) and a picture (figure).
"""

from tohlab.routing.sweeps.axes import (
    baselines,
    choices,
    description_limits,
    dialects,
    enumeration,
    models,
    placements,
)
from tohlab.routing.sweeps.catalogs import orders, sizes
from tohlab.routing.sweeps.dry_run import PointEstimate, SweepEstimate, estimate_sweep
from tohlab.routing.sweeps.plan import Axis
from tohlab.routing.sweeps.results import Sweep, SweepPoint, SweptAxis
from tohlab.routing.sweeps.running import sweep
from tohlab.routing.sweeps.states import catalog_states
from tohlab.routing.sweeps.wordings import paraphrases

__all__ = [
    "Axis",
    "PointEstimate",
    "Sweep",
    "SweepEstimate",
    "SweepPoint",
    "SweptAxis",
    "baselines",
    "catalog_states",
    "choices",
    "description_limits",
    "dialects",
    "enumeration",
    "estimate_sweep",
    "models",
    "orders",
    "paraphrases",
    "placements",
    "sizes",
    "sweep",
]
