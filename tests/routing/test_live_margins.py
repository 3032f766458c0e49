"""Margins from a real engine: `pytest -m live`. The test itself serves SmolLM2, and downloads nothing."""

from __future__ import annotations

import pytest

from tests.routing import shapes
from tohlab.routing import OpenAIClient, RoutingCase, RoutingDataset, run_routing
from tohlab.serve import ModelServer, get_model, have_weights

pytestmark = pytest.mark.live


def test_llama_cpp_gives_margins_in_json_and_none_for_an_answer_without_a_name() -> None:
    if not have_weights(get_model("smollm2")):
        pytest.fail("smollm2 was not fetched; run: tohlab model fetch smollm2")
    cases = (
        RoutingCase(id="a", query="Fill in this PDF form", expected=(shapes.NAMES[1],)),
        RoutingCase(id="b", query="Hello there", expected=()),
    )
    dataset = RoutingDataset(cases=cases, name="d")
    with ModelServer.named("smollm2") as server:
        client = OpenAIClient(server.base_url)
        report = run_routing(
            dataset, shapes.source(), client, model=server.model, choice="json", logprobs=10, max_tokens=32
        )
        calls = run_routing(
            dataset, shapes.source(), client, model=server.model, choice="tools", logprobs=10, max_tokens=8
        )
    known = [t.margin for t in report.trials if t.margin is not None]
    assert len(known) == sum(bool(t.loaded) or t.label in ("ok", "missed") for t in report.trials) > 0
    for trial in report.trials:
        if trial.margin is None:
            continue
        margin = trial.margin
        assert trial.loaded[:1] in ((margin.name,), ())  # `(none)` loads nothing
        assert 0 < margin.probability <= margin.share + 1e-9 <= 1 + 2e-9
        assert margin.share + margin.runner_up_share + margin.ambiguous <= 1 + 1e-9
    # The engine is greedy within the grammar: at the first token that differs nothing else is likelier.
    assert all(m.n_tokens > 1 or m.margin >= -1e-9 for m in known)
    assert report.calibration() is not None
    for trial in calls.trials:
        assert (trial.margin is None) == (not trial.loaded)
