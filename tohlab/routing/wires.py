"""How a user's text becomes the harness's own request, before anything is chosen about the asking.

Two kinds of harness: one whose catalog is kept by a `Session` (a `Dialect`), and any of the sixteen that list
their skills once (a `Harness`). Both give the request with the catalog in its own place, the names that a
model may load, and how a call of the load tool names a skill.
"""

from __future__ import annotations

import hashlib
import html
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from tohlab.dialects import Dialect, dialect_names, get_dialect
from tohlab.dialects.harness import Harness, Listing, Loaded, Setting
from tohlab.dialects.harnesses import get_harness
from tohlab.ecma import collapse_whitespace, utf16_length, utf16_slice, utf16_sort_key
from tohlab.edits.layout import harness_request
from tohlab.errors import DatasetError, RoutingError
from tohlab.request import Message, Request, Span, ToolSchema, text_message
from tohlab.routing.answers import Names
from tohlab.routing.skill_files import skill_files
from tohlab.session import Event, Session
from tohlab.skills.model import LoadedSkill, SkillSource, Snapshot

Limit = int | Literal["own"] | None
"""The longest description in UTF-16 code units; `own`: as the harness has it; None: no limit."""

CATALOG: Final = "skill-catalog"
_MARK: Final = "..."


def find_dialect(dialect: str | Dialect | Harness) -> Dialect | Harness:
    """Return the dialect or harness of that name; an instance is given back as it is.

    Raises:
        UnknownDialect: there is none of that name.
    """
    if isinstance(dialect, (Dialect, Harness)):
        return dialect
    return get_dialect(dialect) if dialect in dialect_names() else get_harness(dialect)


class Fixed:
    """A source as it was at the start of the run, so that every case sees the same catalog."""

    def __init__(self, source: SkillSource) -> None:
        self._source = source
        self._snapshot = source.snapshot()

    def snapshot(self) -> Snapshot:
        return self._snapshot

    def load(self, name: str) -> LoadedSkill | None:
        return self._source.load(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionWire:
    """The requests of a harness whose session keeps a durable catalog."""

    dialect: Dialect
    source: Fixed
    opened: Session
    """What was said before the request: the catalog if it was told in an earlier step. No step is taken in
    it."""
    book: Names
    shown: tuple[tuple[str, str], ...]
    """The names and descriptions in force, as the catalog has them."""
    notes: tuple[str, ...] = ()

    @property
    def tools(self) -> tuple[ToolSchema, ...]:
        return (self.dialect.skill_tool(),)

    @property
    def load_tool(self) -> str | None:
        return self.dialect.skill_tool().name

    @property
    def paths(self) -> Mapping[str, str]:
        return {}

    @property
    def place(self) -> str:
        """Where the harness itself puts the catalog."""
        return self.dialect.placement

    def request(self, query: str) -> Request:
        return self.opened.fork().user(query)

    @property
    def common(self) -> tuple[Message, ...]:
        """The messages that all its requests have, as the same values."""
        return self.opened.fork().next_request().messages

    def catalog_texts(self, request: Request) -> tuple[str, ...]:
        """Return what a request of this wire says of the skills there are."""
        return tuple(message.text for message in request.messages if message.kind == CATALOG)


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessWire:
    """The first request of a harness that lists its skills in a place of its own."""

    dialect: Harness
    loaded: Loaded
    setting: Setting
    listing: Listing
    base: Request
    """The request with an empty user's text; texts that start a skill by its name are not taken apart."""
    book: Names
    shown: tuple[tuple[str, str], ...]
    notes: tuple[str, ...] = ()

    @property
    def tools(self) -> tuple[ToolSchema, ...]:
        return self.base.tools

    @property
    def load_tool(self) -> str | None:
        name = self.dialect.load_tool
        return name if any(tool.name == name for tool in self.tools) else None

    @property
    def paths(self) -> Mapping[str, str]:
        """Each path by which a model loads a skill, to its name; empty where it loads by name."""
        if self.dialect.loads_by == "name":
            return {}
        found = {skill.path: skill.name for skill in self.loaded.skills}
        return found | {self.setting.path_of(path): name for path, name in found.items()}

    @property
    def place(self) -> str:
        """Where the harness itself puts the list; a message of the user's is `user-message`."""
        return "user-message" if self.dialect.place == "user" else self.dialect.place

    @property
    def common(self) -> tuple[Message, ...]:
        """The messages that all its requests have, as the same values."""
        return tuple(message for message in self.base.messages if message.kind != "user")

    def request(self, query: str) -> Request:
        asked = text_message("user", query, kind="user")
        messages = tuple(asked if message.kind == "user" else message for message in self.base.messages)
        return replace(self.base, messages=messages)

    def catalog_texts(self, request: Request) -> tuple[str, ...]:
        return (self.listing.text,) if self.listing.text else ()


Wire = SessionWire | HarnessWire


def digests_of(shown: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return each name with 12 hexadecimal digits for what a list shows of it, by which an edit is told."""
    return tuple(
        (name, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]) for name, text in shown
    )


def find_wire(
    dialect: str | Dialect | Harness,
    source: SkillSource,
    *,
    placement: str = "opening",
    limit: Limit = "own",
    earlier: SkillSource | None = None,
) -> Wire:
    """Return the harness's own request for the skills of a source.

    Raises:
        RoutingError: an earlier catalog, or a placement, that this harness does not have.
        TohlabError: as `session_wire` and `harness_wire`.
    """
    found = find_dialect(dialect)
    if isinstance(found, Dialect):
        if earlier is not None and placement not in ("opening", "same-step"):
            raise RoutingError(
                f"a catalog that replaces an earlier one cannot be placed by {placement!r}; use opening"
            )
        return session_wire(found, source, limit=limit, opened=placement == "opening", earlier=earlier)
    if earlier is not None or placement == "same-step":
        what = "an earlier catalog" if earlier is not None else "the placement 'same-step'"
        raise RoutingError(
            f"{what} belongs to a harness whose session keeps its catalog, such as toh; {found.name} lists "
            "its skills once"
        )
    return harness_wire(found, source, limit=limit)


def session_wire(
    dialect: Dialect,
    source: SkillSource,
    *,
    limit: Limit = "own",
    opened: bool = True,
    earlier: SkillSource | None = None,
) -> SessionWire:
    """Return the requests of a session.

    Args:
        dialect: whose texts.
        source: the skills.
        limit: see `Limit`.
        opened: the catalog was told in an earlier step; otherwise it comes with the user's text.
        earlier: the skills that the conversation was told of before those.

    Raises:
        CatalogError: a limit that the harness refuses.
        DatasetError: there is no skill to show, and there was none before.
    """
    found = dialect if limit == "own" else replace(dialect, description_limit=limit)
    fixed = Fixed(source)
    snapshot = fixed.snapshot()
    catalog = found.catalog_of(snapshot)
    before = () if earlier is None else found.catalog_of(earlier.snapshot()).names
    if not catalog.names and not before:
        raise DatasetError("the catalog is empty: no skill that a model may load was found")
    history: tuple[Event, ...] = ()
    for told in (*([earlier] if earlier is not None else []), *([fixed] if opened else [])):
        opening = Session(told, found, history=history)
        opening.next_request()
        history = opening.history
    book = Names(
        catalog=catalog.names,
        stale=tuple(name for name in before if name not in catalog.names),
        hidden=tuple(s.name for s in snapshot.skills if not s.invocation.model_invocable),
    )
    shown = tuple((entry.name, entry.description) for entry in catalog.entries)
    return SessionWire(
        dialect=found,
        source=fixed,
        opened=Session(fixed, found, history=history),
        book=book,
        shown=shown,
    )


def harness_wire(harness: Harness, source: SkillSource, *, limit: Limit = "own") -> HarnessWire:
    """Return the first request of a harness over the skills of a source.

    The skills are laid into one skills root, as a person would install them: a skill's own file where it has
    one, else one made of its name and description. A source in another order than by name is listed in that
    order, if the harness lets its list be ordered at all.

    Raises:
        DatasetError: the harness lists none of the skills.
        RoutingError: the harness orders its list by itself, or a limit too short for the mark of a cut.
    """
    snapshot = source.snapshot()
    setting = Setting()
    loaded = harness.load(skill_files(source), setting)
    notes: list[str] = []
    if limit not in ("own", None):
        assert isinstance(limit, int)
        loaded = replace(
            loaded, skills=tuple(replace(s, description=cut(s.description, limit)) for s in loaded.skills)
        )
        notes.append(
            f"descriptions cut to {limit} UTF-16 units before {harness.title} sees them: not what the "
            "harness sends"
        )
    order = [skill.name for skill in snapshot.skills]
    ours = order != sorted(order, key=utf16_sort_key)
    if ours:
        place = {name: i for i, name in enumerate(order)}
        loaded = replace(
            loaded, skills=tuple(sorted(loaded.skills, key=lambda s: place.get(s.name, len(place))))
        )
    listing = harness.listing(loaded, setting)
    names = tuple(dict.fromkeys(map(_named, listing.spans)))
    if not names:
        raise DatasetError(f"{harness.title} lists none of the {len(order)} skills, so nothing can be picked")
    if ours and [name for name in names if name in order] != [name for name in order if name in names]:
        raise RoutingError(
            f"{harness.title} orders its list by itself ({harness.order}), so it cannot be asked with "
            "another order; take a dialect that lists in the order given, such as toh"
        )
    sure = harness.provenance_of("listing").fidelity
    if sure != "executed":
        notes.append(f"the list of {harness.title} is not the program's own output (fidelity: {sure})")
    whole = {skill.name: skill.description or "" for skill in loaded.skills}
    entries = {_named(span): listing.text[span.start : span.stop] for span in listing.spans}
    shown = tuple((name, _said(whole.get(name, ""), entries[name])) for name in names)
    hidden = tuple(s.name for s in loaded.skills if not s.model_loads and s.name not in names)
    return HarnessWire(
        dialect=harness,
        loaded=loaded,
        setting=setting,
        listing=listing,
        base=harness_request(harness, loaded, setting, messages=(text_message("user", "", kind="user"),)),
        book=Names(catalog=names, hidden=hidden),
        shown=shown,
        notes=tuple(notes),
    )


def _named(span: Span) -> str:
    return span.label[len('entry "') : -1]


def _said(description: str, entry: str) -> str:
    """How much of a description an entry has: the longest beginning, in whole words."""
    text = " ".join(html.unescape(entry).split())
    words = html.unescape(description).split()
    # A longer beginning is only there if each shorter one is.
    n = bisect_right(range(1, len(words) + 1), False, key=lambda k: " ".join(words[:k]) not in text)
    return " ".join(words[:n])


def cut(text: str | None, limit: int) -> str | None:
    """Return a description with at most `limit` UTF-16 code units, the mark of a cut among them.

    Raises:
        RoutingError: the limit is shorter than the mark.
    """
    if limit < len(_MARK):
        raise RoutingError(f"a description limit must be at least {len(_MARK)}, not {limit}")
    if text is None:
        return None
    plain = collapse_whitespace(text)
    return plain if utf16_length(plain) <= limit else utf16_slice(plain, limit - len(_MARK)) + _MARK
