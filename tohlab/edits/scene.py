"""A session as it was sent, and its next request with one edit in it.

A `Scene` says what stands before the edit and what the next request reads after it; caches and prices come
later (`tohlab.edits.costs`). Edits of skills go through a harness, which tells of them in its own way; the
others are made to the request itself.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from tohlab.dialects.change import When, after_change
from tohlab.dialects.harness import FileTree, Harness, HarnessSkill, Loaded, OnChange, Setting
from tohlab.dialects.harnesses import get_harness
from tohlab.edits.conversation import NEXT, Conversation, calls_of, whole_turns
from tohlab.edits.files import Recorded
from tohlab.edits.layout import harness_request
from tohlab.edits.names import ALL_EDITS, ON_REQUESTS, SKILL_EDITS, TITLES, EditName
from tohlab.edits.plain import PLAIN
from tohlab.errors import PrefixError, SkillError
from tohlab.request import Body, Message, Request

REVISED: Final = "Revised. "
ADDED_NAME: Final = "zz-weekly-digest"
ADDED_TEXT: Final = (
    "Write the weekly digest of what a team finished, decided and left open. Use when somebody asks for a "
    "weekly summary, a status mail or the digest of the last seven days."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A request that was sent, when, and what the model answered."""

    request: Request
    at_s: float
    """In seconds from the session's start."""
    answer: Message | None = None
    body: Body | None = None
    """The recorded body whose model, settings and breakpoints it has; None outside of a recorded session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A session so far, and its next request after each edit."""

    title: str
    """Of what: a harness, or a file."""
    dialect: str
    """The harness's name; empty for a recorded session."""
    when: When
    """`session`: the next request of the session that runs. `resume`: a new process takes it up again."""
    how: OnChange | None
    """What a change of the skills does at that moment; None for a recorded session."""
    sent: tuple[Exchange, ...]
    """Oldest first; at least one."""
    at_s: float
    """When the next request starts."""
    edited: Mapping[EditName, Request] = field(hash=False)
    """The next request after each edit; `append` is the one without any."""
    missing: Mapping[EditName, str] = field(hash=False)
    """Why there is no request after an edit."""
    skill: str = ""
    """The skill that is edited, removed and moved; empty for a recorded session."""

    @property
    def bodies(self) -> tuple[Body, ...]:
        """What was recorded of each request; empty outside of a recorded session."""
        return tuple(e.body for e in self.sent if e.body is not None)

    @property
    def models(self) -> tuple[str, ...]:
        """The models that a recorded session names, in order."""
        return tuple(dict.fromkeys(body.model for body in self.bodies if body.model))

    def next_exchange(self, edit: EditName = "append") -> Exchange:
        """Return the next request after an edit, sent as the last one was."""
        return Exchange(request=self.after(edit), at_s=self.at_s, body=self.sent[-1].body)

    @property
    def appended(self) -> Request:
        """The next request without an edit."""
        return self.edited["append"]

    def after(self, edit: EditName) -> Request:
        """Return the next request after an edit.

        Raises:
            PrefixError: there is no such edit, or nothing that it could change.
        """
        if edit in self.edited:
            return self.edited[edit]
        if edit in self.missing:
            raise PrefixError(f"{self.title}: {TITLES[edit]}: {self.missing[edit]}")
        near = difflib.get_close_matches(str(edit), ALL_EDITS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise PrefixError(f"there is no edit {edit!r}{hint} Known: {', '.join(ALL_EDITS)}")


def harness_scene(
    skills: FileTree,
    harness: str | Harness = PLAIN,
    conversation: Conversation | None = None,
    *,
    setting: Setting | None = None,
    when: When = "session",
    skill: str | None = None,
    blocks: bool = False,
    other: str | Harness | None = None,
) -> Scene:
    """Return a session of a harness and its next request after each edit.

    Args:
        skills: the skills root.
        harness: whose list, tools and ways of telling; a plain list of no program unless given.
        conversation: what is said; ours of 30 turns unless given.
        setting: the harness's run.
        when: whether the session runs on, or a new process takes it up again.
        skill: which skill is edited, removed and moved; the middle one of the list unless given.
        blocks: see `harness_request`.
        other: the harness that `dialect` switches to; `toh`, or `codex` from there, unless given.

    Raises:
        UnknownDialect: no harness of that name.
        SkillError: the list has no such skill, or there is none at all.
        PrefixError: a conversation in which the model was never called.
    """
    if conversation is None:
        from tohlab.edits.generated import long_conversation

        conversation = long_conversation()
    rules, run = get_harness(harness), setting or Setting()
    loaded = rules.load(skills, run)
    name = _pick(rules, loaded, skill)
    head = {"system": conversation.system, "tools": conversation.tools, "blocks": blocks}

    def request(messages: Iterable[Message], **more: object) -> Request:
        return harness_request(rules, loaded, run, messages=messages, **head, **more)  # type: ignore[arg-type]  # keywords as harness_request takes them

    talk = (*conversation.messages, conversation.following)
    sent = tuple(
        Exchange(
            request=request(conversation.messages[:n]),
            at_s=i * conversation.gap_s,
            answer=conversation.messages[n],
        )
        for i, n in enumerate(conversation.calls())
    )
    appended = request(talk)
    edited: dict[EditName, Request] = {"append": appended}
    for edit in SKILL_EDITS:
        change = after_change(rules, loaded, _changed(edit, loaded, name), run, when)
        edited[edit] = request(talk, change=change)
    fallback = "codex" if rules.name == get_harness("toh").name else "toh"
    switched = get_harness(other or fallback)
    edited["dialect"] = harness_request(
        switched,
        switched.load(skills, run),
        run,
        messages=talk,
        **head,  # type: ignore[arg-type]  # keywords as harness_request takes them
    )
    return _scene(
        title=rules.title,
        dialect=rules.name,
        when=when,
        how=rules.on_change if when == "session" else rules.on_resume,
        sent=sent,
        at_s=len(sent) * conversation.gap_s,
        edited=edited,
        skill=name,
    )


def recorded_scene(requests: Sequence[Request | Recorded], title: str, *, gap_s: float = 15.0) -> Scene:
    """Return the scene of a recorded session; its skills cannot be edited, since no harness is known.

    Of one request alone the earlier ones are worked out: one for each answer of the model in it.

    Args:
        requests: what was sent, oldest first, or the whole conversation as one request. Those that
            `read_session` gives keep their model, settings, breakpoints and times.
        title: what to call it, such as the file's name.
        gap_s: how many seconds lie between two requests that have no time, and before the next one.

    Raises:
        PrefixError: no request, or one in which the model never answered.
    """
    if not requests:
        raise PrefixError(f"{title}: there is no request in it")
    given = [one if isinstance(one, Recorded) else None for one in requests]
    plain = [one.request if isinstance(one, Recorded) else one for one in requests]
    bodies = [None if one is None else one.body for one in given]
    times = [i * gap_s if one is None or one.at_s is None else one.at_s for i, one in enumerate(given)]
    last = plain[-1]
    whole = whole_turns(last.messages)
    sent: list[Exchange] = []
    if len(requests) == 1:
        for n in calls_of(whole):
            earlier = replace(last, messages=last.messages[:n])
            at_s = len(sent) * gap_s
            sent.append(Exchange(request=earlier, at_s=at_s, answer=whole[n], body=bodies[0]))
    else:
        for i, (request, later) in enumerate(zip(plain, (*plain[1:], None), strict=True)):
            answer = None if later is None else _answer(request, later)
            at_s = times[i] - times[0]
            sent.append(Exchange(request=request, at_s=at_s, answer=answer, body=bodies[i]))
    if not sent:
        raise PrefixError(
            f"{title}: the model never answers in it, so nothing was sent before; give a conversation with "
            "an assistant message"
        )
    talk = whole if len(requests) == 1 else last.messages
    appended = replace(last, messages=(*talk, NEXT))
    return _scene(
        title=title,
        dialect="",
        when="session",
        how=None,
        sent=tuple(sent),
        at_s=sent[-1].at_s + gap_s,
        edited={"append": appended},
        skill="",
    )


def _answer(request: Request, later: Request) -> Message | None:
    """What the model said to a request, if the later one goes on from it."""
    n = len(request.messages)
    goes_on = later.messages[:n] == request.messages and len(later.messages) > n
    return later.messages[n] if goes_on and later.messages[n].role == "assistant" else None


def _scene(
    *,
    title: str,
    dialect: str,
    when: When,
    how: OnChange | None,
    sent: tuple[Exchange, ...],
    at_s: float,
    edited: Mapping[EditName, Request],
    skill: str,
) -> Scene:
    if not sent:
        raise PrefixError(f"{title}: the model is never called in this conversation; give it an answer")
    found = dict(edited)
    missing: dict[EditName, str] = {}
    for edit, make in ON_REQUESTS.items():
        made = make(edited["append"])
        if isinstance(made, str):
            missing[edit] = made
        else:
            found[edit] = made
    for edit in ALL_EDITS:
        if edit not in found and edit not in missing:
            missing[edit] = "a recorded session does not say which harness lists its skills; give a folder"
    return Scene(
        title=title,
        dialect=dialect,
        when=when,
        how=how,
        sent=sent,
        at_s=at_s,
        edited=MappingProxyType({edit: found[edit] for edit in ALL_EDITS if edit in found}),
        missing=MappingProxyType(missing),
        skill=skill,
    )


def _pick(rules: Harness, loaded: Loaded, wanted: str | None) -> str:
    names = [skill.name for skill in loaded.skills if skill.listed]
    if not names:
        raise SkillError(f"{rules.title} lists no skill of this folder, so there is no list to change")
    if wanted is None:
        return names[len(names) // 2]
    if wanted in names:
        return wanted
    near = difflib.get_close_matches(wanted, names, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise SkillError(f"no skill {wanted!r} is listed by {rules.title}{hint}")


def _changed(edit: EditName, loaded: Loaded, name: str) -> Loaded:
    skills = loaded.skills
    at = next(i for i, skill in enumerate(skills) if skill.name == name)
    without = skills[:at] + skills[at + 1 :]
    if edit == "add":
        return replace(loaded, skills=(*skills, _new_skill(ADDED_NAME)))
    if edit == "insert":
        return replace(loaded, skills=(*skills[: at + 1], _new_skill(f"{name}-b"), *skills[at + 1 :]))
    if edit == "remove":
        return replace(loaded, skills=without)
    if edit == "edit":
        revised = replace(skills[at], description=REVISED + (skills[at].description or ""))
        return replace(loaded, skills=(*skills[:at], revised, *skills[at + 1 :]))
    return replace(loaded, skills=(skills[at], *without) if at else (*without, skills[at]))


def _new_skill(name: str) -> HarnessSkill:
    text = f"---\nname: {name}\ndescription: {ADDED_TEXT}\n---\nCollect, sort, write.\n"
    return HarnessSkill(
        name=name,
        description=ADDED_TEXT,
        body="Collect, sort, write.\n",
        path=f"{name}/SKILL.md",
        text=text,
        fields=MappingProxyType({"name": name, "description": ADDED_TEXT}),
    )
