"""A list's text from its entries, with a span over each."""

from __future__ import annotations

from collections.abc import Iterable

from tohlab.request import Span


def join_entries(head: str, entries: Iterable[tuple[str, str]]) -> tuple[str, tuple[Span, ...]]:
    """Return the head and the entries, each ended by a line break, and `entry "<name>"` over each of them.

    Args:
        head: what stands before the first entry.
        entries: the name and the text of each; a line break at a text's end is the one that ends it.
    """
    parts, spans, at = [head], [], len(head)
    for name, text in entries:
        entry = text.removesuffix("\n")
        spans.append(Span(label=f'entry "{name}"', start=at, stop=at + len(entry)))
        parts.append(f"{entry}\n")
        at += len(entry) + 1
    return "".join(parts), tuple(spans)
