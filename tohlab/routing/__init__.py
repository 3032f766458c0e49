"""Is the right skill picked? Labelled requests, a model or a baseline, and rates with intervals.

The way through: `load_cases` and `load_catalog` (dataset), what is wrong with them (lints), what asking will
cost (dry_run, budget, pricing), requests as the harness sends them (prompts), a `ChatClient` that answers
(client, openai_client), answers kept for ever (store, recording), asked with patience (runner, engine,
limiter, retry), read (answers) and given one label each (scoring), counted (aggregate, sets, report,
statistics, clusters), set side by side (compare, paired, power, selection, order), asked in many ways
(sweeps), and passed on (saved, exports, imports). `run_baseline` needs no model; all baselines stand beside a
model's report. Past one process there are the provider's Batch API (`batch`) and any executor of processes or
machines (`sharded`), over a list of what is wanted (wanted).
"""

from tohlab.routing.baseline_score import BaselineScore, RecallAtK
from tohlab.routing.baselines import retrieval_recall, run_baseline, run_baselines, with_baselines
from tohlab.routing.budget import Budget, Estimate
from tohlab.routing.client import ChatClient, ChatReply, ChatRequest, Usage
from tohlab.routing.compare import compare
from tohlab.routing.comparison import RunComparison
from tohlab.routing.dataset import ListedSkills, RoutingCase, RoutingDataset, load_cases, load_catalog
from tohlab.routing.dry_run import estimate_run
from tohlab.routing.lints import Lint, LintReport, lint_dataset
from tohlab.routing.openai_client import OpenAIClient
from tohlab.routing.order import order_effects, rotations
from tohlab.routing.pricing import Price
from tohlab.routing.progress_bar import ProgressBar
from tohlab.routing.report import ConfusionCell, RoutingReport, SkillScore
from tohlab.routing.retry import RetryPolicy
from tohlab.routing.run_settings import Progress
from tohlab.routing.runner import arun_routing, iter_routing, run_routing
from tohlab.routing.saved import load_report
from tohlab.routing.scoring import Trial
from tohlab.routing.selection import best_of, split_cases
from tohlab.routing.statistics import Rate
from tohlab.routing.store import ReplyStore
from tohlab.routing.sweeps import (
    Axis,
    Sweep,
    SweepEstimate,
    SweepPoint,
    catalog_states,
    choices,
    description_limits,
    dialects,
    enumeration,
    estimate_sweep,
    models,
    orders,
    paraphrases,
    placements,
    sizes,
    sweep,
)

__all__ = [
    "Axis",
    "BaselineScore",
    "Budget",
    "ChatClient",
    "ChatReply",
    "ChatRequest",
    "ConfusionCell",
    "Estimate",
    "Lint",
    "LintReport",
    "ListedSkills",
    "OpenAIClient",
    "Price",
    "Progress",
    "ProgressBar",
    "Rate",
    "RecallAtK",
    "ReplyStore",
    "RetryPolicy",
    "RoutingCase",
    "RoutingDataset",
    "RoutingReport",
    "RunComparison",
    "SkillScore",
    "Sweep",
    "SweepEstimate",
    "SweepPoint",
    "Trial",
    "Usage",
    "arun_routing",
    "best_of",
    "catalog_states",
    "choices",
    "compare",
    "description_limits",
    "dialects",
    "enumeration",
    "estimate_run",
    "estimate_sweep",
    "iter_routing",
    "lint_dataset",
    "load_cases",
    "load_catalog",
    "load_report",
    "models",
    "order_effects",
    "orders",
    "paraphrases",
    "placements",
    "retrieval_recall",
    "rotations",
    "run_baseline",
    "run_baselines",
    "run_routing",
    "sizes",
    "split_cases",
    "sweep",
    "with_baselines",
]
