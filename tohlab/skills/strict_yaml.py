"""The part of YAML that the Python package `strictyaml` takes: block collections of plain texts.

Every scalar is a text as it is written (`3000`, `yes`, `~`). Flow collections, tags, anchors, duplicate keys
and mappings of different depth side by side are errors. The rules stand on PyYAML's own scanner and parser,
from whose family strictyaml's comes, so an error has the same words at the same place.

The C parser reads first; whatever it finds odd, and every error, is decided by the Python parser.

Source: strictyaml 1.7.3 (`parser.py`), held against the running package over real and over random texts.
"""

from __future__ import annotations

from typing import Any, Final

import yaml
from yaml.composer import Composer
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.resolver import BaseResolver
from yaml.scanner import Scanner, ScannerError

from tohlab.skills.yaml12 import TaggedScalar

_Fast: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BREAKS: Final = "\0\r\n\x85\u2028\u2029"
_ENDS: Final = "\0 \t\r\n\x85\u2028\u2029"
_ODD: Final = "\t\x85\u2028\u2029\ufeff%"
"""Where the C parser and the Python one may differ."""
_SPECIAL: Final = ("=", "<<")
"""Plain scalars that keep a meaning of their own."""


class StrictYamlError(Exception):
    """Text that strictyaml refuses; `str()` is the message of the package, marks and snippets included.

    Attributes:
        code: a stable word for the rule, such as `flow-collection`.
        line: where, counted from 1 in the text that was given; None where no line can be named.
        kind: `YAMLError`, or the name of the Python error that the package itself does not catch.
    """

    def __init__(self, message: str, code: str, line: int | None, kind: str = "YAMLError") -> None:
        self.code = code
        self.line = line
        self.kind = kind
        super().__init__(message)


class _Refused(yaml.MarkedYAMLError):
    """A token or a node that only strictyaml refuses."""

    def __init__(self, code: str, context: str, at: Any, problem: str, to: Any) -> None:
        super().__init__(context, at, problem, to)
        self.code = code


class _StrictLoader(Reader, Scanner, Parser, Composer, BaseResolver):
    # PyYAML's parser with strictyaml's look at each token that the parser asks for.

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)
        Composer.__init__(self)
        BaseResolver.__init__(self)

    def _look_ahead(self) -> None:
        # The package reads one token further than it needs, so an error there comes before one here.
        while self.need_more_tokens():
            self.fetch_more_tokens()
        if self.tokens and not self.done and len(self.tokens) < 2:
            self.fetch_more_tokens()

    def peek_token(self) -> Any:
        self._look_ahead()
        token: Any = super().peek_token()  # type: ignore[no-untyped-call]  # PyYAML has no types for it
        return token

    def get_token(self) -> Any:
        self._look_ahead()
        token: Any = super().get_token()  # type: ignore[no-untyped-call]  # PyYAML has no types for it
        return token

    def check_token(self, *choices: Any) -> bool:
        self._look_ahead()
        if not super().check_token(*choices):
            return False
        token = self.tokens[0]
        if not choices or not isinstance(token, choices):
            return bool(choices == ())
        start, end = token.start_mark, token.end_mark
        match token:
            case yaml.TagToken():
                problem = "Found disallowed tag tokens (do not specify types in markup)"
                raise _Refused("tag", "While scanning", end, problem, start)
            case yaml.FlowMappingStartToken() | yaml.FlowSequenceStartToken():
                problem = "Found ugly disallowed JSONesque flow mapping"
                raise _Refused("flow-collection", "While scanning", start, problem + _LITERAL, end)
            case yaml.AnchorToken():
                problem = "Found confusing disallowed anchor token"
                raise _Refused("anchor", "While scanning", start, problem + _LITERAL, end)
        return True

    def forward(self, length: int = 1) -> None:
        # A line ends at a line feed or a carriage return; PyYAML counts the breaks of Unicode too.
        for _ in range(length):
            char = self.buffer[self.pointer]
            self.pointer += 1
            self.index += 1
            if char == "\n" or (char == "\r" and self.buffer[self.pointer] != "\n"):
                self.line += 1
                self.column = 0
            elif char != "\ufeff":
                self.column += 1

    def parse_document_end(self) -> Any:
        # YAML 1.2: what follows a document needs no marker to be another one.
        event = super().parse_document_end()
        self.state = self.parse_implicit_document_start
        return event

    def parse_block_mapping_key(self) -> Any:
        # YAML 1.2: a key may be missing.
        if not self.check_token(yaml.KeyToken) and self.check_token(yaml.ValueToken):
            self.state = self.parse_block_mapping_value
            return self.process_empty_scalar(self.peek_token().start_mark)
        event: Any = super().parse_block_mapping_key()  # type: ignore[no-untyped-call]  # PyYAML has no types for it
        return event

    def scan_anchor(self, TokenClass: Any) -> Any:  # noqa: N803 - the name that PyYAML gives it
        # The package's scanner takes any visible character in the name of an anchor or an alias.
        start = self.get_mark()
        name = "alias" if self.peek() == "*" else "anchor"
        self.forward()
        length = 0
        while self.peek(length) not in _ENDS + ",[]{}\ufeff":
            length += 1
        if not length:
            found = f"expected alphabetic or numeric character, but found {self.peek()!r}"
            raise ScannerError(f"while scanning an {name}", start, found, self.get_mark())
        value = self.prefix(length)
        self.forward(length)
        if self.peek() not in _ENDS + "?:,[]{}%@`":
            found = f"expected alphabetic or numeric character, but found {self.peek()!r}"
            raise ScannerError(f"while scanning an {name}", start, found, self.get_mark())
        return TokenClass(value, start, self.get_mark())


_LITERAL: Final = " (surround with ' and ' to make text appear literally)"


def load_strict_yaml(text: str) -> tuple[Any, dict[str, int]]:
    """Return what `strictyaml.load(text).data` is, and the line of each top-level key (from 1).

    A mapping is a dict of texts, lists and dicts, a sequence a list; a text that is neither (also: no text
    at all) is given back whole. A plain `=` or `<<` as a value is a `TaggedScalar`: no text there either.

    Raises:
        StrictYamlError: the package refuses it, or breaks on it.
    """
    if not any(char in text for char in _ODD):
        try:
            return _fast(text)
        except (yaml.YAMLError, _Odd):
            pass
    try:
        return _slow(text)
    except yaml.reader.ReaderError as error:
        # The package looks for a mark that this error has not.
        message = "'ReaderError' object has no attribute 'context_mark'"
        line = text.count("\n", 0, error.position) + 1
        raise StrictYamlError(message, "control-character", line, "AttributeError") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        code = error.code if isinstance(error, _Refused) else _code(error)
        raise StrictYamlError(marked_message(error), code, mark.line + 1 if mark else None) from None
    except RecursionError:
        message = "maximum recursion depth exceeded"
        raise StrictYamlError(message, "nesting", None, "RecursionError") from None


def _code(error: yaml.MarkedYAMLError) -> str:
    problem = error.problem or ""
    if problem.startswith("mapping values are not allowed"):
        return "unquoted-colon"
    return "tab" if "'\\t'" in problem else "invalid-yaml"


def marked_message(error: yaml.MarkedYAMLError) -> str:
    """Return an error of PyYAML's family as strictyaml prints it: with the line in each snippet."""
    lines = [] if error.context is None else [error.context]
    here, there = error.context_mark, error.problem_mark
    same = there is not None and here is not None and (here.line, here.column) == (there.line, there.column)
    if here is not None and (error.problem is None or not same):
        lines.append(_marked(here))
    if error.problem is not None:
        lines.append(error.problem.replace("hexadecimal", "hexdecimal"))  # so it is printed there
    if there is not None:
        lines.append(_marked(there))
    return "\n".join(lines)


def _marked(mark: Any) -> str:
    # Half of 75 characters on either side of the place.
    buffer, pointer = mark.buffer, mark.pointer
    head = tail = ""
    start = end = pointer
    while start > 0 and buffer[start - 1] not in _BREAKS:
        start -= 1
        if pointer - start > 36.5:
            head, start = " ... ", start + 5
            break
    while end < len(buffer) and buffer[end] not in _BREAKS:
        end += 1
        if end - pointer > 36.5:
            tail, end = " ... ", end - 5
            break
    caret = " " * (4 + pointer - start + len(head)) + f"^ (line: {mark.line + 1})"
    snippet = f"    {head}{buffer[start:end]}{tail}\n{caret}"
    return f'  in "<unicode string>", line {mark.line + 1}, column {mark.column + 1}:\n{snippet}'


class _Odd(Exception):
    """Something that the Python parser has to decide."""


class _Open:
    # A collection that is being read.
    __slots__ = ("column", "key", "lines", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self.key: str | None = None  # read, and its value is not
        self.lines: dict[str, int] = {}
        self.column: int | None = None  # of the mappings among its values

    def add(self, value: Any, line: int) -> None:
        if isinstance(self.value, list):
            self.value.append(value)
        elif self.key is not None:
            self.value[self.key] = value
            self.key = None
        elif not isinstance(value, str) or value in self.value:
            raise _Odd
        else:
            self.key = value
            self.lines[value] = line


def _fast(text: str) -> tuple[Any, dict[str, int]]:
    stack: list[_Open] = []
    done: _Open | None = None
    for event in yaml.parse(text, Loader=_Fast):
        mark: Any = event.start_mark
        line = mark.line + 1
        match event:
            case yaml.ScalarEvent() if stack:
                if event.anchor or event.tag or (event.value in _SPECIAL and event.implicit[0]):
                    raise _Odd
                stack[-1].add(event.value, line)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                if event.flow_style or event.anchor or event.tag:
                    raise _Odd
                is_map = isinstance(event, yaml.MappingStartEvent)
                if is_map and stack and isinstance(stack[-1].value, dict):
                    column = mark.column
                    if stack[-1].column not in (None, column):
                        raise _Odd
                    stack[-1].column = column
                stack.append(_Open({} if is_map else []))
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                done = stack.pop()
                if stack:
                    stack[-1].add(done.value, line)
            case yaml.DocumentStartEvent() | yaml.DocumentEndEvent() if not event.explicit:
                continue
            case yaml.StreamStartEvent() | yaml.StreamEndEvent():
                continue
            case _:
                raise _Odd
    if done is None:
        raise _Odd
    return done.value, done.lines


def _slow(text: str) -> tuple[Any, dict[str, int]]:
    loader = _StrictLoader(text)
    try:
        node = loader.get_single_node()
    finally:
        loader.dispose()
    if not isinstance(node, yaml.CollectionNode):
        return text, {}
    lines: dict[str, int] = {}
    value = _value(node)
    if isinstance(node, yaml.MappingNode):
        lines = {str(key.value): key.start_mark.line + 1 for key, _ in node.value}
    return value, lines


def _value(node: Any) -> Any:
    if isinstance(node, yaml.ScalarNode):
        if node.value in _SPECIAL and node.style is None:
            return TaggedScalar("value" if node.value == "=" else "merge", node.value)
        return node.value
    if isinstance(node, yaml.SequenceNode):
        return [_value(item) for item in node.value]
    found: dict[str, Any] = {}
    merged: list[dict[str, Any]] = []
    depth: int | None = None
    for key, value in node.value:
        if isinstance(key, yaml.MappingNode):
            raise yaml.constructor.ConstructorError(
                "while constructing a mapping", node.start_mark, "found unhashable key", key.start_mark
            )
        if not isinstance(key, yaml.ScalarNode):
            raise StrictYamlError("<class 'tuple'>", "key", key.start_mark.line + 1, "AssertionError")
        if key.value == "<<" and key.style is None:
            merged.append(_merge(node, value))
            continue
        name, made = key.value, _value(value)
        if name in found:
            problem = f"Duplicate key '{name}' found"
            raise _Refused("duplicate-key", "While parsing", key.start_mark, problem, key.end_mark)
        found[name] = made
    for _, value in node.value:
        if isinstance(value, yaml.MappingNode):
            depth = value.start_mark.column if depth is None else depth
            if value.start_mark.column != depth:
                problem = "Found mapping with indentation inconsistent with previous mapping"
                marks = value.start_mark, value.end_mark
                raise _Refused("indentation", "While parsing", marks[0], problem, marks[1])
    return found


def _merge(node: Any, value: Any) -> dict[str, Any]:
    # `<<: …` is taken without a word, and its contents are lost.
    if isinstance(value, yaml.MappingNode):
        return {}
    wrong = value
    if isinstance(value, yaml.SequenceNode):
        wrong = next((item for item in value.value if not isinstance(item, yaml.MappingNode)), None)
        if wrong is None:
            return {}
        problem = f"expected a mapping for merging, but found {wrong.id}"
    else:
        problem = f"expected a mapping or list of mappings for merging, but found {value.id}"
    raise yaml.constructor.ConstructorError(
        "while constructing a mapping", node.start_mark, problem, wrong.start_mark
    )
