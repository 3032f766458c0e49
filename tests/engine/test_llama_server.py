"""What the policy predicts is what a real llama.cpp server reports, on random requests.

Each case starts a server of its own on loopback with a model of random weights, which is written for it. The
engine comes with the `model` extra; without it these tests fail and name the extra. For another 4,000
requests of other edits: tohlab model verify-cache --requests 500 --seed 7
"""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tohlab.errors import PrefixError
from tohlab.prefix.policies.base import CachedRequest
from tohlab.prefix.policies.llama_cpp import LlamaCpp, LlamaCppState
from tohlab.serve import (
    EDITS,
    SETTINGS,
    EngineCache,
    EngineClient,
    ModelServer,
    prove_cache,
    sliding_window,
    write_tiny_model,
)

REQUESTS = 150
SEEDS = (1, 2)
READY_S = 600.0


def named(name: str) -> LlamaCpp:
    return next(setting for setting in SETTINGS if setting.name == name)


def test_the_suite_sends_more_than_a_thousand_requests_to_servers_of_more_than_four_kinds() -> None:
    kinds = {(s.slots, s.ram_mib, s.chunk_tokens, s.unified) for s in SETTINGS}

    assert len(kinds) == len(SETTINGS) >= 4
    assert REQUESTS * len(SEEDS) >= 250
    assert REQUESTS * len(SEEDS) * len(SETTINGS) >= 1000


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_each_prediction_is_what_the_server_reports(setting: LlamaCpp, seed: int) -> None:
    proof = prove_cache(setting, requests=REQUESTS, seed=seed)

    assert not proof.mismatches, "\n".join(row.sentence for row in proof.mismatches[:3])
    assert proof.requests == REQUESTS
    assert sum(count for _, count in proof.edits) == REQUESTS
    assert {name for name, _ in proof.edits} >= {"append", "repeat", "edit", "other session"}
    assert 0.2 < proof.reported_tokens / proof.total_tokens < 0.98


def test_all_edits_occur_in_the_suite() -> None:
    from tohlab.serve.walk import EditWalk

    made = set()
    for seed in SEEDS:
        walk = EditWalk(seed, 400)
        for _ in range(REQUESTS):
            made.add(walk.step().edit)
            walk.answered([5])

    assert made == set(EDITS)


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutStore(LlamaCpp):
    """A wrong rule: the server has a memory store and the prediction knows nothing of it."""

    def start(self) -> LlamaCppState:
        return LlamaCppState(self.with_settings(ram_mib=0))


def test_a_wrong_rule_is_found_out() -> None:
    right = named("one-slot-store")
    wrong = WithoutStore(name="wrong", title="wrong", sources=right.sources, ram_mib=right.ram_mib)

    proof = prove_cache(wrong, requests=100, seed=1)

    assert len(proof.mismatches) >= 5
    first = proof.mismatches[0]
    assert first.predicted_tokens < first.reported_tokens
    assert f"predicted {first.predicted_tokens:,} from" in first.sentence
    assert f"reports {first.reported_tokens:,} from" in first.sentence
    assert len(first.edits) == first.request + 1


def post(server: ModelServer, path: str, body: Any) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=READY_S)
    try:
        connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        reply = connection.getresponse()
        text = reply.read()
        assert reply.status == 200, text
        return json.loads(text)
    finally:
        connection.close()


def test_the_usage_of_a_chat_says_what_is_predicted_for_its_rendered_prompt(tmp_path: Path) -> None:
    model = write_tiny_model(tmp_path / "tiny.gguf")
    state = named("one-slot").start()
    skills = ["- pdf: Fill in forms.", "- sql: Make queries fast.", "- k8s: Find out why a pod fails."]
    turns = ["Please fill in the form.", "Done. What next?", "Make the report."]
    chats = [
        (skills, turns[:1]),
        (skills, turns[:1]),
        (skills, turns),
        ([*skills, "- map: Draw a map."], turns),
        ([skills[0], "- sql: Make all queries fast.", skills[2]], turns),
        (skills[::-1], turns),
    ]
    seen = []

    with ModelServer(model.path, n_ctx=1024, n_threads=1, timeout_s=READY_S) as server:
        for listed, said in chats:
            messages = [{"role": "system", "content": "\n".join(listed)}]
            messages += [{"role": "user", "content": text} for text in said]
            # one token is generated, which no later request can share
            chat = post(server, "/v1/chat/completions", {"messages": messages, "max_tokens": 1})
            prompt = post(server, "/apply-template", {"messages": messages})["prompt"]
            ids = post(server, "/tokenize", {"content": prompt, "parse_special": True})["tokens"]
            use = state.submit(CachedRequest.of_ids(ids))
            assert chat["usage"]["prompt_tokens"] == use.total_tokens
            seen.append((use.read_tokens, chat["usage"]["prompt_tokens_details"]["cached_tokens"]))

    assert [predicted for predicted, _ in seen] == [reported for _, reported in seen]
    first, repeat, longer, added, edited, reversed_order = (reported for _, reported in seen)
    assert first == 0 < reversed_order < edited < added < longer <= repeat


def test_with_a_sliding_window_the_shared_beginning_is_not_what_is_reused(tmp_path: Path) -> None:
    model = write_tiny_model(tmp_path / "window.gguf", architecture="gemma3")
    first = tuple(7 * i % 400 + 3 for i in range(1500))
    asked = (first, (*first[:250], *first[:100]))
    reused = {}

    for swa_full in (False, True):
        cache = EngineCache(swa_full=swa_full)
        server = ModelServer(model.path, n_ctx=2048, n_threads=1, cache=cache, timeout_s=READY_S)
        with server, EngineClient(server) as engine:
            reused[swa_full] = [engine.complete(prompt, 1).cached for prompt in asked]

    assert reused == {False: [0, 0], True: [0, 250]}
    assert sliding_window(model.path) == 128


def test_a_model_with_a_sliding_window_is_refused() -> None:
    with pytest.raises(PrefixError, match=r"sliding window of 128 tokens.*--swa-full"):
        prove_cache(named("one-slot"), architecture="gemma3")


def test_a_sliding_window_that_keeps_everything_is_predicted() -> None:
    proof = prove_cache(named("two-slots"), requests=100, seed=3, architecture="gemma3", swa_full=True)

    assert proof.model == "gemma3"
    assert not proof.mismatches, "\n".join(row.sentence for row in proof.mismatches[:3])


def test_a_request_that_asks_for_no_reuse_takes_its_slot_all_the_same(tmp_path: Path) -> None:
    model = write_tiny_model(tmp_path / "tiny.gguf")
    state = named("one-slot").start()
    asked = [(400, "default"), (450, "default"), (460, "off"), (470, "default")]
    seen = []
    server = ModelServer(model.path, n_ctx=1024, n_threads=1, timeout_s=READY_S)

    with server, EngineClient(server) as engine:
        for size, mode in asked:
            prompt = [7 * i % 400 + 3 for i in range(size)]
            reply = engine.complete(prompt, 1, reuse=mode == "default")
            request = replace(CachedRequest.of_ids(prompt, reply.generated), mode=mode)
            seen.append((state.submit(request).read_tokens, reply.cached))

    assert seen == [(0, 0), (400, 400), (0, 0), (460, 460)]


def test_prompts_that_are_too_large_for_the_store_are_not_stored(tmp_path: Path) -> None:
    model = write_tiny_model(tmp_path / "tiny.gguf")
    setting = named("one-slot-small-store").with_settings(
        token_bytes=float(model.bytes_per_token), layers=model.layers
    )
    fits = int((2**20 - setting.stored_bytes(0)) // (setting.stored_bytes(1) - setting.stored_bytes(0)))
    assert fits == 3912
    prompts = {size: [(size + 7 * i) % 400 + 3 for i in range(size)] for size in (300, 500, fits, fits + 1)}
    order = [300, 500, fits, 300, fits, 300, fits + 1, 300, fits + 1, 500, 300, 500]
    state = setting.start()
    server = ModelServer(model.path, n_ctx=4096, n_threads=1, cache=EngineCache(ram_mib=1), timeout_s=READY_S)

    with server, EngineClient(server) as engine:
        for size in order:
            reply = engine.complete(prompts[size], 1)
            use = state.submit(CachedRequest.of_ids(prompts[size], reply.generated))
            assert use.read_tokens == reply.cached, f"after {size}"
