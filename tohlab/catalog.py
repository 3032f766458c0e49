"""The skill catalog: its entries, its digest, and when a session has to be told about it.

The way through: a dialect makes a `Catalog` out of a snapshot (`Dialect.catalog_of`);
`SessionCatalog.observe` compares it with what the conversation already says and answers with a `Decision`;
the session writes the `CatalogUpdate` of that decision into the log; a dialect renders it. Nothing here knows
a template.

Everything is a value. `SessionCatalog` is a state machine without a clock, a file or a memory of its own:
same state and same observation, same decision. Source of the rules: TheOpen Harness 0.1.1-rc.2,
`packages/skill/tool-skill/src/index.ts`, checked against the `digest`, `read_catalog_source` and `lifecycle`
vectors.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final, Literal

from tohlab.ecma import join_surrogates, json_stringify

CATALOG_KIND: Final = "skill-catalog"
"""`source["kind"]` of every message that carries a catalog."""

Form = Literal["initial", "replacement", "tombstone"]
"""`initial`: the first catalog of a session. `replacement`: it replaces every earlier one. `tombstone`: a
replacement that says that no skill is left."""

Action = Literal["nothing", "keep", "drop", "append", "replace"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogEntry:
    """One skill as a catalog shows it."""

    name: str
    description: str
    """Normalised and cut by a dialect, not escaped: escaping belongs to a rendered line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """What a model may choose from, in the order in which it reads it."""

    entries: tuple[CatalogEntry, ...] = ()
    _digest: str = field(default="", init=False, repr=False, compare=False)

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> Catalog:
        """Return a catalog of `(name, description)` pairs, as they are and in their order."""
        return cls(entries=tuple(CatalogEntry(name=n, description=d) for n, d in pairs))

    @property
    def canonical(self) -> str:
        """What the digest covers: one `JSON.stringify([name, description])` per line, joined by `\\n`."""
        return "\n".join(json_stringify([e.name, e.description]) for e in self.entries)

    @property
    def digest(self) -> str:
        """SHA-256 of `canonical` in UTF-8, as hex: equal for equal entries in equal order, and only for them.

        It is worked out once and kept. A harness compares it between steps and never sends it.
        """
        if not self._digest:
            # frozen forbids plain assignment; the digest follows from the entries, so this stays a value
            digest = hashlib.sha256(self.canonical.encode("utf-8")).hexdigest()
            object.__setattr__(self, "_digest", digest)
        return self._digest

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in catalog order."""
        return tuple(entry.name for entry in self.entries)

    def __len__(self) -> int:
        return len(self.entries)


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogUpdate:
    """A catalog that a session has to be told, and how."""

    form: Form
    catalog: Catalog

    def source(self) -> Mapping[str, Any]:
        """Return the message's `source`: `{kind, form, update?, entries}`, `update` on replacements only.

        It is what a resumed session reads back (`read_entries`), so the log needs no second record.
        """
        row: dict[str, Any] = {"kind": CATALOG_KIND, "form": "catalog"}
        if self.form != "initial":
            row["update"] = True
        row["entries"] = tuple({"name": e.name, "description": e.description} for e in self.catalog.entries)
        return MappingProxyType(row)


def read_entries(source: Any) -> Catalog | None:
    """Return the catalog that a logged message's `source` carries, or None where it cannot be read.

    Readable is a sequence of objects with a non-empty string `name` and a string `description`; other keys
    are ignored, names are not checked against the grammar, and an empty sequence is a catalog without skills.
    The `kind` is not looked at: see `catalog_in`.
    """
    entries = source.get("entries") if isinstance(source, Mapping) else None
    if not isinstance(entries, Sequence) or isinstance(entries, (str, bytes)):
        return None
    read: list[CatalogEntry] = []
    for entry in entries:
        if not isinstance(entry, Mapping):
            return None
        name, description = entry.get("name"), entry.get("description")
        if not isinstance(name, str) or not name or not isinstance(description, str):
            return None
        read.append(CatalogEntry(name=join_surrogates(name), description=join_surrogates(description)))
    return Catalog(entries=tuple(read))


def catalog_in(source: Mapping[str, Any]) -> Catalog | None:
    """Return the catalog of a message whose source says that it is one and can be read, else None.

    Look-alike prose from another source is None, however much it looks like a catalog.
    """
    return read_entries(source) if source.get("kind") == CATALOG_KIND else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedCatalog:
    """A readable catalog in a session's log."""

    catalog: Catalog
    position: int
    """Which message of the log carries it, counted from 0."""
    on_surface: bool = True
    """False once compaction took the message out of what the model is sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What to do with the catalog in this step."""

    action: Action
    """`nothing`: leave the batch. `keep`: the catalog already in the batch is right. `drop`: take it out.
    `append`: put `update` at the end of the batch. `replace`: put `update` where that catalog stands."""
    update: CatalogUpdate | None = None
    """Present for `append` and `replace` only."""


_NOTHING: Final = Decision(action="nothing")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCatalog:
    """What a conversation has been told of its skills: the catalogs in its log, oldest first."""

    published: tuple[PublishedCatalog, ...] = ()

    @property
    def baseline(self) -> Catalog | None:
        """The newest catalog that the model still reads, or None."""
        return next((p.catalog for p in reversed(self.published) if p.on_surface), None)

    def observe(
        self,
        catalog: Catalog | None = None,
        *,
        visible: bool = True,
        complete: bool = True,
        proposed: Catalog | None = None,
    ) -> Decision:
        """Return what this step has to do, given what was seen.

        Args:
            catalog: the model-invocable skills of a snapshot; not looked at when the tool is not visible.
            visible: whether the model has the harness's own skill tool. A hidden or shadowed tool is an empty
                view that counts as complete: nothing could be loaded, whatever discovery says.
            complete: `Snapshot.complete`; an incomplete look is not taken for deletion: it changes nothing.
            proposed: the first readable catalog already in this step's batch, or None.
        """
        if visible and not complete:
            return _NOTHING
        seen = catalog if visible and catalog is not None else Catalog()
        baseline = self.baseline
        if baseline is not None and baseline.digest == seen.digest:
            return Decision(action="drop") if proposed is not None else _NOTHING
        if proposed is not None and proposed.digest == seen.digest:
            return Decision(action="keep")
        if not self.published and not seen.entries:
            return Decision(action="drop") if proposed is not None else _NOTHING
        form: Form = "initial" if not self.published else "replacement" if seen.entries else "tombstone"
        update = CatalogUpdate(form=form, catalog=seen)
        return Decision(action="replace" if proposed is not None else "append", update=update)

    def publish(self, catalog: Catalog, position: int) -> SessionCatalog:
        """Return the state after a message with `catalog` stands in the log at `position`."""
        return replace(
            self, published=(*self.published, PublishedCatalog(catalog=catalog, position=position))
        )

    def shadow(self, positions: Iterable[int]) -> SessionCatalog:
        """Return the state after the messages at `positions` are no longer sent to the model."""
        gone = frozenset(positions)
        return replace(
            self,
            published=tuple(
                replace(p, on_surface=False) if p.position in gone else p for p in self.published
            ),
        )

    @classmethod
    def resume(cls, log: Iterable[tuple[Mapping[str, Any], bool]]) -> SessionCatalog:
        """Return the state that a stored log implies.

        Args:
            log: `(source, on_surface)` of every user message position, oldest first. Records of another kind
                and records that cannot be read are skipped: they neither count nor suppress.
        """
        published = []
        for position, (source, on_surface) in enumerate(log):
            catalog = catalog_in(source)
            if catalog is not None:
                published.append(PublishedCatalog(catalog=catalog, position=position, on_surface=on_surface))
        return cls(published=tuple(published))
