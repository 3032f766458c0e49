"""What an explanation says, its numbers and the table's row agree: every cache by every edit."""

from __future__ import annotations

import re

import pytest

from tohlab.dialects.harness import FileTree
from tohlab.edits import PLAIN, Scene, edit_costs, harness_scene, long_conversation, recorded_scene
from tohlab.edits.files import Recorded
from tohlab.edits.setups import SETUPS, Setup
from tohlab.library import library_skills
from tohlab.prefix.explain import explain
from tohlab.request import Request, read_body

_LOSES = re.compile(r"this loses ([\d,]+) tokens")
_READ = re.compile(r"([\d,]+) of ([\d,]+) tokens are read")


@pytest.fixture(scope="module")
def scenes() -> tuple[Scene, ...]:
    tree = FileTree.at(library_skills())
    talks = long_conversation(3), long_conversation(2)
    return (harness_scene(tree, PLAIN, talks[0]), harness_scene(tree, "toh", talks[1]))


def number(text: str) -> int:
    return int(text.replace(",", ""))


@pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: setup.name)
def test_sentence_losses_reads_and_boundary_agree(scenes: tuple[Scene, ...], setup: Setup) -> None:
    for scene in scenes:
        sent = [setup.sent(exchange) for exchange in scene.sent]
        for edit, row in zip(scene.edited, edit_costs(scene, setup), strict=True):
            after = setup.sent(scene.next_exchange(edit))
            found = explain(sent[-1], after, setup.rules, earlier=sent[:-1])
            losses = [change.lost_tokens for change in found.changes]
            told = [number(text) for text in _LOSES.findall(found.sentence)]
            where = f"{scene.dialect} {edit}: {found.sentence}"
            assert told == [lost for lost in losses if lost], where
            assert max(losses, default=0) == found.lost_tokens == row.lost_tokens, where
            assert ("Nothing is lost" in found.sentence) <= (found.lost_tokens == 0), where
            assert row.sentence.startswith(found.sentence), where
            said = _READ.search(found.sentence)
            assert said is not None, where
            assert (number(said[1]), number(said[2])) == (row.read_tokens, row.total_tokens), where
            assert row.reused_share == row.read_tokens / row.total_tokens
            assert (found.boundary is None) == (found.use.read_tokens == 0), where
            assert found.boundary is None or found.boundary.end <= found.use.read_tokens, where
            assert row.read_tokens + row.lost_tokens >= row.twin_read_tokens, where


def test_what_time_took_is_not_blamed_on_the_edit() -> None:
    rows = [{"role": "user", "content": "Look at the first file. " * 400}]
    later = [*rows, {"role": "assistant", "content": "Done."}, {"role": "user", "content": "Go on."}]
    bodies = [read_body({"messages": messages, "model": "claude-opus-5"}) for messages in (rows, later)]
    recorded = [Recorded(body=body, line=i, at_s=0.0) for i, body in enumerate(bodies)]
    scene = recorded_scene(recorded, "slow", gap_s=400.0)
    (row,) = edit_costs(scene, "anthropic-auto", ["clock"])
    assert (row.twin_read_tokens, row.lost_tokens) == (0, 0)
    assert (
        "Without the edit the request would read 0 at that time, so 0 are lost to the edit." in row.sentence
    )


def test_gemini_promises_nothing_so_nothing_is_lost() -> None:
    request = Request(system="Be brief. " * 3000)
    found = explain(request, Request(system=request.system + "!"), "gemini")
    assert (found.lost_tokens, found.use.read_tokens) == (0, 0)
    assert [change.lost_tokens for change in found.changes] == [0] * len(found.changes)
    assert "promises no reuse of the" in found.sentence
    assert "this loses 6" not in found.sentence
