"""Clients for workers in other processes: they are made there, so they stand at the top of a module."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from tests.routing import shapes
from tests.routing.service import asked_text
from tohlab.routing import ChatReply, ChatRequest, OpenAIClient, RoutingDataset


def many(n: int) -> RoutingDataset:
    return RoutingDataset(cases=tuple(shapes.case(i, shapes.NAMES[i % 3]) for i in range(n)), name="many")


class Dying(OpenAIClient):
    """Kills its own process before it asks for the n-th time; once, if a file is given to remember it by."""

    def __init__(self, base_url: str, at: int, once: str = "", query: str = "") -> None:
        super().__init__(base_url)
        self._at = at
        self._once = once
        self._query = query
        self._asked = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        wanted = not self._query or asked_text(request.body()) == self._query
        self._asked += wanted
        if wanted and self._asked >= self._at:
            if not self._once:
                os.kill(os.getpid(), signal.SIGKILL)
            if not Path(self._once).exists():
                Path(self._once).touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return await super().complete(request)
