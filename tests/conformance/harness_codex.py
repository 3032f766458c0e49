"""Codex's vectors: its developer message, what a user's text sends, and what its shell gives for `cat`."""

from __future__ import annotations

import re

from tests.conformance.harness_driver import Row, given
from tests.conformance.test_harness_vectors import OWN
from tests.conformance.test_vectors import read_vectors
from tohlab.dialects.harness import FileTree


def with_files_of(row: Row) -> Row:
    """Return a row with its files: a row whose files are `see: <id>` has those of the row of that id.

    The recording wrote large fixtures once. A row that was not kept is looked for by the fixture's name,
    which is the last part of its id and a part of the ids of all rows that use it; all programs were given
    the same fixtures.
    """
    files = row["input"]["files"]
    if set(files) != {"see"}:
        return row
    paths = sorted(OWN.glob("*.jsonl"), key=lambda path: path.stem != row["harness"])
    others = [other for path in paths for other in read_vectors(path) if "see" not in other["input"]["files"]]
    wanted = files["see"]
    fixture = wanted.rsplit("/", 1)[1]
    same = [other for other in others if other["id"] == wanted]
    same += [other for other in others if fixture in other["id"].split("/")]
    assert same, f"no row has the files of {wanted}"
    return {**row, "input": {**row["input"], "files": same[0]["input"]["files"]}}


def without_random_id_and_time(text: str) -> str:
    """Return a result of the shell without the id of the output and the time that the command took."""
    text = re.sub(r"\AChunk ID: [0-9a-f]{6}\n", "Chunk ID: -\n", text)
    return re.sub(r"^Wall time: \d+\.\d{4} seconds\n", "Wall time: -\n", text, count=1, flags=re.MULTILINE)


def policy_of(excerpt: str) -> str:
    """Return the part of an excerpt of the base instructions that is about skills: from its heading on."""
    return excerpt[excerpt.index("# Using skills") :]


def check(row: Row) -> None:
    """Assert that tohlab gives what the row holds."""
    row = with_files_of(row)
    case = given(row)
    harness, setting, params, output = case.harness, case.setting, case.params, row["output"]
    assert isinstance(case.tree, FileTree)
    loaded = harness.load(case.tree, setting)
    if "call" in params:
        answer = case.answer(loaded)
        assert without_random_id_and_time(answer.text) == without_random_id_and_time(output["text"])
    elif "user_text" in params:
        turn = case.turn(loaded)
        assert turn.sent
        assert {"user_messages_after_environment_context": list(turn.texts)} == output["json"]
        assert turn.json == list(turn.texts)
    elif "schema_of" in params:
        assert params["schema_of"] == harness.shell_tool["name"]
        assert dict(harness.shell_tool) == output["json"]
    else:
        listing = harness.listing(loaded, setting)
        assert listing.place == output["placement"]
        if "json" in output:
            # The names of the other two fields were damaged in the recording; their values tell them apart.
            held = dict(output["json"])
            assert listing.text == held.pop("skills_message")
            role, excerpt = sorted(held.values(), key=len)
            assert role == listing.place
            assert harness.base_policy(setting) == policy_of(excerpt)
        else:
            assert listing.text == output["text"]
            assert bool(listing.warnings) == output["truncated"]
            for span in listing.spans:
                assert listing.text[span.start : span.stop].startswith("- ")
