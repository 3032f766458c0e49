"""Where a harness's skills stand in a request: `harness_request` puts list, load tool and talk together.

What a harness says about itself decides: the place of its list, the order of its tools, what a change of
the skills does. Texts that a program adds beside those (its own system prompt, dates, folders) are not part
of it: the conversation brings its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from tohlab.dialects.change import AfterChange
from tohlab.dialects.harness import FileTree, Harness, Listing, Loaded, Setting
from tohlab.dialects.harnesses import get_harness
from tohlab.errors import RequestError
from tohlab.request import Message, Request, Role, Span, TextBlock, ToolSchema

CATALOG: Final = "skill-catalog"
"""The kind of a message that tells of the skills there are."""

_ROLES: Final[Mapping[str, Role]] = MappingProxyType({"developer": "system", "user": "user"})
_SCHEMA_KEYS: Final = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema")


def harness_request(
    harness: str | Harness,
    skills: Loaded | FileTree,
    setting: Setting | None = None,
    *,
    system: str = "",
    tools: Iterable[ToolSchema] = (),
    messages: Iterable[Message] = (),
    change: AfterChange | None = None,
    blocks: bool = False,
) -> Request:
    """Return the request of a harness: its list in its place, its load tool among the tools, then the talk.

    A list in the system text stands at its end; one in the developer's or the user's place is a message of
    its own before the first user message, or behind it where the harness says so. What a change appends
    stands before the last user message.

    Args:
        harness: by name or as a `Harness`.
        skills: what it loads them from, or what it loaded.
        setting: its run; the harness's own unless given.
        system: the system text without skills.
        tools: the agent's other tools, in wire order.
        messages: the talk.
        change: what a change of the skills did (`tohlab.dialects.change.after_change`); without it the
            request is that of a session that began with `skills`.
        blocks: send the system text as a message of blocks, one for each entry of the list, where the list
            stands in it; an API that takes a list of blocks allows that, and a cache may end at each.

    Raises:
        UnknownDialect: no harness of that name.
        UnsupportedByDialect: what the harness's own list raises.
    """
    rules = get_harness(harness)
    run = setting or Setting()
    loaded = rules.load(skills, run) if isinstance(skills, FileTree) else skills
    listing = change.listing if change else rules.listing(loaded, run)
    talk = list(messages)
    if listing.text and rules.place in _ROLES:
        first = next((i for i, m in enumerate(talk) if m.role == "user"), len(talk))
        place = first + 1 if rules.behind_opening and first < len(talk) else first
        talk.insert(place, _told(_ROLES[rules.place], listing.text, listing.spans))
    if change and change.appended:
        last = next((i for i in range(len(talk) - 1, -1, -1) if talk[i].role == "user"), len(talk))
        role = _ROLES.get(rules.place, "user")
        entries = rules.listing(change.reached, run)
        talk[last:last] = [_told(role, text, _entries_in(text, entries)) for text in change.appended]
    parts = [TextBlock(text=system)] if system else []
    if listing.text and rules.place == "system":
        before = "\n\n" if system else ""
        parts += [TextBlock(text=part) for part in _entries_of(before, listing)]
    offered = _with_load_tools(rules, tuple(tools), change.tools if change else rules.tools(loaded, run))
    if blocks and parts:
        head = Message(role="system", content=tuple(parts), source=MappingProxyType({"kind": "system"}))
        return Request(tools=offered, messages=(head, *talk))
    return Request(tools=offered, system="".join(part.text for part in parts), messages=tuple(talk))


def tool_of(given: Mapping[str, Any]) -> ToolSchema:
    """Return a tool in the form in which any of the APIs takes it.

    Raises:
        RequestError: no form that is known.
    """
    inner = given.get("function")
    tool = inner if isinstance(inner, Mapping) else given
    schema = next((tool[key] for key in _SCHEMA_KEYS if key in tool), None)
    if not isinstance(tool.get("name"), str) or not isinstance(schema, Mapping):
        raise RequestError(f"a tool needs a name and one of {', '.join(_SCHEMA_KEYS)}; it has {sorted(tool)}")
    return ToolSchema(name=tool["name"], description=str(tool.get("description", "")), parameters=schema)


def _told(role: Role, text: str, spans: tuple[Span, ...]) -> Message:
    block = TextBlock(text=text, spans=spans)
    return Message(role=role, content=(block,), source=MappingProxyType({"kind": CATALOG}))


def _entries_in(text: str, listing: Listing) -> tuple[Span, ...]:
    """The entries of a list where they stand word for word in another text, in order."""
    found: list[Span] = []
    at = 0
    for span in listing.spans:
        entry = listing.text[span.start : span.stop]
        start = text.find(entry, at)
        if entry and start >= 0:
            at = start + len(entry)
            found.append(Span(label=span.label, start=start, stop=at))
    return tuple(found)


def _entries_of(before: str, listing: Listing) -> list[str]:
    """The list cut behind each entry; what follows the last one is a part of its own."""
    cuts = [0, *(span.stop for span in listing.spans), len(listing.text)]
    parts = [listing.text[a:b] for a, b in itertools.pairwise(cuts)]
    parts[0] = before + parts[0]
    return [part for part in parts if part]


def _with_load_tools(
    rules: Harness, tools: tuple[ToolSchema, ...], offered: Iterable[Mapping[str, Any]]
) -> tuple[ToolSchema, ...]:
    """Load tools stand where the program puts them, as far as that was seen; else behind the others."""
    order = list(tools)
    for given in offered:
        tool = tool_of(given)
        known = tool.name in rules.tool_order
        place = rules.tool_order.index(tool.name) if known else len(order)
        order.insert(min(place, len(order)), tool)
    return tuple(order)
