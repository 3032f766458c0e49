"""The form's two bodies: our own on anywidget, and one of plain ipywidgets where anywidget cannot load.

Both hold the drafts until the person submits or dismisses, then hand the whole to `take`, which says what is
wrong with it or None. The one on anywidget keeps its rules in `composer.js`; the plain one draws `Composer`.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, Final, Protocol

from tohlab.errors import MissingExtra
from tohlab.notebook.assets import module_of
from tohlab.notebook.record import legible
from tohlab.questions.composer import Composer
from tohlab.questions.model import Answer, Question
from tohlab.questions.rules import parse_recommended_label, plan_review_of

Take = Callable[[tuple[Answer, ...] | None], str | None]
"""Takes a whole batch of answers, or None for a dismissal; gives the reason of a refusal, or None."""

BAD_RESPONSE: Final = "bad-response"


class Form(Protocol):
    """A form on the screen."""

    shown: Any
    """What is displayed."""
    pages: set[str]
    """The page loads in which a front end has loaded it; empty as long as none has."""

    def end(self, text: str) -> None:
        """Close it; `text` stands where the form stood if nothing else replaces it."""

    def discard(self) -> None:
        """Let go of the widget."""


def questions_for_form(questions: Sequence[Question]) -> str:
    """Return what the form draws, as JSON; an option is known by its index, so no label has to come back."""
    review = plan_review_of(questions)
    rows: list[dict[str, Any]] = []
    for question in questions:
        labels = question.labels
        first: dict[str, int] = {}
        options = []
        for i, option in enumerate(question.choices):
            shown = parse_recommended_label(option.label)
            options.append(
                {
                    "label": legible(shown.label, None),
                    "recommended": shown.recommended,
                    "about": legible(option.description or "", None),
                    "same": first.setdefault(option.label, i),
                }
            )
        row: dict[str, Any] = {
            "question": legible(question.question, None),
            "multi": bool(question.multi_select),
        }
        row |= {"header": _legible(question.header), "detail": _legible(question.detail), "options": options}
        if review is not None:
            decline = None if review.decline is None else labels.index(review.decline.label)
            return json.dumps(
                {
                    "questions": [row],
                    "review": {"approve": labels.index(review.approve.label), "decline": decline},
                }
            )
        rows.append(row)
    return json.dumps({"questions": rows, "review": None})


def _legible(text: str | None) -> str | None:
    return None if text is None else legible(text, None)


def answers_of_form(questions: Sequence[Question], rows: Any) -> tuple[Answer, ...]:
    """Return the answers that the form's rows mean: `{selected: [index of an option], custom?}` per question.

    Raises:
        ValueError: the rows are not of that shape.
    """
    if not isinstance(rows, list) or len(rows) != len(questions):
        raise ValueError(BAD_RESPONSE)
    return tuple(_answer(question, row) for question, row in zip(questions, rows, strict=True))


def _answer(question: Question, row: Any) -> Answer:
    if not isinstance(row, dict) or not isinstance(row.get("selected"), list):
        raise ValueError(BAD_RESPONSE)
    labels, custom = question.labels, row.get("custom")
    for i in row["selected"]:
        if not isinstance(i, int) or isinstance(i, bool) or not 0 <= i < len(labels):
            raise ValueError(BAD_RESPONSE)
    if custom is not None and not isinstance(custom, str):
        raise ValueError(BAD_RESPONSE)
    return Answer(id=question.id, selected=tuple(labels[i] for i in row["selected"]), custom=custom)


def form_module() -> str:
    """Return the form as one JavaScript module: the rules, then the drawing."""
    return module_of("dom.js", "composer.js", "form.js")


def form_style() -> str:
    """Return the form's style sheet."""
    return module_of("colours.css", "form.css")


@lru_cache(maxsize=1)
def _ask_widget() -> type[Any]:
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise MissingExtra("anywidget", "notebook") from error

    class AskWidget(anywidget.AnyWidget):
        _esm = form_module()
        _css = form_style()
        uid = traitlets.Unicode().tag(sync=True)
        questions = traitlets.Unicode().tag(sync=True)
        closed = traitlets.Unicode("").tag(sync=True)

        def __repr__(self) -> str:
            # stands in a notebook that was saved while the question was open
            return "a question to the user, not answered yet"

    return AskWidget


class AnyForm:
    """The form on anywidget.

    Raises:
        MissingExtra: anywidget is not installed in the kernel's environment.
    """

    def __init__(
        self, questions: Sequence[Question], take: Take, loaded: Callable[[], None] = lambda: None
    ) -> None:
        self.pages: set[str] = set()
        self._loaded = loaded
        self._questions = tuple(questions)
        self._take = take
        self.shown: Any = _ask_widget()(
            uid=f"q{uuid.uuid4().hex[:12]}", questions=questions_for_form(questions)
        )
        self.shown.on_msg(self._receive)

    def end(self, text: str) -> None:
        self.shown.closed = text

    def discard(self) -> None:
        self.shown.close()

    def _receive(self, _widget: Any, message: Any, _buffers: Any) -> None:
        if not isinstance(message, dict):
            return
        if message.get("type") == "loaded":
            self.pages.add(str(message.get("page")))
            self._loaded()
        elif message.get("type") == "sent":
            reason = self._judge(message.get("body"))
            receipt = {"type": "receipt", "number": message.get("number"), "accepted": reason is None}
            self.shown.send(receipt if reason is None else receipt | {"reason": reason})

    def _judge(self, body: Any) -> str | None:
        try:
            sent = json.loads(body)
            rows = sent["answers"]
            answers = None if rows is None else answers_of_form(self._questions, rows)
        except (ValueError, TypeError, KeyError):
            return BAD_RESPONSE
        return self._take(answers)


class CoreForm:
    """The form of plain ipywidgets, without keys of its own: for a front end without anywidget.

    Raises:
        MissingExtra: ipywidgets is not installed in the kernel's environment.
    """

    def __init__(self, questions: Sequence[Question], take: Take) -> None:
        try:
            import ipywidgets
        except ImportError as error:
            raise MissingExtra("ipywidgets", "notebook") from error
        self.pages: set[str] = set()
        self._widgets: Any = ipywidgets
        self._take = take
        self._composer = self._fresh = Composer(questions=tuple(questions))
        self._text: Any = None
        self.shown: Any = ipywidgets.VBox()
        self._draw()

    @property
    def begun(self) -> bool:
        """Whether somebody has done something in it."""
        return self._composer != self._fresh or bool(self._text.value)

    def end(self, text: str) -> None:
        self.shown.children = (self._words(text),)

    def discard(self) -> None:
        self.shown.close()

    def _step(self, composer: Composer) -> None:
        sent = len(composer.sent) > len(self._composer.sent)
        self._composer = composer
        if sent:
            reason = self._take(composer.sent[-1].answers)
            if reason is None:
                return
            self._composer = composer.rejected(reason)
        self._draw()

    def _words(self, text: str) -> Any:
        # a disabled text area: nothing in it is read as HTML or as a formula
        return self._widgets.Textarea(
            value=legible(text),
            disabled=True,
            rows=min(8, 1 + text.count("\n") + len(text) // 90),
            layout=_WIDE,
        )

    def _button(self, text: str, click: Callable[[Composer], Composer], **more: Any) -> Any:
        button = self._widgets.Button(description=text, **{"layout": {"width": "auto"}, **more})
        button.on_click(lambda _button: self._step(self._written(click)))
        return button

    def _written(self, click: Callable[[Composer], Composer]) -> Composer:
        """Take over what stands in the text area, then do what was clicked."""
        text = self._text.value if self._text is not None else ""
        if text != self._composer.draft.custom:
            self._composer = self._composer.write(text)
        return click(self._composer)

    def _draw(self) -> None:
        form, question = self._composer, self._composer.question
        head = f"{form.position}   {question.header or ''}".rstrip()
        rows = [self._words(f"{head}\n{question.question}")]
        if question.detail is not None:
            rows.append(self._words(question.detail))
        for option in question.choices:
            mark = "☑ " if option.label in form.draft.selected else "☐ "
            about = f" - {option.description}" if option.description else ""
            rows.append(
                self._button(
                    mark + legible(option.label + about, 300),
                    partial(_chosen, option.label),
                    layout=_WIDE,
                )
            )
        self._text = self._widgets.Textarea(
            value=legible(form.draft.custom) if form.draft.custom else "",
            placeholder="Your own words",
            layout=_WIDE,
        )
        rows.append(self._text)
        buttons = [
            self._button("Previous", lambda form: form.previous(), disabled=form.previous_disabled),
            self._button("Next question", lambda form: form.next(), disabled=form.next_disabled),
            self._button("Skip", lambda form: form.skip()),
            self._button("Dismiss all", lambda form: form.dismiss()),
            self._button(form.primary_label, lambda form: form.primary(), button_style="primary"),
        ]
        rows.append(self._widgets.HBox(buttons))
        if form.feedback:
            rows.append(self._words(form.feedback))
        self.shown.children = tuple(rows)


def _chosen(label: str, form: Composer) -> Composer:
    return form.choose(label)


_WIDE: Final = {"width": "44rem", "max_width": "100%"}
