"""llama.cpp's server: slots that keep their last prompt, and a store of prompts in memory beside them.

A slot holds the tokens of its last request and what was generated after them, but for the last token, which
was never evaluated. A request goes to the slot that holds the longest beginning of it, if that is more than
a share of the request, else to the slot that was used longest ago. A slot that is about to lose more than
half of what it holds is saved to the memory store first, and takes a prompt from there if that keeps more.
"""

from __future__ import annotations

import math
import struct
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Final, Literal

from tohlab.errors import PrefixError
from tohlab.prefix.policies.base import CachedRequest, CachePolicy, CacheState, Knob, Source, Use, Why
from tohlab.prefix.sequence import TokenSequence

MIB: Final = 1024 * 1024

_KEEP_HALF: Final = 0.5
_KEEP_QUARTER: Final = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class LlamaCpp(CachePolicy):
    """The prompt cache of `llama-server`, for models whose layers all see the whole prompt.

    One server holds one model: another model is another server, and nothing else separates requests.
    Requests are served one after another, as they are submitted.
    """

    slots: int = 1
    """How many prompts are held at once (`--parallel`)."""
    similarity: float = 0.1
    """A slot is taken for what it holds if that is more than this share of the request
    (`--slot-prompt-similarity`, 0 to 1); 0 takes slots in turn, whatever they hold."""
    ram_mib: int = 0
    """Size of the store in memory (`--cache-ram`), in MiB; 0 for none, -1 for no bound in bytes."""
    chunk_tokens: int = 0
    """Later pieces of at least so many tokens are moved into place (`--cache-reuse`); 0 for none."""
    unified: bool = False
    """Whether the slots share one pool of tokens (`--kv-unified`): then an idle slot is emptied into the
    memory store when another one starts."""
    save_idle: bool = True
    """Whether idle slots are saved to the memory store when another one starts (`--cache-idle-slots`)."""
    context_tokens: int = 0
    """The context of all slots together, in tokens: it bounds a memory store without a bound in bytes."""
    window_tokens: int = 0
    """Sliding window of the model's layers, in tokens; 0 for none, and for a server with `--swa-full`."""
    token_bytes: float = 131_072.0
    """What a token's keys and values take in the memory store, in bytes: with two-byte numbers
    `layers * 2 * kv_heads * head_size * 2`. Only counts where the store has a bound."""
    layers: int = 32
    """Layers of the model; each adds a few bytes to every stored prompt."""

    # these two have a check of their own, which names the server's options
    least: ClassVar[Mapping[str, float]] = MappingProxyType(
        {"report_round": 1, "ram_mib": -math.inf, "chunk_tokens": -math.inf}
    )

    @property
    def family(self) -> Literal["prefix walk", "snapshot"]:
        """Whether any shared beginning is reused, or only what was written at a boundary."""
        return "prefix walk"

    @property
    def knobs(self) -> tuple[Knob, ...]:
        """The size of a token, where the store in memory has a bound: it is the model's, not the server's."""
        if self.ram_mib <= 0:
            return ()
        return (
            Knob(
                name="token_bytes",
                value=self.token_bytes,
                low=64,
                high=4_194_304,
                status="assumed",
                source="the size of an 8B model with 8 heads of 128 for keys and values in each of 32 layers",
            ),
        )

    def start(self) -> LlamaCppState:
        """Return an empty cache that follows these rules.

        Raises:
            PrefixError: a model with a sliding window, whose reuse is another and not described here; or a
                setting that no server takes.
        """
        if self.window_tokens:
            raise PrefixError(
                f"{self.name} describes models whose layers see the whole prompt; this one has a sliding "
                f"window of {self.window_tokens} tokens, and what it reuses hangs on the server's context "
                "checkpoints. "
                "Start the server with --swa-full and say window_tokens=0, or measure it"
            )
        if self.slots < 1 or self.chunk_tokens < 0 or self.ram_mib < -1 or not 0 <= self.similarity <= 1:
            raise PrefixError(
                f"{self.name}: slots must be 1 or more, chunk_tokens 0 or more, ram_mib -1 or more and "
                f"similarity 0 to 1; got {self.slots}, {self.chunk_tokens}, {self.ram_mib}, {self.similarity}"
            )
        if self.ram_mib < 0 and not self.context_tokens:
            raise PrefixError(
                f"{self.name}: a store without a bound in bytes is bounded by the server's context; "
                "say it with context_tokens, or give ram_mib a size"
            )
        return LlamaCppState(self)

    def stored_bytes(self, tokens: int) -> float:
        """Return what a prompt of so many tokens takes in the memory store, in bytes."""
        streams = 1 if self.unified else self.slots
        return 32 + 24 * self.layers + 4 * (streams - 1) + tokens * (12 + self.token_bytes)


@dataclass(slots=True, kw_only=True)
class _Slot:
    tokens: TokenSequence
    used: int = -1
    """When it was last used, counted in requests; -1 for never."""


class LlamaCppState(CacheState):
    """The slots and the memory store of one server for each model."""

    policy: LlamaCpp

    def __init__(self, policy: LlamaCpp) -> None:
        super().__init__(policy)
        self._servers: dict[str, _Server] = {}
        self.slot: int | None = None
        """The number of the slot that served the last request, as the server reports it in `id_slot`."""

    def _use(self, request: CachedRequest, at_s: float, response_s: float) -> Use:
        total = request.total_tokens
        read = 0
        why: Why = "nothing_cached"
        if total:
            server = self._servers.setdefault(request.model, _Server(self.policy))
            was_empty = server.is_empty
            self.slot, read = server.serve(request)
            why = "nothing_cached" if was_empty else "no_entry_matches"
            if request.mode == "off":
                # `cache_prompt: false`: the slot is chosen and written over all the same
                read, why = 0, "not_asked"
            elif read:
                why = "read"
        return Use(
            total_tokens=total,
            read_tokens=read,
            write_tokens=0,
            long_write_tokens=0,
            plain_tokens=total - read,
            why=why,
            boundary=request.boundary_at(read) if read else None,
        )


class _Server:
    def __init__(self, policy: LlamaCpp) -> None:
        self._policy = policy
        self._slots = [_Slot(tokens=TokenSequence.of(())) for _ in range(policy.slots)]
        self._stored: list[TokenSequence] = []
        self._served = 0

    @property
    def is_empty(self) -> bool:
        return not self._stored and not any(len(slot.tokens) for slot in self._slots)

    def serve(self, request: CachedRequest) -> tuple[int, int]:
        """Return which slot serves a request and how many of its tokens are read from there."""
        policy = self._policy
        number, update = self._choose(request.tokens)
        slot = self._slots[number]
        if update and policy.ram_mib:
            self._save(slot.tokens)
            self._load(slot, request.tokens)
            self._trim()
        if policy.save_idle and policy.ram_mib:
            for other in self._slots:
                if other is not slot:
                    if self._save(other.tokens):
                        self._trim()
                    if policy.unified:
                        other.tokens = TokenSequence.of(())
        read = slot.tokens.common(request.tokens)
        if policy.chunk_tokens:
            read = _with_moved(slot.tokens, request.tokens, read, policy.chunk_tokens)
        read = min(read, len(request.tokens) - 1)
        # the last generated token was sampled but never evaluated
        slot.tokens = request.output.first(len(request.output) - 1) if request.output else request.tokens
        slot.used = self._served
        self._served += 1
        return number, read

    def _choose(self, wanted: TokenSequence) -> tuple[int, bool]:
        """The slot, and whether it may give to the memory store and take from it."""
        best, found = 0.0, -1
        bar = _single(self._policy.similarity)
        if self._policy.similarity:
            for number, slot in enumerate(self._slots):
                if not len(slot.tokens):
                    continue
                share = _single(slot.tokens.common(wanted) / len(wanted))
                if share > best and share > bar:
                    best, found = share, number
        if found >= 0:
            kept = _single(_single(best * len(wanted)) / len(self._slots[found].tokens))
            return found, kept < _KEEP_HALF
        # of slots that were used equally long ago, which is never, the last one
        oldest = min(slot.used for slot in self._slots)
        return max(number for number, slot in enumerate(self._slots) if slot.used == oldest), True

    def _save(self, tokens: TokenSequence) -> bool:
        """Save a prompt; whether it was saved anew."""
        limit = self._policy.ram_mib * MIB
        size = self._policy.stored_bytes(len(tokens))
        if not len(tokens) or any(entry.starts_with(tokens) for entry in self._stored) or 0 < limit < size:
            return False
        self._stored = [entry for entry in self._stored if not tokens.starts_with(entry)]
        while limit > 0 and self._stored and self._stored_bytes() + size > limit:
            del self._stored[0]
        self._stored.append(tokens)
        return True

    def _load(self, slot: _Slot, wanted: TokenSequence) -> None:
        """Put a stored prompt into the slot if it keeps more of itself and of the request."""
        shared = slot.tokens.common(wanted)
        keep = _single(shared / len(slot.tokens)) if len(slot.tokens) else -1.0
        share = _single(shared / len(wanted))
        found = -1
        for place, entry in enumerate(self._stored):
            common = entry.common(wanted)
            entry_keep, entry_share = _single(common / len(entry)), _single(common / len(wanted))
            if entry_keep >= _KEEP_QUARTER and entry_keep > keep and entry_share > share:
                keep, share, found = entry_keep, entry_share, place
        if found >= 0:
            slot.tokens = self._stored.pop(found)

    def _trim(self) -> None:
        """Drop the oldest prompts of a store that is bounded in tokens alone."""
        if self._policy.ram_mib < 0:
            while sum(map(len, self._stored)) > self._policy.context_tokens:
                del self._stored[0]

    def _stored_bytes(self) -> float:
        return sum(self._policy.stored_bytes(len(entry)) for entry in self._stored)


def _with_moved(held: TokenSequence, wanted: TokenSequence, read: int, chunk_tokens: int) -> int:
    """How much of the request is had when later pieces of what a slot holds are moved into place.

    Both are walked from the first difference on: a piece that is too short is passed over in what is held,
    never in the request, so that reuse ends where the request has something new.
    """
    old, new = held.items[: len(held)], wanted.items[: len(wanted)]
    place = read
    while place < len(old) and read < len(new):
        try:
            place = old.index(new[read], place)
        except ValueError:
            break
        same = _matching(old, place, new, read)
        if same >= chunk_tokens:
            place += same
            read += same
        else:
            place += 1
    return read


def _matching(old: array[int], place: int, new: array[int], start: int) -> int:
    end = min(len(old) - place, len(new) - start)
    same = 0
    while same < end and old[place + same] == new[start + same]:
        same += 1
    return same


def _single(value: float) -> float:
    """The nearest number of single precision, in which the server compares."""
    return float(struct.unpack("f", struct.pack("f", value))[0])


SOURCES: Final = (
    Source(
        title="xllamacpp 2026.10.11549, 8,000 random requests to eight servers: tohlab model verify-cache",
        date="2026-12-01",
        status="verified-live",
    ),
    Source(
        title="llama.cpp, tools/server/server-context.cpp and server-task.cpp",
        date="2026-10",
        status="verified-live",
    ),
)

_NOT_MODELLED: Final = (
    "models with recurrent or hybrid layers or a sliding window: they go back only to a context checkpoint, "
    "and without a usable one the whole request is computed anew",
)

POLICIES: Final = (
    LlamaCpp(
        name="llama.cpp",
        title="llama-server as it starts by default: four slots over one pool, 8 GiB of memory store",
        sources=SOURCES,
        not_modelled=_NOT_MODELLED,
        slots=4,
        unified=True,
        ram_mib=8192,
    ),
    LlamaCpp(
        name="llama.cpp-one-slot",
        title="llama-server with one slot and no memory store, as `tohlab model start` runs it",
        sources=SOURCES,
        not_modelled=_NOT_MODELLED,
    ),
)
