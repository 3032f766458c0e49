"""Requests and replies as text: canonical JSON, long texts by their hash, lines of a recording."""

from __future__ import annotations

import difflib
import gzip
import hashlib
import json
import sys
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tohlab.errors import StoreError

FORMAT: Final = 1
_INLINE: Final = 160
"""Strings up to this many characters stay in their request."""
_WHOLE: Final = ("tools", "response_format")


def dump(value: Any) -> str:
    """Return compact ASCII JSON, the form of everything stored and hashed."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def digest_of(text: str) -> str:
    """Return the SHA-256 of ASCII text as hex."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def shrink(body: dict[str, Any]) -> tuple[Any, dict[str, str]]:
    """Return a request with long texts, tools and format as `{"$text": hash}`, and their JSON by hash."""
    texts: dict[str, str] = {}

    def stand_in(value: Any) -> dict[str, str]:
        text = dump(value)
        digest = digest_of(text)
        texts[digest] = text
        return {"$text": digest}

    def walk(value: Any) -> Any:
        if isinstance(value, str):
            return stand_in(value) if len(value) > _INLINE else value
        if isinstance(value, Mapping):
            return {key: walk(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [walk(inner) for inner in value]
        return value

    return {key: stand_in(value) if key in _WHOLE else walk(value) for key, value in body.items()}, texts


def grow(value: Any, texts: Mapping[str, str]) -> Any:
    """Return what `shrink` was given; KeyError for a hash that `texts` does not have."""
    if isinstance(value, Mapping):
        if value.keys() == {"$text"}:
            return json.loads(texts[value["$text"]])
        return {key: grow(inner, texts) for key, inner in value.items()}
    if isinstance(value, list):
        return [grow(inner, texts) for inner in value]
    return value


def lines_of(endpoint: str, replicate: int, body: Mapping[str, Any]) -> list[str]:
    """Return a request as lines that a diff of two requests can be read from."""
    lines = [f"endpoint: {endpoint or '(this machine)'}", f"replicate: {replicate}"]
    for key, value in body.items():
        if key == "messages":
            for i, message in enumerate(value):
                for inner, content in message.items():
                    text = content if isinstance(content, str) else dump(content)
                    lines += [f"messages[{i}].{inner}: {line}" for line in text.split("\n")]
        elif isinstance(value, Mapping | list):
            lines += [
                f"{key}: {line}" for line in json.dumps(value, ensure_ascii=False, indent=1).split("\n")
            ]
        else:
            lines.append(f"{key}: {dump(value)}")
    return lines


def alike(one: list[str], other: list[str]) -> tuple[float, float]:
    """How alike two requests are: the share of equal lines, then how alike the texts of the others are.

    Linear in the lines, since a miss compares a request with every recorded one; only what differs (often one
    line, the user's) is compared by its characters.
    """
    common = Counter(one) & Counter(other)
    shared = 2 * common.total() / (len(one) + len(other))
    left, right = ("\n".join((Counter(lines) - common).elements())[:2000] for lines in (one, other))
    return shared, difflib.SequenceMatcher(None, left, right, autojunk=False).quick_ratio()


def reply_values(row: Mapping[str, Any]) -> tuple[str, int, float, str, str]:
    """Return key, replicate, seconds, failed attempts and answer of a recorded reply, the last two as JSON.

    Raises:
        KeyError: one of them is missing.
        TypeError: one of them is not of its kind.
    """
    key, replicate, latency_s = row["key"], row["replicate"], row["latency_s"]
    attempts, raw = row["attempts"], row["raw"]
    if not isinstance(key, str) or type(replicate) is not int or not 0 <= replicate < 1 << 63:
        raise TypeError("key must be a text and replicate a number from 0 on")
    if type(latency_s) not in (int, float) or not 0 <= latency_s <= sys.float_info.max:
        raise TypeError("latency_s must be a number of seconds")
    if not isinstance(attempts, list) or not all(isinstance(one, str) for one in attempts):
        raise TypeError("attempts must be a list of texts")
    if not isinstance(raw, dict):
        raise TypeError("raw must be the service's JSON object")
    return key, replicate, latency_s, dump(attempts), dump(raw)


def exported(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line number and object of each line of a recording, compressed or not.

    Raises:
        StoreError: it cannot be read, or is none of this format.
    """
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8")
    except FileNotFoundError:
        raise StoreError(f"there is no recording {path}") from None
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise StoreError(f"the recording {path} cannot be read: {error}") from error
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise StoreError(f"{path}:{number}: not JSON ({error})") from None
        if not isinstance(row, dict) or (number == 1 and row.get("kind") != "tohlab-replies"):
            raise StoreError(f"{path}:{number}: this is no recording of replies")
        if number == 1 and row.get("format") != FORMAT:
            raise StoreError(f"{path} has format {row.get('format')}, this version reads {FORMAT}")
        yield number, row
