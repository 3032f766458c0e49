"""What the program's shell gives for `cat FILE`, by which a model reads a skill; no command is ever run."""

from __future__ import annotations

import posixpath
import re
import shlex
from typing import Any, Final

from tohlab.dialects.codex.texts import COMMAND_RESULT
from tohlab.dialects.harness import Answer, FileTree, Setting
from tohlab.errors import UnsupportedByDialect

BYTES_A_TOKEN: Final = 4
OUTPUT_TOKENS: Final = 10_000
"""What the shell gives at most unless a call asks for another limit."""
ROOT_IN_PROJECT: Final = ".agents/skills"
"""Where the skills root is taken to be, seen from the folder in which commands run."""
_MORE_THAN_WORDS: Final = re.compile(r"[|&;<>$`*?\[\](){}~#!\n]")


def cat(arguments: Any, tree: FileTree, setting: Setting) -> Answer:
    """Return what a model reads for `cat` with one or more files of the tree; other files are not there.

    The id of the output and the time that it took differ from run to run; here both are zeros.

    Args:
        arguments: what the call of the shell was given; `cmd` is the command.
        tree: the files.
        setting: where the tree's root is.

    Raises:
        UnsupportedByDialect: any other command.
    """
    command = arguments.get("cmd") if isinstance(arguments, dict) else None
    if not isinstance(command, str) or _MORE_THAN_WORDS.search(command):
        raise _unsupported(command)
    try:
        words = shlex.split(command)
    except ValueError:
        raise _unsupported(command) from None
    if len(words) < 2 or words[0] != "cat" or any(word.startswith("-") for word in words[1:]):
        raise _unsupported(command)
    output, code = "", 0
    for word in words[1:]:
        path = _in_tree(word, setting)
        if path is not None and path in tree:
            output += tree[path].decode("utf-8", "replace")
            continue
        folder = path is not None and (path == "" or bool(tree.below(path)))
        output += f"cat: {word}: {'Is a directory' if folder else 'No such file or directory'}\n"
        code = 1
    tokens = -(-len(output.encode("utf-8")) // BYTES_A_TOKEN)
    limit = arguments.get("max_output_tokens", OUTPUT_TOKENS)
    notes = (f"the program cuts an output of more than {limit} tokens; this one is whole",)
    return Answer(
        text=COMMAND_RESULT.format(chunk="000000", seconds="0.0000", code=code, tokens=tokens, output=output),
        is_error=code != 0,
        notes=notes if tokens > limit else (),
    )


def _in_tree(word: str, setting: Setting) -> str | None:
    path = posixpath.normpath(word)
    if path == ROOT_IN_PROJECT or path.startswith(f"{ROOT_IN_PROJECT}/"):
        return path[len(ROOT_IN_PROJECT) + 1 :]
    return setting.inside(path)


def _unsupported(command: Any) -> UnsupportedByDialect:
    return UnsupportedByDialect(f"tohlab runs no commands; of a shell it answers `cat FILE`, not {command!r}")
