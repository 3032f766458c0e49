"""Reports made by hand, so that a page's tests say what they draw."""

from __future__ import annotations

from typing import Literal

from tohlab.report.model import (
    ChangeRow,
    Confusion,
    FileRow,
    ProblemRow,
    Provenance,
    RateRow,
    Report,
    Routing,
    RoutingRun,
    SkillRow,
    SkillScoreRow,
    Strip,
    TextPiece,
    TrialRow,
)

NAMES = ("changelog-writer", "csv-cleaner", "invoice-reader", "pdf-forms", "release-notes")

PROVENANCE = Provenance(
    tohlab_version="0.1.0",
    dialect="toh",
    program="TheOpen Harness",
    dialect_version="0.1.1-rc.2",
    dialect_date="2026-11-30",
    fidelity="executed",
    encoding="o200k_base",
    renderer="segments",
)


def strip(shared: int, before: int, after: int, where: str = "") -> Strip:
    """Return a strip with a sentence of the usual form."""
    return Strip(
        shared_tokens=shared,
        before_tokens=before,
        after_tokens=after,
        where=where,
        sentence=f"{shared} of {after} tokens are reused; the first difference is at {where or 'no place'}.",
    )


def changes() -> tuple[ChangeRow, ...]:
    """Return the four changes in both situations."""
    rows = []
    for change, what, running, upcoming in (
        ("add", "a skill csv-joiner is added", 1210, 640),
        ("edit", "the description of invoice-reader is edited", 1210, 700),
        ("remove", "invoice-reader is removed", 1210, 690),
        ("reorder", "invoice-reader is renamed and moves to the end", 1210, 688),
    ):
        where = 'messages[1] / skill catalog / entry "invoice-reader"'
        rows.append(
            ChangeRow(
                change=change,
                situation="running session",
                what=what,
                strip=strip(running, 1210, 1630),
                lost_tokens=0,
            )
        )
        rows.append(
            ChangeRow(
                change=change,
                situation="next session",
                what=what,
                strip=strip(upcoming, 1210, 1240, where),
                lost_tokens=1210 - upcoming,
            )
        )
    return tuple(rows)


def rate(successes: int, n: int, low: float, high: float) -> RateRow:
    """Return a rate with the interval given."""
    return RateRow(successes=successes, n=n, value=successes / n, low=low, high=high)


def run(
    label: str = "qwen2.5-coder-1.5b",
    kind: Literal["model", "baseline"] = "model",
    names: tuple[str, ...] = NAMES,
) -> RoutingRun:
    """Return a run in which the first skill is taken for the second twice."""
    counts = {(name, name): 4 for name in names}
    counts[(names[0], names[1])] = 2
    counts[("(none)", names[2])] = 3
    counts[("(none)", "(none)")] = 7
    labels = (*names, "(none)")
    return RoutingRun(
        label=label,
        kind=kind,
        n_total=40,
        n_scored=38,
        n_model_error=1,
        n_service_error=2,
        exact=rate(27, 38, 0.553, 0.831),
        no_skill=rate(7, 10, 0.397, 0.892),
        per_skill=tuple(
            SkillScoreRow(
                name=name,
                n_expected=6,
                n_picked=4 if i else 0,
                precision=rate(4, 4, 0.51, 1.0) if i else None,
                recall=rate(4, 6, 0.3, 0.903),
            )
            for i, name in enumerate(names)
        ),
        confusion=Confusion(expected=labels, picked=labels, counts=counts),
        misses=(
            TrialRow(
                case_id="c-017",
                query="Write down what changed since the last version",
                expected=(names[0],),
                picked=(names[1],),
                label="wrong_skill",
            ),
        ),
    )


def report(
    *,
    names: tuple[str, ...] = NAMES,
    description: str = "Reads invoices, writes their lines as rows. Use when a bill has to become a table.",
    title: str = "our-skills",
    routing: Routing | None = None,
) -> Report:
    """Return a report of `names`, every skill with the same description."""
    head = "<system-reminder>\nThe following skills are available:\n\n<available_skills>\n"
    foot = "</available_skills>\n\nCall the `skill` tool.\n</system-reminder>"
    pieces = [TextPiece(text=head, tokens=20)]
    for i, name in enumerate(names):
        line = f"- `{name}`: {description * (1 + i % 2)}"
        pieces.append(
            TextPiece(text=line + ("\n" if i + 1 < len(names) else ""), name=name, tokens=20 + i % 9)
        )
    pieces.append(TextPiece(text=foot, tokens=15))
    return Report(
        title=title,
        command="tohlab render our-skills --dialect toh --part catalog",
        provenance=PROVENANCE,
        catalog=tuple(pieces),
        catalog_digest="e3b0c442",
        tool_schema='{"name":"skill","description":"Load <it>","parameters":{}}',
        catalog_tokens=35 + sum(20 + i % 9 for i in range(len(names))),
        frame_tokens=35,
        tool_tokens=78,
        skills=tuple(
            SkillRow(
                name=name,
                description=description,
                entry_tokens=20 + i % 9,
                entry_characters=90,
                loaded_tokens=None if i == 3 else 400 + 37 * (i % 50),
                path=f"{name}/SKILL.md",
            )
            for i, name in enumerate(names)
        ),
        changes=changes(),
        routing=routing
        or Routing(runs=(run(), run("BM25", "baseline")), cases="40 requests", source="a recording"),
        files=(
            *(FileRow(path=f"{name}/SKILL.md", name=name, status="loaded") for name in names),
            FileRow(
                path="broken/SKILL.md",
                name=None,
                status="not loaded",
                problems=(
                    ProblemRow(
                        code="missing-frontmatter",
                        level="error",
                        message="skill file broken/SKILL.md ignored: missing YAML frontmatter",
                        line=1,
                        remedy="Begin the file with a line of three hyphens.",
                    ),
                ),
            ),
            FileRow(
                path="old/pdf-forms/SKILL.md",
                name="pdf-forms",
                status="shadowed",
                problems=(
                    ProblemRow(
                        code="shadowed",
                        level="warning",
                        message='skill "pdf-forms" ignored because a higher-priority skill already exists',
                        remedy="Give one of the two another name.",
                    ),
                ),
            ),
        ),
    )
