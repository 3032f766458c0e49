"""What differs in the messages of two requests, aligned as far as they are the same."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from tohlab.prefix.compare import compare_prefix
from tohlab.prefix.difference import Difference, excerpt, located
from tohlab.prefix.policies.base import CachePolicy
from tohlab.prefix.reasons import Reason, only_dates_differ, only_thoughts_gone
from tohlab.request import Message, Request
from tohlab.tokens.meter import TokenMeter

_ENTRY: Final = 'entry "'
_CATALOG: Final[Mapping[Reason, str]] = MappingProxyType(
    {"skill_added": "now lists {0} as well", "skill_reordered": "lists {0} in other places"}
)


def changed_messages(
    before: Request, after: Request, policy: CachePolicy, meter: TokenMeter, starts: dict[str, int]
) -> Iterator[Difference]:
    old, new = before.messages, after.messages
    keys = [_key(m) for m in old], [_key(m) for m in new]
    matcher = difflib.SequenceMatcher(None, *keys, autojunk=False)
    compacted = any(m.kind == "compaction-summary" for m in new) and not all(
        key in keys[0] for m, key in zip(new, keys[1], strict=True) if m.kind == "compaction-summary"
    )
    told = False
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal" or (tag == "delete" and i2 == len(old) and j1 == len(new)):
            continue
        if tag == "insert" and i1 == len(old):
            yield from _appended(old, new[j1:], j1, starts)
            continue
        at = starts.get(f"messages[{j1}]", starts[""])
        if compacted:
            if not told:
                yield _compaction(old[i1:i2], new[j1:j2], j1, at)
            told = True
        elif tag == "replace":
            yield from _replaced(old[i1:i2], new[j1:j2], j1, policy, meter, starts)
        else:
            yield _moved(tag, old, new, (i1, i2, j1, j2), policy, at)


def _replaced(
    old: tuple[Message, ...],
    new: tuple[Message, ...],
    first: int,
    policy: CachePolicy,
    meter: TokenMeter,
    starts: dict[str, int],
) -> Iterator[Difference]:
    for i, (was, now) in enumerate(zip(old, new, strict=False)):
        path = f"messages[{first + i}]"
        at = starts.get(path, starts[""])
        reason, names = _message_reason(was, now, policy)
        both = compare_prefix(Request(messages=(was,)), Request(messages=(now,)), meter)
        found = both.divergence
        if found is not None:
            where = located(found, reason, "messages", found.path.replace("messages[0]", path, 1), at, names)
            said = _CATALOG.get(reason)
            if said:
                where = replace(where, label=_label(path, now), what=said.format(_list(names)))
            yield where
            continue
        short = min(len(was.text), len(now.text))
        yield Difference(
            reason=reason,
            where="messages",
            path=path,
            label=_label(path, now),
            before=excerpt(was.text[short:]),
            after=excerpt(now.text[short:]),
            what="goes on" if short == len(was.text) else "ends earlier",
            character=short,
            token=at + both.shared_tokens,
            names=names,
        )
    rest = len(old) - len(new)
    if rest:
        path = f"messages[{first + min(len(old), len(new))}]"
        more = (old if rest > 0 else new)[min(len(old), len(new))]
        yield Difference(
            reason=policy.messages_word,
            where="messages",
            path=path,
            label=_label(path, more),
            before=excerpt(more.text) if rest > 0 else "",
            after=excerpt(more.text) if rest < 0 else "",
            what=f"this and {abs(rest) - 1:,} more were {'taken out' if rest > 0 else 'put in'}"
            if abs(rest) > 1
            else f"was {'taken out' if rest > 0 else 'put in'}",
            token=starts.get(path, starts[""]),
        )


def _message_reason(was: Message, now: Message, policy: CachePolicy) -> tuple[Reason, tuple[str, ...]]:
    old, new = _entries(was), _entries(now)
    added = tuple(name for name in new if name not in old)
    if added and old:
        return "skill_added", added
    if old != new and sorted(old) == sorted(new):
        return "skill_reordered", tuple(n for n, o in zip(new, old, strict=True) if n != o)
    pieces = [(piece.kind == "reasoning", piece.role, piece.text) for piece in was.segments(0)]
    thoughts = any(thought for thought, _, _ in pieces)
    spoken = [(role, text) for thought, role, text in pieces if not thought]
    now_said = [(piece.role, piece.text) for piece in now.segments(0)]
    if was.role == now.role == "assistant" and (
        only_thoughts_gone(was.text, now.text) or (thoughts and spoken == now_said)
    ):
        return "template_strips_reasoning", ()
    if only_dates_differ(was.text, now.text):
        return "date_rollover", ()
    return policy.messages_word, ()


def _appended(
    old: tuple[Message, ...], more: tuple[Message, ...], first: int, starts: dict[str, int]
) -> Iterator[Difference]:
    """A catalog that is told again at the end: nothing is lost by it, but it is sent."""
    known: set[str] = set()
    for message in old:
        known |= set(_entries(message))
    for i, message in enumerate(more):
        added = tuple(name for name in _entries(message) if name not in known)
        if known and added:
            path = f"messages[{first + i}]"
            yield Difference(
                reason="skill_added",
                where="messages",
                path=path,
                label=_label(path, message),
                before="",
                after=excerpt(message.text),
                what=f"was appended and tells of {_list(added)}",
                token=starts[path],
                appended=True,
                names=added,
            )


def _compaction(old: tuple[Message, ...], new: tuple[Message, ...], first: int, at: int) -> Difference:
    path = f"messages[{first}]"
    return Difference(
        reason="context_compacted",
        where="messages",
        path=path,
        label=f"{path} / compaction summary",
        before=excerpt("".join(m.text for m in old[:1])),
        after=excerpt("".join(m.text for m in new[:1])),
        what=f"stands for {len(old):,} earlier message{'s' if len(old) != 1 else ''}",
        token=at,
    )


def _moved(
    tag: str,
    old: tuple[Message, ...],
    new: tuple[Message, ...],
    places: tuple[int, int, int, int],
    policy: CachePolicy,
    at: int,
) -> Difference:
    i1, i2, j1, j2 = places
    some = old[i1:i2] if tag == "delete" else new[j1:j2]
    path = f"messages[{i1 if tag == 'delete' else j1}]"
    more = f"this and {len(some) - 1:,} more were" if len(some) > 1 else "was"
    text = excerpt(some[0].text)
    return Difference(
        reason=policy.messages_word,
        where="messages",
        path=path,
        label=_label(path, some[0]),
        before=text if tag == "delete" else "",
        after="" if tag == "delete" else text,
        what=f"{more} {'taken out' if tag == 'delete' else 'put in before what stood there'}",
        token=at,
    )


def _label(path: str, message: Message) -> str:
    return f"{path} / {message.kind.replace('-', ' ')}"


def _key(message: Message) -> tuple[tuple[str, str, str], ...]:
    """What is sent of a message: address, role and text of each piece; call ids and sources are not sent."""
    return tuple((piece.path, piece.role, piece.text) for piece in message.segments(0))


def _entries(message: Message) -> tuple[str, ...]:
    """The names of a catalog's entries, in order."""
    return tuple(
        span.label[len(_ENTRY) : -1]
        for block in message.content
        for span in block.spans
        if span.label.startswith(_ENTRY)
    )


def _list(names: tuple[str, ...]) -> str:
    shown = ", ".join(f'"{name}"' for name in names[:3])
    return shown + (f" and {len(names) - 3} more" if len(names) > 3 else "")
