"""Whatever lies in a folder, loading and listing it raises nothing and accounts for every skill file."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tohlab.dialects.harness import FileTree, Setting
from tohlab.dialects.harnesses import get_harness

HARNESSES = (
    "claude-code",
    "cline",
    "mistral-vibe",
    "opencode",
    "qwen-code",
    "goose",
    "hermes",
    "pikuri",
    "roo",
    "supercode",
    "toh",
    "vscode",
)

PIECES = st.sampled_from(
    [
        *(
            "---\n",
            "---",
            "\n",
            "\r\n",
            "\ufeff",
            "\x00",
            "\x85",
            "\u2028",
            "name: a\n",
            "name: [a\n",
            "name: 3\n",
        ),
        *(
            "description: d\n",
            "description: a: b\n",
            "- x\n",
            "&a ",
            "*a",
            "<<: *a\n",
            "!x ",
            "? ",
            "\t",
            "{",
            "}",
        ),
        *(
            "metadata:\n",
            "  hermes:\n",
            "    requires_tools:\n",
            "platforms: 5\n",
            "disabled: x\n",
            "mode: {}\n",
        ),
    ]
)
FILES = st.one_of(
    st.lists(PIECES, max_size=12).map(lambda parts: "".join(parts).encode()), st.binary(max_size=40)
)
PATHS = st.sampled_from(
    ["SKILL.md", "a/SKILL.md", "b/SKILL.md", "c/a/SKILL.md", "a/x.md", "a/DESCRIPTION.md"]
)


@pytest.mark.parametrize("name", HARNESSES)
@given(
    contents=st.dictionaries(PATHS, FILES, max_size=4), asked=st.sampled_from(["a", "b", "c", "", "x", "3"])
)
@example(contents={"a/SKILL.md": b"\xff\xfe"}, asked="a")
@example(contents={"a/SKILL.md": b"---\nname: a\ndescription: &x [*x]\n---\nB\n"}, asked="a")
@settings(max_examples=60)
def test_nothing_raises_and_no_file_is_lost(name: str, contents: dict[str, bytes], asked: str) -> None:
    harness, tree, setting = get_harness(name), FileTree(contents), Setting(root="/r", tools=("t",))
    loaded = harness.load(tree, setting)
    accounted = {skill.path for skill in loaded.skills} | {row.path for row in loaded.skipped}
    assert {path for path in contents if path.endswith("SKILL.md")} <= accounted
    assert all(row.code and row.reason and row.repair for row in loaded.skipped)
    listing = harness.listing(loaded, setting)
    assert all(0 <= span.start <= span.stop <= len(listing.text) for span in listing.spans)
    tool = harness.load_tool or ""
    if tool in {t.get("name") or t["function"]["name"] for t in harness.tools(loaded, setting)}:
        answer = harness.call(tool, {"name": asked, "skill": asked}, loaded, tree, setting)
        assert answer.text is not None
    harness.user(f"/{asked} words", loaded, tree, setting)


@pytest.mark.parametrize("name", HARNESSES)
def test_the_same_files_give_the_same_texts_in_whatever_order_they_come(name: str) -> None:
    files = {f"{n}/SKILL.md": f"---\nname: {n}\ndescription: d\n---\nB\n" for n in ("b", "a", "c-d", "c")}
    harness, setting = get_harness(name), Setting(root="/r")
    one, two = FileTree.of(files), FileTree.of(dict(reversed(files.items())))
    assert harness.listing(harness.load(one, setting), setting) == harness.listing(
        harness.load(two, setting), setting
    )
