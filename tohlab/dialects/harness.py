"""What every harness is: which files it takes, how it lists them, what its tool answers, what a user's text
does.

A `Harness` is a value, like a `Dialect`: one file per harness, differences as documented fields, texts whole
in the file's first half. `Dialect` says how TheOpen Harness keeps a durable catalog; a `Harness` answers the
five questions that all sixteen have in common, so that they can be set side by side:

    FileTree -> load -> Loaded -> listing -> Listing          what the model is told
                           |----> tools   -> schemas          the load tool, where there is one
                           |----> call    -> Answer           what a tool call gives back
                           '----> user    -> UserTurn         what a user's text becomes

What differs between two runs of one program (window, model, tools at hand) is a `Setting`. What a harness
cannot express raises `UnsupportedByDialect`.
"""

from __future__ import annotations

import contextlib
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

from tohlab.dialects.base import Provenance
from tohlab.errors import SkillError, UnsupportedByDialect
from tohlab.request import Span

Place = Literal["system", "developer", "user", "tool-description", "none"]
Order = Literal["given", "name-bytes", "name-locale", "path-bytes", "category", "directory", "precedence"]
OnChange = Literal["append", "rewrite", "ignored", "tool-rewrite", "announced-silently"]


class FileTree(Mapping[str, bytes]):
    """The files below a skills root, by relative path with `/` between the parts; read when asked for.

    Args:
        texts: file contents held in memory, or None.
        directory: a folder on disk whose files are read on demand, or None.
    """

    def __init__(self, contents: Mapping[str, bytes], directory: Path | None = None) -> None:
        self._contents = dict(contents)
        self._directory = directory
        self._paths: Mapping[str, None] | None = None
        self._texts: dict[str, str] = {}

    @classmethod
    def of(cls, texts: Mapping[str, str]) -> Self:
        """Return a tree of texts held in memory, encoded as UTF-8 (lone surrogates kept)."""
        return cls({path: text.encode("utf-8", "surrogatepass") for path, text in texts.items()})

    @classmethod
    def at(cls, directory: str | os.PathLike[str]) -> Self:
        """Return the tree of a folder on disk; links are followed, loops are not.

        Raises:
            SkillError: there is no such folder.
        """
        path = Path(directory)
        if not path.is_dir():
            raise SkillError(f"there is no folder {path}; give the folder that holds the skills")
        return cls({}, path)

    def __getitem__(self, path: str) -> bytes:
        if path not in self._contents:
            if self._directory is None or path not in self._listed():
                raise KeyError(path)
            self._contents[path] = (self._directory / path).read_bytes()
        return self._contents[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed())

    def __len__(self) -> int:
        return len(self._listed())

    def __contains__(self, path: object) -> bool:
        return path in self._listed()

    def _listed(self) -> Mapping[str, None]:
        if self._paths is None:
            found = self._contents if self._directory is None else _walk(self._directory)
            self._paths = dict.fromkeys(found)
        return self._paths

    def text(self, path: str) -> str:
        """Return a file as text: UTF-8, what is not becomes U+FFFD; a byte order mark is kept."""
        text = self._texts.get(path)
        if text is None:
            text = self._texts[path] = self._decoded(self[path])
        return text

    def _decoded(self, data: bytes) -> str:
        if self._directory is None:
            with contextlib.suppress(UnicodeDecodeError):
                return data.decode("utf-8", "surrogatepass")
        return data.decode("utf-8", "replace")

    def below(self, directory: str) -> tuple[str, ...]:
        """Return the paths inside a folder of the tree, in path order (bytes)."""
        prefix = f"{directory}/" if directory else ""
        return tuple(sorted(p for p in self._listed() if p.startswith(prefix)))

    def named(self, *names: str) -> tuple[str, ...]:
        """Return the paths whose last part is one of `names`, in path order (bytes)."""
        return tuple(sorted(p for p in self._listed() if p.rpartition("/")[2] in names))


def _walk(directory: Path) -> Iterator[str]:
    seen: set[tuple[int, int]] = set()
    for here, folders, files in os.walk(directory, followlinks=True):
        status = os.stat(here)  # noqa: PTH116 - paths are text here, for speed over large trees
        if (status.st_dev, status.st_ino) in seen:
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        folders[:] = sorted(f for f in folders if f != ".git")
        base = os.path.relpath(here, directory).replace(os.sep, "/")
        for name in sorted(files):
            yield name if base == "." else f"{base}/{name}"


def folder_name(path: str) -> str:
    """Return the name of a file's folder; empty for a file without one."""
    return path.rpartition("/")[0].rpartition("/")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What differs between two runs of one program."""

    root: str = "<ROOT>"
    """The absolute path of the skills root, as the program prints it."""
    window_tokens: int | None = None
    """The model's context window; None where the program does not know it."""
    model: str | None = None
    """The model's slug, where the text depends on it."""
    tools: tuple[str, ...] | None = None
    """The tools at hand, where the text depends on them; None for the program's own set."""
    bundled: bool = True
    """Whether the program's own skills are listed too."""
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Further switches of one harness, by its own words."""

    def path_of(self, relative: str) -> str:
        """Return the absolute path of a file of the tree."""
        return f"{self.root}/{relative}" if relative else self.root


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessSkill:
    """A skill as one harness took it from its file."""

    name: str
    description: str | None
    """As the harness keeps it; None where it has none."""
    body: str
    """As the harness gives it out."""
    path: str
    """The file, relative to the root."""
    text: str = ""
    """The file as the harness reads it, frontmatter included."""
    fields: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """The frontmatter as the harness reads it."""
    listed: bool = True
    """The model is told of it."""
    model_loads: bool = True
    """The model can load it."""
    user_loads: bool = True
    """A user can start it."""

    @property
    def directory(self) -> str:
        """The folder of the file, relative to the root; empty for the root itself."""
        return self.path.rpartition("/")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A file that gave no skill."""

    path: str
    code: str
    """A stable word for the rule, such as `missing-description`."""
    reason: str
    """What is wrong, in the harness's words where it says any."""
    line: int | None = None
    repair: str = ""
    """The smallest change that would make it load."""
    silent: bool = False
    """The harness says nothing about it, not even in a log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What one harness made of a tree."""

    skills: tuple[HarnessSkill, ...] = ()
    """In the harness's own order; where that is the disk's order, in path order."""
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()
    """What is not certain: races, orders that depend on the disk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A description that was shortened."""

    name: str
    before_chars: int
    after_chars: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What the model is told of the skills there are."""

    text: str
    """Empty where the harness says nothing."""
    place: Place
    spans: tuple[Span, ...] = ()
    """`entry "<name>"` over each entry."""
    cut: tuple[Cut, ...] = ()
    dropped: tuple[str, ...] = ()
    """Names that the model is not told of although they loaded."""
    reasons: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Why a name of `dropped` is not told, where it is not the skill itself that says so."""
    warnings: tuple[str, ...] = ()
    """What the program tells its user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a tool call gives back: a text, or a JSON value."""

    text: str | None = None
    json: Any = field(default=None, hash=False)
    is_error: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTurn:
    """What a user's text becomes: the texts that the model is sent, in order."""

    texts: tuple[str, ...]
    json: Any = field(default=None, hash=False)
    """The form in which the golden vectors hold it, where that is not one text."""
    sent: bool = True
    """False where the program answers by itself and asks no model."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Harness(ABC):
    """One harness. Rendering is pure: the same tree and setting give the same texts on every machine."""

    name: str
    """What `get_harness` and the command line call it."""
    title: str
    """The program's own name."""
    provenance: Provenance
    text_provenance: Mapping[str, Provenance] = field(default_factory=dict, hash=False)
    """Exceptions by part: `listing`, `tools`, `call`, `user`, `load`."""
    place: Place
    """Where the list sits."""
    order: Order
    """How the entries are ordered; `directory` differs between two machines."""
    on_change: OnChange
    """What a change of the skills does while a session runs."""
    on_resume: OnChange = "rewrite"
    """What a change of the skills does when a session is taken up again by a new process."""
    names_in_tool: bool = False
    """Whether the tools block carries skill names, so that any change of the set rewrites it."""
    description_limit_chars: int | None = None
    """The longest description that is shown whole; None for no limit."""
    roots: tuple[str, ...] = ()
    """Where the harness looks, strongest first, as it documents them."""
    duplicate: str = ""
    """Which of two skills of one name wins."""
    load_tool: str | None = None
    """The tool by which a model loads a skill, or None where it reads the file."""
    loads_by: Literal["name", "path"] = "name"
    """What a model gives the load tool; `path` where it is the program's own tool that reads any file, which
    is there without skills too."""
    not_measured: tuple[str, ...] = ()
    """What is known to differ from the real program, or was not checked."""

    def provenance_of(self, part: str) -> Provenance:
        """Return where the texts of `part` come from and how sure they are."""
        return self.text_provenance.get(part, self.provenance)

    @abstractmethod
    def load(self, tree: FileTree, setting: Setting) -> Loaded:
        """Return what the harness makes of the files of one skills root; nothing raises for a bad file."""

    @abstractmethod
    def listing(self, loaded: Loaded, setting: Setting) -> Listing:
        """Return the list of skills as the model reads it."""

    def tools(self, loaded: Loaded, setting: Setting) -> tuple[dict[str, Any], ...]:
        """Return the tools that have to do with skills, in the form in which the harness's API takes them.

        Empty where there is none (also: where the harness offers none without skills).
        """
        return ()

    def call(self, tool: str, arguments: Any, loaded: Loaded, tree: FileTree, setting: Setting) -> Answer:
        """Return what the model reads for a call; `arguments` are parsed JSON, None for an unknown tool.

        Raises:
            UnsupportedByDialect: the call has nothing to do with skills.
        """
        raise UnsupportedByDialect(f"{self.title} has no tool {tool!r} that has to do with skills")

    def user(self, text: str, loaded: Loaded, tree: FileTree, setting: Setting) -> UserTurn:
        """Return what a user's text becomes; a text without a gesture goes as it is."""
        return UserTurn(texts=(text,))
