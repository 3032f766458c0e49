"""What stays in a notebook of a question: a static summary, the same bytes whoever answered.

It is plain text and self-contained HTML without script, random id or style sheet, so it survives saving,
reopening without a kernel and the cleaning that front ends do to a page they do not trust. Texts are data:
they are escaped, each in a direction of its own, and a character that could hide or reorder others is spelled
out.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tohlab.ecma import join_surrogates
from tohlab.questions.model import Answer, Question
from tohlab.questions.rules import parse_recommended_label

State = Literal["answered", "cancelled", "interrupted", "superseded"]

WORDS: Final[dict[str, str]] = {
    "cancelled": "dismissed without an answer",
    "interrupted": "interrupted before an answer",
    "superseded": "replaced when the cell was run again",
}
"""What a closed question says of itself."""

_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff]"
)
_MOST_CHARS: Final = 2_000
_MOST_OTHERS: Final = 12
_MOST_QUESTIONS: Final = 200


def legible(text: str, most_chars: int | None = _MOST_CHARS) -> str:
    """Return `text` with what could hide or reorder other text as `\\uXXXX`, and cut where it is too long.

    These are control characters, direction overrides, zero-width spaces and lone surrogates, which a message
    of the Jupyter protocol cannot carry at all. Joiners and direction marks stay: scripts need them.

    Args:
        most_chars: how many characters are kept; None for all.
    """
    whole = join_surrogates(text)
    seen = _HIDDEN.sub(lambda m: f"\\u{ord(m.group()):04x}", whole[:most_chars])
    if most_chars is None or len(whole) <= most_chars:
        return seen
    return f"{seen}… [{len(whole):,} characters]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A question and what became of it, as a display."""

    questions: tuple[Question, ...]
    state: State
    answers: tuple[Answer, ...] = ()
    """One per question when answered; empty otherwise."""

    @property
    def headline(self) -> str:
        """`N/M answered`, skipped ones not counted, or how it ended."""
        if self.state != "answered":
            return WORDS[self.state]
        given = sum(bool(a.selected) or a.custom is not None for a in self.answers)
        return f"{given}/{len(self.questions)} answered"

    def __repr__(self) -> str:
        lines = [f"ask_user_question: {self.headline}"]
        for question, answer in self._rows():
            header = f"[{legible(question.header)}] " if question.header else ""
            lines += _indented(f"? {header}{legible(question.question)}", "  ")
            if question.detail is not None:
                lines += [f"    | {line}" for line in legible(question.detail).split("\n")]
            if answer is not None:
                lines += [line for part in _given(answer) for line in _indented(part, "    ")]
            others = _others(question, answer)
            if others:
                lines.append(f"    not chosen: {'; '.join(others)}" if answer else f"    {'; '.join(others)}")
        lines += self._left_out()
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(_row_html(question, answer) for question, answer in self._rows())
        left = "".join(f'<p style="{_MUTED}">{line}</p>' for line in self._left_out())
        return (
            '<div class="mathjax_ignore tex2jax_ignore" role="group" aria-label="Question to the user" '
            f'style="{_CARD}">'
            f'<p style="{_HEAD}"><span style="{_TICK[self.state == "answered"]}">'
            f"{'✓' if self.state == 'answered' else '○'}</span> {html.escape(self.headline)}</p>"
            f"{rows}{left}</div>"
        )

    def _repr_mimebundle_(
        self, include: Iterable[str] | None = None, exclude: Iterable[str] | None = None
    ) -> dict[str, str]:
        """Return both forms; a front end takes the richest that it can show."""
        bundle = {"text/plain": repr(self), "text/html": self._repr_html_()}
        wanted = set(bundle) if include is None else set(include)
        wanted -= set(exclude or ())
        return {kind: value for kind, value in bundle.items() if kind in wanted}

    def _rows(self) -> Sequence[tuple[Question, Answer | None]]:
        answers: tuple[Answer | None, ...] = self.answers or (None,) * len(self.questions)
        return list(zip(self.questions, answers, strict=True))[:_MOST_QUESTIONS]

    def _left_out(self) -> list[str]:
        more = len(self.questions) - _MOST_QUESTIONS
        return [f"and {more} further questions"] if more > 0 else []


def _given(answer: Answer) -> list[str]:
    parts = [f"-> {legible(label)}" for label in answer.selected]
    if answer.custom is not None:
        parts.append(f'-> own words: "{legible(answer.custom)}"')
    return parts or ["-> skipped"]


def _others(question: Question, answer: Answer | None) -> list[str]:
    chosen = set(answer.selected) if answer else set()
    labels = [legible(label, 200) for label in dict.fromkeys(question.labels) if label not in chosen]
    if len(labels) <= _MOST_OTHERS:
        return labels
    return [*labels[:_MOST_OTHERS], f"and {len(labels) - _MOST_OTHERS} more"]


def _indented(text: str, margin: str) -> list[str]:
    first, *rest = text.split("\n")
    return [margin + first, *(f"{margin}   {line}" for line in rest)]


# Inline styles: a front end that does not trust a notebook takes style sheets out and leaves these.
_FONT: Final = (
    "font-family:var(--jp-ui-font-family,system-ui,sans-serif);font-size:var(--jp-ui-font-size1,13px)"
)
_CARD: Final = (
    f"{_FONT};line-height:1.5;max-width:43.5rem;box-sizing:border-box;margin:4px;padding:10px 16px;"
    "border:1px solid var(--jp-border-color1,#8886);border-radius:12px"
)
_HEAD: Final = "margin:0;font-size:0.92em;color:var(--jp-ui-font-color2,#666)"
_TICK: Final = {
    True: "color:var(--jp-success-color0,#1b7a33);font-weight:700",
    False: "color:var(--jp-warn-color0,#a65200);font-weight:700",
}
_TERM: Final = "margin:0;font-weight:600;white-space:pre-wrap;overflow-wrap:anywhere"
_CHIP: Final = (
    "display:inline-block;margin:0 8px 0 0;padding:0 7px;border-radius:9px;font-weight:600;font-size:0.85em;"
    "background:var(--jp-layout-color2,#8882)"
)
_VALUE: Final = (
    "margin:4px 0 0;padding:0 10px;border-inline-start:3px solid var(--jp-brand-color1,#1976d2);"
    "white-space:pre-wrap;overflow-wrap:anywhere"
)
_MUTED: Final = "margin:4px 0 0;font-size:0.92em;color:var(--jp-ui-font-color2,#666);overflow-wrap:anywhere"
_DETAIL: Final = (
    "margin:4px 0 0;padding:8px 10px;max-height:16em;overflow:auto;border-radius:8px;white-space:pre-wrap;"
    "overflow-wrap:anywhere;background:var(--jp-layout-color2,#8882);"
    "font-family:var(--jp-code-font-family,monospace);font-size:0.92em"
)
_BADGE: Final = "font-size:0.85em;color:var(--jp-ui-font-color2,#666)"


def _isolated(text: str) -> str:
    return f"<bdi>{html.escape(text)}</bdi>"


def _row_html(question: Question, answer: Answer | None) -> str:
    chip = f'<span style="{_CHIP}">{_isolated(legible(question.header))}</span>' if question.header else ""
    parts = [f'<p dir="auto" style="{_TERM}">{chip}{_isolated(legible(question.question))}</p>']
    if question.detail is not None:
        parts.append(f'<p dir="auto" style="{_DETAIL}">{_isolated(legible(question.detail))}</p>')
    if answer is not None:
        for label in answer.selected:
            shown = parse_recommended_label(label)
            badge = f' <span style="{_BADGE}">Recommended</span>' if shown.recommended else ""
            parts.append(f'<p dir="auto" style="{_VALUE}">{_isolated(legible(shown.label))}{badge}</p>')
        if answer.custom is not None:
            words = _isolated(legible(answer.custom))
            parts.append(f'<p dir="auto" style="{_VALUE}">“{words}”</p>')
        if not answer.selected and answer.custom is None:
            parts.append(f'<p style="{_MUTED}">skipped</p>')
    others = _others(question, answer)
    if others:
        listed = " · ".join(_isolated(label) for label in others)
        parts.append(f'<p style="{_MUTED}">{"not chosen: " if answer else "offered: "}{listed}</p>')
    return f'<div style="margin:8px 0 0">{"".join(parts)}</div>'
