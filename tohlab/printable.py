"""Text of files and services as a terminal may have it: nothing in it moves the cursor or hides a text."""

from __future__ import annotations

import re
from typing import Final

_CONTROLS: Final = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_UNSEEN: Final = (
    "\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\U000e0100-\U000e01ef\ud800-\udfff"
)
"""Without width, of a direction, a line's or paragraph's end, tags, lone surrogates."""
_JOINED: Final = f"[^\x00-\x9f{_UNSEEN}]"
_LINES: Final = re.compile(
    # Joiners between two signs beyond ASCII stay: Persian needs them, and so do many emoji.
    f"(?!(?<={_JOINED})[\u200c\u200d]{_JOINED})[{_CONTROLS}{_UNSEEN}]"
)


def printable(text: str, *, lines: bool = False) -> str:
    """Return `text` with U+FFFD for each character that steers a terminal or cannot be seen.

    Args:
        text: anything.
        lines: line feeds and tabs stay; else they are replaced too, and the text is one line.
    """
    shown = _LINES.sub("\ufffd", text)
    return shown if lines else shown.replace("\n", "\ufffd").replace("\t", "\ufffd")
