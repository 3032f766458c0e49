"""The command line: each command parses, calls one function of a room, and prints.

A command's module is loaded when the command is used, so that `tohlab --help` is quick. Exit codes: 0 done,
1 the answer is "no" or something was not reached, 2 the command line is wrong, 3 an input or a service
failed, 130 stopped by hand.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from tohlab import __version__
from tohlab.errors import RunInterrupted, TohlabError
from tohlab.printable import printable

SIGPIPE_CODE = 141
"""What a shell says of a program that a closed pipe ended."""

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
    with _patient_output():
        return _run(argv)


def _run(argv: list[str] | None) -> Any:
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
    except BrokenPipeError:  # not one of the streams below, so nothing says what the command decided
        return SIGPIPE_CODE
    except OSError as error:  # files are the rooms' own errors, so this is the output
        _complain(f"the output cannot be written: {error.strerror or error}")
        return 3
    return code if isinstance(code, int) else 0


class _Patient(io.FileIO):
    """A stream that goes nowhere once nobody reads on, so that a command still finishes what it decides.

    Python's own advice for a closed pipe is the same: let the descriptor lead to the null device.
    """

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data) or 0
        except BrokenPipeError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return len(memoryview(data).cast("B"))


@contextlib.contextmanager
def _patient_output() -> Iterator[None]:
    """Let neither a sign nor a reader stop a command.

    What a terminal's encoding does not have becomes `?`. With its output closed, from the start or in the
    middle, a command still does its work and keeps its exit code.
    """
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 (for the whole process)
    before = sys.stdout, sys.stderr
    for stream in before:
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")
    sys.stdout, sys.stderr = (_patient(stream) for stream in before)
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and stream not in before:
                with contextlib.suppress(OSError):  # said already, where it can be said
                    stream.flush()
        sys.stdout, sys.stderr = before


def _patient(stream: Any) -> Any:
    if stream is None or stream not in (sys.__stdout__, sys.__stderr__) or os.name == "nt":
        return stream  # a test's or a notebook's own
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_Patient(stream.fileno(), "w", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def _complain(message: object) -> None:
    """Print a message; what files and services put into it cannot steer a terminal."""
    click.echo(f"tohlab: {printable(str(message), lines=True)}", err=True)
