"""opencode with small skills: what loads, what is listed, what a call and a user get."""

from __future__ import annotations

from typing import Any

from tests.dialects.bench import Bench
from tohlab.dialects.harness import Setting
from tohlab.dialects.harnesses import get_harness

OPENCODE = get_harness("opencode")


SETTING = Setting(root="/p", bundled=False)
BENCH = Bench(OPENCODE, SETTING, "name")
load, listing, listed = BENCH.load, BENCH.listing, BENCH.listed
call, user = BENCH.call, BENCH.user


def skill(name: str, description: str | None = "d", body: str = "Do it.") -> str:
    about = "" if description is None else f"description: {description}\n"
    return f"---\nname: {name}\n{about}---\n\n{body}\n"


def options(**given: Any) -> Setting:
    return Setting(root="/p", bundled=False, options=given)
