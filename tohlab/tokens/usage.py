"""What a request used, in four disjoint classes of input, whoever reports it.

A bill needs four numbers that do not overlap: plain input, input read from the cache, and input written to it
for a short or a long time. APIs report sums of them under many names. `usage_from` turns any of those reports
into one `Usage`, and refuses a report that contradicts itself. What was not reported is None and stays None:
an engine that hides its hits is not one that has none.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from tohlab.errors import UsageError
from tohlab.tokens.usage_formats import FORMATS, Lifetime, UsageFormat

CLASSES: Final = ("plain_tokens", "read_tokens", "short_write_tokens", "long_write_tokens")
"""The classes of input; together they are `total_tokens`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one request, or several together, used. None means: not reported.

    Raises:
        UsageError: a count is negative or no whole number, or the classes do not add up to the total.
    """

    plain_tokens: int | None
    """Input neither read from the cache nor written to it."""
    read_tokens: int | None
    """Input read from the cache."""
    short_write_tokens: int | None
    """Input written to the cache for its short lifetime (5 minutes at Anthropic, 30 at OpenAI)."""
    long_write_tokens: int | None
    """Input written for the long lifetime (1 hour at Anthropic, 12 at OpenAI)."""
    output_tokens: int | None
    """What the model wrote, reasoning included."""
    total_tokens: int | None = None
    """All input. Left out, it is the sum of the classes, or None where one of them is not reported."""
    write_tokens: int | None = None
    """Input written to the cache for either lifetime. Left out, it is the sum of the two, or None. A report
    may say how much was written without saying for how long."""
    api: str = ""
    """Whose report it was read from; empty if none."""

    def __post_init__(self) -> None:
        for name in (*CLASSES, "write_tokens", "output_tokens", "total_tokens"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
                raise UsageError(f"{name} must be a whole number from 0, not {value!r}", fields=[name])
        self._add_up(("short_write_tokens", "long_write_tokens"), "write_tokens")
        self._add_up(("plain_tokens", "read_tokens", "write_tokens"), "total_tokens")

    def _add_up(self, parts: tuple[str, ...], whole: str) -> None:
        values = [getattr(self, name) for name in parts]
        known = sum(value for value in values if value is not None)
        total = getattr(self, whole)
        if None not in values and total is None:
            object.__setattr__(self, whole, known)
        elif total is not None and (known > total or (None not in values and known != total)):
            raise UsageError(
                f"{' + '.join(parts)} is {known:,}, but {whole} is {total:,}", fields=[*parts, whole]
            )

    @property
    def missing(self) -> tuple[str, ...]:
        """The classes, and the output, that were not reported."""
        return tuple(name for name in (*CLASSES, "output_tokens") if getattr(self, name) is None)

    @property
    def unread_tokens(self) -> int | None:
        """Input that was not read from the cache, written to it or not; None if unknown."""
        if self.total_tokens is None or self.read_tokens is None:
            return None
        return self.total_tokens - self.read_tokens

    @property
    def read_share(self) -> float | None:
        """The part of the input that was read from the cache, 0 to 1; None if unknown or without input."""
        if not self.total_tokens or self.read_tokens is None:
            return None
        return self.read_tokens / self.total_tokens

    def assuming_unreported_zero(self) -> Usage:
        """Return the usage as if nothing unreported had happened: no reads, no writes, no output.

        Only whoever knows the service can say so; it is never done for you. Writes that were reported, but
        not by lifetime, stay as they are.

        Raises:
            UsageError: the input itself was not reported.
        """
        if self.total_tokens is None and self.plain_tokens is None:
            raise UsageError("the input was not reported at all", api=self.api, fields=["total_tokens"])
        read = self.read_tokens or 0
        write = self.write_tokens or 0
        plain = self.plain_tokens
        if plain is None:
            plain = (self.total_tokens or 0) - read - write
        return replace(
            self,
            plain_tokens=plain,
            read_tokens=read,
            short_write_tokens=self.short_write_tokens if write else 0,
            long_write_tokens=self.long_write_tokens if write else 0,
            write_tokens=write,
            total_tokens=plain + read + write,
            output_tokens=self.output_tokens or 0,
        )

    def __add__(self, other: Usage) -> Usage:
        """Return both together; what either did not report is not known of the sum."""
        if not isinstance(other, Usage):
            return NotImplemented

        def both(name: str) -> int | None:
            a, b = getattr(self, name), getattr(other, name)
            return None if a is None or b is None else a + b

        return Usage(
            plain_tokens=both("plain_tokens"),
            read_tokens=both("read_tokens"),
            short_write_tokens=both("short_write_tokens"),
            long_write_tokens=both("long_write_tokens"),
            output_tokens=both("output_tokens"),
            total_tokens=both("total_tokens"),
            write_tokens=both("write_tokens"),
            api=self.api if self.api == other.api else "",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: every field, and what is derived; None stays None."""
        plain: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        plain.update(write_tokens=self.write_tokens, read_share=self.read_share, missing=list(self.missing))
        return plain


def usage_from(api: str, raw: Any, *, lifetime: Lifetime | None = None) -> Usage:
    """Return what an API reports as one `Usage`.

    Args:
        api: whose report it is, one of `FORMATS`, such as `openai-chat`, `anthropic` or `llamacpp`.
        raw: the usage object, or the whole answer that holds it: a mapping, or a client's object that has
            `model_dump()` or `to_dict()`.
        lifetime: what writes are that the API reports without saying for how long; None leaves both classes
            unknown (their sum is still `write_tokens`).

    Raises:
        UsageError: no such API, not such a report, or fields that contradict each other; `fields` has them.
    """
    if not isinstance(api, str) or api not in FORMATS:
        near = difflib.get_close_matches(str(api), FORMATS, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise UsageError(f"there is no usage format {api!r}.{hint} Known: {', '.join(FORMATS)}")
    if lifetime not in (None, "short", "long"):
        raise UsageError(f"lifetime must be 'short', 'long' or None, not {lifetime!r}", api=api)
    form = FORMATS[api]
    report = _Report(form, _mapping(raw, form))
    read = report.count(form.read)
    short, long, write = _writes(report, form, lifetime)
    output = report.count(form.output)
    if output is not None:
        output += report.count(form.more_output) or 0
    given = report.count(form.input)
    if form.includes_cache:
        total = given
        miss = report.count(form.miss)
        if total is None and read is not None and miss is not None:
            total = read + miss
        elif total is not None:
            total += report.count(form.more_input) or 0
        plain = None if total is None or read is None or write is None else total - read - write
        if total is not None and (read or 0) + (write or 0) > total:
            fields = [report.name(p) for p in (form.input, form.read, form.write) if report.has(p)]
            raise UsageError(
                f"{fields[0]} is {total:,} and should hold what was read and written, but "
                f"{' + '.join(fields[1:])} is {(read or 0) + (write or 0):,}",
                api=api,
                fields=fields,
            )
    else:
        plain = given
        total = None if given is None or read is None or write is None else given + read + write
    _check_miss(report, form, total, read)
    _check_total(report, form, total, given, output)
    return Usage(
        plain_tokens=plain,
        read_tokens=read,
        short_write_tokens=short,
        long_write_tokens=long,
        output_tokens=output,
        total_tokens=total,
        write_tokens=write,
        api=api,
    )


class _Report:
    """Reads the counts of one usage object and remembers under which name each was found."""

    def __init__(self, form: UsageFormat, data: Mapping[str, Any]) -> None:
        self._form = form
        self._data = data

    def value(self, path: str) -> Any:
        if path in self._data:  # a field whose own name has dots
            return self._data[path]
        at: Any = self._data
        for i, step in enumerate(path.split(".")):
            if at is None:
                return None
            if not isinstance(at, Mapping):
                name = ".".join(path.split(".")[:i])
                raise self.error(f"{name} must be an object, not {at!r}", [name])
            at = at.get(step)
        return at

    def has(self, paths: Iterable[str]) -> bool:
        return any(self.value(path) is not None for path in paths)

    def name(self, paths: tuple[str, ...]) -> str:
        return next((path for path in paths if self.value(path) is not None), paths[0])

    def count(self, paths: tuple[str, ...]) -> int | None:
        found = [(path, self._count(path)) for path in paths if self.value(path) is not None]
        if not found:
            return None
        if len({count for _, count in found}) > 1:
            said = " but ".join(f"{path} is {count:,}" for path, count in found)
            raise self.error(f"{said}; they are one field", [path for path, _ in found])
        return found[0][1]

    def _count(self, path: str) -> int:
        value = self.value(path)
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # some JSON writers give 12.0
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self.error(f"{path} must be a whole number from 0, not {value!r}", [path])
        return value

    def error(self, message: str, fields: list[str]) -> UsageError:
        return UsageError(message, api=self._form.name, fields=fields)


def _writes(
    report: _Report, form: UsageFormat, lifetime: Lifetime | None
) -> tuple[int | None, int | None, int | None]:
    """Short, long and all writes."""
    if not form.has_writes:
        return 0, 0, 0
    write = report.count(form.write)
    parts = _parts(report, form)
    if parts is not None:
        if write is not None and sum(parts.values()) != write:
            name, details = report.name(form.write), report.name(form.write_details)
            raise report.error(
                f"{name} is {write:,}, but the lifetimes in {details} add up to {sum(parts.values()):,}",
                [name, details],
            )
        return parts["short"], parts["long"], sum(parts.values())
    if write == 0:
        return 0, 0, 0
    if write is not None and lifetime is not None:
        return (write, 0, write) if lifetime == "short" else (0, write, write)
    return None, None, write


def _parts(report: _Report, form: UsageFormat) -> dict[Lifetime, int] | None:
    if not report.has(form.write_details):
        return None
    path = report.name(form.write_details)
    details = report.value(path)
    if isinstance(details, list):
        rows = [row for row in details if isinstance(row, Mapping)]
        if len(rows) != len(details):
            raise report.error(f"{path} must hold an object for each lifetime", [path])
        given = [(str(row.get("ttl")), row.get("inputTokens")) for row in rows]
        if not rows and report.count(form.write):
            return None
    elif isinstance(details, Mapping):
        given = [(name, value) for name, value in details.items() if value is not None]
        if not given:
            return None
    else:
        raise report.error(f"{path} must be an object, not {details!r}", [path])
    parts: dict[Lifetime, int] = {"short": 0, "long": 0}
    for name, value in given:
        if name not in form.write_parts:
            known = ", ".join(form.write_parts)
            raise report.error(f"{path}.{name} is no known lifetime ({known})", [f"{path}.{name}"])
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise report.error(
                f"{path}.{name} must be a whole number from 0, not {value!r}", [f"{path}.{name}"]
            )
        parts[form.write_parts[name]] += value
    return parts


def _check_miss(report: _Report, form: UsageFormat, total: int | None, read: int | None) -> None:
    miss = report.count(form.miss)
    if miss is None or total is None or read is None or read + miss == total:
        return
    fields = [report.name(p) for p in (form.read, form.miss, form.input)]
    raise report.error(f"{fields[0]} + {fields[1]} is {read + miss:,}, but {fields[2]} is {total:,}", fields)


def _check_total(
    report: _Report, form: UsageFormat, total: int | None, given: int | None, output: int | None
) -> None:
    stated = report.count(form.total)
    if stated is None or total is None or output is None or stated == total + output:
        return
    fields = [report.name(p) for p in (form.input, form.output, form.total)]
    raise report.error(
        f"{fields[0]} and {fields[1]} come to {total + output:,}, but {fields[2]} is {stated:,}", fields
    )


def _mapping(raw: Any, form: UsageFormat, outer: tuple[int, ...] = ()) -> Mapping[str, Any]:
    for method in ("model_dump", "to_dict"):
        if not isinstance(raw, Mapping) and callable(getattr(raw, method, None)):
            raw = getattr(raw, method)()
    if not isinstance(raw, Mapping):
        raise UsageError(f"a usage object is expected, not {type(raw).__name__}", api=form.name)
    for name in form.inside:
        inner = raw.get(name)
        if isinstance(inner, Mapping):
            if id(inner) in (*outer, id(raw)):
                raise UsageError(
                    f"the answer's {name} contains itself; give the usage object as the API sent it",
                    api=form.name,
                    fields=[name],
                )
            return _mapping(inner, form, (*outer, id(raw)))
        if name in raw and inner is None:
            raise UsageError(
                f"the answer's {name} is empty: nothing was reported", api=form.name, fields=[name]
            )
    if not any(_Report(form, raw).has(paths) for paths in (form.input, form.output, form.read)):
        wanted = ", ".join((form.input[0], form.output[0], form.read[0]))
        found = ", ".join(map(str, raw)) or "nothing"
        raise UsageError(
            f"none of {wanted} is in the report (it has: {found}); is it of another API? "
            f"Known: {', '.join(FORMATS)}",
            api=form.name,
            fields=[form.input[0]],
        )
    return raw
