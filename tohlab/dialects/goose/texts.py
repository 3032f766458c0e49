"""Every text that goose sends, whole, and the numbers and placeholders that go with them."""

# ruff: noqa: E501  the texts stand whole and unbroken, as the model reads them

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from tohlab.dialects.substitution import Substitution

HEAD: Final = "\n\nYou have these skills at your disposal, when it is clear they can help you solve a problem or you are asked to use them:\n"
ENTRY: Final = "• {name} - {description}"

DESCRIPTION: Final = """\
Load a skill's full content into your context so you can follow its instructions.

Skills are listed in your system instructions. When you need to use one, load it first to get the detailed instructions.

Examples:
- load_skill(name: "gdrive") → Loads the gdrive skill instructions
- load_skill(name: "my-skill", args: "the arguments for the skill") → Loads a skill with arguments
- load_skill(name: "my-skill/template.md") → Loads a supporting file"""
PARAMETERS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {
                "type": "string",
                "description": 'Name of the skill to load. Use "skill-name/path" to load a supporting file.',
            },
            "args": {
                "type": "string",
                "description": "Optional arguments to provide when loading the skill.",
            },
        },
    }
)

LOADED: Final = "# Loaded Skill: {name} (skill)\n\n{description}\n\n## Content\n\n{body}\n"
FILES: Final = """\

## Supporting Files

Skill directory: {directory}

Relative paths in this skill resolve from the skill directory. The shell tool runs in the session working directory, so use the resolved path below or `cd` into the skill directory before running supporting scripts.

"""
FILE: Final = '- {file} → {path} (load_skill(name: "{name}/{file}"))\n'
LOADED_FILE: Final = "# Loaded: {asked}\n\n{content}\n\n---\nFile loaded into context."

MISSING_NAME: Final = "Missing required parameter: name"
NOT_FOUND: Final = "Skill '{name}' not found."
GUESSES: Final = " Did you mean: {names}?"
NO_FILES: Final = "Skill '{name}' has no supporting files."
FILE_NOT_FOUND: Final = "File '{asked}' not found. Available: {files}"
FILE_UNREADABLE: Final = "Failed to read '{asked}': {reason}"
FILE_TOO_LARGE: Final = "supporting file exceeds the maximum size of {limit} characters"
NOT_UTF8: Final = "invalid utf-8 sequence of {count} bytes from index {at}"
CUT_UTF8: Final = "incomplete utf-8 byte sequence from index {at}"
BAD_ARGUMENTS: Final = "Failed to parse skill arguments: Unmatched quote in command"
MAX_GUESSES: Final = 3
MAX_FILES: Final = 10
MAX_RESPONSE_CHARS: Final = 200_000
"""Of a supporting file with the words around it (`GOOSE_MAX_TOOL_RESPONSE_SIZE`)."""

SUBSTITUTION: Final = Substitution(
    words="leading",
    below="empty",
    indexed=True,
    named=True,
    hyphen_names=True,
    whole_arguments=True,
    append="\n\nARGUMENTS: {arguments}",
    append_empty=True,
)
