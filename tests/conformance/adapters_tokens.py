"""The vectors of TheOpen Harness about its token estimate and its cache hit rate.

Each adapter takes one vector (`input`, `output`) and asserts that tohlab gives the same. Descriptions and
names in the `token_catalog` vectors are given by length only: names have 8 characters there, which is what
their `chars` say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tohlab.catalog import Catalog, CatalogEntry
from tohlab.dialects import get_dialect
from tohlab.ecma import json_stringify, utf16_length
from tohlab.request import Message, Request, TextBlock, text_message
from tohlab.session import Session
from tohlab.skills.model import LoadedSkill
from tohlab.skills.sources import MemorySource
from tohlab.tokens import toh_estimate
from tohlab.tools import AskUserTool

Vector = dict[str, Any]


def token_estimate(vector: Vector) -> None:
    expected = vector["output"]
    message = text_message("user", vector["input"]["text"])
    assert {"message_tokens": toh_estimate.estimate_message(message)} == expected
    assert toh_estimate.estimate_request(Request(messages=(message,))) == expected["message_tokens"]


def token_catalog(vector: Vector) -> None:
    given = vector["input"]
    entries = tuple(
        CatalogEntry(name=f"skill-{i:02}", description="x" * given.get("description_length", 0))
        for i in range(given.get("skills", 0))
    )
    block = get_dialect("toh").render_catalog(Catalog(entries=entries), given["template"])
    found = {
        "chars": utf16_length(block.text),
        "tokens": toh_estimate.estimate_message(Message(role="user", content=(block,))),
    }
    assert found == vector["output"]


def token_schema(vector: Vector) -> None:
    given, expected = vector["input"], vector["output"]
    if "system" in given:
        assert {"system_tokens": toh_estimate.estimate_system(given["system"])} == expected
        return
    session = Session(MemorySource(()), tools=[AskUserTool(None)])
    tools = [t for t in session.request.tools if given["tool"] in ("both", t.name)]
    found = {
        "json_chars": utf16_length(json_stringify([tool.to_dict() for tool in tools])),
        "tools_tokens": toh_estimate.estimate_tools(tools),
    }
    if given["tool"] == "both":
        found["order"] = [tool.name for tool in tools]
    else:
        found["json"] = tools[0].to_json()
    assert found == expected


def token_skill_content(vector: Vector) -> None:
    content = "x" * vector["input"]["content_length"]
    skill = LoadedSkill(name="n", description="", content=content, provider="runtime")
    block = TextBlock(text=get_dialect("toh").render_skill(skill))
    found = {
        "chars": utf16_length(block.text),
        "injected_user_message": toh_estimate.estimate_message(Message(role="user", content=(block,))),
        "tool_result_message": toh_estimate.estimate_message(Message(role="tool", content=(block,))),
    }
    assert found == vector["output"]


def cache_hit_percent(vector: Vector) -> None:
    usage = vector["input"]
    buckets = (usage["uncachedInputTokens"], usage["cacheReadTokens"], usage["cacheWriteTokens"])
    found = {"billed_input": sum(buckets), "percent": toh_estimate.cache_hit_percent(*buckets)}
    assert found == vector["output"]


ADAPTERS: dict[str, Callable[[Vector], None]] = {
    "token_estimate": token_estimate,
    "token_catalog": token_catalog,
    "token_schema": token_schema,
    "token_skill_content": token_skill_content,
    "cache_hit_percent": cache_hit_percent,
}
