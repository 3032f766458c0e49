"""Ways of counting that write nothing out: a formula, and an estimate.

A `Counter` gives numbers where no text can be had. OpenAI's cookbook has a formula whose results for four
models are those of the API; Anthropic documents what its hidden tool prompt costs, and nothing of how tools
are written. What a counter passes over it names, and what it only estimates it marks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from tohlab.errors import RenderError
from tohlab.jsonpath import join_path
from tohlab.renderers.base import RendererProvenance
from tohlab.request import Request, ToolSchema


class Counts(Protocol):
    """What counts the tokens of a text; a `TokenMeter` does."""

    @property
    def name(self) -> str:
        """Such as `o200k_base`."""
        ...

    def count(self, text: str) -> int:
        """Return how many tokens the text is."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """What a counter found. The three parts are disjoint."""

    counter: str
    meter: str
    tools_tokens: int
    """Of the tools' names, descriptions and schemas."""
    messages_tokens: int
    """Of the system text and the messages."""
    overhead_tokens: int
    """Of what the service adds and nobody sees."""
    estimated: bool
    """Whether the service itself would come to another number."""
    uncounted: tuple[str, ...] = ()
    """Addresses of what the counter passes over."""

    @property
    def total_tokens(self) -> int:
        """All three parts."""
        return self.tools_tokens + self.messages_tokens + self.overhead_tokens


class Counter(ABC):
    """Counts a request without writing it out."""

    name: str
    provenance: RendererProvenance
    encodings: tuple[str, ...] = ()
    """The encodings it is defined for; empty: any."""

    def count(self, request: Request, meter: Counts) -> Count:
        """Return what the request comes to.

        Raises:
            RenderError: the meter counts tokens of another encoding.
        """
        if self.encodings and meter.name not in self.encodings:
            raise RenderError(
                f"it counts tokens of {' or '.join(self.encodings)}, not of {meter.name}; "
                f"use get_meter({self.encodings[0]!r})",
                renderer=self.name,
            )
        return self._count(request, meter)

    @abstractmethod
    def _count(self, request: Request, meter: Counts) -> Count: ...


FormulaModel = Literal["gpt-4o", "gpt-4o-mini", "gpt-4", "gpt-3.5-turbo"]
_TOOL_START: Final[Mapping[str, int]] = {"gpt-4o": 7, "gpt-4o-mini": 7, "gpt-4": 10, "gpt-3.5-turbo": 10}
_PROPERTIES_START: Final = 3
_PROPERTY: Final = 3
_ENUM_START: Final = -3
_ENUM_ITEM: Final = 3
_TOOLS_END: Final = 12
_MESSAGE: Final = 3
_ANSWER_START: Final = 3


class OpenAIFormula(Counter):
    """The cookbook's formula: exact for flat tools of four models, blind to everything that is nested.

    It is defined for those model names only, and says nothing of tool calls in the conversation.

    Args:
        model: one of `gpt-4o`, `gpt-4o-mini`, `gpt-4`, `gpt-3.5-turbo`.

    Raises:
        RenderError: another model.
    """

    provenance = RendererProvenance(
        source="OpenAI cookbook, How to count tokens with tiktoken (checked there: 101 and 105)",
        fidelity="documented",
        date="2026-12-01",
    )

    def __init__(self, model: str = "gpt-4o") -> None:
        self.name = f"openai-formula:{model}"
        if model not in _TOOL_START:
            raise RenderError(
                f"it is not defined for {model}, only for {', '.join(_TOOL_START)}", renderer="openai-formula"
            )
        self.encodings = ("o200k_base",) if model.startswith("gpt-4o") else ("cl100k_base",)
        self._start = _TOOL_START[model]

    def _count(self, request: Request, meter: Counts) -> Count:
        uncounted: list[str] = []
        tools = sum(self._tool(t, f"tools[{i}]", meter, uncounted) for i, t in enumerate(request.tools))
        if request.tools:
            tools += _TOOLS_END
        rows = [("system", request.system)] if request.system else []
        for i, message in enumerate(request.messages):
            rows.append((message.role, message.text))
            uncounted += (f"messages[{i}].tool_calls[{j}]" for j in range(len(message.tool_calls)))
            uncounted += [f"messages[{i}].reasoning"] if message.reasoning else []
        messages = sum(_MESSAGE + meter.count(role) + meter.count(text) for role, text in rows)
        return Count(
            counter=self.name,
            meter=meter.name,
            tools_tokens=tools,
            messages_tokens=messages + _ANSWER_START if rows else 0,
            overhead_tokens=0,
            estimated=bool(uncounted),
            uncounted=tuple(uncounted),
        )

    def _tool(self, tool: ToolSchema, path: str, meter: Counts, uncounted: list[str]) -> int:
        tokens = self._start + meter.count(f"{tool.name}:{tool.description.removesuffix('.')}")
        properties = tool.parameters.get("properties")
        if not isinstance(properties, Mapping) or not properties:
            return tokens
        tokens += _PROPERTIES_START
        for key, value in properties.items():
            schema = value if isinstance(value, Mapping) else {}
            at = join_path(f"{path}.parameters.properties", key)
            kind = schema.get("type", "")
            text = str(schema.get("description", "")).removesuffix(".")
            tokens += _PROPERTY + meter.count(f"{key}:{kind if isinstance(kind, str) else ''}:{text}")
            if isinstance(schema.get("enum"), list):
                tokens += _ENUM_START + sum(_ENUM_ITEM + meter.count(str(v)) for v in schema["enum"])
            uncounted += _passed_over(schema, at)
        return tokens


_NESTED: Final = ("properties", "items", "oneOf", "anyOf", "allOf", "prefixItems", "additionalProperties")


def _passed_over(schema: Mapping[str, Any], path: str) -> Iterator[str]:
    for key in _NESTED:
        if isinstance(schema.get(key), (Mapping, Sequence)) and not isinstance(schema[key], str):
            yield f"{path}.{key}"
    if not isinstance(schema.get("type", ""), str):
        yield f"{path}.type"


AnthropicChoice = Literal["auto", "any"]
ANTHROPIC_TOOL_PROMPTS: Final[Mapping[str, tuple[int, int]]] = {
    "claude-opus-5": (286, 406),
    "claude-opus-4-8": (290, 410),
    "claude-opus-4-7": (675, 804),
    "claude-opus-4-6": (497, 589),
    "claude-opus-4-5": (496, 588),
    "claude-sonnet-4-6": (497, 589),
    "claude-sonnet-4-5": (496, 588),
    "claude-haiku-4-5": (496, 588),
    "claude-sonnet-5": (354, 474),
    "claude-opus-4-1": (313, 315),
    "claude-opus-4": (313, 315),
    "claude-sonnet-4": (313, 315),
    "claude-haiku-3-5": (264, 355),
}
"""What the hidden prompt costs that comes with the first tool, by model: for the tool choices `auto` and
`none`, and for `any` and a named tool (Anthropic's tool use overview, 2026-08-20)."""


class AnthropicEstimate(Counter):
    """Documented overheads, and the rest in a tokenizer that is not Anthropic's: an estimate, marked as one.

    Since Opus 4.7 the models' own tokenizer gives about 30 % more tokens than the one before; no public
    tokenizer is either. How tools are written is not published; compact JSON is counted.

    Args:
        model: one of `ANTHROPIC_TOOL_PROMPTS`.
        tool_choice: `auto` (also for `none`) or `any` (also for a named tool).

    Raises:
        RenderError: a model whose overhead is not known here, or another tool choice.
    """

    provenance = RendererProvenance(
        source="Anthropic, tool use overview: tool use system prompt tokens",
        fidelity="documented",
        date="2026-08-20",
    )

    def __init__(self, model: str = "claude-opus-5", *, tool_choice: str = "auto") -> None:
        self.name = f"anthropic-estimate:{model}"
        if model not in ANTHROPIC_TOOL_PROMPTS:
            raise RenderError(
                f"the overhead of {model} is not known here; known: {', '.join(ANTHROPIC_TOOL_PROMPTS)}",
                renderer="anthropic-estimate",
            )
        if tool_choice not in ("auto", "any"):
            raise RenderError(f"tool_choice must be auto or any, not {tool_choice!r}", renderer=self.name)
        self._overhead = ANTHROPIC_TOOL_PROMPTS[model][tool_choice == "any"]

    def _count(self, request: Request, meter: Counts) -> Count:
        tools = sum(meter.count(tool.to_json()) for tool in request.tools)
        rest = Request(system=request.system, messages=request.messages)
        return Count(
            counter=self.name,
            meter=meter.name,
            tools_tokens=tools,
            messages_tokens=sum(meter.count(segment.text) for segment in rest.segments()),
            overhead_tokens=self._overhead if request.tools else 0,
            estimated=True,
        )
