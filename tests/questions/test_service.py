"""Who may ask, in which order that is checked, and who answers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tohlab.errors import AskError, QuestionError
from tohlab.questions import (
    Agent,
    Answer,
    Asker,
    AskRequest,
    Intent,
    LiveAgents,
    Option,
    Question,
    UserQuestions,
)
from tohlab.signals import AbortSignal

FREE = Question(id="a", question="Q?")
BAD_INTENT = Question(id="p", question="Q?", intent=Intent(kind="plan-review", approve="Go"))


class Skips:
    def __init__(self) -> None:
        self.asked = 0

    async def ask(self, request: AskRequest, signal: AbortSignal | None = None) -> Sequence[Answer]:
        self.asked += 1
        return [Answer(id=question.id) for question in request.questions]


async def refusal(service: UserQuestions, request: AskRequest, signal: AbortSignal | None = None) -> str:
    with pytest.raises(AskError) as caught:
        await service.ask(request, signal)
    return caught.value.code


async def test_the_first_reason_in_the_harness_s_order_is_told() -> None:
    service, signal = UserQuestions(), AbortSignal()
    owner, child = Agent(id="owner"), Agent(id="child")
    service.agents.enter(owner)
    service.agents.enter(child, owner)
    signal.abort()
    stranger = Agent(id="child")
    assert await refusal(service, AskRequest.of([], stranger), signal) == "ASK_ABORTED"
    assert await refusal(service, AskRequest.of([], stranger)) == "EMPTY_QUESTIONS"
    assert await refusal(service, AskRequest.of([BAD_INTENT], stranger)) == "CALLER_NOT_LIVE"
    assert await refusal(service, AskRequest.of([BAD_INTENT], child)) == "DELEGATED_CALLER"
    assert await refusal(service, AskRequest.of([BAD_INTENT], owner)) == "BAD_INTENT"
    assert await refusal(service, AskRequest.of([FREE], owner)) == "NO_PROVIDER"
    service.register_provider(Skips())
    assert await service.ask(AskRequest.of([FREE], owner)) == [Answer(id="a")]


async def test_a_refused_request_never_reaches_the_provider() -> None:
    service, provider = UserQuestions(), Skips()
    service.register_provider(provider)
    await refusal(service, AskRequest.of([BAD_INTENT]))
    assert provider.asked == 0


async def test_intents_are_checked_question_by_question_label_first() -> None:
    approve = (Option(label="Go"),)
    without_detail = Question(id="q", question="Q?", options=approve, intent=BAD_INTENT.intent)
    with pytest.raises(
        AskError, match="question q declares intent plan-review without the detail it reviews"
    ):
        await UserQuestions().ask(AskRequest.of([FREE, without_detail, BAD_INTENT]))
    with pytest.raises(AskError, match='whose approve label "Go" names none of its options'):
        await UserQuestions().ask(AskRequest.of([BAD_INTENT, without_detail]))


async def test_an_agent_whose_owner_has_ended_may_ask() -> None:
    service = UserQuestions()
    service.register_provider(Skips())
    owner, child = Agent(id="owner"), Agent(id="child", delegation_depth=1)
    leave = service.agents.enter(owner)
    service.agents.enter(child, owner)
    assert await refusal(service, AskRequest.of([FREE], child)) == "DELEGATED_CALLER"
    leave()
    assert await service.ask(AskRequest.of([FREE], child))
    service.agents.enter(Agent(id="owner"))
    assert await service.ask(AskRequest.of([FREE], child)), "another agent of that id owns nothing"


async def test_the_saved_depth_of_a_root_does_not_matter() -> None:
    service, root = UserQuestions(), Agent(id="root", delegation_depth=3)
    service.register_provider(Skips())
    service.agents.enter(root)
    assert await service.ask(AskRequest.of([FREE], root))


def test_one_provider_at_a_time() -> None:
    service = UserQuestions()
    dispose = service.register_provider(Skips())
    with pytest.raises(AskError) as caught:
        service.register_provider(Skips())
    assert caught.value.code == "DUPLICATE_PROVIDER"
    dispose()
    service.register_provider(Skips())


async def test_disposing_twice_does_not_take_off_the_next_provider() -> None:
    service = UserQuestions()
    dispose = service.register_provider(Skips())
    dispose()
    service.register_provider(Skips())
    dispose()
    assert await service.ask(AskRequest.of([FREE]))


def test_a_service_is_an_asker_itself() -> None:
    assert isinstance(UserQuestions(), Asker)


def test_two_live_agents_of_one_id_cannot_be() -> None:
    agents, agent = LiveAgents(), Agent(id="a")
    leave = agents.enter(agent)
    with pytest.raises(QuestionError, match="live already"):
        agents.enter(Agent(id="a"))
    leave()
    other = Agent(id="a")
    agents.enter(other)
    leave()
    assert agents.get("a") is other, "an agent that has ended does not end another one"


def test_an_owner_must_be_live() -> None:
    with pytest.raises(QuestionError, match="is not live"):
        LiveAgents().enter(Agent(id="a"), Agent(id="b"))
