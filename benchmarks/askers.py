"""One way of asking a service many requests, as a process of its own: `askers.py WAY BASE_URL FILE COUNT`.

The file holds `{"catalog": text, "tool": object, "queries": [text...], "skills": folder}`; the first COUNT
queries are asked, 64 at once, and each answer is looked at for the skill it loads. `tohlab` is our runner;
the others import nothing of ours, and are used as their own documentation has it. It asks a tenth of
them first, which takes the imports and the first connections, then all of them, and prints the CPU seconds of
the second time.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

CONCURRENCY = 64
MODEL = "m"
EXPECTED = "pdf-forms"


def loaded(calls: Any) -> str:
    return str(json.loads(calls[0].function.arguments)["name"]) if calls else ""


def tohlab(base_url: str, data: dict[str, Any], count: int, store: str | None = None) -> int:
    from tohlab.routing import (
        OpenAIClient,
        ReplyStore,
        RoutingCase,
        RoutingDataset,
        load_catalog,
        run_routing,
    )

    cases = tuple(
        RoutingCase(id=str(i), query=data["queries"][i], expected=(EXPECTED,)) for i in range(count)
    )
    report = run_routing(
        RoutingDataset(cases=cases, name="benchmark"),
        load_catalog(Path(data["skills"])),
        OpenAIClient(base_url, api_key="none"),
        model=MODEL,
        concurrency=CONCURRENCY,
        store=None if store is None else ReplyStore(store),
        baselines=False,  # the others set nothing beside their answers
    )
    return sum(trial.right for trial in report.trials)


def bodies(data: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """The requests that the runner sends, as literals."""
    return [
        {
            "model": MODEL,
            "messages": [
                {"role": "user", "content": data["catalog"]},
                {"role": "user", "content": data["queries"][i]},
            ],
            "tools": [data["tool"]],
            "tool_choice": "auto",
            "temperature": 0.0,
            "max_tokens": 256,
        }
        for i in range(count)
    ]


def openai_client(base_url: str) -> Any:
    import openai

    return openai.AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0, timeout=600.0)


def openai(base_url: str, data: dict[str, Any], count: int) -> int:
    client = openai_client(base_url)
    places = asyncio.Semaphore(CONCURRENCY)

    async def ask(body: dict[str, Any]) -> bool:
        async with places:
            answer = await client.chat.completions.create(**body)
        return loaded(answer.choices[0].message.tool_calls) == EXPECTED

    async def everything() -> int:
        return sum(await asyncio.gather(*(ask(body) for body in bodies(data, count))))

    return asyncio.run(everything())


def inspect(base_url: str, data: dict[str, Any], count: int) -> int:
    import tempfile

    from inspect_ai import Task, eval  # noqa: A004 - its name
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageUser, GenerateConfig, get_model
    from inspect_ai.scorer import CORRECT, INCORRECT, Score, accuracy, scorer
    from inspect_ai.solver import generate, use_tools
    from inspect_ai.tool import ToolDef

    function = data["tool"]["function"]

    async def skill(name: str) -> str:
        return name

    tool = ToolDef(
        skill, name="skill", description=function["description"], parameters={"name": "The skill's name."}
    )

    @scorer(metrics=[accuracy()])
    def routed() -> Any:
        async def score(state: Any, target: Any) -> Score:
            calls = state.output.message.tool_calls
            name = calls[0].arguments["name"] if calls else ""
            return Score(value=CORRECT if name == target.text else INCORRECT)

        return score

    samples = [
        Sample(
            input=[ChatMessageUser(content=data["catalog"]), ChatMessageUser(content=query)], target=EXPECTED
        )
        for query in data["queries"][:count]
    ]
    with tempfile.TemporaryDirectory() as folder:
        (log,) = eval(
            Task(
                dataset=MemoryDataset(samples),
                solver=[use_tools(tool.as_tool()), generate(tool_calls="none")],
                scorer=routed(),
                config=GenerateConfig(temperature=0.0, max_tokens=256, max_connections=CONCURRENCY),
            ),
            model=get_model(f"openai/{MODEL}", base_url=base_url, api_key="none", responses_api=False),
            max_samples=CONCURRENCY,
            log_dir=folder,
            display="none",
        )
    if log.status != "success" or log.results is None:
        raise SystemExit(f"inspect: {log.status} {log.error}")
    return round(log.results.scores[0].metrics["accuracy"].value * count)


def pydantic_evals(base_url: str, data: dict[str, Any], count: int, *, agent: bool = False) -> int:
    from pydantic_evals import Case, Dataset
    from pydantic_evals.evaluators import EqualsExpected

    if agent:
        from pydantic_ai import ModelRequest, ModelSettings
        from pydantic_ai.direct import model_request
        from pydantic_ai.messages import ToolCallPart, UserPromptPart
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider
        from pydantic_ai.tools import ToolDefinition

        model = OpenAIChatModel(MODEL, provider=OpenAIProvider(openai_client=openai_client(base_url)))
        function = data["tool"]["function"]
        tools = ModelRequestParameters(
            function_tools=[
                ToolDefinition(
                    name="skill",
                    description=function["description"],
                    parameters_json_schema=function["parameters"],
                )
            ]
        )

        async def task(query: str) -> str:
            parts = [UserPromptPart(data["catalog"]), UserPromptPart(query)]
            answer = await model_request(
                model,
                [ModelRequest(parts=parts)],
                model_settings=ModelSettings(temperature=0.0, max_tokens=256),
                model_request_parameters=tools,
            )
            calls = [part for part in answer.parts if isinstance(part, ToolCallPart)]
            return str(calls[0].args_as_dict()["name"]) if calls else ""
    else:
        client = openai_client(base_url)

        async def task(query: str) -> str:
            (body,) = bodies({**data, "queries": [query]}, 1)
            answer = await client.chat.completions.create(**body)
            return loaded(answer.choices[0].message.tool_calls)

    dataset = Dataset(
        name="benchmark",
        cases=[
            Case(name=str(i), inputs=query, expected_output=EXPECTED)
            for i, query in enumerate(data["queries"][:count])
        ],
        evaluators=[EqualsExpected()],
    )
    report = dataset.evaluate_sync(task, max_concurrency=CONCURRENCY, progress=False)
    return sum(all(found.value for found in case.assertions.values()) for case in report.cases)


def main() -> None:
    way, base_url, path, count = sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])
    data = json.loads(path.read_text("utf-8"))
    os.environ["NO_PROXY"] = "127.0.0.1"
    ways: dict[str, Callable[[int], int]] = {
        "tohlab": lambda n: tohlab(base_url, data, n),
        "tohlab_store": lambda n: tohlab(base_url, data, n, str(path.with_name(f"{os.getpid()}-{n}.sqlite"))),
        "openai": lambda n: openai(base_url, data, n),
        "inspect": lambda n: inspect(base_url, data, n),
        "pydantic_evals": lambda n: pydantic_evals(base_url, data, n),
        "pydantic_evals_model": lambda n: pydantic_evals(base_url, data, n, agent=True),
    }
    taken_s = [0.0, 0.0]
    for place, asked in enumerate((max(1, count // 10), count)):
        before_s = cpu_s()
        right = ways[way](asked)
        taken_s[place] = cpu_s() - before_s
        if right != asked:
            raise SystemExit(f"{way}: {right} of {asked} answers load {EXPECTED}")
    print(taken_s[1])


def cpu_s() -> float:
    """What this process has taken of the machine so far, and its children that have ended."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


if __name__ == "__main__":
    main()
