"""How the server keeps prompts for reuse: its slots, and the store in memory beside them."""

from __future__ import annotations

from dataclasses import dataclass

from tohlab.errors import ServeError


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineCache:
    """Settings of llama.cpp's prompt cache; the defaults make what is reused easy to repeat.

    They are those of the policies in `tohlab.prefix.policies.llama_cpp`, which say what comes of them.

    Raises:
        ServeError: a number that no server takes.
    """

    slots: int = 1
    """How many prompts are held at once (`--parallel`). Each has the whole context of the server."""
    ram_mib: int = 0
    """Size of the store of prompts in memory (`--cache-ram`), in MiB; 0 for none, -1 for no bound."""
    chunk_tokens: int = 0
    """Later pieces of at least so many tokens are moved into place (`--cache-reuse`); 0 for none."""
    similarity: float = 0.1
    """A slot is taken for what it holds if that is more than this share of the request, 0 to 1
    (`--slot-prompt-similarity`)."""
    unified: bool = False
    """Whether the slots share one pool of tokens, which then is the context (`--kv-unified`)."""
    swa_full: bool = False
    """Whether layers with a sliding window keep the whole prompt all the same (`--swa-full`)."""

    def __post_init__(self) -> None:
        if self.slots < 1 or self.ram_mib < -1 or self.chunk_tokens < 0 or not 0 <= self.similarity <= 1:
            raise ServeError(
                f"slots must be 1 or more, ram_mib -1 or more, chunk_tokens 0 or more and similarity 0 to 1; "
                f"got {self.slots}, {self.ram_mib}, {self.chunk_tokens}, {self.similarity}"
            )

    @property
    def options(self) -> tuple[str, ...]:
        """The options of `child.py`; none where everything is as by default."""
        options: list[str] = []
        for name, value, default in (
            ("--slots", self.slots, 1),
            ("--cache-ram", self.ram_mib, 0),
            ("--cache-reuse", self.chunk_tokens, 0),
            ("--slot-similarity", self.similarity, 0.1),
        ):
            if value != default:
                options += [name, str(value)]
        if self.unified:
            options.append("--unified")
        if self.swa_full:
            options.append("--swa-full")
        return tuple(options)
