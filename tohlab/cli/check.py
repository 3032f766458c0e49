"""`tohlab check`: which skill files load in which harness, why the others do not, and what mends them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, get_args

import click

from tohlab.dialects.harnesses import get_harness
from tohlab.dialects.installed import Layout
from tohlab.errors import SkillError
from tohlab.printable import printable
from tohlab.skills.checks import FileReport, check_tree

if TYPE_CHECKING:
    from tohlab.survival import Fate, Fix, Survey

OWN: Final = "toh"
"""The harness that decides unless told otherwise."""


@click.command("check", short_help="Which skill files load where, and why the others do not.")
@click.argument("directory", metavar="DIR", type=click.Path())
@click.option(
    "--dialect",
    "dialects",
    multiple=True,
    metavar="NAME",
    help="A harness to look at, or several with commas; may be repeated. All of them unless said.",
)
@click.option(
    "--require",
    "required",
    multiple=True,
    metavar="NAME",
    help="Harnesses in which every file has to load; they then decide the exit code.",
)
@click.option("--fix", "fix", is_flag=True, help="Print the repairs that help, as one diff.")
@click.option("--write", is_flag=True, help="With --fix: write the repairs into the files.")
@click.option("--all", "every", is_flag=True, help="A row for every file, not for those in trouble alone.")
@click.option(
    "--layout",
    type=click.Choice(get_args(Layout)),
    default="auto",
    show_default=True,
    help="Whether skills in deep folders are laid side by side first, as they are installed.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Every row and finding as JSON; with --fix the repairs."
)
@click.pass_context
def command(
    ctx: click.Context,
    directory: str,
    dialects: tuple[str, ...],
    required: tuple[str, ...],
    fix: bool,
    write: bool,
    every: bool,
    layout: Layout,
    as_json: bool,
) -> None:
    """Say of each skill file under DIR what becomes of it in each harness, and of each problem where it is
    and what to do.

    Four things can become of a file: it loads; it loads changed (another name, a cut or altered description);
    it loads hidden (the model is not told of it, or of its name alone); it is skipped. The lines with `error`
    and `warning` below the table are what TheOpen Harness says of DIR, each file at whatever depth.

    Exit codes: 0 all files load in TheOpen Harness (there may be warnings); 1 it skips at least one as the
    files lie (see --layout), finds an error in one, or one is not UTF-8, so that a model reads something else
    than its author wrote; 3 there are none. The column `toh` of the table and the lines with `error` decide,
    and the last line counts that column. With --require, the harnesses named there decide instead: 1 if a
    file is skipped by one of them. With --fix --write, that is said of the files as they are then.

    \b
    Examples:
      tohlab check path/to/skills
      tohlab check path/to/skills --dialect codex,pi --all
      tohlab check path/to/skills --require codex,pi
      cd path/to/skills && tohlab check . --fix | patch -p1
      tohlab check path/to/skills --json | jq '.rows[] | select(.outcome == "skipped")'
    """
    from tohlab.survival import survey

    if write and not fix:
        raise click.UsageError("--write goes with --fix")
    names, needed = _names(dialects, "--dialect"), _names(required, "--require")
    for name in needed:
        get_harness(name)
    reports = check_tree(directory)
    looked_at = list(dict.fromkeys([*names, *needed])) if names else None
    table = survey(directory, looked_at, layout=layout)
    if not table.files and not any(report.is_skill_file for report in reports):
        raise SkillError(
            f"no skills under {directory}: no SKILL.md at any depth and no .md file with frontmatter "
            "in the folder itself; give the folder that holds the skills"
        )
    if fix:
        mended = _fix(directory, table, names or needed, layout, write=write, as_json=as_json)
        if write and mended:
            reports, table = check_tree(directory), survey(directory, looked_at, layout=layout)
    elif as_json:
        _print_json({"skills": [_row(report) for report in reports], **table.to_dict()})
    own = _own_fates(table, directory, layout)
    if not fix and not as_json:
        from tohlab.cli.check_table import print_survey

        print_survey(table, reports, own, every=every)
    if _is_bad(reports, table, own, needed):
        ctx.exit(1)


def _names(given: Sequence[str], option: str) -> list[str]:
    names = [name.strip() for text in given for name in text.split(",")]
    if not all(names):
        raise click.UsageError(f"{option} wants the name of a harness, such as codex, or several with commas")
    return names


def _is_bad(reports: Sequence[FileReport], table: Survey, own: Sequence[Fate], needed: Sequence[str]) -> bool:
    if needed:
        return _is_skipped(fate for fate in table.fates if fate.harness in needed)
    problems = [problem for report in reports for problem in report.problems]
    return _is_skipped(own) or any(
        problem.level == "error" or problem.code == "not-utf8" for problem in problems
    )


def _is_skipped(fates: Iterable[Fate]) -> bool:
    return any(fate.outcome == "skipped" for fate in fates)


def _own_fates(table: Survey, directory: str, layout: Layout) -> tuple[Fate, ...]:
    """Return each file's fate in TheOpen Harness, which decides although its column may not be asked for."""
    from tohlab.survival import survey

    own = table if OWN in table.harnesses else survey(directory, [OWN], layout=layout)
    return tuple(fate for fate in own.fates if fate.harness == OWN)


def _fix(
    directory: str, table: Survey, wanted: Sequence[str], layout: Layout, *, write: bool, as_json: bool
) -> tuple[Fix, ...]:
    from tohlab.survival import fixes, write_fixes

    found = fixes(directory, wanted or None, layout=layout, progress=_progress())
    written = write_fixes(found, directory) if write else ()
    if as_json:
        rows: list[dict[str, Any]] = [fix.to_dict() for fix in found]
        _print_json({"fixes": rows, "written": [str(path) for path in written]})
    else:
        _print_diff("".join(fix.diff() for fix in found))
    lost = sum(
        any(fate.outcome == "skipped" and (not wanted or fate.harness in wanted) for fate in fates)
        for _, fates in table.by_file()
    )
    said = f"{len(found)} of {lost} files that some harness skips can be mended"
    what = f"; {len(written)} written" if write else ", nothing is written; add --write" if found else ""
    click.echo(said + what, err=True)
    return found


def _print_diff(text: str) -> None:
    if sys.stdout.isatty():  # a file or a pipe gets the bytes, so that the diff fits
        sys.stdout.write(printable(text.replace("\r\n", "\n"), lines=True))
        return
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()


def _progress() -> Any:
    if not sys.stderr.isatty():
        return None
    from rich.console import Console
    from rich.progress import track

    def wrap(paths: Iterable[str]) -> Iterable[str]:
        return track(paths, description="mending", console=Console(stderr=True), transient=True)

    return wrap


def _print_json(value: Any) -> None:
    sys.stdout.buffer.write(json.dumps(value, indent=2).encode() + b"\n")
    sys.stdout.buffer.flush()


def _row(report: FileReport) -> dict[str, Any]:
    return {
        "path": report.path,
        "name": report.name,
        "loads": dict(report.loads),
        "problems": [
            {
                "code": problem.code,
                "line": problem.line,
                "message": problem.message,
                "level": problem.level,
                "remedy": problem.remedy,
            }
            for problem in report.problems
        ],
    }
