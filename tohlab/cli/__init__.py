"""The command line: each command parses, calls one function of a room, and prints.

A command's module is loaded when the command is used, so that `tohlab --help` is quick. Exit codes: 0 done,
1 the answer is "no" or something was not reached, 2 the command line is wrong, 3 an input or a service
failed, 130 stopped by hand.
"""

from __future__ import annotations

import importlib
import io
import os
import sys
from pathlib import Path
from typing import Any

import click

from tohlab import __version__
from tohlab.errors import RunInterrupted, TohlabError
from tohlab.printable import printable

COMMANDS = {
    "render": "The exact text that a model reads.",
    "check": "Which skill files load where, and why the others do not.",
    "tokens": "What the list of skills and their tools cost, in one harness or in all sixteen.",
    "compare": "Two harnesses over one folder: files, names, descriptions, tokens.",
    "prefix": "What a change to one skill does to the prompt cache.",
    "ask": "A model's question, answered at the terminal or by a script.",
    "route": "How often the right skill gets picked.",
    "report": "All of it for one folder, in the terminal and as one HTML page.",
    "model": "A live model on this machine: fetch, start, stop.",
}


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"tohlab.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tohlab")
def main() -> None:
    """Shows what a model sees of an agent's skills, what it costs, what breaks the prompt cache, and whether
    the right skill gets picked.

    \b
    Examples:
      tohlab report                     our own library: summary and HTML page
      tohlab report path/to/skills      the same for your skills
      tohlab render path/to/skills      the exact catalog text
    """


def run(argv: list[str] | None = None) -> Any:
    """Run the command line and return its exit code; an expected failure is a message, not a traceback."""
    _prepare_output()
    try:
        code = main.main(args=argv, prog_name="tohlab", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        return 130
    except RunInterrupted as error:
        _complain(error)
        return 130
    except TohlabError as error:
        _complain(error)
        return 3
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except SystemExit as stop:
        # rich ends the program itself where nobody reads on; that is no failure of a command.
        if isinstance(stop.__context__, BrokenPipeError):
            return 0
        raise
    except OSError as error:  # files are the rooms' own errors, so this is the output
        _complain(f"the output cannot be written: {error.strerror or error}")
        return 3
    return code if isinstance(code, int) else 0


def _prepare_output() -> None:
    """Let no sign stop a command: what a terminal's encoding does not have becomes `?`, and with its output
    closed a command still does its work."""
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 (for the whole process)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")


def _complain(message: object) -> None:
    """Print a message; what files and services put into it cannot steer a terminal."""
    click.echo(f"tohlab: {printable(str(message), lines=True)}", err=True)
