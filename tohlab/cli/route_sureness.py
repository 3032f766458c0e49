"""How sure a model was, where the service gave log-probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from tohlab.cli._table import print_table, table

if TYPE_CHECKING:
    from rich.console import Console

    from tohlab.routing.report import RoutingReport

_COVERAGES = (0.25, 0.5, 0.75, 0.9, 1.0)


def print_sureness(report: RoutingReport, console: Console) -> None:
    """Print the calibration, and accuracy at some coverages; nothing where no answer has a margin."""
    found, curve = report.calibration(), report.abstention()
    if found is None or curve is None:
        return
    bins = table(
        "How sure it was of its first name, and how often that was right",
        "share given", "mean", "right", "95 %", "n",
        right=("mean", "right", "n"),
    )  # fmt: skip
    for row in found.bins:
        bins.add_row(
            f"{row.low:.3f} to {row.high:.3f}",
            f"{row.confidence:.3f}",
            f"{row.right.value:.1%}",
            f"{row.right.low:.1%} to {row.right.high:.1%}",
            str(row.right.n),
        )
    print_table(bins, console)
    console.print(Text(found.sentence))
    if found.n_without:
        console.print(
            Text(
                f"{found.n_without} scored answers have no known share (no log-probabilities of a name, as "
                "for most tool calls) and are in none of this"
            )
        )
    known = [t.margin for t in report.trials if t.margin is not None]
    unclear = sum(margin.ambiguous > 0.01 for margin in known)
    unlisted = sum(margin.unseen > 0.05 for margin in known)
    console.print(
        Text(
            f"of the {len(known)} margins, {unclear} have more than 0.01 on tokens that several names share, "
            f"and in {unlisted} more than 0.05 of the probability at a token was not listed (a larger "
            "--logprobs lists more)"
        )
    )
    kept = table(
        "If only the surest answers were acted on",
        "kept", "margin from", "exact set", "95 %", "n",
        right=("kept", "margin from", "exact set", "n"),
    )  # fmt: skip
    for coverage in _COVERAGES:
        point = curve.at(coverage)
        kept.add_row(
            f"{point.coverage:.0%}",
            f"{point.threshold:.3f}",
            f"{point.exact.value:.1%}",
            f"{point.exact.low:.1%} to {point.exact.high:.1%}",
            str(point.exact.n),
        )
    kept.caption = "A threshold read off these cases has to be tried on others before its rate is told."
    print_table(kept, console)
