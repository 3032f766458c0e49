"""The engine's cache policy held against the engine: what it predicts, and what a real server reports."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from tohlab.errors import MissingExtra
from tohlab.prefix.policies.base import CachedRequest
from tohlab.prefix.policies.llama_cpp import POLICIES, SOURCES, LlamaCpp, LlamaCppState
from tohlab.serve.client import EngineClient
from tohlab.serve.enginecache import EngineCache
from tohlab.serve.server import ModelServer
from tohlab.serve.tiny import TinyModel, write_tiny_model
from tohlab.serve.walk import EditWalk

N_CTX: Final = 4096
_READY_TIMEOUT_S: Final = 600.0


def _setting(name: str, title: str, **settings: Any) -> LlamaCpp:
    return LlamaCpp(name=name, title=title, sources=SOURCES, **settings)


SETTINGS: Final[tuple[LlamaCpp, ...]] = (
    _setting("one-slot", "one slot, no memory store"),
    _setting("one-slot-store", "one slot and a memory store with room for everything", ram_mib=256),
    _setting("one-slot-small-store", "one slot and a memory store that has to drop prompts", ram_mib=1),
    _setting("two-slots", "two slots, no memory store", slots=2),
    _setting("three-slots-store", "three slots and a memory store", slots=3, ram_mib=256),
    _setting("moved-pieces", "one slot, later pieces of 32 tokens moved into place", chunk_tokens=32),
    _setting(
        "two-slots-store-moved-pieces",
        "two slots, a memory store, pieces of 8 tokens moved into place",
        slots=2,
        ram_mib=256,
        chunk_tokens=8,
    ),
    _setting(
        "default",
        "four slots over one pool and a memory store, as llama-server starts by default",
        slots=POLICIES[0].slots,
        unified=POLICIES[0].unified,
        ram_mib=256,
    ),
)
"""The servers that the proof runs, each as the policy that predicts it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheMismatch:
    """One request for which the policy and the engine differ."""

    request: int
    """Which one of its run, from 0."""
    edits: tuple[str, ...]
    """The edits up to this request, this one last."""
    prompt_tokens: int
    predicted_tokens: int
    """What the policy says is read from the cache."""
    reported_tokens: int
    """What the engine says (`timings.cache_n`)."""
    predicted_slot: int
    reported_slot: int

    @property
    def sentence(self) -> str:
        """What differs, with the edits that lead there."""
        return (
            f"request {self.request} ({self.prompt_tokens:,} tokens): predicted {self.predicted_tokens:,} "
            f"from slot {self.predicted_slot}, the engine reports {self.reported_tokens:,} from slot "
            f"{self.reported_slot}; edits: {', '.join(self.edits)}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheProof:
    """One run of random requests against one server."""

    setting: LlamaCpp
    engine: str
    """The engine's package and version."""
    model: str
    """The architecture of the model with random weights."""
    seed: int
    requests: int
    total_tokens: int
    """Of all prompts together."""
    reported_tokens: int
    """Read from the engine's cache, of all prompts together."""
    edits: tuple[tuple[str, int], ...]
    """How often each edit was made, by name."""
    mismatches: tuple[CacheMismatch, ...]

    @property
    def holds(self) -> bool:
        """Whether the policy was right each time."""
        return not self.mismatches

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "server": self.setting.name,
            "title": self.setting.title,
            "engine": self.engine,
            "model": self.model,
            "seed": self.seed,
            "requests": self.requests,
            "total_tokens": self.total_tokens,
            "reported_tokens": self.reported_tokens,
            "edits": dict(self.edits),
            "mismatches": [
                {
                    "request": row.request,
                    "edits": list(row.edits),
                    "prompt_tokens": row.prompt_tokens,
                    "predicted_tokens": row.predicted_tokens,
                    "reported_tokens": row.reported_tokens,
                    "predicted_slot": row.predicted_slot,
                    "reported_slot": row.reported_slot,
                }
                for row in self.mismatches
            ],
        }


def prove_cache(
    setting: LlamaCpp,
    *,
    requests: int = 250,
    seed: int = 0,
    architecture: str = "llama",
    swa_full: bool = False,
    progress: Callable[[], object] | None = None,
) -> CacheProof:
    """Send random requests to a real server and hold what it reports against what the policy says.

    A model with random weights is written for it, and a server is started on loopback and ended. Both the
    number of reused tokens and the slot that served are compared.

    Args:
        setting: how the server keeps prompts, and the policy that predicts it; `SETTINGS` has some.
        requests: how many, one after another.
        seed: of the random edits.
        architecture: of the model, see `write_tiny_model`.
        swa_full: whether layers with a sliding window keep the whole prompt.
        progress: is called after each request.

    Raises:
        MissingExtra: xllamacpp or gguf is not installed.
        ServerNotReady: the server did not start, or broke off; names its log.
        PrefixError: the policy does not describe that model (a sliding window), or has a setting that no
            server takes.
    """
    try:
        engine = f"xllamacpp {version('xllamacpp')}"
    except PackageNotFoundError as error:
        raise MissingExtra("xllamacpp", "model") from error
    cache = EngineCache(
        slots=setting.slots,
        ram_mib=setting.ram_mib,
        chunk_tokens=setting.chunk_tokens,
        similarity=setting.similarity,
        unified=setting.unified,
        swa_full=swa_full,
    )
    with tempfile.TemporaryDirectory(prefix="tohlab-") as folder:
        model = write_tiny_model(Path(folder) / f"tiny-{architecture}.gguf", architecture=architecture)
        state = setting.with_settings(
            token_bytes=float(model.bytes_per_token),
            layers=model.layers,
            window_tokens=0 if swa_full else model.window_tokens,
        ).start()
        server = ModelServer(model.path, n_ctx=N_CTX, n_threads=1, cache=cache, timeout_s=_READY_TIMEOUT_S)
        with server:
            steps, mismatches, total, reported = _walk(server, state, model, requests, seed, progress)
    return CacheProof(
        setting=setting,
        engine=engine,
        model=architecture,
        seed=seed,
        requests=requests,
        total_tokens=total,
        reported_tokens=reported,
        edits=tuple(sorted(Counter(steps).items())),
        mismatches=tuple(mismatches),
    )


def _walk(
    server: ModelServer,
    state: LlamaCppState,
    model: TinyModel,
    requests: int,
    seed: int,
    progress: Callable[[], object] | None,
) -> tuple[list[str], list[CacheMismatch], int, int]:
    walk = EditWalk(seed, model.vocabulary)
    edits: list[str] = []
    mismatches: list[CacheMismatch] = []
    total = reported = 0
    with EngineClient(server) as engine:
        for number in range(requests):
            step = walk.step()
            reply = engine.complete(step.prompt, step.generate)
            walk.answered(reply.generated)
            edits.append(step.edit)
            use = state.submit(CachedRequest.of_ids(step.prompt, reply.generated))
            total += use.total_tokens
            reported += reply.cached
            if (use.read_tokens, use.plain_tokens, state.slot) != (reply.cached, reply.computed, reply.slot):
                mismatches.append(
                    CacheMismatch(
                        request=number,
                        edits=tuple(edits),
                        prompt_tokens=len(step.prompt),
                        predicted_tokens=use.read_tokens,
                        reported_tokens=reply.cached,
                        predicted_slot=-1 if state.slot is None else state.slot,
                        reported_slot=reply.slot,
                    )
                )
            if progress:
                progress()
    return edits, mismatches, total, reported


def proof_rows(proofs: Iterable[CacheProof]) -> list[tuple[str, ...]]:
    """Return a table for people: a head, a row for each proof, and the sum."""
    proofs = list(proofs)
    rows: list[tuple[str, ...]] = [("server", "requests", "prompt tokens", "reused", "mismatches")]
    rows += [
        (
            proof.setting.name,
            f"{proof.requests:,}",
            f"{proof.total_tokens:,}",
            _percent(proof.reported_tokens, proof.total_tokens),
            str(len(proof.mismatches)),
        )
        for proof in proofs
    ]
    tokens = sum(proof.total_tokens for proof in proofs)
    rows.append(
        (
            "all",
            f"{sum(proof.requests for proof in proofs):,}",
            f"{tokens:,}",
            _percent(sum(proof.reported_tokens for proof in proofs), tokens),
            str(sum(len(proof.mismatches) for proof in proofs)),
        )
    )
    return rows


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"
