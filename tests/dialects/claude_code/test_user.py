"""Claude Code: what a user starts, and what becomes of a body."""

from __future__ import annotations

import pytest

from tests.dialects.claude_code.driver import body, call, having
from tohlab.dialects.claude_code import HARNESS, SHELL_DISABLED


def test_a_user_starts_a_skill_by_its_name() -> None:
    tree, loaded, setting = having()
    assert HARNESS.user("/pdf a b", loaded, tree, setting).texts == (call("pdf", "a b"),)
    assert HARNESS.user("/quiet", loaded, tree, setting).texts == (
        "Base directory for this skill: /p/.claude/skills/quiet\n\nShh.",
    )


def test_what_a_user_may_not_start_asks_no_model() -> None:
    tree, loaded, setting = having()
    turn = HARNESS.user("/menu", loaded, tree, setting)
    assert (turn.sent, turn.texts) == (False, ())
    assert turn.notes == (
        "This skill can only be invoked by Claude, not directly by users. "
        'Ask Claude to use the "menu" skill for you.',
    )
    unknown = HARNESS.user("/nope x", loaded, tree, setting)
    assert (unknown.sent, unknown.notes) == (False, ("Unknown skill: nope",))


@pytest.mark.parametrize("text", ["use /pdf a", "pdf", "/usr/bin/env x", "/a.b"])
def test_other_texts_go_as_they_are(text: str) -> None:
    tree, loaded, setting = having()
    turn = HARNESS.user(text, loaded, tree, setting)
    assert (turn.sent, turn.texts) == (True, (text,))


@pytest.mark.parametrize(
    ("text", "args", "wanted"),
    [
        ("$ARGUMENTS", "a  'b c'", "a  'b c'"),
        ("$0|$1|$2", "a 'b c'", "a|b c|$2"),
        ("$ARGUMENTS[0] $ARGUMENTS[1]", "a", "a $ARGUMENTS[1]"),
        ("```sh\nawk '{print $1}'\n```", "alpha bravo charlie", "```sh\nawk '{print bravo}'\n```"),
        ("```sh\nawk '{print $1}'\n```", "alpha", "```sh\nawk '{print $1}'\n```\n\nARGUMENTS: alpha"),
        ("It costs $0.10.", "alpha", "It costs alpha.10."),
        (r"It costs \$0.10. $0", "alpha", "It costs $0.10. alpha"),
        ("$1x $0", "a b", "$1x a"),
        ("Plain.", "a b", "Plain.\n\nARGUMENTS: a b"),
        ("Plain.", "", "Plain."),
        ("$ARGUMENTS $0", "$0 $ARGUMENTS", "$0 $ARGUMENTS $0"),
    ],
)
def test_arguments_are_words_from_nought(text: str, args: str, wanted: str) -> None:
    assert body(text, args) == wanted


def test_declared_names_are_words_in_their_order() -> None:
    assert body("$issue in $branch.", "7 main", "arguments: issue branch\n") == "7 in main."
    assert body("$issue in $branch.", "7", "arguments: [issue, branch]\n") == "7 in ."
    assert body("$other", "7", "arguments: [issue]\n") == "$other\n\nARGUMENTS: 7"


def test_variables_are_what_the_setting_says() -> None:
    text = "${CLAUDE_SKILL_DIR}/run ${CLAUDE_SESSION_ID} ${HOME}"
    assert body(text, session_id="s1") == "/p/.claude/skills/x/run s1 ${HOME}"
    tree, loaded, setting = having({"x/SKILL.md": text})
    answer = HARNESS.call("Skill", {"skill": "x"}, loaded, tree, setting)
    assert "${CLAUDE_SESSION_ID} stays: the option session_id is not set" in answer.notes


def test_shell_commands_are_never_run() -> None:
    text = "Now: !`date` KEY=!`no`\n```!\nls\n```\n$0"
    tree, loaded, setting = having({"x/SKILL.md": text})
    answer = HARNESS.call("Skill", {"skill": "x"}, loaded, tree, setting)
    assert answer.text is not None
    assert answer.text.endswith(text)
    assert "the program runs 2 shell commands here; the text stays as it is written" in answer.notes
    assert body(text, "a", disableSkillShellExecution=True) == (
        f"Now: {SHELL_DISABLED} KEY=!`no`\n{SHELL_DISABLED}\na"
    )
