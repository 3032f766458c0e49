"""A list's text from its entries, with a span over each."""

from __future__ import annotations

from collections.abc import Iterable

from tohlab.request import Span


def spread_entries(
    head: str, entries: Iterable[tuple[str, str]], between: str = "\n"
) -> tuple[str, tuple[Span, ...]]:
    """Return the head and the entries, with a text between each two, and `entry "<name>"` over each of them.

    Args:
        head: what stands before the first entry.
        entries: the name and the text of each, which stays as it is.
        between: what stands between two entries.
    """
    parts, at = [head], len(head)
    spans: list[Span] = []
    for name, text in entries:
        if spans:
            parts.append(between)
            at += len(between)
        spans.append(Span(label=f'entry "{name}"', start=at, stop=at + len(text)))
        parts.append(text)
        at += len(text)
    return "".join(parts), tuple(spans)


def join_entries(head: str, entries: Iterable[tuple[str, str]]) -> tuple[str, tuple[Span, ...]]:
    """Return the head and the entries, each ended by a line break, and `entry "<name>"` over each of them.

    Args:
        head: what stands before the first entry.
        entries: the name and the text of each; a line break at a text's end is the one that ends it.
    """
    text, spans = spread_entries(head, ((name, entry.removesuffix("\n")) for name, entry in entries))
    return (f"{text}\n" if spans else text), spans
