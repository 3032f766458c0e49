"""How each API and engine reports what a request used: field by field, with source and date.

The one question on which most bills go wrong is whether the input field already holds what was read from the
cache. Here every format says so (`includes_cache`). A path names a field inside the usage object; several
paths are the same field under other spellings. `usage_from` is the door.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

Status = Literal["verified", "documented", "measured by others", "assumed"]
Lifetime = Literal["short", "long"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageFormat:
    """One API's way of reporting used tokens."""

    name: str
    includes_cache: bool
    """Whether `input` already holds what was read from and written to the cache."""
    input: tuple[str, ...]
    """Paths of the input field; the first one present counts, and all present must agree."""
    output: tuple[str, ...]
    read: tuple[str, ...]
    write: tuple[str, ...] = ()
    """Written to the cache, of every lifetime together."""
    write_parts: Mapping[str, Lifetime] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    """Field of `write_details` to its lifetime."""
    write_details: tuple[str, ...] = ()
    """An object with a field for each lifetime, or a list of `{ttl, inputTokens}`."""
    miss: tuple[str, ...] = ()
    """Input that was not read, where the API reports it beside the sum."""
    more_input: tuple[str, ...] = ()
    """Input counted beside `input`; absent means none."""
    more_output: tuple[str, ...] = ()
    """Output counted beside `output`; absent means none."""
    total: tuple[str, ...] = ()
    """Input and output together, as a check."""
    inside: tuple[str, ...] = ("usage",)
    """Where a whole answer holds the usage object."""
    source: str = ""
    checked: str = ""
    """When the facts were collected, as an ISO date."""
    status: Status = "documented"

    @property
    def has_writes(self) -> bool:
        """Whether the API reports writes; where not, they are billed as plain input, and there are none."""
        return bool(self.write)


_ANTHROPIC_PARTS: Final[Mapping[str, Lifetime]] = MappingProxyType(
    {"ephemeral_5m_input_tokens": "short", "ephemeral_1h_input_tokens": "long"}
)
_OPENAI_PARTS: Final[Mapping[str, Lifetime]] = MappingProxyType(
    {"ttl_30m_tokens": "short", "ttl_12h_tokens": "long"}
)
_TTL_PARTS: Final[Mapping[str, Lifetime]] = MappingProxyType({"5m": "short", "1h": "long"})


def _chat(
    name: str,
    source: str,
    checked: str,
    *,
    status: Status = "documented",
    read: tuple[str, ...] = ("prompt_tokens_details.cached_tokens",),
    write: tuple[str, ...] = (),
    write_details: tuple[str, ...] = (),
    write_parts: Mapping[str, Lifetime] = MappingProxyType({}),
    miss: tuple[str, ...] = (),
    more_output: tuple[str, ...] = (),
) -> UsageFormat:
    """The shape of chat completions: `prompt_tokens` holds everything."""
    return UsageFormat(
        name=name,
        includes_cache=True,
        input=("prompt_tokens",),
        output=("completion_tokens",),
        total=("total_tokens",),
        read=read,
        write=write,
        write_details=write_details,
        write_parts=write_parts,
        miss=miss,
        more_output=more_output,
        source=source,
        checked=checked,
        status=status,
    )


def _responses(name: str, source: str, checked: str, *, status: Status, writes: bool) -> UsageFormat:
    return UsageFormat(
        name=name,
        includes_cache=True,
        input=("input_tokens",),
        output=("output_tokens",),
        total=("total_tokens",),
        read=("input_tokens_details.cached_tokens",),
        write=("input_tokens_details.cache_write_tokens",) if writes else (),
        write_details=("input_tokens_details.cache_write_tokens_details",) if writes else (),
        write_parts=_OPENAI_PARTS,
        source=source,
        checked=checked,
        status=status,
    )


def _messages(name: str, source: str, checked: str, *, status: Status, writes: bool) -> UsageFormat:
    """The shape of Anthropic's Messages: `input_tokens` holds only what was neither read nor written."""
    return UsageFormat(
        name=name,
        includes_cache=False,
        input=("input_tokens",),
        output=("output_tokens",),
        read=("cache_read_input_tokens",),
        write=("cache_creation_input_tokens",) if writes else (),
        write_details=("cache_creation",) if writes else (),
        write_parts=_ANTHROPIC_PARTS,
        source=source,
        checked=checked,
        status=status,
    )


_OPENAI_SOURCE: Final = "OpenAI prompt caching guide; openai-python 3.57.0 types"
_LLAMA_SOURCE: Final = "llama.cpp 0c1e570, tools/server"
_ROWS: Final = (
    _chat(
        "openai-chat",
        _OPENAI_SOURCE,
        "2026-11-06",
        write=("prompt_tokens_details.cache_write_tokens",),
        write_details=("prompt_tokens_details.cache_write_tokens_details",),
        write_parts=_OPENAI_PARTS,
    ),
    _responses("openai-responses", _OPENAI_SOURCE, "2026-11-06", status="documented", writes=True),
    _messages(
        "anthropic",
        "Anthropic prompt caching guide; anthropic-python 2.15.0 types",
        "2026-08-21",
        status="documented",
        writes=True,
    ),
    UsageFormat(
        name="bedrock-converse",
        includes_cache=False,
        input=("inputTokens",),
        output=("outputTokens",),
        read=("cacheReadInputTokens",),
        write=("cacheWriteInputTokens",),
        write_details=("cacheDetails",),
        write_parts=_TTL_PARTS,
        source="Amazon Bedrock API reference, TokenUsage and CacheDetail",
        checked="2026-12-01",
    ),
    UsageFormat(
        name="gemini",
        includes_cache=True,
        input=("promptTokenCount", "prompt_token_count"),
        output=("candidatesTokenCount", "candidates_token_count"),
        read=("cachedContentTokenCount", "cached_content_token_count"),
        more_input=("toolUsePromptTokenCount", "tool_use_prompt_token_count"),
        more_output=("thoughtsTokenCount", "thoughts_token_count"),
        total=("totalTokenCount", "total_token_count"),
        inside=("usageMetadata", "usage_metadata"),
        source="ai.google.dev, GenerateContent usage metadata and context caching",
        checked="2026-10-13",
    ),
    UsageFormat(
        name="gemini-interactions",
        includes_cache=True,
        input=("total_input_tokens", "totalInputTokens"),
        output=("total_output_tokens", "totalOutputTokens"),
        read=("total_cached_tokens", "totalCachedTokens"),
        more_input=("total_tool_use_tokens", "totalToolUseTokens"),
        more_output=("total_thought_tokens", "totalThoughtTokens"),
        total=("total_tokens", "totalTokens"),
        source="Google GenAI SDK, Interactions usage",
        checked="2026-12-01",
    ),
    _chat(
        "deepseek",
        "api-docs.deepseek.com, context caching",
        "2026-10-27",
        read=("prompt_cache_hit_tokens",),
        miss=("prompt_cache_miss_tokens",),
    ),
    _chat(
        "kimi",
        "measurements of the Kimi coding endpoint (Leechael/pi-provider-kimi-code, docs/caching.md)",
        "2026-10-01",
        read=("cached_tokens", "prompt_tokens_details.cached_tokens"),
        status="measured by others",
    ),
    _messages(
        "kimi-messages",
        "Kimi coding endpoint; that input_tokens excludes reads is assumed from the Messages shape",
        "2026-10-01",
        status="assumed",
        writes=False,
    ),
    _chat(
        "qwen",
        "Alibaba Model Studio, Context Cache",
        "2026-10-11",
        write=("prompt_tokens_details.cache_creation_input_tokens",),
        write_details=("prompt_tokens_details.cache_creation",),
        write_parts=_ANTHROPIC_PARTS,
    ),
    _chat(
        "xai",
        "docs.x.ai, consumption: reasoning is counted beside completion_tokens, and in total_tokens",
        "2026-12-01",
        more_output=("completion_tokens_details.reasoning_tokens",),
    ),
    _chat("groq", "Groq prompt caching", "2026-12-01"),
    _chat("mistral", "Mistral prompt caching, OpenAI's names", "2026-12-01", status="assumed"),
    _chat("zai", "Z.ai context caching", "2026-12-01"),
    _chat(
        "openrouter",
        "OpenRouter usage accounting, OpenAI's names",
        "2026-12-01",
        write=("prompt_tokens_details.cache_write_tokens",),
        status="measured by others",
    ),
    _chat("vllm", "vLLM 0.32.0, --enable-prompt-tokens-details", "2026-12-01", status="verified"),
    _chat("sglang", "SGLang 0.5.23, --enable-cache-report", "2026-12-01"),
    _chat("mlx-lm", "mlx-lm 0.32.2 source", "2026-12-01"),
    UsageFormat(
        name="llamacpp",
        includes_cache=False,
        input=("prompt_n",),
        output=("predicted_n",),
        read=("cache_n",),
        inside=("timings",),
        source=f"{_LLAMA_SOURCE}, timings",
        checked="2026-12-01",
        status="verified",
    ),
    _chat("llamacpp-chat", f"{_LLAMA_SOURCE}, /v1/chat/completions", "2026-12-01", status="verified"),
    _responses(
        "llamacpp-responses",
        f"{_LLAMA_SOURCE}, /v1/responses",
        "2026-12-01",
        status="documented",
        writes=False,
    ),
    _messages(
        "llamacpp-messages", f"{_LLAMA_SOURCE}, /v1/messages", "2026-12-01", status="verified", writes=False
    ),
    UsageFormat(
        name="ollama",
        includes_cache=True,
        input=("prompt_eval_count",),
        output=("eval_count",),
        read=("prompt_eval_cached_count",),
        inside=(),
        source="Ollama api/types.go and openapi.yaml since 2026-08 (#17943)",
        checked="2026-12-01",
    ),
    UsageFormat(
        name="otel",
        includes_cache=True,
        input=("gen_ai.usage.input_tokens",),
        output=("gen_ai.usage.output_tokens",),
        read=("gen_ai.usage.cache_read.input_tokens",),
        write=("gen_ai.usage.cache_creation.input_tokens",),
        inside=(),
        source="OpenTelemetry GenAI semantic conventions",
        checked="2026-12-01",
    ),
)

FORMATS: Final[Mapping[str, UsageFormat]] = MappingProxyType({row.name: row for row in _ROWS})
"""Every format by its API's name. Azure OpenAI is `openai-chat` or `openai-responses`."""
