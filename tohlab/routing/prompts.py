"""A case as the request that the harness would send for it.

The request is built by `Session`, or for a harness that lists its skills once by `harness_request`, so it is
what the harness sends and not an imitation. What is chosen here every report names:

placement
    `opening`: the catalog stands where the harness puts it when a session is opened, and the user's text
    follows. For a catalog that is a message of its own it was published in an earlier step, the state in
    which an engine can reuse it from one request to the next.
    `same-step`: the first step of a fresh session; the harness puts the catalog after the user's text. Only
    harnesses whose catalog is such a message have it.
    `system`, `user`, `tool-description`: the list at the end of the system text, before the text in the
    user's own message, or at the end of the load tool's description. Not what the harness sends, unless that
    is its own place, and then a note says so.
choice
    `tools`: the load tool with `tool_choice: auto`; what the harness sends. Several calls give a set.
    `required`, `named`: the service is told that some tool, or the load tool, must be called, so that "no
    skill" cannot be answered. Some engines take it as a wish. Not what the harness sends.
    `none`: the service is told that no tool may be called; what is left is a call written as text.
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

from tohlab.dialects import Dialect
from tohlab.dialects.harness import Harness
from tohlab.errors import RoutingError
from tohlab.request import Message, Request, ToolSchema, text_message
from tohlab.routing.answers import NO_SKILL, Answer, Names, read_answer
from tohlab.routing.bodies import Bodies
from tohlab.routing.client import ChatReply, ChatRequest
from tohlab.routing.placing import place_catalog
from tohlab.routing.unloaded import unloaded, unloaded_notes
from tohlab.routing.wires import CATALOG, Limit, Wire, find_wire
from tohlab.skills.model import Problem, SkillSource

Choice = Literal["tools", "json", "required", "named", "none"]
Placement = Literal["opening", "same-step", "system", "user", "tool-description"]

_CHOICE_NOTES: Final[Mapping[str, str]] = {
    "required": "choice required: the service was told that some tool must be called, so a case without a "
    "skill cannot be right where it obeys (some engines take it as a wish); not what the harness sends",
    "named": "choice named: the service was told to call the load tool, so a case without a skill cannot be "
    "right where it obeys; not what the harness sends",
    "none": "choice none: the service was told that no tool may be called, so only calls written as text are "
    "seen; not what the harness sends",
}

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompter:
    """Builds the chat request of each case; made by `prompter`."""

    wire: Wire
    """The harness's own request, before anything is chosen."""
    unloaded: tuple[Problem, ...]
    """What kept files of the source from giving a skill."""
    tool_name: str
    """The load tool's name; empty where the harness has none (choice `json` only)."""
    argument: str
    """By which of its arguments the load tool is told the skill."""
    model: str
    choice: Choice
    placement: Placement
    enumerate_names: bool | None
    """Whether the names are an enum in the load tool's (or in `json` the answer's) schema; None: as the
    harness, and `json`, have it."""
    bodies: Bodies = field(repr=False, compare=False)
    """What is sent for the messages and tools that all requests share."""
    response_format: Mapping[str, Any] | None = field(repr=False)
    temperature: float | None
    seed: int | None
    max_tokens: int | None
    logprobs: int | None
    notes: tuple[str, ...]
    """What of this the harness does not send, and how sure its texts are."""

    @property
    def dialect(self) -> Dialect | Harness:
        """Whose texts are sent."""
        return self.wire.dialect

    @property
    def book(self) -> Names:
        """The names in the catalog that is in force, and what else the conversation knows of names."""
        return self.wire.book

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

    def read(self, reply: ChatReply, names: Names) -> Answer:
        """Return what a reply asks to load."""
        return read_answer(
            reply,
            names,
            choice=self.choice,
            tool_name=self.tool_name,
            argument=self.argument,
            paths=self.wire.paths,
        )

    def _placed(self, wire: Request) -> Request:
        if self.placement in ("opening", "same-step"):
            return wire
        texts = self.wire.catalog_texts(wire)
        return place_catalog(wire, texts, self.placement, self.tool_name, own=self.wire.place)

    def ask_often(self, query: str, replicates: Iterable[int]) -> list[tuple[ChatRequest, Names]]:
        """Return what `ask` gives for each of these replicates; the harness's text is made once.

        What requests of one prompter have in common (the catalog's message, the tools) they share as one
        value, so a great many of them take little room and their keys are quickly made.
        """
        wire = self.wire.request(query)
        loaded = tuple(str(m.source["name"]) for m in wire.messages if m.kind == "skill-invocation")
        names = replace(self.book, loaded=loaded) if loaded else self.book
        first = self._chat(self._placed(wire))
        if self.seed is None:
            return [(first, names) for _ in replicates]
        return [(replace(first, seed=self.seed + replicate), names) for replicate in replicates]

    def _chat(self, wire: Request) -> ChatRequest:
        common: dict[str, Any] = {
            "model": self.model,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "logprobs": self.logprobs,
        }
        if self.choice == "json":
            return ChatRequest(
                messages=self.bodies.of_messages(wire.system, _with_instruction(wire)),
                response_format=self.response_format,
                **common,
            )
        return ChatRequest(
            messages=self.bodies.of_messages(wire.system, wire.messages),
            tools=self.bodies.of_tools(wire.tools, self._enumerated),
            tool_choice=_tool_choice(self.choice, self.tool_name),
            **common,
        )

    def _enumerated(self, tool: ToolSchema) -> ToolSchema:
        if self.enumerate_names is None or tool.name != self.tool_name:
            return tool
        properties = dict(tool.parameters["properties"])
        own = {key: value for key, value in properties[self.argument].items() if key != "enum"}
        properties[self.argument] = {**own, "enum": list(self.names)} if self._listed else own
        return replace(tool, parameters={**tool.parameters, "properties": properties})

    @property
    def _listed(self) -> bool:
        return bool(self.enumerate_names and self.names)  # an empty enum is no JSON schema


def prompter(
    source: SkillSource,
    *,
    model: str,
    dialect: str | Dialect | Harness = "toh",
    choice: Choice = "tools",
    placement: Placement = "opening",
    temperature: float | None = 0.0,
    seed: int | None = None,
    max_tokens: int | None = 256,
    earlier: SkillSource | None = None,
    description_limit: Limit = "own",
    enumerate_names: bool | None = None,
    logprobs: int | None = None,
) -> Prompter:
    """Return what builds the requests for one catalog and one way of asking.

    Raises:
        RoutingError: `choice` or `placement` is none of the known words, or nothing that this harness can be
            asked with.
        DatasetError: the source has no skill that the dialect's catalog shows, and there was no earlier one.
    """
    for what, value, known in (
        ("choice", choice, get_args(Choice)),
        ("placement", placement, get_args(Placement)),
    ):
        if value not in known:
            raise RoutingError(f"there is no {what} {value!r}; known: {', '.join(known)}")
    wire = find_wire(dialect, source, placement=placement, limit=description_limit, earlier=earlier)
    tool = next((t for t in wire.tools if t.name == wire.load_tool), None)
    _check(wire, tool, choice, placement, enumerate_names)
    problems = unloaded(source)
    return Prompter(
        wire=wire,
        unloaded=problems,
        tool_name=tool.name if tool is not None else "",
        argument=str(tool.parameters["required"][0]) if tool is not None else "name",
        model=model,
        choice=choice,
        placement=placement,
        enumerate_names=enumerate_names,
        bodies=Bodies((*wire.common, _INSTRUCTION)),
        response_format=_names_format(wire.book.catalog, enumerate_names is not False)
        if choice == "json"
        else None,
        temperature=temperature,
        seed=seed,
        max_tokens=max_tokens,
        notes=(
            *unloaded_notes(problems),
            *wire.notes,
            *_notes(wire.place, choice, placement, enumerate_names),
        ),
        logprobs=logprobs,
    )


def _check(
    wire: Wire, tool: ToolSchema | None, choice: str, placement: str, enumerate_names: bool | None
) -> None:
    name = wire.dialect.name
    if tool is None and choice != "json":
        raise RoutingError(
            f"{name} has no tool that loads a skill (a model reads its file with other tools), so it cannot "
            "be asked with tools; use the choice json"
        )
    own = wire.place
    if choice == "json" and "tool-description" in (own if placement == "opening" else placement,):
        raise RoutingError(
            "the choice json leaves the tools out, and with them a list that stands in a tool's description; "
            "use the choice tools"
        )
    if own == "tool-description" and placement not in ("opening", own):
        raise RoutingError(f"the list of {name} is a sentence of its tool's description and cannot be moved")
    if placement == "tool-description" and tool is None:
        raise RoutingError(f"{name} has no tool that loads a skill, so no list can stand in its description")
    if enumerate_names and wire.paths and choice != "json":
        raise RoutingError(f"{name} loads a skill by its file's path, so names cannot be listed in the tool")


def _notes(place: str, choice: str, placement: str, enumerate_names: bool | None) -> list[str]:
    notes = [_CHOICE_NOTES[choice]] if choice in _CHOICE_NOTES else []
    if placement not in ("opening", "same-step", place):
        notes.append(f"placement {placement}: not what the harness sends")
    if enumerate_names is not None:
        how = "are" if enumerate_names else "are not"
        notes.append(f"the names {how} listed in the schema by order of this run, whatever the harness does")
    return notes


def _tool_choice(choice: str, tool_name: str) -> str | Mapping[str, Any]:
    if choice == "named":
        return {"type": "function", "function": {"name": tool_name}}
    return "auto" if choice == "tools" else choice


def _with_instruction(wire: Request) -> tuple[Message, ...]:
    messages = list(wire.messages)
    last = max((i for i, m in enumerate(messages) if m.kind == CATALOG), default=None)
    # A list that is no message stands before the user's text in every case, and so does this then.
    at = last + 1 if last is not None else max(i for i, m in enumerate(messages) if m.kind == "user")
    messages.insert(at, _INSTRUCTION)
    return tuple(messages)


def _names_format(names: Sequence[str], listed: bool) -> Mapping[str, Any]:
    item: dict[str, Any] = {"type": "string"}
    if listed:
        item["enum"] = [*names, NO_SKILL]
    schema = {
        "type": "object",
        "properties": {"skills": {"type": "array", "items": item, "minItems": 1, "maxItems": 4}},
        "required": ["skills"],
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": "skills", "strict": True, "schema": schema}}
