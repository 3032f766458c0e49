"""How many requests may be under way at once in all workers together, and a lease that outlives no worker.

A `RateLimit` is what `distributed.Semaphore` is already: `acquire(timeout)` and `release()`. Within one
process `LocalPlaces` does; between the processes of one machine `ProcessPlaces`; between machines
`DaskPlaces`. What a killed worker held comes back: at once from the system for `ProcessPlaces`, after the
scheduler's lease time-out (30 s by default, `distributed.scheduler.locks.lease-timeout`) with Dask. A
`multiprocessing.Semaphore` is not among them, since what a killed process held of it is lost for ever.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
import threading
import time
import uuid
from collections import deque
from pathlib import Path
from typing import Any, NoReturn, Protocol

from tohlab.errors import MissingExtra, RoutingError

_FIRST_LOOK_S = 0.002
_LONGEST_LOOK_S = 0.05


class RateLimit(Protocol):
    """A number of places that all workers share; one request holds one place while it is under way."""

    def acquire(self, timeout: float) -> bool:
        """Wait for a place, at most so many seconds; return whether there is one now."""
        ...

    def release(self) -> object:
        """Give a place back."""
        ...


class LocalPlaces:
    """Places for the threads of one process.

    Args:
        places: how many, at least 1.

    Raises:
        RoutingError: fewer than 1.
    """

    def __init__(self, places: int) -> None:
        self.places = _counted(places)
        self._free = threading.Semaphore(places)

    def acquire(self, timeout: float) -> bool:
        """Wait for a place, at most so many seconds."""
        return self._free.acquire(timeout=timeout)

    def release(self) -> None:
        """Give a place back."""
        self._free.release()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "LocalPlaces holds within one process only; give rate=ProcessPlaces(folder, n) to processes, and "
            "rate=DaskPlaces(n) to Dask"
        )


class ProcessPlaces:
    """Places for the processes of one machine: so many files, each locked by whoever holds the place.

    Args:
        folder: where the files are, made if it is not there; on a disk of this machine. The same folder is
            the
            same places.
        places: how many, at least 1.

    Raises:
        RoutingError: fewer than 1.
    """

    def __init__(self, folder: str | Path, places: int) -> None:
        self.folder = Path(folder)
        self.places = _counted(places)
        self._held: deque[int] = deque()

    def __getstate__(self) -> tuple[Path, int]:
        return self.folder, self.places

    def __setstate__(self, state: tuple[Path, int]) -> None:
        self.__init__(*state)  # type: ignore[misc]  # another process holds none of this one's places

    def acquire(self, timeout: float) -> bool:
        """Wait for a place, at most so many seconds."""
        self.folder.mkdir(parents=True, exist_ok=True)
        end = time.monotonic() + timeout
        look_s = _FIRST_LOOK_S
        while True:
            # In another order each time, so that not all wait for the first ones.
            for number in random.sample(range(self.places), self.places):
                handle = os.open(self.folder / f"place-{number}", os.O_RDWR | os.O_CREAT, 0o600)
                if _lock(handle):
                    self._held.append(handle)
                    return True
                os.close(handle)
            if time.monotonic() >= end:
                return False
            time.sleep(min(look_s, max(0.0, end - time.monotonic())))
            look_s = min(look_s * 2, _LONGEST_LOOK_S)

    def release(self) -> None:
        """Give a place back."""
        os.close(self._held.popleft())  # with its handle a lock is gone


class DaskPlaces:
    """Places for the workers of a Dask cluster, by a `distributed.Semaphore` on its scheduler.

    Args:
        places: how many, at least 1.
        name: the same name on one scheduler is the same places; by default a new one.

    Raises:
        MissingExtra: distributed is not installed.
        RoutingError: fewer than 1.
    """

    def __init__(self, places: int, name: str | None = None) -> None:
        self.places = _counted(places)
        self.name = name or f"tohlab-{uuid.uuid4().hex}"
        self._semaphore: Any = None
        _semaphore()

    def __getstate__(self) -> tuple[int, str]:
        return self.places, self.name

    def __setstate__(self, state: tuple[int, str]) -> None:
        self.places, self.name = state
        self._semaphore = None

    def register(self) -> None:
        """Find the scheduler; called once in a worker, in the thread of its task.

        Only there does Dask know the worker that it is in: a semaphore that had travelled as such would
        find its scheduler later, and would not renew its leases.
        """
        if self._semaphore is None:
            self._semaphore = _semaphore()(max_leases=self.places, name=self.name)
            self._semaphore.register()

    def acquire(self, timeout: float) -> bool:
        """Wait for a place, at most so many seconds."""
        self.register()
        return bool(self._semaphore.acquire(timeout=timeout))

    def release(self) -> None:
        """Give a place back."""
        self._semaphore.release()


def _semaphore() -> Any:
    try:
        from distributed import Semaphore
    except ImportError as error:
        raise MissingExtra("distributed", "dask") from error
    return Semaphore


def _counted(places: int) -> int:
    if places < 1:
        raise RoutingError(f"there must be at least 1 place, not {places}")
    return places


def _lock(handle: int) -> bool:
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False
