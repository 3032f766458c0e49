"""What a catalog costs and how alike its skills are: numbers that stand beside each point's score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tohlab.request import Request
from tohlab.routing.prompts import JSON_INSTRUCTION, prompter
from tohlab.routing.recording import dump
from tohlab.routing.similarity import pairs
from tohlab.routing.sweeps.plan import Plan
from tohlab.routing.unloaded import unloaded
from tohlab.routing.wires import Wire, find_wire
from tohlab.tokens import TokenMeter


@dataclass(frozen=True, slots=True, kw_only=True)
class Covariates:
    """What is known of a point before anything is asked."""

    n_skills: int
    catalog_tokens: int
    tool_tokens: int
    nearest: float | None
    notes: tuple[str, ...] = ()
    """What of the asking the harness does not send, and how sure its texts are."""


def covariates(plan: Plan, meter: TokenMeter) -> Covariates:
    """Return the covariates of a point; a point that cannot be asked is refused here.

    Raises:
        TohlabError: as `prompter` and `check_scorable`.
    """
    wire: Wire
    if isinstance(plan.asked, str):
        wire = find_wire(plan.dialect, plan.source, limit=plan.description_limit, placement=plan.placement)
        parts = [dump(Request(tools=wire.tools).to_openai()["tools"])] if wire.tools else []
        moved, notes = wire.place, wire.notes
    else:
        prompts = prompter(plan.source, **plan.asking())
        wire = prompts.wire
        request = prompts.request("")
        parts = [dump(list(request.tools))] if request.tools else []
        if request.response_format is not None:
            parts += [JSON_INSTRUCTION, dump(request.response_format)]
        moved, notes = prompts.placement if prompts.placement != "opening" else wire.place, prompts.notes
    plan.dataset.check_scorable(wire.book.catalog, unloaded(plan.source))
    catalog = sum(map(meter.count, wire.catalog_texts(wire.request(""))))
    tools = sum(map(meter.count, parts))
    return Covariates(
        n_skills=len(wire.book.catalog),
        catalog_tokens=catalog,
        # A list that stands in the tool's description is paid once.
        tool_tokens=tools - catalog if moved == "tool-description" else tools,
        nearest=_nearest([f"{name} {description}" for name, description in wire.shown]),
        notes=notes,
    )


def _nearest(texts: Sequence[str]) -> float | None:
    if len(texts) < 2:
        return None
    best = [0.0] * len(texts)
    for i, j, cosine in pairs(texts, 1e-6):
        best[i], best[j] = max(best[i], cosine), max(best[j], cosine)
    return sum(best) / len(best)
