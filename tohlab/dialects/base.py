"""What every dialect is: one harness's way of saying which skills there are.

A `Dialect` is a value. Every difference between harnesses is a named field with a default, so that a
dialect's file says only what differs, and a renderer never asks for a name. What a field cannot say (the
frame of a loaded skill) is a method that the dialect's own class gives.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal

from tohlab.catalog import Catalog, CatalogEntry, Form
from tohlab.ecma import WHITESPACE, collapse_whitespace, join_surrogates, utf16_length, utf16_slice
from tohlab.errors import CatalogError, UnsupportedByDialect
from tohlab.jsonpath import join_path
from tohlab.request import Span, TextBlock, ToolSchema
from tohlab.skills.model import LoadedSkill, Snapshot

Fidelity = Literal["executed", "source", "documented", "reconstructed"]
Placement = Literal["user-message", "system", "tool-description"]
Refresh = Literal["append", "rewrite", "never"]


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


ENTRIES: Final = "{entries}\n"
"""Where the entry lines stand in a frame."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where a text comes from and how sure it is."""

    fidelity: Fidelity
    """`executed`: the real program gave it. `source`: read in its code. `documented`: its documentation says
    so. `reconstructed`: put together by us from parts."""
    program: str
    version: str
    date: str
    """The day on which it was taken, ISO 8601."""
    where: str
    """The file or page inside the program's repository."""


class Sourced:
    """What has a `provenance`, with it in the short form that reports print."""

    __slots__ = ()

    provenance: Provenance
    """Where its text comes from and how sure it is."""

    @property
    def fidelity(self) -> Fidelity:
        """How sure the text is."""
        return self.provenance.fidelity

    @property
    def version(self) -> str:
        """The program's version."""
        return self.provenance.version

    @property
    def date(self) -> str:
        """The day on which the text was taken, ISO 8601."""
        return self.provenance.date


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorText:
    """One way in which a tool call can fail, as the harness words it."""

    message: str
    """With `{name}` or `{tool}` where the skill's or the tool's name stands, inserted raw."""
    error_name: str | None = None
    """The harness's own error class, where it passes one on."""
    code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect(Sourced, ABC):
    """One harness's way of saying it.

    Rendering is pure and total: the same value gives the same text, whatever the locale, the clock or the
    order of a set. Make a variant with `dataclasses.replace(get_dialect("toh"), description_limit=200)`.
    """

    name: str
    """What `get_dialect` and the command line call it."""
    provenance: Provenance
    """Of every text, unless `text_provenance` says otherwise."""
    text_provenance: Mapping[str, Provenance] = field(default_factory=_nothing, hash=False)
    """Exceptions by part: `catalog`, `replacement`, `tombstone`, `tool`, `result`, `ask-tool`."""

    initial_frame: str
    """The first catalog, whole, with `{entries}` on a line of its own."""
    replacement_frame: str
    """A later catalog, whole, with `{entries}` on a line of its own."""
    tombstone_text: str
    """The catalog that says that no skill is left, whole."""
    entry_line: str
    """One entry, with `{name}` and `{description}`."""
    escapes: tuple[tuple[str, str], ...] = ()
    """Replacements in the description of a rendered line, in order; () where the harness does not escape."""

    placement: Placement = "user-message"
    """Where the catalog stands in a request."""
    refresh: Refresh = "append"
    """What a changed catalog does: `append` sends a new one after the old, `rewrite` changes the old in
    place, `never` keeps the first."""
    whitespace: Literal["ecmascript", "kept"] = "ecmascript"
    """`ecmascript`: each run of ECMAScript white space in a description becomes one space, ends trimmed."""
    description_limit: int | None = None
    """Longest description in UTF-16 code units, the cut mark included; None for no limit."""
    description_limit_minimum: int = 0
    """The smallest limit that the harness takes."""
    description_limit_error: str = "the description limit must be an integer >= {minimum}, not {limit}"
    cut_mark: str = "..."
    """What stands for the part that was cut."""
    name_pattern: str
    """The grammar of a skill name, as a regular expression over the whole name."""
    name_lookup: Literal["exact"] = "exact"
    """How a called name finds its skill: `exact` compares it character by character."""
    user_prefix: str | None = None
    """What a user writes before a skill's name to start it, or None where the harness has no such gesture."""
    suggestion_limit: int = 0
    """How many near names the answer to an unknown name lists."""
    tool_json: str
    """The skill tool's schema, byte for byte as it is sent."""
    tool_output_schema: Mapping[str, Any] = field(default_factory=_nothing, hash=False)
    """What a result has to be before it is rendered; never sent."""
    tool_card: Mapping[str, str] = field(default_factory=_nothing, hash=False)
    """What a user interface shows while a call runs, with `{name}`; never sent to the model."""
    exclusive: bool = True
    """Calls of the skill tool, and of the tool that asks the user, run one after another."""
    ask_tool_json: str | None = None
    """The schema of the tool that asks the user, byte for byte; None where the harness has none."""
    ask_output_schema: Mapping[str, Any] = field(default_factory=_nothing, hash=False)
    """What an answer has to be before the model reads it; never sent."""
    error_frame: str = "Error: {message}"
    """How a failed call is told to the model."""
    errors: Mapping[str, ErrorText] = field(default_factory=_nothing, hash=False)
    """The texts of failed calls, by tohlab's word for the case (see `tohlab.tools`)."""
    schema_errors: Mapping[str, str] = field(default_factory=_nothing, hash=False)
    """How a value that breaks a schema is told, by kind of break (see `tohlab.dialects.schema`)."""
    restriction_errors: Mapping[str, str] = field(default_factory=_nothing, hash=False)
    """The refusals of a restriction of tools, by case: `unscoped`, `empty`, `unknown`, `reserved`."""
    reserved_tools: tuple[str, ...] = ()
    """Tool names that a restriction may not name."""
    unlisted_tools: str = "<unlisted-tools>"
    """What stands in an explicit order of tools for all those that it does not name."""

    def __post_init__(self) -> None:
        limit: Any = self.description_limit
        if limit is None:
            return
        whole = isinstance(limit, (int, float)) and not isinstance(limit, bool) and limit == limit // 1
        if not whole or limit in (float("inf"), float("-inf")) or limit < self.description_limit_minimum:
            raise CatalogError(
                self.description_limit_error.format(limit=limit, minimum=self.description_limit_minimum)
            )
        object.__setattr__(self, "description_limit", int(limit))

    def provenance_of(self, part: str) -> Provenance:
        """Return where the text of `part` (a key of `text_provenance`) comes from."""
        return self.text_provenance.get(part, self.provenance)

    # From skills to a catalog.

    def describe(self, description: str) -> str:
        """Return a description as the catalog keeps it: normalised and cut, not escaped."""
        text = join_surrogates(description)
        if self.whitespace == "ecmascript":
            text = collapse_whitespace(text)
        limit = self.description_limit
        if limit is None or utf16_length(text) <= limit:
            return text
        return utf16_slice(text, limit - utf16_length(self.cut_mark)) + self.cut_mark

    def catalog_of(self, snapshot: Snapshot) -> Catalog:
        """Return the model-invocable skills of `snapshot`, in its order, as catalog entries."""
        return Catalog(
            entries=tuple(
                CatalogEntry(name=skill.name, description=self.describe(skill.description))
                for skill in snapshot.skills
                if skill.invocation.model_invocable
            )
        )

    # From a catalog to text.

    def escape(self, text: str) -> str:
        """Return `text` with the dialect's escapes."""
        for raw, escaped in self.escapes:
            text = text.replace(raw, escaped)
        return text

    def render_entry(self, entry: CatalogEntry) -> str:
        """Return the line of one entry, without its newline."""
        return self.entry_line.format(name=entry.name, description=self.escape(entry.description))

    def render_catalog(self, catalog: Catalog, form: Form = "initial") -> TextBlock:
        """Return the catalog message, with a span `entry "<name>"` over each entry line.

        Inside it a part is named where the description stands, `skills["<name>"].description`.

        Args:
            catalog: what to show; the frame of a `tombstone` shows none of it.
            form: `initial`, `replacement` or `tombstone`; a replacement by an empty catalog is the tombstone.
        """
        if form == "tombstone" or (form == "replacement" and not catalog.entries):
            return TextBlock(text=self.tombstone_text)
        frame = self.initial_frame if form == "initial" else self.replacement_frame
        head, _, tail = frame.partition(ENTRIES)
        parts, spans, at = [head], [], len(head)
        for entry in catalog.entries:
            line = self.render_entry(entry)
            spans.append(self._entry_span(entry, line, at))
            parts.append(line + "\n")
            at += len(line) + 1
        return TextBlock(text="".join((*parts, tail)), spans=tuple(spans))

    def _entry_span(self, entry: CatalogEntry, line: str, at: int) -> Span:
        path = join_path("skills", entry.name, quoted=True)
        shown = self.escape(entry.description)
        # Where the template puts it; a dialect that writes its lines otherwise has no such part.
        start = len(self.entry_line.partition("{description}")[0].format(name=entry.name))
        parts: tuple[Span, ...] = ()
        if shown and line[start : start + len(shown)] == shown:
            at_text = at + start
            parts = (
                Span(
                    label="description",
                    start=at_text,
                    stop=at_text + len(shown),
                    path=f"{path}.description",
                ),
            )
        return Span(label=f'entry "{entry.name}"', start=at, stop=at + len(line), path=path, parts=parts)

    @abstractmethod
    def render_skill(self, loaded: LoadedSkill) -> str:
        """Return a loaded skill as the model reads it, through the skill tool and a user's gesture alike."""

    # The skill tool.

    def skill_tool(self) -> ToolSchema:
        """Return the skill tool as the model is told of it."""
        return _tool_schema(self.tool_json)

    def ask_tool(self) -> ToolSchema:
        """Return the tool that asks the user, as the model is told of it.

        Raises:
            UnsupportedByDialect: the harness has no such tool.
        """
        if self.ask_tool_json is None:
            raise UnsupportedByDialect(f"dialect {self.name!r} has no tool that asks the user")
        return _tool_schema(self.ask_tool_json)

    def error(self, case: str, **facts: str) -> ErrorText:
        """Return the harness's text for a failed call, with `facts` (such as `name`) inserted as they are.

        Raises:
            UnsupportedByDialect: the harness has no text for this case.
        """
        text = self.errors.get(case)
        if text is None:
            raise UnsupportedByDialect(
                f"dialect {self.name!r} has no text for the case {case!r}; it knows: {', '.join(self.errors)}"
            )
        return ErrorText(
            message=text.message.format(**facts) if facts else text.message,
            error_name=text.error_name,
            code=text.code,
        )

    def is_name(self, text: str) -> bool:
        """Return whether the harness takes `text` as a skill name."""
        return re.fullmatch(self.name_pattern, text) is not None

    def invoked_names(self, blocks: Sequence[str]) -> tuple[str, ...]:
        """Return the skills that a user starts by name in these text blocks, once each, in first-seen order.

        Each block is looked at alone: its start and end count as white space. Empty where the harness has no
        such gesture.
        """
        if self.user_prefix is None:
            return ()
        # \Z, not $: Python's $ also matches before a final newline, ECMAScript's without the m flag does not
        pattern = (
            f"(?:^|[{WHITESPACE}]){re.escape(self.user_prefix)}({self.name_pattern})(?=[{WHITESPACE}]|\\Z)"
        )
        found = (match.group(1) for block in blocks for match in re.finditer(pattern, block))
        return tuple(dict.fromkeys(found))


def _tool_schema(text: str) -> ToolSchema:
    schema = json.loads(text)
    return ToolSchema(name=schema["name"], description=schema["description"], parameters=schema["parameters"])
