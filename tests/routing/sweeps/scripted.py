"""A client that answers by a script, and the few skills and cases that the tests of sweeps share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.routing.service import completion
from tohlab.errors import EndpointError
from tohlab.routing import ChatReply, ChatRequest, ListedSkills, RoutingCase, RoutingDataset
from tohlab.skills.model import LoadedSkill
from tohlab.skills.sources import MemorySource

SKILLS = {
    "chart-design": "Choose a chart for numbers and draw it without decoration.",
    "docx-report": "Write a Word report with headings and a table of contents.",
    "pdf-extract": "Pull tables and text out of a PDF file.",
    "pdf-forms": "Fill in the fields of a PDF form and flatten it.",
    "sql-review": "Review a database migration for locks and missing indexes.",
    "tone-rewrite": "Rewrite a text in another tone.",
}


class Scripted:
    """Answers every request with what a function makes of it, and keeps what it was asked."""

    endpoint = ""

    def __init__(self, answer: Callable[[dict[str, Any]], dict[str, Any] | str]) -> None:
        self.answer = answer
        self.bodies: list[dict[str, Any]] = []

    async def complete(self, request: ChatRequest) -> ChatReply:
        body = request.body()
        self.bodies.append(body)
        found = self.answer(body)
        if isinstance(found, str):
            raise EndpointError(found, f"refused: {found}", status=400 if found == "bad_request" else None)
        return ChatReply.from_raw(found, 0.01)


def no_call() -> dict[str, Any]:
    return completion(content="I can do that without a skill.")


def listed() -> ListedSkills:
    return ListedSkills(SKILLS.items())


def in_memory() -> MemorySource:
    """The same skills with bodies, so that a user can start them."""
    return MemorySource(
        LoadedSkill(name=name, description=text, content=f"Do {name}.") for name, text in SKILLS.items()
    )


def cases(*pairs: tuple[str, tuple[str, ...]]) -> RoutingDataset:
    return RoutingDataset(
        cases=tuple(
            RoutingCase(id=f"c{i}", query=query, expected=expected)
            for i, (query, expected) in enumerate(pairs)
        ),
        name="few",
    )


def few() -> RoutingDataset:
    return cases(
        ("fill in this pdf form", ("pdf-forms",)),
        ("review my migration", ("sql-review",)),
        ("write the report in word", ("docx-report",)),
        ("what time is it", ()),
    )


def right(dataset: RoutingDataset, tool: str = "skill") -> Callable[[dict[str, Any]], dict[str, Any]]:
    """A script that answers every case rightly, wherever its text stands."""

    def answer(body: dict[str, Any]) -> dict[str, Any]:
        text = body["messages"][-1]["content"] + body["messages"][0]["content"]
        case = next(case for case in dataset.cases if case.query in text)
        return completion(*case.expected or (), tool=tool) if case.expected else no_call()

    return answer
