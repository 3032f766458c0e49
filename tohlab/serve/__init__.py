"""A live model without an account: weights fetched by verified hash, and a server for them on loopback."""

from __future__ import annotations

from tohlab.serve.client import EngineClient, EngineReply
from tohlab.serve.detached import answers, server_status, start_detached, stop_detached
from tohlab.serve.enginecache import EngineCache
from tohlab.serve.models import DEFAULT_MODEL, MODELS, ModelEntry, get_model
from tohlab.serve.proof import SETTINGS, CacheMismatch, CacheProof, proof_rows, prove_cache
from tohlab.serve.server import ModelServer
from tohlab.serve.state import ServerState
from tohlab.serve.tiny import TinyModel, sliding_window, write_tiny_model
from tohlab.serve.walk import EDITS
from tohlab.serve.weights import cache_dir, fetch_weights, fetched_weights, have_weights, weights_path

__all__ = [
    "DEFAULT_MODEL",
    "EDITS",
    "MODELS",
    "SETTINGS",
    "CacheMismatch",
    "CacheProof",
    "EngineCache",
    "EngineClient",
    "EngineReply",
    "ModelEntry",
    "ModelServer",
    "ServerState",
    "TinyModel",
    "answers",
    "cache_dir",
    "fetch_weights",
    "fetched_weights",
    "get_model",
    "have_weights",
    "proof_rows",
    "prove_cache",
    "server_status",
    "sliding_window",
    "start_detached",
    "stop_detached",
    "weights_path",
    "write_tiny_model",
]
