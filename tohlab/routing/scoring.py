"""An answer gets exactly one label; the labels are counted.

An answer is scored (right or wrong), or it is a model error (scored as wrong, with a label that says how it
went wrong), or there was no answer (service error: not scored, counted beside the score). The labels, in the
order in which they are tried; the first that applies is the answer's label:

    infra:<kind>            no answer: the service failed, or its content filter cut the answer; the kinds are
                            those of `EndpointError`, and `content_filter`
    wrong_tool              a call of a tool that is not the skill tool (or of a `parallel` wrapper)
    malformed_args          arguments (in `json`: the content) that cannot be read: empty, cut, no object, no
                            `name`
    invalid_name            a name that breaks the name grammar and is not known from elsewhere
    stale_name              a name that an earlier catalog of the conversation had, and this one has not
    not_model_invocable     a skill that exists and that a model may not load
    unknown_name            a well-formed name that is none of these
    double_load             the same skill twice in one answer
    reload_after_user_load  a skill that the user's own text had loaded already
    text_call               no call, but one written out in the text
    refusal                 no call, and the API marks the answer as a refusal
    length_cut              no call and cut at the token limit, where a skill was expected or nothing was said
    empty                   no call and no text
    ok                      exactly the expected set (a skill that is optional for the case may be there)
    missed                  no call, though a skill was expected
    spurious                a call, though none was expected
    ok_extra                all the expected skills and others
    partial                 some of the expected skills, not all
    wrong_skill             none of the expected skills

Text that is cut at the token limit without a call counts as an answer without a call where none was expected.
For a case that only says which skills must not be loaded, the last six are replaced by `avoided` and
`not_avoided`. Of several names that are not in the catalog, the first that the list above has decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Literal

from tohlab.routing.answers import MODEL_ERRORS, Answer, Names
from tohlab.routing.client import ChatReply, Usage
from tohlab.routing.dataset import RoutingCase
from tohlab.routing.margins import Margin
from tohlab.routing.nearness import NearName

State = Literal["scored", "model_error", "service_error"]

JUDGED: Final = ("ok", "missed", "spurious", "ok_extra", "partial", "wrong_skill")
"""The labels that an answer without a fault gets against what was expected."""
_REMEMBERED: Final = 20_000
"""How many different answers are kept while a run is scored."""
UNLABELLED: Final = ("avoided", "not_avoided")
"""The labels for a case that only says which skills must not be loaded."""


@lru_cache(maxsize=256)
def state_of(label: str) -> State:
    """Return what an answer with this label counts as."""
    if label.startswith("infra:"):
        return "service_error"
    return "model_error" if label in MODEL_ERRORS else "scored"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One answer (or failure) to one case, with its label."""

    case: RoutingCase
    label: str
    replicate: int = 0
    loaded: tuple[str, ...] = ()
    """Names of the catalog, each once, in the order of the calls."""
    invalid: tuple[str, ...] = ()
    """Names that are not in the catalog."""
    near: tuple[NearName, ...] = ()
    """For each name of `invalid` that is like a name of the catalog, which one and how far it is."""
    repeats: int = 0
    """How many loads were of a skill that the same answer had loaded before."""
    detail: str = ""
    cut: bool = False
    usage: Usage = field(default_factory=Usage)
    latency_s: float | None = None
    """Seconds of the attempt that succeeded, when it was asked; None where there was no answer."""
    attempts: tuple[str, ...] = ()
    """Why earlier attempts failed."""
    stored: bool = False
    """Whether the answer was read from the store and not asked now."""
    margin: Margin | None = None
    """How sure it was of the first name; None where the service gave no log-probabilities of it."""

    @property
    def state(self) -> State:
        """Whether the answer is scored, a model error (scored as wrong), or a service error (not scored)."""
        return state_of(self.label)

    @property
    def right(self) -> bool:
        """Whether exactly the expected skills were loaded."""
        return self.label == "ok"

    @property
    def answered(self) -> bool:
        """Whether there was an answer, which is paid for: also one that a content filter then took away."""
        return self.state != "service_error" or self.usage.prompt is not None

    @property
    def avoided(self) -> bool:
        """Whether it can be used and loads nothing that the case says must not be loaded."""
        return self.state == "scored" and not set(self.counted) & set(self.case.not_expected)

    @property
    def counted(self) -> tuple[str, ...]:
        """What was loaded, twins by the name that is labelled, without the skills that are optional."""
        case = self.case
        return case.counted(self.loaded) if case.aliases or case.optional else self.loaded


def judge(case: RoutingCase, answer: Answer) -> str:
    """Return the one label of an answer to a case (the order stands in this module's description)."""
    if answer.fault:
        return answer.fault
    loaded = set(case.counted(answer.loaded))
    if case.expected is None:
        return "not_avoided" if loaded & set(case.not_expected) else "avoided"
    expected = set(case.expected)
    if answer.cut and not answer.loaded and expected:
        return "length_cut"
    if loaded == expected:
        return "ok"
    if not loaded:
        return "missed"
    if not expected:
        return "spurious"
    if loaded > expected:
        return "ok_extra"
    return "partial" if loaded & expected else "wrong_skill"


class AnswerReader:
    """Reads and judges the answers of one run; what was said before is not read again.

    Answers are many and what they say is little: the same few calls, over and over. An answer is the same if
    its content, its finish, its refusal and the names and arguments of its calls are; what it says is then
    the same too (`read_answer` looks at nothing else), and against the same case it gets the same label.

    Args:
        read: what a reply asks to load, given the names that the conversation knows.
    """

    def __init__(self, read: Callable[[ChatReply, Names], Answer]) -> None:
        self._read = read
        self._answers: dict[tuple[Any, ...], tuple[Names, Answer]] = {}
        self._labels: dict[tuple[int, int], tuple[RoutingCase, str]] = {}

    def judge(self, case: RoutingCase, reply: ChatReply, names: Names) -> tuple[Answer, str]:
        """Return what a reply to a case asks to load, and its label.

        Args:
            case: what was asked.
            reply: the answer.
            names: what the conversation knows of names.
        """
        calls = tuple([(call.name, call.arguments) for call in reply.tool_calls])
        # What is looked up by its id is held beside it, so that the id is nobody else's.
        said = id(names), reply.content, reply.finish_reason, reply.refusal, calls
        found = self._answers.get(said)
        if found is None:
            if len(self._answers) >= _REMEMBERED:
                self._answers.clear()
                self._labels.clear()
            answer = self._read(reply, names)
            found = self._answers[said] = names, answer
        place = id(case), id(found[1])
        known = self._labels.get(place)
        if known is None:
            known = self._labels[place] = case, judge(case, found[1])
        return found[1], known[1]
