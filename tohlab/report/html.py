"""A `Report` as one self-contained HTML page.

The page asks nothing of any network: its Content-Security-Policy refuses everything but the one style and the
one script whose hashes it names, so that not even a fault in escaping could run something from a skill. The
same report gives the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
from bisect import bisect_left
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tohlab.errors import TohlabError
from tohlab.report.figures import confusion_figure, mistakes
from tohlab.report.markup import environment, has_odd_characters, number, share
from tohlab.report.model import FileStatus, Report, RoutingRun

MOST_ROWS = 100
"""Longer token tables show the dearest first and keep the whole in a closed part of the page."""


def page(report: Report) -> str:
    """Return the page's text.

    Raises:
        MissingExtra: jinja2 is not installed.
    """
    from markupsafe import Markup

    env = environment()
    style, script = asset("page.css", "parts.css", "page-media.css"), asset("page.js")
    entry_tokens = [row.entry_tokens for row in report.skills]
    loaded_tokens = [row.loaded_tokens for row in report.skills if row.loaded_tokens is not None]
    shown = report.skills
    caption = "Tokens of each skill: its line in the catalog, and the text that loading it adds"
    if len(shown) > MOST_ROWS:
        shown = tuple(sorted(shown, key=lambda row: (-row.entry_tokens, row.name))[:MOST_ROWS])
        caption = f"The {MOST_ROWS} dearest catalog entries, and the text that loading the skill adds"
    context: dict[str, Any] = {
        "r": report,
        "style": Markup(style),
        "style_hash": _csp_hash(style),
        "script": Markup(script),
        "script_hash": _csp_hash(script),
        "lede": lede(report),
        "facts": facts(report),
        "odd": any(has_odd_characters(piece.text) for piece in report.catalog),
        "heat": heat_scale(entry_tokens),
        "shown": shown,
        "shown_caption": caption,
        "most": max(entry_tokens, default=0),
        "most_loaded": max(loaded_tokens, default=0),
        "running": [row for row in report.changes if row.situation == "running session"],
        "upcoming": [row for row in report.changes if row.situation == "next session"],
        "pictured": [_pictured(run) for run in report.routing.runs if run.confusion is not None],
        "files_sentence": files_sentence(report),
        "problem_files": [file for file in report.files if file.problems],
        "made": made_of(report),
    }
    return env.get_template("report.html.jinja").render(context)


def write_html(report: Report, path: Path | str) -> Path:
    """Write the page and return its path.

    Raises:
        MissingExtra: jinja2 is not installed.
        TohlabError: the file cannot be written.
    """
    target = Path(path)
    text = page(report)
    try:
        target.write_bytes(text.encode("utf-8"))
    except OSError as error:
        reason = error.strerror or str(error)
        raise TohlabError(
            f"the page cannot be written to {target}: {reason}; name another file with --out"
        ) from error
    return target


def lede(report: Report) -> str:
    """Return the one sentence under the page's title."""
    made = report.provenance
    harness = f"{made.program} {made.dialect_version}"
    if not report.skills:
        return f"{harness} would tell a model of no skill in this folder."
    n = len(report.skills)
    skills = "One skill costs" if n == 1 else f"{number(n)} skills cost"
    tokens = number(report.total_tokens)
    return f"{skills} {tokens} tokens in every request, as {harness} writes them down for the model."


def facts(report: Report) -> list[dict[str, Any]]:
    """Return the figures at the head of the page: label, value, detail, and whether it is a warning."""
    rows: list[dict[str, Any]] = []

    def add(label: str, value: str, detail: str, *, warn: bool = False) -> None:
        rows.append({"label": label, "value": value, "detail": detail, "warn": warn})

    add(
        "Skills the model is told of",
        number(len(report.skills)),
        f"of {number(len(report.files))} files found",
    )
    add(
        "Catalog and skill tool",
        number(report.total_tokens),
        f"{report.provenance.encoding} tokens in every request",
    )
    edit = {row.situation: row for row in report.changes if row.change == "edit"}
    if len(edit) == 2:
        lost = edit["running session"].lost_tokens
        now = f"loses {number(lost)} tokens" if lost else "loses nothing"
        add(
            "One description edited",
            share(edit["next session"].strip.reused_share),
            f"of the next session's first request is reused; a running session {now}",
        )
    if report.routing.runs:
        run = report.routing.runs[0]
        add(
            "Right skills picked",
            share(run.exact.value),
            f"{run.label}, n\u00a0=\u00a0{number(run.exact.n)}, 95\u00a0%: {share(run.exact.low)} to "
            f"{share(run.exact.high)}",
        )
    not_loaded = report.count("not loaded")
    does = "does" if not_loaded == 1 else "do"
    detail = f"{number(not_loaded)} of the files {does} not load" if not_loaded else "all files load"
    errors = any(problem.level == "error" for file in report.files for problem in file.problems)
    add("Problems found", number(report.n_problems), detail, warn=errors)
    return rows


def files_sentence(report: Report) -> str:
    """Return what became of the files, in one sentence."""
    n = len(report.files)
    found = "One skill file was found" if n == 1 else f"{number(n)} skill files were found"
    parts = [f"{number(report.count('loaded'))} loaded"]
    rest: tuple[FileStatus, ...] = ("user only", "shadowed", "not loaded", "not a skill")
    for status in rest:
        if count := report.count(status):
            parts.append(f"{number(count)} {status}")
    problems = report.n_problems
    last = (
        "no problem" if not problems else "one problem" if problems == 1 else f"{number(problems)} problems"
    )
    return f"{found}: {', '.join(parts)}; {last}."


def made_of(report: Report) -> list[tuple[str, str]]:
    """Return the provenance as label and value."""
    made = report.provenance
    rows = [
        ("tohlab", made.tohlab_version),
        ("Dialect", f"{made.dialect}: {made.program} {made.dialect_version}"),
        ("Its texts", f"{made.fidelity}, {made.dialect_date}"),
        ("Tokens counted with", made.encoding),
        ("Request laid out as", made.renderer),
        ("Catalog digest", report.catalog_digest),
    ]
    if made.date:
        rows.append(("Date", made.date))
    return rows


def heat_scale(tokens: list[int]) -> Callable[[int | None], int]:
    """Return a function from tokens to one of five steps, 0 to 4: the fifth of the entries that it lies in.

    By rank and not by size, so that one very long entry does not make all others look alike.
    """
    ranked = sorted(tokens)

    def step(value: int | None) -> int:
        if value is None or ranked[0] == ranked[-1]:
            return 0
        return 5 * bisect_left(ranked, value) // len(ranked)

    return step


def _pictured(run: RoutingRun) -> tuple[RoutingRun, Any, Any]:
    assert run.confusion is not None
    return run, confusion_figure(run.confusion), mistakes(run.confusion)


def asset(*names: str) -> str:
    """Return files of the templates folder joined, with line ends that no checkout can change."""
    folder = Path(__file__).parent / "templates"
    texts = [(folder / name).read_text(encoding="utf-8").replace("\r\n", "\n") for name in names]
    return "\n" + "".join(texts)


def _csp_hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
