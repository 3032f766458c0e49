from typing import Any

import pytest

from tohlab.errors import ProviderError, RegistrationError
from tohlab.skills.model import ResourceBase
from tohlab.skills.registry import SkillRegistry, candidate_of, listing_of


def raw(**changes: Any) -> dict[str, Any]:
    usual = {"name": "ok", "description": "d", "source": "s", "provider": "p", "rank": 1}
    return {**usual, **changes}


@pytest.mark.parametrize(
    ("changes", "kind", "text"),
    [
        ({"name": 3}, "TypeError", 'skill provider "p" returned a non-string skill name'),
        ({"name": "Bad"}, "Error", 'skill provider "p" returned invalid skill name "Bad"'),
        ({"description": None}, "TypeError", 'returned skill "ok" with a non-string description'),
        ({"description": ""}, "Error", 'returned skill "ok" without a description'),
        ({"invocation": None}, "TypeError", "with a non-object invocation policy"),
        ({"invocation": {"modelInvocable": True}}, "TypeError", "non-boolean invocation.userInvocable"),
        ({"whenToUse": None}, "TypeError", "with a non-string whenToUse"),
        ({"rank": float("nan")}, "Error", "with an invalid rank"),
        ({"rank": True}, "Error", "with an invalid rank"),
        ({"provider": 1}, "TypeError", "with a non-string provider"),
        ({"provider": "q"}, "Error", 'returned skill "ok" for provider "q"'),
        ({"path": 1}, "TypeError", "with a non-string path"),
    ],
)
def test_a_candidate_that_breaks_the_contract_is_named_in_the_harness_s_words(
    changes: dict[str, Any], kind: str, text: str
) -> None:
    with pytest.raises(ProviderError) as caught:
        candidate_of(raw(**changes), "p")
    assert caught.value.kind == kind
    assert str(caught.value).endswith(text)


def test_a_candidate_keeps_what_it_says_of_its_resources() -> None:
    base = {"kind": "url", "url": "https://example.org/"}
    assert candidate_of(raw(resourceBase=base), "p").resource_base == ResourceBase(
        kind="url", value="https://example.org/"
    )


@pytest.mark.parametrize(
    "shape", [None, 3, "x", {}, {"candidates": []}, {"candidates": {}, "complete": True}]
)
def test_a_list_of_another_shape_breaks_the_contract(shape: Any) -> None:
    with pytest.raises(ProviderError, match="must return an array or"):
        listing_of(shape, "p")


def test_a_provider_may_say_that_it_has_not_seen_everything() -> None:
    registry = SkillRegistry()
    registry.register_provider("p", lambda: {"candidates": [raw()], "complete": False})
    snapshot = registry.snapshot()
    assert [skill.name for skill in snapshot.skills] == ["ok"]
    assert not snapshot.complete


def test_a_provider_that_fails_leaves_the_others_and_an_incomplete_view() -> None:
    registry = SkillRegistry()

    def broken() -> Any:
        raise OSError("boom")

    registry.register_provider("p", broken)
    registry.register_provider("q", lambda: [raw(provider="q")])
    snapshot = registry.snapshot()
    assert [skill.provider for skill in snapshot.skills] == ["q"]
    assert not snapshot.complete
    assert [(p.level, p.log) for p in snapshot.problems] == [
        ("warning", 'skill provider "p" skipped: Error: boom')
    ]


def test_a_runtime_skill_is_registered_once() -> None:
    registry = SkillRegistry()
    registry.register({"name": "a", "description": "first"})
    registry.register({"name": "a", "description": "second"})
    snapshot = registry.snapshot()
    assert [skill.description for skill in snapshot.skills] == ["first"]
    assert [p.log for p in snapshot.problems] == [
        'runtime skill "a" ignored because it is already registered'
    ]


def test_a_runtime_skill_with_a_bad_policy_is_refused() -> None:
    with pytest.raises(RegistrationError, match='runtime skill "a" with a non-object invocation policy'):
        SkillRegistry().register({"name": "a", "description": "d", "invocation": []})


def test_the_nearest_scope_wins_and_another_scope_does_not_see_it() -> None:
    registry = SkillRegistry()
    registry.register_provider("p", lambda: [raw(description="global")])
    registry.register_provider("p", lambda: [raw(description="near", rank=900)], scope="agent")
    assert [s.description for s in registry.snapshot(["agent"]).skills] == ["near"]
    assert [s.description for s in registry.snapshot(["other"]).skills] == ["global"]
