"""What every renderer is: a way of writing a request out, in which every character keeps its address.

A `Renderer` turns a `Request` into a `Rendered`: pieces in order, each a text or one special token, each with
the section, the role and the address of what it stands for. The pieces that the format itself adds have no
address. What a format does with tools, which schema keys it leaves out and where the tools stand, is found by
rendering probes, so that it is a fact of the renderer and not a belief about it.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from itertools import accumulate
from typing import Any, Final, Literal, Self

from tohlab.addresses import stretches
from tohlab.request import Request, Segment, ToolSchema, text_message

Section = Literal["tools", "system", "messages", "generation"]
"""`generation`: what a format writes behind the last message so that the model begins its answer."""

ToolsPosition = Literal[
    "not shown",
    "before the system text",
    "after the system text",
    "before the last user message",
    "at the end",
]
Fidelity = Literal["executed", "source", "documented", "reconstructed", "definition"]
"""How sure the way of writing is: held against the running program; read in its source; written in a
document; put together from outside; or `definition`, where the renderer is tohlab's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RendererProvenance:
    """Where a way of writing comes from."""

    source: str
    """The program or document, with its version."""
    fidelity: Fidelity
    date: str
    """When it was read or run, as an ISO date; empty for a template of yours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of a rendering with one address."""

    text: str
    """For a special token its spelling, such as `<|start|>`."""
    section: Section
    role: str = ""
    """Of the message; empty for what belongs to none."""
    path: str = ""
    """Whose text it is: `tools[0].description`, `skills["pdf"]`, `messages[2].content[0]`. Empty: the
    format's own."""
    segment: str = ""
    """The path of the request's segment in which it stands word for word; empty where it does not."""
    offset: int = 0
    """Where in that segment's text it begins, counted from 0."""
    special: bool = False
    """One token of the encoding; content never becomes one, however it is spelled."""
    border: bool = False
    """No text: what is before it is encoded apart from what comes after, as if a token stood there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A request written out. The pieces in order are the whole text."""

    renderer: str
    pieces: tuple[Piece, ...]
    unplaced: tuple[str, ...] = ()
    """Addresses of texts that the format shows changed, or not at all, so that they are in no piece."""
    _starts: tuple[int, ...] = field(default=(), init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts = tuple(accumulate((len(piece.text) for piece in self.pieces), initial=0))
        object.__setattr__(self, "_starts", starts)

    @property
    def text(self) -> str:
        """Everything, with special tokens as they are spelled."""
        return "".join(piece.text for piece in self.pieces)

    def piece_at(self, character: int) -> Piece:
        """Return the piece in which a character lies.

        Raises:
            IndexError: the text has no such character.
        """
        if not 0 <= character < self._starts[-1]:
            raise IndexError(
                f"the text has {self._starts[-1]:,} characters; there is no character {character:,}"
            )
        return self.pieces[bisect_right(self._starts, character) - 1]

    def path_at(self, character: int) -> str:
        """Return the address of a character; empty for one that the format itself adds."""
        return self.piece_at(character).path

    def runs(self) -> Iterator[tuple[str, bool, tuple[Piece, ...]]]:
        """Yield what is encoded together: its text, whether it is a special token, and its pieces."""
        together: list[Piece] = []
        for piece in self.pieces:
            if piece.special or piece.border:
                if together:
                    yield "".join(p.text for p in together), False, tuple(together)
                    together = []
                if piece.special:
                    yield piece.text, True, (piece,)
            elif piece.text:
                together.append(piece)
        if together:
            yield "".join(p.text for p in together), False, tuple(together)


class Renderer(ABC):
    """One way of writing a request out."""

    name: str
    """What a count made with it is named after, such as `harmony` or `jinja:1f0c9a…`."""
    provenance: RendererProvenance
    encodings: tuple[str, ...] = ()
    """The encodings whose tokens its text is made of; empty: any."""

    @abstractmethod
    def render(self, request: Request, *, generation_prompt: bool = False) -> Rendered:
        """Return the request written out. The same request gives the same text.

        Args:
            request: what is sent.
            generation_prompt: also write what makes the model begin its answer.

        Raises:
            RenderError: the format cannot write this request.
        """

    def on(self, day: date) -> Self:
        """Return the renderer as it is on another day; itself where the day is not written."""
        return self

    def dropped_keys(self) -> tuple[str, ...]:
        """Return the schema keys that leave no trace in the text: free to change for the prompt cache.

        Raises:
            RenderError: the format writes no request with tools at all.
        """
        without = self.render(_probe(PROBE_SCHEMA)).text
        return tuple(
            key
            for key, (name, value) in PROBE_KEYS.items()
            if self.render(_probe(_with_key(key, name, value))).text == without
        )

    @property
    def tools_position(self) -> ToolsPosition:
        """Where the tools stand."""
        text = self.render(_TWO_TURNS).text
        tool, system = text.find(_WORDS["tool"]), text.find(_WORDS["system"])
        first, last = text.find(_WORDS["first"]), text.find(_WORDS["last"])
        if tool < 0:
            return "not shown"
        if 0 <= first < tool < last:
            return "before the last user message"
        if tool < system or (system < 0 and tool < first):
            return "before the system text"
        if tool < first or first < 0:
            return "after the system text"
        return "at the end"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


PROBE_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "description": "A text."},
        "number": {"type": "number", "description": "A number."},
        "list": {"type": "array", "items": {"type": "string"}, "description": "A list."},
        "object": {
            "type": "object",
            "properties": {"inner": {"type": "string", "description": "An inner text."}},
            "description": "An object.",
        },
    },
    "required": ["text"],
}
PROBE_KEYS: Final[Mapping[str, tuple[str, Any]]] = {
    "title": ("text", "Heading"),
    "default": ("text", "something"),
    "examples": ("text", ["example"]),
    "enum": ("text", ["one", "two"]),
    "const": ("text", "one"),
    "format": ("text", "date-time"),
    "pattern": ("text", "^x+$"),
    "minLength": ("text", 7),
    "maxLength": ("text", 77),
    "nullable": ("text", True),
    "deprecated": ("text", True),
    "minimum": ("number", 7),
    "maximum": ("number", 77),
    "exclusiveMinimum": ("number", 7),
    "exclusiveMaximum": ("number", 77),
    "multipleOf": ("number", 7),
    "minItems": ("list", 7),
    "maxItems": ("list", 77),
    "uniqueItems": ("list", True),
    "additionalProperties": ("object", False),
    "required": ("object", ["inner"]),
    "minProperties": ("object", 1),
    "$comment": ("text", "a remark"),
}
"""Each schema key with the property of `PROBE_SCHEMA` that gets it, and the value that it gets there."""

_WORDS: Final = {
    "tool": "What the probing tool does",
    "system": "Words of the probing system",
    "first": "Words of the first question",
    "last": "Words of the last question",
}


def _probe(schema: Mapping[str, Any]) -> Request:
    tool = ToolSchema(name="probe", description=_WORDS["tool"], parameters=schema)
    return Request(tools=(tool,), system=_WORDS["system"], messages=(text_message("user", _WORDS["last"]),))


def _with_key(key: str, name: str, value: Any) -> Mapping[str, Any]:
    schema: dict[str, Any] = copy.deepcopy(dict(PROBE_SCHEMA))
    schema["properties"][name][key] = value
    return schema


_TWO_TURNS: Final = Request(
    tools=(ToolSchema(name="probe", description=_WORDS["tool"], parameters=PROBE_SCHEMA),),
    system=_WORDS["system"],
    messages=(
        text_message("user", _WORDS["first"]),
        text_message("assistant", "An answer."),
        text_message("user", _WORDS["last"]),
    ),
)


def pieces_of(segment: Segment, section: Section) -> Iterator[Piece]:
    """Yield a segment word for word, one piece for each address."""
    for stretch in stretches(segment):
        yield Piece(
            text=segment.text[stretch.start : stretch.stop],
            section=section,
            role=segment.role,
            path=stretch.path,
            segment=segment.path,
            offset=stretch.start,
        )


def merged(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Return the pieces without empty ones, neighbours of the format's own joined."""
    result: list[Piece] = []
    for piece in pieces:
        if not piece.text and not piece.border:
            continue
        last = result[-1] if result else None
        if last is not None and _own(piece) and _own(last) and _place(piece) == _place(last):
            result[-1] = Piece(text=last.text + piece.text, section=last.section, role=last.role)
        else:
            result.append(piece)
    return tuple(result)


def _own(piece: Piece) -> bool:
    """Whether it is the format's own plain text."""
    return not (piece.path or piece.special or piece.border)


def _place(piece: Piece) -> tuple[Section, str]:
    return piece.section, piece.role
