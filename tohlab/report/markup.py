"""Text that others wrote, made safe and visible for HTML; and the one template environment.

Everything in a skill is hostile here. The environment escapes each value by itself; the filters below only
add marks around characters that a page cannot show, so that nobody reads another text than the model does.
"""

from __future__ import annotations

import re
import textwrap
from functools import cache
from typing import TYPE_CHECKING, Final

from tohlab.errors import MissingExtra

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_ODD: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
"""Controls, characters without width, marks that turn the direction of text, tags, lone surrogates."""
_UNWRITABLE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""What an HTML file cannot hold or a browser would change: U+FFFD stands for it."""


def has_odd_characters(text: str) -> bool:
    """Tell whether `text` has a character that a page cannot show as it is."""
    return _ODD.search(text) is not None


def visible(text: object) -> Markup:
    """Return `text` escaped, each character that cannot be seen in a box that names it."""
    from markupsafe import Markup, escape

    raw = str(text)
    if not _ODD.search(raw):
        return escape(raw)
    parts = []
    last = 0
    for hit in _ODD.finditer(raw):
        parts.append(escape(raw[last : hit.start()]))
        shown = "\ufffd" if _UNWRITABLE.match(hit.group()) else hit.group()
        parts.append(Markup('<span class="ctl" data-c="U+{:04X}">{}</span>').format(ord(hit.group()), shown))
        last = hit.end()
    parts.append(escape(raw[last:]))
    return Markup("").join(parts)


def visible_text(text: object) -> str:
    """Return `text` without the characters that a page cannot show, for places where no mark can stand."""
    return _ODD.sub("\ufffd", str(text))


def entry(text: str, name: str) -> Markup:
    """Return a catalog entry escaped, with the skill's name set off where it first stands."""
    from markupsafe import Markup

    before, found, after = text.partition(name)
    if not found:
        return visible(text)
    return visible(before) + Markup("<b>") + visible(found) + Markup("</b>") + visible(after)


def share(value: float) -> str:
    """Return a share (0 to 1) as a percentage: never "0 %" or "100 %" for what is neither."""
    percent = 100 * value
    if value <= 0 or value >= 1 or 1 <= percent <= 99:
        return f"{percent:.0f}\u00a0%"
    if percent < 0.1:
        return "<0.1\u00a0%"
    if percent > 99.9:
        return ">99.9\u00a0%"
    return f"{percent:.1f}\u00a0%"


def number(value: float) -> str:
    """Return a count with commas between thousands; a mean over replicates keeps one decimal."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def _percent_number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


@cache
def environment() -> Environment:
    """Return the template environment: escaping on, undefined names are errors.

    Raises:
        MissingExtra: jinja2 is not installed.
    """
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise MissingExtra("jinja2", "report") from error
    made = Environment(
        loader=PackageLoader("tohlab.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {
        "visible": visible,
        "visible_text": visible_text,
        "entry": entry,
        "share": share,
        "n": number,
        "pc": _percent_number,
        "dedent": textwrap.dedent,
    }
    return made
