"""Codex 0.171.0 (npm `@openai/codex`, Apache-2.0): one line a skill, all of them within 2 % of the window.

Taken 2026-12-01 by running the program (`codex exec`, `codex app-server`, with skills in
`<PROJECT>/.agents/skills`); what the runs did not reach was read in openai/codex `codex-rs/core-skills` and
`codex-rs/skills`. The list is a developer message; each change appends the whole list anew, so the prefix
stays. There is no load tool: a model reads the file with the program's shell, and a user's `$name` sends it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from tohlab.dialects.base import Provenance
from tohlab.dialects.codex.budget import Budget, Entry, shares
from tohlab.dialects.codex.mentions import mentioned
from tohlab.dialects.codex.reading import CodexRoot, find, parse, reaches
from tohlab.dialects.codex.shell import cat
from tohlab.dialects.codex.texts import (
    BASE_POLICY,
    CLOSING,
    ENTRIES,
    EXEC_COMMAND,
    INTRODUCTION,
    NO_SUCH_TOOL,
    OPENING,
    POLICY,
    ROOT,
    ROOTS,
    SKILL,
    WARNING_LEFT_OUT,
)
from tohlab.dialects.entries import join_entries
from tohlab.dialects.harness import (
    Answer,
    Cut,
    FileTree,
    Harness,
    HarnessSkill,
    Listing,
    Loaded,
    RequestLayout,
    Setting,
    Skipped,
    UserTurn,
)

TOOLS: Final = (
    "exec_command",
    "write_stdin",
    "request_user_input",
    "view_image",
    "multi_agent_v1",
    "get_goal",
    "create_goal",
    "update_goal",
    "web_search",
)
"""The program's tools, in its order; none of them is about skills."""
ROOTS_OF_CODEX: Final = (
    CodexRoot(folder="project/.codex/skills", scope="repo"),
    CodexRoot(folder="home/.codex/skills", scope="user"),
    CodexRoot(folder="home/.agents/skills", scope="user"),
    CodexRoot(folder="home/.codex/skills/.system", scope="system"),
    CodexRoot(folder="etc/codex/skills", scope="admin"),
    CodexRoot(folder="project/.agents/skills", scope="repo"),
)
"""Codex's own roots in the order of their aliases, for a tree with a project and a home: the option `roots`.

The folders from the root of a repository down to the working folder give one `.agents/skills` each.
"""
_LISTED: Final = ("system", "admin", "repo", "user")
_LOADED: Final = ("repo", "user", "system", "admin")
_FAMILY: Final = re.compile(r"gpt-(\d+)(?:\.(\d+))?(?![\d.])")


@dataclass(frozen=True, kw_only=True)
class Codex(Harness):
    """Codex: the text depends on the model's family, the budget on its window.

    The option `roots` of a `Setting` names several folders of the tree, as `ROOTS_OF_CODEX` does; without it
    the tree is one root of a project.
    """

    fallback_window_tokens: int
    """The window of a model that the program does not know."""
    description_suffix: str
    """What a description over the limit ends in; its own length is within the limit."""
    shell_tool: Mapping[str, Any]
    """The tool by which a model reads a skill; it is there without skills too."""

    def load(self, tree: FileTree, setting: Setting) -> Loaded:
        """Return every skill of the roots, by scope, name and path; two of one name both stand."""
        skills: list[HarnessSkill] = []
        skipped: list[Skipped] = []
        seen: set[str] = set()
        roots = setting.skill_roots(CodexRoot)
        for root in roots:
            paths, overlooked = find(tree, root)
            skipped += overlooked
            for path in paths:
                if path in seen:
                    continue
                seen.add(path)
                found = parse(path, tree, setting)
                if isinstance(found, HarnessSkill):
                    skills.append(found)
                else:
                    skipped.append(replace(found, silent=root.scope == "system"))
        skipped = [one for one in skipped if one.code != "hidden-folder" or one.path not in seen]
        skills.sort(key=lambda skill: _rank(skill, _LOADED, roots))
        counts = Counter(skill.name for skill in skills)
        notes = [
            f"{count} skills are named {name!r}: all are listed, and ${name} loads none of them"
            for name, count in counts.items()
            if count > 1
        ]
        if any(one.code == "too-many-folders" for one in skipped):
            notes.append("which folders are looked into depends on the order of the disk")
        return Loaded(skills=tuple(skills), skipped=tuple(skipped), notes=tuple(notes))

    def listing(self, loaded: Loaded, setting: Setting) -> Listing:
        """Return the developer message: the roots in use, one line a skill, for some models how to use them.

        Nothing is said where no skill is to be listed.
        """
        hidden = loaded.unlisted
        shown = [skill for skill in loaded.skills if skill.listed]
        roots = setting.skill_roots(CodexRoot)
        skills = sorted(shown, key=lambda skill: _rank(skill, _LISTED, roots))
        if not skills:
            return Listing(text="", place=self.place, dropped=hidden)
        aliases, table = _aliases(skills, setting)
        entries = tuple(
            Entry(
                name=skill.name,
                description=self._within_limit(skill.description or ""),
                path=aliases[skill.path],
            )
            for skill in skills
        )
        window = setting.window_tokens
        budget = Budget.of(self.fallback_window_tokens if window is None else window)
        taken = shares(entries, budget)
        lines: list[tuple[str, str]] = []
        cut, left_out = [], []
        for skill, entry, chars in zip(skills, entries, taken, strict=True):
            if chars is None:
                left_out.append(skill.name)
                continue
            lines.append((skill.name, entry.line(chars)))
            cut += self._cut(skill, entry, chars, budget)
        text, spans = join_entries("\n".join((OPENING, INTRODUCTION, ROOTS, *table, ENTRIES, "")), lines)
        if self.policy_place(setting.model) == "list":
            text += f"{POLICY}\n"
        warnings = []
        if left_out:
            skills_were = "skill was" if len(left_out) == 1 else "skills were"
            warnings.append(WARNING_LEFT_OUT.format(count=len(left_out), skills=skills_were))
        return Listing(
            text=text + CLOSING,
            place=self.place,
            spans=spans,
            cut=tuple(cut),
            dropped=(*hidden, *left_out),
            reasons=dict.fromkeys(
                left_out, f"{_allowance(budget)}, and it does not fit even without a description"
            ),
            warnings=tuple(warnings),
        )

    def policy_place(self, model: str | None) -> str:
        """Return where a model is told how to use skills: `list`, `base-instructions`, or `nowhere`.

        Known families: up to GPT-5.5, from GPT-5.6 on, and `codex-auto-review`; nowhere for any other slug.
        """
        if model is None:
            return "nowhere"
        if model == "codex-auto-review":
            return "base-instructions"
        match = _FAMILY.match(model)
        if match is None or int(match[1]) < 5:
            return "nowhere"
        return "base-instructions" if (int(match[1]), int(match[2] or 0)) >= (5, 6) else "list"

    def base_policy(self, setting: Setting) -> str:
        """Return what a model's base instructions say of skills; empty where they say nothing."""
        return BASE_POLICY if self.policy_place(setting.model) == "base-instructions" else ""

    def call(self, tool: str, arguments: Any, loaded: Loaded, tree: FileTree, setting: Setting) -> Answer:
        """Return what a model reads for `cat` of a file, or for a tool that is not there.

        Raises:
            UnsupportedByDialect: another tool of the program, or another command.
        """
        if tool not in (TOOLS if setting.tools is None else setting.tools):
            return Answer(text=NO_SUCH_TOOL.format(tool=tool), is_error=True)
        if tool == "exec_command":
            return cat(arguments, tree, setting)
        return super().call(tool, arguments, loaded, tree, setting)

    def user(self, text: str, loaded: Loaded, tree: FileTree, setting: Setting) -> UserTurn:
        """Return the user's text and, behind it, one message with the file of each skill that it asks for."""
        found = mentioned(text, loaded.skills, setting.path_of)
        sent = [
            SKILL.format(name=skill.name, path=setting.path_of(skill.path), contents=skill.text)
            for skill in found
        ]
        limit = self.description_limit_chars or 0
        notes = tuple(
            f"the description of {skill.name} has more than {limit} characters: the program's source writes "
            "its frontmatter anew, with a cut description; here the file is as it is"
            for skill in found
            if len(skill.fields.get("description") or "") > limit
        )
        return UserTurn(texts=(text, *sent), json=[text, *sent], notes=notes)

    def _within_limit(self, description: str) -> str:
        limit = self.description_limit_chars
        if limit is None or len(description) <= limit:
            return description
        return description[: limit - len(self.description_suffix)] + self.description_suffix

    def _cut(self, skill: HarnessSkill, entry: Entry, chars: int, budget: Budget) -> list[Cut]:
        before = len(skill.description or "")
        if chars == before and entry.description == skill.description:
            return []
        if chars == len(entry.description):
            why = f"longer than {self.description_limit_chars} characters"
        else:
            why = _allowance(budget)
        return [Cut(name=skill.name, before_chars=before, after_chars=chars, why=why)]


def _allowance(budget: Budget) -> str:
    return f"the list may cost {budget.limit} {'tokens' if budget.in_tokens else 'characters'}"


def _root_of(path: str, roots: tuple[CodexRoot, ...]) -> CodexRoot:
    if len(roots) == 1:
        return roots[0]
    # A root may lie in a hidden folder of another, which then does not look into it.
    return next(root for root in roots if reaches(root, path))


def _rank(
    skill: HarnessSkill, scopes: tuple[str, ...], roots: tuple[CodexRoot, ...]
) -> tuple[int, str, list[str]]:
    return scopes.index(_root_of(skill.path, roots).scope), skill.name, skill.path.split("/")


def _aliases(skills: list[HarnessSkill], setting: Setting) -> tuple[dict[str, str], list[str]]:
    all_roots = setting.skill_roots(CodexRoot)
    homes = {skill.path: _root_of(skill.path, all_roots) for skill in skills}
    used = set(homes.values())
    roots = [root for root in dict.fromkeys(all_roots) if root in used]
    table = [
        ROOT.format(index=index, root=setting.path_of(root.folder).replace("\\", "/"))
        for index, root in enumerate(roots)
    ]
    numbers = {root: number for number, root in enumerate(roots)}
    aliases = {path: f"r{numbers[root]}/{path.removeprefix(root.prefix)}" for path, root in homes.items()}
    return aliases, table


_NEWER_KEYS: Final = (
    "model",
    "stream",
    "input",
    "tool_choice",
    "parallel_tool_calls",
    "reasoning",
    "store",
    "include",
    "prompt_cache_key",
    "text",
    "client_metadata",
)
"""Of the body for the newer models, whose tools stand in the first item of `input`."""
_PROVENANCE: Final = Provenance(
    fidelity="executed",
    program="Codex",
    version="0.171.0",
    date="2026-12-01",
    where="npm @openai/codex: responses requests as sent",
)
_SOURCE: Final = replace(
    _PROVENANCE,
    fidelity="source",
    version="7f892275",
    where="openai/codex codex-rs/core-skills/src/loader.rs and codex-rs/skills/src/parser.rs",
)

HARNESS: Final = Codex(
    name="codex",
    title="Codex",
    provenance=_PROVENANCE,
    text_provenance={"load": _SOURCE},
    place="developer",
    order="name-bytes",
    on_change="append",
    on_resume="append",
    description_limit_chars=1024,
    roots=(
        "<PROJECT>/.codex/skills",
        "<PROJECT>/.agents/skills, and the same from the project's root down to the working folder",
        "~/.codex/skills",
        "~/.agents/skills",
        "/etc/codex/skills",
    ),
    duplicate="both are listed, and $name loads neither; the same file under two paths counts once",
    layers=ROOTS_OF_CODEX,
    load_tool=None,
    tool_order=TOOLS,
    layouts=(
        RequestLayout(
            api="responses",
            path="/v1/responses",
            keys=_NEWER_KEYS,
            tools_in="input/0/tools",
            models="gpt-5.6*, gpt-6*, codex-auto-review",
            provenance=_PROVENANCE,
        ),
    ),
    fallback_window_tokens=272_000,
    description_suffix="...",
    shell_tool=EXEC_COMMAND,
    not_measured=(
        "the program's own four skills (2,116 characters) are not part of the list here",
        "the window of a model that the program does not know (272,000) was read in the source; the runs "
        "show that 17,170 bytes of list fit without a window",
        "the models between gpt-5 and gpt-5.4: taken to be told as gpt-5.5 is",
        "what the shell shows of a file of more than 10,000 tokens",
        "a skill's file that is a link to a file is passed over by the program; here it is read",
        "a frontmatter that is a list instead of a mapping: the program's reader takes it by position",
        "`metadata:` with nothing behind it is taken as empty",
    ),
)
