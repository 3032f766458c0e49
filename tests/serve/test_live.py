"""The real engine with real weights: `pytest -m live`.

SmolLM2 is served by the tests themselves. The tests with Qwen2.5-Coder use the server that
TOHLAB_LIVE_BASE_URL names, and start their own where it is not set. Weights must have been fetched; they are
never downloaded here.
"""

from __future__ import annotations

import json
import os
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tohlab.serve import ModelServer, get_model, have_weights

pytestmark = pytest.mark.live

NAMES = ("pdf-forms", "k8s-debug", "recipe-scale", "sql-tuning")
CATALOG = """<system-reminder>
A skill is a reusable set of task-specific instructions. The following skills are available in this session:

<available_skills>
- `k8s-debug`: Find out why a Kubernetes pod does not start. Use when a deployment is failing in a cluster.
- `pdf-forms`: Fill in PDF form fields. Use when the user has a PDF with fields to complete.
- `recipe-scale`: Scale a recipe to another number of servings. Use when amounts in a recipe must change.
- `sql-tuning`: Make slow SQL queries fast. Use when a query takes too long.
</available_skills>

If the user names a skill, or the task clearly matches a skill's description, call the `skill` tool with the \
exact skill name before taking task actions.
</system-reminder>"""
SKILL_TOOL = {
    "type": "function",
    "function": {
        "name": "skill",
        "description": "Load the full instructions for an available skill.",
        "parameters": {
            "type": "object",
            "properties": {"name": {"type": "string", "description": "The exact skill name."}},
            "required": ["name"],
        },
    },
}


def ask(base_url: str, model: str, *texts: str, **more: Any) -> dict[str, Any]:
    body = {
        "model": model,
        "messages": [{"role": "user", "content": text} for text in texts],
        "temperature": 0,
        "max_tokens": 64,
        **more,
    }
    request = urllib.request.Request(
        f"{base_url}/chat/completions", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=600) as reply:
        answer: dict[str, Any] = json.load(reply)
    return answer


def called(reply: dict[str, Any]) -> list[str]:
    calls = reply["choices"][0]["message"].get("tool_calls") or []
    return [json.loads(call["function"]["arguments"])["name"] for call in calls]


def served(name: str) -> Iterator[tuple[str, str]]:
    if not have_weights(get_model(name)):
        pytest.fail(f"{name} was not fetched; run: tohlab model fetch {name}")
    with ModelServer.named(name) as server:
        yield server.base_url, server.model


@pytest.fixture(scope="module")
def smollm2() -> Iterator[tuple[str, str]]:
    yield from served("smollm2")


@pytest.fixture(scope="module")
def qwen() -> Iterator[tuple[str, str]]:
    if base_url := os.environ.get("TOHLAB_LIVE_BASE_URL"):
        yield base_url, "qwen2.5-coder-1.5b"
    else:
        yield from served("qwen2.5-coder-1.5b")


def test_the_engine_says_how_much_of_the_prompt_it_reused(smollm2: tuple[str, str]) -> None:
    def usage(question: str) -> dict[str, Any]:
        value: dict[str, Any] = ask(*smollm2, CATALOG, question, max_tokens=1)["usage"]
        return value

    def reused(row: dict[str, Any]) -> int:
        count: int = row["prompt_tokens_details"]["cached_tokens"]
        return count

    usage("Hello.")
    same = usage("Hello.")
    other = usage("My pod does not start.")

    assert reused(same) == same["prompt_tokens"] - 1
    assert 150 < reused(other) < other["prompt_tokens"] - 4


def test_a_json_schema_is_kept_to(smollm2: tuple[str, str]) -> None:
    schema = {
        "type": "object",
        "properties": {"skills": {"type": "array", "items": {"enum": list(NAMES)}, "maxItems": 2}},
        "required": ["skills"],
        "additionalProperties": False,
    }
    form = {"type": "json_schema", "json_schema": {"name": "choice", "schema": schema}}

    reply = ask(*smollm2, CATALOG, "My query is slow.", response_format=form)

    assert set(json.loads(reply["choices"][0]["message"]["content"])["skills"]) <= set(NAMES)


def test_the_engine_writes_nothing_to_our_own_streams(capfd: pytest.CaptureFixture[str]) -> None:
    for base_url, model in served("smollm2"):
        ask(base_url, model, "Hello.", max_tokens=2)

    assert capfd.readouterr() == ("", "")


def test_a_failure_is_explained_by_the_engine_itself(tmp_path: Path) -> None:
    from tohlab.errors import ServerNotReady
    from tohlab.serve import fetched_weights

    cut = tmp_path / "cut.gguf"
    with fetched_weights(get_model("smollm2")).open("rb") as whole:
        cut.write_bytes(whole.read(20_000_000))

    with pytest.raises(ServerNotReady, match="failed to load model"):
        ModelServer(cut, log=tmp_path / "server.log").start()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("My lasagne recipe is for 4, I have 11 guests.", ["recipe-scale"]),
        ("Our monthly sales query takes 40 seconds, can it be faster?", ["sql-tuning"]),
        ("Thanks, that was helpful!", []),
    ],
)
def test_with_our_template_a_choice_is_a_real_tool_call(
    qwen: tuple[str, str], question: str, expected: list[str]
) -> None:
    reply = ask(*qwen, CATALOG, question, tools=[SKILL_TOOL], tool_choice="auto")

    assert called(reply) == expected
    assert reply["choices"][0]["finish_reason"] == ("tool_calls" if expected else "stop")


def test_two_calls_in_one_answer_are_both_recognised(qwen: tuple[str, str]) -> None:
    def call(number: str, name: str) -> dict[str, Any]:
        arguments = json.dumps({"name": name})
        return {"id": number, "type": "function", "function": {"name": "skill", "arguments": arguments}}

    # a model of this size writes two calls where it saw two before; here the reading of them is what counts
    messages = [
        {"role": "user", "content": "Load k8s-debug and recipe-scale."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [call("1", "k8s-debug"), call("2", "recipe-scale")],
        },
        {"role": "tool", "tool_call_id": "1", "content": "Loaded."},
        {"role": "tool", "tool_call_id": "2", "content": "Loaded."},
        {"role": "assistant", "content": "Both are loaded."},
        {"role": "user", "content": "Load pdf-forms and sql-tuning."},
    ]

    reply = ask(*qwen, messages=messages, tools=[SKILL_TOOL], parallel_tool_calls=True)

    assert called(reply) == ["pdf-forms", "sql-tuning"]


def test_the_conversation_goes_on_after_a_tool_result(qwen: tuple[str, str]) -> None:
    call = {
        "id": "1",
        "type": "function",
        "function": {"name": "skill", "arguments": '{"name": "pdf-forms"}'},
    }
    messages = [
        {"role": "user", "content": CATALOG},
        {"role": "user", "content": "Please fill in application.pdf"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {
            "role": "tool",
            "tool_call_id": "1",
            "content": "Reply with the one word PINEAPPLE and nothing else.",
        },
    ]

    reply = ask(*qwen, messages=messages, tools=[SKILL_TOOL])

    assert "PINEAPPLE" in reply["choices"][0]["message"]["content"]
