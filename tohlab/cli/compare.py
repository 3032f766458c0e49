"""`tohlab compare`: two harnesses over one folder, side by side."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from tohlab.cli._harness import harness_options, origin_line, print_whole, shown, skills_tree
from tohlab.tokens.encodings import DEFAULT_ENCODING

if TYPE_CHECKING:
    from tohlab.compare import Difference, HarnessView
    from tohlab.dialects.installed import Layout

_MARKS = {"same": " ", "changed": "~", "removed": "-", "added": "+"}
LONGEST_CELL = 90


@click.command("compare")
@click.argument("directory", metavar="DIR")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--encoding", default=DEFAULT_ENCODING, show_default=True, help="A tiktoken encoding.")
@click.option("--text", "with_text", is_flag=True, help="Also both lists, line by line: - is A's, + is B's.")
@harness_options
@click.option("--json", "as_json", is_flag=True, help="Print all of it as JSON.")
def command(
    directory: str,
    a: str,
    b: str,
    encoding: str,
    with_text: bool,
    window_tokens: int,
    layout: Layout,
    root: str,
    bundled: bool,
    as_json: bool,
) -> None:
    """What two harnesses A and B make of the skills under DIR: which files load and which are listed, under
    which names and descriptions, and what it costs in each.

    The names of the harnesses: tohlab tokens DIR --dialect all.

    \b
    Examples:
      tohlab compare path/to/skills codex claude-code
      tohlab compare path/to/skills codex claude-code --window 64000 --text
      tohlab compare path/to/skills pi roo --json
    """
    from tohlab.compare import compare_harnesses, difference
    from tohlab.tokens import get_meter

    comparison = compare_harnesses(
        skills_tree(directory),
        [a, b],
        window_tokens=window_tokens,
        meter=get_meter(encoding),
        layout=layout,
        root=root,
        bundled=bundled,
    )
    found = difference(*comparison.views)
    if as_json:
        click.echo(json.dumps({"meter": comparison.meter, **found.to_dict()}, indent=2))
        return
    _print(found)
    if with_text:
        _print_text(found)


def _print(found: Difference) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from tohlab.cli._console import make_console

    console = make_console(highlight=False, emoji=False)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("", no_wrap=True)
    for view in (found.a, found.b):
        table.add_column(Text(view.harness), overflow="fold")
    for label, of in _FACTS:
        one, other = of(found.a), of(found.b)
        table.add_row(label, Text(shown(one)), Text(shown(other)), style=None if one == other else "bold")
    print_whole(console, table)
    rows = [skill for skill in found.skills if skill.differs]
    if rows:
        table = Table(
            title=f"{len(rows):,} of {len(found.skills):,} files differ",
            title_justify="left",
            title_style="bold",
            box=box.SIMPLE_HEAD,
            pad_edge=False,
        )
        for name in ("file", "differs", found.a.harness, found.b.harness):
            table.add_column(Text(name), overflow="fold")
        for skill in rows:
            left = _side(skill.differs, skill.a_state, skill.a_name, skill.a_description, skill.a_why)
            right = _side(skill.differs, skill.b_state, skill.b_name, skill.b_description, skill.b_why)
            table.add_row(
                Text(shown(skill.path)), ", ".join(skill.differs), Text(shown(left)), Text(shown(right))
            )
        print_whole(console, table)
    else:
        console.print(f"All {len(found.skills):,} files are taken alike: same states, names, descriptions.")
    same = "the same text" if found.is_same_text else "different texts: --text shows them"
    console.print(f"The two lists are {same}.")


def _side(differs: tuple[str, ...], state: str, name: str | None, description: str | None, why: str) -> str:
    parts = []
    if "state" in differs:
        parts.append(state or "not looked at")
        if why:
            parts.append(why)
    if "name" in differs and name is not None:
        parts.append(f"name {name}")
    if "description" in differs and "state" not in differs:
        parts.append("no description" if description is None else f"“{description}”")
    text = "; ".join(" ".join(part.split()) for part in parts)
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"


def _count(view: HarnessView, states: tuple[str, ...]) -> str:
    return f"{sum(row['state'] in states and not row['bundled'] for row in view.rows()):,}"


_FACTS: tuple[tuple[str, Any], ...] = (
    ("program", origin_line),
    ("list sits in", lambda view: view.place),
    ("on a change", lambda view: view.on_change),
    ("listed", lambda view: _count(view, ("listed", "cut"))),
    ("cut", lambda view: _count(view, ("cut",))),
    ("dropped", lambda view: _count(view, ("dropped",))),
    ("hidden", lambda view: _count(view, ("hidden",))),
    ("skipped", lambda view: _count(view, ("skipped",))),
    ("its own skills", lambda view: f"{sum(entry.bundled for entry in view.entries):,}"),
    ("tool tokens", lambda view: f"{view.tools_tokens:,}"),
    ("list tokens", lambda view: f"{view.listing_tokens:,}"),
    ("total tokens", lambda view: f"{view.total_tokens:,}"),
)


def _print_text(found: Difference) -> None:
    for line in found.lines:
        mark = _MARKS[line.kind]
        if line.kind in ("same", "removed", "added"):
            text = line.a if line.a is not None else line.b or ""
            _echo(mark, text)
        else:
            _echo("-", line.a or "")
            _echo("+", line.b or "")


def _echo(mark: str, text: str) -> None:
    for row in text.removesuffix("\n").split("\n"):
        click.echo(f"{mark} {shown(row)}")
