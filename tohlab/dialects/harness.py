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

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from tohlab.dialects.base import Provenance
from tohlab.dialects.file_tree import FileTree as FileTree
from tohlab.dialects.file_tree import layered as layered
from tohlab.dialects.layout import RequestLayout as RequestLayout
from tohlab.errors import UnsupportedByDialect
from tohlab.request import Span

Place = Literal["system", "developer", "user", "tool-description", "none"]
Order = Literal["given", "name-bytes", "name-locale", "path-bytes", "category", "directory", "precedence"]
OnChange = Literal["append", "rewrite", "ignored", "tool-rewrite", "announced-silently"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillRoot:
    """A folder in which a harness looks for skills; a harness that asks for more has a root of its own."""

    folder: str = ""
    """Relative to the root of the tree; empty for the tree itself."""
    project: bool = False
    """Part of a project: looked into only where the project is trusted."""

    @property
    def prefix(self) -> str:
        """What the paths of its files begin with."""
        return f"{self.folder}/" if self.folder else ""


Root = TypeVar("Root", bound=SkillRoot)


def _as_root(given: Any, kind: type[Root]) -> Root:
    if isinstance(given, kind):
        return given
    if isinstance(given, SkillRoot):
        return kind(folder=given.folder, project=given.project)
    return kind(folder=str(given).strip("/"))


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
    mounts: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Folders of the tree that do not lie below `root`, with their absolute paths; the longest folder counts.

    So `{"project": "/srv/app", "home": "/home/me"}` goes with a tree of several roots."""

    def base_of(self, relative: str) -> tuple[str, str]:
        """Return the absolute path by which a file of the tree is told, in two: a folder's, and the rest."""
        for folder in sorted(self.mounts, key=len, reverse=True):
            if relative == folder or relative.startswith(f"{folder}/"):
                return self.mounts[folder], relative[len(folder) + 1 :]
        return self.root, relative

    def path_of(self, relative: str) -> str:
        """Return the absolute path of a file of the tree."""
        base, rest = self.base_of(relative) if self.mounts else (self.root, relative)
        return f"{base}/{rest}" if rest else base

    def inside(self, path: str) -> str | None:
        """Return the path in the tree of an absolute path; None for one that leads elsewhere."""
        places = {**self.mounts, "": self.root}
        for folder, base in sorted(places.items(), key=lambda place: len(place[1]), reverse=True):
            if path == base:
                return folder
            if path.startswith(f"{base}/"):
                rest = path[len(base) + 1 :]
                return f"{folder}/{rest}" if folder else rest
        return None

    def skill_roots(self, kind: type[Root]) -> tuple[Root, ...]:
        """Return the roots to look into, strongest first: the option `roots`, or the tree itself.

        With the option `trusted` false those of a project are left out.

        Args:
            kind: the harness's own class of roots; folders given by their paths alone become such.
        """
        given = self.options.get("roots")
        roots = [_as_root(root, kind) for root in (("",) if given is None else given)]
        trusted = self.options.get("trusted", True)
        return tuple(root for root in roots if trusted or not root.project)


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

    def named(self, name: object) -> HarnessSkill | None:
        """Return the first skill of exactly that name, or None."""
        return next((skill for skill in self.skills if skill.name == name), None)

    @property
    def unlisted(self) -> tuple[str, ...]:
        """The names of the skills that the model is not told of."""
        return tuple(skill.name for skill in self.skills if not skill.listed)


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
    """The program calls it an error."""
    missed: bool = False
    """The skill that was asked for is not in it, although the program calls that no error."""
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
    behind_opening: bool = False
    """Whether a list in the user's place stands behind the first user text rather than before it."""
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
    layers: tuple[SkillRoot, ...] = ()
    """Its own roots for a tree with a `project` and a `home`, strongest first: what the option `roots` takes.

    Empty where it looks into one root, or where the roots besides the first are not told by folders."""
    tool_order: tuple[str, ...] = ()
    """The tools that the program offers, in the order in which it sends them; empty where not seen."""
    layouts: tuple[RequestLayout, ...] = ()
    """How its requests are laid out, where that was seen."""
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

    def tool_names(self, loaded: Loaded, setting: Setting) -> tuple[str, ...]:
        """Return the names of the tools that a request offers, in their order; the load tool only if there.

        Raises:
            UnsupportedByDialect: the program's tools are not known.
        """
        if not self.tool_order:
            raise UnsupportedByDialect(f"the tools that {self.title} offers beside its own were not seen")
        offered = bool(self.tools(loaded, setting))
        return tuple(name for name in self.tool_order if name != self.load_tool or offered)

    def announced(self, before: Loaded, after: Loaded, setting: Setting) -> tuple[str, ...]:
        """Return what changed skills append to the conversation; nothing where the list is the same.

        It is what an `append` of `on_change` or `on_resume` appends: the whole list, unless a harness has
        other words.
        """
        text = self.listing(after, setting).text
        return (text,) if text and text != self.listing(before, setting).text else ()

    def reached(self, before: Loaded, after: Loaded) -> Loaded:
        """Return what a tool call finds in a session begun with `before`, once the files give `after`."""
        return before if self.on_change == "ignored" else after

    def call(self, tool: str, arguments: Any, loaded: Loaded, tree: FileTree, setting: Setting) -> Answer:
        """Return what the model reads for a call; `arguments` are parsed JSON, None for an unknown tool.

        Raises:
            UnsupportedByDialect: the call has nothing to do with skills.
        """
        raise UnsupportedByDialect(f"{self.title} has no tool {tool!r} that has to do with skills")

    def _not_kept(self, name: str) -> UnsupportedByDialect:
        return UnsupportedByDialect(f"the text of {name} is a part of {self.title} that is not kept here")

    def user(self, text: str, loaded: Loaded, tree: FileTree, setting: Setting) -> UserTurn:
        """Return what a user's text becomes; a text without a gesture goes as it is.

        Raises:
            UnsupportedByDialect: the text starts something of the program's own whose text is not kept.
        """
        return UserTurn(texts=(text,))
