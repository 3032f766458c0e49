"""Traces of many interleaved requests as block ids, in Mooncake's format.

A line is a JSON object `{"timestamp": ms, "input_length": n, "output_length": n, "hash_ids": [...]}`. An id
stands for a block of tokens and everything before it, so that two requests share a beginning as far as their
ids are the same. The last id may stand for an unfinished block. Source: kvcache-ai/Mooncake, FAST'25 traces
(blocks of 512 tokens).
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tohlab.errors import TraceError
from tohlab.prefix.policies.cached import CachedRequest

MOONCAKE_BLOCK: Final = 512
_LARGEST_ID: Final = 2**63


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRow:
    """One request of a trace."""

    at_s: float
    """When it starts, in seconds."""
    input_tokens: int
    output_tokens: int
    hash_ids: array[int] = field(hash=False)
    """One id for each block of the input, the unfinished last one included. Treat as read-only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """Requests in the order of their start."""

    rows: tuple[TraceRow, ...]
    block_tokens: int
    """How many tokens an id stands for."""

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[TraceRow]:
        return iter(self.rows)

    @property
    def total_tokens(self) -> int:
        """All input tokens."""
        return sum(row.input_tokens for row in self.rows)

    @property
    def distinct_blocks(self) -> int:
        """How many different ids there are: room for as many loses nothing."""
        seen: set[int] = set()
        for row in self.rows:
            seen.update(row.hash_ids)
        return len(seen)

    @classmethod
    def of_requests(
        cls, arrivals: Iterable[tuple[float, CachedRequest]], block_tokens: int = MOONCAKE_BLOCK
    ) -> Trace:
        """Return the trace of requests with their starts in seconds; equal beginnings get equal ids.

        Raises:
            TraceError: starts that go backwards, blocks of no tokens, or tokens of two encodings.
        """
        if block_tokens < 1:
            raise TraceError(f"a block has 1 token or more, not {block_tokens}")
        ids: dict[tuple[int, bytes], int] = {}
        rows: list[TraceRow] = []
        kinds: set[tuple[str, str]] = set()
        for at_s, request in arrivals:
            kinds.add((request.meter, request.renderer))
            if len(kinds) > 1:
                both = " and ".join(" ".join(kind).strip() or "unnamed" for kind in sorted(kinds))
                raise TraceError(f"request {len(rows) + 1} is of other tokens than those before it: {both}")
            if rows and at_s < rows[-1].at_s:
                raise TraceError(
                    f"request {len(rows) + 1} starts at {at_s} s, before the one at {rows[-1].at_s} s"
                )
            total, items, parent = request.total_tokens, request.tokens.items, -1
            chain = array("q")
            for start in range(0, total, block_tokens):
                key = (parent, items[start : min(start + block_tokens, total)].tobytes())
                parent = ids.setdefault(key, len(ids))
                chain.append(parent)
            generated = len(request.output) - total if request.output is not None else 0
            rows.append(TraceRow(at_s=at_s, input_tokens=total, output_tokens=generated, hash_ids=chain))
        return cls(rows=tuple(rows), block_tokens=block_tokens)


def read_trace(path: str | Path, block_tokens: int = MOONCAKE_BLOCK) -> Trace:
    """Return the requests of a Mooncake file.

    Args:
        path: lines of JSON in UTF-8; empty lines are left out.
        block_tokens: how many tokens an id of it stands for.

    Raises:
        TraceError: a file that cannot be read or holds no request, a line that is no such request (the
            message names the line), or blocks of no tokens.
    """
    if block_tokens < 1:
        raise TraceError(f"a block has 1 token or more, not {block_tokens}", path)
    rows: list[TraceRow] = []
    number = 0
    try:
        with open(path, encoding="utf-8") as lines:  # noqa: PTH123 - `path` may be a text
            for number, line in enumerate(lines, start=1):
                if not line.strip():
                    continue
                row = _row(_parse(line, path, number), block_tokens, path, number)
                if rows and row.at_s < rows[-1].at_s:
                    raise TraceError(
                        f"it starts at {row.at_s * 1000:g} ms, before the line above it; sort by timestamp",
                        path,
                        number,
                    )
                rows.append(row)
    except OSError as error:
        raise TraceError(f"it cannot be read: {error.strerror or error}", path) from error
    except UnicodeDecodeError as error:
        raise TraceError("it is not UTF-8; is it compressed?", path, number + 1) from error
    if not rows:
        raise TraceError("it is empty: there is no request in it", path)
    return Trace(rows=tuple(rows), block_tokens=block_tokens)


def write_trace(trace: Trace, path: str | Path) -> None:
    """Write a trace as lines of JSON; timestamps are in milliseconds."""
    with open(path, "w", encoding="utf-8", newline="\n") as lines:  # noqa: PTH123 - `path` may be a text
        for row in trace:
            millis = row.at_s * 1000
            data = {
                "timestamp": int(millis) if millis == int(millis) else millis,
                "input_length": row.input_tokens,
                "output_length": row.output_tokens,
                "hash_ids": row.hash_ids.tolist(),
            }
            lines.write(json.dumps(data) + "\n")


def _parse(line: str, path: str | Path, number: int) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except RecursionError as error:
        raise TraceError("nested too deeply to be a request", path, number) from error
    except ValueError as error:
        cut = "" if line.endswith("\n") else "; the file ends in the middle of it, as one cut short does"
        raise TraceError(f"no JSON ({error}){cut}", path, number) from error
    if not isinstance(data, dict):
        raise TraceError(f"an object is expected, not {type(data).__name__}", path, number)
    return data


def _row(data: dict[str, Any], block_tokens: int, path: str | Path, number: int) -> TraceRow:
    def whole(name: str, default: int | None = None) -> int:
        value = data.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise TraceError(f"{name} must be a whole number of 0 or more, not {value!r}", path, number)
        return value

    millis = data.get("timestamp")
    if not isinstance(millis, int | float) or isinstance(millis, bool) or not 0 <= millis < 1e18:
        raise TraceError(f"timestamp must be milliseconds, not {millis!r}", path, number)
    tokens, ids = whole("input_length"), data.get("hash_ids")
    if not isinstance(ids, list) or not all(type(i) is int and -_LARGEST_ID <= i < _LARGEST_ID for i in ids):
        raise TraceError("hash_ids must be a list of whole numbers of 64 bits", path, number)
    if len(ids) != -(-tokens // block_tokens):
        raise TraceError(
            f"{len(ids):,} hash_ids for {tokens:,} tokens do not fit blocks of {block_tokens:,}; "
            "give the trace's own block_tokens",
            path,
            number,
        )
    return TraceRow(
        at_s=millis / 1000,
        input_tokens=tokens,
        output_tokens=whole("output_length", 0),
        hash_ids=array("q", ids),
    )
