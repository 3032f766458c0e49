"""The tool by which a model asks the user: arguments in, and the JSON that the model reads back out.

Source of the order of checks and of every text: TheOpen Harness 0.1.1-rc.2,
`packages/interaction/tool-ask-user/src/index.ts` and `packages/core/tools`; the `ask_args`, `ask_answer` and
`ask_error` vectors judge it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tohlab.dialects import Dialect, get_dialect
from tohlab.dialects.schema import violations
from tohlab.ecma import join_surrogates, json_stringify
from tohlab.errors import AskError, AskerUnavailable, ScriptError
from tohlab.questions.agents import Agent
from tohlab.questions.asker import Asker
from tohlab.questions.model import Answer, AskOutcome, AskRequest, Outcome, Question
from tohlab.questions.service import UserQuestions
from tohlab.request import ToolSchema
from tohlab.signals import Abandoned, AbortSignal, until_aborted
from tohlab.tools.result import ToolResult, failure, parse_arguments, raised

GRACE_S: Final = 1.0
"""How long an asker may take to end in its own way after the call was aborted, in seconds."""

_INTERRUPTED: Final = frozenset({"ASK_CANCELLED", "ASK_ABORTED", "ABORTED", "ABORTED_BEFORE_DISPATCH"})


class AskUserTool:
    """The tool by which a model asks the user.

    Args:
        asker: who answers: any `Asker`, or a `UserQuestions` service with its registry of live agents. None
            leaves nobody to ask, which the model is told.
        dialect: whose words to answer in, by name or instance.

    Raises:
        UnsupportedByDialect: the harness has no such tool.
    """

    __slots__ = ("dialect", "schema", "service")

    def __init__(self, asker: Asker | UserQuestions | None, dialect: str | Dialect = "toh") -> None:
        self.dialect = get_dialect(dialect)
        self.schema: ToolSchema = self.dialect.ask_tool()
        if isinstance(asker, UserQuestions):
            self.service = asker
        else:
            self.service = UserQuestions()
            if asker is not None:
                self.service.register_provider(asker)

    @property
    def output_schema(self) -> Mapping[str, Any]:
        """What the answers have to be before the model reads them; never sent."""
        return self.dialect.ask_output_schema

    async def call(
        self, arguments: Any, *, agent: Agent | None = None, signal: AbortSignal | None = None
    ) -> ToolResult:
        """Return what the model reads for a call with these arguments, already parsed, once it is answered.

        The checks, in order: the signal, the arguments' shape, those of `UserQuestions.ask`, then the shape
        of what the asker gave. Which ids, labels and how many answers it gave is not looked at: that is the
        asker's part. Whatever the asker raises becomes an error text.

        Args:
            arguments: any JSON value.
            agent: the live agent that calls. One that another live agent owns may not ask.
            signal: takes the question back. The asker's own error is kept; a success that comes after an
                abort is thrown away; an asker that does not end within `GRACE_S` seconds is cancelled.

        Raises:
            ScriptError, AskerUnavailable: the fault is not the model's but that of whoever set this up: the
                script lacks an answer, or there is nobody at this place. It is not told to the model.
        """
        if signal is not None and signal.aborted:
            return failure(self.dialect, "aborted-before")
        try:
            result = await until_aborted(self._ask(arguments, agent, signal), signal, grace_s=GRACE_S)
        except Abandoned:
            return failure(self.dialect, "aborted")
        if signal is not None and signal.aborted and not result.is_error:
            return failure(self.dialect, "aborted")
        return result

    async def call_text(
        self, raw: str, *, agent: Agent | None = None, signal: AbortSignal | None = None
    ) -> ToolResult:
        """Return what the model reads for a call with arguments as it wrote them (see `parse_arguments`)."""
        return await self.call(parse_arguments(raw), agent=agent, signal=signal)

    async def _ask(self, arguments: Any, agent: Agent | None, signal: AbortSignal | None) -> ToolResult:
        dialect = self.dialect
        wrong = violations(self.schema.parameters, arguments, dialect.schema_errors)
        if wrong:
            return failure(dialect, "invalid-arguments", violations="; ".join(wrong))
        questions = tuple(Question.from_model(row) for row in arguments["questions"])
        try:
            given = await self.service.ask(AskRequest(questions=questions, agent=agent), signal)
            value = _value(given)
        except (ScriptError, AskerUnavailable):
            raise
        except AskError as error:
            return ToolResult(
                text=dialect.error_frame.format(message=error),
                is_error=True,
                code=error.code,
                message=str(error),
                error_name="UserQuestionError",
            )
        except Exception as error:  # the harness turns whatever a provider throws into a text, and so do we
            return raised(dialect, error)
        wrong = violations(dialect.ask_output_schema, value, dialect.schema_errors, "value")
        if wrong:
            return failure(dialect, "invalid-output", tool=self.schema.name, violations="; ".join(wrong))
        return ToolResult(text=json_stringify(value), value=value)


def outcome_of(result: ToolResult) -> AskOutcome:
    """Return what became of an ask, from the result that the model reads."""
    if not result.is_error:
        rows = (result.value or {}).get("answers", ())
        answers = tuple(
            Answer(id=row["id"], selected=tuple(row["selected"]), custom=row.get("custom")) for row in rows
        )
        answered = any(answer.answered for answer in answers)
        outcome = Outcome.ANSWERED if answered else Outcome.DECLINED
        return AskOutcome(outcome=outcome, answers=answers, text=result.text)
    outcome = Outcome.CANCELLED if result.code in _INTERRUPTED else Outcome.REFUSED
    return AskOutcome(outcome=outcome, code=result.code, text=result.text)


_UNDEFINED: Final = object()


def _value(given: Any) -> dict[str, Any]:
    """Return `{answers: [{id, selected, custom?}]}` from what an asker gave.

    An asker gives a sequence of `Answer`; one that speaks the harness's own form gives `{"answers": [...]}`.
    Keys are put in order and unknown ones dropped. A string as `selected` is taken letter by letter and the
    texts of the errors are those of JavaScript's engine, since that is what the harness's model reads.
    """
    answers = given if isinstance(given, Sequence) and not isinstance(given, str) else _get(given, "answers")
    if answers is None or answers is _UNDEFINED:
        raise TypeError(f"Cannot read properties of {_word(answers)} (reading 'map')")
    if not isinstance(answers, Sequence) or isinstance(answers, str):
        raise TypeError("result.answers.map is not a function")
    return {"answers": [_row(answer) for answer in answers]}


def _row(answer: Any) -> dict[str, Any]:
    if isinstance(answer, Answer):
        return answer.to_wire()
    row = {"id": _get(answer, "id")}
    selected = _get(answer, "selected")
    if isinstance(selected, str):
        selected = join_surrogates(selected)
    if not isinstance(selected, Sequence):
        raise TypeError("answer.selected is not iterable")
    row |= {"selected": list(selected), "custom": _get(answer, "custom")}
    return {key: value for key, value in row.items() if value is not _UNDEFINED}


def _get(value: Any, key: str) -> Any:
    if value is None:
        raise TypeError(f"Cannot read properties of null (reading '{key}')")
    return value.get(key, _UNDEFINED) if isinstance(value, Mapping) else _UNDEFINED


def _word(value: Any) -> str:
    return "null" if value is None else "undefined"
