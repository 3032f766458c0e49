"""How caches are asked for: every policy as it is used without asking, and with the marks that it needs.

A setup is a policy with breakpoints and a mode, and the model by whose list price its tokens are paid for
unless another is named. Engines that one runs oneself have no list price.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from tohlab.edits.scene import Exchange
from tohlab.errors import PrefixError, PriceError, UnknownPolicy, UnknownPrice
from tohlab.prefix.changes import Sent
from tohlab.prefix.policies import CachePolicy, get_policy, policy_names
from tohlab.prefix.policies.cached import Mark, Mode
from tohlab.request import Body, Request
from tohlab.request.body import Shape
from tohlab.tokens.prices import Price, PriceTable, default_prices


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """A cache policy and how requests ask for it."""

    name: str
    """What `--policy` calls it; the policy's name, with a word behind it where there are several."""
    title: str
    """For a column's head."""
    policy: str
    """A name of `policy_names()`."""
    marks: tuple[str, ...] = ()
    """Explicit breakpoints: `tools`, `system`, or a path; those that a request does not have are left out."""
    mode: Mode = "default"
    settings: tuple[tuple[str, Any], ...] = ()
    """What differs from the policy's own settings and knobs, by name."""
    price_model: str = ""
    """By whose list price it is paid for; empty where there is none."""
    no_price: str = ""
    """Why there is none."""
    hosted: bool = True
    """Whether somebody is paid by the token, so that a price can be given for it."""
    recorded: bool = False
    """Whether the breakpoints are those that a recorded session has, instead of `marks` and `mode`."""
    shape: Shape | None = None
    """Whose recorded settings (`tool_choice`, `thinking`, ...) this cache renders; None for nobody's."""

    @property
    def rules(self) -> CachePolicy:
        """The policy."""
        return get_policy(self.policy, **dict(self.settings))

    def sent(self, exchange: Exchange) -> Sent:
        """Return a request as it is sent in this setup."""
        body = exchange.body
        marks: tuple[Mark | str, ...] = self.marks_in(exchange.request)
        mode, ttl_s = self.mode, None
        if self.recorded and body is not None:
            marks, ttl_s = recorded_marks(body, exchange.request), body.ttl_s
            mode = "implicit" if body.automatic else "default"
        known = body is not None and body.shape == self.shape
        return Sent(
            request=exchange.request,
            marks=marks,
            mode=mode,
            ttl_s=ttl_s,
            model=body.model if body else "",
            params=body.params if body and known else (),
            namespace=body.cache_key if body and known else "",
            at_s=exchange.at_s,
            output=exchange.answer,
        )

    def marks_in(self, request: Request) -> tuple[str, ...]:
        """Return the breakpoints as they are called in a request."""
        return tuple(place for mark in self.marks if (place := _place(mark, request)))

    def price(self, model: str | None = None, prices: PriceTable | None = None) -> Price | None:
        """Return the price of the tokens; None where nothing was asked for and there is no list price.

        Args:
            model: whose price; the setup's own unless given.
            prices: where to look; the table that comes with tohlab unless given.

        Raises:
            PriceError: a price was asked for and there is none for this cache.
            UnknownPrice: the table has no such model.
        """
        if model and self.hosted:
            return (prices or default_prices()).price(model)
        if model or (prices is not None and self.no_price):
            remedy = "name a model of your table" if self.hosted else "choose other policies"
            raise PriceError(f"{self.name} has no price: {self.no_price}. Leave the price out, or {remedy}")
        if self.no_price:
            return None
        return (prices or default_prices()).price(self.price_model)


def recorded_marks(body: Body, request: Request) -> tuple[Mark, ...]:
    """Return a body's breakpoints in a request that goes on from it or leads to it.

    What marks the body's last message marks the last one of the other request, too: that breakpoint moves on
    with the conversation. One that has no place there is left out.
    """
    last = f"messages[{len(body.request.messages) - 1}]"
    there = {segment.path for segment in request.segments()}
    found: dict[str, Mark] = {}
    for mark in body.breakpoints:
        moves = mark.path.startswith(last) and request != body.request
        path = "messages" if moves and request.messages else mark.path
        if path in there or path == "messages":
            found[path] = Mark(path=path, ttl_s=mark.ttl_s)
    return tuple(found.values())


def _place(mark: str, request: Request) -> str:
    first = request.messages[0].role if request.messages else ""
    if mark == "tools":
        return mark if request.tools else ""
    if mark == "system":
        return mark if request.system else "messages[0]" if first == "system" else ""
    return mark


_ENGINE: Final = "an engine that you run yourself has no list price"
_MARKED: Final = ("tools", "system")

SETUPS: Final = (
    Setup(name="vllm", title="vLLM, blocks of 16", policy="vllm", hosted=False, no_price=_ENGINE),
    Setup(name="llama.cpp", title="llama.cpp", policy="llama.cpp", hosted=False, no_price=_ENGINE),
    Setup(
        name="llama.cpp-one-slot",
        title="llama.cpp, one slot without a store",
        policy="llama.cpp-one-slot",
        hosted=False,
        no_price=_ENGINE,
    ),
    Setup(name="sglang", title="SGLang", policy="sglang", hosted=False, no_price=_ENGINE),
    Setup(
        name="openai-older",
        title="OpenAI before 5.5",
        policy="openai-older",
        shape="chat",
        price_model="gpt-5.4",
    ),
    Setup(
        name="openai-gpt-5.5",
        title="OpenAI 5.5",
        policy="openai-gpt-5.5",
        shape="chat",
        price_model="gpt-5.5",
    ),
    Setup(
        name="openai-implicit",
        title="OpenAI from 5.6, implicit",
        policy="openai",
        shape="chat",
        mode="implicit",
        price_model="gpt-5.6-sol",
    ),
    Setup(
        name="openai-marked",
        title="OpenAI from 5.6, system marked",
        policy="openai",
        shape="chat",
        marks=("system",),
        mode="implicit",
        price_model="gpt-5.6-sol",
    ),
    Setup(
        name="anthropic-auto",
        title="Anthropic, automatic",
        policy="anthropic",
        shape="messages",
        mode="implicit",
        price_model="claude-opus-5",
    ),
    Setup(
        name="anthropic-marked",
        title="Anthropic, tools + system + automatic",
        policy="anthropic",
        shape="messages",
        marks=_MARKED,
        mode="implicit",
        price_model="claude-opus-5",
    ),
    Setup(
        name="bedrock",
        title="Bedrock (Claude), tools + system + last",
        policy="bedrock",
        shape="messages",
        marks=(*_MARKED, "messages"),
        no_price="its prices are not in the table that comes with tohlab",
    ),
    Setup(
        name="bedrock-nova",
        title="Bedrock (Nova), system + last",
        policy="bedrock-nova",
        marks=("system", "messages"),
        no_price="its prices are not in the table that comes with tohlab",
    ),
    Setup(name="gemini", title="Gemini, implicit", policy="gemini", price_model="gemini-3.8-flash"),
    Setup(
        name="gemini-explicit",
        title="Gemini, explicit up to system",
        policy="gemini-explicit",
        marks=("system",),
        no_price="its storage is paid by the hour, which a request alone does not say",
    ),
    Setup(
        name="deepseek",
        title="DeepSeek V4",
        policy="deepseek",
        price_model="deepseek-v4-pro",
    ),
    Setup(
        name="kimi",
        title="Kimi coding endpoint",
        policy="kimi",
        no_price="no list price of it was found",
    ),
    Setup(
        name="qwen-implicit",
        title="Qwen, implicit",
        policy="qwen",
        no_price="its list price is not in the table that comes with tohlab",
    ),
    Setup(
        name="qwen-marked",
        title="Qwen, tools + system + last",
        policy="qwen",
        marks=(*_MARKED, "messages"),
        no_price="its list price is not in the table that comes with tohlab",
    ),
)
"""Every policy at least once."""

RECORDED: Final = tuple(
    replace(
        next(setup for setup in SETUPS if setup.policy == policy),
        name=f"{policy}-recorded",
        title=f"{title}, as recorded",
        marks=(),
        mode="default",
        recorded=True,
    )
    for policy, title in (("anthropic", "Anthropic"), ("bedrock", "Bedrock (Claude)"))
)
"""What a recorded session with breakpoints of its own did ask for."""

TABLE: Final = (
    "vllm",
    "llama.cpp",
    "openai-older",
    "openai-implicit",
    "anthropic-auto",
    "anthropic-marked",
    "deepseek",
    "kimi",
)
"""The columns of the published table, in its order."""


def prices_of(
    setups: Iterable[Setup], model: str | None = None, prices: PriceTable | None = None
) -> dict[str, Price | None]:
    """Return the price of each setup by its name; None for a cache that has none beside others that have one.

    Args:
        setups: the caches of one table.
        model: whose price; each setup's own unless given.
        prices: where to look; the table that comes with tohlab unless given.

    Raises:
        PriceError: a price was asked for and none of them has one.
        UnknownPrice: the table has no such model.
    """
    found: dict[str, Price | None] = {}
    missing: PriceError | None = None
    for setup in setups:
        try:
            found[setup.name] = setup.price(model, prices)
        except UnknownPrice:
            raise
        except PriceError as error:
            found[setup.name] = None
            missing = missing or error
    if missing is not None and not any(found.values()):
        raise missing
    return found


def setup_names() -> tuple[str, ...]:
    """Return the names of all setups."""
    return tuple(setup.name for setup in SETUPS)


def _everyone() -> tuple[Setup, ...]:
    return (*SETUPS, *RECORDED)


def get_setups(names: str | Setup | Iterable[str | Setup] = TABLE) -> tuple[Setup, ...]:
    """Return setups by their names, by a policy's name (all of its setups), or `all`.

    Raises:
        UnknownPolicy: none of that name; the message has the nearest.
        PrefixError: two different setups of one name.
    """
    given = (names,) if isinstance(names, str | Setup) else tuple(names)
    found: dict[str, Setup] = {}
    for name in given:
        for setup in (name,) if isinstance(name, Setup) else _named(name):
            if found.setdefault(setup.name, setup) != setup:
                raise PrefixError(
                    f"two different setups are named {setup.name!r}; give one of them another name, such as "
                    f"replace(setup, name={setup.name + ', changed'!r})"
                )
    return tuple(found.values())


def _named(name: str) -> tuple[Setup, ...]:
    if name == "all":
        return SETUPS
    found = tuple(setup for setup in _everyone() if setup.name == name and setup.policy != name)
    found = found or tuple(setup for setup in SETUPS if setup.policy == name)
    if found:
        return found
    known = sorted({*(setup.name for setup in _everyone()), *policy_names()})
    near = difflib.get_close_matches(str(name).lower(), known, n=1, cutoff=0.5)
    raise UnknownPolicy(str(name), known, near[0] if near else None)
