"""Counting loads nothing before something is counted, says what is missing, and may be shared by threads."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from tohlab.errors import MissingExtra
from tohlab.prefix import compare_prefix
from tohlab.request import Request, text_message
from tohlab.tokens import TiktokenMeter, measure


@pytest.mark.parametrize(
    "module",
    [
        "tohlab.tokens",
        "tohlab.renderers",
        "tohlab.prefix",
        "tohlab.edits",
        "tohlab.cli.tokens",
        "tohlab.cli.prefix",
    ],
)
def test_importing_a_room_loads_no_encoder_and_no_numbers_package(module: str) -> None:
    program = f"import sys, {module}; print({{'tiktoken', 'numpy', 'rich', 'requests'}} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_without_tiktoken_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken.registry", None)
    with pytest.raises(MissingExtra, match=r"tiktoken is not installed; .* 'tohlab\[tokens\]'"):
        TiktokenMeter()


def test_one_meter_serves_several_threads() -> None:
    texts = [f"turn {i}: the same {i % 7} words again and again" for i in range(40)]
    messages = tuple(text_message("user", text) for text in texts)
    requests = [Request(messages=messages[i % 5 : i % 5 + i]) for i in range(40)]
    meter = TiktokenMeter(memory_characters=400)

    def work(start: int) -> list[tuple[int, int]]:
        order = requests[start:] + requests[:start]
        found = {
            id(r): (measure(r, meter).total_tokens, compare_prefix(order[0], r, meter).after_tokens)
            for r in order
        }
        return [found[id(r)] for r in requests]

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(0, 40, 5)))
    alone = TiktokenMeter()
    expected = [sum(alone.count(m.text) for m in r.messages) for r in requests]
    assert results == [[(n, n) for n in expected]] * 8
