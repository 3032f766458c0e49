"""What differs between two requests beyond the first token: settings, tools, system text, messages.

`compare_prefix` says where two requests part. Here every difference is listed, in the order in which the
providers render them, each with its reason word, its address and the characters that differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from tohlab.prefix.changed_messages import changed_messages
from tohlab.prefix.compare import compare_prefix
from tohlab.prefix.difference import Difference, excerpt, located
from tohlab.prefix.policies.base import CachedRequest, CachePolicy, Mark, Mode, cached_request
from tohlab.prefix.policies.cached import asked_for
from tohlab.prefix.reasons import PARAMETER_REASONS, Reason, only_dates_differ
from tohlab.request import Message, Request
from tohlab.tokens.meter import TokenMeter

Known = TypeVar("Known")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A request with all that decides over its cache."""

    request: Request
    marks: tuple[Mark | str, ...] = ()
    """Explicit breakpoints, as in `cached_request`."""
    mode: Mode = "default"
    ttl_s: float | None = None
    model: str = ""
    params: tuple[tuple[str, str], ...] = ()
    """Parameters that are rendered, such as `("tool_choice", "auto")`."""
    namespace: str = ""
    """Workspace, cache key or salt."""
    at_s: float = 0.0
    """When it starts, in seconds from any one moment."""
    output: Message | None = None
    """What the model answered to it, where that is known."""

    def cached(self, meter: TokenMeter) -> CachedRequest:
        """Return what a policy sees of it."""
        return cached_request(
            self.request,
            meter,
            marks=self.marks,
            mode=self.mode,
            ttl_s=self.ttl_s,
            model=self.model,
            params=dict(self.params),
            namespace=self.namespace,
            output=self.output,
        )


class LaidOut:
    """Requests as a cache sees them, each laid out once for all that is asked of it."""

    def __init__(self, meter: TokenMeter) -> None:
        self.meter = meter
        self._laid: dict[tuple[int, int], tuple[Sent, CachedRequest]] = {}
        self._known: dict[tuple[object, ...], Any] = {}

    def cached(self, sent: Sent) -> CachedRequest:
        """Return the same as `sent.cached`."""
        key = (id(sent.request), id(sent.output))  # held below, so that no other object gets them
        if key not in self._laid:
            self._laid[key] = sent, cached_request(sent.request, self.meter, output=sent.output)
        return asked_for(
            self._laid[key][1],
            marks=sent.marks,
            mode=sent.mode,
            ttl_s=sent.ttl_s,
            model=sent.model,
            params=dict(sent.params),
            namespace=sent.namespace,
        )

    def once(self, what: str, *requests: Request, make: Callable[[], Known], rule: object = None) -> Known:
        """Return what `make` gives for these requests, made once; they must have been laid out."""
        key = (what, rule, *map(id, requests))
        if key not in self._known:
            self._known[key] = make()
        found: Known = self._known[key]
        return found

    def differences(self, before: Sent, after: Sent, policy: CachePolicy) -> tuple[Difference, ...]:
        """Return the same as `differences`."""
        old, new = before.request, after.request
        words = (policy.system_word, policy.messages_word)
        texts = self.once(
            "texts", old, new, rule=words, make=lambda: _text_differences(old, new, policy, self.meter)
        )
        return (*_settings(before, after, policy), *texts)


def differences(before: Sent, after: Sent, policy: CachePolicy, meter: TokenMeter) -> tuple[Difference, ...]:
    """Return every difference, settings first, then in wire order; nothing for what was only appended."""
    texts = _text_differences(before.request, after.request, policy, meter)
    return (*_settings(before, after, policy), *texts)


def _text_differences(
    before: Request, after: Request, policy: CachePolicy, meter: TokenMeter
) -> tuple[Difference, ...]:
    ends = _starts(after, meter)
    return (
        *_tools(before, after, meter, ends),
        *_system(before, after, policy, meter, ends),
        *changed_messages(before, after, policy, meter, ends),
    )


def _starts(request: Request, meter: TokenMeter) -> dict[str, int]:
    """Tokens before each segment, by its path, and before each message; "" stands for all."""
    cached = cached_request(request, meter)
    starts: dict[str, int] = {}
    at = 0
    for boundary in cached.boundaries:
        starts[boundary.path] = at
        if boundary.message >= 0:
            starts.setdefault(f"messages[{boundary.message}]", at)
        at = boundary.end
    starts[""] = at
    return starts


def _settings(before: Sent, after: Sent, policy: CachePolicy) -> Iterator[Difference]:
    rows: list[tuple[Reason, str, str, str]] = []
    if before.model != after.model:
        rows.append(("model_changed", "model", before.model, after.model))
    if before.namespace != after.namespace:
        rows.append(("prompt_cache_key_changed", "cache key", before.namespace, after.namespace))
    was, now = dict(before.params), dict(after.params)
    for name in sorted(was.keys() | now.keys()):
        section = policy.rendered_from(name)
        if was.get(name) == now.get(name) or section is None:
            continue
        by_section: dict[str, Reason] = {
            "tools": "tools_changed",
            "system": policy.system_word,
            "messages": policy.messages_word,
        }
        reason = PARAMETER_REASONS.get(name, by_section[section])
        rows.append((reason, name, was.get(name, ""), now.get(name, "")))
    for reason, name, old, new in rows:
        yield Difference(
            reason=reason,
            where="settings",
            path=name,
            label=name,
            before=old,
            after=new,
            what=f"was {old or 'not set'} and is {new or 'not set'}",
        )


def _tools(
    before: Request, after: Request, meter: TokenMeter, starts: dict[str, int]
) -> Iterator[Difference]:
    was, now = {t.name: t for t in before.tools}, {t.name: t for t in after.tools}
    behind = next((p for p in starts if not p.startswith("tools[")), "")
    for i, tool in enumerate(before.tools):
        if tool.name not in now:
            at = starts.get(f"tools[{i}]", starts[behind])
            yield _tool(tool.name, f"tools[{i}]", at, "was taken out", before=tool.to_json())
    kept, again = [n for n in was if n in now], [n for n in now if n in was]
    moved = kept != again
    for i, tool in enumerate(after.tools):
        path, at = f"tools[{i}]", starts[f"tools[{i}]"]
        old = was.get(tool.name)
        if old is None:
            yield _tool(tool.name, path, at, "was added", after=tool.to_json())
        elif old.to_json() != tool.to_json():
            found = compare_prefix(Request(tools=(old,)), Request(tools=(tool,)), meter).divergence
            if found is not None:
                yield located(found, "tools_changed", "tools", path, at, names=(tool.name,))
        elif moved and kept.index(tool.name) != again.index(tool.name):
            yield _tool(tool.name, path, at, "stands in another place")
            moved = False


def _tool(name: str, path: str, at: int, what: str, before: str = "", after: str = "") -> Difference:
    return Difference(
        reason="tools_changed",
        where="tools",
        path=path,
        label=f'{path} / tool "{name}"',
        before=excerpt(before),
        after=excerpt(after),
        what=what,
        token=at,
        names=(name,),
    )


def _system(
    before: Request, after: Request, policy: CachePolicy, meter: TokenMeter, starts: dict[str, int]
) -> Iterator[Difference]:
    if (before.system, before.system_blocks) == (after.system, after.system_blocks):
        return
    first = next((n for p, n in starts.items() if p.startswith("messages[")), starts[""])
    at = starts.get("system", starts.get("system[0]", first))
    reason: Reason = "date_rollover" if only_dates_differ(before.system, after.system) else policy.system_word
    heads = replace(before.head, tools=()), replace(after.head, tools=())
    found = compare_prefix(*heads, meter).divergence
    if found is not None:
        path = found.path if found.path.startswith("system[") else "system"
        yield located(found, reason, "system", path, at)
        return
    if before.system == after.system:
        yield Difference(
            reason=reason,
            where="system",
            path="system",
            label="system",
            before=f"{len(before.system_blocks) or 1} blocks",
            after=f"{len(after.system_blocks) or 1} blocks",
            what="is cut into other blocks",
            token=at,
        )
        return
    what = "was added" if not before.system else "was taken out" if not after.system else "has another end"
    short = min(len(before.system), len(after.system))
    yield Difference(
        reason=reason,
        where="system",
        path="system",
        label="system",
        before=excerpt(before.system[short:]),
        after=excerpt(after.system[short:]),
        what=what,
        character=short,
        token=at,
    )
