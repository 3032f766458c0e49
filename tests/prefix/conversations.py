"""Conversations that tests of `explain` share."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from tests.session.shelf import Shelf
from tohlab.prefix.explanation import Explanation
from tohlab.request import (
    Request,
    ToolSchema,
)
from tohlab.session import Session

SYSTEM = "You are careful, and you say what you did. " * 150
SKILLS = {f"skill-{i:02}": f"Does task {i} with files of kind {i}." for i in range(20)}
BASH = ToolSchema(name="bash", description="Run a command.", parameters={"type": "object"})
GREP = ToolSchema(name="grep", description="Search in files.", parameters={"type": "object"})


def session(
    turns: int = 4,
    skills: dict[str, str] | None = None,
    system: str = SYSTEM,
    tools: tuple[ToolSchema, ...] = (BASH, GREP),
    answer: str = "It is there, in line {}.",
) -> Session:
    """A conversation whose last user message was not answered yet."""
    talk = Session(Shelf(**(SKILLS if skills is None else skills)), system=system, tools=tools)
    for turn in range(turns):
        talk.user(f"Please look at file {turn} and tell me what it says. " * 5)
        if turn < turns - 1:
            talk.assistant(answer.format(turn) * 5)
    return talk


def two_turns(**later: object) -> tuple[Request, Request]:
    """A request, and the one after it in a conversation that began in another way."""
    return session(3).request, session(4, **later).request  # type: ignore[arg-type]  # as session takes them


def words(result: Explanation) -> list[str]:
    return [change.reason for change in result.changes]


@dataclass(frozen=True)
class Rates:
    input: Decimal = Decimal(4)
    read: Decimal | None = Decimal("0.4")
    short_write: Decimal | None = Decimal(5)
    long_write: Decimal | None = None
