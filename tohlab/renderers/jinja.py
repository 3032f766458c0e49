"""Any Hugging Face chat template, rendered as transformers does it, with the address of what it shows.

The template is untrusted text: it runs in jinja2's immutable sandbox, sees only the conversation, and gets
the date from us, never from a clock. Where the texts of the request ended up is proved, not guessed; see
`jinja_spans`.
"""

from __future__ import annotations

import copy
import hashlib
import importlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tohlab.errors import MissingExtra, RenderError
from tohlab.renderers.base import Piece, Rendered, Renderer, RendererProvenance, Section, merged
from tohlab.renderers.jinja_inputs import fill, inputs_of
from tohlab.renderers.jinja_spans import Leaf, place
from tohlab.request import Request

if TYPE_CHECKING:
    import jinja2

_FILE: Final = "<template>"
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class JinjaRenderer(Renderer):
    """A chat template.

    Args:
        template: its text.
        name: what it is called; `jinja:` and the first 12 digits of the text's SHA-256 unless told otherwise.
        day: what `strftime_now` gives the date of; without it a template that asks for the date raises.
        special_tokens: spellings that are one token each where the template itself writes them.
        variables: what else the template may read, such as `bos_token` or `enable_thinking`.
        reasoning_keys: under which keys a message carries reasoning that is sent back; gpt-oss reads
            `thinking`.
        parsed_arguments: give the arguments of calls as objects, as most templates want them; else as the
            JSON text that the model wrote.
        source: where the template is from, for `provenance`.

    Raises:
        RenderError: the template is not valid; with its line.
        MissingExtra: jinja2 is not installed.
    """

    def __init__(
        self,
        template: str,
        *,
        name: str = "",
        day: date | None = None,
        special_tokens: tuple[str, ...] = (),
        variables: Mapping[str, Any] | None = None,
        reasoning_keys: tuple[str, ...] = ("reasoning_content",),
        parsed_arguments: bool = True,
        source: str = "a chat template of yours",
    ) -> None:
        self.template = template
        self.name = name or f"jinja:{hashlib.sha256(template.encode()).hexdigest()[:12]}"
        self.provenance = RendererProvenance(source=source, fidelity="source", date="")
        self._day = day
        self._special_tokens = special_tokens
        self._variables = dict(variables or {})
        self._reasoning_keys = reasoning_keys
        self._parsed_arguments = parsed_arguments
        self._compiled = self._compile()

    @classmethod
    def from_file(cls, path: str | Path, *, day: date | None = None, **more: Any) -> JinjaRenderer:
        """Return the renderer of a template file, or of a `tokenizer_config.json` that has one.

        The latter also gives `bos_token`, `eos_token` and the special tokens.

        Args:
            path: a `.jinja` file, or a `.json` file.
            day: see the class.
            more: what else the class takes.

        Raises:
            RenderError: the file cannot be read or holds no chat template.
        """
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise RenderError(f"cannot be read: {error}", renderer=str(path)) from error
        if path.suffix == ".json":
            text, found = _from_config(text, str(path))
            variables = found | dict(more.pop("variables", {}))
            tokens = tuple(dict.fromkeys((*more.pop("special_tokens", ()), *found.values())))
            more |= {"variables": variables, "special_tokens": tokens}
        return cls(text, day=day, **{"source": str(path), **more})

    def on(self, day: date) -> JinjaRenderer:
        """Return the renderer as it is on another day."""
        twin = copy.copy(self)
        twin._day = day
        twin._compiled = twin._compile()
        return twin

    def render(self, request: Request, *, generation_prompt: bool = False) -> Rendered:
        """Return what the template makes of the conversation.

        Texts of the request that the template changes in a way that cannot be followed are in `unplaced`, and
        what it shows of them has no address.

        Raises:
            RenderError: the template raises, or does what the sandbox forbids; with its line.
        """
        leaves: list[Leaf] = []
        tools, messages = inputs_of(
            request, leaves, reasoning_keys=self._reasoning_keys, parsed_arguments=self._parsed_arguments
        )

        def run(texts: Mapping[int, str]) -> str:
            filled = [fill(value, texts, leaves) for value in (tools, messages)]
            return self._run(filled[0] or None, filled[1], generation_prompt)

        text = run({})
        placed, unplaced = place(text, leaves, run)
        tail = len(text)
        if generation_prompt:
            without = self._run(
                fill(tools, {}, leaves) or None, fill(messages, {}, leaves), generation_prompt=False
            )
            tail = len(without) if text.startswith(without) else tail
        pieces: list[Piece] = []
        at = 0
        last: Piece | None = None
        for start, stop, piece in placed:
            pieces += self._frame(text[at:start], at, tail, last, piece)
            pieces.append(piece)
            last, at = piece, stop
        pieces += self._frame(text[at:], at, tail, last, None)
        return Rendered(renderer=self.name, pieces=merged(pieces), unplaced=unplaced)

    # Running it.

    def _compile(self) -> jinja2.Template:
        try:
            environment = _environment(self._now)
        except ImportError as error:
            raise MissingExtra("jinja2", "templates") from error
        exceptions = importlib.import_module("jinja2.exceptions")
        try:
            code = environment.compile(self.template, filename=_FILE)
            return environment.template_class.from_code(environment, code, environment.globals)
        except exceptions.TemplateSyntaxError as error:
            raise RenderError(str(error.message), renderer=self.name, line=error.lineno) from error

    def _now(self, pattern: str) -> str:
        if self._day is None:
            raise RenderError(
                "the template writes today's date; give one with day=, so that the text is the same tomorrow",
                renderer=self.name,
            )
        # The names of months and days in English, whatever the process's locale is.
        month, weekday = _MONTHS[self._day.month - 1], _DAYS[self._day.weekday()]
        for code, name in {"%B": month, "%b": month[:3], "%A": weekday, "%a": weekday[:3]}.items():
            pattern = pattern.replace(code, name)
        return self._day.strftime(pattern)

    def _run(self, tools: Any, messages: Any, generation_prompt: bool) -> str:
        try:
            return self._compiled.render(
                messages=messages,
                tools=tools,
                documents=None,
                add_generation_prompt=generation_prompt,
                **self._variables,
            )
        except RenderError as error:
            raise RenderError(
                str(error).split(": ", 1)[1], renderer=self.name, line=_line(error.__traceback__)
            ) from error
        # A template runs any operation on any value, so anything may come out of it.
        except Exception as error:
            said = str(error) or type(error).__name__
            raise RenderError(
                f"the template raised: {said}", renderer=self.name, line=_line(error.__traceback__)
            ) from error

    def _frame(
        self, text: str, at: int, tail: int, last: Piece | None, following: Piece | None
    ) -> list[Piece]:
        """The template's own text between two placed ones, its special tokens apart.

        It belongs to what follows; but what comes behind a tool, up to a special token, still is the tools'.
        """
        pieces: list[Piece] = []
        section: Section = following.section if following is not None else "messages"
        role = following.role if following is not None else ""
        first: Section = "tools" if last is not None and last.section == "tools" else section
        for part, special in self._specials(text):
            here = section if special or pieces else first
            for start, stop in _split(at, at + len(part), tail):
                pieces.append(
                    Piece(
                        text=part[start - at : stop - at],
                        section="generation" if start >= tail else here,
                        role="assistant" if start >= tail else role,
                        special=special,
                    )
                )
            at += len(part)
        return pieces

    def _specials(self, text: str) -> Iterator[tuple[str, bool]]:
        """Yield the text cut at special tokens, the longest spelling first, and whether each part is one."""
        spellings = sorted(filter(None, self._special_tokens), key=len, reverse=True)
        if not spellings:
            yield text, False
            return
        for part in re.split("(" + "|".join(map(re.escape, spellings)) + ")", text):
            if part:
                yield part, part in spellings


def _split(start: int, stop: int, at: int) -> list[tuple[int, int]]:
    if start < at < stop:
        return [(start, at), (at, stop)]
    return [(start, stop)] if start < stop else []


def _line(traceback: Any) -> int | None:
    """The template's line in which something was raised."""
    line = None
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == _FILE:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


def _from_config(text: str, where: str) -> tuple[str, dict[str, str]]:
    try:
        data = json.loads(text)
    except ValueError as error:
        raise RenderError(f"is not JSON: {error}", renderer=where) from error
    template = data.get("chat_template") if isinstance(data, dict) else None
    if isinstance(template, list):  # several under names; the one that calls without a name get
        template = next((t.get("template") for t in template if t.get("name") == "default"), None)
    if not isinstance(template, str):
        raise RenderError("holds no chat_template", renderer=where)
    tokens = {}
    for name in ("bos_token", "eos_token", "pad_token", "unk_token"):
        value = data.get(name)
        value = value.get("content") if isinstance(value, dict) else value
        if isinstance(value, str):
            tokens[name] = value
    return template, tokens


def _environment(now: Callable[[str], str]) -> jinja2.Environment:
    """jinja2 as transformers sets it up for chat templates."""
    import jinja2.ext
    import jinja2.nodes
    import jinja2.sandbox

    class Generation(jinja2.ext.Extension):
        """`{% generation %}` marks what the model wrote, for training; here it is only its content."""

        tags = {"generation"}  # noqa: RUF012 - jinja2 declares it as a plain class attribute

        def parse(self, parser: Any) -> Any:
            """Parse the tag as a scope of its own."""
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return jinja2.nodes.Scope(body).set_lineno(line)

    def raise_exception(message: str) -> None:
        raise jinja2.exceptions.TemplateError(message)

    def tojson(
        value: Any,
        ensure_ascii: bool = False,
        indent: int | None = None,
        separators: Any = None,
        sort_keys: bool = False,
    ) -> str:
        return json.dumps(
            value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
        )

    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols]
    )
    environment.filters["tojson"] = tojson
    environment.globals["raise_exception"] = raise_exception
    environment.globals["strftime_now"] = now
    return environment
