"""What Hermes Agent 0.19.0 says to a model, whole, and its fixed lists.

Taken 2026-12-01 from PyPI `hermes-agent` 0.19.0 (MIT): `agent/prompt_builder.py`, `agent/skill_utils.py`,
`agent/skill_commands.py`, `tools/skills_tool.py`, `hermes_cli/commands.py`.
"""

# ruff: noqa: E501, SIM905  the texts stand whole and unbroken, as the model reads them

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

HEAD: Final = """\
## Skills (mandatory)
Before replying, scan the skills below. If a skill matches or is even partially relevant to your task, you MUST load it with skill_view(name) and follow its instructions. Err on the side of loading — it is always better to have context you don't need than to miss critical steps, pitfalls, or established workflows. Skills contain specialized knowledge — API endpoints, tool-specific commands, and proven workflows that outperform general-purpose approaches. Load the skill even if you think you could handle the task with basic tools like web_search or terminal. Skills also encode the user's preferred approach, conventions, and quality standards for tasks like code review, planning, and testing — load them even for tasks you already know how to do, because the skill defines how it should be done here.
Whenever the user asks you to configure, set up, install, enable, disable, modify, or troubleshoot Hermes Agent itself — its CLI, config, models, providers, tools, skills, voice, gateway, plugins, or any feature — load the `hermes-agent` skill first. It has the actual commands (e.g. `hermes config set …`, `hermes tools`, `hermes setup`) so you don't have to guess or invent workarounds.
If a skill has issues, fix it with skill_manage(action='patch').
After difficult/iterative tasks, offer to save as a skill. If a skill you loaded was missing steps, had wrong commands, or needed pitfalls you discovered, update it before finishing.

<available_skills>
"""
TAIL: Final = """\
</available_skills>

Only proceed without loading a skill if genuinely none are relevant to the task."""
NAMES_ONLY_NOTE: Final = """
(Categories marked [names only] are outside the current coding context, so their descriptions are omitted — the skills work normally and load with skill_view(name) as usual.)"""

SKILLS_LIST: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "name": "skills_list",
        "description": "List available skills (name + description). Use skill_view(name) to load full content.",
        "parameters": {
            "type": "object",
            "properties": {
                "category": {"type": "string", "description": "Optional category filter to narrow results"}
            },
            "required": [],
        },
    }
)
SKILL_VIEW: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "name": "skill_view",
        "description": "Skills allow for loading information about specific tasks and workflows, as well as scripts and templates. Load a skill's full content or access its linked files (references, templates, scripts). First call returns SKILL.md content plus a 'linked_files' dict showing available references/templates/scripts. To access those, call again with file_path parameter.",
        "parameters": {
            "type": "object",
            "properties": {
                "name": {
                    "type": "string",
                    "description": "The skill name (use skills_list to see available skills). For plugin-provided skills, use the qualified form 'plugin:skill' (e.g. 'superpowers:writing-plans').",
                },
                "file_path": {
                    "type": "string",
                    "description": "OPTIONAL: Path to a linked file within the skill (e.g., 'references/api.md', 'templates/config.yaml', 'scripts/validate.py'). Omit to get the main SKILL.md content.",
                },
            },
            "required": ["name"],
        },
    }
)
LIST_HINT: Final = "Use skill_view(name) to see full content, tags, and linked files"
NO_SKILLS: Final = "No skills found in skills/ directory."

LISTED_CHARS: Final = 60
"""A description longer than this is cut in the system prompt, to 57 and three dots."""
LIST_CHARS: Final = 1024
"""The same for `skills_list`, to 1,021 and three dots."""
NAME_CHARS: Final = 64
"""Where `skills_list` cuts a name."""
LIST_READS_CHARS: Final = 4000
"""How much of a file `skills_list` reads; frontmatter that is longer is none for it."""

EXCLUDED: Final = frozenset(
    ".git .github .hub .archive .venv venv node_modules site-packages __pycache__ .tox .nox .pytest_cache .mypy_cache .ruff_cache".split()
)
"""Folders whose files are never skills."""
SUPPORT: Final = ("references", "templates", "assets", "scripts")
"""Folders of a skill whose files are its own, never skills."""
GATES: Final = (
    ("fallback_for_toolsets", False),
    ("fallback_for_tools", False),
    ("requires_toolsets", True),
    ("requires_tools", True),
)
"""The lists under `metadata.hermes` that show or hide a skill, and whether what they name has to be there."""

# What `skill_view` and a user's command answer.

LOOKUP_HINT: Final = "Use a skill name or relative path within the skills directory."
NOT_TEXT: Final = "Skill name must be a string."
NOT_RELATIVE: Final = "Skill name must be a relative path within the skills directory."
TRAVERSAL: Final = "Skill name cannot contain '..' path traversal components."
NAMESPACE: Final = "Invalid namespace '{namespace}' in '{name}'. Namespaces must match [a-zA-Z0-9_-]+."
AMBIGUOUS: Final = "Ambiguous skill name '{name}': {count} skills match across your local skills dir and external_dirs. Refusing to guess — load one explicitly by its categorized path."
AMBIGUOUS_HINT: Final = "Pass the full relative path instead of the bare name (e.g., 'category/skill-name'), or rename one of the colliding skills so each name is unique."
NOT_FOUND: Final = "Skill '{name}' not found."
NOT_FOUND_HINT: Final = "Use skills_list to see all available skills"
UNREADABLE: Final = "Failed to read skill '{name}': {error}"
OTHER_PLATFORM: Final = "Skill '{name}' is not supported on this platform."
DISABLED: Final = (
    "Skill '{name}' is disabled. Enable it with `hermes skills` or inspect the files directly on disk."
)
FILE_TRAVERSAL: Final = "Path traversal ('..') is not allowed."
FILE_TRAVERSAL_HINT: Final = "Use a relative path within the skill directory"
FILE_ESCAPES: Final = "Path escapes allowed directory: '{path}' is not in the subpath of '{directory}'"
FILE_NOT_FOUND: Final = "File '{file}' not found in skill '{name}'."
FILE_NOT_FOUND_HINT: Final = "Use one of the available file paths listed above"
BINARY: Final = "[Binary file: {name}, size: {size} bytes]"
USAGE_HINT: Final = "To view linked files, call skill_view(name, file_path) where file_path is e.g. 'references/api.md' or 'assets/config.yaml'"
SETUP_NOTE: Final = "Setup needed before using this skill: missing {missing}."

INVOKED: Final = '[IMPORTANT: The user has invoked the "{name}" skill, indicating they want you to follow its instructions. The full skill content is loaded below.]'
STACKED: Final = '[IMPORTANT: The user has invoked the "{typed}" stacked skill bundle, loading {count} skills together. Treat every skill below as active guidance for this turn.]\n\nSkills loaded: {names}'
STACKED_MISSING: Final = "\nSkills missing (skipped): {names}"
STACKED_WORDS: Final = "\n\nUser instruction: {words}"
STACKED_PART: Final = '[Loaded as part of the stacked skill invocation "{name}".]'
DIRECTORY: Final = "[Skill directory: {directory}]\nResolve any relative paths in this skill (e.g. `scripts/foo.js`, `templates/config.yaml`) against that directory, then run them with the terminal tool using the absolute path."
SUPPORTING: Final = '[This skill has supporting files:]\n{files}\n\nLoad any of these with skill_view(name="{target}", file_path="<path>"), or run scripts directly by absolute path (e.g. `node {directory}/scripts/foo.js`).'
SETUP: Final = "[Skill setup note: {note}]"
WORDS: Final = "The user has provided the following instruction alongside the skill invocation: {words}"

MAX_STACKED: Final = 5
"""How many skills one line of a user may start."""
MAX_NAMES: Final = 20
"""How many names a miss shows."""
COMMANDS: Final = frozenset(
    "agents background bg blueprint bp branch browser btw bundles busy clear codex-runtime codex_runtime compact compose compress config copy cron curator debug exit fast footer fork gateway generate-pet goal handoff hatch help history image indicator insights journey kanban learn learning memory memory-graph moa model new paste personality pet platforms plugins profile prompt q queue quit reasoning redraw reload reload-mcp reload-skills reload_mcp reload_skills reset resume retry rollback save sb sessions skills skin snap snapshot status statusbar steer stop subgoal subscription suggest suggestions tasks timestamps title tools toolsets topup ts undo update upgrade usage v verbose version voice whoami yolo".split()
)
"""The program's own commands in a terminal; a skill of that name has no command."""
CHAT_COMMANDS: Final = frozenset(
    "approve commands deny platform restart set-home sethome start topic".split()
)
"""Commands of its chat gateways alone; they too take a skill's command."""

LINKED: Final[Mapping[str, tuple[bool, tuple[str, ...]]]] = {
    "references": (False, (".md",)),
    "templates": (True, (".md", ".py", ".yaml", ".yml", ".json", ".tex", ".sh")),
    "assets": (True, ("",)),
    "scripts": (False, (".py", ".sh", ".bash", ".js", ".ts", ".rb")),
}
"""The folders whose files are named, whether at any depth, and the endings, in the order of the answer."""
OTHER_SUFFIXES: Final = frozenset((".md", ".py", ".yaml", ".yml", ".json", ".tex", ".sh"))
PLATFORMS: Final[Mapping[str, str]] = {"macos": "darwin", "linux": "linux", "windows": "win32"}
ENVIRONMENTS: Final = frozenset(("kanban", "docker", "s6"))
