"""tohlab: what a model sees of an agent's skills, what it costs, what breaks the prompt cache, and whether
the right skill gets picked.

Every public name is loaded when it is first used; importing tohlab loads nothing else. A name that needs a
heavy package loads it then, or says which extra brings it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "AbortSignal": "signals",
    "Answer": "questions",
    "AskRequest": "questions",
    "AskUserTool": "tools",
    "Asker": "questions",
    "CallbackAsker": "askers",
    "Catalog": "catalog",
    "CatalogUpdate": "catalog",
    "Comparison": "compare",
    "Composer": "questions",
    "ConsoleAsker": "askers",
    "Dialect": "dialects",
    "Explorer": "notebook.explorer",
    "FilesystemSource": "skills.sources",
    "HarnessView": "compare",
    "LayeredSource": "skills.sources",
    "LoadedSkill": "skills.model",
    "MemorySource": "skills.sources",
    "Message": "request",
    "Option": "questions",
    "Question": "questions",
    "QuestionHost": "questions",
    "Request": "request",
    "RoutingCase": "routing.dataset",
    "RoutingDataset": "routing.dataset",
    "RoutingReport": "routing.report",
    "ScriptedAsker": "askers",
    "Segment": "request",
    "Session": "session",
    "SessionCatalog": "catalog",
    "SkillSummary": "skills.model",
    "SkillTool": "tools",
    "TohlabError": "errors",
    "TokenMeter": "tokens.meter",
    "UserQuestions": "questions",
    "append_only": "renderers",
    "append_only_badge": "notebook.views",
    "assert_append_only": "prefix.append_only",
    "check_tree": "skills.checks",
    "compare_harnesses": "compare",
    "compare_prefix": "prefix",
    "cost_usd": "tokens.cost",
    "dialect_names": "dialects",
    "difference": "compare",
    "edit_costs": "edits.costs",
    "explain": "prefix.explain",
    "explore": "notebook.explorer",
    "frame": "frames",
    "get_dialect": "dialects",
    "get_harness": "dialects.harnesses",
    "get_meter": "tokens.meter",
    "get_policy": "prefix.policies",
    "harness_names": "dialects.harnesses",
    "harness_request": "edits.layout",
    "harness_scene": "edits.scene",
    "hit_curve": "prefix.pool",
    "measure": "tokens.measure",
    "measure_ask": "tokens.measure",
    "measure_tools": "tokens.rendered",
    "policy_names": "prefix.policies",
    "price_for": "tokens.prices",
    "run_baseline": "routing.baselines",
    "run_routing": "routing.runner",
    "simulate_pool": "prefix.pool",
    "survey": "survival",
    "sweep": "routing.sweeps",
    "usage_from": "tokens.usage",
    "view": "notebook.views",
    "view_harness": "compare",
    "what_edits_cost": "edits",
}
"""Each public name and the room it lives in."""

__all__ = ["__version__", *_HOME]  # noqa: PLE0604 - the rooms above are the one list of names

if TYPE_CHECKING:
    from tohlab.askers import CallbackAsker as CallbackAsker
    from tohlab.askers import ConsoleAsker as ConsoleAsker
    from tohlab.askers import ScriptedAsker as ScriptedAsker
    from tohlab.catalog import Catalog as Catalog
    from tohlab.catalog import CatalogUpdate as CatalogUpdate
    from tohlab.catalog import SessionCatalog as SessionCatalog
    from tohlab.compare import Comparison as Comparison
    from tohlab.compare import HarnessView as HarnessView
    from tohlab.compare import compare_harnesses as compare_harnesses
    from tohlab.compare import difference as difference
    from tohlab.compare import view_harness as view_harness
    from tohlab.dialects import Dialect as Dialect
    from tohlab.dialects import dialect_names as dialect_names
    from tohlab.dialects import get_dialect as get_dialect
    from tohlab.dialects.harnesses import get_harness as get_harness
    from tohlab.dialects.harnesses import harness_names as harness_names
    from tohlab.edits import what_edits_cost as what_edits_cost
    from tohlab.edits.costs import edit_costs as edit_costs
    from tohlab.edits.layout import harness_request as harness_request
    from tohlab.edits.scene import harness_scene as harness_scene
    from tohlab.errors import TohlabError as TohlabError
    from tohlab.frames import frame as frame
    from tohlab.notebook.explorer import Explorer as Explorer
    from tohlab.notebook.explorer import explore as explore
    from tohlab.notebook.views import append_only_badge as append_only_badge
    from tohlab.notebook.views import view as view
    from tohlab.prefix import compare_prefix as compare_prefix
    from tohlab.prefix.append_only import assert_append_only as assert_append_only
    from tohlab.prefix.explain import explain as explain
    from tohlab.prefix.policies import get_policy as get_policy
    from tohlab.prefix.policies import policy_names as policy_names
    from tohlab.prefix.pool import hit_curve as hit_curve
    from tohlab.prefix.pool import simulate_pool as simulate_pool
    from tohlab.questions import Answer as Answer
    from tohlab.questions import Asker as Asker
    from tohlab.questions import AskRequest as AskRequest
    from tohlab.questions import Composer as Composer
    from tohlab.questions import Option as Option
    from tohlab.questions import Question as Question
    from tohlab.questions import QuestionHost as QuestionHost
    from tohlab.questions import UserQuestions as UserQuestions
    from tohlab.renderers import append_only as append_only
    from tohlab.request import Message as Message
    from tohlab.request import Request as Request
    from tohlab.request import Segment as Segment
    from tohlab.routing.baselines import run_baseline as run_baseline
    from tohlab.routing.dataset import RoutingCase as RoutingCase
    from tohlab.routing.dataset import RoutingDataset as RoutingDataset
    from tohlab.routing.report import RoutingReport as RoutingReport
    from tohlab.routing.runner import run_routing as run_routing
    from tohlab.routing.sweeps import sweep as sweep
    from tohlab.session import Session as Session
    from tohlab.signals import AbortSignal as AbortSignal
    from tohlab.skills.checks import check_tree as check_tree
    from tohlab.skills.model import LoadedSkill as LoadedSkill
    from tohlab.skills.model import SkillSummary as SkillSummary
    from tohlab.skills.sources import FilesystemSource as FilesystemSource
    from tohlab.skills.sources import LayeredSource as LayeredSource
    from tohlab.skills.sources import MemorySource as MemorySource
    from tohlab.survival import survey as survey
    from tohlab.tokens.cost import cost_usd as cost_usd
    from tohlab.tokens.measure import measure as measure
    from tohlab.tokens.measure import measure_ask as measure_ask
    from tohlab.tokens.meter import TokenMeter as TokenMeter
    from tohlab.tokens.meter import get_meter as get_meter
    from tohlab.tokens.prices import price_for as price_for
    from tohlab.tokens.rendered import measure_tools as measure_tools
    from tohlab.tokens.usage import usage_from as usage_from
    from tohlab.tools import AskUserTool as AskUserTool
    from tohlab.tools import SkillTool as SkillTool


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'tohlab' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"tohlab.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
