"""Who attends this Python, and what to use instead where no widget could be answered."""

from __future__ import annotations

import os
import sys
from typing import Any, Final, Literal

from tohlab.questions.model import Question

Surface = Literal["notebook", "unattended", "colab", "marimo", "terminal", "nowhere"]


def running_kernel() -> Any | None:
    """Return the Jupyter kernel that this code runs in, or None."""
    module = sys.modules.get("IPython")
    if module is None:
        return None
    shell = module.get_ipython()
    return getattr(shell, "kernel", None)


def cell_in_hand(kernel: Any) -> dict[str, Any]:
    """Return the header, metadata and content of the message that the kernel is working on."""
    try:
        parent = kernel.get_parent("shell")
    except (AttributeError, LookupError):
        return {}
    return parent if isinstance(parent, dict) else {}


def surface() -> Surface:
    """Return where we are.

    A front end with a person in front of it allows input; nbclient, nbconvert, papermill, nbval and Voila run
    the same kernel and do not, which is the one sign that tells them apart.
    """
    kernel = running_kernel()
    if kernel is not None:
        if "google.colab" in sys.modules:
            return "colab"
        attended = cell_in_hand(kernel).get("content", {}).get("allow_stdin", False)
        return "notebook" if attended else "unattended"
    if "marimo" in sys.modules and sys.modules["marimo"].running_in_notebook():
        return "marimo"
    try:
        at_terminal = bool(sys.stdin and sys.stdin.isatty())
    except ValueError:  # closed
        at_terminal = False
    return "terminal" if at_terminal else "nowhere"


INSTEAD: Final[dict[Surface, str]] = {
    "unattended": (
        "nobody attends this notebook (it is run by a program, or shown by Voila); say beforehand what a "
        "person would answer: asker_here(script={{{id!r}: ...}})"
    ),
    "colab": (
        "Colab does not deliver clicks while a cell runs; ask by text with ConsoleAsker(read=input), or "
        "answer with asker_here(script={{{id!r}: ...}})"
    ),
    "marimo": (
        "marimo has no Jupyter kernel and does not wait in a cell; show your own mo.ui.form and hand its "
        "value over with CallbackAsker"
    ),
    "terminal": "there is no notebook here; use ConsoleAsker()",
    "nowhere": "there is neither a notebook nor a terminal here; use ScriptedAsker({{{id!r}: ...}})",
}
"""What to use instead of the widget, per surface."""


def nobody_here(where: Surface, question: Question) -> str:
    """Return the sentence for a question that nobody can answer at `where`."""
    text = question.question if len(question.question) <= 200 else question.question[:200] + "…"
    return f"question {question.id!r} ({text!r}) was asked, but {INSTEAD[where].format(id=question.id)}"


def forced() -> str | None:
    """Return what `TOHLAB_ASKER` asks for, or None."""
    return os.environ.get("TOHLAB_ASKER") or None
