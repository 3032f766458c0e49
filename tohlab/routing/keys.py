"""The store's keys of many requests, with what they have in common hashed once.

The requests of a run differ in the user's text and, at most, in the seed; the catalog and the tools, nearly
all of their length, are the same. `Keys` gives exactly what `request_key` gives for each.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from tohlab.routing.client import ChatRequest
from tohlab.routing.recording import dump

_REMEMBERED: Final = 64
"""How many texts and ends of requests are kept."""
_LONG: Final = 500
"""A message of fewer characters is written out again rather than looked up."""


class Keys:
    """Makes keys of requests to one service.

    Two requests have a message or tools in common if it is one value (`is`), so what a request holds must not
    be changed while this is in use.

    Args:
        endpoint: host and port of the service; empty for one on this machine.
    """

    def __init__(self, endpoint: str = "") -> None:
        self._endpoint = endpoint
        self._model: str | None = None
        self._messages: tuple[Mapping[str, Any], ...] = ()
        self._running: list[hashlib._Hash] = []
        """The hash of all that stands before each of the messages, and at last behind them."""
        self._texts: dict[int, tuple[Mapping[str, Any], bytes]] = {}
        self._ends: dict[tuple[int, int, str], tuple[ChatRequest, bytes]] = {}

    def key(self, request: ChatRequest) -> str:
        """Return the key of a request: 64 hexadecimal digits, those of `request_key`."""
        if request.model != self._model:
            self._model, self._messages = request.model, ()
            begin = f'[{dump(self._endpoint)},{{"model":{dump(request.model)},"messages":['
            self._running = [hashlib.sha256(begin.encode("ascii"))]
        same = 0
        for one, other in zip(request.messages, self._messages, strict=False):
            if one is not other:
                break
            same += 1
        running = self._running
        del running[same + 1 :]
        self._messages = request.messages[:same]
        for message in request.messages[same:]:
            made = running[-1].copy()
            made.update(b"," + self._text(message) if len(running) > 1 else self._text(message))
            running.append(made)
        self._messages = request.messages
        end = running[-1].copy()
        end.update(self._end(request))
        return end.hexdigest()

    def _text(self, message: Mapping[str, Any]) -> bytes:
        known = self._texts.get(id(message))
        if known is not None:
            return known[1]
        text = _canonical(dict(message)).encode("ascii")
        if len(text) >= _LONG:
            if len(self._texts) >= _REMEMBERED:
                self._texts.clear()
            self._texts[id(message)] = message, text  # held, so that its id is nobody else's
        return text

    def _end(self, request: ChatRequest) -> bytes:
        # `repr` tells 0 from 0.0 and from False, as their JSON does.
        rest = repr((request.tool_choice, request.temperature, request.seed, request.max_tokens))
        place = id(request.tools), id(request.response_format), rest
        known = self._ends.get(place)
        if known is None:
            body = request.body()
            del body["model"], body["messages"]
            text = "]" + ("," + _canonical(body)[1:-1] if body else "") + "}]"
            if len(self._ends) >= _REMEMBERED:
                self._ends.clear()
            known = self._ends[place] = request, text.encode("ascii")
        return known[1]


def _canonical(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
