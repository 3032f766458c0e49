"""The engine that puts arguments into a skill's body, field by field."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conformance.test_harness_vectors import OWN, read_vectors
from tohlab.dialects.substitution import Substitution

ONE = Substitution()
ZERO = Substitution(
    first=0,
    missing="literal",
    indexed=True,
    named=True,
    whole_number=True,
    escape=True,
    append="\n\nARGUMENTS: {arguments}",
    append_if="unused",
)
SWALLOWS = Substitution(
    words="quotes",
    below="undefined",
    last_swallows=True,
    rescan=True,
    replacement_patterns=True,
    append="\n\n{arguments}",
)


def text(rules: Substitution, body: str, arguments: str, **more: Any) -> str:
    return rules.apply(body, arguments, **more).text


@pytest.mark.parametrize(
    ("rules", "body", "arguments", "wanted"),
    [
        (ONE, "$ARGUMENTS", "a  'b c'", "a  'b c'"),
        (ONE, "$1|$2|$3|", "a 'b c'", "a|b c||"),
        (ONE, "$0", "a", "$0"),
        (ONE, "$12", "a", ""),
        (replace(ONE, digits="one"), "$12", "a", "a2"),
        (replace(ONE, missing="literal"), "$1 $2", "a", "a $2"),
        (replace(ONE, missing="undefined"), "$1 $2", "a", "a undefined"),
        (replace(ONE, below="empty"), "$0.", "a", "."),
        (ONE, "$ARGUMENTS[0]", "a b", "a b[0]"),
        (ZERO, "$0 $1 $2", "a b", "a b $2"),
        (ZERO, "$ARGUMENTS[1] $ARGUMENTS[2]", "a b", "b $ARGUMENTS[2]"),
        (ZERO, "$1x $1 $0.10", "a b", "$1x b a.10"),
        (ZERO, r"\$1 \\$1 \$ARGUMENTS \$ARGUMENTS[0] \$9", "a b", r"$1 \\b $ARGUMENTS $ARGUMENTS[0] $9"),
        (ONE, r"\$1", "a", r"\a"),
        (SWALLOWS, "$1; $2", "a b c d", "a; b c d"),
        (SWALLOWS, "$2; $1; $2", "a b c", "b c; a; b c"),
        (SWALLOWS, "$0 $1", "a b", "undefined a b"),
        (SWALLOWS, "$0", "a b c", "c"),
        (SWALLOWS, "$0", "", ""),
        (SWALLOWS, "$1", "it's", "it s"),
        (ONE, "$1|$2", "it's so", "it's|so"),
        (replace(ONE, words="space"), "$1|$2", "'a b'", "'a|b'"),
    ],
)
def test_a_body_takes_its_arguments(rules: Substitution, body: str, arguments: str, wanted: str) -> None:
    assert text(rules, body, arguments) == wanted


def test_names_stand_for_words_in_their_order_and_the_longest_name_wins() -> None:
    names = ("file", "file-name", "a.b")
    body = "$file $file-name $a.b $files $other $file[0]"
    assert text(ZERO, body, "x y z", names=names) == "x y z $files $other $file[0]"
    assert text(ZERO, "$file|$file-name", "x", names=names) == "x|"
    kept = replace(ZERO, missing_name="literal")
    assert text(kept, "$0 $file-name", "x", names=names) == "x $file-name"
    assert text(ZERO, r"\$file", "x", names=names) == "$file\n\nARGUMENTS: x"
    assert text(ONE, "$file", "x", names=names) == "$file"


def test_a_name_is_no_regular_expression() -> None:
    assert text(ZERO, "$a.c $abc", "x", names=("a.c",)) == "x $abc"
    assert text(ZERO, "$(", "x", names=("(",)) == "x"


def test_variables_stand_as_they_are_given_and_unknown_ones_stay() -> None:
    assert text(ONE, "${DIR}/${OTHER} $1", "$1", variables={"DIR": "/s/$1"}) == "/s/$1/${OTHER} $1"


def test_a_value_is_not_scanned_again() -> None:
    for rules in (ONE, ZERO):
        assert text(rules, "$ARGUMENTS $1", "$1 $ARGUMENTS") == "$1 $ARGUMENTS " + (
            "$1" if rules is ONE else "$ARGUMENTS"
        )


def test_a_value_is_scanned_again_where_a_program_replaces_twice() -> None:
    assert text(SWALLOWS, "<$1>", "$ARGUMENTS") == "<$ARGUMENTS>".replace("$ARGUMENTS", "$ARGUMENTS")
    assert text(SWALLOWS, "<$1> $2", "$ARGUMENTS x") == "<$ARGUMENTS x> x"


def test_replacement_patterns_mean_what_javascript_makes_of_them() -> None:
    assert text(SWALLOWS, "a $ARGUMENTS b", "$$ $& $` $' $1") == "a $ $ARGUMENTS a   b $1 b"
    plain = replace(SWALLOWS, replacement_patterns=False)
    assert text(plain, "a $ARGUMENTS b", "$$ $&") == "a $$ $& b"


def test_fenced_code_is_replaced_unless_the_rules_say_otherwise() -> None:
    body = "$1\n```sh\nawk '{print $1}'\n```\n$1 `$1`\n~~~\n$1\n~~~\n"
    assert text(ONE, body, "x") == body.replace("$1", "x")
    spared = replace(ONE, fenced=False)
    assert text(spared, body, "x") == "x\n```sh\nawk '{print $1}'\n```\nx `x`\n~~~\n$1\n~~~\n"


def test_arguments_without_a_placeholder_are_appended() -> None:
    assert text(ZERO, "Body.", "a b") == "Body.\n\nARGUMENTS: a b"
    assert text(ZERO, "Body.", "") == "Body."
    assert text(ZERO, "Body $5.", "a") == "Body $5.\n\nARGUMENTS: a"
    assert text(ZERO, "Body $0.", "a") == "Body a."
    assert text(SWALLOWS, "Body $5.", "") == "Body ."
    assert text(SWALLOWS, "Body.", "  ") == "Body."
    assert text(SWALLOWS, "Body.", "a ") == "Body.\n\na "
    assert text(ONE, "Body.", "a") == "Body."


def test_whether_anything_was_used_is_told() -> None:
    assert ZERO.apply("$0", "a").used
    assert not ZERO.apply("$1", "a").used
    assert not ZERO.apply("${X}", "a", variables={"X": "y"}).used


@given(st.text(alphabet="ab $019AMNRGUETS[]{}\\`'\"&\n"), st.text(alphabet="ab $01'\"\\&`"))
def test_every_body_takes_any_arguments(body: str, arguments: str) -> None:
    for rules in (ONE, ZERO, SWALLOWS, replace(ONE, fenced=False)):
        result = text(rules, body, arguments, names=("a",), variables={"A": "$1"})
        assert isinstance(result, str)
        if "$" not in body and not rules.append:
            assert result == body


def two_passes(body: str, arguments: str) -> str:
    """The slow and obvious version of `SWALLOWS`: first the numbers, then `$ARGUMENTS`, as in JavaScript."""
    found = re.findall(r"\"[^\"]*\"|'[^']*'|[^\s\"']+", arguments)
    words = [re.sub(r"^[\"']|[\"']\Z", "", word) for word in found]
    numbers = [int(n) for n in re.findall(r"\$([0-9]+)", body)]

    def word(match: re.Match[str]) -> str:
        at = int(match[1]) - 1
        if at >= len(words):
            return ""
        if at + 1 == max(numbers):
            return " ".join(words[at:])
        return words[at] if at >= 0 else "undefined"

    text = re.sub(r"\$([0-9]+)", word, body)

    def everything(match: re.Match[str]) -> str:
        before, after = text[: match.start()], text[match.end() :]
        meaning = {"$$": "$", "$&": match[0], "$`": before, "$'": after}
        return re.sub(r"\$[$&`']", lambda m: meaning[m[0]], arguments)

    done = re.sub(r"\$ARGUMENTS", everything, text)
    if not numbers and "$ARGUMENTS" not in body and arguments.strip():
        done += f"\n\n{arguments}"
    return done


@given(
    st.text(alphabet="ab $01239AMNRGUETS[]{}\\`'\"&\n", max_size=40)
    | st.lists(st.sampled_from(["$ARGUMENTS", "$1", "$2", "$0", " x ", "\\", "$"])).map("".join),
    st.text(alphabet="ab $01AMNRGUETS'\"\\&` ", max_size=20)
    | st.lists(st.sampled_from(["$ARGUMENTS", "$&", "$$", "$`", "$'", " a ", "'b c'", '"'])).map("".join),
)
def test_two_passes_are_what_their_slow_version_gives(body: str, arguments: str) -> None:
    assert text(SWALLOWS, body, arguments) == two_passes(body, arguments)


def test_the_rules_of_opencode_give_what_the_program_sent() -> None:
    base = "\n\nBase directory for this skill: "
    checked = 0
    for row in read_vectors(OWN / "opencode.jsonl"):
        params = row["input"].get("params") or {}
        sent = row["output"].get("text")
        if row["level"] != "core" or "arguments" not in params or sent is None:
            continue
        body = row["input"]["files"][f"{params['command']}/SKILL.md"].split("---\n", 2)[2].lstrip("\n")
        if base not in sent:
            continue
        done = text(SWALLOWS, body, params["arguments"])
        head = sent.split(base)[0].rstrip("\n")
        # The program runs `echo ran`; tohlab runs nothing.
        appended = f"\n\n{params['arguments']}" if done.endswith(f"\n\n{params['arguments']}") else ""
        body_done = done.removesuffix(appended) if params["arguments"] else done
        assert body_done.replace("!`echo ran`", "ran\n").rstrip("\n") == head, row["id"]
        checked += 1
    assert checked >= 4
