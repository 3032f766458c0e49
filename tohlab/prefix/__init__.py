"""What one request can reuse of another: the longest common token prefix, and where it ends.

`compare_prefix` sets two requests side by side; a `PrefixTracker` follows a session; `address` says where a
token stands. What a provider or engine makes of a shared prefix (blocks, minimum, lifetime) is not said here:
the shared prefix is the most that any of them can reuse, and newer hosted models reuse less.
"""

from __future__ import annotations

from tohlab.prefix.compare import Divergence, PrefixComparison, compare_prefix
from tohlab.prefix.locate import Address, address
from tohlab.prefix.tracker import PrefixTracker

__all__ = ["Address", "Divergence", "PrefixComparison", "PrefixTracker", "address", "compare_prefix"]
