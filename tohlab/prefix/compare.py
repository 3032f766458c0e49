"""Two requests side by side: how many leading tokens they share, and the first place where they differ.

Both are laid out by the `plain` renderer of `tohlab.tokens.measure`: segments that stand alone. Two segments
match if their headers (section, role, whether they open a message) and their tokens are the same; a segment's
end is a hard boundary, since a chat format puts special tokens there. Not compared: what is not sent (a
message's source, names of spans) and what `plain` does not write out (call ids).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from tohlab.ecma import json_stringify
from tohlab.errors import PrefixError
from tohlab.jsonpath import json_path_at
from tohlab.request import Request, Segment
from tohlab.tokens.ledger import Layout, common_messages, common_prefix, layout_of
from tohlab.tokens.measure import RENDERER
from tohlab.tokens.meter import TokenMeter, get_meter, token_array

EXCERPT_CHARACTERS: Final = 60

_NUMBER: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """The first place where two requests differ."""

    path: str
    """The segment's address in the later request, such as `messages[3].content[0]`."""
    label: str
    """The same for a person, such as `messages[3] / skill catalog / entry "pdf"`."""
    before_label: str
    """What stands there in the earlier request."""
    character: int
    """The first character that differs, counted from 0 in the later request's segment."""
    token: int
    """The first token that is not shared, counted from 0 in the whole request: as many are shared."""
    token_character: int
    """The character at which that token starts: at most `character`, since a changed character takes
    its whole token with it."""
    before: str
    """The earlier characters that differ, at most 60; empty for a pure insertion."""
    after: str
    """The later characters that differ, at most 60; empty for a pure deletion."""

    @property
    def change(self) -> str:
        """What happened there, without its address, such as `"o" became "u"`."""
        return _change(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data under the same names."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixComparison:
    """What a later request shares with an earlier one."""

    meter: str
    renderer: str
    shared_tokens: int
    """The longest common token prefix; at most the shorter of the two."""
    before_tokens: int
    """All tokens of the earlier request."""
    after_tokens: int
    """All tokens of the later request."""
    divergence: Divergence | None
    """None where one request begins with the whole other one."""

    @property
    def lost_tokens(self) -> int:
        """Tokens of the earlier request that the later one does not share."""
        return self.before_tokens - self.shared_tokens

    @property
    def new_tokens(self) -> int:
        """Tokens of the later request that have to be computed."""
        return self.after_tokens - self.shared_tokens

    @property
    def reused_share(self) -> float:
        """The shared part of the later request, 0 to 1; 1 for an empty one, which needs nothing."""
        return self.shared_tokens / self.after_tokens if self.after_tokens else 1.0

    @property
    def append_only(self) -> bool:
        """Whether the later request begins with the whole earlier one."""
        return self.divergence is None and self.shared_tokens == self.before_tokens

    @property
    def sentence(self) -> str:
        """What happened, for a person."""
        where = self.divergence
        if where is None:
            return self._sentence_without_divergence()
        change = _change(where)
        return (
            f"{where.label}: {change} at character {where.character:,}, token {where.token:,} of "
            f"{self.after_tokens:,}; the {self.new_tokens:,} tokens from there on are computed anew."
        )

    def _sentence_without_divergence(self) -> str:
        if self.before_tokens == 0:
            return f"There is nothing to share: all {self.after_tokens:,} tokens are new."
        if self.new_tokens == 0 and self.lost_tokens == 0:
            return f"Nothing changed: all {self.after_tokens:,} tokens are shared."
        if self.append_only:
            return (
                f"Only appended: all {self.before_tokens:,} earlier tokens are shared and "
                f"{self.new_tokens:,} are new."
            )
        return (
            f"Only shortened: the later request is the first {self.after_tokens:,} of "
            f"{self.before_tokens:,} tokens, all shared."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: every field, the derived numbers and the sentence."""
        return {
            "meter": self.meter,
            "renderer": self.renderer,
            "shared_tokens": self.shared_tokens,
            "before_tokens": self.before_tokens,
            "after_tokens": self.after_tokens,
            "lost_tokens": self.lost_tokens,
            "new_tokens": self.new_tokens,
            "reused_share": self.reused_share,
            "append_only": self.append_only,
            "divergence": self.divergence.to_dict() if self.divergence else None,
            "sentence": self.sentence,
        }


def as_request(value: object) -> Request:
    """Return the value if it is a request.

    Raises:
        PrefixError: it is something else, such as a body as it was sent; the message says how to read one.
    """
    if isinstance(value, Request):
        return value
    raise PrefixError(
        f"a Request is expected, not {type(value).__name__}; of a body as it was sent "
        "tohlab.request.read_body(body).request makes one, of a file of them tohlab.edits.read_session(path)"
    )


def compare_prefix(before: Request, after: Request, meter: TokenMeter | None = None) -> PrefixComparison:
    """Return how many leading tokens two requests share and where they first differ.

    Requests of one session that hold the same message values are compared in a few microseconds: tokens are
    looked at only in the first segment that differs.

    Args:
        before: the earlier request.
        after: the later one.
        meter: what counts; `o200k_base` unless told otherwise.

    Raises:
        EncodingUnavailable: no meter was given and the default encoding cannot be had.
    """
    meter = meter or get_meter()
    old, new = layout_of(before, meter), layout_of(after, meter)
    same = _shared_segments(old, new, meter)
    shared = old.trunk.ends[same]
    divergence: Divergence | None = None
    if same < old.length and same < new.length:
        divergence = _divergence(old, new, same, meter)
        shared = divergence.token
    return PrefixComparison(
        meter=meter.name,
        renderer=RENDERER,
        shared_tokens=shared,
        before_tokens=old.total_tokens,
        after_tokens=new.total_tokens,
        divergence=divergence,
    )


def _shared_segments(old: Layout, new: Layout, meter: TokenMeter) -> int:
    """How many leading segments match."""
    before, after = old.request, new.request
    same = 0
    if new.base is before:  # the layout of the later request was built on the earlier one's
        same = old.trunk.message_ends[new.shared_messages]
    elif before.head == after.head:
        same = old.trunk.message_ends[common_messages(before.messages, after.messages)]
    end = min(old.length, new.length)
    if same == end:
        return same
    olds, news = old.trunk.segments, new.trunk.segments
    while same < end:
        was, now = olds[same], news[same]
        if _header(old, same) != _header(new, same):
            break
        # Other texts may still be the same tokens: lone surrogates all count as U+FFFD.
        if was.text != now.text and token_array(meter, was.text) != token_array(meter, now.text):
            break
        same += 1
    return same


def _header(layout: Layout, index: int) -> tuple[str, str, bool]:
    segment = layout.trunk.segments[index]
    return _NUMBER.sub("", segment.path), segment.role, layout.opens_message(index)


def _divergence(old: Layout, new: Layout, index: int, meter: TokenMeter) -> Divergence:
    was, now = old.trunk.segments[index], new.trunk.segments[index]
    if _header(old, index) != _header(new, index):
        return Divergence(
            path=now.path,
            label=_label(now),
            before_label=_label(was),
            character=0,
            token=old.trunk.ends[index],
            token_character=0,
            before=_excerpt(was.text),
            after=_excerpt(now.text),
        )
    was_ids, was_starts = meter.encode_with_offsets(was.text)
    now_ids, now_starts = meter.encode_with_offsets(now.text)
    same = common_prefix(was_ids, now_ids)
    was_start = was_starts[same] if same < len(was_starts) else len(was.text)
    now_start = now_starts[same] if same < len(now_starts) else len(now.text)
    was_rest, now_rest = was.text[was_start:], now.text[now_start:]
    step = common_prefix(was_rest, now_rest)
    was_rest, now_rest = was_rest[step:], now_rest[step:]
    tail = common_prefix(was_rest[::-1], now_rest[::-1])
    was_label, now_label = _part_labels(was, was_start + step, now, now_start + step)
    return Divergence(
        path=now.path,
        label=now_label,
        before_label=was_label,
        character=now_start + step,
        token=old.trunk.ends[index] + same,
        token_character=now_start,
        before=_excerpt(was_rest[: len(was_rest) - tail]),
        after=_excerpt(now_rest[: len(now_rest) - tail]),
    )


def _part_labels(was: Segment, was_at: int, now: Segment, now_at: int) -> tuple[str, str]:
    """Both segments' labels with the part in which the difference lies, as far as it has a name."""
    was_part, now_part = _part(was, was_at), _part(now, now_at)
    labels = []
    for segment, part in ((was, was_part or now_part), (now, now_part or was_part)):
        labels.append(_label(segment) + (f" / {part}" if part else ""))
    return labels[0], labels[1]


def _part(segment: Segment, character: int) -> str:
    for span in segment.spans:
        if span.start <= character < span.stop:
            return span.label
    if segment.kind in ("tool", "tool-call") and segment.path.startswith(("tools[", "messages[")):
        return json_path_at(segment.text, character)
    return ""


def _label(segment: Segment) -> str:
    """`tools[0] / tool "skill"`, `system`, `messages[3] / skill catalog`."""
    if segment.kind == "system" and segment.path == "system":
        return "system"
    kind = segment.kind.replace("-", " ")
    address = segment.path.removesuffix(".content[0]")
    if kind == "tool" and segment.role == "tool":
        kind = "tool result"
    return f'{address} / {kind} "{segment.name}"' if segment.name else f"{address} / {kind}"


def _change(where: Divergence) -> str:
    before, after = json_stringify(where.before), json_stringify(where.after)
    was, now = where.before_label.rsplit(" / ", 1)[-1], where.label.rsplit(" / ", 1)[-1]
    if was != now:
        if not where.before:
            return f"it was put in before {was}"
        if not where.after:
            return f"{was}, which stood before it, was taken out"
        return f"it stands where {was} stood,"
    if not where.before:
        return f"{after} was put in"
    if not where.after:
        return f"{before} was taken out"
    return f"{before} became {after}"


def _excerpt(text: str) -> str:
    return text if len(text) <= EXCERPT_CHARACTERS else text[: EXCERPT_CHARACTERS - 1] + "…"
