"""The vectors of skills-ref: four functions of the library, called on a folder or on several."""

from __future__ import annotations

from typing import Any

from tests.conformance.harness_driver import Row, given
from tohlab.dialects.agent_skills import AgentSkills, Raised


def as_json(value: Any) -> Any:
    """Return a result as the vectors hold it: an exception by class and message, a tuple as a list."""
    if isinstance(value, Raised):
        return {"raised": value.kind, "message": value.message}
    return list(value) if isinstance(value, tuple) else value


def check(row: Row) -> None:
    """Assert that tohlab gives what the row holds."""
    case = given(row)
    harness, tree, setting, params, output = case.harness, case.tree, case.setting, case.params, row["output"]
    assert isinstance(harness, AgentSkills)
    assert harness.place == output["placement"]
    function, directory = params["function"], params.get("dir", "")
    if function == "validate":
        assert as_json(harness.validate(tree, directory, setting)) == output["json"]
    elif function == "read_properties":
        assert as_json(harness.read_properties(tree, directory, setting)) == output["json"]
    elif function == "find_skill_md":
        assert str(harness.find_skill_md(tree, directory, setting)) == output["text"]
    elif params.get("all"):
        made = harness.to_prompt(tree, harness.directories(tree), setting)
        assert as_json(made) == (output["json"] if "json" in output else output["text"])
    else:
        assert harness.to_prompt(tree, params["dirs"], setting) == output["text"]
        if sorted(params["dirs"]) == [skill.directory for skill in harness.load(tree, setting).skills]:
            assert harness.listing(harness.load(tree, setting), setting).text == output["text"]
