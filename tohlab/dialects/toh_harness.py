"""TheOpen Harness among the others: its exact dialect in the form that all sixteen harnesses share.

Nothing is told anew here: texts and their assembly are `tohlab.dialects.toh`, the file's rules are
`tohlab.skills`, both held against what the program gave. What stays behind is what a single look cannot show,
the durable catalog of a session: `tohlab.session` keeps it, `replacement` gives the text of one change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from tohlab.catalog import Form
from tohlab.dialects.base import Dialect
from tohlab.dialects.folders import in_roots, too_deep
from tohlab.dialects.harness import (
    Answer,
    Cut,
    FileTree,
    Harness,
    HarnessSkill,
    Listing,
    Loaded,
    Setting,
    SkillRoot,
    Skipped,
    UserTurn,
)
from tohlab.dialects.schema import violations
from tohlab.dialects.toh import DIALECT
from tohlab.ecma import utf16_length
from tohlab.errors import FrontmatterError
from tohlab.skills.collation import collation_key
from tohlab.skills.frontmatter import parse_frontmatter
from tohlab.skills.model import Invocation, LoadedSkill, Problem, ResourceBase, SkillSummary, Snapshot
from tohlab.skills.registry import Listing as Found
from tohlab.skills.registry import settle
from tohlab.skills.rules import skill_fields
from tohlab.skills.walk import SKILL_FILE

PROVIDER: Final = "filesystem"
LIMIT_OPTION: Final = "catalogDescriptionMaxLength"


@dataclass(frozen=True, kw_only=True)
class TheOpenHarnessAdapter(Harness):
    """TheOpen Harness, through its dialect.

    `Setting.options`: `catalogDescriptionMaxLength` (500 unless given), `skip` (entries of the root that are
    left out, as `.system` in the user's own), `any_depth` (every `SKILL.md` at any depth, as the command line
    looks through a folder; the program's roots are one level deep).
    """

    dialect: Dialect
    """Where every text comes from."""

    def load(self, tree: FileTree, setting: Setting) -> Loaded:
        """Return the winners of their names, sorted by name, and what was ignored in the program's words."""
        skills: list[SkillSummary] = []
        by_path: dict[str, HarnessSkill] = {}
        skipped: list[Skipped] = []
        in_order = [
            path
            for root in setting.skill_roots(SkillRoot)
            for path in _candidates(tree, root, setting, skipped)
        ]
        for path in in_order:
            text = tree.text(path)
            try:
                file = parse_frontmatter(text)
                fields = skill_fields(file.fields, file.key_lines)
            except FrontmatterError as error:
                skipped.append(
                    Skipped(
                        path=path,
                        code=error.code,
                        reason=error.reason,
                        line=error.line,
                        repair=error.remedy,
                    )
                )
                continue
            by_path[path] = HarnessSkill(
                name=fields.name,
                description=fields.description,
                body=file.body,
                path=path,
                text=text,
                fields=file.fields,
                listed=fields.invocation.model_invocable,
                model_loads=fields.invocation.model_invocable,
                user_loads=fields.invocation.user_invocable,
            )
            skills.append(_summary(by_path[path], setting))
        snapshot = settle([Found(skills=tuple(skills))])
        paths = {setting.path_of(path): path for path in by_path}
        skipped += [_shadowed(problem, paths) for problem in snapshot.problems]
        winners = tuple(by_path[paths[skill.path or ""]] for skill in snapshot.skills)
        return Loaded(skills=winners, skipped=tuple(skipped))

    def _dialect(self, setting: Setting) -> Dialect:
        limit = setting.options.get(LIMIT_OPTION, self.dialect.description_limit)
        if limit == self.dialect.description_limit:
            return self.dialect
        return replace(self.dialect, description_limit=limit)

    def listing(self, loaded: Loaded, setting: Setting) -> Listing:
        """Return the catalog message of a session's start; nothing where no skill is for models.

        Raises:
            CatalogError: a limit that the program refuses.
        """
        listing = self._catalog(loaded, setting, "initial")
        return listing if listing.spans else Listing(text="", place=self.place, dropped=listing.dropped)

    def replacement(self, loaded: Loaded, setting: Setting) -> Listing:
        """Return the catalog message that a running session gets once the skills have changed to `loaded`.

        It holds the whole catalog; where no skill is left it says that, as a tombstone.

        Raises:
            CatalogError: a limit that the program refuses.
        """
        return self._catalog(loaded, setting, "replacement")

    def announced(self, before: Loaded, after: Loaded, setting: Setting) -> tuple[str, ...]:
        """Return the whole catalog again, or that none is left; nothing where it is the same.

        Raises:
            CatalogError: a limit that the program refuses.
        """
        earlier, now = self.listing(before, setting), self.listing(after, setting)
        if earlier.text == now.text:
            return ()
        return (self.replacement(after, setting).text if earlier.text else now.text,)

    def _catalog(self, loaded: Loaded, setting: Setting, form: Form) -> Listing:
        dialect = self._dialect(setting)
        listed = [skill for skill in loaded.skills if skill.listed]
        snapshot = Snapshot(skills=tuple(_summary(skill, setting) for skill in listed))
        catalog = dialect.catalog_of(snapshot)
        block = dialect.render_catalog(catalog, form)
        uncut = replace(dialect, description_limit=None)
        cut = []
        for skill, entry in zip(listed, catalog.entries, strict=True):
            if not entry.description.endswith(dialect.cut_mark):
                continue  # what is cut ends in the mark
            whole = uncut.describe(skill.description or "")
            if entry.description != whole:
                cut.append(
                    Cut(
                        name=skill.name,
                        before_chars=utf16_length(whole),
                        after_chars=utf16_length(entry.description),
                        why=f"a description has at most {dialect.description_limit} UTF-16 code units",
                    )
                )
        return Listing(
            text=block.text, place=self.place, spans=block.spans, cut=tuple(cut), dropped=loaded.unlisted
        )

    def tools(self, loaded: Loaded, setting: Setting) -> tuple[dict[str, Any], ...]:
        """Return the `skill` tool as chat completions take it; the same with any skills and with none."""
        return ({"type": "function", "function": self.dialect.skill_tool().to_dict()},)

    def call(self, tool: str, arguments: Any, loaded: Loaded, tree: FileTree, setting: Setting) -> Answer:
        """Return the `<skill_content>` block, or the program's own error.

        The checks stand in the program's order: the tool, the arguments' shape, the name's grammar, whether
        there is such a skill, whether a model may load it.
        """
        if tool != self.load_tool:
            return self._error("unknown-tool", tool=tool)
        wrong = violations(self.dialect.skill_tool().parameters, arguments, self.dialect.schema_errors)
        if wrong:
            return self._error("invalid-arguments", violations="; ".join(wrong))
        name = arguments["name"]
        if not self.dialect.is_name(name):
            return self._error("bad-name", name=name)
        skill = loaded.named(name)
        if skill is None:
            return self._error("unknown-skill", name=name)
        if not skill.model_loads:
            return self._error("not-for-models", name=name)
        return Answer(text=self.dialect.render_skill(_loaded(skill, setting)))

    def _error(self, case: str, **facts: str) -> Answer:
        message = self.dialect.error(case, **facts).message
        return Answer(text=self.dialect.error_frame.format(message=message), is_error=True)

    def user(self, text: str, loaded: Loaded, tree: FileTree, setting: Setting) -> UserTurn:
        """Return the text as it is and behind it the block of each skill that `/name` in it starts.

        A catalog that is due stands between the two. Names that are none, and those not for users, stay
        prose.
        """
        skills = {skill.name: skill for skill in loaded.skills if skill.user_loads}
        started = [skills[name] for name in self.dialect.invoked_names([text]) if name in skills]
        blocks = (self.dialect.render_skill(_loaded(skill, setting)) for skill in started)
        return UserTurn(texts=(text, *blocks))


def _candidates(tree: FileTree, root: SkillRoot, setting: Setting, skipped: list[Skipped]) -> list[str]:
    skip = tuple(setting.options.get("skip", ()))
    any_depth = bool(setting.options.get("any_depth"))
    found = []
    for path, _, inside in in_roots(tree, (root,)):
        parts = inside.split("/")
        if parts[0] in skip or (any_depth and ".git" in parts[:-1]):
            continue
        flat = len(parts) == 1 and inside.endswith(".md")
        if flat or (parts[-1] == SKILL_FILE and (len(parts) == 2 or (any_depth and len(parts) > 1))):
            found.append(path)
        elif parts[-1].lower() == SKILL_FILE.lower():
            skipped.append(_overlooked(path, parts))
    skipped.sort(key=lambda one: one.path)
    return sorted(found, key=lambda path: [collation_key(part) for part in path.split("/")])


def _overlooked(path: str, parts: list[str]) -> Skipped:
    if parts[-1] == SKILL_FILE:
        return too_deep(path, "/".join(parts[:-1]))
    reason = f"{parts[-1]} is not SKILL.md: the harness looks for that exact name"
    return Skipped(path=path, code="wrong-case", reason=reason, repair="rename it to SKILL.md", silent=True)


def _base(skill: HarnessSkill, setting: Setting) -> ResourceBase:
    return ResourceBase(kind="directory", value=setting.path_of(skill.directory))


def _invocation(skill: HarnessSkill) -> Invocation:
    return Invocation(model_invocable=skill.model_loads, user_invocable=skill.user_loads)


def _summary(skill: HarnessSkill, setting: Setting) -> SkillSummary:
    return SkillSummary(
        name=skill.name,
        description=skill.description or "",
        invocation=_invocation(skill),
        source="custom",
        provider=PROVIDER,
        resource_base=_base(skill, setting),
        path=setting.path_of(skill.path),
    )


def _loaded(skill: HarnessSkill, setting: Setting) -> LoadedSkill:
    return LoadedSkill(
        name=skill.name,
        description=skill.description or "",
        content=skill.body,
        invocation=_invocation(skill),
        provider=PROVIDER,
        resource_base=_base(skill, setting),
        path=setting.path_of(skill.path),
    )


def _shadowed(problem: Problem, paths: Mapping[str, str]) -> Skipped:
    return Skipped(
        path=paths[problem.path or ""],
        code=problem.code,
        reason=problem.message,
        line=1,
        repair=problem.remedy,
    )


HARNESS: Final = TheOpenHarnessAdapter(
    name="toh",
    title="TheOpen Harness",
    provenance=DIALECT.provenance,
    dialect=DIALECT,
    place="user",
    behind_opening=True,
    order="name-bytes",
    on_change="append",
    on_resume="append",
    description_limit_chars=DIALECT.description_limit,
    roots=(
        "<PROJECT>/.toh/skills",
        "<PROJECT>/.agents/skills",
        "custom folders",
        "~/.toh/skills",
        "~/.agents/skills",
        "bundled",
    ),
    duplicate="the lower rank of the root, then the earlier entry of the root; the others are logged",
    layers=(
        SkillRoot(folder="project/.toh/skills"),
        SkillRoot(folder="project/.agents/skills"),
        SkillRoot(folder="home/.toh/skills"),
        SkillRoot(folder="home/.agents/skills"),
    ),
    load_tool="skill",
    not_measured=(
        "names are ordered by UTF-16 code units, which is byte order for every name that the program takes",
        "links that lead nowhere: a tree of files has none",
    ),
)
