"""Tools that a model calls: arguments in, the text that the model reads back out.

`SkillTool` loads skills, `AskUserTool` asks the user; both answer in a dialect's words and never raise for
what a model may do wrong. `ToolSurface` says which tools a model has.
"""

from tohlab.dialects.schema import violations
from tohlab.signals import AbortSignal
from tohlab.tools.ask import AskUserTool, outcome_of
from tohlab.tools.result import ToolResult, failure, parse_arguments
from tohlab.tools.skill import SkillTool
from tohlab.tools.surface import Restriction, ToolSurface

__all__ = [
    "AbortSignal",
    "AskUserTool",
    "Restriction",
    "SkillTool",
    "ToolResult",
    "ToolSurface",
    "failure",
    "outcome_of",
    "parse_arguments",
    "violations",
]
