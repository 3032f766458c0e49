"""Requests and replies as text: canonical JSON, long texts by their hash, lines of a recording."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tohlab.errors import StoreError

FORMAT: Final = 1
_INLINE: Final = 160
"""Strings up to this many characters stay in their request."""
_WHOLE: Final = ("tools", "response_format")


def dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def shrink(body: dict[str, Any]) -> tuple[Any, dict[str, str]]:
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
    if isinstance(value, Mapping):
        if value.keys() == {"$text"}:
            return json.loads(texts[value["$text"]])
        return {key: grow(inner, texts) for key, inner in value.items()}
    if isinstance(value, list):
        return [grow(inner, texts) for inner in value]
    return value


def lines_of(endpoint: str, replicate: int, body: Mapping[str, Any]) -> list[str]:
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


def exported(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8")
    except FileNotFoundError:
        raise StoreError(f"there is no recording {path}") from None
    except (OSError, EOFError, UnicodeDecodeError, gzip.BadGzipFile) as error:
        raise StoreError(f"the recording {path} cannot be read: {error}") from error
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise StoreError(f"{path}:{number}: not JSON ({error})") from None
        if not isinstance(row, dict) or (number == 1 and row.get("kind") != "tohlab-replies"):
            raise StoreError(f"{path}:{number}: this is no recording of replies")
        if number == 1 and row.get("format") != FORMAT:
            raise StoreError(f"{path} has format {row.get('format')}, this version reads {FORMAT}")
        yield number, row
