"""What `tohlab prefix --session` says of the file: a first request, reported use, what is not counted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from tohlab.errors import PrefixError
from tohlab.printable import printable

if TYPE_CHECKING:
    from tohlab.cli.prefix_costs import Asked
    from tohlab.edits import Recorded
    from tohlab.tokens import TokenMeter

MOST_NOTES: Final = 5
_MORE: Final = (
    "add the model's answer to it as an assistant message, or the request that followed as a second line"
)


def print_first(one: Recorded, asked: Asked, meter: TokenMeter) -> None:
    """Print what a session of one request without an answer leaves behind.

    Raises:
        PrefixError: an edit or a gate was asked for, which need a request after this one.
    """
    from tohlab.edits import Exchange, get_setups
    from tohlab.edits.recorded import setups_first
    from tohlab.tokens import measure
    from tohlab.tokens.measure import RENDERER

    if any(v is not None for v in (asked.edits, asked.fail_under, asked.figure, asked.price, asked.prices)):
        raise PrefixError(
            f"{asked.session}: it holds a first request alone, and nothing can be kept, lost or saved after "
            f"it; {_MORE}"
        )
    total = measure(one.request, meter).total_tokens
    setups = setups_first(one.body, asked.policies) if asked.policies else get_setups(())
    rows: list[dict[str, Any]] = []
    for setup in setups:
        sent = setup.sent(Exchange(request=one.request, at_s=0.0, body=one.body)).cached(meter)
        cache = setup.rules.start()
        head = {"setup": setup.name, "policy": setup.policy, "status": setup.rules.status}
        once, twice = cache.submit(sent).to_dict(), cache.submit(sent).to_dict()
        rows.append({**head, "use": once, "sent_again": twice})
    if asked.as_json:
        said = {"encoding": meter.name, "renderer": RENDERER, "session": str(asked.session)}
        data = {**said, "first_request_tokens": total, "first": rows, "notes": list(notes_of([one]))}
        click.echo(json.dumps(data, indent=2))
        return
    click.echo(f"a first request: {total:,} tokens ({meter.name}, {RENDERER} renderer), nothing to read yet")
    for row in rows:
        first, again = row["use"], row["sent_again"]
        written = first["write_tokens"] + first["long_write_tokens"]
        counted = f"{written:,} are counted as written; " if written else "no written tokens are counted; "
        why = "" if again["why"] == "read" else f" ({again['why']})"
        click.echo(f"{row['setup']}: {counted}sent again at once it would read {again['read_tokens']:,}{why}")
    for note in notes_of([one]):
        click.echo(note)
    click.echo(f"What is kept and lost needs a request after it: {_MORE}.")


def reported(recorded: Sequence[Recorded]) -> dict[str, int] | None:
    """Return what the API reported of the requests for which it did; None for none."""
    usages = [one.usage for one in recorded if one.usage is not None]
    if not usages:
        return None
    both = [(u.read_tokens, u.total_tokens) for u in usages]
    known = [(read, total) for read, total in both if read is not None and total is not None]
    return {
        "requests": len(usages),
        "requests_with_reads": len(known),
        "read_tokens": sum(read for read, _ in known),
        "total_tokens": sum(total for _, total in known),
    }


def reported_line(recorded: Sequence[Recorded]) -> str:
    """Return the same for a person; empty for nothing."""
    found = reported(recorded)
    if found is None:
        return ""
    if not found["requests_with_reads"]:
        return f"the API reported the use of {found['requests']:,} requests without saying what was read"
    share = found["read_tokens"] / found["total_tokens"] if found["total_tokens"] else 0.0
    return (
        f"the API reported {found['read_tokens']:,} of {found['total_tokens']:,} input tokens read "
        f"({share:.1%}) in {found['requests_with_reads']:,} of {len(recorded):,} requests, by its own tokens"
    )


def notes_of(recorded: Sequence[Recorded]) -> tuple[str, ...]:
    """Return what the API counts otherwise, the first few of many places, each said once."""
    found = tuple(dict.fromkeys(note for one in recorded for note in one.body.notes))
    if len({one.body.shape for one in recorded}) > 1:
        mixed = "bodies of two APIs are in it, whose system texts and tools stand in different places"
        found = (mixed, *found)
    more = (f"{len(found) - MOST_NOTES} more such places",) if len(found) > MOST_NOTES else ()
    return tuple(f"note: {printable(note)}" for note in (*found[:MOST_NOTES], *more))
