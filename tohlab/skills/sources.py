"""Where skills come from: folders, memory, and layers of both."""

# ruff: noqa: PTH100, PTH110, PTH112, PTH113, PTH118, PTH120  a Path object per file would double the time

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tohlab.errors import FrontmatterError, SkillError
from tohlab.skills import files, walk
from tohlab.skills.layers import LayeredSource, MemorySource
from tohlab.skills.model import LoadedSkill, Problem, ResourceBase, SkillSummary, Snapshot
from tohlab.skills.names import is_skill_name
from tohlab.skills.registry import BUNDLED_RANK, Listing, settle
from tohlab.skills.rules import skill_fields
from tohlab.skills.walk import Found

__all__ = ["FilesystemSource", "LayeredSource", "MemorySource", "Root", "project_root"]

StrPath = str | os.PathLike[str]

CUSTOM_RANK: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """One folder of skills and what its skills are worth."""

    path: str
    """Need not exist; a missing root is empty."""
    source: str = "custom"
    """The kind of root, such as `project-toh`."""
    rank: int = CUSTOM_RANK
    """Lower wins."""
    skip: tuple[str, ...] = ()
    """Names of entries that are not looked at."""


_Place = tuple[Found, Root]


class FilesystemSource:
    """Skills in folders on disk.

    A snapshot reads frontmatter only; `load` reads a body, afresh on each call. Between the two nothing is
    held but the paths of the winners.

    Args:
        roots: read in this order. In each, a skill is `<root>/<folder>/SKILL.md` or `<root>/<file>.md`, one
            level deep, in the order of `localeCompare`.
        provider: the name under which the harness would register this source.
    """

    def __init__(self, roots: Sequence[Root], provider: str = "filesystem") -> None:
        self.roots = tuple(roots)
        self.provider = provider
        self._tree = False
        self._places: dict[str, _Place] | None = None

    @classmethod
    def toh(
        cls,
        cwd: StrPath | None = None,
        *,
        toh_home: StrPath | None = None,
        agents_home: StrPath | None = None,
        custom_dirs: Iterable[StrPath] = (),
        bundled_dir: StrPath | None = None,
        environ: Mapping[str, str] | None = None,
        home: StrPath | None = None,
    ) -> FilesystemSource:
        """Return the source that TheOpen Harness makes for a workspace: six kinds of roots and their ranks.

        Args:
            cwd: where the session works; its project is the nearest folder upwards with a `.git` in it, else
                itself. None leaves the project's roots out.
            toh_home: else `$TOH_HOME`, else `~/.toh`.
            agents_home: else `$TOH_AGENTS_HOME`, else `~/.agents`.
            custom_dirs: further roots, between the project's and the user's.
            bundled_dir: else `$TOH_BUNDLED_SKILL_DIR`, else none.
            environ: instead of the process's environment.
            home: instead of the user's home folder.
        """
        environ = os.environ if environ is None else environ
        base = Path.home() if home is None else Path(home)
        toh_home = toh_home or environ.get("TOH_HOME") or base / ".toh"
        agents_home = agents_home or environ.get("TOH_AGENTS_HOME") or base / ".agents"
        bundled_dir = bundled_dir or environ.get("TOH_BUNDLED_SKILL_DIR")
        roots: list[Root] = []
        if cwd is not None:
            project = project_root(cwd)
            roots += [
                Root(path=os.path.join(project, ".toh", "skills"), source="project-toh", rank=100),
                Root(path=os.path.join(project, ".agents", "skills"), source="project-agents", rank=200),
            ]
        roots += [Root(path=os.path.abspath(path), source="custom", rank=CUSTOM_RANK) for path in custom_dirs]
        user = os.path.join(os.path.abspath(toh_home), "skills")
        roots.append(Root(path=user, source="user-toh", rank=400, skip=(".system",)))
        agents = os.path.join(os.path.abspath(agents_home), "skills")
        roots.append(Root(path=agents, source="user-agents", rank=500))
        if bundled_dir:
            roots.append(Root(path=os.path.abspath(bundled_dir), source="bundled", rank=BUNDLED_RANK))
        return cls(roots)

    @classmethod
    def tree(cls, directory: StrPath) -> FilesystemSource:
        """Return a source of everything under a folder: each `SKILL.md` at any depth and the flat `.md` files
        of the folder itself.

        This is what `DIR` means on the command line. It is wider than any root of the harness, which looks
        one level deep; each file is judged as the harness would judge it in a root. A folder that cannot be
        read makes the snapshot incomplete, and the rest is still seen.

        Raises:
            SkillError: if there is no such folder.
        """
        path = os.path.abspath(directory)
        if not os.path.isdir(path):
            what = "is a file" if os.path.isfile(path) else "does not exist"
            raise SkillError(f"{os.fspath(directory)} {what}; give a folder that holds skills")
        source = cls([Root(path=path)])
        source._tree = True
        return source

    def candidates(self) -> Listing:
        """Return everything found, names not yet settled, and the problems of files that gave no skill."""
        return self._look()[0]

    def snapshot(self) -> Snapshot:
        """Return the winners of their names and every problem found; never raises for a bad file."""
        listing, places = self._look()
        snapshot = settle([listing])
        self._places = {skill.name: places[skill.path] for skill in snapshot.skills if skill.path}
        return snapshot

    def load(self, name: str) -> LoadedSkill | None:
        """Return the skill with its body, read now; None if there is none of that name (any more).

        The path comes from the last snapshot; without one, or if that file no longer gives this name, the
        folders are looked at anew.

        Raises:
            ProviderError: if the file is there and cannot be read.
        """
        if not is_skill_name(name):
            return None
        if self._places is not None and (place := self._places.get(name)):
            loaded = self._read(name, place)
            if loaded is not None:
                return loaded
        self.snapshot()
        place = (self._places or {}).get(name)
        return None if place is None else self._read(name, place)

    def _read(self, name: str, place: _Place) -> LoadedSkill | None:
        found, root = place
        try:
            file = files.read_file(found.path)
            fields = skill_fields(file.fields, file.key_lines)
        except FrontmatterError:
            return None
        except OSError as error:
            if files.is_absent(error):
                return None
            raise files.unreadable(found.path, error, "open") from error
        if fields.name != name:
            return None
        return LoadedSkill(
            name=name,
            description=fields.description,
            content=file.body,
            when_to_use=fields.when_to_use,
            invocation=fields.invocation,
            source=root.source,
            provider=self.provider,
            resource_base=ResourceBase(kind="directory", value=found.directory),
            path=found.path,
            metadata=fields.metadata,
        )

    def _look(self) -> tuple[Listing, dict[str, _Place]]:
        skills: list[SkillSummary] = []
        problems: list[Problem] = []
        places: dict[str, _Place] = {}
        complete = True
        for root in self.roots:
            if self._tree:
                walked = walk.walk_tree(root.path)
                complete = complete and walked.complete
            else:
                try:
                    walked = walk.list_root(root.path, root.skip)
                except OSError as error:
                    return self._rejected(root.path, error, "scandir", problems), {}
            problems += walked.problems
            for found in walked.found:
                try:
                    summary = self._summarise(found, root, problems)
                except OSError as error:
                    if files.is_absent(error):
                        continue
                    if not self._tree:
                        return self._rejected(found.path, error, "open", problems), {}
                    complete = False
                    problems.append(walk.unreadable_problem(found.path, error, "open"))
                    continue
                if summary is not None:
                    skills.append(summary)
                    places[found.path] = (found, root)
        return Listing(skills=tuple(skills), complete=complete, problems=tuple(problems)), places

    def _summarise(self, found: Found, root: Root, problems: list[Problem]) -> SkillSummary | None:
        try:
            head = files.read_head(found.path)
            fields = skill_fields(head.fields, head.key_lines)
        except FrontmatterError as error:
            problem = files.file_problem(found.path, error)
            problems.append(walk.perhaps_not_a_skill(problem) if self._tree and found.is_flat else problem)
            return None
        if head.bad_line is not None:
            problems.append(files.not_utf8(found.path, head.bad_line))
        return SkillSummary(
            name=fields.name,
            description=fields.description,
            when_to_use=fields.when_to_use,
            invocation=fields.invocation,
            source=root.source,
            provider=self.provider,
            rank=root.rank,
            resource_base=ResourceBase(kind="directory", value=found.directory),
            path=found.path,
            metadata=fields.metadata,
        )

    def _rejected(self, path: str, error: OSError, call: str, problems: list[Problem]) -> Listing:
        # The harness's provider rejects as a whole, so nothing of it is known and no catalog is published.
        skipped = files.provider_skipped(self.provider, path, files.node_text(error, call, path))
        return Listing(complete=False, problems=(*problems, skipped))


def project_root(cwd: StrPath) -> str:
    """Return the nearest folder from `cwd` upwards that has an entry `.git`, or `cwd` itself if none has."""
    start = current = os.path.abspath(cwd)
    while not os.path.exists(os.path.join(current, ".git")):
        parent = os.path.dirname(current)
        if parent == current:
            return start
        current = parent
    return current
