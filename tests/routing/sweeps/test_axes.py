"""Axes: what each value changes in what is sent, and which are refused."""

from __future__ import annotations

import pytest

from tests.routing.sweeps.scripted import Scripted, few, in_memory, listed, no_call, right
from tohlab.dialects import get_dialect
from tohlab.errors import CatalogError, RoutingError, UnknownDialect
from tohlab.routing import (
    Axis,
    Price,
    catalog_states,
    choices,
    description_limits,
    dialects,
    enumeration,
    models,
    orders,
    placements,
    sizes,
    sweep,
)
from tohlab.routing.sweeps import baselines


def test_a_description_limit_cuts_as_the_dialect_does() -> None:
    client = Scripted(right(few()))
    found = sweep(few(), listed(), client, over=description_limits(3, 20, None), model="m")
    texts = [client.bodies[4 * i]["messages"][0]["content"] for i in range(3)]
    assert "- `pdf-forms`: ...\n" in texts[0]
    assert "- `pdf-forms`: Fill in the field...\n" in texts[1]
    assert "- `pdf-forms`: Fill in the fields of a PDF form and flatten it.\n" in texts[2]
    tokens = [point.catalog_tokens for point in found]
    assert tokens == sorted(tokens)
    with pytest.raises(CatalogError, match="greater than or equal to 3"):
        sweep(few(), listed(), client, over=description_limits(2), model="m")


def test_a_limit_that_no_harness_has_is_named_as_such() -> None:
    found = sweep(few(), listed(), "bm25", over=description_limits("own", 10), dialect="pikuri")
    assert not any("not what the harness sends" in note for note in found.point("own").notes)
    assert any("not what the harness sends" in note for note in found.point("10").notes)
    assert found.point("10").catalog_tokens < found.point("own").catalog_tokens


def test_each_dialect_sends_its_own_list_and_its_own_tool() -> None:
    def answer(body: dict[str, object]) -> dict[str, object]:
        return no_call()

    client = Scripted(answer)
    found = sweep(few(), listed(), client, over=dialects("toh", "pikuri", "claude-code"), model="m")
    toh, pikuri, claude = (client.bodies[4 * i] for i in range(3))
    assert toh["messages"][0]["role"] == "user"
    assert pikuri["messages"][0]["role"] == "system"
    assert [t["function"]["name"] for t in claude["tools"]] == ["Skill"]
    assert [point.report.dialect for point in found if point.report] == ["toh", "pikuri", "claude-code"]
    assert any("reconstructed" in note for note in found.point("pikuri").notes)


def test_a_call_is_read_by_the_argument_that_the_harness_names() -> None:
    from tests.routing.service import completion

    client = Scripted(lambda body: completion(arguments=['{"skill": "pdf-forms"}'], tool="Skill"))
    found = sweep(few(), listed(), client, over=dialects("claude-code"), model="m")
    report = found.points[0].report
    assert report is not None
    assert dict(report.labels) == {"ok": 1, "wrong_skill": 2, "spurious": 1}


def test_a_skill_that_is_loaded_by_its_path_counts_by_its_name() -> None:
    from tests.routing.service import completion

    client = Scripted(
        lambda body: completion(arguments=['{"path": "<ROOT>/pdf-forms/SKILL.md"}'], tool="read")
    )
    found = sweep(few(), listed(), client, over=dialects("pi"), model="m")
    report = found.points[0].report
    assert report is not None
    assert report.trials[0].loaded == ("pdf-forms",)
    assert report.trials[0].label == "ok"


def test_a_harness_without_a_load_tool_says_how_it_can_be_asked() -> None:
    client = Scripted(lambda body: no_call())
    with pytest.raises(RoutingError, match="use the choice json"):
        sweep(few(), listed(), client, over=dialects("toh", "codex"), model="m")
    assert client.bodies == []  # nothing is asked before all points can be
    found = sweep(few(), listed(), client, over=dialects("toh", "codex"), model="m", choice="json")
    assert len(found) == 2


def test_choices_change_what_the_service_is_told() -> None:
    client = Scripted(right(few()))
    found = sweep(few(), listed(), client, over=choices("tools", "required", "named", "none"), model="m")
    told = [client.bodies[4 * i]["tool_choice"] for i in range(4)]
    assert told == ["auto", "required", {"type": "function", "function": {"name": "skill"}}, "none"]
    assert "some engines take it as a wish" in " ".join(found.point("required").notes)
    assert not any("not what the harness sends" in note for note in found.point("tools").notes)


def test_placements_move_the_same_words() -> None:
    client = Scripted(right(few()))
    words = ("opening", "same-step", "system", "user", "tool-description")
    found = sweep(few(), listed(), client, over=placements(*words), model="m")
    opening, same_step, system, user, tool = (client.bodies[4 * i] for i in range(5))
    catalog = opening["messages"][0]["content"]
    assert [m["role"] for m in opening["messages"]] == ["user", "user"]
    assert same_step["messages"] == opening["messages"][::-1]
    assert system["messages"] == [{"role": "system", "content": catalog}, opening["messages"][1]]
    assert user["messages"] == [{"role": "user", "content": f"{catalog}\n\nfill in this pdf form"}]
    assert tool["messages"] == opening["messages"][1:]
    own = opening["tools"][0]["function"]["description"]
    assert tool["tools"][0]["function"]["description"] == f"{own}\n\n{catalog}"
    said = [any("not what the harness sends" in note for note in point.notes) for point in found]
    assert said == [False, False, True, True, True]
    assert len({point.catalog_tokens for point in found}) == 1
    assert found.point("tool-description").skills_tokens == pytest.approx(
        found.point("opening").skills_tokens, rel=0.1
    )


def test_names_are_listed_in_the_schema_when_asked_for() -> None:
    client = Scripted(right(few()))
    sweep(few(), listed(), client, over=enumeration(), model="m")
    off, on = (
        client.bodies[4 * i]["tools"][0]["function"]["parameters"]["properties"]["name"] for i in range(2)
    )
    assert "enum" not in off
    assert on["enum"] == [skill.name for skill in listed().snapshot().skills]
    assert {key: value for key, value in on.items() if key != "enum"} == off


def test_models_are_asked_where_they_are_and_priced_by_their_own_price() -> None:
    cheap, dear = Scripted(right(few())), Scripted(right(few()))
    price = Price(input_usd=1.0, output_usd=1.0)
    ten = Price(input_usd=10.0, output_usd=10.0)
    found = sweep(few(), listed(), None, over=models(("a", cheap, price), ("b", dear, ten)))
    assert {body["model"] for body in cheap.bodies} == {"a"}
    assert {body["model"] for body in dear.bodies} == {"b"}
    one, other = found.points[0].cost_usd, found.points[1].cost_usd
    assert one is not None
    assert other == pytest.approx(10 * one)
    with pytest.raises(RoutingError, match="'a at this machine' twice"):
        models(("a", cheap), ("a", dear))


def test_baselines_can_be_set_side_by_side() -> None:
    found = sweep(few(), listed(), "bm25", over=baselines("bm25", "names", "majority"))
    assert [p.report.model for p in found if p.report] == [
        "baseline:bm25",
        "baseline:names",
        "baseline:majority",
    ]


@pytest.mark.parametrize(
    "axis", [choices("tools"), placements("opening"), enumeration(), models("a"), catalog_states("initial")]
)
def test_what_only_a_model_can_be_asked_is_refused_for_a_baseline(axis: Axis) -> None:
    with pytest.raises(RoutingError, match=f"the axis {axis.name} changes how a model is asked"):
        sweep(few(), in_memory(), "bm25", over=axis)


def test_values_that_are_none_are_refused() -> None:
    with pytest.raises(UnknownDialect):
        dialects("tohh")
    with pytest.raises(RoutingError, match="'3' twice"):
        description_limits(3, 3)
    with pytest.raises(RoutingError, match="at least one value"):
        dialects()
    with pytest.raises(RoutingError, match="at least 1 order"):
        orders(0)
    with pytest.raises(RoutingError, match="known: nearest, random"):
        sizes(3, distractors="farthest")  # type: ignore[arg-type]  # that is what is tested
    with pytest.raises(RoutingError, match="there is no choice 'maybe'"):
        sweep(few(), listed(), Scripted(right(few())), over=choices("maybe"), model="m")  # type: ignore[arg-type]  # no such choice
    with pytest.raises(RoutingError, match="known: initial, replaced, emptied, loaded-by-user"):
        catalog_states("lost")  # type: ignore[arg-type]  # no such state
    with pytest.raises(RoutingError, match="each axis once"):
        sweep(few(), listed(), "bm25", over=[orders(2), orders(3)])


def test_a_dialect_of_ones_own_can_be_swept() -> None:
    from dataclasses import replace

    short = replace(get_dialect("toh"), name="short", description_limit=10)
    found = sweep(few(), listed(), "bm25", over=dialects("toh", short))
    assert found.point("short").catalog_tokens < found.point("toh").catalog_tokens
