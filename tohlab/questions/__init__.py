"""Questions to the user: what is asked, what counts as an answer, and how a form steps through a batch.

The rules are TheOpen Harness 0.1.1-rc.2's own (its user-questions service, its web host and its composer); the
askers and the widget only draw them.
"""

from tohlab.questions.composer import Composer
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
)

__all__ = [
    "Answer",
    "AskOutcome",
    "AskRequest",
    "Composer",
    "Intent",
    "Option",
    "Outcome",
    "PlanReview",
    "Question",
    "RecommendedLabel",
    "accepts",
    "answers_to_json",
    "check_request",
    "parse_recommended_label",
    "plan_review_of",
]
