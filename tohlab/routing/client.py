"""What is asked of a model and what comes back, as values; and the protocol of whoever asks.

A `ChatRequest` is the whole request: the store's key is made from it. A `ChatReply` is read from the
service's own JSON (`ChatReply.from_raw`), so that a stored reply can be read again later by better code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Protocol, TypeGuard

from tohlab.errors import EndpointError, RoutingError
from tohlab.request import ToolCall
from tohlab.routing.token_logprobs import MOST_TOP, TokenLogprob, read_logprobs

_OWN: Final = "tohlab"
"""The key of a stored answer under which stands what the service did not say itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One chat completion request."""

    model: str
    messages: tuple[Mapping[str, Any], ...] = field(hash=False)
    """As the chat completions API takes them; key order is kept, since it is sent."""
    tools: tuple[Mapping[str, Any], ...] = field(default=(), hash=False)
    tool_choice: str | Mapping[str, Any] | None = field(default=None, hash=False)
    temperature: float | None = 0.0
    """None leaves it to the service (some models refuse a temperature)."""
    seed: int | None = None
    max_tokens: int | None = None
    response_format: Mapping[str, Any] | None = field(default=None, hash=False)
    logprobs: int | None = None
    """How many alternatives to give for each token (0..20), with the log-probabilities; None asks for none,
    and leaves the request, and so its key, as it is."""

    def __post_init__(self) -> None:
        if self.logprobs is not None and not 0 <= self.logprobs <= MOST_TOP:
            raise RoutingError(
                f"log-probabilities can be had for 0 to {MOST_TOP} tokens, not {self.logprobs}"
            )

    def body(self) -> dict[str, Any]:
        """Return the request as JSON-ready data in one fixed order, without what is not set."""
        body: dict[str, Any] = {"model": self.model, "messages": [dict(m) for m in self.messages]}
        if self.tools:
            body["tools"] = [dict(t) for t in self.tools]
        for key in ("tool_choice", "temperature", "seed", "max_tokens"):
            if (value := getattr(self, key)) is not None:
                body[key] = value
        if self.logprobs is not None:
            body |= {"logprobs": True, "top_logprobs": self.logprobs}
        if self.response_format is not None:
            body["response_format"] = dict(self.response_format)
        return body

    def canonical_json(self) -> str:
        """Return the body as compact ASCII JSON: equal requests, and only those, give equal texts."""
        return json.dumps(self.body(), ensure_ascii=True, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens as the service reported them; None where it did not say."""

    prompt: int | None = None
    """All prompt tokens, those read from and written to a cache among them."""
    cached: int | None = None
    """Prompt tokens that the service read from its cache."""
    completion: int | None = None
    """All completion tokens, those of reasoning among them."""
    cache_write: int | None = None
    """Prompt tokens that the service wrote to its cache."""
    reasoning: int | None = None
    """Completion tokens that were reasoning."""
    batch: bool = False
    """Whether it was asked in a batch, which providers bill at another price (`Price.batch_share`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """One answer of a model."""

    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str | None = None
    refusal: str = ""
    """The API's own `refusal` text, or empty."""
    usage: Usage = field(default_factory=Usage)
    latency_s: float | None = 0.0
    """Seconds from sending to the last byte, of the attempt that succeeded; None where it was asked in a
    batch (there is only a time of the whole batch)."""
    logprobs: tuple[TokenLogprob, ...] | None = None
    """The tokens with their log-probabilities, in order; None where the service gave none."""
    raw: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    """The service's JSON, whole."""

    @classmethod
    def from_raw(cls, raw: Any, latency_s: float | None = 0.0) -> ChatReply:
        """Read a chat completion; one that `mark_batch` marked is known as such.

        Raises:
            EndpointError: kind `garbage`: it is not a chat completion (no object, or no choices).
        """
        choices = raw.get("choices") if _is_object(raw) else None
        first = choices[0] if isinstance(choices, list) and choices else None
        message = first.get("message") if _is_object(first) else None
        if not _is_object(first) or not _is_object(message):
            shown = json.dumps(raw, ensure_ascii=True, default=str)[:200]
            raise EndpointError(
                "garbage",
                f"the service answered with JSON that is no chat completion: {shown}. "
                "Check that the base URL is that of an OpenAI-compatible API (it often ends in /v1).",
            )
        calls = message.get("tool_calls")
        finish = first.get("finish_reason")
        refusal = message.get("refusal")
        own = raw.get(_OWN)
        batch = isinstance(own, Mapping) and "batch" in own
        return cls(
            content=_text(message.get("content")),
            tool_calls=tuple([_call(c) for c in calls]) if isinstance(calls, list) else (),
            finish_reason=finish if isinstance(finish, str) else None,
            refusal=refusal if isinstance(refusal, str) else "",
            usage=_usage(raw.get("usage"), batch),
            latency_s=None if batch else latency_s,
            logprobs=read_logprobs(first) if first.get("logprobs") else None,
            raw=raw,
        )


def mark_batch(raw: Mapping[str, Any], batch_id: str) -> dict[str, Any]:
    """Return a service's answer with the batch that it came from beside it, under a key of our own.

    The mark is in the answer and not beside it, so that it stays with it in every export: what an answer cost
    can be told wherever it is read again.
    """
    return {**raw, _OWN: {"batch": batch_id}}


class ChatClient(Protocol):
    """Anything that answers chat requests.

    A client may also have `endpoint: str` (host and port of the service, empty for this machine; part of the
    store's key) and `async aclose()` (called at the end of a run; the client must work again after it).
    """

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the model's answer to one request; one attempt, no retries.

        Raises:
            EndpointError: there was no answer that could be scored.
        """
        ...


def _is_object(value: Any) -> TypeGuard[Mapping[str, Any]]:
    # Asking for the exact type first: it is a dict, and the question to the abstract class takes ten times
    # as long.
    return type(value) is dict or isinstance(value, Mapping)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(p["text"] for p in content if _is_object(p) and isinstance(p.get("text"), str))
    return ""


def _call(call: Any) -> ToolCall:
    function = call.get("function") if _is_object(call) else None
    name = arguments = call_id = None
    if _is_object(call):
        call_id = call.get("id")
    if _is_object(function):
        name, arguments = function.get("name"), function.get("arguments")
    if arguments is None:
        arguments = ""
    elif not isinstance(arguments, str):
        arguments = (
            "[object Object]"  # what JSON.parse is given in the harnesses, so it fails here as it does there
        )
    return ToolCall(
        id=call_id if isinstance(call_id, str) else "",
        name=name if isinstance(name, str) else "",
        arguments=arguments,
    )


def _usage(usage: Any, batch: bool) -> Usage:
    if not _is_object(usage):
        return Usage(batch=batch)
    prompt, completion = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    details = usage.get("prompt_tokens_details")
    spent = usage.get("completion_tokens_details")
    cached = _count(details.get("cached_tokens")) if _is_object(details) else None
    written = _count(usage.get("cache_creation_input_tokens"))
    cached = _count(usage.get("cache_read_input_tokens")) if cached is None else cached
    if prompt is None:  # Anthropic's form: the cached and the written ones stand beside `input_tokens`
        prompt, completion = _count(usage.get("input_tokens")), _count(usage.get("output_tokens"))
        beside = True
    else:  # a prompt that is smaller than its cached part can only be counted without it
        beside = prompt < (cached or 0) + (written or 0)
    if prompt is not None and beside:
        prompt += (cached or 0) + (written or 0)
    return Usage(
        prompt=prompt,
        cached=cached,
        completion=completion,
        cache_write=written,
        reasoning=_count(spent.get("reasoning_tokens")) if _is_object(spent) else None,
        batch=batch,
    )


def _count(value: Any) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
        return value
    return None
