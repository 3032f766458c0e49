"""`tohlab prefix --session` with models, breakpoints, times and usage of the bodies."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click
import pytest

from tohlab.cli import run
from tohlab.cli.prefix import command

LONG = "Look at the first file and say what is in it. " * 80
MARK = {"type": "ephemeral"}


def body(turns: int, model: str = "", *, marked: bool = True, **more: Any) -> dict[str, Any]:
    """A body of Anthropic's with the last block marked."""
    rows: list[dict[str, Any]] = [{"role": "user", "content": [{"type": "text", "text": LONG}]}]
    for turn in range(turns - 1):
        rows.append({"role": "assistant", "content": [{"type": "text", "text": f"Done {turn}."}]})
        rows.append({"role": "user", "content": [{"type": "text", "text": f"Go on with {turn}."}]})
    if marked:
        rows[-1]["content"][0]["cache_control"] = MARK
    named = {"model": model} if model else {}
    return {**named, "system": "Be brief.", "messages": rows, **more}


def write(folder: Path, *rows: Any) -> str:
    path = folder / "session.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def reads(capsys: pytest.CaptureFixture[str], path: str, *options: str) -> Any:
    assert run(["prefix", "--session", path, *options, "--json"]) == 0
    return json.loads(capsys.readouterr().out)["session_reads"]


def test_the_minimum_is_that_of_the_bodies_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = {}
    for model in ("claude-opus-5", "claude-haiku-4-5"):
        path = write(tmp_path, body(1, model), body(2, model))
        (found[model],) = reads(capsys, path, "--policy", "anthropic")
    opus, haiku = found.values()
    assert (opus["minimum_tokens"], opus["why"]) == (512, {"read": 1})
    assert (haiku["minimum_tokens"], haiku["why"], haiku["read_tokens"]) == (4096, {"below_minimum": 1}, 0)
    assert haiku["models"] == ["claude-haiku-4-5"]
    (as_opus,) = reads(capsys, path, "--policy", "anthropic", "--model", "claude-opus-5")
    assert as_opus["read_tokens"] == opus["read_tokens"] > 0


@pytest.mark.parametrize(
    ("models", "options", "assumed"),
    [
        (("claude-opus-5", "claude-haiku-4-5"), (), False),
        (("claude-opus-5", ""), (), True),
        (("", ""), (), True),
        (("", ""), ("--model", "claude-opus-5"), False),
        (("gpt-4o", "gpt-4o"), (), True),
    ],
)
def test_a_minimum_is_called_assumed_only_where_a_body_names_no_model_of_the_list(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    models: tuple[str, ...],
    options: tuple[str, ...],
    assumed: bool,
) -> None:
    path = write(tmp_path, *(body(i + 1, model) for i, model in enumerate(models)))
    assert run(["prefix", "--session", path, "--policy", "anthropic", "--edit", "append", *options]) == 0
    out = capsys.readouterr().out
    assert ("anthropic: assumed: minimum_tokens 512" in out) is assumed
    assert "anthropic: assumed: refreshes_marked 1" in out


def test_a_models_minimum_is_not_said_of_bodies_without_one_or_of_another_providers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    haiku = "claude-haiku-4-5"
    (nameless,) = reads(capsys, write(tmp_path, body(1), body(2, haiku)), "--policy", "anthropic")
    assert "some of its bodies name no model: for them the minimum of 512 is assumed" in nameless["notes"]
    (foreign,) = reads(capsys, write(tmp_path, body(1, "gpt-4o"), body(2, haiku)), "--policy", "anthropic")
    assert foreign["minimum_tokens"] == 4096
    assert foreign["notes"][1] == (
        "gpt-4o is none of the models of Anthropic Messages: judged as if it were one, with a minimum of 512"
    )


def test_a_models_unknown_minimum_stops_and_names_the_way_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, body(1, "claude-opus-9"), body(2, "claude-opus-9"))
    assert run(["prefix", "--session", path, "--policy", "anthropic"]) == 3
    assert "the minimum of the model 'claude-opus-9' is not known" in (err := capsys.readouterr().err)
    assert "--model" in err


@pytest.mark.parametrize(
    ("model", "later"),
    [
        ("gpt-99", True),
        ("gpt-10-sol", True),
        ("gpt-5.7", True),
        ("gpt-5.6-sol", False),
        ("openai/gpt-6-luna-2026-11-01", False),
    ],
)
def test_a_later_model_is_judged_by_the_rules_that_are_stated_for_it_and_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], model: str, later: bool
) -> None:
    path = write(tmp_path, body(1, model), body(2, model))
    (use,) = reads(capsys, path, "--policy", "openai-implicit")
    said = (
        f"{model} was not known when the rules were read: judged by those of OpenAI GPT-5.6 and later, with "
        "a minimum of 1,024; --model judges by another model"
    )
    assert (said in use["notes"]) is later
    assert not any("is none of the models" in note for note in use["notes"])
    (as_asked,) = reads(capsys, path, "--policy", "openai-implicit", "--model", "gpt-99")
    assert "gpt-99 was not known when the rules were read" in as_asked["notes"][0]


def test_where_a_price_is_asked_for_no_other_models_price_is_said_to_be_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, body(1, "gpt-5.6-new"), body(2, "gpt-5.6-new"))
    (own,) = reads(capsys, path, "--policy", "openai-implicit")
    assert own["notes"] == ["prices are those of gpt-5.6-sol: there is none of gpt-5.6-new"]
    (asked,) = reads(capsys, path, "--policy", "openai-implicit", "--price", "gpt-5.6-luna")
    assert asked["notes"] == []


@pytest.mark.parametrize(
    ("policy", "model", "said"),
    [
        (
            "anthropic",
            "gpt-4o",
            "anthropic-recorded: gpt-4o is none of the models of Anthropic Messages",
        ),
        ("openai-older", "gpt-5.6-sol", "gpt-5.6-sol is none of the models of OpenAI before GPT-5.5"),
        ("deepseek", "qwen-max", "qwen-max is none of the models of DeepSeek V4: judged as if it were one"),
        ("anthropic", "", "the session names no model: the minimum of 512 is assumed"),
    ],
)
def test_a_model_that_the_policy_does_not_know_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], policy: str, model: str, said: str
) -> None:
    path = write(tmp_path, body(1, model), body(2, model))
    assert run(["prefix", "--session", path, "--policy", policy]) == 0
    assert said in capsys.readouterr().out


def test_an_engine_takes_any_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, body(1, "my-own"), body(2, "my-own"))
    (use,) = reads(capsys, path, "--policy", "vllm")
    assert (use["models"], use["notes"]) == (["my-own"], [])


def test_two_models_share_nothing_and_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, body(1, "claude-opus-5"), body(2, "claude-fable-5"))
    (use,) = reads(capsys, path, "--policy", "anthropic")
    assert (use["read_tokens"], use["why"]) == (0, {"nothing_cached": 1})
    assert use["notes"][0].startswith(
        "the session names 2 models (claude-opus-5, claude-fable-5): a cache is per model"
    )


def test_the_price_is_that_of_the_bodies_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, body(1, "claude-haiku-4-5"), body(2, "claude-haiku-4-5"))
    options = ["--policy", "anthropic", "--policy", "openai-implicit", "--edit", "append", "--json"]
    assert run(["prefix", "--session", path, *options]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["price_model"] for row in rows] == ["claude-haiku-4-5", "gpt-5.6-sol"]
    assert run(["prefix", "--session", path, *options, "--price", "claude-opus-5"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["price_model"] for row in rows} == {"claude-opus-5"}


def test_recorded_breakpoints_count_and_others_are_a_question_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [body(turns, "claude-opus-5", marked=turns < 3) for turns in (1, 2, 3)]
    recorded, auto = reads(
        capsys, write(tmp_path, *rows), "--policy", "anthropic", "--policy", "anthropic-auto"
    )
    assert (recorded["setup"], recorded["why"]) == ("anthropic-recorded", {"read": 1, "not_asked": 1})
    assert auto["why"] == {"read": 2}
    unmarked = [body(turns, "claude-opus-5", marked=False) for turns in (1, 2)]
    names = [use["setup"] for use in reads(capsys, write(tmp_path, *unmarked), "--policy", "anthropic")]
    assert names == ["anthropic-auto", "anthropic-marked"]


def test_a_recorded_setting_that_is_rendered_loses_what_it_is_part_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [body(1, "claude-opus-5"), body(2, "claude-opus-5", tool_choice={"type": "any"})]
    anthropic, vllm = reads(capsys, write(tmp_path, *rows), "--policy", "anthropic", "--policy", "vllm")
    assert anthropic["read_tokens"] == 0
    assert vllm["read_tokens"] > 0


def test_recorded_times_let_entries_expire(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def at(*times: Any, name: str = "timestamp") -> Any:
        rows = [{"request": body(i + 1, "claude-opus-5"), name: t} for i, t in enumerate(times)]
        return reads(capsys, write(tmp_path, *rows), "--policy", "anthropic")[0]["why"]

    assert at("2026-12-01T12:00:00Z", "2026-12-01T12:04:59+00:00") == {"read": 1}
    assert at("2026-12-01T12:00:00Z", "2026-12-01T12:06:00Z") == {"ttl_expired": 1}
    assert at(0, 301, name="at_s") == {"ttl_expired": 1}


def test_reported_use_stands_beside_what_is_predicted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    usage = {"input_tokens": 100, "cache_read_input_tokens": 300, "cache_creation_input_tokens": 0}
    rows = [{**body(n, "claude-opus-5"), "usage": {**usage, "output_tokens": 1}} for n in (1, 2)]
    path = write(tmp_path, *rows)
    assert run(["prefix", "--session", path]) == 0
    assert (
        "the API reported 600 of 800 input tokens read (75.0%) in 2 of 2 requests" in capsys.readouterr().out
    )


def test_a_first_request_says_what_it_writes_and_what_to_add(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, body(1, "claude-opus-5"))
    assert run(["prefix", "--session", path, "--policy", "anthropic", "--policy", "vllm"]) == 0
    out = capsys.readouterr().out
    total = re.search(r"a first request: ([\d,]+) tokens", out)
    assert total is not None
    assert f"anthropic-recorded: {total[1]} are counted as written; sent again at once it would read" in out
    assert "vllm: no written tokens are counted; sent again at once it would read" in out
    assert "the request that followed as a second line" in out
    assert run(["prefix", "--session", path, "--policy", "anthropic", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["first"][0]["use"]["why"] == "nothing_cached"
    for option in (["--fail-under", "0.5"], ["--price", "claude-opus-5"]):
        assert run(["prefix", "--session", path, "--policy", "anthropic", *option]) == 3
        assert "a first request alone, and nothing can be kept, lost or saved" in " ".join(
            capsys.readouterr().err.split()
        )


def test_help_shows_a_session_that_can_be_copied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = command.get_help(click.Context(command))
    rows = re.search(r"<<'END'\n(.*?)\n *END\n", text, re.DOTALL)
    assert rows is not None
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(line.strip() for line in rows[1].splitlines()) + "\n")
    assert run(["prefix", "--session", str(path), "--policy", "openai"]) == 0
    assert "append-only: yes, 2 requests" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{**body(1), "at_s": 5}, {**body(2), "at_s": 4}], "session.jsonl:2: it was sent 1.000 s before the"),
        ([{**body(1), "at_s": 5}, body(2)], "session.jsonl:2: it says no time, and line 1 does"),
        ([{**body(1), "at_s": 1e300}], "session.jsonl:1: at_s is 1e+300, which is no time"),
        ([{**body(1), "at_s": 10**400}], "at_s is 1000000000000000000000000000000000000000"[:39]),
        ([{**body(1), "at_s": True}], "at_s is True, which is no time"),
        ([{**body(1), "timestamp": "soon"}], "timestamp is 'soon', which is no time"),
        ([{**body(1), "at_s": float("nan")}], "NaN is no number of JSON"),
        ([{**body(1), "usage": {"input_tokens": -3}}], "session.jsonl:1: usage: "),
        ([{**body(1), "usage": {"input_tokens": 1e99}}], "session.jsonl:1: usage: "),
        ([{**body(1), "usage": [1]}], "session.jsonl:1: usage: "),
        ([{**body(1), "usage": {}, "api": [1]}], "there is no usage format [1]"),
        ([{**body(1), "usage": {}, "api": "nobody"}], "there is no usage format 'nobody'"),
        (
            [
                {
                    "messages": [{"role": "user", "content": "x"}],
                    "usage": {"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 9}},
                }
            ],
            "should hold what was read",
        ),
        ([{"request": 3}], "session.jsonl:1: a request is expected (an object), not a number"),
        ([{"request": {"request": body(1)}}], "a list of messages is expected"),
        ([{"input": "x"}], "a body of OpenAI's Responses API, which is not read"),
        ([3], "a request is expected"),
        ([None], "a request is expected"),
    ],
)
def test_a_hostile_session_is_an_error_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rows: list[Any], message: str
) -> None:
    assert run(["prefix", "--session", write(tmp_path, *rows), "--policy", "anthropic"]) == 3
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("foreign", [{"input": "x"}, {"contents": []}, {"prompt": "x"}])
def test_a_body_of_another_api_is_refused_with_what_is_read_said_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], foreign: Any
) -> None:
    path = write(tmp_path, foreign)
    for command_line in (["--session", path], ["--before", path, "--after", path]):
        assert run(["prefix", *command_line]) == 3
        err = capsys.readouterr().err
        assert ", which is not read; give " in err
        assert err.count("bodies of chat completions") == err.count("Anthropic's Messages") == 1


def test_a_model_needs_a_session(tmp_path: Path) -> None:
    assert run(["prefix", str(tmp_path), "--model", "claude-opus-5"]) == 2


def test_fields_that_nobody_knows_change_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = [body(turns, "claude-opus-5") for turns in (1, 2)]
    strange = [{**row, "x-unknown": {"deep": [1, None]}, "metadata": {"user_id": "u"}} for row in plain]
    first = reads(capsys, write(tmp_path, *plain), "--policy", "anthropic")
    assert reads(capsys, write(tmp_path, *strange), "--policy", "anthropic") == first


def test_bodies_of_two_apis_and_endless_names_are_said_in_short(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chat = {"model": "m" * 5000, "messages": [{"role": "user", "content": "Hi."}]}
    path = write(tmp_path, body(1, "claude-opus-5"), chat)
    assert run(["prefix", "--session", path, "--policy", "vllm"]) == 0
    out = capsys.readouterr().out
    assert "note: bodies of two APIs are in it" in out
    assert "m" * 59 + "…" in out
    assert "m" * 60 not in out


def test_of_two_models_the_next_request_is_paid_at_the_last_ones_price(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    opus, haiku = "claude-opus-5", "claude-haiku-4-5"
    for last, first in ((opus, haiku), (haiku, opus)):
        path = write(tmp_path, body(1, first), body(2, last))
        command_line = ["prefix", "--session", path, "--policy", "anthropic", "--edit", "append", "--json"]
        assert run(command_line) == 0
        (row,) = json.loads(capsys.readouterr().out)["rows"]
        assert row["price_model"] == last


def test_a_narrow_terminal_cuts_no_number_of_what_could_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert run(["prefix", "--session", write(tmp_path, body(1), body(2))]) == 0
    out = capsys.readouterr().out
    assert "append a turn" in out
    assert "\u2026" not in out
