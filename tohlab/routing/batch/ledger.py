"""Which batches there are, and which requests are in them: tables of our own in the store's SQLite file.

A batch is written down before anything is sent, and each thing that the service gives (the file's id, the
batch's id) as soon as it is known, so that a process that is killed at any point leaves a trail from which
the next one goes on: nothing is asked twice, and nothing that was asked is forgotten.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from tohlab.errors import StoreError
from tohlab.routing.client import ChatRequest
from tohlab.routing.recording import dump, grow, shrink
from tohlab.routing.wanted import Failure, Unit, request_of

PLANNED: Final = "planned"
"""The state of a batch that the service may not know yet; the other states are the service's own words."""
ANSWERED: Final = "answered"
EXPIRED: Final = "expired"
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS batches (
    number INTEGER PRIMARY KEY, mark TEXT NOT NULL UNIQUE, endpoint TEXT NOT NULL, base_url TEXT NOT NULL,
    model TEXT NOT NULL, planned_s REAL NOT NULL, file_id TEXT, batch_id TEXT, state TEXT NOT NULL,
    done INTEGER NOT NULL DEFAULT 0, closed INTEGER NOT NULL DEFAULT 0, detail TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS batch_requests (
    batch INTEGER NOT NULL, custom_id TEXT NOT NULL, key TEXT NOT NULL, replicate INTEGER NOT NULL,
    body TEXT NOT NULL, outcome TEXT NOT NULL DEFAULT '', detail TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (batch, custom_id)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS batch_requests_unit ON batch_requests (key, replicate);
CREATE TABLE IF NOT EXISTS batch_texts (hash TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRow:
    """One batch as it is written down."""

    number: int
    """Counted from 1 in this store."""
    mark: str
    """Our own name of it: the file's name and the batch's metadata have it, so that it can be found again."""
    endpoint: str
    """Host and port of the service; empty for this machine."""
    base_url: str
    model: str
    planned_s: float
    """When it was written down, in seconds since 1970."""
    file_id: str | None
    batch_id: str | None
    state: str
    """`planned`, or the service's own word, such as `in_progress`."""
    done: int
    """Requests that the service has finished, as far as it said."""
    closed: bool
    """Whether its results are in the store, so that nothing more is expected of it."""
    detail: str
    """What the service said of a batch that failed."""
    requests: int
    """How many requests it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One request of a batch."""

    custom_id: str
    key: str
    replicate: int
    body: str
    """The request as JSON, its long texts by their hash (see `Ledger.request`)."""
    outcome: str
    """Empty while it is not known; `answered`, `expired`, or why it failed, as `EndpointError.kind` has
    it."""


def custom_id_of(unit: Unit) -> str:
    """Return the name of a request in its file: 48 of the 64 digits of the store's key, and the replicate.

    With all 64 it would be longer than the 64 characters that some providers allow (OpenAI documents none).
    """
    return f"{unit[0][:48]}-{unit[1]}"


class Ledger:
    """The batches of one store.

    Args:
        path: the store's file.

    Raises:
        StoreError: there is no such file, or it cannot be used.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        if self.path == ":memory:":
            raise StoreError("a batch takes hours, so it needs a store in a file; give one (--store FILE)")
        self._lock = threading.RLock()
        self._kept_texts: dict[str, str] | None = None
        with self._errors():
            self._db = sqlite3.connect(self.path, timeout=60, check_same_thread=False, isolation_level=None)
            try:
                self._db.executescript(_SCHEMA)
            except BaseException:
                self._db.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._db.close()

    # What is there.

    def rows(self, endpoint: str | None = None) -> tuple[BatchRow, ...]:
        """Return all batches (of one service), the oldest first."""
        found = self._all(
            "SELECT number, mark, endpoint, base_url, model, planned_s, file_id, batch_id, state, done, "
            "closed,"
            " detail, (SELECT count(*) FROM batch_requests WHERE batch = number) FROM batches ORDER BY number"
        )
        return tuple(
            BatchRow(
                number=row[0], mark=row[1], endpoint=row[2], base_url=row[3], model=row[4], planned_s=row[5],
                file_id=row[6], batch_id=row[7], state=row[8], done=row[9], closed=bool(row[10]),
                detail=row[11], requests=row[12],
            )
            for row in found
            if endpoint is None or row[2] == endpoint
        )  # fmt: skip

    def items(self, number: int) -> tuple[Item, ...]:
        """Return the requests of a batch, in the order of its file."""
        return tuple(
            Item(custom_id=row[0], key=row[1], replicate=row[2], body=row[3], outcome=row[4])
            for row in self._all(
                "SELECT custom_id, key, replicate, body, outcome FROM batch_requests WHERE batch = ?"
                " ORDER BY custom_id",
                (number,),
            )
        )

    def request(self, item: Item) -> ChatRequest:
        """Return the whole request of an item."""
        return request_of(grow(json.loads(item.body), self._texts()))

    def _texts(self) -> dict[str, str]:
        if self._kept_texts is None:
            self._kept_texts = dict(self._all("SELECT hash, json FROM batch_texts"))
        return self._kept_texts

    def open_units(self) -> set[Unit]:
        """Return the requests that are in a batch whose results are not here yet."""
        return {
            (key, replicate)
            for key, replicate in self._all(
                "SELECT key, replicate FROM batch_requests JOIN batches ON batch = number WHERE closed = 0"
            )
        }

    def failures(self, units: Iterable[Unit]) -> dict[Unit, tuple[str, str]]:
        """Return outcome and reason of those of the requests whose last batch ended without an answer."""
        wanted = set(units)
        found: dict[Unit, tuple[str, str]] = {}
        for key, replicate, outcome, detail in self._all(
            "SELECT key, replicate, outcome, batch_requests.detail FROM batch_requests JOIN batches"
            " ON batch = number WHERE closed = 1 ORDER BY batch"
        ):
            if (key, replicate) in wanted:
                found[key, replicate] = (outcome, detail)
        return {unit: what for unit, what in found.items() if what[0] != ANSWERED}

    # What happens.

    def plan(
        self,
        files: Iterable[Sequence[tuple[Unit, ChatRequest]]],
        *,
        endpoint: str,
        base_url: str,
        model: str,
    ) -> tuple[int, ...]:
        """Write new batches down, all or none; return their numbers."""
        numbers = []
        self._kept_texts = None
        with self._transaction():
            for file in files:
                numbers.append(
                    self._db.execute(
                        "INSERT INTO batches (mark, endpoint, base_url, model, planned_s, state)"
                        " VALUES (?, ?, ?, ?, ?, ?) RETURNING number",
                        (uuid.uuid4().hex, endpoint, base_url, model, time.time(), PLANNED),
                    ).fetchone()[0]
                )
                for unit, request in file:
                    body, texts = shrink(request.body())
                    self._db.executemany("INSERT OR IGNORE INTO batch_texts VALUES (?, ?)", texts.items())
                    self._db.execute(
                        "INSERT INTO batch_requests (batch, custom_id, key, replicate, body)"
                        " VALUES (?, ?, ?, ?, ?)",
                        (numbers[-1], custom_id_of(unit), *unit, dump(body)),
                    )
        return tuple(numbers)

    def note(self, number: int, **facts: str | int | None) -> None:
        """Write down what the service gave or said of a batch: `file_id`, `batch_id`, `state`, `done`,
        `detail`."""
        names = ", ".join(f"{name} = ?" for name in facts)
        with self._transaction():
            self._db.execute(f"UPDATE batches SET {names} WHERE number = ?", (*facts.values(), number))

    def close(
        self, number: int, outcomes: Mapping[str, tuple[str, str]], *, state: str, detail: str = ""
    ) -> None:
        """Write down how each request of a batch ended, and that no more is expected of it."""
        with self._transaction():
            self._db.executemany(
                "UPDATE batch_requests SET outcome = ?, detail = ? WHERE batch = ? AND custom_id = ?",
                [(*outcome, number, custom_id) for custom_id, outcome in outcomes.items()],
            )
            self._db.execute(
                "UPDATE batches SET closed = 1, state = ?, detail = ? WHERE number = ?",
                (state, detail, number),
            )

    @contextmanager
    def alone(self, waiting: Callable[[], None], *, wait_s: float = 600.0) -> Iterator[None]:
        """Hold the right to submit: one process at a time, and free again as soon as that process is gone.

        A lock of SQLite on a file beside the store: the system takes it back from a killed process, on every
        platform.

        Args:
            waiting: called about once a second while another process has it.
            wait_s: how long to wait for it, in seconds.

        Raises:
            StoreError: another process still has it.
        """
        with self._errors():
            lock = sqlite3.connect(f"{self.path}.submit", timeout=1.0, isolation_level=None)
        with closing(lock):
            start = time.monotonic()
            while not self._locked(lock):
                if time.monotonic() - start > wait_s:
                    raise StoreError(
                        f"another process has been submitting batches from {self.path} for more than "
                        f"{wait_s:g} s; wait for it, or stop it"
                    )
                waiting()
            yield

    def _locked(self, lock: sqlite3.Connection) -> bool:
        with self._errors():
            try:
                lock.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                    raise
                return False
            return True

    def _all(self, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        with self._lock, self._errors(), closing(self._db.execute(sql, values)) as cursor:
            return cursor.fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock, self._errors():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # a full disk has rolled it back already
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StoreError(
                f"the batches in {self.path} cannot be read or written: {error}. Make room or give "
                f"another file; "
                "what the service was sent is found again."
            ) from error


def as_failure(outcome: str, detail: str) -> Failure:
    """Return why a request has no answer; an expired one was not answered in time."""
    return Failure(kind="timeout" if outcome == EXPIRED else outcome, detail=detail)
