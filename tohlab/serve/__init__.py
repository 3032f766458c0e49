"""A live model without an account: weights fetched by verified hash, and a server for them on loopback."""

from __future__ import annotations

from tohlab.serve.detached import answers, server_status, start_detached, stop_detached
from tohlab.serve.models import DEFAULT_MODEL, MODELS, ModelEntry, get_model
from tohlab.serve.server import ModelServer
from tohlab.serve.state import ServerState
from tohlab.serve.weights import cache_dir, fetch_weights, fetched_weights, have_weights, weights_path

__all__ = [
    "DEFAULT_MODEL",
    "MODELS",
    "ModelEntry",
    "ModelServer",
    "ServerState",
    "answers",
    "cache_dir",
    "fetch_weights",
    "fetched_weights",
    "get_model",
    "have_weights",
    "server_status",
    "start_detached",
    "stop_detached",
    "weights_path",
]
