"""opencode's vectors: the end of the system prompt, the tool, its answers, and a command's text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from tests.conformance.harness_driver import Given, Row, given, holds_under_one_of, turn_as_text
from tohlab.dialects.harness import Loaded, Setting

SHELL = re.compile(r"!`[^`]+`")
SAMPLE = re.compile(r"(?<=<skill_files>\n).*(?=\n</skill_files>\n</skill_content>\Z)", re.DOTALL)


def settings_of_unsaid_history(case: Given) -> Iterator[Setting]:
    """Yield the settings that a row leaves open: what its process had read before, and who won a race.

    A row holds the files of one project. Whether the recording server had read these bytes for another row
    before decides whether an unquoted colon is repaired, and of several files with one name any may be read
    last. Rows without such files are the same under every one of these settings.
    """
    duplicates = [None, *(path for path in case.tree if path.endswith("SKILL.md"))]
    for parsed_before in (False, True):
        for last in duplicates if _has_duplicates(case) else (None,):
            options = {**case.setting.options, "parsed_before": parsed_before, "last_read": last}
            yield replace(case.setting, options=options)


def _has_duplicates(case: Given) -> bool:
    return any(skip.code == "duplicate-name" for skip in _loaded(case, case.setting).skipped)


def _loaded(case: Given, setting: Setting) -> Loaded:
    loaded: Loaded = case.harness.load(case.tree, setting)
    return loaded


def with_anything_where_a_command_ran(text: str) -> re.Pattern[str]:
    """Return what fits the text that a program sent which had run the shell lines in it.

    tohlab never runs a command of a skill, so what it put out is left open; all around it has to be the same.
    """
    return re.compile("[\\s\\S]*".join(re.escape(part) for part in SHELL.split(text)))


def with_sample_sorted(text: str) -> str:
    """Return a loaded skill with its sampled files in path order; the program has them in ripgrep's."""
    return SAMPLE.sub(lambda match: "\n".join(sorted(match[0].split("\n"))), text)


def check(row: Row) -> None:
    """Assert that tohlab gives what the row holds, under one of the histories that it may have had."""
    case = given(row)
    settings = settings_of_unsaid_history(case)
    holds_under_one_of(settings, lambda setting: _check(row, case, setting))


def _check(row: Row, case: Given, setting: Setting) -> None:
    harness, params, output = case.harness, case.params, row["output"]
    loaded = _loaded(case, setting)
    if "call" in params:
        answer = case.answer(loaded, setting)
        assert with_sample_sorted(answer.text) == with_sample_sorted(output["text"])
    elif "user_text" in params:
        turn = case.turn(loaded, setting)
        if "json" in output:  # the program's own error with a random number, which no model reads
            assert output["json"]["no_request"]
            assert not turn.sent
            assert turn.texts == ()
        else:
            text = turn_as_text(turn)
            assert with_anything_where_a_command_ran(text).fullmatch(output["text"]), text
    elif "schema_of" in params:
        assert case.chat_tool(loaded, setting) == output["json"]
    else:
        listing = harness.listing(loaded, setting)
        assert listing.place == output["placement"]
        assert listing.text == output["text"]
        assert bool(listing.cut) == output["truncated"]
