"""A tree of token sequences that share their beginnings, with lifetimes and, if wanted, limited room.

It answers the one question of every prefix cache: how much of this sequence was here before. A path from
the root is a sequence; a node holds the stretch that it adds, as a view of one of the arrays that went
through it, so a request costs one comparison in C for each node on its path, not one step for each token.

Room is counted in units (tokens, pages or blocks). Two ways of making room are known: `tails` takes single
units off the end of the least recently used leaf, as vLLM's queue of free blocks does; `leaves` takes the
whole leaf, as SGLang does.
"""

from __future__ import annotations

import heapq
import math
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tohlab.errors import PrefixError
from tohlab.prefix.sequence import common_items

Eviction = Literal["tails", "leaves"]


class _Node:
    __slots__ = ("at_s", "children", "items", "order", "parent", "start", "stop")

    def __init__(self, items: array[int], start: int, stop: int, parent: _Node | None) -> None:
        self.items = items
        self.start = start
        self.stop = stop
        self.parent = parent
        self.children: dict[bytes | int, _Node] = {}
        self.order = 0
        self.at_s = -math.inf


def _copied(node: _Node, parent: _Node | None, twins: dict[_Node, _Node]) -> _Node:
    twin = twins[node] = _Node(node.items, node.start, node.stop, parent)
    twin.order, twin.at_s = node.order, node.at_s
    return twin


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    """What was there of a sequence when it came."""

    found: int
    """Leading items that were there and alive, in whole units."""
    expired: int
    """Leading items that would have been found without lifetimes; at least `found`."""
    evicted: int
    """Units that had to go."""


class RadixTree:
    """Sequences by their beginnings.

    Args:
        unit: how many items are kept or lost together.
        capacity: how many units there is room for; None for any number.
        eviction: how room is made.
    """

    __slots__ = ("_capacity", "_eviction", "_heap", "_order", "_roots", "_ticket", "_unit", "size")

    def __init__(self, unit: int = 1, capacity: int | None = None, eviction: Eviction = "tails") -> None:
        self._unit = unit
        self._capacity = capacity
        self._eviction = eviction
        self._roots: dict[object, _Node] = {}
        self._heap: list[tuple[int, int, _Node]] = []
        self._order = 0
        self._ticket = 0
        self.size = 0
        """Units held, expired ones that nobody has come upon included."""

    def fork(self) -> RadixTree:
        """Return a tree that holds the same and goes its own way from now on; the arrays are shared."""
        new = RadixTree(self._unit, self._capacity, self._eviction)
        twins: dict[_Node, _Node] = {}
        for scope, root in self._roots.items():
            new._roots[scope] = _copied(root, None, twins)
        stack = list(self._roots.values())
        while stack:  # a long session is a deep tree, so nothing here calls itself
            node = stack.pop()
            twin = twins[node]
            for key, child in node.children.items():
                twin.children[key] = _copied(child, twin, twins)
                stack.append(child)
        new._heap = [(order, ticket, twins[leaf]) for order, ticket, leaf in self._heap if leaf in twins]
        heapq.heapify(new._heap)
        new._order, new._ticket, new.size = self._order, self._ticket, self.size
        return new

    def __deepcopy__(self, memo: object) -> RadixTree:
        return self.fork()

    def touch(
        self,
        items: array[int],
        length: int,
        at_s: float = 0.0,
        *,
        scope: object = None,
        alive_since_s: float = -math.inf,
        keep: int | None = None,
        reserve: int = 0,
    ) -> Touch:
        """Return what was there of `items[:length]`, and hold its first `keep` items from now on.

        Args:
            items: the sequence; it may be longer and grow, but what is kept must not change any more.
            length: how much of it is looked up.
            at_s: the time, in seconds.
            scope: sequences of another scope share nothing with it, but the same room.
            alive_since_s: what was last touched before this moment has expired.
            keep: how much of it is held, at least `length`; as much as that unless told otherwise.
            reserve: units that must be free beside those of the sequence while it is worked on.

        Raises:
            PrefixError: the sequence and the reserve need more room than there is.
        """
        unit = self._unit
        keep = (length if keep is None else keep) // unit * unit
        if self._capacity is not None and keep // unit + reserve > self._capacity:
            raise PrefixError(
                f"one request needs {keep // unit + reserve:,} units of cache and there is room for "
                f"{self._capacity:,}; no engine would start it. Give more room or leave the request out."
            )
        self._order += 1
        there, alive, used = self._walk(items, keep, at_s, scope, alive_since_s)
        evicted = 0 if self._capacity is None else self._make_room(self._capacity - reserve, used)
        most = length // unit * unit
        return Touch(found=min(alive, most), expired=min(there, most), evicted=evicted)

    def _key(self, items: array[int], at: int) -> bytes | int:
        return items[at] if self._unit == 1 else items[at : at + self._unit].tobytes()

    def _walk(
        self, items: array[int], keep: int, at_s: float, scope: object, alive_since_s: float
    ) -> tuple[int, int, _Node]:
        """Follow the sequence down, touch what is there, add what is missing.

        Returns what was there, what of it was alive, and the node in which the sequence ends.
        """
        unit, order, whole = self._unit, self._order, self._eviction == "leaves"
        root = self._roots.get(scope)
        if root is None:
            root = self._roots[scope] = _Node(array("q"), 0, 0, None)
        node, at, alive = root, 0, -1
        while at < keep:
            child = node.children.get(self._key(items, at))
            if child is None:
                break
            if alive < 0 and child.at_s < alive_since_s:
                alive = at
            same = common_items(items, child.items, at, min(child.stop, keep))
            same = at + (same - at) // unit * unit
            if same < child.stop:
                if whole:  # SGLang touches a node before it finds that it has to be split
                    child.order, child.at_s = order, at_s
                    if not child.children:
                        self._push(child)
                child = self._split(child, same)
            child.order, child.at_s = order, at_s
            node, at = child, same
        there = at
        if at < keep:
            node = self._add(node, items, at, keep, at_s)
        if not node.children and node.stop:
            self._push(node)
        return there, there if alive < 0 else alive, node

    def _split(self, node: _Node, at: int) -> _Node:
        """Cut a node in two at `at`, which lies inside it; the front half."""
        parent = node.parent
        assert parent is not None
        front = _Node(node.items, node.start, at, parent)
        parent.children[self._key(node.items, node.start)] = front
        front.children[self._key(node.items, at)] = node
        node.start, node.parent = at, front
        return front

    def _add(self, node: _Node, items: array[int], at: int, keep: int, at_s: float) -> _Node:
        """Hold `items[at:keep]` behind a node, which ends at `at`."""
        self.size += (keep - at) // self._unit
        grows = node.stop > 0 and not node.children and node.stop == at
        if grows and self._eviction == "tails":
            # Nothing tells the two stretches apart any more: they were last used together.
            node.items, node.stop = items, keep
            return node
        leaf = _Node(items, at, keep, node)
        leaf.order, leaf.at_s = self._order, at_s
        node.children[self._key(items, at)] = leaf
        return leaf

    def _push(self, leaf: _Node) -> None:
        if self._capacity is not None:
            self._ticket += 1
            heapq.heappush(self._heap, (leaf.order, self._ticket, leaf))

    def _make_room(self, room: int, used: _Node) -> int:
        """Give up what was used longest ago, but nothing of the sequence that ends in `used`."""
        evicted, spared = 0, False
        while self.size > room:
            order, _, leaf = heapq.heappop(self._heap)
            if leaf is used:  # no newer than what it was split from, and that goes instead
                spared = True
                continue
            parent = leaf.parent
            if leaf.children or leaf.order != order or parent is None:
                continue  # it was used since, or is gone
            units = (leaf.stop - leaf.start) // self._unit
            taken = units if self._eviction == "leaves" else min(units, self.size - room)
            self.size -= taken
            evicted += taken
            if taken < units:
                leaf.stop -= taken * self._unit
                self._push(leaf)
                continue
            del parent.children[self._key(leaf.items, leaf.start)]
            leaf.parent = None
            if not parent.children and parent.stop:
                self._push(parent)
        if spared and not used.children:
            self._push(used)
        return evicted

    def holds(self, scope: object = None) -> bool:
        """Return whether anything of this scope is held."""
        root = self._roots.get(scope)
        return root is not None and bool(root.children)

    def sequences(self) -> Iterator[tuple[int, ...]]:
        """Yield every held path from the root to a leaf, for inspection and tests."""
        stack: list[tuple[_Node, tuple[int, ...]]] = [(root, ()) for root in self._roots.values()]
        while stack:
            node, before = stack.pop()
            path = before + tuple(node.items[node.start : node.stop])
            if not node.children and node.stop:
                yield path
            stack += [(child, path) for child in node.children.values()]
