"""How the vector groups about skill files and the registry are put to our own functions.

`ADAPTERS` maps a group to a function that takes one row and asserts that its `input` gives its `output`.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tohlab.errors import ProviderError, RegistrationError
from tohlab.skills.model import Invocation, LoadedSkill, ResourceBase, SkillSummary, Snapshot
from tohlab.skills.names import is_skill_name
from tohlab.skills.registry import BUNDLED_RANK, RUNTIME_RANK, SkillRegistry
from tohlab.skills.sources import FilesystemSource, LayeredSource, MemorySource, Root

Row = dict[str, Any]

POLICY = {"modelInvocable": True, "userInvocable": True}
LIBRARY_TEXT = "invalid YAML frontmatter: "  # what follows is the YAML library's own message


def skill_name(row: Row) -> None:
    assert is_skill_name(row["input"]["name"]) is row["output"]["valid"]


# Frontmatter


def frontmatter(row: Row) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        (root / "x").mkdir()
        for name, text in row["input"].items():
            (root / "x" / name).write_bytes(node_utf8(text))
        source = FilesystemSource([Root(path=str(root))])
        snapshot = source.snapshot()
        loaded = [source.load(skill.name) for skill in snapshot.skills]
        got = {
            "complete": snapshot.complete,
            "skill": definition(loaded[0], root) if loaded and loaded[0] else None,
            "warnings": [with_root(line, root) for line in logs(snapshot)],
        }
    want = row["output"]
    assert len(loaded) <= 1
    assert got["complete"] == want["complete"]
    assert got["skill"] == want["skill"]
    assert [without_library_text(w) for w in got["warnings"]] == [
        without_library_text(w) for w in want["warnings"]
    ]


def node_utf8(text: str) -> bytes:
    """Encode as Node does: a lone surrogate becomes U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def without_library_text(line: str) -> str:
    head, found, _ = line.partition(LIBRARY_TEXT)
    return head + found


def with_root(text: str, root: Path, name: str = "<root>") -> str:
    return text.replace(str(root), name)


def logs(snapshot: Snapshot) -> list[str]:
    return [problem.log for problem in snapshot.problems if problem.log]


def definition(skill: LoadedSkill, root: Path) -> dict[str, Any]:
    value = summary(skill)
    value["content"] = skill.content
    if skill.metadata:
        value["metadata"] = dict(skill.metadata)
    if skill.path is not None:
        value["path"] = with_root(skill.path, root)
    if skill.resource_base is not None:
        value["resourceBase"]["path"] = with_root(skill.resource_base.value, root)
    return value


def summary(skill: SkillSummary | LoadedSkill) -> dict[str, Any]:
    value: dict[str, Any] = {
        "name": skill.name,
        "description": skill.description,
        "invocation": {
            "modelInvocable": skill.invocation.model_invocable,
            "userInvocable": skill.invocation.user_invocable,
        },
        "source": skill.source,
        "provider": skill.provider,
    }
    if skill.when_to_use is not None:
        value["whenToUse"] = skill.when_to_use
    if skill.resource_base is not None:
        key = {"directory": "path", "url": "url", "opaque": "description"}[skill.resource_base.kind]
        value["resourceBase"] = {"kind": skill.resource_base.kind, key: skill.resource_base.value}
    return value


# Discovery: the layouts are named in the rows and built here.


def discovery(row: Row) -> None:
    layout = row["input"]["layout"]
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder).resolve()
        if layout.startswith("same-named skill in every root"):
            got: Any = every_root(base)
        elif layout.startswith("no .git"):
            got = no_git(base)
        else:
            raise AssertionError(f"no builder for the layout {layout!r}")
    assert got == row["output"]


def write_skill(path: Path, name: str, description: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\nname: {name}\ndescription: {description}\n---\nBody.\n", encoding="utf-8")


def every_root(base: Path) -> dict[str, Any]:
    project, home, custom, bundled = base / "project", base / "home", base / "custom", base / "bundled"
    (project / ".git").mkdir(parents=True)
    deep = project / "src" / "deep"
    deep.mkdir(parents=True)
    roots = {
        "project-toh": project / ".toh" / "skills",
        "project-agents": project / ".agents" / "skills",
        "custom": custom,
        "user-toh": home / ".toh" / "skills",
        "user-agents": home / ".agents" / "skills",
        "bundled": bundled,
    }
    for source, root in roots.items():
        write_skill(root / "same" / "SKILL.md", "same", source)
        write_skill(root / f"only-{source}" / "SKILL.md", f"only-{source}", source)
    first = roots["project-toh"]
    write_skill(first / "both-forms" / "SKILL.md", "both-forms", "dir form")
    write_skill(first / "both-forms.md", "both-forms", "flat form")
    write_skill(first / "flat-one.md", "flat-one", "flat")
    write_skill(first / "deeper" / "down" / "SKILL.md", "too-deep", "never seen")
    (first / "notes.txt").write_text("no skill", encoding="utf-8")
    (first / "broken").symlink_to("nowhere")
    (first / "linked").symlink_to(custom / "only-custom")
    write_skill(roots["user-toh"] / ".system" / "SKILL.md", "system", "skipped")

    def look(cwd: Path | None) -> Snapshot:
        return FilesystemSource.toh(
            cwd, custom_dirs=[custom], environ={"TOH_BUNDLED_SKILL_DIR": str(bundled)}, home=home
        ).snapshot()

    inside = look(deep)
    return {
        "in_project": rows(inside),
        "no_cwd": rows(look(None)),
        "warnings": [with_root(line, project, "<project>") for line in logs(inside)],
    }


def rows(snapshot: Snapshot) -> list[list[str]]:
    return [[skill.name, skill.description, skill.source] for skill in snapshot.skills]


def no_git(base: Path) -> dict[str, Any]:
    project = base / "project"
    (project / "sub").mkdir(parents=True)
    write_skill(project / ".toh" / "skills" / "s" / "SKILL.md", "s", "d")

    def seen(cwd: Path) -> bool:
        return bool(FilesystemSource.toh(cwd, environ={}, home=base / "home").snapshot().skills)

    return {"at_root": seen(project), "from_sub": seen(project / "sub")}


# The registry


def candidate(**changes: Any) -> dict[str, Any]:
    usual = {
        "name": "ok",
        "description": "d",
        "invocation": POLICY,
        "source": "s",
        "provider": "p",
        "rank": 1,
    }
    return {**usual, **changes}


def outcome(look: Callable[[], Snapshot]) -> dict[str, Any]:
    """Give what a look at a registry came to, in the shape of the rows."""
    try:
        snapshot = look()
    except ProviderError as error:
        return {"error": {"type": error.kind, "message": str(error)}, "snapshot": None}
    return {"error": None, "snapshot": plain(snapshot)}


def plain(snapshot: Snapshot) -> dict[str, Any]:
    return {"skills": [summary(skill) for skill in snapshot.skills], "complete": snapshot.complete}


def registry_candidate_error(row: Row) -> None:
    registry = SkillRegistry()
    registry.register_provider("p", lambda: [candidate(**row["input"]["candidate"])])
    got = outcome(registry.snapshot)
    assert got["error"] == row["output"]["error"]


def registry_list_shape(row: Row) -> None:
    registry = SkillRegistry()
    registry.register_provider("p", lambda: row["input"]["returned"])
    assert outcome(registry.snapshot) == row["output"]


def registry_failure(row: Row) -> None:
    registry = SkillRegistry()
    for text in row["input"]["providers"]:
        name, _, deed = text.partition(" ")
        registry.register_provider(name, provider_that(name, deed))
    snapshot = registry.snapshot()
    assert {"snapshot": plain(snapshot), "warnings": logs(snapshot)} == row["output"]


def provider_that(name: str, deed: str) -> Callable[[], Any]:
    thrown = re.fullmatch(r"throws (\w+)\((.*)\)", deed)
    listed = re.fullmatch(r"lists (\S+)", deed)

    def throws() -> Any:
        assert thrown
        raise ProviderError(thrown[2], thrown[1])

    def lists() -> Any:
        assert listed
        return [candidate(name=listed[1], provider=name)]

    assert thrown or listed, deed
    return throws if thrown else lists


# What each provider of the precedence row lists; its ranks are the row's own.
PRECEDENCE = {
    "low": ("dup", "only-low"),
    "high": ("dup",),
    "tie-1": ("tie",),
    "tie-2": ("tie",),
    "under-runtime": ("rt",),
    "over-runtime": ("rt2",),
}


def registry_precedence(row: Row) -> None:
    registry = SkillRegistry()
    for provider, rank in row["input"]["providers"].items():
        listed = [
            candidate(
                name=name, description=f"{provider}:{name}", provider=provider, source=provider, rank=rank
            )
            for name in PRECEDENCE[provider]
        ]
        registry.register_provider(provider, partial(list, listed))
    for name in ("rt", "rt2"):
        registry.register({"name": name, "description": f"runtime:{name}", "source": "runtime"})
    snapshot = registry.snapshot()
    assert row["input"]["runtime_rank"] == RUNTIME_RANK
    assert {
        "winners": [[skill.name, skill.description] for skill in snapshot.skills],
        "warnings": logs(snapshot),
        "BUNDLED_SKILL_RANK": BUNDLED_RANK,
    } == row["output"]


def registry_registration_errors(row: Row) -> None:
    registry = SkillRegistry()

    def refusal(deed: Callable[[], None]) -> str | None:
        try:
            deed()
        except RegistrationError as error:
            return str(error)
        return None

    usual = {"name": "ok", "description": "d", "source": "s"}
    bad = {"modelInvocable": "x", "userInvocable": True}
    got = {
        "bad name": refusal(lambda: registry.register({**usual, "name": "Bad"})),
        "no description": refusal(lambda: registry.register({**usual, "description": ""})),
        "bad invocation": refusal(lambda: registry.register({**usual, "invocation": bad})),
        "reserved provider": refusal(lambda: registry.register_provider("runtime", list)),
        "first": refusal(lambda: registry.register_provider("dup", list)),
        "duplicate provider": refusal(lambda: registry.register_provider("dup", list)),
        "scoped same provider ok": refusal(lambda: registry.register_provider("dup", list, scope="agent")),
        "scoped duplicate provider": refusal(lambda: registry.register_provider("dup", list, scope="agent")),
    }
    assert got == row["output"]


def registry_scope(row: Row) -> None:
    layers = []
    for scope, skills in row["input"].items():
        sources = [
            MemorySource([memory_skill(name, f"{scope} {rank}")], rank=int(rank.removeprefix("rank ")))
            for name, rank in skills.items()
        ]
        if scope == "global":
            sources.append(MemorySource([memory_skill("g-only", "global")]))
        layers.append(sources)

    def view(source: LayeredSource) -> list[list[str]]:
        return [[skill.name, skill.description] for skill in source.snapshot().skills]

    got = {"global_view": view(LayeredSource(layers[:1])), "scoped_view": view(LayeredSource(layers))}
    assert got == row["output"]


def memory_skill(name: str, description: str) -> LoadedSkill:
    base = ResourceBase(kind="opaque", value="in memory")
    return LoadedSkill(
        name=name, description=description, content="", resource_base=base, invocation=Invocation()
    )


ADAPTERS: dict[str, Callable[[Row], None]] = {
    "skill_name": skill_name,
    "frontmatter": frontmatter,
    "discovery": discovery,
    "registry_candidate_error": registry_candidate_error,
    "registry_list_shape": registry_list_shape,
    "registry_failure": registry_failure,
    "registry_precedence": registry_precedence,
    "registry_registration_errors": registry_registration_errors,
    "registry_scope": registry_scope,
}
