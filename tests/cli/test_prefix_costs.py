"""`tohlab prefix` with caches, recorded sessions and a gate."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tohlab.cli import run
from tohlab.dialects.harness import FileTree
from tohlab.edits import edit_costs, harness_scene
from tohlab.tokens import default_prices


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    for name in ("csv", "pdf", "zip"):
        folder = tmp_path / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(
            f"---\nname: {name}\ndescription: Handle {name} files.\n---\nDo it.\n"
        )
    return tmp_path / "skills"


def lines(path: Path, *conversations: list[str]) -> Path:
    roles = ("user", "assistant")
    rows = [
        {"messages": [{"role": roles[i % 2], "content": text} for i, text in enumerate(texts)]}
        for texts in conversations
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def as_json(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> Any:
    assert run(["prefix", *map(str, arguments), "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_rows_are_those_of_the_library(skills: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = as_json(
        capsys, skills, "--policy", "vllm", "--policy", "openai", "--edit", "clock", "--on", "2026-11-20"
    )
    scene = harness_scene(FileTree.at(skills), "toh")
    rows = edit_costs(scene, ["vllm", "openai"], ["clock"], on=date(2026, 11, 20))
    assert data["rows"] == [row.to_dict() for row in rows]
    assert [row["setup"] for row in data["rows"]] == ["vllm", "openai-implicit", "openai-marked"]
    assert data["not_modelled"] == {"vllm": [], "openai": []}
    (shared,) = data["shared"]
    assert shared["shared_tokens"] == rows[0].shared_tokens
    assert (data["encoding"], data["renderer"]) == ("o200k_base", "plain")


def test_the_grid_and_its_notes_are_printed(skills: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prefix", str(skills), "--policy", "anthropic-auto", "--policy", "vllm"]) == 0
    out = capsys.readouterr().out
    assert "TheOpen Harness (session; a change of the skills: append)" in out
    assert "anthropic-auto: input prices of claude-opus-5, 2026-10-24, documented" in out
    assert "vllm: no price: an engine that you run yourself has no list price" in out
    assert "vllm: rules are verified-live" in out
    assert "anthropic: assumed: minimum_tokens 512 (512 to 4,096): the minimum differs by model" in out
    assert (
        "anthropic: not modelled: server tools set a breakpoint of five minutes of their own, no document"
        in out
    )
    assert out.count("tool-order") == 2


def test_one_edit_is_told_with_its_reason(skills: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prefix", str(skills), "--policy", "anthropic-auto", "--edit", "tool-text"]) == 0
    out = capsys.readouterr().out
    assert "change the last tool's description, in tokens (o200k_base, plain renderer)" in out
    assert "- anthropic-auto: tools_changed: " in out


def test_all_harnesses_are_set_side_by_side_without_a_cache(
    skills: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = as_json(capsys, skills, "--dialect", "all", "--edit", "add", "--when", "resume")
    share = {row["dialect"]: row["kept_share"] for row in data["shared"]}
    assert len(share) == 17
    assert share["toh"] == share["codex"] == 1
    assert share["pi"] < 0.5


@pytest.mark.parametrize(("dialect", "code"), [("toh", 0), ("mistral-vibe", 1)])
def test_the_gate_lets_an_appended_list_pass_and_stops_a_rewritten_one(
    skills: Path, capsys: pytest.CaptureFixture[str], dialect: str, code: int
) -> None:
    options = ["--dialect", dialect, "--policy", "vllm", "--edit", "add", "--fail-under", "0.95"]
    assert run(["prefix", str(skills), *options]) == code
    printed = capsys.readouterr()
    if code:
        assert "failed: Mistral Vibe, vllm: add a skill at the end of the list: 0." in printed.err
    else:
        assert "passed: the smallest share is " in printed.out
    assert len(as_json(capsys, skills, *options, code=code)["below"]) == code


def test_a_session_that_only_grows_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = lines(tmp_path / "s.jsonl", ["One."], ["One.", "Yes.", "Two."])
    assert run(["prefix", "--session", str(path), "--fail-under", "0.95"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("append-only: yes, 2 requests\nkept 2 of 2 tokens (100.0%)")
    assert "passed: the smallest share is 1.0000, not below 0.95" in out
    assert "no row for add, insert, edit, remove, reorder, dialect: a recorded session" in out


def test_a_session_that_breaks_off_fails_and_says_where(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = lines(tmp_path / "s.jsonl", ["One and all."], ["Two and all.", "Yes.", "Two."])
    assert run(["prefix", "--session", str(path), "--fail-under", "0.95", "--policy", "llama.cpp"]) == 1
    printed = capsys.readouterr()
    assert printed.out.startswith("append-only: no, first divergence in request 1: messages[0] / user: ")
    assert "note: requests are counted from 0" in printed.out
    assert "llama.cpp reads 0 of 4 tokens (0.0%)" in printed.out
    assert "failed: the session, llama.cpp: 0.0000 is below 0.95" in printed.err
    data = as_json(capsys, "--session", path, "--policy", "llama.cpp")
    assert (data["check"]["append_only"], data["check"]["broken_at"]) == (False, 1)
    assert data["session_reads"][0]["read_tokens"] == 0


def test_a_session_below_the_minimum_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = lines(
        tmp_path / "s.jsonl", ["One."], ["One.", "Yes.", "Two."], ["One.", "Yes.", "Two.", "No.", "3"]
    )
    assert run(["prefix", "--session", str(path), "--policy", "openai-implicit", "--edit", "append"]) == 0
    out = capsys.readouterr().out
    assert "openai-implicit reads 0 of 8 tokens (0.0%); 2 requests read nothing: below_minimum " in out
    assert "(what could be shared is shorter than the minimum of 1,024)" in out
    (use,) = as_json(capsys, "--session", path, "--policy", "openai-implicit")["session_reads"]
    assert (use["why"], use["minimum_tokens"]) == ({"below_minimum": 2}, 1024)
    (use,) = as_json(capsys, "--session", path, "--policy", "sglang")["session_reads"]
    assert (use["why"], use["read_tokens"]) == ({"read": 2}, 8)


@pytest.mark.parametrize("policy", [[], ["--policy", "vllm"]])
def test_a_session_of_empty_texts_has_nothing_to_keep(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], policy: list[str]
) -> None:
    path = lines(tmp_path / "s.jsonl", [""], ["", "", ""])
    assert run(["prefix", "--session", str(path), "--fail-under", "0.9", *policy]) == 3
    assert "s.jsonl: the requests before the last one hold no tokens" in capsys.readouterr().err


def test_one_conversation_is_gated_by_an_edit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = lines(tmp_path / "s.jsonl", ["One and all of it.", "Yes, all of it.", "Two.", "Yes."])
    options = ["--session", path, "--fail-under", "0.9", "--edit"]
    assert as_json(capsys, *options, "append")["below"] == []
    assert as_json(capsys, *options, "clock", code=1)["below"][0]["share"] == 0


def test_a_file_cut_in_half_is_named_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = lines(tmp_path / "s.jsonl", ["One."], ["One.", "Yes.", "Two."])
    path.write_text(path.read_text()[:-25])
    assert run(["prefix", "--session", str(path)]) == 3
    assert "s.jsonl:2: not JSON" in (err := capsys.readouterr().err)
    assert "the file ends in the middle" in err


def test_an_edit_that_a_session_has_not_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = lines(tmp_path / "s.jsonl", ["One.", "Yes."])
    assert run(["prefix", "--session", str(path), "--edit", "add", "--policy", "vllm"]) == 3
    assert "give a folder" in capsys.readouterr().err


def test_text_of_a_session_never_steers_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = lines(tmp_path / "s.jsonl", ["One \x1b[31m and."], ["Two \x1b[32m and.", "Yes.", "Two."])
    assert run(["prefix", "--session", str(path), "--policy", "vllm", "--edit", "clock"]) == 0
    assert "\x1b[3" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--policy", "vllm", "--price", "gpt-5"], "vllm has no price: an engine that you run yourself"),
        (["--policy", "openai", "--price", "gpt-55"], "there is no price of 'gpt-55'"),
        (["--policy", "vlm"], "Did you mean 'vllm'?"),
        (["--policy", "vllm", "--dialect", "pie"], "Did you mean 'pi'?"),
        (["--policy", "vllm", "--skill", "pfd"], "did you mean 'pdf'?"),
        (["--policy", "vllm", "--prices", "none.toml"], "none.toml: cannot be read"),
        (["--edit", "clock", "--figure", "x.png"], "--figure draws edits by caches"),
    ],
)
def test_what_is_wrong_is_said_with_a_remedy(
    skills: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert run(["prefix", str(skills), *options]) == 3
    assert message in capsys.readouterr().err


def test_a_model_without_a_price_is_told_of_by_the_options_with_the_names_that_have_one(
    tmp_path: Path, skills: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["prefix", str(skills), "--policy", "anthropic", "--price", "nope"]) == 3
    err = capsys.readouterr().err
    assert (
        "there is no price of 'nope'. Name a model with --price; the table that comes with tohlab has " in err
    )
    assert all(model in err for model in default_prices().models)
    assert err.endswith("Or give a table of your own that has it with --prices FILE.\n")
    assert "PriceTable" not in err
    mine = tmp_path / "mine.toml"
    mine.write_text('[[models]]\nmodel = "mine"\ninput = 1\noutput = 2\ndate = "2026-12-01"\n')
    assert run(["prefix", str(skills), "--policy", "anthropic", "--prices", str(mine)]) == 3
    err = capsys.readouterr().err
    assert "there is no price of 'claude-opus-5'. Name a model with --price; " in err
    assert f"{mine} has mine. Or give" in err
    row = '[[models]]\nmodel = "m{}"\ninput = 1\noutput = 2\ndate = "2026-12-01"\n'
    mine.write_text("".join(row.format(i) for i in range(1000)))
    assert run(["prefix", str(skills), "--policy", "anthropic", "--prices", str(mine)]) == 3
    assert "m58, m59 and 940 more. Or give" in capsys.readouterr().err


def test_a_price_can_be_another_models(skills: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--policy", "anthropic-auto", "--edit", "append", "--price", "claude-haiku-4-5"]
    (row,) = as_json(capsys, skills, *options)["rows"]
    assert row["price_model"] == "claude-haiku-4-5"


def test_all_caches_are_priced_and_engines_have_a_dash(
    skills: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--policy", "all", "--price", "claude-haiku-4-5", "--edit", "append"]
    assert run(["prefix", str(skills), *options]) == 0
    out = capsys.readouterr().out
    (row,) = [line for line in out.splitlines() if line.strip().startswith("vllm  ")]
    assert row.split()[-3:] == ["-", "-", "-"]
    assert "kimi: input prices of claude-haiku-4-5" in out
    assert "sglang: no price: an engine that you run yourself has no list price" in out


def test_the_table_of_prices_has_a_dash_for_an_engine(
    skills: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--policy", "vllm", "--policy", "kimi", "--price", "claude-haiku-4-5"]
    assert run(["prefix", str(skills), *options]) == 0
    money = capsys.readouterr().out.partition("US dollars for a thousand such requests' input")[2]
    (row,) = [line.split() for line in money.splitlines() if line.strip().startswith("append")]
    assert row[1] == "-"
    assert float(row[2]) > 0


def test_a_price_is_told_with_its_last_day_and_note(skills: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = [
        "--policy",
        "gemini",
        "--policy",
        "deepseek",
        "--policy",
        "openai-implicit",
        "--edit",
        "append",
    ]
    assert run(["prefix", str(skills), *options, "--on", "2026-12-31"]) == 0
    printed = capsys.readouterr()
    assert "gemini: input prices of gemini-3.8-flash, 2026-10-07, reported, until 2026-12-31. " in printed.out
    assert "doubles on 2027-01-01" in printed.out
    assert (
        "gpt-5.6-sol, 2026-11-06, documented, held at least until 2026-11-21, and the day asked about is "
        "2026-12-31. Promotional price, at least through 2026-11-21." in printed.out
    )
    assert "Outside of peak hours, in which all costs 2 times as much. Listed prices are the" in printed.out
    assert printed.err == (
        "warning: openai-implicit: the price of gpt-5.6-sol held at least until 2026-11-21, and the day "
        "asked about is 2026-12-31; give a newer one with --prices\n"
    )
    assert run(["prefix", str(skills), *options, "--on", "2026-11-21"]) == 0
    printed = capsys.readouterr()
    assert "gpt-5.6-sol, 2026-11-06, documented, at least until 2026-11-21. Promotional" in printed.out
    assert printed.err == ""


def test_a_price_that_no_longer_holds_is_warned_of(skills: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--policy", "gemini", "--policy", "vllm", "--edit", "append", "--on", "2027-01-01"]
    assert run(["prefix", str(skills), *options]) == 0
    assert capsys.readouterr().err == (
        "warning: gemini: the price of gemini-3.8-flash held until 2026-12-31, and the day asked about is "
        "2027-01-01; give a newer one with --prices\n"
    )
    rows = as_json(capsys, skills, *options)["rows"]
    assert {row["setup"]: row["price_expired"] for row in rows} == {"gemini": True, "vllm": False}


def test_the_table_is_drawn(skills: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table.png"
    options = ["--policy", "kimi", "--edit", "clock", "--figure", str(path)]
    assert run(["prefix", str(skills), *options]) == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    assert f"drawn: {path}" in capsys.readouterr().err
    assert run(["prefix", str(skills), *options[:-1], str(tmp_path / "none" / "x.png")]) == 3
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["DIR", "--session", "x"],
        ["DIR", "--price", "gpt-5"],
        ["DIR", "--on", "2026-12-01"],
        ["DIR", "--policy", "vllm", "--on", "tomorrow"],
        ["DIR", "--fail-under", "1.5"],
        ["DIR", "--fail-under", "nan"],
        ["DIR", "--when", "resume"],
        ["--session", "x", "--dialect", "codex"],
        ["--session", "x", "--skill", "pdf"],
        ["--session", "x", "--when", "resume"],
        ["--before", "x", "--after", "y", "--edit", "add"],
        ["--before", "x", "--after", "y", "--dialect", "codex"],
        ["--before", "x", "--after", "y", "--policy", "vllm"],
    ],
)
def test_a_wrong_command_line_is_a_usage_error(arguments: list[str]) -> None:
    assert run(["prefix", *arguments]) == 2
