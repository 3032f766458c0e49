"""A case as the request that the harness would send for it.

The request is built by `Session`, so it is what the harness sends and not an imitation. Two things are chosen
here, and every report names both:

placement
    `same-step`: the first step of a fresh session; the harness puts the catalog after the user's text.
    `opening`: the catalog was published in an earlier step, and the user's text follows it. Also a state that
    the harness has, and the one in which an engine can reuse the catalog from one request to the next.
choice
    `tools`: the `skill` tool with `tool_choice: auto`; what the harness sends. Several calls give a set.
    `json`: not what the harness sends. The tool is left out; one message after the catalog asks for the names
    as JSON, and the service is held to a JSON schema whose enum are the names. Small local models need it.

What the conversation knows of names is part of it: with an `earlier` catalog the session was told that one
first, and the harness's own update (or the text that no skill is left) stands before the request; a skill
that the user's text starts by itself (`/name`) is loaded already when the model answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, get_args

from tohlab.dialects import Dialect, get_dialect
from tohlab.errors import DatasetError, RoutingError
from tohlab.request import Message, Request, text_message
from tohlab.routing.answers import NO_SKILL, Names
from tohlab.routing.client import ChatRequest
from tohlab.session import Event, Session
from tohlab.skills.model import LoadedSkill, SkillSource, Snapshot

Choice = Literal["tools", "json"]
Placement = Literal["opening", "same-step"]

JSON_INSTRUCTION = (
    "Do not answer the request itself. Decide which skills from the session skill catalog must be loaded "
    'for it. Answer only with JSON: {"skills": ["<exact skill name>"]}. Many requests need no skill: '
    f'if no listed description covers what is asked, answer {{"skills": ["{NO_SKILL}"]}}. Name two '
    "skills only if the request asks for two things."
)
"""The one message that `json` adds to what the harness sends.

No skill is a word of its own and not an empty list: a small model that is held to a grammar hardly ever
closes a list that it has just opened.
"""
_INSTRUCTION: Final = text_message("user", JSON_INSTRUCTION, kind="routing-instruction")


class _Fixed:
    """A source as it was at the start of the run, so that every case sees the same catalog."""

    def __init__(self, source: SkillSource) -> None:
        self._source = source
        self._snapshot = source.snapshot()

    def snapshot(self) -> Snapshot:
        return self._snapshot

    def load(self, name: str) -> LoadedSkill | None:
        return self._source.load(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompter:
    """Builds the chat request of each case; made by `prompter`."""

    source: SkillSource
    dialect: Dialect
    book: Names
    """The names in the catalog that is in force, and what else the conversation knows of names."""
    tool_name: str
    model: str
    choice: Choice
    placement: Placement
    opened: Session
    """What was said before the request: the catalog for `opening`, else nothing. No step is taken in it."""
    said: Mapping[int, tuple[Message, Mapping[str, Any]]] = field(repr=False, compare=False)
    """The messages that all requests share, by their `id()`, each with what is sent for it."""
    tools: tuple[Mapping[str, Any], ...] = field(repr=False)
    response_format: Mapping[str, Any] | None = field(repr=False)
    temperature: float | None
    seed: int | None
    max_tokens: int | None

    @property
    def names(self) -> tuple[str, ...]:
        """The names in the catalog, in catalog order."""
        return self.book.catalog

    def request(self, query: str, replicate: int = 0) -> ChatRequest:
        """Return the request for a user's text; a seed is raised by the replicate's number."""
        return self.ask(query, replicate)[0]

    def ask(self, query: str, replicate: int = 0) -> tuple[ChatRequest, Names]:
        """Return the request for a user's text, and which names its answer is read against."""
        return self.ask_often(query, (replicate,))[0]

    def ask_often(self, query: str, replicates: Iterable[int]) -> list[tuple[ChatRequest, Names]]:
        """Return what `ask` gives for each of these replicates; the harness's text is made once.

        What requests of one prompter have in common (the catalog's message, the tools) they share as one
        value, so a great many of them take little room and their keys are quickly made.
        """
        wire = self.opened.fork().user(query)
        loaded = tuple(str(m.source["name"]) for m in wire.messages if m.kind == "skill-invocation")
        names = replace(self.book, loaded=loaded) if loaded else self.book
        first = self._chat(wire)
        if self.seed is None:
            return [(first, names) for _ in replicates]
        return [(replace(first, seed=self.seed + replicate), names) for replicate in replicates]

    def _chat(self, wire: Request) -> ChatRequest:
        common: dict[str, Any] = {
            "model": self.model,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
        }
        if self.choice == "tools":
            return ChatRequest(
                messages=self._bodies(wire.messages), tools=self.tools, tool_choice="auto", **common
            )
        return ChatRequest(
            messages=self._bodies(_with_instruction(wire)), response_format=self.response_format, **common
        )

    def _bodies(self, messages: tuple[Message, ...]) -> tuple[Mapping[str, Any], ...]:
        said = self.said
        return tuple(said[id(m)][1] if id(m) in said else m.to_openai() for m in messages)


def prompter(
    source: SkillSource,
    *,
    model: str,
    dialect: str | Dialect = "toh",
    choice: Choice = "tools",
    placement: Placement = "opening",
    temperature: float | None = 0.0,
    seed: int | None = None,
    max_tokens: int | None = 256,
    earlier: SkillSource | None = None,
) -> Prompter:
    """Return what builds the requests for one catalog and one way of asking.

    Raises:
        RoutingError: `choice` or `placement` is none of the known words.
        DatasetError: the source has no skill that the dialect's catalog shows, and there was no earlier one.
    """
    for what, value, known in (
        ("choice", choice, get_args(Choice)),
        ("placement", placement, get_args(Placement)),
    ):
        if value not in known:
            raise RoutingError(f"there is no {what} {value!r}; known: {', '.join(known)}")
    found = get_dialect(dialect)
    fixed = _Fixed(source)
    snapshot = fixed.snapshot()
    names = found.catalog_of(snapshot).names
    before = () if earlier is None else found.catalog_of(earlier.snapshot()).names
    if not names and not before:
        raise DatasetError("the catalog is empty: no skill that a model may load was found")
    history: tuple[Event, ...] = ()
    for told in (*([earlier] if earlier is not None else []), *([fixed] if placement == "opening" else [])):
        opening = Session(told, found, history=history)
        opening.next_request()
        history = opening.history
    opened = Session(fixed, found, history=history)
    shared = (*opened.fork().next_request().messages, _INSTRUCTION)
    book = Names(
        catalog=names,
        stale=tuple(name for name in before if name not in names),
        hidden=tuple(s.name for s in snapshot.skills if not s.invocation.model_invocable),
    )
    return Prompter(
        source=fixed,
        dialect=found,
        book=book,
        tool_name=found.skill_tool().name,
        model=model,
        choice=choice,
        placement=placement,
        opened=opened,
        said={id(message): (message, message.to_openai()) for message in shared},
        tools=tuple(opened.request.to_openai()["tools"]),
        response_format=_names_format(names) if choice == "json" else None,
        temperature=temperature,
        seed=seed,
        max_tokens=max_tokens,
    )


def _with_instruction(wire: Request) -> tuple[Message, ...]:
    messages: list[Message] = []
    last = max((i for i, m in enumerate(wire.messages) if m.kind == "skill-catalog"), default=None)
    for i, message in enumerate(wire.messages):
        messages.append(message)
        if i == last:
            messages.append(_INSTRUCTION)
    return tuple(messages)


def _names_format(names: Sequence[str]) -> Mapping[str, Any]:
    item = {"type": "string", "enum": [*names, NO_SKILL]}
    schema = {
        "type": "object",
        "properties": {"skills": {"type": "array", "items": item, "minItems": 1, "maxItems": 4}},
        "required": ["skills"],
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": "skills", "strict": True, "schema": schema}}
