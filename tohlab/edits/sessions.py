"""What a recorded session's own requests read of one cache, and why the others read nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from tohlab.edits.recorded import minimum_of, model_notes
from tohlab.edits.scene import Scene
from tohlab.edits.setups import Setup, get_setups
from tohlab.prefix.policies.base import WHY, Why
from tohlab.tokens.meter import TokenMeter, get_meter


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionUse:
    """What the requests of a session read of one cache, from the second one on."""

    setup: str
    policy: str
    status: str
    before_tokens: int
    """All requests but the last together: what could be kept."""
    read_tokens: int
    """What the request after each read, at most what stood in the one before it."""
    why: tuple[tuple[Why, int], ...] = ()
    """How many of the requests from the second one on read something (`read`), and how many nothing, by
    reason; the most frequent first."""
    minimum_tokens: int = 0
    """The minimum for the model of the session's last request, or the assumed one where that names none; 0
    where there is none."""
    models: tuple[str, ...] = ()
    """The models that the session names, in order."""
    notes: tuple[str, ...] = ()
    """What is assumed of these models, for a person."""

    @property
    def kept_share(self) -> float:
        """What is read of what could be kept, 0 to 1."""
        return self.read_tokens / self.before_tokens if self.before_tokens else 1.0

    @property
    def sentence(self) -> str:
        """What is read, and of the requests that read nothing why, for a person."""
        part = f"{self.read_tokens:,} of {self.before_tokens:,} tokens ({self.kept_share:.1%})"
        told = "".join(f"; {self._told(why, count)}" for why, count in self.why if why != "read")
        return f"{self.setup} reads {part}{told}"

    def _told(self, why: Why, count: int) -> str:
        minimum = f" of {self.minimum_tokens:,}" if why == "below_minimum" and self.minimum_tokens else ""
        some = "1 request reads" if count == 1 else f"{count:,} requests read"
        return f"{some} nothing: {why} ({WHY[why]}{minimum})"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data under the same names, with `kept_share`; `why` is an object of counts."""
        result: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        lists = {"models": list(self.models), "notes": list(self.notes)}
        return {**result, **lists, "why": dict(self.why), "kept_share": self.kept_share}


def session_use(
    scene: Scene, setup: str | Setup, meter: TokenMeter | None = None, *, whole: bool = False
) -> SessionUse:
    """Return what the session so far read of a cache that was empty at its start.

    Args:
        scene: the session.
        setup: one cache; a policy's name stands for its first setup.
        meter: what counts; `o200k_base` unless told otherwise.
        whole: take the next request, without an edit, as the session's last one.

    Raises:
        UnknownPolicy: no such policy or setup.
    """
    meter = meter or get_meter()
    chosen = get_setups(setup)[0]
    rules = chosen.rules
    cache = rules.start()
    exchanges = (*scene.sent, scene.next_exchange()) if whole else scene.sent
    before = read = last = 0
    why: Counter[Why] = Counter()
    for i, exchange in enumerate(exchanges):
        request = chosen.sent(exchange).cached(meter)
        use = cache.submit(request, exchange.at_s)
        before += last
        read += min(use.read_tokens, last) if i else 0
        why.update([use.why] if i else [])
        last = use.total_tokens
    return SessionUse(
        setup=chosen.name,
        policy=chosen.policy,
        status=rules.status,
        before_tokens=before,
        read_tokens=read,
        why=tuple(why.most_common()),
        minimum_tokens=minimum_of(rules, request),
        models=scene.models,
        notes=model_notes(scene, chosen, request),
    )
