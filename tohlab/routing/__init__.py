"""Is the right skill picked? Labelled requests, a model or a baseline, and rates with intervals.

The way through: `load_cases` and `load_catalog` (dataset), requests as the harness sends them (prompts), a
`ChatClient` that answers (client, openai_client), answers kept for ever (store, recording), asked with
patience (runner, engine, retry), one label for each (scoring), counted (aggregate, report, statistics).
`run_baseline` needs no model.
"""

from tohlab.routing.baselines import run_baseline
from tohlab.routing.client import ChatClient, ChatReply, ChatRequest, Usage
from tohlab.routing.dataset import ListedSkills, RoutingCase, RoutingDataset, load_cases, load_catalog
from tohlab.routing.engine import Progress
from tohlab.routing.openai_client import OpenAIClient
from tohlab.routing.report import ConfusionCell, RoutingReport, SkillScore
from tohlab.routing.retry import RetryPolicy
from tohlab.routing.runner import arun_routing, run_routing
from tohlab.routing.scoring import Trial
from tohlab.routing.statistics import Rate
from tohlab.routing.store import ReplyStore

__all__ = [
    "ChatClient",
    "ChatReply",
    "ChatRequest",
    "ConfusionCell",
    "ListedSkills",
    "OpenAIClient",
    "Progress",
    "Rate",
    "ReplyStore",
    "RetryPolicy",
    "RoutingCase",
    "RoutingDataset",
    "RoutingReport",
    "SkillScore",
    "Trial",
    "Usage",
    "arun_routing",
    "load_cases",
    "load_catalog",
    "run_baseline",
    "run_routing",
]
