"""A long conversation of our own to measure with: the same on every machine, made of our own skills.

Thirty turns of an agent that reads files, searches and runs commands. What it reads are our own skills' files
and made-up logs; nothing of it was said by a model. Sizes follow the session that the published table was
measured on (26,004 tokens, tools 3,085, system text and skills 2,265; see `tohlab.edits.costs`).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any, Final

from tohlab.edits.conversation import Conversation
from tohlab.edits.generated_texts import LOG_LINES, RULES, TASKS, TOOLS
from tohlab.library import library_skills
from tohlab.request import Message, TextBlock, ToolCall, ToolSchema, text_message

TURNS: Final = 30
RESULT_CHARS: Final = 2_280
"""How long a tool's result is, in characters."""


def long_conversation(turns: int = TURNS, *, seed: int = 0) -> Conversation:
    """Return a conversation of so many turns: each a request, a tool call, its result and an answer.

    With 30 turns and our own skills in front it is about 26,000 tokens of `o200k_base`.

    Args:
        turns: from 1 on.
        seed: another number gives other results of the same kind.

    Raises:
        ValueError: no turns.
        TohlabError: the datasets are not there.
    """
    if turns < 1:
        raise ValueError(f"a conversation has 1 turn or more, not {turns}")
    results = _results(random.Random(seed))
    messages: list[Message] = []
    for turn in range(turns):
        task, tool, argument, answer = TASKS[turn % len(TASKS)]
        place = f"{argument.format(n=turn + 1)}"
        messages += (
            text_message("user", f"{turn + 1}. {task.format(place=place)}", kind="user"),
            Message(
                role="assistant",
                content=(TextBlock(text=f"I look at {place} first."),),
                tool_calls=(ToolCall(id=f"call_{turn + 1}", name=tool, arguments=_arguments(tool, place)),),
            ),
            Message(
                role="tool",
                content=(TextBlock(text=f"{place}\n{next(results)}"),),
                tool_call_id=f"call_{turn + 1}",
            ),
            text_message("assistant", answer.format(place=place)),
        )
    return Conversation(system=RULES, tools=tuple(map(_tool, TOOLS)), messages=tuple(messages))


def _arguments(tool: str, place: str) -> str:
    first = next(parameters[0][0] for name, _, parameters in TOOLS if name == tool)
    return json.dumps({first: place}, separators=(",", ":"))


def _results(draw: random.Random) -> Iterator[str]:
    """Pages of our own skills' files and of made-up logs, in turn, without end."""
    texts = [file.read_text(encoding="utf-8") for file in sorted(library_skills().glob("*/SKILL.md"))]
    whole = "\n".join(text.split("---\n", 2)[-1] for text in texts)
    at = 0
    while True:
        yield whole[at : at + RESULT_CHARS].strip()
        at = (at + RESULT_CHARS) % (len(whole) - RESULT_CHARS)
        yield _log(draw)


def _log(draw: random.Random) -> str:
    lines: list[str] = []
    second = draw.randrange(3600)
    while sum(map(len, lines)) < RESULT_CHARS * 0.72:  # digits and paths are more tokens a character
        second += draw.randrange(1, 40)
        shape = LOG_LINES[draw.randrange(len(LOG_LINES))]
        clock = f"{9 + second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
        lines.append(f"{clock} {shape.format(a=draw.randrange(10, 900), b=draw.randrange(2, 60))}")
    return "\n".join(lines)


def _tool(row: tuple[str, str, tuple[tuple[str, str, str], ...]]) -> ToolSchema:
    name, description, parameters = row
    properties: dict[str, Any] = {}
    for parameter, kind, said in parameters:
        many = kind.endswith("[]")
        schema: dict[str, Any] = {"type": "array", "items": {"type": kind[:-2]}} if many else {"type": kind}
        properties[parameter] = {**schema, "description": said}
    return ToolSchema(
        name=name,
        description=description,
        parameters={
            "type": "object",
            "properties": properties,
            "required": [parameters[0][0]],
            "additionalProperties": False,
        },
    )
