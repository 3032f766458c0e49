"""Who wins a name: precedence inside one scope and across scopes, and what the harness refuses to register.

A `SkillSource` of ours is typed and cannot hand on nonsense. Providers written by others can: `candidate_of`
and `listing_of` hold what they return against the harness's contract, in its own words. Source:
`packages/skill/skill/src/index.ts`, checked against the `registry_*` vectors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tohlab.ecma import utf16_sort_key
from tohlab.errors import ProviderError, RegistrationError
from tohlab.skills.model import Invocation, Problem, ResourceBase, SkillSummary, Snapshot
from tohlab.skills.names import is_skill_name

RUNTIME_PROVIDER: Final = "runtime"
RUNTIME_RANK: Final = 250
BUNDLED_RANK: Final = 600

_OUTRANKED: Final = "ignored because a higher-priority skill already exists"
_SHAPE: Final = "list() must return an array or { candidates, complete } observation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Everything that one source found, before names are settled."""

    skills: tuple[SkillSummary, ...] = ()
    """In the source's own order; names may repeat."""
    complete: bool = True
    problems: tuple[Problem, ...] = ()


def settle(listings: Iterable[Listing]) -> Snapshot:
    """Return the winners of one scope: the lowest rank, then the earlier source, then the source's own order.

    Each loser is a problem `shadowed` that names the winner.

    Args:
        listings: what each source of the scope found, in the order in which they were registered.
    """
    listings = tuple(listings)
    found = [skill for listing in listings for skill in listing.skills]
    problems = [problem for listing in listings for problem in listing.problems]
    winners: dict[str, SkillSummary] = {}
    for skill in sorted(found, key=lambda skill: skill.rank):
        winner = winners.setdefault(skill.name, skill)
        if winner is not skill:
            problems.append(_shadowed(skill, winner))
    return Snapshot(
        skills=tuple(sorted(winners.values(), key=lambda skill: utf16_sort_key(skill.name))),
        complete=all(listing.complete for listing in listings),
        problems=tuple(problems),
    )


def merge_scopes(scopes: Iterable[Snapshot]) -> Snapshot:
    """Return one view over several scopes, the nearest last: it wins a name whatever the ranks."""
    scopes = tuple(scopes)
    winners = {skill.name: skill for scope in scopes for skill in scope.skills}
    return Snapshot(
        skills=tuple(sorted(winners.values(), key=lambda skill: utf16_sort_key(skill.name))),
        complete=all(scope.complete for scope in scopes),
        problems=tuple(problem for scope in scopes for problem in scope.problems),
    )


def _shadowed(skill: SkillSummary, winner: SkillSummary) -> Problem:
    by = winner.path or f"{winner.source} (provider {winner.provider})"
    return Problem(
        code="shadowed",
        message=f'"{skill.name}" is taken by {by}',
        path=skill.path,
        remedy="rename one of the two, or remove this one",
        log=f'skill "{skill.name}" from {skill.source} {_OUTRANKED}',
    )


def candidate_of(raw: Mapping[str, Any], provider: str) -> SkillSummary:
    """Return a provider's candidate as a summary.

    Args:
        raw: with the harness's own keys (`name`, `description`, `whenToUse`, `invocation`, `source`, `rank`,
            `provider`, `path`, `resourceBase`, `metadata`).
        provider: the name under which the provider was registered.

    Raises:
        ProviderError: for the first thing that breaks the contract, in the harness's order and words.
    """
    name = raw.get("name")
    if not isinstance(name, str):
        raise ProviderError(f'skill provider "{provider}" returned a non-string skill name', "TypeError")
    if not is_skill_name(name):
        raise ProviderError(f'skill provider "{provider}" returned invalid skill name "{name}"')
    subject = f'skill provider "{provider}" returned skill "{name}"'
    description = _text(raw, "description", subject)
    if not description:
        raise ProviderError(f"{subject} without a description")
    invocation = _invocation(raw, subject)
    when = _text(raw, "whenToUse", subject) if "whenToUse" in raw else None
    source = _text(raw, "source", subject)
    rank = raw.get("rank")
    if isinstance(rank, bool) or not isinstance(rank, (int, float)) or not math.isfinite(rank):
        raise ProviderError(f"{subject} with an invalid rank")
    own = _text(raw, "provider", subject)
    if own != provider:
        raise ProviderError(f'{subject} for provider "{own}"')
    return SkillSummary(
        name=name,
        description=description,
        when_to_use=when,
        invocation=invocation,
        source=source,
        provider=own,
        rank=rank,  # type: ignore[arg-type] # any finite number, as in the harness
        resource_base=_resource_base(raw.get("resourceBase")),
        path=_text(raw, "path", subject) if "path" in raw else None,
        metadata=raw.get("metadata") or {},
    )


def listing_of(raw: Any, provider: str) -> Listing:
    """Return what a provider's `list()` gave: an array of candidates, or `{candidates, complete}`.

    Raises:
        ProviderError: for any other shape, and as `candidate_of`.
    """
    candidates: Any = raw
    complete: Any = True
    if isinstance(raw, Mapping):
        candidates, complete = raw.get("candidates"), raw.get("complete")
    if not isinstance(candidates, (list, tuple)) or not isinstance(complete, bool):
        raise ProviderError(f'skill provider "{provider}" {_SHAPE}', "TypeError")
    return Listing(skills=tuple(candidate_of(raw, provider) for raw in candidates), complete=complete)


def check_runtime_skill(raw: Mapping[str, Any]) -> None:
    """Hold a skill that is about to be registered at run time against the harness's contract.

    Raises:
        RegistrationError: with the harness's own text.
    """
    name, description = raw.get("name"), raw.get("description")
    if not isinstance(name, str) or not is_skill_name(name):
        raise RegistrationError(f'invalid skill name "{name}"')
    if not isinstance(description, str) or not description:
        raise RegistrationError(f'skill "{name}" requires a description')
    try:
        _invocation(raw, f'runtime skill "{name}"')
    except ProviderError as error:
        raise RegistrationError(str(error)) from None


def _text(raw: Mapping[str, Any], key: str, subject: str) -> str:
    value = raw.get(key)
    if not isinstance(value, str):
        raise ProviderError(f"{subject} with a non-string {key}", "TypeError")
    return value


def _invocation(raw: Mapping[str, Any], subject: str) -> Invocation:
    if "invocation" not in raw:
        return Invocation()
    policy = raw["invocation"]
    if not isinstance(policy, Mapping):
        raise ProviderError(f"{subject} with a non-object invocation policy", "TypeError")
    for key in ("modelInvocable", "userInvocable"):
        if not isinstance(policy.get(key), bool):
            raise ProviderError(f"{subject} with a non-boolean invocation.{key}", "TypeError")
    return Invocation(model_invocable=policy["modelInvocable"], user_invocable=policy["userInvocable"])


def _resource_base(raw: Any) -> ResourceBase | None:
    match raw:
        case {"kind": "directory", "path": str(value)}:
            return ResourceBase(kind="directory", value=value)
        case {"kind": "url", "url": str(value)}:
            return ResourceBase(kind="url", value=value)
        case {"kind": "opaque", "description": str(value)}:
            return ResourceBase(kind="opaque", value=value)
        case _:
            return None


@dataclass(slots=True)
class _Scope:
    runtime: dict[str, SkillSummary] = field(default_factory=dict)
    providers: dict[str, Callable[[], Any]] = field(default_factory=dict)
    logs: list[Problem] = field(default_factory=list)


class SkillRegistry:
    """The harness's own registry: providers and runtime skills, registered globally or for a scope.

    It exists to try providers out as the harness would; sessions read a `SkillSource`.
    """

    def __init__(self) -> None:
        self._scopes: dict[str | None, _Scope] = {}

    def register_provider(
        self, name: str, list_skills: Callable[[], Any], *, scope: str | None = None
    ) -> None:
        """Register a provider.

        Args:
            name: unique within its scope.
            list_skills: gives candidates as `listing_of` takes them; if it raises, snapshots are incomplete.
            scope: None for the global scope.

        Raises:
            RegistrationError: for the reserved name `runtime` or a name that is taken in this scope.
        """
        if name == RUNTIME_PROVIDER:
            raise RegistrationError(f'"{RUNTIME_PROVIDER}" is reserved for runtime skill registrations')
        layer = self._scopes.setdefault(scope, _Scope())
        if name in layer.providers:
            where = "" if scope is None else " in this scope"
            raise RegistrationError(f'a skill provider named "{name}" is already registered{where}')
        layer.providers[name] = list_skills

    def register(self, skill: Mapping[str, Any], *, scope: str | None = None) -> None:
        """Register a runtime skill; a second one of the same name in a scope is ignored with a warning.

        Args:
            skill: with the harness's own keys; `provider` defaults to `runtime`.
            scope: None for the global scope.

        Raises:
            RegistrationError: as `check_runtime_skill`.
            ProviderError: for a field of the wrong type that the harness itself would only trip over later.
        """
        check_runtime_skill(skill)
        layer = self._scopes.setdefault(scope, _Scope())
        name = skill["name"]
        if name in layer.runtime:
            text = f'runtime skill "{name}" ignored because it is already registered'
            layer.logs.append(Problem(code="shadowed", message=text, level="warning", log=text))
            return
        provider = skill.get("provider", RUNTIME_PROVIDER)
        raw = {"source": RUNTIME_PROVIDER, **skill, "provider": provider, "rank": RUNTIME_RANK}
        layer.runtime[name] = candidate_of(raw, provider)

    def snapshot(self, scopes: Sequence[str] = ()) -> Snapshot:
        """Return the view of a chain of scopes, the nearest last; the global scope is always its start.

        A provider that raises is left out, the snapshot is then incomplete and says so in a warning.

        Raises:
            ProviderError: for a provider that broke its contract.
        """
        chain = [self._scopes.get(key, _Scope()) for key in (None, *scopes)]
        return merge_scopes(settle(self._listings(scope)) for scope in chain)

    @staticmethod
    def _listings(scope: _Scope) -> Iterable[Listing]:
        runtime = sorted(scope.runtime.values(), key=lambda skill: utf16_sort_key(skill.name))
        yield Listing(skills=tuple(runtime), problems=tuple(scope.logs))
        for name, list_skills in scope.providers.items():
            try:
                raw = list_skills()
            except Exception as error:  # whatever a provider does, the others are still seen
                yield failed_listing(name, error)
                continue
            yield listing_of(raw, name)


def failed_listing(provider: str, error: Exception) -> Listing:
    """Return what is known of a provider that raised: nothing, and a warning with the harness's log line."""
    kind = error.kind if isinstance(error, ProviderError) else "Error"
    text = f'skill provider "{provider}" skipped: {kind}: {error}'
    problem = Problem(
        code="provider-failed",
        message=text,
        level="warning",
        remedy="its skills are unknown, not gone: mend the provider and look again",
        log=text,
    )
    return Listing(complete=False, problems=(problem,))
