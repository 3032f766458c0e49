"""Random sessions of an agent, as tokens: what is sent after an edit, again and again.

A session is tools, a system text, a catalog of skills and messages. Each step makes one change that people
and agents make, and gives the whole prompt of the next request. The tokens themselves mean nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

_Ids = tuple[int, ...]


@dataclass(slots=True, kw_only=True)
class _Session:
    tools: list[_Ids]
    system: _Ids
    skills: list[_Ids]
    messages: list[_Ids]
    generated: _Ids = ()
    """What the engine answered to the last request of this session."""

    def prompt(self) -> _Ids:
        parts = (*self.tools, self.system, *self.skills, *self.messages)
        return tuple(token for part in parts for token in part)

    def parts(self) -> list[list[_Ids]]:
        return [part for part in (self.tools, self.skills, self.messages) if part]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One request of a walk."""

    edit: str
    """What was done since the last request, one of `EDITS`."""
    session: int
    """Which of the walk's sessions it belongs to."""
    prompt: _Ids
    generate: int
    """How many tokens the engine shall generate."""


@dataclass(slots=True)
class EditWalk:
    """An endless walk: `step()` gives the next request, `answered()` tells what the engine generated to it.

    Args:
        seed: the same seed and answers give the same walk.
        vocabulary: token ids are below this.
        longest: prompts are at most about so many tokens.
    """

    seed: int
    vocabulary: int
    longest: int = 2000
    _random: random.Random = field(init=False)
    _sessions: list[_Session] = field(init=False, default_factory=list)
    _at: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self._sessions.append(self._new_session())

    def step(self) -> Step:
        """Return the next request."""
        names = tuple(_EDITS)
        edit = self._random.choices(names, [_EDITS[name][0] for name in names])[0]
        if len(self._session.prompt()) > self.longest:
            edit = "compact"
        _EDITS[edit][1](self)
        return Step(
            edit=edit,
            session=self._at,
            prompt=self._session.prompt(),
            generate=self._random.choice((1, 1, 2, 3, 8)),
        )

    def answered(self, generated: Sequence[int]) -> None:
        """Tell what the engine generated to the last step; the next turn of that session contains it."""
        self._session.generated = tuple(generated)

    @property
    def _session(self) -> _Session:
        return self._sessions[self._at]

    def _ids(self, fewest: int, most: int) -> _Ids:
        # the three control tokens are left to chat templates
        return tuple(
            self._random.randrange(3, self.vocabulary) for _ in range(self._random.randint(fewest, most))
        )

    def _new_session(self) -> _Session:
        return _Session(
            tools=[self._ids(20, 60) for _ in range(self._random.randint(1, 4))],
            system=self._ids(10, 60),
            skills=[self._ids(8, 40) for _ in range(self._random.randint(1, 8))],
            messages=[self._ids(4, 150)],
        )

    def append(self) -> None:
        """The answer comes back as it was generated, and the next message follows."""
        session = self._session
        if session.generated:
            session.messages.append(session.generated)
        session.messages.append(self._ids(3, 150))

    def append_reworded(self) -> None:
        """The answer comes back as other tokens, as it does when a client writes it out anew."""
        self._session.messages += [self._ids(2, 12), self._ids(3, 90)]

    def repeat(self) -> None:
        """The same request again."""

    def add_skill(self) -> None:
        skills = self._session.skills
        skills.insert(
            self._random.choice((len(skills), self._random.randint(0, len(skills)))), self._ids(8, 60)
        )

    def remove_skill(self) -> None:
        skills = self._session.skills
        if len(skills) > 1:
            del skills[self._random.randrange(len(skills))]

    def edit(self) -> None:
        part = self._random.choice(self._session.parts())
        at = self._random.randrange(len(part))
        place = self._random.randrange(len(part[at]))
        change = self._random.choice((self._ids(1, 1), (), self._ids(1, 6)))
        part[at] = part[at][:place] + change + part[at][place + 1 :]

    def reorder(self) -> None:
        skills = self._session.skills
        if len(skills) > 1:
            one, other = self._random.sample(range(len(skills)), 2)
            skills[one], skills[other] = skills[other], skills[one]

    def compact(self) -> None:
        """A summary takes the place of the older messages."""
        session = self._session
        kept = session.messages[-self._random.randint(1, 3) :]
        session.messages = [self._ids(10, 60), *kept]

    def change_tool(self) -> None:
        tools = self._session.tools
        tools[self._random.randrange(len(tools))] = self._ids(20, 60)

    def shorten(self) -> None:
        """The last messages are taken back, or the last one is cut."""
        messages = self._session.messages
        if len(messages) > 1 and self._random.random() < 0.7:
            del messages[-self._random.randint(1, min(3, len(messages) - 1)) :]
        else:
            whole = len(messages[-1])  # 0 after an answer of no token
            messages[-1] = messages[-1][: self._random.randint(1, max(whole, 1))]

    def drop_message(self) -> None:
        """An old message is pruned; what follows it moves forward."""
        messages = self._session.messages
        if len(messages) > 2:
            del messages[self._random.randrange(len(messages) - 1)]

    def stamp(self) -> None:
        """A clock at the head of everything."""
        session = self._session
        session.tools[0] = self._ids(3, 3) + session.tools[0][3:]

    def other_session(self) -> None:
        """Another session goes on, or one begins, with the same tools or with others."""
        if len(self._sessions) > 1 and self._random.random() < 0.7:
            self._at = self._random.choice([i for i in range(len(self._sessions)) if i != self._at])
            return
        fresh = self._new_session()
        if self._random.random() < 0.5:
            fresh.tools, fresh.system = list(self._session.tools), self._session.system
        if len(self._sessions) < 6:
            self._sessions.append(fresh)
            self._at = len(self._sessions) - 1
        else:
            self._at = self._random.randrange(len(self._sessions))
            self._sessions[self._at] = fresh


_EDITS: Final[dict[str, tuple[int, Callable[[EditWalk], None]]]] = {
    "append": (8, EditWalk.append),
    "append reworded": (3, EditWalk.append_reworded),
    "repeat": (3, EditWalk.repeat),
    "add a skill": (3, EditWalk.add_skill),
    "remove a skill": (1, EditWalk.remove_skill),
    "edit": (4, EditWalk.edit),
    "reorder": (2, EditWalk.reorder),
    "compact": (1, EditWalk.compact),
    "change a tool": (1, EditWalk.change_tool),
    "shorter": (3, EditWalk.shorten),
    "drop a message": (2, EditWalk.drop_message),
    "stamp": (1, EditWalk.stamp),
    "other session": (7, EditWalk.other_session),
}

EDITS: Final = tuple(_EDITS)
"""The edits by name, each taken about as often as its weight says."""
