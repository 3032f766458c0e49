"""Every error that tohlab raises on purpose, one root and one family per room.

    TohlabError
    ├── MissingExtra                a heavy package is not installed; names the extra that brings it
    ├── SkillError                  skills/
    │   ├── FrontmatterError        a SKILL.md that cannot be read as one (path, line, code)
    │   ├── ProviderError           a source that broke its contract; the text is the harness's own
    │   └── RegistrationError       a skill or provider that may not be registered
    ├── QuestionError               questions/, askers/
    │   ├── AskError                an ask that ended without answers, in the harness's own code and text
    │   ├── ScriptError             a script that does not answer what was asked
    │   └── AskerUnavailable        nobody can be asked here; names the question and the remedy
    ├── CatalogError                catalog: a setting or an entry that cannot be
    ├── DialectError                dialects/
    │   ├── UnknownDialect          no dialect of that name (name, known, nearest)
    │   └── UnsupportedByDialect    the harness has no way of saying this
    ├── ToolsError                  tools: a set of tools that cannot be, or a refused restriction
    ├── TokensError                 tokens/
    │   ├── EncodingUnavailable     an encoding whose ranks cannot be had; says where it looked
    │   ├── UsageError              a report of used tokens that cannot be right (api, fields)
    │   └── PriceError              something that cannot be priced
    │       └── UnknownPrice        no price of that model (model, nearest, known)
    ├── RenderError                 renderers/: a request that a format cannot write (renderer, line)
    ├── RequestError                request: something that is no request in the format it was given in
    ├── PrefixError                 prefix/: requests that cannot be compared, caches that cannot be
    │   ├── UnknownPolicy           no cache policy of that name (name, known, nearest)
    │   └── TraceError              a trace of requests that cannot be read (path, line)
    ├── SessionError                session: a step that cannot be taken
    ├── RoutingError                routing/
    │   ├── DatasetError            a labelled request that cannot be used (path, line)
    │   ├── EndpointError           the service did not answer (kind, status, retry_after_s)
    │   ├── StoreError              the SQLite store cannot be read or written
    │   │   └── AnswerNotKept       a run that had to stop since an answer could not be stored
    │   ├── BudgetExceeded          what is asked for costs more than it may
    │   ├── ReplayMiss              no recorded answer for a request; shows the nearest one
    │   └── RunInterrupted          stopped by hand; carries what was answered so far
    └── ServeError                  serve/
        ├── WeightsUnavailable      model weights that cannot be had or whose hash is wrong
        └── ServerNotReady          the local server ended or did not become ready; names its log

An error carries its facts as attributes, so that each reader can word it for itself; `str(error)` is a
sentence for a person and ends with what to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar


class TohlabError(Exception):
    """Root of everything that tohlab raises on purpose."""


class MissingExtra(TohlabError, ImportError):
    """A package of an optional extra is not installed.

    Attributes:
        package: the package that could not be imported.
        extra: the extra of tohlab that brings it.
    """

    def __init__(self, package: str, extra: str) -> None:
        self.package = package
        self.extra = extra
        super().__init__(f"{package} is not installed; install it with: pip install 'tohlab[{extra}]'")


class _UnknownName(TohlabError, LookupError):
    """No such name among those that there are.

    Attributes:
        name: what was asked for.
        known: the names there are, sorted.
        nearest: the known name most like it, or None.
    """

    kind: ClassVar[str]
    """What has such a name, as a sentence says it."""

    def __init__(self, name: str, known: Sequence[str], nearest: str | None = None) -> None:
        self.name = name
        self.known = tuple(known)
        self.nearest = nearest
        hint = f" Did you mean {nearest!r}?" if nearest else ""
        super().__init__(f"there is no {self.kind} {name!r}.{hint} Known: {', '.join(known)}")


class _InFile(TohlabError, ValueError):
    """Something wrong in a file.

    Attributes:
        path: the file, or None where the data came from memory.
        line: counted from 1, or None.
    """

    def __init__(self, message: str, path: Path | str | None = None, line: int | None = None) -> None:
        self.path = path
        self.line = line
        places = (str(path) if path else "", (str(line) if path else f"line {line}") if line else "")
        where = ":".join(place for place in places if place)
        super().__init__(f"{where}: {message}" if where else message)


class SkillError(TohlabError):
    """Something about a skill, its file or its source."""


class UnreadableFile(SkillError, OSError):
    """A file below a skills root cannot be read; an `OSError` too, for programs that go on past one."""

    def __init__(self, message: str, why: str) -> None:
        super().__init__(message)
        self.strerror = why


class FrontmatterError(SkillError):
    """A skill file that cannot be read as one.

    Attributes:
        code: which rule was broken, a stable word such as `missing-frontmatter`.
        line: where, counted from 1 in the whole file; None where no line can be named.
        reason: what is wrong, in the words that the harness logs.
        remedy: the smallest repair, or empty.
    """

    def __init__(self, code: str, reason: str, line: int | None = None, *, remedy: str = "") -> None:
        self.code = code
        self.reason = reason
        self.line = line
        self.remedy = remedy
        super().__init__(reason)


class ProviderError(SkillError):
    """A skill source that broke its contract; `str()` is the text that the harness itself gives.

    Attributes:
        kind: the JavaScript class of the harness's own error, `Error` or `TypeError`.
    """

    def __init__(self, message: str, kind: str = "Error") -> None:
        self.kind = kind
        super().__init__(message)


class RegistrationError(SkillError):
    """A skill or a provider that may not be registered; `str()` is the text that the harness itself gives."""


class QuestionError(TohlabError):
    """Something about asking the user."""


class AskError(QuestionError):
    """An ask that ended without answers; `str()` is the text that the harness itself gives.

    Attributes:
        code: the harness's own code, such as `ASK_CANCELLED`.
    """

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


class ScriptError(QuestionError):
    """A script that does not answer what was asked, or answers what a person could not."""


class AskerUnavailable(QuestionError):
    """Nobody can be asked here; the text names the question and what to do."""


class CatalogError(TohlabError, ValueError):
    """A catalog setting or entry that cannot be."""


class DialectError(TohlabError):
    """Something about a dialect."""


class UnknownDialect(DialectError, _UnknownName):
    """No dialect of that name (`name`, `known`, `nearest`)."""

    kind = "dialect"


class UnsupportedByDialect(DialectError):
    """The harness has no way of saying this."""


class ToolsError(TohlabError):
    """A set of tools that cannot be, or a restriction that is refused in the harness's own words."""


class TokensError(TohlabError):
    """Something about counting tokens."""


class EncodingUnavailable(TokensError):
    """An encoding whose ranks cannot be had.

    Attributes:
        encoding: its name.
        looked: where it was looked for, in order.
    """

    def __init__(self, encoding: str, looked: Sequence[str], remedy: str) -> None:
        self.encoding = encoding
        self.looked = tuple(looked)
        where = "; ".join(looked)
        super().__init__(f"the encoding {encoding!r} cannot be had (looked in: {where}). {remedy}")


class UsageError(TokensError, ValueError):
    """A report of used tokens that cannot be right, or is not of the format it was given as.

    Attributes:
        api: whose format it is.
        fields: the fields that contradict each other or are wrong, as the API names them.
    """

    def __init__(self, message: str, *, api: str = "", fields: Sequence[str] = ()) -> None:
        self.api = api
        self.fields = tuple(fields)
        super().__init__(f"{api}: {message}" if api else message)


class PriceError(TokensError):
    """Something that cannot be priced; nothing is priced at 0 for want of a number."""


class UnknownPrice(PriceError, LookupError):
    """No price of that model.

    Attributes:
        model: what was asked for.
        nearest: the priced models whose names are most like it.
        known: all models that have one, in their table's order.
        what: the message without its remedy, for whoever names one of their own.
    """

    def __init__(
        self, message: str, *, model: str, nearest: Sequence[str], known: Sequence[str] = (), remedy: str = ""
    ) -> None:
        self.model = model
        self.nearest = tuple(nearest)
        self.known = tuple(known)
        self.what = message
        super().__init__(f"{message} {remedy}" if remedy else message)


class RenderError(TohlabError, ValueError):
    """A request that a format cannot write, or a template that refuses it.

    Attributes:
        renderer: which one.
        line: the template's line, counted from 1, or None.
    """

    def __init__(self, message: str, *, renderer: str, line: int | None = None) -> None:
        self.renderer = renderer
        self.line = line
        where = f"{renderer}, line {line}" if line else renderer
        super().__init__(f"{where}: {message}")


class RequestError(TohlabError, ValueError):
    """Something that is no request in the format it was given in.

    Attributes:
        where: the address of what is wrong, such as `messages[3].role`; empty for the whole.
        what: the message without its remedy, for whoever names one of their own.
    """

    def __init__(self, message: str, *, where: str = "", remedy: str = "") -> None:
        self.where = where
        self.what = f"{where}: {message}" if where else message
        super().__init__(f"{self.what}; {remedy}" if remedy else self.what)


class PrefixError(TohlabError):
    """Requests that cannot be compared, or a cache that cannot be."""


class UnknownPolicy(PrefixError, _UnknownName):
    """No cache policy of that name (`name`, `known`, `nearest`)."""

    kind = "cache policy"


class TraceError(PrefixError, _InFile):
    """A trace of requests that cannot be read (`path`, `line`)."""


class SessionError(TohlabError):
    """A step that a session cannot take."""


class RoutingError(TohlabError):
    """Something about measuring which skill gets picked."""


class DatasetError(RoutingError, _InFile):
    """A labelled request or catalog line that cannot be used (`path`, `line`)."""


class EndpointError(RoutingError):
    """The service did not give an answer that could be scored.

    Attributes:
        kind: one of `connection`, `timeout`, `auth`, `quota`, `rate_limit`, `server`, `bad_request`,
            `context_length`, `content_filter`, `garbage`, `cancelled` (a batch that was stopped by hand).
        status: the HTTP status, or None where there was none.
        retry_after_s: what the service asked to wait, in seconds, or None.
    """

    def __init__(
        self, kind: str, message: str, *, status: int | None = None, retry_after_s: float | None = None
    ) -> None:
        self.kind = kind
        self.status = status
        self.retry_after_s = retry_after_s
        super().__init__(message)


class StoreError(RoutingError):
    """The store of model replies cannot be read or written."""


class _Stopped(RoutingError):
    """A run that ended before its last request.

    Attributes:
        answered: how many requests were answered.
        total: how many the run wanted.
        report: the report of what was answered, or None if nothing was scored.
    """

    def __init__(self, message: str, *, answered: int, total: int, report: object | None = None) -> None:
        self.answered = answered
        self.total = total
        self.report = report
        super().__init__(message)


class AnswerNotKept(StoreError, _Stopped):
    """A run that had to stop since an answer could not be stored, such as on a full disk.

    `report` has what could not be stored too, and `answered` counts it.
    """


class BudgetExceeded(RoutingError):
    """What is asked for costs more than it may; nothing was asked beyond the budget."""


class ReplayMiss(RoutingError, LookupError):
    """No recorded answer for a request.

    Attributes:
        key: the key that was looked for.
        nearest_key: the recorded request most like it, or None for an empty recording.
        difference: lines that show what differs, as a unified diff.
    """

    def __init__(self, message: str, *, key: str, nearest_key: str | None, difference: Sequence[str]) -> None:
        self.key = key
        self.nearest_key = nearest_key
        self.difference = tuple(difference)
        super().__init__(message)


class RunInterrupted(_Stopped):
    """A run that was stopped by hand; nothing answered is lost, all of it is stored."""


class ServeError(TohlabError):
    """Something about the local model server."""


class WeightsUnavailable(ServeError):
    """Model weights that cannot be had, or whose hash is not the publisher's."""


class ServerNotReady(ServeError):
    """The local server ended or did not become ready in time.

    Attributes:
        log: the server's log file, or None.
    """

    def __init__(self, message: str, log: Path | None = None) -> None:
        self.log = log
        super().__init__(message)
