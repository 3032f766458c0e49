"""Requests of blocks with a name and a length, for tests that count tokens by hand."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from typing import Any

from tohlab.prefix.policies import Boundary, CachedRequest, Mark, Use
from tohlab.prefix.sequence import Strip, TokenSequence, header_of

Block = tuple[str, str, int]
"""Role or `tools`, a name that stands for the text, and its tokens. A role of `+user` joins the message."""


def blocks(
    *parts: Block, marks: Iterable[int | tuple[int, float]] = (), output: int = 0, **fields: Any
) -> CachedRequest:
    """A request of these blocks; marks name a block by its place, or its place and a lifetime in seconds."""
    strip, boundaries, message = Strip(), list[Boundary](), -1
    for i, (where, name, tokens) in enumerate(parts):
        joins = where.startswith("+")
        role = where.lstrip("+")
        section: Any = role if role in ("tools", "system") and message < 0 else "messages"
        if section == "messages" and not joins:
            message += 1
        strip.add(words(name, tokens), header_of(section, role, not joins))
        following = parts[i + 1][0] if i + 1 < len(parts) else ""
        boundaries.append(
            Boundary(
                end=len(strip.items),
                section=section,
                role="system" if role == "tools" else role,
                path=f"{section}[{i}]",
                kind=role,
                ends_message=not following.startswith("+"),
                message=message if section == "messages" else -1,
            )
        )
    total = len(strip.items)
    if output:
        strip.add(words("output", output), header_of("messages", "assistant", True))
    placed = [mark if isinstance(mark, tuple) else (mark, None) for mark in marks]
    return CachedRequest(
        tokens=TokenSequence(strip, total),
        boundaries=tuple(boundaries),
        marks=tuple((place, Mark(path=boundaries[place].path, ttl_s=ttl_s)) for place, ttl_s in placed),
        params=tuple(sorted(fields.pop("params", {}).items())),
        output=TokenSequence(strip, len(strip.items)) if output else None,
        **fields,
    )


def words(name: str, tokens: int) -> list[int]:
    """Token ids that stand for a text: another name, other tokens from the first on."""
    start = zlib.crc32(name.encode()) % 2_000_000_000
    return [(start + i) % 2_000_000_000 for i in range(tokens)]


def chat(system: int, *turns: int, names: Mapping[int, str] | None = None) -> tuple[Block, ...]:
    """System text of so many tokens, then user and assistant messages in turn."""
    names = names or {}
    rows: list[Block] = [("system", names.get(0, "system"), system)] if system else []
    for i, tokens in enumerate(turns, start=1):
        rows.append(("user" if i % 2 else "assistant", names.get(i, f"message {i}"), tokens))
    return tuple(rows)


def classes(use: Use) -> tuple[int, int, int, int]:
    return use.read_tokens, use.write_tokens, use.long_write_tokens, use.plain_tokens


def user_blocks(n: int, tokens: int = 100, changed: dict[int, str] | None = None) -> tuple[Block, ...]:
    """`n` blocks of user text, each its own message, named by place."""
    changed = changed or {}
    return tuple(("user", changed.get(i, f"block {i}"), tokens) for i in range(1, n + 1))
