"""Model replies in one SQLite file: asked once, read for ever.

A reply's key is the SHA-256 of the canonical request (model, messages, tools, tool choice, sampling, response
format) together with the service's host, plus the number of the replicate. For a service on this machine
host and port are left out, since a local server's port is a new one each time: there the model's name stands
for the model, so give different weights different names. Neither headers nor keys are ever stored.

Long texts (the catalog stands in every request) are kept once, under their own hash. Every reply is committed
as it arrives, so a killed run loses nothing that was answered.
"""

from __future__ import annotations

import difflib
import gzip
import itertools
import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, Self, get_args

from tohlab.errors import ReplayMiss, StoreError
from tohlab.routing.client import ChatReply, ChatRequest
from tohlab.routing.keys import Keys
from tohlab.routing.recording import (
    FORMAT,
    alike,
    digest_of,
    dump,
    exported,
    grow,
    lines_of,
    reply_values,
    shrink,
)
from tohlab.routing.writable import check_writable, write_whole

Mode = Literal["record", "replay", "replay_or_record", "off"]
"""`record` asks everything anew; `replay` asks nothing; `replay_or_record` asks what is missing; `off`: the
store is neither read nor written."""

_AT_ONCE: Final = 500
"""How many replies are read at once; SQLite takes at least 999 values in one query."""

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS texts (hash TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS requests (
    key TEXT PRIMARY KEY, endpoint TEXT NOT NULL, model TEXT NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS replies (
    key TEXT NOT NULL, replicate INTEGER NOT NULL, latency_s REAL NOT NULL, attempts TEXT NOT NULL,
    raw TEXT NOT NULL, PRIMARY KEY (key, replicate)) WITHOUT ROWID;
"""


def check_mode(mode: str) -> Mode:
    """Return `mode`, with hyphens taken as underscores.

    Raises:
        StoreError: it is none of the known modes; the message lists them.
    """
    mode = mode.replace("-", "_")
    if mode not in get_args(Mode):
        raise StoreError(f"there is no store mode {mode!r}; known: {', '.join(get_args(Mode))}")
    return mode  # type: ignore[return-value]  # looked at above


def request_key(request: ChatRequest, endpoint: str = "") -> str:
    """Return the store's key of a request: 64 hexadecimal digits.

    Args:
        request: all of it counts, key order in tools included, since it is sent.
        endpoint: host and port of the service; empty for one on this machine.
    """
    return digest_of(
        json.dumps([endpoint, request.body()], ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredReply:
    """A reply as the store has it."""

    reply: ChatReply
    attempts: tuple[str, ...] = ()
    """Why earlier attempts failed, in order; empty if the first one succeeded."""


def _stored(raw: str, latency_s: float, attempts: str) -> StoredReply:
    return StoredReply(
        reply=ChatReply.from_raw(json.loads(raw), latency_s),
        attempts=() if attempts == "[]" else tuple(json.loads(attempts)),
    )


class ReplyStore:
    """Replies of models by request and replicate; usable from any thread, and by several processes at once.

    Args:
        path: the SQLite file, made if it is not there; `":memory:"` for none.

    Raises:
        StoreError: the file is not such a store, or cannot be opened.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        self._lock = threading.RLock()
        with self._errors():
            if self.path != ":memory:":
                Path(self.path).parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self.path, timeout=60, check_same_thread=False, isolation_level=None)
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
                self._db.execute("PRAGMA synchronous = NORMAL")
                self._db.executescript(_SCHEMA)
                self._db.execute("INSERT OR IGNORE INTO meta VALUES ('format', ?)", (str(FORMAT),))
                ((found,),) = self._db.execute("SELECT value FROM meta WHERE key = 'format'").fetchall()
            except BaseException:
                self._db.close()
                raise
        if found != str(FORMAT):
            self._db.close()
            raise StoreError(
                f"{self.path} is a store of format {found}, this version reads {FORMAT}; use another file"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; everything stored is in it already."""
        with self._lock:
            self._db.close()

    def __len__(self) -> int:
        return int(self._rows("SELECT count(*) FROM replies")[0][0])

    def get(self, request: ChatRequest, replicate: int = 0, *, endpoint: str = "") -> StoredReply | None:
        """Return the stored reply to a request, or None."""
        rows = self._rows(
            "SELECT raw, latency_s, attempts FROM replies WHERE key = ? AND replicate = ?",
            (request_key(request, endpoint), replicate),
        )
        if not rows:
            return None
        return _stored(*rows[0])

    def get_many(
        self, requests: Iterable[tuple[ChatRequest, int]], *, endpoint: str = ""
    ) -> Iterator[StoredReply | None]:
        """Yield the stored reply, or None, to each pair of a request and a replicate, in their order.

        What `get` gives for each, without asking the file for each: for a run's requests, which have the
        catalog in common as one value, and most of them stored.
        """
        keys = Keys(endpoint)
        last: ChatRequest | None = None
        key = ""
        pairs = iter(requests)
        while chunk := list(itertools.islice(pairs, _AT_ONCE)):
            wanted = []
            for request, replicate in chunk:
                if request is not last:
                    last, key = request, keys.key(request)
                wanted.append((key, replicate))
            distinct = tuple(dict.fromkeys(key for key, _ in wanted))
            replicates = [replicate for _, replicate in wanted]
            marks = ", ".join("?" * len(distinct))
            found = {
                (row[0], row[1]): row[2:]
                for row in self._rows(
                    f"SELECT key, replicate, raw, latency_s, attempts FROM replies WHERE key IN ({marks})"
                    " AND replicate BETWEEN ? AND ?",
                    (*distinct, min(replicates), max(replicates)),
                )
            }
            for place in wanted:
                row = found.get(place)
                yield None if row is None else _stored(*row)

    def put(
        self,
        request: ChatRequest,
        reply: ChatReply,
        replicate: int = 0,
        *,
        endpoint: str = "",
        attempts: tuple[str, ...] = (),
    ) -> None:
        """Store a reply, in the place of an earlier one; it is on disk when this returns."""
        key = request_key(request, endpoint)
        body, texts = shrink(request.body())
        with self._transaction():
            self._db.executemany("INSERT OR IGNORE INTO texts VALUES (?, ?)", texts.items())
            self._db.execute(
                "INSERT OR IGNORE INTO requests VALUES (?, ?, ?, ?)",
                (key, endpoint, request.model, dump(body)),
            )
            self._db.execute(
                "INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?)",
                (key, replicate, reply.latency_s, dump(attempts), dump(reply.raw)),
            )

    def endpoints(self, model: str) -> tuple[str, ...]:
        """Return the services that answered for `model` here, sorted; empty text: one on this machine."""
        return tuple(
            row[0]
            for row in self._rows(
                "SELECT DISTINCT endpoint FROM requests WHERE model = ? ORDER BY 1", (model,)
            )
        )

    def models(self) -> tuple[str, ...]:
        """Return the models that replies are stored of, sorted."""
        return tuple(row[0] for row in self._rows("SELECT DISTINCT model FROM requests ORDER BY 1"))

    def samplings(self, model: str) -> tuple[tuple[float | None, int | None], ...]:
        """Return the temperatures and longest answers (tokens) that a model was asked with; None: not set."""
        return tuple(
            self._rows(
                "SELECT DISTINCT json_extract(body, '$.temperature'), json_extract(body, '$.max_tokens')"
                " FROM requests WHERE model = ? ORDER BY 1, 2",
                (model,),
            )
        )

    def miss(self, request: ChatRequest, replicate: int = 0, *, endpoint: str = "") -> ReplayMiss:
        """Return the error that says which stored request is nearest to this one, and what differs."""
        key = request_key(request, endpoint)
        wanted = lines_of(endpoint, replicate, request.body())
        nearest: tuple[tuple[float, float], str, list[str]] | None = None
        for found_key, found_replicate, found_endpoint, body in self._rows(
            "SELECT key, min(replicate), endpoint, body FROM replies JOIN requests USING (key)"
            " GROUP BY key ORDER BY key"
        ):
            lines = lines_of(found_endpoint, found_replicate, self._grow(json.loads(body)))
            likeness = alike(lines, wanted)
            if nearest is None or likeness > nearest[0]:
                nearest = (likeness, found_key, lines)
        where = "the recording" if self.path == ":memory:" else self.path
        remedy = "Record it (with --base-url, or mode replay_or_record), or ask as the recording was made."
        if nearest is None:
            text = f"there is no recorded answer: {where} is empty. {remedy}"
            return ReplayMiss(text, key=key, nearest_key=None, difference=())
        difference = tuple(
            difflib.unified_diff(nearest[2], wanted, "recorded", "asked for", n=0, lineterm="")
        )
        shown = "\n".join(line if len(line) <= 200 else line[:197] + "..." for line in difference[:24])
        more = f"\n... {len(difference) - 24} more lines" if len(difference) > 24 else ""
        return ReplayMiss(
            f"there is no recorded answer for this request in {where}; the nearest recorded one is "
            f"{nearest[1][:12]}. {remedy} What differs:\n{shown}{more}",
            key=key,
            nearest_key=nearest[1],
            difference=difference,
        )

    def export(self, path: str | Path) -> int:
        """Write everything as JSON lines (compressed if the name ends with `.gz`); return how many replies.

        First a line that says what this is, then each text once, each request, and each reply, in the order
        of their keys: equal stores give equal bytes.
        """
        path = check_writable(path)
        lines = [dump({"kind": "tohlab-replies", "format": FORMAT})]
        count = 0
        with self._lock:
            for digest, text in self._rows("SELECT hash, json FROM texts ORDER BY hash"):
                lines.append(dump({"kind": "text", "hash": digest, "json": json.loads(text)}))
            for key, endpoint, model, body in self._rows("SELECT * FROM requests ORDER BY key"):
                row = {
                    "kind": "request",
                    "key": key,
                    "endpoint": endpoint,
                    "model": model,
                    "body": json.loads(body),
                }
                lines.append(dump(row))
            for key, replicate, latency_s, attempts, raw in self._rows(
                "SELECT key, replicate, latency_s, attempts, raw FROM replies ORDER BY key, replicate"
            ):
                count += 1
                lines.append(
                    dump(
                        {
                            "kind": "reply",
                            "key": key,
                            "replicate": replicate,
                            "latency_s": latency_s,
                            "attempts": json.loads(attempts),
                            "raw": json.loads(raw),
                        }
                    )
                )
        data = ("\n".join(lines) + "\n").encode("ascii")
        try:
            write_whole(path, gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
        except OSError as error:
            raise StoreError(f"{path} cannot be written: {error.strerror}") from error
        return count

    def import_(self, path: str | Path) -> int:
        """Add the replies of an exported file, keeping those that are here already; return how many it has.

        Raises:
            StoreError: it cannot be read, is no such file, or a request does not have the key that it stands
                under.
        """
        path = Path(path)
        count = 0
        texts: dict[str, str] = {}
        with self._transaction():
            for number, row in exported(path):
                try:
                    if row["kind"] == "text":
                        text = dump(row["json"])
                        if digest_of(text) != row["hash"]:
                            raise StoreError(
                                f"{path}:{number}: the text does not have the hash it stands under"
                            )
                        texts[row["hash"]] = text
                        self._db.execute("INSERT OR IGNORE INTO texts VALUES (?, ?)", (row["hash"], text))
                    elif row["kind"] == "request":
                        body = grow(row["body"], texts)
                        if digest_of(dump([row["endpoint"], body])) != row["key"]:
                            raise StoreError(
                                f"{path}:{number}: the request does not have the key it stands under"
                            )
                        self._db.execute(
                            "INSERT OR IGNORE INTO requests VALUES (?, ?, ?, ?)",
                            (row["key"], row["endpoint"], row["model"], dump(row["body"])),
                        )
                    elif row["kind"] == "reply":
                        count += 1
                        self._db.execute(
                            "INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?, ?)", reply_values(row)
                        )
                except (
                    KeyError,
                    TypeError,
                    AttributeError,
                    sqlite3.InterfaceError,  # a value of a kind that no column takes
                    sqlite3.ProgrammingError,  # the same, from Python 3.11 on
                ) as error:
                    raise StoreError(f"{path}:{number}: not a line of a recording ({error!r})") from error
        return count

    def _grow(self, body: Any) -> Any:
        return grow(body, _Texts(self))

    def _rows(self, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        with self._lock, self._errors(), closing(self._db.execute(sql, values)) as cursor:
            return cursor.fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock, self._errors():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"the store {self.path} cannot be used: {error}. Give another file.") from error


class _Texts(Mapping[str, str]):
    def __init__(self, store: ReplyStore) -> None:
        self._store = store

    def __getitem__(self, digest: str) -> str:
        rows = self._store._rows("SELECT json FROM texts WHERE hash = ?", (digest,))
        if not rows:
            raise KeyError(digest)
        return str(rows[0][0])

    def __iter__(self) -> Iterator[str]:
        return iter(row[0] for row in self._store._rows("SELECT hash FROM texts"))

    def __len__(self) -> int:
        return int(self._store._rows("SELECT count(*) FROM texts")[0][0])
