"""Drives the real Session and SkillTool through what a vector describes.

`ProviderSource` is the harness's registry with one provider whose behaviour a test chooses; `run_lifecycle`
takes the steps of a `lifecycle` vector one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from tohlab.catalog import read_entries
from tohlab.dialects import get_dialect
from tohlab.ecma import utf16_sort_key
from tohlab.request import Message, TextBlock, ToolSchema
from tohlab.session import Session, Step
from tohlab.skills.model import Invocation, LoadedSkill, ResourceBase, SkillSummary, Snapshot
from tohlab.skills.registry import failed_listing, listing_of, settle

_BASE_KEYS = {"directory": "path", "url": "url", "opaque": "description"}


def resource_base(raw: Mapping[str, str] | None) -> ResourceBase | None:
    """Return the resource base of a vector; one of an unknown kind stays as it is."""
    if raw is None:
        return None
    kind: Any = raw["kind"]
    return ResourceBase(kind=kind, value=raw.get(_BASE_KEYS.get(kind, ""), ""))


def plain(value: Any) -> Any:
    """Return JSON values: tuples as lists, mappings as dicts."""
    if isinstance(value, Mapping):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


@dataclass
class ProviderSource:
    """The harness's registry with one provider `p`: what `list` and `get` do is given."""

    list_skills: Callable[[], Any]
    get: Callable[[str], LoadedSkill | None]
    warnings: list[str] = field(default_factory=list)

    def snapshot(self) -> Snapshot:
        try:
            raw = self.list_skills()
        except Exception as error:
            listing = failed_listing("p", error)
        else:
            listing = listing_of(raw, "p")
        snapshot = settle([listing])
        self.warnings += [problem.log for problem in snapshot.problems]
        return snapshot

    def load(self, name: str) -> LoadedSkill | None:
        """As the harness: whoever loads lists first, and an unlisted name is not asked for."""
        if all(skill.name != name for skill in self.snapshot().skills):
            return None
        return self.get(name)


@dataclass
class StepSource:
    """Skills that a lifecycle vector sets from step to step."""

    skills: Sequence[Any] = ()
    complete: bool = True

    def _loaded(self) -> list[LoadedSkill]:
        rows = [
            dict(zip(("name", "description", "content"), s, strict=False)) if isinstance(s, list) else s
            for s in self.skills
        ]
        return [
            LoadedSkill(
                name=row["name"],
                description=row["description"],
                content=row.get("content", row.get("body", f"Body of {row['name']}.")),
                when_to_use=row.get("whenToUse"),
                invocation=Invocation(model_invocable=row.get("m", True), user_invocable=row.get("u", True)),
                provider="p",
                resource_base=resource_base(row.get("resourceBase")),
            )
            for row in rows
        ]

    def snapshot(self) -> Snapshot:
        found = sorted(self._loaded(), key=lambda skill: utf16_sort_key(skill.name))
        summaries = tuple(
            SkillSummary(
                name=skill.name,
                description=skill.description,
                when_to_use=skill.when_to_use,
                invocation=skill.invocation,
                provider=skill.provider,
            )
            for skill in found
        )
        return Snapshot(skills=summaries, complete=self.complete)

    def load(self, name: str) -> LoadedSkill | None:
        return next((skill for skill in self._loaded() if skill.name == name), None)


BEFORE_THE_PLUGIN = (
    "propose",
    "existing",
    "batch",
    "inner",
    "inject",
    "pending",
    "claimed",
    "runtime",
    "context",
)
"""How the key of a step begins that names messages which are in the batch before the plugin looks at it."""

SHADOW = ToolSchema(name="skill", description="another tool", parameters={"type": "object"})


def message(text: str, source: Mapping[str, Any]) -> Message:
    """Return a user-role message of one block."""
    return Message(role="user", content=(TextBlock(text=text),), source=MappingProxyType(dict(source)))


def catalog_source(entries: Sequence[Any]) -> dict[str, Any]:
    """Return the source of a catalog message; entries as objects or as `[name, description]`."""
    rows = [{"name": e[0], "description": e[1]} if isinstance(e, list) else e for e in entries]
    return {"kind": "skill-catalog", "form": "catalog", "entries": rows}


def proposed_messages(value: Any) -> list[Message]:
    """Return the messages that something before the plugin put into the batch.

    A vector may give a text (context of the runtime), catalog entries, a source, `{source, text}`, or a list
    of these.
    """
    if isinstance(value, str):
        return [message(value, {"kind": "runtime-context"})]
    if isinstance(value, Mapping):
        source = value.get("source", value if "kind" in value else catalog_source(value["entries"]))
        return [message(value.get("text", _catalog_text(source)), source)]
    if any(isinstance(v, str) or (isinstance(v, Mapping) and {"source", "kind"} & set(v)) for v in value):
        return [m for v in value for m in proposed_messages(v)]
    return proposed_messages(catalog_source(value))


def _catalog_text(source: Mapping[str, Any]) -> str:
    catalog = read_entries(source)
    return "" if catalog is None else get_dialect("toh").render_catalog(catalog).text


class Lifecycle:
    """One run of the plugin over several steps."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        limit = config.get("catalogDescriptionMaxLength")
        dialect = get_dialect("toh")
        self.dialect = dialect if limit is None else replace(dialect, description_limit=limit)
        self.source = StepSource()
        self.visible: Any = True
        self.session = Session(self.source, self.dialect)

    def run(self, number: int, step: Mapping[str, Any]) -> dict[str, Any]:
        """Take one step and return what the vector's output says of it."""
        users: list[Message] = []
        proposed: list[Message] = []
        reject = False
        seed: dict[str, Any] = {}
        for key, value in step.items():
            match key:
                case "skills":
                    self.source.skills = value
                case "complete":
                    self.source.complete = value
                case "visible":
                    self.visible = value
                case "user":
                    for given in value if isinstance(value, list) else [value]:
                        row = given if isinstance(given, Mapping) else {"text": given}
                        users.append(message(row["text"], row.get("source", {"kind": "user"})))
                case "seedCatalog":
                    seed["source"] = catalog_source(value)
                case "seedSource":
                    seed["source"] = value
                case "seedText":
                    seed["text"] = value
                case "compact":
                    self._compact(value)
                case "reject":
                    reject = bool(value)
                case "decision":
                    reject = value == "reject"
                case _ if key.lower().startswith(BEFORE_THE_PLUGIN):
                    proposed += proposed_messages(value)
                case _:
                    raise AssertionError(f"a lifecycle step has a key that nothing here understands: {key!r}")
        if seed:
            seeded = message(seed.get("text", "seeded"), seed.get("source", {}))
            self.session = Session(self.source, self.dialect, history=(*self.session.history, seeded))
        self._set_visibility()
        batch = (*users, *proposed)
        done = self.session.step(*batch, reject=reject)
        return {
            "step": number,
            "decision": done.decision,
            "dropped_proposed": sum(all(m is not p for m in done.messages) for p in proposed),
            "messages": [self._describe(m, batch) for m in done.messages],
        }

    def _compact(self, which: str) -> None:
        history = self.session.history
        catalogs = [i for i, e in enumerate(history) if e.on_surface and e.message.kind == "skill-catalog"]
        if which == "all":
            self.session.compact()
        elif which in ("all-catalogs", "last-catalog", "first-catalog"):
            chosen = {"all-catalogs": catalogs, "last-catalog": catalogs[-1:], "first-catalog": catalogs[:1]}
            self.session.shadow(chosen[which])
        else:
            raise AssertionError(f"a compaction that nothing here understands: {which!r}")

    def _set_visibility(self) -> None:
        self.session.show_skill_tool()
        if self.visible == "shadow":
            self.session.shadow_skill_tool(SHADOW)
        elif not self.visible:
            self.session.hide_skill_tool()

    @staticmethod
    def _describe(m: Message, batch: Sequence[Message]) -> dict[str, Any]:
        if any(m is b for b in batch):
            return {"kept": m.kind, "text": m.text}
        return {"emitted": m.kind, "source": plain(m.source), "text": m.text}


def run_lifecycle(config: Mapping[str, Any], steps: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Take every step of a lifecycle vector and return what each did."""
    lifecycle = Lifecycle(config)
    return [lifecycle.run(number, step) for number, step in enumerate(steps, 1)]


def describe_step(step: Step) -> dict[str, Any]:
    """Return a step as the `pre_step_failure` vectors say it."""
    return {"decision": step.decision, "messages": [m.kind for m in step.messages]}


def has(text: str, *words: str) -> bool:
    """Return whether a scenario's text has one of the words."""
    return any(word in text for word in words)
