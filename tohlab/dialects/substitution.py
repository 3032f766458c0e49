"""How a skill's body takes the arguments that it was started with: one engine, every difference a field.

`Substitution` says one harness's rules and applies them. Nothing here asks for a harness's name, and nothing
runs a command: text like `` !`cmd` `` is left to the caller. What the harnesses make of the same body is set
side by side in `tohlab.dialects.substitution_matrix`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

Missing = Literal["literal", "empty", "undefined"]
"""What stands in the place of a value that was not given: the placeholder itself, nothing, or JavaScript's
word for nothing."""
Words = Literal["shell", "quotes", "leading", "space"]
"""How arguments are split. `shell`: as a POSIX shell, at white space alone where quotes are not closed.
`quotes`: runs between quotes or white space, the quotes taken off, no escapes. `leading`: double quotes hold
white space anywhere, single ones at the start of a word, no escapes, and a quote has to be closed.
`space`: at white space."""

MAX_DIGITS: Final = 18
"""Of a number in a body; a longer one is beyond every word."""
_QUOTED_WORD: Final = re.compile(r"\[Image\s+\d+\]|\"[^\"]*\"|'[^']*'|[^\s\"']+", re.IGNORECASE)
_EDGE_QUOTES: Final = re.compile(r"\A[\"']|[\"']\Z")
_FENCE: Final = re.compile(r"^(```+|~~~+)[^\n]*\n.*?^\1[^\S\n]*$", re.MULTILINE | re.DOTALL)
_REPLACEMENT_PATTERN: Final = re.compile(r"\$([$&`'])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Substituted:
    """A body with its arguments in place."""

    text: str
    used: bool
    """Whether any part of the arguments took the place of a placeholder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Substitution:
    """One harness's rules. `$ARGUMENTS` is always the arguments as they were typed."""

    first: Literal[0, 1] = 1
    """The number of the first word: `$0` or `$1`."""
    digits: Literal["one", "any"] = "any"
    """Whether `$12` is the twelfth word, or the first and a `2`."""
    words: Words = "shell"
    missing: Missing = "empty"
    """For a number beyond the last word."""
    below: Missing = "literal"
    """For `$0` where the first word is `$1`."""
    missing_name: Missing = "empty"
    """For a declared name beyond the last word."""
    indexed: bool = False
    """Whether `$ARGUMENTS[N]` is a word; else it is all arguments and a bracket."""
    named: bool = False
    """Whether `$name` is a word, for names that the skill declares."""
    hyphen_names: bool = False
    """Whether a name goes on over a hyphen: `$a-b` is no `$a` then, and `$a[` is one."""
    whole_arguments: bool = False
    """Whether `$ARGUMENTSX` is no placeholder."""
    whole_number: bool = False
    """Whether `$1x` is no placeholder."""
    last_swallows: bool = False
    """Whether the highest number in a body takes all the words that are left, joined by spaces."""
    fenced: bool = True
    """Whether placeholders inside fenced code are replaced as well."""
    escape: bool = False
    """Whether one backslash before a placeholder keeps it as it is and goes away; two stay, and it is
    replaced."""
    rescan: bool = False
    """Whether `$ARGUMENTS` inside a word that was put in is replaced in its turn."""
    replacement_patterns: bool = False
    """Whether `$$`, `$&`, `` $` `` and `$'` in the arguments mean what JavaScript's `replaceAll` makes of
    them where `$ARGUMENTS` is replaced."""
    append: str = ""
    """What is put behind a body that has no use for its arguments, with `{arguments}`; empty for nothing."""
    append_empty: bool = False
    """Whether that is put there for arguments of white space alone as well."""
    append_if: Literal["absent", "unused"] = "absent"
    """`absent`: the body has no placeholder at all. `unused`: none was replaced, whatever is there."""

    def split(self, arguments: str) -> tuple[str, ...]:
        """Return the words of `arguments`.

        Raises:
            UnmatchedQuote: a quote is not closed, where the rules ask for that.
        """
        if self.words == "leading":
            return tuple(_leading_words(arguments))
        if self.words == "quotes":
            return tuple(_EDGE_QUOTES.sub("", word) for word in _QUOTED_WORD.findall(arguments))
        if self.words == "shell":
            try:
                return tuple(shlex.split(arguments))
            except ValueError:
                return tuple(arguments.split())
        return tuple(arguments.split())

    def apply(
        self,
        body: str,
        arguments: str,
        names: Sequence[str] = (),
        variables: Mapping[str, str] | None = None,
    ) -> Substituted:
        """Return the body with `arguments` in place of its placeholders; no value is scanned again but as
        `rescan` says.

        Args:
            body: the skill's text.
            arguments: as typed.
            names: the names that the skill declares for its words, in their order; ignored unless `named`.
            variables: what `${NAME}` stands for; other such text stays.

        Raises:
            UnmatchedQuote: as `split`, where the body has a placeholder.
        """
        run = _Run(self, arguments, tuple(names) if self.named else (), variables or {}, body)
        text = run.over(body)
        if self.rescan:
            text = run.all_arguments(text)
        wanted = run.used if self.append_if == "unused" else run.seen
        if self.append and not wanted and (self.append_empty or arguments.strip()):
            text += self.append.format(arguments=arguments)
        return Substituted(text=text, used=run.used)


class UnmatchedQuote(ValueError):
    """A quote in the arguments is not closed."""


def _leading_words(arguments: str) -> list[str]:
    words, word, quote = [], "", ""
    for char in arguments:
        if char == quote:
            quote = ""
        elif quote:
            word += char
        elif char == '"' or (char == "'" and not word):
            quote = char
        elif char.isspace():
            if word:
                words.append(word)
            word = ""
        else:
            word += char
    if quote:
        raise UnmatchedQuote("a quote in the arguments is not closed")
    return [*words, word] if word else words


def _number(digits: str) -> int:
    return int(digits) if len(digits) <= MAX_DIGITS else 10**MAX_DIGITS


class _Run:
    def __init__(
        self,
        rules: Substitution,
        arguments: str,
        names: tuple[str, ...],
        variables: Mapping[str, str],
        body: str,
    ) -> None:
        self.rules = rules
        self.arguments = arguments
        self.split: tuple[str, ...] | None = None
        self.names = names
        self.variables = variables
        self.seen = False
        self.used = False
        self.pattern = self._pattern()
        numbers = re.findall(rf"\$({_NUMBER[rules.digits]})", body) if rules.last_swallows else []
        self.last = max(map(_number, numbers), default=0)

    @property
    def words(self) -> tuple[str, ...]:
        if self.split is None:
            self.split = self.rules.split(self.arguments)
        return self.split

    def _pattern(self) -> re.Pattern[str]:
        rules = self.rules
        tokens = []
        if rules.indexed:
            tokens.append(r"\$ARGUMENTS\[(?P<index>[0-9]+)\]")
        if not rules.rescan:
            tokens.append(r"(?P<all>\$ARGUMENTS\b)" if rules.whole_arguments else r"(?P<all>\$ARGUMENTS)")
        if self.names:
            longest_first = sorted(self.names, key=len, reverse=True)
            after = "A-Za-z0-9_-" if rules.hyphen_names else r"\w\["
            tokens.append(rf"\$(?P<name>{'|'.join(map(re.escape, longest_first))})(?![{after}])")
        end = r"(?!\w)" if rules.whole_number else ""
        tokens.append(rf"\$(?P<number>{_NUMBER[rules.digits]}){end}")
        if self.variables:
            tokens.append(rf"\$\{{(?P<variable>{'|'.join(map(re.escape, self.variables))})\}}")
        return re.compile(rf"(?P<slashes>\\*)(?P<token>{'|'.join(tokens)})")

    def over(self, text: str) -> str:
        if self.rules.fenced:
            return self.pattern.sub(self._replace, text)
        parts, at = [], 0
        for fence in _FENCE.finditer(text):
            parts += [self.pattern.sub(self._replace, text[at : fence.start()]), fence.group()]
            at = fence.end()
        return "".join((*parts, self.pattern.sub(self._replace, text[at:])))

    def _replace(self, match: re.Match[str]) -> str:
        found = match.groupdict()
        slashes, token = found["slashes"], found["token"]
        if found.get("variable") is not None:
            return slashes + self.variables[found["variable"]]
        if self.rules.escape and len(slashes) == 1:
            return str(token)
        self.seen = True
        _ = self.words  # a quote that is not closed is an error even where no word is asked for
        return str(slashes) + self._value(token, found)

    def _value(self, token: str, found: Mapping[str, str | None]) -> str:
        rules = self.rules
        if found.get("all") is not None:
            self.used = True
            return self.arguments
        name = found.get("name")
        if name is not None:
            return self._word(self.names.index(name), token, rules.missing_name)
        number = _number(found.get("index") or found.get("number") or "0")
        if found.get("index") is not None:
            return self._word(number, token, rules.missing)
        index = number - rules.first
        if rules.last_swallows and number == self.last and index < len(self.words):
            # A slice, as the programs do it: `$0` alone in a body takes the last word.
            rest = self.words[index:]
            self.used = self.used or bool(rest)
            return " ".join(rest)
        return self._word(index, token, rules.below if index < 0 else rules.missing)

    def _word(self, index: int, token: str, missing: Missing) -> str:
        if 0 <= index < len(self.words):
            self.used = True
            return self.words[index]
        return {"literal": token, "empty": "", "undefined": "undefined"}[missing]

    def all_arguments(self, text: str) -> str:
        """Replace `$ARGUMENTS` in a text whose numbers have been replaced already."""
        parts = text.split("$ARGUMENTS")
        if len(parts) == 1:
            return text
        self.seen = self.used = True
        if not self.rules.replacement_patterns or "$" not in self.arguments:
            return self.arguments.join(parts)
        done, at = [parts[0]], 0
        for part in parts[1:]:
            at = text.index("$ARGUMENTS", at)
            before, after = text[:at], text[at + len("$ARGUMENTS") :]
            meant = {"$": "$", "&": "$ARGUMENTS", "`": before, "'": after}
            done += [_REPLACEMENT_PATTERN.sub(partial(_meaning, meant), self.arguments), part]
            at += len("$ARGUMENTS")
        return "".join(done)


def _meaning(meant: Mapping[str, str], match: re.Match[str]) -> str:
    return meant[match[1]]


_NUMBER: Final = {"one": "[0-9]", "any": "[0-9]+"}
