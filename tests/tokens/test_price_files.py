"""Tables of prices that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tohlab.errors import PriceError
from tohlab.tokens import PriceTable

PEAK = (
    '[[models]]\nmodel = "m"\ninput = 1\noutput = 1\ndate = "2026-12-01"\n'
    "[models.peak]\nmultiplier = 2\ndays = {days}\nhours_utc = [{hours}]"
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("models = 3", r"prices.toml: a table needs a list of \[\[models\]\]"),
        ("[[models]\n", r"prices.toml: .*line 1"),
        ("[[models]]\ninput = 1", r"models\[0\] needs a model, a text"),
        (
            '[[models]]\nmodel = "m"\ninput = 1\ndate = "2026-12-01"',
            r"models\[0\] \(m\) needs input and output",
        ),
        (
            '[[models]]\nmodel = "m"\ninput = -1\noutput = 1\ndate = "2026-12-01"',
            "input must be a number from 0",
        ),
        (
            '[[models]]\nmodel = "m"\ninput = inf\noutput = 1\ndate = "2026-12-01"',
            "input must be a number from 0",
        ),
        (
            '[[models]]\nmodel = "m"\ninput = nan\noutput = 1\ndate = "2026-12-01"',
            "input must be a number from 0",
        ),
        (
            '[[models]]\nmodel = "m"\ninput = "1"\noutput = 1\ndate = "2026-12-01"',
            "must be a number from 0, not '1'",
        ),
        ('[[models]]\nmodel = "m"\ninput = 1\noutput = 1', "date must be a day such as 2026-12-01, not None"),
        ('[[models]]\nmodel = "m"\ninput = 1\noutput = 1\ndate = "soon"', "date must be a day"),
        ('[[models]]\nmodel = "m"\nimput = 1', r"unknown imput; known are .*input"),
        ('[[models]]\nmodel = "m"\nrules = "none"', "no rules 'none'; there are openai-5.6"),
        (
            '[[models]]\nmodel = "m"\ninput = 1\noutput = 1\ndate = "2026-12-01"\nlong = 3',
            "long needs above_tokens",
        ),
        (
            '[[models]]\nmodel = "m"\ninput = 1\noutput = 1\ndate = "2026-12-01"\npeak = 3',
            "peak needs multiplier",
        ),
        ('[[models]]\nmodel = "m"\nstatus = "sure"', "status is 'sure'; use one of documented"),
        (
            '[[models]]\nmodel = "m"\ninput = 1\noutput = 1e999\ndate = "2026-12-01"',
            "output is 1E.999, which is no price",
        ),
        (
            '[[models]]\nmodel = "m"\ninput = 1\noutput = 1\ndate = "2026-12-01"\n'
            "[models.long]\nabove_tokens = 5\ninput = 1\noutput = 1\nraed = 1",
            r"models\[0\] \(m\): long: unknown raed; known are above_tokens",
        ),
        (PEAK.format(days="[9]", hours='["01:00", "02:00"]'), r"days are 0 \(Monday\) to 6, not 9"),
        (PEAK.format(days="[1]", hours='["22:00", "02:00"]'), "write one that passes midnight as two"),
        (PEAK.format(days="[1]", hours='["01:00+02:00", "02:00"]'), "of one day in UTC, not 01:00:00.02:00"),
        ("models = " + "[" * 5000, "prices.toml: nested too deeply to be a table of prices"),
    ],
)
def test_a_wrong_table_says_what_and_where(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text)
    with pytest.raises(PriceError, match=message):
        PriceTable.from_file(path)
    with pytest.raises(PriceError, match=r"gone.toml: cannot be read"):
        PriceTable.from_file(tmp_path / "gone.toml")
