"""What every panel of the explorer is made of: blocks of exact text and tables, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tohlab.dialects.base import Provenance

Panel = dict[str, Any]

FIDELITY: Final[Mapping[str, str]] = {
    "executed": "the real program gave this text",
    "source": "read in the program's source",
    "documented": "as its documentation says",
    "reconstructed": "put together by tohlab from parts",
}


def some(n: int, thing: str) -> str:
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"


def sure(source: Provenance) -> str:
    return f"{FIDELITY[source.fidelity]} ({source.version}, {source.date})"


def texts(notes: list[str], *blocks: Panel) -> Panel:
    return {"kind": "texts", "notes": notes, "blocks": list(blocks)}


def block(title: str, about: str, label: str, pieces: list[list[Any]]) -> Panel:
    return {"title": title, "about": about, "label": label, "pieces": pieces}


def tables(notes: list[str], *tables: Panel) -> Panel:
    return {"kind": "tables", "notes": notes, "tables": list(tables)}


def table(
    title: str,
    about: str,
    columns: list[list[str]],
    rows: list[list[Any]],
    names: Sequence[str | None] | None,
) -> Panel:
    """A table; a column's kind is `text`, `code`, `number` or `bar`; `names` are the rows' skills."""
    return {"title": title, "about": about, "columns": columns, "rows": rows, "names": names}
