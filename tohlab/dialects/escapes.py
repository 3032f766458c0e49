"""How harnesses escape what stands inside their tags."""

from __future__ import annotations

import re
from typing import Final

from tohlab.dialects.harness import Setting

_PLACEHOLDER: Final = re.compile(r"<[A-Z]+>")


def escaped(text: str, apostrophe: str = "&apos;") -> str:
    """Return a text with the five entities of XML.

    Args:
        text: what may hold `&`, `<`, `>` and both quotes.
        apostrophe: how a single quote is written; HTML's way is a number.
    """
    for char, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", apostrophe)):
        text = text.replace(char, entity)
    return text


def escaped_path(setting: Setting, relative: str, apostrophe: str = "&apos;") -> str:
    """Return the absolute path of a file of the tree, escaped; a placeholder such as `<ROOT>` stays.

    Args:
        setting: where the tree's root is.
        relative: the file, relative to the root of the tree.
        apostrophe: how a single quote is written.
    """
    base, rest = setting.base_of(relative)
    start = base if _PLACEHOLDER.fullmatch(base) else escaped(base, apostrophe)
    return f"{start}/{escaped(rest, apostrophe)}" if rest else start
