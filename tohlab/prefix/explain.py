"""Why a request reads less of the cache than it could, where it broke, what it costs, what to do instead.

`explain` sends the earlier request and then the later one to an empty cache of one policy, and beside it a
twin: the earlier request with the new messages appended and nothing else changed. What the twin reads and the
later request does not is lost to the change. For each change that is also asked alone, so that one which lies
behind another is not blamed for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tohlab.errors import PrefixError
from tohlab.prefix.changes import LaidOut, Sent
from tohlab.prefix.compare import as_request, compare_prefix
from tohlab.prefix.difference import Difference
from tohlab.prefix.explanation import Change, Explanation, InputRates, cost_usd
from tohlab.prefix.policies import get_policy
from tohlab.prefix.policies.base import WHY, CachePolicy, CacheState, Use
from tohlab.prefix.policies.snapshot import Snapshot
from tohlab.prefix.reasons import REMEDIES, Reason
from tohlab.request import Request, text_message
from tohlab.tokens.meter import TokenMeter, get_meter

NEXT_TEXT: Final = "Go on."
"""What the user says in the request after the later one, whose use is told as well."""

_ALWAYS: Final = ("unaligned_tail", "below_minimum", "unavailable")
"""Rules by which a part of what is shared is read by no request, its twin included."""


def explain(
    before: Request | Sent | None,
    after: Request | Sent,
    policy: str | CachePolicy,
    meter: TokenMeter | None = None,
    rates: InputRates | None = None,
    *,
    earlier: Sequence[Sent] = (),
) -> Explanation:
    """Return what the later of two requests reads of the earlier one's cache, and why not more.

    Args:
        before: the earlier request; None where there was none.
        after: the later one. A `Sent` says with which marks, settings and when.
        policy: whose cache, by name or as a `CachePolicy`.
        meter: what counts; `o200k_base` unless told otherwise.
        rates: what input costs; any object with `input`, `read`, `short_write` and `long_write` in US dollars
            for a million tokens, such as the `rates` of a `Price`.
        earlier: what was sent before `before`, oldest first: a cache of snapshots may still hold its ends.

    Raises:
        UnknownPolicy: no policy of that name.
        PrefixError: a request that the provider refuses, a later one that starts before the earlier one, or
            what is no `Request` at all, such as a body as it was sent.
        EncodingUnavailable: no meter was given and the default encoding cannot be had.
    """
    meter = meter or get_meter()
    rules = get_policy(policy)
    new = after if isinstance(after, Sent) else Sent(request=as_request(after))
    first = Request() if before is None else before
    old = first if isinstance(first, Sent) else Sent(request=as_request(first), at_s=new.at_s)
    sent = (*earlier, old) if before is not None else ()
    return _Case(old, new, Warmed(sent, rules, LaidOut(meter)), known=before is not None).explanation(rates)


class Warmed:
    """A cache that served what was sent before, for as many questions as one likes.

    Args:
        sent: what was sent, oldest first.
        rules: whose cache.
        laid: where requests are laid out; several caches may share it.
    """

    def __init__(self, sent: Sequence[Sent], rules: CachePolicy, laid: LaidOut) -> None:
        self.sent, self.rules, self.laid = tuple(sent), rules, laid
        self._cache: CacheState | None = None

    def explain(self, after: Sent, rates: InputRates | None = None) -> Explanation:
        """Return the same as `explain` of a request after those that were sent."""
        return _Case(self.sent[-1], after, self, known=True).explanation(rates)

    def cache(self) -> CacheState:
        """Return the cache after what was sent."""
        if self._cache is None:
            self._cache = self.rules.start()
            for sent in self.sent:
                self._cache.submit(self.laid.cached(sent), sent.at_s)
        return self._cache.fork()


class _Case:
    """One question put to one policy."""

    def __init__(
        self,
        old: Sent,
        new: Sent,
        warmed: Warmed,
        *,
        known: bool,
    ) -> None:
        self.old, self.new, self.known, self.warmed = old, new, known, warmed
        self.rules, self.laid, self.meter = warmed.rules, warmed.laid, warmed.laid.meter
        self.laid.cached(old), self.laid.cached(new)
        self.shared = self.laid.once("shared", old.request, new.request, make=self._shared)
        self.use, self.next_use = self._uses(new)
        twin = self.laid.once("twin", old.request, new.request, make=self._twin_request)
        self.twin_sent = replace(old, request=twin, output=None)
        self.twin = self._after_old(self.twin_sent)
        self.reusable = self._reusable()

    def explanation(self, rates: InputRates | None) -> Explanation:
        changes = self._changes() if self.known else (self._rule("previous_message_not_found", 0),)
        if not self.known and self._unmarked():
            changes = (*changes, self._rule("no_breakpoint", 0))
        return Explanation(
            policy=self.rules.name,
            status=self.rules.status,
            not_modelled=self.rules.not_modelled,
            meter=self.meter.name,
            shared_tokens=self.shared,
            reusable_tokens=self.reusable,
            use=self.use,
            twin=self.twin,
            next_use=self.next_use,
            changes=changes,
            boundary=self.use.boundary,
            cost_usd=cost_usd(self.use, rates),
            twin_cost_usd=cost_usd(self.twin, rates),
            next_cost_usd=cost_usd(self.next_use, rates),
        )

    def _uses(self, sent: Sent) -> tuple[Use, Use]:
        """Of a request after the earlier one, and of the one after that."""
        cache = self.warmed.cache()
        first = cache.submit(self.laid.cached(sent), sent.at_s)
        request = sent.request
        more = self.laid.once(
            "more",
            request,
            make=lambda: replace(request, messages=(*request.messages, text_message("user", NEXT_TEXT))),
        )
        return first, cache.submit(self.laid.cached(replace(sent, request=more)), sent.at_s)

    def _after_old(self, sent: Sent) -> Use:
        cache = self.warmed.cache()
        try:
            return cache.submit(self.laid.cached(sent), self.old.at_s)
        except PrefixError:  # a mark of the earlier request that names nothing in a request with other parts
            return cache.submit(self.laid.cached(replace(sent, marks=self.new.marks)), self.old.at_s)

    def _shared(self) -> int:
        return compare_prefix(self.old.request, self.new.request, self.meter).shared_tokens

    def _twin_request(self) -> Request:
        """The earlier request with what is new at the later one's end."""
        old, new = self.old.request, self.new.request.messages
        known = set(old.messages)
        first = next((i for i in range(len(new), 0, -1) if new[i - 1] in known), None)
        if first is None:
            first = min(len(old.messages), len(new))
        return replace(old, messages=(*old.messages, *new[first:]))

    def _reusable(self) -> int:
        if not self.known:
            return 0
        written = 0
        if isinstance(self.rules, Snapshot) and self.old.mode != "off":
            request = self.laid.cached(self.old)
            minimum = self.rules.minimum_for(request)
            ends = [w.end for w in self.rules.writes(request) if w.end >= minimum]
            written = max(ends, default=0)
        return max(self.twin.read_tokens, written)

    def _changes(self) -> tuple[Change, ...]:
        found: list[Change] = []
        seen: set[str] = set()
        rule = self._rule_that_was_met()
        for difference in self.laid.differences(self.old, self.new, self.rules):
            first = difference.where == "settings" or difference.where not in seen
            lost = self._lost_alone(difference) if first and not difference.appended else 0
            if rule == "breakpoint_moved" and difference.token >= self.reusable:
                lost = 0
            if not difference.appended:
                seen.add(difference.where)
            found.append(self._change(difference, lost))
        if rule is not None:
            blamed = any(change.lost_tokens for change in found)
            found.append(self._rule(rule, 0 if blamed and rule in _ALWAYS else self._lost_to()))
        return tuple(found)

    def _lost_alone(self, difference: Difference) -> int:
        old, new = self.old, self.new
        request = old.request
        alone = self.twin_sent
        if difference.where == "messages":
            request = replace(request, messages=new.request.messages)
            alone = replace(old, request=request, marks=new.marks, output=None)
        elif difference.where == "tools":
            alone = replace(alone, request=replace(alone.request, tools=new.request.tools))
        elif difference.where == "system":
            system, blocks = new.request.system, new.request.system_blocks
            alone = replace(alone, request=replace(alone.request, system=system, system_blocks=blocks))
        elif difference.path == "model":
            alone = replace(alone, model=new.model)
        elif difference.path == "cache key":
            alone = replace(alone, namespace=new.namespace)
        else:
            params = dict(alone.params)
            params.pop(difference.path, None)
            value = dict(new.params).get(difference.path)
            if value is not None:
                params[difference.path] = value
            alone = replace(alone, params=tuple(sorted(params.items())))
        return max(self.reusable - self._after_old(alone).read_tokens, 0)

    def _rule_that_was_met(self) -> Reason | None:
        use, why = self.use, self.use.why
        rules: dict[str, Reason] = {
            "below_minimum": "below_minimum",
            "lookback_exceeded": "lookback_exceeded",
            "ttl_expired": "ttl_expired",
            "unaligned_tail": "unaligned_tail",
            "not_promised": "unavailable",
        }
        if why in rules and self.shared:
            return rules[why]
        if self._drops_thinking() and self._lost_to():
            return "template_strips_reasoning"
        if self._off():
            return "cache_off"
        if why in ("not_looked_for", "not_asked") and 0 < self.reusable <= self.shared:
            return "breakpoint_moved"
        if self._unmarked():
            return "no_breakpoint"
        walks = self.rules.family == "prefix walk"
        return "unaligned_tail" if walks and 0 < use.read_tokens < self.shared else None

    def _unmarked(self) -> str:
        """Say which request marks no breakpoint, where that alone leaves nothing to read; else empty."""
        if self.rules.family != "snapshot" or self.reusable or self.use.read_tokens:
            return ""
        # the twin has the earlier request's marks
        earlier = self.known and self.old.mode != "off" and self.twin.why == "not_asked"
        later = self.new.mode != "off" and self.use.why == "not_asked"
        if earlier and later:
            return "neither request marks a breakpoint"
        who = "the earlier request" if earlier else "the request" if later else ""
        return f"{who} marks no breakpoint" if who else ""

    def _off(self) -> str:
        """Say which request was sent with caching off, where that leaves nothing to read; else empty."""
        if not self.shared or self.use.read_tokens:
            return ""
        earlier = self.known and self.old.mode == "off" and not self.reusable
        if self.new.mode == "off":
            return "both requests were" if earlier else "the request was"
        return "the earlier request was" if earlier else ""

    def _drops_thinking(self) -> bool:
        """Whether the later request makes the provider render the earlier messages otherwise."""
        rules = self.rules
        if not isinstance(rules, Snapshot) or not self.known:
            return False
        return rules.epoch(self.laid.cached(self.new)) != rules.epoch(self.laid.cached(self.old))

    def _lost_to(self) -> int:
        """What is lost is what the twin would read; what nobody reads is not lost to anything."""
        return max(min(self.reusable, self.shared) - self.use.read_tokens, 0)

    def _fix(self, reason: Reason) -> str:
        return dict(self.rules.remedies).get(reason, REMEDIES[reason])

    def _change(self, difference: Difference, lost: int) -> Change:
        total = self.use.total_tokens
        fix = self._fix(difference.reason)
        place = ""
        if difference.where != "settings":
            place = f" at character {difference.character:,}, token {difference.token:,} of {total:,}"
        cost = (
            f"loses {lost:,} tokens" if lost else "loses nothing" if difference.appended else "loses no more"
        )
        sentence = f"{difference.reason}: {difference.label}: {difference.what}{place}; this {cost}."
        if lost:
            sentence += f" Cheapest: {fix}."
        return Change(
            reason=difference.reason,
            path=difference.path,
            label=difference.label,
            before=difference.before,
            after=difference.after,
            character=difference.character,
            token=difference.token,
            lost_tokens=lost,
            fix=fix,
            sentence=sentence,
        )

    def _rule(self, reason: Reason, lost: int) -> Change:
        fix = self._fix(reason)
        said = {
            "previous_message_not_found": "there is no earlier request to read from",
            "below_minimum": self._too_short(),
            "breakpoint_moved": f"an entry of {self.reusable:,} tokens exists, and nobody looks there",
            "no_breakpoint": f"{self._unmarked()}, and {self.rules.title} keeps and reads nothing "
            "without one",
            "cache_off": f"{self._off()} sent with caching off",
            "unaligned_tail": f"{self.shared:,} tokens are shared and only whole units are read",
            "template_strips_reasoning": WHY["thinking_dropped"],
            "unavailable": f"{self.rules.title} promises no reuse of the {self.shared:,} shared tokens",
        }.get(reason, WHY[self.use.why])
        unread = self.shared - self.use.read_tokens
        cost = f"this loses {lost:,} tokens" if lost else "this loses nothing"
        if not lost and reason in _ALWAYS and unread:
            cost = f"{unread:,} of them are not read, whatever else changes"
        advised = bool(lost)
        if reason in ("no_breakpoint", "cache_off") and not lost:
            cost = f"{unread:,} shared tokens are not read" if unread else "there is nothing to read"
            advised = True
        return Change(
            reason=reason,
            path="",
            label="the whole request",
            before="",
            after="",
            character=0,
            token=self.use.read_tokens,
            lost_tokens=lost,
            fix=fix,
            sentence=f"{reason}: {said}; {cost}." + (f" Cheapest: {fix}." if advised else ""),
        )

    def _too_short(self) -> str:
        """Short is what is shared, or what the request marks of it."""
        shared, rules = f"{self.shared:,} tokens are shared", self.rules
        marked = self.shared
        if isinstance(rules, Snapshot) and self.shared >= self._minimum():
            places = rules.lookups(self.laid.cached(self.new))
            marked = max((place.end for place in places), default=self.shared)
        if marked < self.shared:
            return (
                f"{shared}, but the longest marked beginning has {marked:,}, and the minimum is "
                f"{self._minimum():,}"
            )
        return f"{shared} and the minimum is {self._minimum():,}"

    def _minimum(self) -> int:
        if isinstance(self.rules, Snapshot):
            return self.rules.minimum_for(self.laid.cached(self.new))
        return self.rules.minimum_tokens
