"""The survival table to look at: counts for each harness, a row for each file, as plain text and as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Final

from tohlab.printable import printable as shown
from tohlab.survival.model import OUTCOMES, Fate, Outcome, Survey

MARKS: Final[Mapping[Outcome, str]] = {"loads": ".", "changed": "~", "hidden": "h", "skipped": "X"}
"""One sign for each outcome."""
MEANING: Final[Mapping[Outcome, str]] = {
    "loads": "loads",
    "changed": "loads under another name, or with a cut or altered description",
    "hidden": "loads, and the model is not told of it, or of its name alone",
    "skipped": "gives no skill",
}
MOST_ROWS: Final = 200
"""How many files a table in a notebook shows; the rest is counted."""


def initials(names: Iterable[str]) -> dict[str, str]:
    """Return two letters for each name, no two the same: `claude-code` is cc, `pi` is pi, `pikuri` pk."""
    made: dict[str, str] = {}
    for name in names:
        words = name.split("-")
        first = words[0][0] + words[1][0] if len(words) > 1 else name[:2]
        letters = [first, *(name[0] + letter for letter in name[2:] + "0123456789" if letter != "-")]
        made[name] = next(pair for pair in letters if pair not in made.values())
    return made


def table_text(survey: Survey) -> str:
    """Return the counts of each harness and a row for each file in trouble, as lines of text."""
    short = initials(survey.harnesses)
    width = max((len(name) for name in survey.harnesses), default=0)
    lines = [_caption(survey), f"{'':<{width + 4}}" + "".join(f"{outcome:>9}" for outcome in OUTCOMES)]
    lines += [
        f"{short[name]}  {name:<{width}}" + "".join(f"{counts[outcome]:>9,}" for outcome in OUTCOMES)
        for name, counts in survey.counts().items()
    ]
    rows = list(_rows(survey))
    if rows:
        paths = [shown(_file(path)) for path, _ in rows]
        wide = max(map(len, paths))
        lines += ["", " " * (wide + 2) + " ".join(short.values())]
        lines += [
            f"{path:<{wide}}  {'  '.join(MARKS[fate.outcome] for fate in fates)}"
            for path, (_, fates) in zip(paths, rows, strict=True)
        ]
    lines += ["", *(f"{mark}  {MEANING[outcome]}" for outcome, mark in MARKS.items())]
    return "\n".join((*lines, *_rest(survey, len(rows))))


def table_html(survey: Survey) -> str:
    """Return the same as an HTML table without script; a mark's title says what happened there."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in survey.harnesses)
    counts = survey.counts()
    lines = [
        f"<table><caption>{escape(_caption(survey))}</caption>",
        f'<thead><tr><th scope="col">files</th>{head}</tr></thead><tbody>',
    ]
    for outcome, mark in MARKS.items():
        cells = "".join(f"<td>{counts[name][outcome]:,}</td>" for name in survey.harnesses)
        label = f'<th scope="row" title="{escape(MEANING[outcome])}">{outcome} {mark}</th>'
        lines.append(f"<tr>{label}{cells}</tr>")
    rows = list(_rows(survey))
    for path, fates in rows:
        cells = "".join(f'<td title="{_title(fate)}">{MARKS[fate.outcome]}</td>' for fate in fates)
        lines.append(f'<tr><th scope="row">{escape(shown(_file(path)))}</th>{cells}</tr>')
    lines.append("</tbody></table>")
    return "\n".join((*lines, *(f"<p>{escape(line)}</p>" for line in _rest(survey, len(rows)))))


def _caption(survey: Survey) -> str:
    files = "1 skill file" if len(survey.files) == 1 else f"{len(survey.files):,} skill files"
    harnesses = "1 harness" if len(survey.harnesses) == 1 else f"{len(survey.harnesses)} harnesses"
    return f"{files} in {harnesses}"


def _file(path: str) -> str:
    return path.removesuffix("/SKILL.md")


def _rows(survey: Survey) -> Iterator[tuple[str, tuple[Fate, ...]]]:
    wanted = set(survey.troubled()[:MOST_ROWS])
    return (row for row in survey.by_file() if row[0] in wanted)


def _rest(survey: Survey, rows: int) -> Iterator[str]:
    troubled = len(survey.troubled())
    if troubled > rows:
        yield f"{troubled - rows:,} further files in trouble are not shown"
    well = len(survey.files) - troubled
    if well:
        files = "1 file" if well == 1 else f"{well:,} files"
        yield f"{files} without trouble of their own not shown (cuts and budgets are counted above)"
    if survey.findings:
        findings = "1 finding" if len(survey.findings) == 1 else f"{len(survey.findings):,} findings"
        yield f'{findings} of text that does more than be read: frame(survey, "findings")'


def _title(fate: Fate) -> str:
    said = f"{fate.harness}: {fate.outcome}"
    said += f", {fate.reason}" if fate.reason else ""
    said += f" → {fate.repair}" if fate.repair else ""
    return escape(shown(said))
