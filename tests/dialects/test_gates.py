"""`paths:` gates: what a field means, and which touched files fire it."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tohlab.dialects.gates import MAX_PATTERNS, gate_opens, gate_patterns


@pytest.mark.parametrize(
    ("value", "patterns"),
    [
        (["**/*.rb", " lib/ "], ("**/*.rb", "lib/")),
        ("*.rs,Cargo.toml", ("*.rs", "Cargo.toml")),
        ("*.{rs,toml}, x", ("*.{rs,toml}", "x")),
        ("", ()),
        ([], ()),
        (["", 3, None], ()),
        (None, ()),
        (True, ()),
    ],
)
def test_a_gate_is_a_list_or_a_text_with_commas(value: Any, patterns: tuple[str, ...]) -> None:
    assert gate_patterns(value) == patterns


def test_braces_are_written_out_where_a_harness_does_so() -> None:
    assert gate_patterns("src/*.{ts,tsx},x", braces=True) == ("src/*.ts", "src/*.tsx", "x")
    assert gate_patterns(["{a,b}/{c,d}"], braces=True) == ("a/c", "a/d", "b/c", "b/d")
    assert gate_patterns(["{a,{b,c}}"], braces=True) == ("a", "b", "a", "c")
    assert gate_patterns(["{a}"], braces=True) == ("{a}",)


def test_many_braces_stop_nothing() -> None:
    start = time.perf_counter()
    assert len(gate_patterns(["{a,b}" * 40], braces=True)) == MAX_PATTERNS
    assert len(gate_patterns(["{" + "a," * 100_000 + "}"], braces=True)) == MAX_PATTERNS
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize(
    ("patterns", "touched", "opens"),
    [
        (("**/*.rb",), ("app.rb",), True),
        (("**/*.rb",), ("lib/deep/app.rb",), True),
        (("*.rb",), ("lib/app.rb",), True),
        (("/*.rb",), ("lib/app.rb",), False),
        (("lib/",), ("lib/app.py",), True),
        (("lib",), ("lib/app.py",), True),
        (("lib/*.rb",), ("./lib/app.rb",), True),
        (("*.py", "*.rb"), ("app.rb",), True),
        (("*.rb", "!app.rb"), ("app.rb",), False),
        (("*.rb", "!app.rb"), ("app.rb", "b.rb"), True),
        (("*.rb",), ("/etc/app.rb", "../app.rb", ""), False),
        (("[a", "\\", "*.rb"), ("x.rb",), True),
        (("[a", "\\"), ("x.rb", "[a", "\\"), False),
        (("# note",), ("# note",), False),
        (("*.rb",), (), False),
        ((), (), True),
    ],
)
def test_a_touched_file_opens_a_gate_as_gitignore_matches(
    patterns: tuple[str, ...], touched: tuple[str, ...], opens: bool
) -> None:
    assert gate_opens(patterns, touched) is opens
