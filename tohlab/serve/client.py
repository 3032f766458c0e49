"""The engine's own endpoint: tokens in, tokens out, and how much of the prompt came from its cache."""

from __future__ import annotations

import http.client
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tohlab.errors import ServerNotReady
from tohlab.serve.server import ModelServer

_REPLY_TIMEOUT_S: Final = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineReply:
    """What the engine says of one request."""

    generated: tuple[int, ...]
    """The tokens that it generated."""
    cached: int
    """Prompt tokens that it took from its cache."""
    computed: int
    """Prompt tokens that it evaluated."""
    slot: int
    """The slot that served."""


class EngineClient:
    """The engine's own endpoint, which takes tokens and says what it reused."""

    def __init__(self, server: ModelServer) -> None:
        self._server = server
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=_REPLY_TIMEOUT_S)

    def __enter__(self) -> EngineClient:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def complete(self, prompt: Sequence[int], generate: int, *, reuse: bool = True) -> EngineReply:
        """Return what the engine makes of a prompt, and the `generate` tokens (1 or more) that it adds.

        With `reuse=False` the engine is asked to compute the whole prompt anew (`cache_prompt`).

        Raises:
            ServerNotReady: the server broke off or refused; names its log.
        """
        body = {
            "prompt": list(prompt),
            "n_predict": generate,
            "cache_prompt": reuse,
            "return_tokens": True,
            "ignore_eos": True,
            "temperature": 0,
        }
        try:
            self._connection.request(
                "POST", "/completion", json.dumps(body), {"content-type": "application/json"}
            )
            reply = self._connection.getresponse()
            text = reply.read().decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as error:
            raise ServerNotReady(f"the server broke off: {error!r}; see its log", self._server.log) from error
        if reply.status != 200:
            raise ServerNotReady(f"the server answered {reply.status}: {text[:200]}", self._server.log)
        try:
            row = json.loads(text)
            return EngineReply(
                generated=tuple(row["tokens"]),
                cached=row["timings"]["cache_n"],
                computed=row["timings"]["prompt_n"],
                slot=row["id_slot"],
            )
        except (ValueError, KeyError, TypeError) as error:
            raise ServerNotReady(
                f"the server does not say what it reused ({error!r}); a newer xllamacpp does: "
                "pip install --upgrade 'tohlab[model]'",
                self._server.log,
            ) from error
