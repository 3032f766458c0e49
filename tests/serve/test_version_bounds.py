"""The engine's versions that are asked for are those that its policy was held against."""

from __future__ import annotations

import tomllib
from pathlib import Path

from packaging.requirements import Requirement

from tohlab.prefix.policies import get_policy

ROOT = Path(__file__).parents[2]


def test_the_model_extra_takes_the_verified_engine_and_none_of_other_months() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    (engine,) = [r for text in extras["model"] if (r := Requirement(text)).name == "xllamacpp"]
    verified = get_policy("llama.cpp").sources[0].title.split(",")[0].removeprefix("xllamacpp ")
    assert verified in engine.specifier
    assert "2026.4.8672" not in engine.specifier  # its parameters have no `hostnames` and no `cors_origins`
    assert "2026.11.1" not in engine.specifier
