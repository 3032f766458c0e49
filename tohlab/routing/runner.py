"""Asks every case, keeps every answer, and gives the report.

`arun_routing` is asyncio; `run_routing` runs it in a thread with a loop of its own, so that it works in a
script and in a notebook's cell alike, where a loop is running already.
"""

from __future__ import annotations

import inspect
import queue
from collections.abc import Callable, Generator
from typing import Any, ParamSpec, TypeVar

from tohlab.dialects import Dialect
from tohlab.dialects.harness import Harness
from tohlab.errors import ReplayMiss, RoutingError, StoreError
from tohlab.routing.baselines.run import check_baselines
from tohlab.routing.budget import Budget, Purse
from tohlab.routing.client import ChatClient
from tohlab.routing.dataset import RoutingDataset
from tohlab.routing.engine import Run
from tohlab.routing.own_thread import OwnThread
from tohlab.routing.prompts import Choice, Placement, prompter
from tohlab.routing.report import RoutingReport
from tohlab.routing.retry import RetryPolicy
from tohlab.routing.run_settings import Progress, Settings
from tohlab.routing.scoring import Trial
from tohlab.routing.statistics import wilson
from tohlab.routing.store import ReplyStore, check_mode
from tohlab.routing.wires import Limit
from tohlab.skills.model import SkillSource

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def prepared(
    dataset: RoutingDataset,
    source: SkillSource,
    client: ChatClient | None,
    *,
    model: str,
    dialect: str | Dialect | Harness = "toh",
    store: ReplyStore | None = None,
    mode: str | None = None,
    replicates: int = 1,
    concurrency: int | None = None,
    choice: Choice = "tools",
    placement: Placement = "opening",
    temperature: float | None = 0.0,
    seed: int | None = None,
    max_tokens: int | None = 256,
    logprobs: int | None = None,
    earlier: SkillSource | None = None,
    endpoint: str | None = None,
    budget: Budget | Purse | None = None,
    retry: RetryPolicy | None = None,
    progress: Callable[[Progress], None] | None = None,
    description_limit: Limit = "own",
    enumerate_names: bool | None = None,
    baselines: bool = True,
) -> Run:
    """Return the run of these arguments, checked and not begun; what they mean is told at `run_routing`.

    The one list of them: the three functions that run take theirs from here.
    """
    if mode is None:
        mode = "off" if store is None else "replay" if client is None else "replay_or_record"
    mode = check_mode(mode)
    if store is None and mode != "off":
        raise StoreError(f"mode {mode} needs a store")
    if client is None and mode != "replay":
        raise RoutingError(
            f"mode {mode} needs a service to ask; give a client (--base-url), or use mode replay"
        )
    if replicates < 1 or (concurrency is not None and concurrency < 1):
        raise RoutingError("replicates and concurrency must be at least 1")
    prompts = prompter(
        source,
        model=model,
        dialect=dialect,
        choice=choice,
        placement=placement,
        temperature=temperature,
        seed=seed,
        max_tokens=max_tokens,
        earlier=earlier,
        description_limit=description_limit,
        enumerate_names=enumerate_names,
        logprobs=logprobs,
    )
    dataset.check_scorable(prompts.names, prompts.unloaded)
    wilson(0, 1)  # if what the score needs is not installed, that is said before anything is asked
    if baselines:
        check_baselines()
    if endpoint is None:
        endpoint = getattr(client, "endpoint", "") if client is not None else _only_endpoint(store, model)
    return Run(
        Settings(
            dataset=dataset,
            client=client,
            prompter=prompts,
            store=store,
            mode=mode,
            endpoint=endpoint,
            replicates=replicates,
            concurrency=concurrency or (64 if endpoint else 1),
            start=8,
            budget=budget,
            retry=retry or RetryPolicy(),
            progress=progress,
            baselines_over=source if baselines else None,
        )
    )


def _arguments_of(
    prepare: Callable[Arguments, Any],
) -> Callable[[Callable[..., Result]], Callable[Arguments, Result]]:
    """Give a function the signature of the one that it passes all its arguments on to.

    Type checkers have it from the types here; `help` and completion read `__signature__`.
    """

    def taking(function: Callable[..., Result]) -> Callable[Arguments, Result]:
        returns = inspect.signature(function).return_annotation
        signature = inspect.signature(prepare).replace(return_annotation=returns)
        function.__signature__ = signature  # type: ignore[attr-defined]  # typeshed does not know of it
        return function

    return taking


@_arguments_of(prepared)
async def arun_routing(*args: Any, **options: Any) -> RoutingReport:
    """Ask a model for every case and return the scored result; the asyncio form of `run_routing`."""
    return await prepared(*args, **options)()


@_arguments_of(prepared)
def run_routing(*args: Any, **options: Any) -> RoutingReport:
    """Ask a model for every case and return the scored result.

    Works in a plain script and in a notebook's cell. Every answer is in the store as soon as it arrives;
    Ctrl-C stops the run, and the same run again asks only the rest.

    Args:
        dataset: the labelled requests.
        source: the skills; read once, at the start.
        client: who is asked; None only in mode `replay`.
        model: the model's name at the service.
        dialect: which harness's texts are sent; a dialect or any of the sixteen harnesses.
        store: where answers are kept, or None.
        mode: `record`, `replay`, `replay_or_record` or `off`; by default `off` without a store, `replay`
            without a client, else `replay_or_record`.
        replicates: how often each case is asked. They are no further cases: the rates' n stays the cases.
        concurrency: requests at once, at most; by default 1 for a service on this machine, else 64. A run
            begins with 8 of them at most, lets in more while answers come, and halves when it is refused.
        choice: `tools` (what the harness sends), `json`, `required`, `named` or `none` (see
            `tohlab.routing.prompts`).
        placement: `opening`, `same-step`, `system`, `user` or `tool-description`, where the catalog stands
            (see there).
        temperature: None leaves it to the service.
        seed: the sampling seed; replicate number r gets seed + r. None sends none.
        max_tokens: the longest answer; None leaves it to the service.
        logprobs: how many alternatives the service is asked to give for each token (0..20), for margins and
            calibration; None asks for none. It is part of the request, so of its key in the store.
        earlier: the skills that the conversation was told of first, before those of `source` replaced them.
        endpoint: host and port that recorded answers came from; by default the client's, or the only one.
        budget: what the run may use; it is refused if its prompts alone are more, and stops in time. Several
            runs may share one `Purse` of it.
        retry: when to try again and when to stop.
        progress: called after each answer (with its trial) and while waiting, from the run's thread.
        description_limit: the longest description in UTF-16 code units; `own`: as the harness has it.
        enumerate_names: whether the names are an enum in the load tool's schema (in `json` in that of the
            answer); None: as the harness, and `json`, have it.
        baselines: whether what needs no model is set beside the result, on the same cases.

    Raises:
        AnswerNotKept: the store could not be written, such as on a full disk; has the report so far.
        BudgetExceeded: the prompts alone cost more than the budget.
        DatasetError: an expected skill is not in the catalog, or there is no labelled case.
        EndpointError: the service refused the key, is out of quota, is down, or answered nothing at all.
        MissingExtra: what the score or the baselines need is not installed; before anything is asked.
        ReplayMiss: mode `replay`, and an answer is missing.
        RunInterrupted: Ctrl-C; has the report of what was answered.
        StoreError: an unknown mode, or a store that cannot be used.
    """
    return OwnThread(prepared(*args, **options)).result()


@_arguments_of(prepared)
def iter_routing(*args: Any, **options: Any) -> Generator[Trial, None, RoutingReport]:
    """Yield each trial as it finishes, those that the store has first; for a table that fills up.

    What the generator returns (`StopIteration.value`, or the value of `yield from`) is the report. Closing it
    early stops the run; what was answered is in the store. The arguments are those of `run_routing`.

    Raises:
        TohlabError: as `run_routing`, after the trials that came before.
    """
    told = options.pop("progress", None)
    arrived: queue.SimpleQueue[Trial | None] = queue.SimpleQueue()

    def progress(found: Progress) -> None:
        if found.trial is not None:
            arrived.put(found.trial)
        if told is not None:
            told(found)

    run = prepared(*args, **options, progress=progress)
    thread = OwnThread(run, lambda: arrived.put(None))
    try:
        while (trial := arrived.get()) is not None:
            yield trial
        return thread.result()
    finally:
        thread.cancel()


def _only_endpoint(store: ReplyStore | None, model: str) -> str:
    found = store.endpoints(model) if store is not None else ()
    if not found and store is not None and not store.models():
        where = "the recording" if store.path == ":memory:" else store.path
        raise ReplayMiss(
            f"there are no recorded answers in {where}; ask a model for them with --base-url URL.",
            key="",
            nearest_key=None,
            difference=(),
        )
    if not found and store is not None:
        known = ", ".join(store.models())
        raise ReplayMiss(
            f"there are no recorded answers of the model {model!r}; recorded: {known}. Name one of them.",
            key="",
            nearest_key=None,
            difference=(),
        )
    if len(found) > 1:
        named = ", ".join(name or "this machine" for name in found)
        raise StoreError(f"answers of {model!r} come from several services ({named}); say which (--base-url)")
    return found[0] if found else ""
