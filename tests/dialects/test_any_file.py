"""Whatever lies in a folder and whatever is asked, a harness answers, or says that it cannot."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tohlab.dialects.change import after_change
from tohlab.dialects.harness import FileTree, Harness, Setting
from tohlab.dialects.harnesses import get_harness, harness_names
from tohlab.errors import TohlabError

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
            "\ud800",
            "{x}",
            "$1 $ARGUMENTS ",
        ),
        *(
            "name: a\n",
            "name: [a\n",
            "name: 3\n",
            "name: ''\n",
            "name: a/b\n",
            "name: vibe:x\n",
            "name: {a: b}\n",
        ),
        *("description: d\n", "description: a: b\n", "description: |\n  x\n", "description: 2020-01-01\n"),
        *("- x\n", "&a ", "*a", "<<: *a\n", "!x ", "? ", "\t", "{", "}", "%YAML 1.1\n", "!!binary aGk=\n"),
        *("metadata:\n", "  hermes:\n", "    requires_tools:\n", "  arguments: [a, 5]\n", "arguments: a b\n"),
        *("platforms: 5\n", "disabled: x\n", "mode: {}\n", "modeSlugs: [5]\n", "when_to_use: [x]\n"),
        *("paths: [a, 5]\n", "paths: '{a,b}/**, ['\n", "paths: {}\n", "allowed-tools: 5\n"),
        *(
            "disable-model-invocation: yes\n",
            "user-invocable: 0\n",
            "enabled: false\n",
            "environments: [5]\n",
        ),
        *("policy: {allow_implicit_invocation: 5}\n", '{"name": 5}', "!`echo x`\n", "```!\nx\n```\n"),
    ]
)
FILES = st.one_of(
    st.lists(PIECES, max_size=12).map(lambda parts: "".join(parts).encode("utf-8", "surrogatepass")),
    st.binary(max_size=40),
)
PARTS = st.one_of(
    st.sampled_from(
        ["a", "b", ".x", "node_modules", "A", "project", "home", ".agents", "skills", "[", "!", "é", "\ud800"]
    ),
    st.text(st.characters(exclude_characters="/\0", exclude_categories=()), min_size=1, max_size=4),
)
NAMES = st.sampled_from(
    [
        *("SKILL.md", "SKILL.md", "SKILL.md", "skill.md", "x.md", "DESCRIPTION.md", ".gitignore"),
        *("agents/openai.yaml", ".codex-plugin/plugin.json", ".git/config"),
    ]
)
PATHS = st.builds(lambda parts, name: "/".join([*parts, name]), st.lists(PARTS, max_size=4), NAMES)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=6)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
ASKED = st.one_of(
    st.sampled_from(["a", "b", "c", "", "x", "3", "a/x", "vibe:x", "A", "/a", "a/../b"]), st.text(max_size=6)
)
KEYS = ("name", "skill", "args", "arguments", "file_path", "path", "cmd", "offset", "limit", "category")
ARGUMENTS = st.one_of(JSON, st.dictionaries(st.sampled_from(KEYS), st.one_of(ASKED, JSON), max_size=4))
TYPED = st.one_of(
    st.builds(
        lambda start, name, rest: f"{start}{name} {rest}",
        st.sampled_from(["/", "$", "/skill:", "say $", " /", "//", "[$", "`/"]),
        ASKED,
        st.text(max_size=8),
    ),
    st.text(max_size=12),
)
OPTIONS = st.sampled_from(
    [
        {},
        {"roots": ("a", "project")},
        {"touched": ("a", "../x", "/y", "x.py")},
        {
            "mode": "a",
            "level": "user",
            "loaded": ("a",),
            "any_depth": True,
            "trusted": False,
            "kind": "agents",
        },
        {"permission": {"*": "deny"}, "parsed_before": True, "command": "a", "headless_approval": False},
    ]
)


def tools_of(harness: Harness, loaded: Any, setting: Setting) -> set[str]:
    return {tool.get("name") or tool["function"]["name"] for tool in harness.tools(loaded, setting)}


def answers(ask: Callable[..., Any], *given_: Any) -> Any:
    """Return what a harness answers, or None where it says that it does not."""
    with contextlib.suppress(TohlabError):
        return ask(*given_)
    return None


@pytest.mark.parametrize("name", harness_names())
@given(
    contents=st.dictionaries(PATHS, FILES, max_size=4), asked=ASKED, options=OPTIONS, bundled=st.booleans()
)
@example(contents={"a/SKILL.md": b"\xff\xfe"}, asked="a", options={}, bundled=True)
@example(
    contents={"a/SKILL.md": b"---\nname: a\ndescription: &x [*x]\n---\nB\n"},
    asked="a",
    options={},
    bundled=True,
)
@settings(max_examples=40)
def test_nothing_raises_and_no_file_is_lost(
    name: str, contents: dict[str, bytes], asked: str, options: dict[str, Any], bundled: bool
) -> None:
    harness, tree = get_harness(name), FileTree(contents)
    setting = Setting(root="/r", tools=("t",), options=options, bundled=bundled)
    loaded = harness.load(tree, setting)
    if not options:
        accounted = {skill.path for skill in loaded.skills} | {row.path for row in loaded.skipped}
        assert {path for path in contents if path.rpartition("/")[2] == "SKILL.md"} <= accounted
    assert all(row.code and row.reason and row.repair for row in loaded.skipped)
    listing = harness.listing(loaded, setting)
    assert all(0 <= span.start <= span.stop <= len(listing.text) for span in listing.spans)
    for skill in loaded.skills[:3]:
        named = {"name": skill.name, "skill": skill.name}
        for tool in tools_of(harness, loaded, setting):
            answers(harness.call, tool, named, loaded, tree, setting)
        answers(harness.user, f"/{skill.name} {asked}", loaded, tree, setting)


@pytest.mark.parametrize("name", harness_names())
@given(
    contents=st.dictionaries(PATHS, FILES, max_size=3),
    arguments=ARGUMENTS,
    typed=TYPED,
    options=OPTIONS,
    later=FILES,
)
@settings(max_examples=40)
def test_any_call_and_any_text_is_answered_or_refused(
    name: str, contents: dict[str, bytes], arguments: Any, typed: str, options: dict[str, Any], later: bytes
) -> None:
    harness, tree = get_harness(name), FileTree(contents)
    setting = Setting(root="/r", options=options, window_tokens=1000)
    loaded = harness.load(tree, setting)
    own = harness.load_tool or "exec_command"
    for tool in {*tools_of(harness, loaded, setting), own, "skills_list", "no"}:
        answer = answers(harness.call, tool, arguments, loaded, tree, setting)
        assert answer is None or answer.text is not None or answer.json is not None
    turn = answers(harness.user, typed, loaded, tree, setting)
    assert turn is None or all(isinstance(text, str) for text in turn.texts)
    changed = harness.load(FileTree({**contents, "a/SKILL.md": later}), setting)
    answers(after_change, harness, loaded, changed, setting, "session")
    answers(after_change, harness, loaded, changed, setting, "resume")


@pytest.mark.parametrize("name", harness_names())
def test_the_same_files_give_the_same_texts_in_whatever_order_they_come(name: str) -> None:
    files = {f"{n}/SKILL.md": f"---\nname: {n}\ndescription: d\n---\nB\n" for n in ("b", "a", "c-d", "c")}
    harness, setting = get_harness(name), Setting(root="/r")
    one, two = FileTree.of(files), FileTree.of(dict(reversed(files.items())))
    assert harness.listing(harness.load(one, setting), setting) == harness.listing(
        harness.load(two, setting), setting
    )
