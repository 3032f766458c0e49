"""A report as a small HTML table, for a notebook that shows it by itself."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tohlab.printable import printable

if TYPE_CHECKING:
    from tohlab.routing.report import RoutingReport
    from tohlab.routing.statistics import Rate

_HEADS = ("", "exact set", "95 %", "n", "one skill", "several", "no skill", "the model less this, points")


def report_html(report: RoutingReport) -> str:
    """Return the rates of the model and of the baselines beside it; texts of files are escaped."""
    head = "".join(f"<th>{text}</th>" for text in _HEADS)
    rows = [
        (
            _text(report.model),
            *_cells(report.exact, report.one_skill, report.several_skills, report.no_skill),
            "",
        )
    ]
    rows += [
        (
            f"{_text(row.name)} <small>baseline</small>",
            *_cells(row.exact, row.one_skill, row.several_skills, row.no_skill),
            difference_text(row.difference, row.low, row.high),
        )
        for row in report.baselines
    ]
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    under = [
        f"scored {report.n_scored} of {report.n_total}; model errors {report.n_model_error} (scored as "
        f"wrong); service errors {report.n_service_error} (not scored)",
        report.against_baselines,
        *report.notes,
    ]
    said = "".join(f"<p>{_text(line)}</p>" for line in under if line)
    title = _text(f"{report.dataset}: {report.n_cases} cases, {len(report.skills)} skills")
    return (
        f"<table><caption>{title}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{said}"
    )


def difference_text(difference: float, low: float | None, high: float | None) -> str:
    """Return a difference of rates in points with its interval, such as `+12.0 (+4.1 to +20.2)`."""
    ends = "" if low is None or high is None else f" ({100 * low:+.1f} to {100 * high:+.1f})"
    return f"{100 * difference:+.1f}{ends}"


def _cells(exact: Rate, *others: Rate | None) -> tuple[str, ...]:
    return (
        f"{exact.value:.1%}",
        f"{exact.low:.1%} to {exact.high:.1%}",
        str(exact.n),
        *("" if rate is None else f"{rate.value:.1%} of {rate.n}" for rate in others),
    )


def _text(text: str) -> str:
    return escape(printable(text, lines=True))
