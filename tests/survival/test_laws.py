"""Whatever bytes a skill file holds: every harness has a fate for it, and no repair takes a harness away."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tohlab.dialects.harness import FileTree
from tohlab.dialects.harnesses import harness_names
from tohlab.survival import OUTCOMES, fixes, survey

PIECES = st.sampled_from(
    [
        *("---\n", "--- \n", "---", "\n", "\r\n", "\ufeff", "\x00", "\x80", "\x85", "\u2028", "\u200b"),
        *("name: a\n", "name: b\n", "name: [a\n", "name: 3\n", "name: 'a\"'\n", "  name: c\n"),
        *("description: d\n", "description: a: b\n", "description: [d, e]\n", "description: >-\n  d\n"),
        *("description:\td\n", "metadata: {a: [b, {c: }]}\n", "tags: []\n", "- x\n", "&a ", "*a", "!x "),
        *("disable-model-invocation: true\n", "paths: '*.rb'\n", "</skill>", "<skill>", "</description>"),
        *("? ", "\t", "{", "}", '"', "'", "# c\n", "|\n", "é"),
    ]
)
CONTENTS = st.one_of(
    st.lists(PIECES, max_size=14).map(lambda parts: "".join(parts).encode()),
    st.lists(PIECES, max_size=8).map(lambda parts: ("---\n" + "".join(parts) + "---\nB\n").encode()),
    st.binary(max_size=60),
)
PATHS = st.sampled_from(["SKILL.md", "a/SKILL.md", "b/SKILL.md", "c/a/SKILL.md", "a/skill.md", "x.md"])
FILES = st.dictionaries(PATHS, CONTENTS, min_size=1, max_size=3)


@given(files=FILES)
@example(files={"a/SKILL.md": b"\xff\xfe"})
@example(files={"SKILL.md": b"--- \nname: a\n\xef\xbb\xbf"})
@example(files={"a/SKILL.md": b"---\nname: a\ndescription: &x [*x]\n---\nB\n"})
@example(files={"a/SKILL.md": b"---\nmetadata: " + b"[" * 300 + b"]" * 300 + b"\n---\n"})
@settings(max_examples=80)
def test_every_file_has_a_fate_in_every_harness(files: dict[str, bytes]) -> None:
    table = survey(FileTree(files))
    assert {path for path in files if path != "x.md"} <= set(table.files) <= set(files)
    assert [(fate.path, fate.harness) for fate in table.fates] == [
        (path, name) for path in table.files for name in harness_names()
    ]
    for fate in table.fates:
        assert fate.outcome in OUTCOMES
        assert bool(fate.code and fate.reason) is (fate.outcome != "loads")
        assert fate.codes[:1] == ((fate.code,) if fate.code else ())
        assert (fate.name is None) is (fate.outcome == "skipped")
        lines = files[fate.path].count(b"\n") + files[fate.path].count(b"\r") + 1
        assert fate.line is None or 1 <= fate.line <= lines + 1
    for finding in table.findings:
        assert finding.harnesses
        assert set(finding.doors) == set(finding.harnesses)


@given(files=FILES)
@example(files={"a/SKILL.md": b"---\nmetadata: " + b"[" * 300 + b"]" * 300 + b"\n---\n"})
@example(
    files={
        "a/SKILL.md": b"---\ndescription: d\n---\nB",
        "b/SKILL.md": b"---\nname: a\ndescription: d\n---\nB",
    }
)
@settings(max_examples=40)
def test_a_repair_gains_what_it_says_and_loses_nothing(files: dict[str, bytes]) -> None:
    before = survey(FileTree(files))
    found = fixes(FileTree(files))
    assert len({fix.path for fix in found}) == len(found)
    if not found:
        return
    changed = {fix.path: fix.after.encode("utf-8", "surrogateescape") for fix in found}
    after = survey(FileTree({**files, **changed}))
    for old, new in zip(before.fates, after.fates, strict=True):
        assert new.outcome != "skipped" or old.outcome == "skipped", (old, new)
    for fix in found:
        assert fix.before.encode("utf-8", "surrogateescape") == files[fix.path]
        for harness in fix.gains:
            assert before.fate(fix.path, harness).outcome == "skipped"
            assert after.fate(fix.path, harness).outcome != "skipped"
