"""`tohlab ask`: a model's question, answered at the terminal or by a script."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tohlab.errors import ScriptError, TohlabError

if TYPE_CHECKING:
    from tohlab.questions import Asker


@click.command("ask")
@click.argument("file", metavar="FILE|-")
@click.option(
    "--script",
    metavar="ANSWERS",
    help="A JSON file that answers instead of a person: {question id: value}, or a list in order. A value is "
    'a label, own words, a list of labels, {"selected": [...], "custom": "..."}, null to skip, or '
    '{"dismiss": true}.',
)
@click.option("--dialect", default="toh", show_default=True, help="Whose wording.")
@click.option("--json", "as_json", is_flag=True, help="Print outcome, text, code and tokens as JSON.")
@click.pass_context
def command(ctx: click.Context, file: str, script: str | None, dialect: str, as_json: bool) -> None:
    """Ask what FILE asks, and print exactly what the model reads back, in UTF-8, with nothing added to it.

    FILE holds the arguments of a call of the tool that asks the user, as a model writes them: {"questions":
    [{"id", "question", "header"?, "options"?, "multi_select"?}]}. Question and prompt go to standard error.
    Exit code 1: the model reads an error, such as that the user cancelled. Answers of a script that no
    question asked for are named on standard error.

    \b
    Examples:
      tohlab ask question.json
      tohlab ask question.json --script answers.json
      tohlab ask question.json --script answers.json --json
      echo '{"questions": [{"id": "go", "question": "Go on?"}]}' | tohlab ask -
    """
    from tohlab.dialects import get_dialect
    from tohlab.tools import AskUserTool, outcome_of

    if file == script == "-":
        raise click.UsageError("only one of FILE and --script can be standard input")
    words = get_dialect(dialect)
    arguments = _read(file).removesuffix("\n").removesuffix("\r")
    with ExitStack() as opened:
        asker = _asker(file, script, opened)
        result = asyncio.run(AskUserTool(asker, words).call_text(arguments))
    if not result.is_error:
        _say_what_is_left(asker)
    outcome = outcome_of(result)
    if as_json:
        from tohlab.tokens import measure_ask

        row = {
            "outcome": str(outcome.outcome),
            "text": result.text,
            "code": result.code,
            "tokens": measure_ask(arguments, result.text, words).to_dict(),
        }
        click.echo(json.dumps(row, indent=2))
    else:
        # bytes, not echo: no newline at the end, whatever the locale
        sys.stdout.buffer.write(result.text.encode("utf-8", "surrogatepass"))
        sys.stdout.buffer.flush()
    if result.is_error:
        ctx.exit(1)


def _asker(file: str, script: str | None, opened: ExitStack) -> Asker:
    from tohlab.askers import ConsoleAsker, ScriptedAsker

    if script is not None:
        return ScriptedAsker.from_json(_script(script))
    if file != "-":
        return ConsoleAsker()
    try:  # standard input is taken by FILE, so the person is asked where the terminal itself is
        return ConsoleAsker(terminal=opened.enter_context(Path("/dev/tty").open(encoding="utf-8")))
    except OSError:
        return ConsoleAsker()


def _script(path: str) -> Any:
    text = _read(path)
    try:
        return json.loads(text)
    except ValueError as error:
        raise ScriptError(f"{path} is not JSON: {error}") from None
    except RecursionError:
        raise ScriptError(f"{path} is nested too deeply to be a script") from None


def _say_what_is_left(asker: Asker) -> None:
    """Tell of answers in a script that no question asked for: most likely an id changed."""
    from tohlab.askers import ScriptedAsker

    if isinstance(asker, ScriptedAsker):
        try:
            asker.assert_all_used()
        except ScriptError as error:
            click.echo(f"tohlab: {error}", err=True)


def _read(path: str) -> str:
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise TohlabError(f"{path} cannot be read: {error.strerror}") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        name = "standard input" if path == "-" else path
        raise TohlabError(f"{name} is not UTF-8 at byte {error.start:,}; save it as UTF-8") from None
