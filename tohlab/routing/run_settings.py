"""What a run is told and what it tells: its settings, one job, and where it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tohlab.routing.answers import Names
from tohlab.routing.budget import Budget, Purse
from tohlab.routing.client import ChatClient, ChatRequest
from tohlab.routing.dataset import RoutingCase, RoutingDataset
from tohlab.routing.prompts import Prompter
from tohlab.routing.retry import RetryPolicy
from tohlab.routing.scoring import Trial
from tohlab.routing.store import ReplyStore
from tohlab.skills.model import SkillSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a run is."""

    done: int
    """Answers and final failures so far, those read from the store among them."""
    total: int
    stored: int
    """How many were read from the store."""
    failed: int
    """How many failed for the service's sake."""
    waiting: str = ""
    """Why nothing moves just now, such as `rate_limit 429, attempt 2 in 12 s`; empty if it does."""
    at_once: int = 1
    """How many requests may be under way at once just now."""
    trial: Trial | None = None
    """The answer or final failure that this call is about, if it is about one."""


@dataclass(frozen=True, slots=True)
class Job:
    """One request, and what its answer is read against."""

    case: RoutingCase
    replicate: int
    request: ChatRequest
    names: Names


@dataclass(slots=True)
class Settings:
    """All that a run is told."""

    dataset: RoutingDataset
    client: ChatClient | None
    prompter: Prompter
    store: ReplyStore | None
    mode: str
    endpoint: str
    replicates: int
    concurrency: int
    """Requests at once, at most."""
    start: int
    """Requests at once, to begin with."""
    budget: Budget | Purse | None
    retry: RetryPolicy
    progress: Callable[[Progress], None] | None
    baselines_over: SkillSource | None = None
    """The skills that the baselines beside the result choose from; None for no baselines."""
