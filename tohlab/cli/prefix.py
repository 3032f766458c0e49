"""`tohlab prefix`: what a change to one skill does to the prompt cache, or where two requests part."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tohlab.cli._look import look, note_problems
from tohlab.errors import PrefixError, RequestError, SkillError
from tohlab.tokens.encodings import DEFAULT_ENCODING

if TYPE_CHECKING:
    from tohlab.edits import EditCost
    from tohlab.prefix import PrefixComparison
    from tohlab.request import Request

EDITS = ("add", "edit", "remove", "reorder")
FURTHER = ("append", "insert", "tool-text", "tool-order", "clock", "prune", "compact", "dialect")


class _Share(click.FloatRange):
    """A share from 0 to 1. `FloatRange` lets `nan` through, below which nothing lies."""

    name = "share"

    def __init__(self) -> None:
        super().__init__(0, 1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        share: float = super().convert(value, param, ctx)
        if math.isnan(share):
            self.fail(f"{value!r} is not a number from 0 to 1.", param, ctx)
        return share


@click.command("prefix")
@click.argument("directory", metavar="[DIR]", required=False)
@click.option(
    "--edit", "edit", type=click.Choice([*EDITS, *FURTHER, "all"]), default="all", show_default=True
)
@click.option("--skill", metavar="NAME", help="Which skill changes; without it the catalog's middle one.")
@click.option(
    "--dialect",
    default="toh",
    show_default=True,
    help="Whose wording and lifecycle; with --policy also any harness, plain (no program's), or all.",
)
@click.option(
    "--policy",
    "policies",
    metavar="NAME",
    multiple=True,
    help="Whose cache, as often as you like, or all: what a session of 30 turns reads after the edit.",
)
@click.option("--price", metavar="MODEL", help="By whose price; without it each cache's own list price.")
@click.option("--prices", type=click.Path(path_type=Path), help="Your own table of prices, TOML or JSON.")
@click.option(
    "--on",
    type=click.DateTime(formats=["%Y-%m-%d"]),
    metavar="DAY",
    help="The day on which the prices shall hold, such as 2026-12-01; today (UTC) unless given.",
)
@click.option(
    "--when",
    type=click.Choice(["session", "resume"]),
    default="session",
    show_default=True,
    help="The session runs on, or a new process takes it up again (with --policy).",
)
@click.option(
    "--session", type=click.Path(path_type=Path), help="A recorded session, JSON or JSON lines; see below."
)
@click.option(
    "--model",
    metavar="NAME",
    help="Judge the session as if this model had been asked, whatever its bodies name.",
)
@click.option(
    "--fail-under",
    type=_Share(),
    metavar="SHARE",
    help="Exit with 1 where a chosen edit, or the session, keeps a smaller share, 0 to 1.",
)
@click.option("--figure", type=click.Path(path_type=Path), help="Draw the table there: .png, .svg or .pdf.")
@click.option("--encoding", default=DEFAULT_ENCODING, show_default=True, help="A tiktoken encoding.")
@click.option("--before", type=click.Path(path_type=Path), help="The earlier request, a JSON file.")
@click.option("--after", type=click.Path(path_type=Path), help="The later request, a JSON file.")
@click.option("--json", "as_json", is_flag=True, help="Print the same rows as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    directory: str | None,
    edit: str,
    skill: str | None,
    dialect: str,
    encoding: str,
    before: Path | None,
    after: Path | None,
    as_json: bool,
    **costs: Any,
) -> None:
    """What adding, editing, removing or reordering one skill under DIR does to the prompt cache: in a running
    session, and at the start of the next one.

    With --before and --after: where two requests part, and how many tokens they share. They are bodies as in
    a session's file.

    The shared prefix is the most that a cache can reuse; engines and providers may reuse less. With --policy:
    what they do reuse of a session of our own, 30 turns long, with these skills, and what it costs. With
    --session: whether a recorded session only grows, and what each edit would cost it.

    A session's file has one request body a line, oldest first: as it was sent to OpenAI's chat completions
    ("messages", "tools") or to Anthropic's Messages ("system", "tools" with "input_schema", blocks,
    "cache_control"); "model" and settings count. In the body, or beside it in {"request": body, ...}, may
    stand "timestamp" ("2026-12-01T12:00:15Z", or "at_s" in seconds; without them 15 s lie between two), and
    "usage" as the API reported it. One body alone with answers in it is a whole conversation; without any it
    is a first request, which has nothing to read: told is what it writes. To try it:

    \b
      cat > session.jsonl <<'END'
      {"messages": [{"role": "user", "content": "Hi."}]}
      {"messages": [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Yo."}]}
      END
      tohlab prefix --session session.jsonl --policy openai

    Exit codes: 0 done, 1 a share is below --fail-under, 3 an input is wrong.

    \b
    Examples:
      tohlab prefix path/to/skills
      tohlab prefix path/to/skills --edit remove --skill pdf
      tohlab prefix path/to/skills --policy openai --policy anthropic --dialect codex
      tohlab prefix path/to/skills --policy vllm --edit add --fail-under 0.95
      tohlab prefix --session session.jsonl --fail-under 0.95
      tohlab prefix --before monday.json --after tuesday.json --json
    """
    given = {name for name in ("edit", "dialect", "skill", "when") if _given(ctx, name)}
    if (before is None) != (after is None):
        raise click.UsageError("--before and --after go together")
    if costs["on"] is not None and not costs["policies"]:
        raise click.UsageError("--on needs --policy: it is the day whose prices are meant")
    session = costs["session"]
    if (directory is not None) + (before is not None) + (session is not None) != 1:
        raise click.UsageError("give one of: DIR, --session, or --before and --after")
    if (costs["price"] or costs["prices"]) and not costs["policies"]:
        raise click.UsageError("--price and --prices need --policy, since caches price their reads apart")
    if session is not None and given - {"edit"}:
        raise click.UsageError(
            "--dialect, --skill and --when need DIR: a recorded session is of no harness that is known"
        )
    if costs["model"] is not None and session is None:
        raise click.UsageError("--model needs --session: it is the model of its bodies that is meant")
    asked = any(costs[name] for name in ("policies", "session", "figure")) or costs["fail_under"] is not None
    if before is None and (asked or edit in FURTHER or dialect == "all"):
        from tohlab.cli.prefix_costs import Asked, answer

        ctx.exit(
            answer(
                Asked(
                    directory=directory,
                    edits=None if edit == "all" else (edit,),
                    skill=skill,
                    dialect=dialect,
                    encoding=encoding,
                    as_json=as_json,
                    **costs,
                )
            )
        )
    if before is not None and (asked or given):
        raise click.UsageError("--before and --after are compared as they are, without any other option")
    if "when" in given:
        raise click.UsageError("--when needs --policy; without one both moments are shown")
    if before is not None and after is not None:
        _compare(before, after, encoding, as_json)
    elif directory is not None:
        _check_dialect(dialect)
        _edits(directory, edit, skill, dialect, encoding, as_json)


def _given(ctx: click.Context, name: str) -> bool:
    """Whether an option was given, and is not just what it is by default."""
    return ctx.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT


def _check_dialect(dialect: str) -> None:
    """Of a table without a cache, which the older dialects have alone."""
    from tohlab.cli.prefix_costs import EVERY, PLAIN_NAME
    from tohlab.dialects import dialect_names
    from tohlab.dialects.harnesses import harness_names
    from tohlab.dialects.registry import check_name

    check_name(dialect, (*harness_names(), PLAIN_NAME, EVERY))
    taken = dialect_names()
    if dialect not in taken:
        raise click.UsageError(
            f"--dialect {dialect} needs --policy; without one it is {' or '.join((*taken, EVERY))}"
        )


def _edits(directory: str, edit: str, skill: str | None, dialect: str, encoding: str, as_json: bool) -> None:
    from tohlab.edits import EDITS as ALL
    from tohlab.edits import what_edits_cost
    from tohlab.skills.sources import FilesystemSource
    from tohlab.tokens import get_meter

    source = FilesystemSource.tree(directory)
    snapshot = look(source, directory)
    edits = [each for each in ALL if edit in (each, "all")]
    meter = get_meter(encoding)
    rows = what_edits_cost(source, dialect, meter, skill=skill, edits=edits, snapshot=snapshot)
    if not rows:
        raise SkillError(f"{directory} has no skill that a model may load, so there is no catalog to change")
    if as_json:
        head = {"encoding": meter.name, "dialect": dialect, "rows": [row.to_dict() for row in rows]}
        click.echo(json.dumps(head, indent=2))
        return
    _print_edits(rows, meter.name)
    note_problems(snapshot, directory)


def _print_edits(rows: tuple[EditCost, ...], encoding: str) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from tohlab.cli._console import make_console
    from tohlab.cli._harness import print_whole
    from tohlab.tokens.measure import RENDERER

    table = Table(
        title=f'Changes to "{rows[0].skill}", in tokens ({encoding}, {RENDERER} renderer)',
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for name in ("change", "moment"):
        table.add_column(name, no_wrap=True)
    for name in ("before", "after", "shared", "lost", "added"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        counts = (row.before_tokens, row.after_tokens, row.shared_tokens, row.lost_tokens)
        table.add_row(row.edit, row.moment, *(f"{n:,}" for n in counts), f"{row.added_tokens:+,}")
    console = make_console()
    print_whole(console, table)
    for row in rows:
        console.print(Text(f"- {_printable(row.sentence)}"))


def _compare(before: Path, after: Path, encoding: str, as_json: bool) -> None:
    from tohlab.prefix import compare_prefix
    from tohlab.tokens import get_meter

    comparison = compare_prefix(_read(before), _read(after), get_meter(encoding))
    if as_json:
        click.echo(json.dumps(comparison.to_dict(), indent=2))
        return
    _print_comparison(comparison)


def _print_comparison(comparison: PrefixComparison) -> None:
    click.echo(_printable(comparison.sentence))
    click.echo(
        f"shared {comparison.shared_tokens:,} of {comparison.after_tokens:,} tokens "
        f"({comparison.reused_share:.1%}); before {comparison.before_tokens:,}; "
        f"{comparison.meter}, {comparison.renderer} renderer, without a chat template's own tokens"
    )
    where = comparison.divergence
    if where is not None:
        click.echo(f"path   {_printable(where.path)}, character {where.character:,}, token {where.token:,}")
        click.echo(f"before {_printable(json.dumps(where.before, ensure_ascii=False))}")
        click.echo(f"after  {_printable(json.dumps(where.after, ensure_ascii=False))}")


def _printable(text: str) -> str:
    """The text as a terminal may have it; half of a pair of surrogates is U+FFFD, a whole one its sign."""
    from tohlab.ecma import to_well_formed
    from tohlab.printable import printable

    return printable(to_well_formed(text))


def _read(path: Path) -> Request:
    from tohlab.request import READ, read_body

    remedy = f"give one of these: {READ}"
    try:
        data: Any = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise PrefixError(f"{path}: cannot be read ({error.strerror or error})") from error
    except UnicodeDecodeError as error:
        raise PrefixError(f"{path}: not UTF-8 at byte {error.start:,}; {remedy}") from error
    except json.JSONDecodeError as error:
        raise PrefixError(
            f"{path}:{error.lineno}: not JSON, column {error.colno} ({error.msg}); {remedy}"
        ) from error
    except ValueError as error:
        raise PrefixError(f"{path}: not JSON ({error}); {remedy}") from error
    except RecursionError as error:
        raise PrefixError(f"{path}: nested too deeply to be a request; {remedy}") from error
    try:
        return read_body(data).request
    except RequestError as error:
        raise PrefixError(f"{path}: {error.what}; {remedy}") from error
