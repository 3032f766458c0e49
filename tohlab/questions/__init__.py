"""Questions to the user: what is asked, what counts as an answer, and how a form steps through a batch.

The rules are TheOpen Harness 0.1.1-rc.2's own (its user-questions service, its web host and its composer);
the askers and the widget only draw them.
"""

from tohlab.questions.agents import Agent, LiveAgents
from tohlab.questions.asker import Asker, aborted, dismissed
from tohlab.questions.composer import Composer
from tohlab.questions.host import PendingAsk, QuestionHost, Receipt
from tohlab.questions.model import (
    Answer,
    AskOutcome,
    AskRequest,
    Intent,
    Option,
    Outcome,
    Question,
    answers_to_json,
)
from tohlab.questions.rules import (
    PlanReview,
    RecommendedLabel,
    accepts,
    check_request,
    parse_recommended_label,
    plan_review_of,
    why_refused,
)
from tohlab.questions.service import UserQuestions

__all__ = [
    "Agent",
    "Answer",
    "AskOutcome",
    "AskRequest",
    "Asker",
    "Composer",
    "Intent",
    "LiveAgents",
    "Option",
    "Outcome",
    "PendingAsk",
    "PlanReview",
    "Question",
    "QuestionHost",
    "Receipt",
    "RecommendedLabel",
    "UserQuestions",
    "aborted",
    "accepts",
    "answers_to_json",
    "check_request",
    "dismissed",
    "parse_recommended_label",
    "plan_review_of",
    "why_refused",
]
