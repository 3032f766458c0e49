"""The values of the question room: questions, answers, requests and outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

from tohlab.ecma import json_stringify
from tohlab.questions.agents import Agent


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One choice that a question offers."""

    label: str
    """Shown, and sent back whole: a `(Recommended)` suffix is part of the value."""
    description: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Further keys of the model's own, handed on as they are."""

    @classmethod
    def from_wire(cls, row: Mapping[str, Any]) -> Self:
        """Return the option that a checked `{label, description?, ...}` object means."""
        extra = {k: v for k, v in row.items() if k not in ("label", "description")}
        return cls(label=row["label"], description=row.get("description"), extra=extra)

    def to_wire(self) -> dict[str, Any]:
        """Return `{label, description?, ...extra}`."""
        row: dict[str, Any] = {"label": self.label}
        if self.description is not None:
            row["description"] = self.description
        return row | dict(self.extra)


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """How a host asks to have a question drawn; it never changes which answers there are."""

    kind: str
    approve: str
    """The label of the option that approves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question of a batch."""

    id: str
    """Echoed in the answer."""
    question: str
    header: str | None = None
    options: tuple[Option, ...] | None = None
    """None where the question carries no `options` at all; an empty tuple behaves the same."""
    multi_select: bool | None = None
    """None where not said, which means one choice."""
    detail: str | None = None
    """Markdown under review. Only a host sets it; a model's is dropped."""
    intent: Intent | None = None
    """Only a host sets it; a model's is dropped."""

    @property
    def choices(self) -> tuple[Option, ...]:
        """The options, empty where there are none."""
        return self.options or ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the options, in order."""
        return tuple(option.label for option in self.choices)

    @classmethod
    def from_model(cls, row: Mapping[str, Any]) -> Self:
        """Return the question that a model's checked arguments mean; unknown keys are dropped.

        Args:
            row: `{id, question, header?, options?, multi_select?}`, already checked against the schema.
        """
        options = row.get("options")
        return cls(
            id=row["id"],
            question=row["question"],
            header=row.get("header"),
            options=None if options is None else tuple(Option.from_wire(o) for o in options),
            multi_select=row.get("multi_select"),
        )

    @classmethod
    def from_wire(cls, row: Mapping[str, Any]) -> Self:
        """Return the question that a provider is handed: with `multiSelect`, `detail` and `intent`."""
        options, intent = row.get("options"), row.get("intent")
        return cls(
            id=row["id"],
            question=row["question"],
            header=row.get("header"),
            options=None if options is None else tuple(Option.from_wire(o) for o in options),
            multi_select=row.get("multiSelect"),
            detail=row.get("detail"),
            intent=None if intent is None else Intent(kind=intent["kind"], approve=intent["approve"]),
        )

    def to_model(self) -> dict[str, Any]:
        """Return what a model writes to ask this: `{id, question, header?, options?, multi_select?}`."""
        row: dict[str, Any] = {"id": self.id, "question": self.question}
        if self.header is not None:
            row["header"] = self.header
        if self.options is not None:
            row["options"] = [option.to_wire() for option in self.options]
        if self.multi_select is not None:
            row["multi_select"] = self.multi_select
        return row

    def to_wire(self) -> dict[str, Any]:
        """Return what a provider is handed, keys in the harness's order, absent ones left out."""
        row: dict[str, Any] = {"id": self.id, "question": self.question}
        if self.header is not None:
            row["header"] = self.header
        if self.detail is not None:
            row["detail"] = self.detail
        if self.options is not None:
            row["options"] = [option.to_wire() for option in self.options]
        if self.multi_select is not None:
            row["multiSelect"] = self.multi_select
        if self.intent is not None:
            row["intent"] = {"kind": self.intent.kind, "approve": self.intent.approve}
        return row


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to one question; nothing selected and no custom text means skipped."""

    id: str
    selected: tuple[str, ...] = ()
    """Whole labels, in the order in which they were chosen."""
    custom: str | None = None
    """The user's own words; excludes a selection for one choice, adds to it for several."""

    def __post_init__(self) -> None:
        if isinstance(self.selected, str):  # else each of its letters would be a label
            raise TypeError(f"selected takes a sequence of labels, not the string {self.selected!r}")
        object.__setattr__(self, "selected", tuple(self.selected))

    @property
    def answered(self) -> bool:
        """Whether it says anything; a skipped question does not."""
        return bool(self.selected) or self.custom is not None

    def to_wire(self) -> dict[str, Any]:
        """Return `{id, selected, custom?}` in that order."""
        row: dict[str, Any] = {"id": self.id, "selected": list(self.selected)}
        if self.custom is not None:
            row["custom"] = self.custom
        return row


def answers_to_json(answers: Iterable[Answer]) -> str:
    """Return the compact JSON that the model reads back: `{"answers":[{"id","selected","custom"?}]}`."""
    return json_stringify({"answers": [answer.to_wire() for answer in answers]})


@dataclass(frozen=True, slots=True, kw_only=True)
class AskRequest:
    """A batch of questions that somebody is to answer."""

    questions: tuple[Question, ...]
    agent: Agent | None = None
    """The live agent that asks, or None where none was named."""

    @classmethod
    def of(cls, questions: Sequence[Question], agent: Agent | None = None) -> Self:
        """Return the request for these questions, in this order."""
        return cls(questions=tuple(questions), agent=agent)


class Outcome(StrEnum):
    """How an ask ended."""

    ANSWERED = "answered"
    """Every question was answered or skipped one by one."""
    DECLINED = "declined"
    """Every question was skipped."""
    CANCELLED = "cancelled"
    """The user dismissed the batch, or the call was interrupted."""
    REFUSED = "refused"
    """There is no answer, and not by the user's will: the arguments, the caller or the lack of an asker
    forbade the question, or whoever was to answer failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOutcome:
    """What became of an ask, for a log or a transcript."""

    outcome: Outcome
    answers: tuple[Answer, ...] = ()
    code: str | None = None
    """The harness's error code, such as `ASK_CANCELLED`, or None."""
    text: str = ""
    """What the model reads."""

    @property
    def row(self) -> str:
        """What a transcript shows: `N/M answered` (skipped ones do not count), `cancelled` or `interrupted`.

        Source: the harness's transcript row, read in its code. A refused ask shows its error's text.
        """
        if self.outcome in (Outcome.ANSWERED, Outcome.DECLINED):
            return f"{sum(a.answered for a in self.answers)}/{len(self.answers)} answered"
        if self.outcome is Outcome.CANCELLED:
            return "cancelled" if self.code == "ASK_CANCELLED" else "interrupted"
        return self.text
