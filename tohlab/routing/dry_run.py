"""What a run would use, told without asking anything."""

from __future__ import annotations

from typing import Any

from tohlab.routing.budget import Estimate, estimate
from tohlab.routing.client import ChatRequest
from tohlab.routing.dataset import RoutingDataset
from tohlab.routing.pricing import Price
from tohlab.routing.prompts import prompter
from tohlab.routing.store import ReplyStore
from tohlab.skills.model import SkillSource
from tohlab.tokens import TokenMeter


def estimate_run(
    dataset: RoutingDataset,
    source: SkillSource,
    *,
    model: str,
    price: Price | None = None,
    store: ReplyStore | None = None,
    endpoint: str = "",
    replicates: int = 1,
    meter: TokenMeter | None = None,
    **asking: Any,
) -> Estimate:
    """Return what a run would use, without asking anything.

    Args:
        dataset: the labelled requests.
        source: the skills.
        model: the model's name at the service.
        price: what its tokens cost; None: no money.
        store: answers that it has are not asked again; None: everything is asked.
        endpoint: host and port of the service, as the store has it.
        replicates: how often each case is asked.
        meter: what counts; by default o200k_base.
        asking: `dialect`, `choice`, `placement`, `temperature`, `seed`, `max_tokens`, `earlier`,
            `description_limit`, `enumerate_names`,
            `logprobs`.

    Raises:
        DatasetError: an expected skill is not in the catalog, or there is no labelled case.
        MissingExtra: tiktoken is not installed.
    """
    wanted, stored = wanted_requests(
        dataset, source, model=model, store=store, endpoint=endpoint, replicates=replicates, **asking
    )
    return estimate(wanted, stored=stored, price=price, meter=meter)


def wanted_requests(
    dataset: RoutingDataset,
    source: SkillSource,
    *,
    model: str,
    store: ReplyStore | None = None,
    endpoint: str = "",
    replicates: int = 1,
    **asking: Any,
) -> tuple[tuple[ChatRequest, ...], int]:
    """Return the requests that a run would ask, and how many others the store answers.

    Raises:
        DatasetError: an expected skill is not in the catalog, or there is no labelled case.
    """
    prompts = prompter(source, model=model, **asking)
    dataset.check_scorable(prompts.names, prompts.unloaded)
    wanted = []
    stored = 0
    for case in dataset.cases:
        for replicate in range(replicates):
            request = prompts.request(case.query, replicate)
            if store is not None and store.get(request, replicate, endpoint=endpoint) is not None:
                stored += 1
            else:
                wanted.append(request)
    return tuple(wanted), stored
