"""Does a format let a conversation grow at its end only? If not, each turn loses what is behind the change.

A prompt cache lives on this: what was sent before must be how the next request begins. Whether it does is a
property of the format, not of the harness. A template that puts the tools before the last user message moves
them in every turn; one that strips old reasoning rewrites history; one with a date breaks at midnight.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from tohlab.errors import RenderError
from tohlab.renderers.base import Rendered, Renderer
from tohlab.request import Message, Request, TextBlock, ToolCall, ToolSchema, text_message

EXCERPT_CHARACTERS: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendOnlyRow:
    """One situation: a conversation that grows by a step, or is sent again on another day."""

    situation: str
    """`tool loop`, `new user turn`, `reasoning in a tool loop`, `reasoning before a new user turn`, `another
    date`, or the name of a transcript of yours."""
    append_only: bool
    """Whether every request, without its generation prompt, is how the next one begins."""
    kept_share: float
    """Of the characters of the request before, in the worst step; 0 to 1."""
    step: int
    """The worst step, counted from 1: from request `step` to the next."""
    path: str
    """Whose text it is that changed or moved there; empty for the format's own."""
    section: str
    """`tools`, `system`, `messages` or `generation`; empty where nothing changed."""
    before: str
    """How the earlier request goes on there, at most 60 characters."""
    after: str
    """How the later one does."""
    prompt_kept: bool
    """Whether this also holds with the generation prompt, which an engine has in its cache too."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data under the same names."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendOnlyReport:
    """What a format does to growing conversations."""

    renderer: str
    rows: tuple[AppendOnlyRow, ...]
    skipped: tuple[tuple[str, str], ...] = ()
    """Situations that the format cannot write, each with the reason."""

    @property
    def append_only(self) -> bool:
        """Whether nothing is lost in any situation that could be written."""
        return bool(self.rows) and all(row.append_only for row in self.rows)

    @property
    def sentence(self) -> str:
        """The worst of it, for a person."""
        if not self.rows:
            return f"{self.renderer} writes none of the conversations{self._reason}."
        worst = min(self.rows, key=lambda row: row.kept_share)
        if worst.append_only:
            said = f"all {len(self.rows)} situations"
            if self.skipped:
                tried = len(self.rows) + len(self.skipped)
                said = f"{len(self.rows)} of {tried} situations; the others it does not write{self._reason}"
            return f"{self.renderer} only appends, in {said}."
        what = worst.path or f"its own text in the {worst.section} section"
        return (
            f"{self.renderer} does not only append: in the situation \u201c{worst.situation}\u201d only "
            f"{worst.kept_share:.0%} of the characters sent before are kept; {what} changes first."
        )

    @property
    def _reason(self) -> str:
        return f" ({self.skipped[0][1].rstrip('.')})" if self.skipped else ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: every row, and the sentence."""
        return {
            "renderer": self.renderer,
            "append_only": self.append_only,
            "rows": [row.to_dict() for row in self.rows],
            "skipped": [{"situation": name, "reason": reason} for name, reason in self.skipped],
            "sentence": self.sentence,
        }


DAY: Final = date(2026, 12, 1)
"""The first of the two days of `another date`, which begins a new user turn; nothing is special about it."""


def append_only(
    renderer: Renderer, transcripts: Mapping[str, Sequence[Request]] | None = None
) -> AppendOnlyReport:
    """Return whether what a format writes for a conversation stays how it begins when the conversation grows.

    Shares are of characters of short conversations: they say where a format breaks, not what a session loses.

    Args:
        renderer: the format, such as your own `JinjaRenderer`.
        transcripts: growing conversations by name, each request longer than the one before; the situations of
            `AppendOnlyRow.situation` unless told otherwise.

    Raises:
        RenderError: the format cannot write one of your `transcripts`. Of the built-in situations those are
            named in `skipped`.
    """
    rows: list[AppendOnlyRow] = []
    skipped: list[tuple[str, str]] = []
    for situation, requests in (transcripts or situations()).items():
        try:
            row = _row(situation, [(renderer, request) for request in requests], grows=transcripts is None)
            rows.append(row)
        except RenderError as error:
            if transcripts is not None:
                raise
            skipped.append((situation, str(error)))
    if transcripts is None:
        steps = situations()["new user turn"]
        days = [(renderer.on(DAY + timedelta(days=i)), request) for i, request in enumerate(steps)]
        try:
            rows.append(_row("another date", days, grows=True))
        except RenderError as error:
            skipped.append(("another date", str(error)))
    return AppendOnlyReport(renderer=renderer.name, rows=tuple(rows), skipped=tuple(skipped))


def _row(situation: str, steps: Sequence[tuple[Renderer, Request]], *, grows: bool) -> AppendOnlyRow:
    bare = [renderer.render(request) for renderer, request in steps]
    if grows and bare[0].text == bare[-1].text:
        raise RenderError("it writes the same text for a longer conversation", renderer=bare[0].renderer)
    asked = [renderer.render(request, generation_prompt=True) for renderer, request in steps]
    worst: tuple[float, int, int] = (1.0, 1, -1)
    for i in range(len(bare) - 1):
        was, now = bare[i].text, bare[i + 1].text
        kept = _shared(was, now)
        share = kept / len(was) if was else 1.0
        if kept < len(was) and share < worst[0]:
            worst = (share, i + 1, kept)
    share, step, at = worst
    prompt_kept = all(
        later.text.startswith(earlier.text) for earlier, later in zip(asked, bare[1:], strict=False)
    )
    path, section = _where(bare, step, at) if at >= 0 else ("", "")
    return AppendOnlyRow(
        situation=situation,
        append_only=at < 0,
        kept_share=share,
        step=step,
        path=path,
        section=section,
        before=_excerpt(bare[step - 1].text, at),
        after=_excerpt(bare[step].text, at) if len(bare) > 1 else "",
        prompt_kept=prompt_kept,
    )


def _where(bare: Sequence[Rendered], step: int, at: int) -> tuple[str, str]:
    """The address in the later request, or in the earlier one where the later one ends before it."""
    for rendered in (bare[step], bare[step - 1]):
        if at < len(rendered.text):
            piece = rendered.piece_at(at)
            return piece.path, piece.section
    return "", ""


def _excerpt(text: str, at: int) -> str:
    if at < 0:
        return ""
    rest = text[at:]
    return rest if len(rest) <= EXCERPT_CHARACTERS else rest[: EXCERPT_CHARACTERS - 1] + "…"


def _shared(a: str, b: str) -> int:
    low, high = 0, min(len(a), len(b))
    while low < high:  # a[:low] is shared; the answer is at most high
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


# The conversations.

_TOOL: Final = ToolSchema(
    name="get_weather",
    description="Get the weather at a place.",
    parameters={
        "type": "object",
        "properties": {"place": {"type": "string", "description": "A town."}},
        "required": ["place"],
    },
)
_SYSTEM: Final = "You are a careful assistant. Answer in one sentence."
_PLACES: Final = ("Ulm", "Graz")


def situations() -> Mapping[str, tuple[Request, ...]]:
    """Return the built-in conversations by situation: what is sent, request by request."""
    result: dict[str, tuple[Request, ...]] = {}
    for thinks in (False, True):
        loop = [*_ask("What is the weather in Ulm and in Graz?")]
        steps = [tuple(loop)]
        for i, place in enumerate(_PLACES):
            loop += _lookup(i, place, thinks)
            steps.append(tuple(loop))
        turn = [*loop, _answer("It rains in Ulm and snows in Graz.", thinks)]
        # As they are sent: what was sent last before the answer, and what is sent after it.
        turns = [tuple(loop), (*turn, *_ask("And where is it warmer?"))]
        in_loop = "reasoning in a tool loop" if thinks else "tool loop"
        over_turn = "reasoning before a new user turn" if thinks else "new user turn"
        result[in_loop] = _requests(steps)
        result[over_turn] = _requests(turns)
    return result


def _requests(steps: Iterable[tuple[Message, ...]]) -> tuple[Request, ...]:
    return tuple(Request(tools=(_TOOL,), system=_SYSTEM, messages=messages) for messages in steps)


def _ask(text: str) -> tuple[Message, ...]:
    return (text_message("user", text),)


def _answer(text: str, thinks: bool) -> Message:
    reasoning = "Both places are known now." if thinks else ""
    return Message(role="assistant", content=(TextBlock(text=text),), reasoning=reasoning)


def _lookup(i: int, place: str, thinks: bool) -> tuple[Message, ...]:
    # Nine digits and letters: some templates accept no other ids.
    call = ToolCall(id=f"call0000{i}", name=_TOOL.name, arguments=f'{{"place": "{place}"}}')
    reasoning = f"First I look up {place}." if thinks else ""
    return (
        Message(role="assistant", tool_calls=(call,), reasoning=reasoning),
        Message(role="tool", content=(TextBlock(text=f"{place}: 4 degrees"),), tool_call_id=call.id),
    )
