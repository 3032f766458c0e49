"""What a recording of a program as a whole says, held against the library, by the form of its row alone.

A row about a change has `change` and `where` in its parameters; one about several roots names folders in its
files; one about a request's layout has the keys of its body; one about the tools has their names. What a row
says that is a thing of the recording, such as a length of a body with a random id, is in `NOT_OURS`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tests.conformance.harness_driver import Given, Row, given
from tohlab.dialects.change import AfterChange, When, after_change
from tohlab.dialects.harness import FileTree, Loaded, Setting

NEW_ONE = "---\nname: new-one\ndescription: Added between turns.\n---\n\nNew body.\n"
EDITED = "---\nname: bread-proof\ndescription: Edited text.\n---\n\nEdited body.\n"
WHERE: dict[str, When] = {"live": "session", "restart": "resume"}
STEPS = ("turn2_3", "turn2_vs_after_restart", "turn2_to_turn3_after_change")
NOT_OURS = {
    # sizes of bodies that hold random ids, and turns without a change
    *("first_diff_byte", "len_a", "turn1_2", "turn1_to_turn2"),
    # what a program tells its own client
    *("requests_for_/skills_reload", "turn3_5_after_reload", "available_commands", "skill_notifications"),
}
DIFFERS = re.compile(r"(/\S+) differs at byte \d+ of \d+: '(.*)' \| '(.*)'", re.DOTALL)
SYSTEM = ("/messages/0/content", "/systemInstruction/parts/0/text")


def changed(files: dict[str, str], change: str) -> dict[str, str]:
    """Return the files after the change that the recorder made."""
    if change == "add":
        return files | {"new-one/SKILL.md": NEW_ONE}
    if change == "edit":
        return files | {"bread-proof/SKILL.md": EDITED}
    if change == "remove":
        return {path: text for path, text in files.items() if not path.startswith("bread-proof/")}
    assert change == "none", change
    return files


class Change:
    """One recorded change, as the library has it."""

    def __init__(self, row: Row) -> None:
        self.change = row["input"]["params"]["change"]
        self.case = given(row)
        self.tree = FileTree.of(changed(row["input"]["files"], self.change))
        self.setting = self.case.setting
        self.before: Loaded = self.case.harness.load(self.case.tree, self.setting)
        self.after: Loaded = self.case.harness.load(self.tree, self.setting)
        when = WHERE[row["input"]["params"]["where"]]
        self.told: AfterChange = after_change(self.case.harness, self.before, self.after, self.setting, when)

    def check(self, said: dict[str, Any]) -> None:
        """Assert that all that the row says is so."""
        for key, value in said.items():
            if key in STEPS:
                self.check(value)
            elif key == "tools_equal":
                assert ("tools" not in self.told.rewritten) is value
            elif key in ("system_equal", "system_equal_2_3"):
                assert (self.told.first_change is None) is value
            elif key == "system_prompt_changed":
                assert (self.told.first_change is not None) is value
            elif key in ("input_prefix_equal", "input_prefix_equal_2_3", "messages_prefix_equal_2_3"):
                assert self.told.keeps_prefix is value
            elif key in ("skills_slice", "skills_slice_after"):
                assert self.told.listing.text == value
            elif key in ("tool_result", "tool_result_turn3"):
                assert self.answer() == value
            elif key == "user_message_for_/skill:new-one":
                assert self.sent("/skill:new-one arg") == [value]
            elif key == "slash_new-one_contents":
                assert self.turn("/new-one alpha").json == [[{"text": "/new-one alpha"}], []]
                assert value[-1]["parts"] == [{"text": "/new-one alpha"}]
            elif key in ("appended_items", "appended_turn3"):
                self.check_appended(value, self.told.appended)
            elif key == "appended_turn4":
                self.check_appended(value, ())
            elif key == "paths":
                self.check_paths(value)
            else:
                assert key in NOT_OURS, f"{key} is not looked at"

    def answer(self) -> Any:
        """Return what the load tool gives for the skill that the change is about."""
        [tool] = self.told.tools
        schema = tool.get("function", tool)
        [key] = (schema.get("parameters") or schema["parametersJsonSchema"])["required"]
        name = "new-one" if self.change == "add" else "bread-proof"
        harness, reached = self.case.harness, self.told.reached
        tree = self.tree if "bread-proof/SKILL.md" in self.tree else self.case.tree
        answer = harness.call(harness.load_tool, {key: name}, reached, tree, self.setting)
        return answer.json if answer.text is None else answer.text

    def turn(self, text: str) -> Any:
        """Return what a user's text becomes in the session."""
        return self.case.harness.user(text, self.told.reached, self.tree, self.setting)

    def sent(self, text: str) -> list[str]:
        """Return what a user's text sends in the session."""
        return list(self.turn(text).texts)

    def check_appended(self, items: list[dict[str, Any]], told: tuple[str, ...]) -> None:
        """Assert that a turn appends the model's answer, what is told of the change, and the user's text."""
        got = [(item["role"], item["text"]) for item in items]
        whole = isinstance(got[0][1], str)
        users = [text if whole else text[0] for role, text in got if role == "user"]
        assert users, got
        wanted = [("assistant", "Done."), *((self.case.harness.place, text) for text in told)]
        wanted += [("user", text) for text in self.sent(users[0])]
        assert got == [(role, text if whole else [text]) for role, text in wanted]

    def check_paths(self, paths: list[str]) -> None:
        """Assert that the system prompt differs first where the list does."""
        for path in paths:
            found = DIFFERS.fullmatch(path)
            if found is None or found[1] not in SYSTEM:
                continue
            at = self.told.first_change
            assert at is not None
            old = self.case.harness.listing(self.before, self.setting).text
            for text, seen in ((old, found[2]), (self.told.listing.text, found[3])):
                window = re.split(r"<[A-Z]+>", seen.replace("\\n", "\n"))[0]
                assert text[at : at + len(window)] == window[: len(text) - at]


def layers_of(row: Row) -> Given:
    """Return a row whose files are patterns as values: each folder has the two skills that it names."""
    files = {}
    for pattern in row["input"]["files"]:
        found = re.fullmatch(r"(\S+)/\(twin\|(only-\d)\)/SKILL\.md", pattern)
        assert found, pattern
        place, only = found.groups()
        folder = place.replace("PROJECT", "project").replace("HOME", "home")
        for name, word in (("twin", "Copy"), (only, "Only")):
            text = f"---\nname: {name}\ndescription: {word} under {place}.\n---\n\nBody.\n"
            files[f"{folder}/{name}/SKILL.md"] = text
    case = given({**row, "input": {"files": files}})
    mounts = {"project": "<PROJECT>", "home": "<HOME>"}
    if "<ROOT>" in str(row["output"]):
        mounts["project/.agents/skills"] = "<ROOT>"
    options = {"roots": case.harness.layers}
    return replace(case, setting=replace(case.setting, mounts=mounts, options=options))


def settings_of_unsaid_race(case: Given) -> Iterator[Setting]:
    """Yield a setting for each file that may have been read last; they are alike where that is no matter."""
    yield case.setting
    for path in case.tree:
        yield replace(case.setting, options={**case.setting.options, "last_read": path})


def check_layers(row: Row) -> None:
    """Assert that several roots give the recorded list, under one of the orders of reading."""
    case, output = layers_of(row), row["output"]
    wanted = output["text"] if "text" in output else output["json"]["skills_message"]
    settings = list(settings_of_unsaid_race(case))
    listings = [case.harness.listing(case.harness.load(case.tree, setting), setting) for setting in settings]
    assert wanted in [listing.text for listing in listings], listings[0].text
    assert {listing.place for listing in listings} == {output["placement"]}
    if "json" in output:
        loaded = case.harness.load(case.tree, case.setting)
        turn = case.harness.user("$twin go", loaded, case.tree, case.setting)
        assert list(turn.texts) == output["json"]["user_messages"]
    warned = re.findall(r'Skill conflict detected: .*?\.(?=\\?"[,\]])', row["note"].replace('\\"', '"'))
    if warned:
        assert list(listings[0].warnings) == warned


def check_layout(row: Row) -> None:
    """Assert that a request's keys, path and breakpoints are those of one of the harness's layouts."""
    case, said = given(row), row["output"]["json"]
    layouts = [layout for layout in case.harness.layouts if list(layout.keys) == said["top_level_keys"]]
    assert len(layouts) == 1, case.harness.layouts
    [layout] = layouts
    if "path" in said:
        assert layout.path == said["path"]
        ends = [path for path, _ in said["cache_control_at"]]
        tools = max((int(path.split("/")[2]) + 1 for path in ends if path.startswith("/tools/")), default=1)
        body = {
            "messages": [{"role": role, "content": [{}]} for role in said["roles"]],
            "system": [{} for _ in said["system_blocks"]],
            "tools": [{}] * tools,
        }
        assert set(layout.breakpoints_in(body)) == set(ends)
        assert tools in (1, len(case.harness.tool_order))
    else:
        assert layout.tools_in == "input/0/tools"
        assert said["input_items"][0]["type"] == "additional_tools"
        assert "tools" in said["input_items"][0]["keys"]


def check(row: Row) -> bool:
    """Assert what a row says; return False where its form does not say what it is about."""
    params, output = row["input"]["params"] or {}, row["output"]
    if "change" in params:
        Change(row).check(output["json"])
    elif "see description" in row["input"]["files"].values():
        check_layers(row)
    elif isinstance(output.get("json"), dict) and "top_level_keys" in output["json"]:
        check_layout(row)
    elif isinstance(output.get("json"), list):
        case = given(row)
        loaded = case.harness.load(case.tree, case.setting)
        assert list(case.harness.tool_names(loaded, case.setting)) == output["json"]
    elif output.get("text"):
        case = given(row)
        listing = case.harness.listing(case.harness.load(case.tree, case.setting), case.setting)
        assert (listing.text, listing.place) == (output["text"], output["placement"])
    else:
        return False
    return True
