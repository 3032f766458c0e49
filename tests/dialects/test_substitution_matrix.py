"""What every harness does with arguments, side by side."""

from __future__ import annotations

import pytest

from tests.dialects.test_substitution import SWALLOWS
from tohlab.dialects import claude_code, goose, supercode
from tohlab.dialects.harnesses import harness_names
from tohlab.dialects.substitution import Substitution
from tohlab.dialects.substitution_matrix import DOORS, SubstitutionRow, substitution_matrix, try_door

ROWS = {(row.harness, row.door): row for row in substitution_matrix()}
SHELL_AWK = "```sh\nawk '{print $1}' f\n```"


def test_every_harness_and_every_door_has_one_row() -> None:
    assert {row.harness for row in ROWS.values()} == set(harness_names())
    assert len(ROWS) == len(substitution_matrix())
    assert {(door.harness, door.kind) for door in DOORS} == {key for key in ROWS if key[1] != "none"}
    assert list(ROWS) == sorted(ROWS)


def test_four_in_sixteen_put_arguments_into_a_body() -> None:
    assert {row.harness for row in ROWS.values() if row.substitutes} == {
        "claude-code",
        "goose",
        "opencode",
        "supercode",
    }
    for row in ROWS.values():
        if not row.substitutes:
            assert (row.first, row.words, row.missing, row.fenced, row.escape) == (None,) * 5


@pytest.mark.parametrize(
    ("harness", "rules"),
    [
        ("claude-code", claude_code.SUBSTITUTION),
        ("supercode", supercode.SUBSTITUTION),
        ("opencode", SWALLOWS),
        ("goose", goose.SUBSTITUTION),
    ],
)
def test_a_row_found_by_trying_is_what_the_rules_say(harness: str, rules: Substitution) -> None:
    rows = [row for row in ROWS.values() if row.harness == harness]
    assert len(rows) == (1 if harness in ("opencode", "goose") else 2)
    for row in rows:
        assert row.whole
        assert (row.first, row.words, row.missing) == (rules.first, rules.words, rules.missing)
        assert row.zero == (rules.below if rules.first else None)
        assert row.two_digits is (rules.digits == "any")
        assert row.whole_number is rules.whole_number
        assert row.last_swallows is rules.last_swallows
        assert row.indexed is rules.indexed
        assert row.named is rules.named
        assert row.missing_name == (rules.missing_name if rules.named else None)
        assert row.fenced is rules.fenced
        assert row.escape is rules.escape
        assert row.rescan is rules.rescan
        assert row.replacement_patterns is rules.replacement_patterns
        assert row.unused == rules.append.format(arguments="alpha bravo")


def test_those_that_substitute_for_a_user_differ() -> None:
    def facts(harness: str) -> tuple[object, ...]:
        row = ROWS[harness, "user"]
        return row.first, row.missing, row.zero, row.last_swallows, row.escape, row.named, row.unused != ""

    assert facts("claude-code") == (0, "literal", None, False, True, True, True)
    assert facts("opencode") == (1, "empty", "undefined", True, False, False, True)
    assert facts("supercode") == (1, "empty", "literal", False, False, True, False)


@pytest.mark.parametrize(
    ("harness", "arguments", "wanted"),
    [
        ("claude-code", "alpha", "$1"),
        ("claude-code", "alpha bravo", "bravo"),
        ("opencode", "alpha bravo", "alpha bravo"),
        ("opencode", "", ""),
        ("supercode", "alpha bravo", "alpha"),
        ("supercode", "", ""),
    ],
)
def test_fenced_code_is_rewritten_by_the_words_of_the_arguments(
    harness: str, arguments: str, wanted: str
) -> None:
    door = next(door for door in DOORS if (door.harness, door.kind) == (harness, "user"))
    assert SHELL_AWK.replace("$1", wanted) in try_door(door, SHELL_AWK, arguments)


@pytest.mark.parametrize(
    ("key", "unused", "as_typed"),
    [
        (("cline", "tool"), "\n<command-args>alpha bravo</command-args>", False),
        (("codex", "user"), "", True),
        (("mistral-vibe", "user"), "", True),
        (("pi", "user"), "\n\nalpha bravo", False),
        (("qwen-code", "tool"), "", False),
        (("roo", "tool"), "\nProvided arguments: alpha bravo", False),
        (("toh", "user"), "", True),
        (("vscode", "none"), "", False),
        (("pikuri", "none"), "", False),
    ],
)
def test_the_others_tell_arguments_beside_the_body_or_not_at_all(
    key: tuple[str, str], unused: str, as_typed: bool
) -> None:
    row: SubstitutionRow = ROWS[key]  # type: ignore[index]  # the keys are of another width
    assert (row.unused, row.as_typed, row.substitutes) == (unused, as_typed, False)


def test_arguments_of_qwen_code_stand_in_a_file_with_a_random_name() -> None:
    assert "<skill-args>alpha bravo</skill-args>" in ROWS["qwen-code", "user"].unused


def test_a_row_says_how_sure_it_is() -> None:
    assert ROWS["cline", "tool"].fidelity == "executed"
    assert ROWS["supercode", "user"].fidelity == "reconstructed"
