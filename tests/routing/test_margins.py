"""How sure a model was of its first name is read from its tokens, exactly, or not at all."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.routing import shapes
from tests.routing.service import asked_text, completion, ok, serving
from tohlab.cli import run
from tohlab.errors import RoutingError
from tohlab.frames import frame
from tohlab.routing import (
    ChatReply,
    ChatRequest,
    OpenAIClient,
    ReplyStore,
    RoutingReport,
    load_report,
    run_baseline,
    run_routing,
)
from tohlab.routing.margins import Margin, read_margin
from tohlab.routing.store import request_key

DOCX, PDF, SQL = shapes.NAMES
NAMES = ("pdf", "pdf-forms", "pdf-tables", "sql-review")


def entry(text: str, p: float, *top: tuple[str, float]) -> dict[str, Any]:
    """One token as the API writes it; the sampled one is put among the likeliest if it is not there."""
    listed = dict(top)
    listed.setdefault(text, p)
    return {
        **_token(text, p),
        "top_logprobs": [_token(t, q) for t, q in sorted(listed.items(), key=lambda x: -x[1])],
    }


def _token(text: str, p: float) -> dict[str, Any]:
    return {"token": text, "bytes": list(text.encode()), "logprob": math.log(p) if p else -9999.0}


def reply(content: str | None, *tokens: dict[str, Any], calls: Sequence[str] = ()) -> ChatReply:
    raw = completion(*calls, content=content)
    raw["choices"][0]["logprobs"] = {"content": list(tokens)}
    return ChatReply.from_raw(raw)


BEGIN = (entry('{"skills":', 1.0), entry(" [", 1.0))


def as_json(*tokens: dict[str, Any], end: str = "]}") -> ChatReply:
    parts = (*BEGIN, *tokens, entry(end, 1.0))
    return reply("".join(t["token"] for t in parts), *parts)


def test_a_name_of_one_token_has_its_share_among_the_names() -> None:
    found = read_margin(
        as_json(
            entry('"', 1.0), entry("sql-review", 0.6, ("pdf-tables", 0.2), ("java", 0.1)), entry('"', 1.0)
        ),
        NAMES,
        choice="json",
    )
    assert found is not None
    # `java` is no name's beginning: it counts for nobody, and the others add up to 1 without it.
    assert (found.name, found.runner_up) == ("sql-review", "pdf-tables")
    assert (found.share, found.runner_up_share) == pytest.approx((0.75, 0.25))
    assert found.margin == pytest.approx(0.5)
    assert found.probability == pytest.approx(0.6)
    assert found.unseen == pytest.approx(0.1)
    assert (found.ambiguous, found.n_tokens) == (0.0, 1)


def test_a_shared_beginning_is_followed_until_one_name_is_left() -> None:
    found = read_margin(
        as_json(
            entry('"pdf', 0.8, ('"sql', 0.2)),
            entry("-", 0.5, ('"', 0.5)),
            entry("forms", 0.75, ("tables", 0.25)),
            entry('"', 0.1),  # spelling: it does not count
        ),
        NAMES,
        choice="json",
    )
    assert found is not None
    assert found.name == "pdf-forms"
    assert found.share == found.probability == pytest.approx(0.8 * 0.5 * 0.75)
    assert (found.runner_up, found.n_tokens) == ("pdf", 3)  # it ends there with the quote: 0.8 * 0.5
    assert found.runner_up_share == pytest.approx(0.4)
    assert found.margin == pytest.approx(-0.1)  # the answer was not the likeliest name


def test_a_token_of_several_names_that_was_not_taken_is_ambiguous_and_nobody_s() -> None:
    found = read_margin(
        as_json(entry('"sql', 0.5, ('"pdf', 0.4), ('"pdf-t', 0.1)), entry('-review"', 1.0)),
        NAMES,
        choice="json",
    )
    assert found is not None
    assert (found.ambiguous, found.runner_up, found.runner_up_share) == pytest.approx(
        (0.4, "pdf-tables", 0.1)
    )


def test_no_skill_is_one_of_the_names_in_json() -> None:
    found = read_margin(as_json(entry('"(', 0.9, ('"pdf', 0.1)), entry('none)"', 1.0)), NAMES, choice="json")
    assert found is not None
    assert (found.name, found.share) == ("(none)", pytest.approx(0.9))


def test_a_token_that_a_grammar_chose_against_the_odds_counts_by_what_names_could_follow() -> None:
    # As llama.cpp gives them: before the grammar, with a fence around the content that the reply lacks.
    tokens = (
        entry("```", 0.2), entry("json\n", 0.2), *BEGIN, entry(' "', 0.15, (" {", 0.83)),
        entry("pdf-t", 0.2, ("I", 0.7), ("sql", 0.1)), entry('ables"', 1.0), entry("]}", 1.0),
    )  # fmt: skip
    found = read_margin(reply('{"skills": [ "pdf-tables"]}', *tokens), NAMES, choice="json")
    assert found is not None
    assert (found.share, found.probability) == pytest.approx((2 / 3, 0.2))


def test_the_first_of_several_names_is_what_the_margin_is_of() -> None:
    tokens = (entry('"', 1.0), entry('pdf"', 0.7), entry(', "sql-review"', 0.9))
    found = read_margin(as_json(*tokens), NAMES, choice="json")
    assert found is not None
    assert (found.name, found.share) == ("pdf", pytest.approx(1.0))


@pytest.mark.parametrize(
    "answer",
    [
        ChatReply.from_raw(completion(content='{"skills": ["pdf"]}')),  # none given
        reply('{"skills": ["pdf"]}'),  # an empty list
        as_json(entry('"no-such-skill"', 1.0)),  # no name of the catalog
        as_json(end="]}"),  # no name at all
        reply('{"skills": ["pdf"]}', entry('{"skills": ["sql-review"]}', 1.0)),  # not the content's tokens
        reply('{"skills": ["pdf"]}', {"token": 3, "logprob": "x"}),  # no log-probabilities
        reply("", entry("a", 1.0)),
    ],
    ids=["none", "empty", "unknown", "nameless", "other text", "broken", "no content"],
)
def test_what_cannot_be_known_is_none_and_never_nought(answer: ChatReply) -> None:
    assert read_margin(answer, NAMES, choice="json") is None


def test_calls_have_a_margin_only_where_the_service_gives_the_call_s_tokens() -> None:
    text = ('<tool_call>{"name": "skill", "arguments": {"name": "', "pdf-forms", '"}}</tool_call>')
    tokens = (entry(text[0], 1.0), entry(text[1], 0.5, ("pdf-tables", 0.5)), entry(text[2], 1.0))
    found = read_margin(reply(None, *tokens, calls=["pdf-forms"]), NAMES, choice="tools")
    assert found is not None
    assert (found.share, found.runner_up) == (pytest.approx(0.5), "pdf-tables")
    assert read_margin(ChatReply.from_raw(completion("pdf-forms")), NAMES, choice="tools") is None
    # Text without a call is no choice of a name, whatever it says.
    said = reply('I would take "name": "pdf-forms"', entry('I would take "name": "pdf-forms"', 1.0))
    assert read_margin(said, NAMES, choice="tools") is None
    # Written twice but called once: which one is meant is not known.
    twice = (*tokens, entry(text[0], 1.0), entry(text[1], 1.0), entry(text[2], 1.0))
    assert read_margin(reply(None, *twice, calls=["pdf-forms"]), NAMES, choice="tools") is None
    assert read_margin(reply(None, *twice, calls=["pdf-forms", "pdf-forms"]), NAMES, choice="tools")


def test_tokens_may_be_parts_of_a_character() -> None:
    whole = '"größe"'.encode()
    parts = [whole[:4], whole[4:5], whole[5:]]
    tokens = [
        {"token": "\ufffd", "bytes": list(p), "logprob": math.log(0.9), "top_logprobs": []} for p in parts
    ]
    made = reply('{"skills": ["größe"]}', *(entry('{"skills": [', 1.0), *tokens, entry("]}", 1.0)))
    found = read_margin(made, ["größe", "größte"], choice="json")
    assert found is not None
    assert (found.name, found.n_tokens, found.probability) == ("größe", 3, pytest.approx(0.9**3))
    assert found.share == pytest.approx(1.0)  # no other name was listed
    assert found.runner_up is None


@given(
    names=st.lists(st.text("ab-", min_size=1, max_size=5), min_size=1, max_size=6, unique=True),
    seed=st.integers(0, 10_000),
)
def test_shares_and_what_is_ambiguous_never_add_up_to_more_than_one(names: list[str], seed: int) -> None:
    rng = random.Random(seed)
    name = rng.choice(names)
    rest, tokens = json.dumps(name), []
    while rest:
        cut = rng.randint(1, len(rest))
        others = {rng.choice(['"', "a", "b", '"a', "ab", "-", 'b"', "x"]) for _ in range(4)} - {rest[:cut]}
        weights = [rng.random() for _ in range(len(others) + 2)]
        total = sum(weights)
        top = list(zip(sorted(others), (w / total for w in weights[2:]), strict=True))
        tokens.append(entry(rest[:cut], weights[0] / total, *top))
        rest = rest[cut:]
    found = read_margin(as_json(*tokens), names, choice="json")
    assert found is not None
    assert found.name == name
    assert found.share + found.runner_up_share + found.ambiguous <= 1 + 1e-9
    assert 0 < found.probability <= found.share + 1e-9
    assert 0 <= found.unseen <= 1
    assert -1 <= found.margin <= 1
    assert Margin.from_dict(json.loads(json.dumps(found.to_dict()))) == found


# Asked, stored, replayed.


def test_a_request_without_log_probabilities_has_the_key_it_always_had() -> None:
    request = ChatRequest(model="m", messages=({"role": "user", "content": "hello"},), max_tokens=5, seed=1)
    assert request_key(request) == "99864d560ac10b48a980cdd7f4eb74b13a83fcdd6ce91bceffaf21573978b004"
    assert "logprobs" not in request.canonical_json()
    with_them = ChatRequest(
        model="m", messages=({"role": "user", "content": "hello"},), max_tokens=5, seed=1, logprobs=0
    )
    assert with_them.body()["logprobs"] is True
    assert with_them.body()["top_logprobs"] == 0
    assert request_key(with_them) != request_key(request)
    with pytest.raises(RoutingError, match="0 to 20"):
        ChatRequest(model="m", messages=(), logprobs=21)


def sure_of(name: str, p: float) -> dict[str, Any]:
    """A completion in `json` whose first name had this probability, and the next name the rest."""
    other = next(n for n in (*shapes.NAMES, "(none)") if n != name)
    parts = [entry('{"skills": ["', 1.0), entry(f"{name}", p, (other, 1 - p)), entry('"]}', 1.0)]
    raw = completion(content="".join(t["token"] for t in parts))
    raw["choices"][0]["logprobs"] = {"content": parts}
    return raw


def asked(**options: Any) -> tuple[RoutingReport, list[dict[str, Any]]]:
    dataset = shapes.ten()
    answers = {
        c.query: sure_of((c.expected or ("(none)",))[0], 0.5 + 0.05 * i) for i, c in enumerate(dataset.cases)
    }
    with serving(lambda b, n: ok(answers[asked_text(b)])) as service:
        report = run_routing(
            dataset, shapes.source(), OpenAIClient(service.base_url), model="m", choice="json", **options
        )
        return report, service.bodies


def test_a_run_with_log_probabilities_asks_for_them_and_each_trial_has_its_margin() -> None:
    report, bodies = asked(logprobs=3)
    assert all(body["logprobs"] is True and body["top_logprobs"] == 3 for body in bodies)
    margins = [t.margin for t in report.trials]
    assert [m and round(m.share, 6) for m in margins] == [round(0.5 + 0.05 * i, 6) for i in range(10)]
    rows = frame(report, table="margins")
    assert list(rows["name"][8:]) == ["pdf-forms", "(none)"]
    assert list(rows["first_right"]) == [True] * 10
    assert list(rows["right"]) == [True] * 8 + [False, True]  # the ninth expects two
    assert rows["margin"][9] == pytest.approx(0.9)


def test_a_run_without_them_asks_for_none_and_its_report_says_nothing_of_sureness() -> None:
    dataset = shapes.ten()
    with serving(shapes.perfect(dataset)) as service:
        report = run_routing(dataset, shapes.source(), OpenAIClient(service.base_url), model="m")
        assert all("logprobs" not in body and "top_logprobs" not in body for body in service.bodies)
    assert (report.calibration(), report.abstention()) == (None, None)
    assert "calibration" not in report.to_dict()
    with pytest.raises(RoutingError, match="--logprobs"):
        report.plot_calibration()
    assert frame(report, table="margins")["share"].isna().all()


def test_margins_are_read_again_from_the_store_and_from_a_saved_report(tmp_path: Path) -> None:
    with ReplyStore(":memory:") as store:
        first, _ = asked(logprobs=2, store=store)
        again = run_routing(
            shapes.ten(), shapes.source(), None, model="m", choice="json", store=store, logprobs=2
        )
    assert [t.margin for t in again.trials] == [t.margin for t in first.trials]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(first.to_dict(trials=True), allow_nan=False))
    assert [t.margin for t in load_report(path).trials] == [t.margin for t in first.trials]
    assert load_report(path).calibration() == first.calibration()


def test_the_command_line_asks_for_them_and_prints_what_they_say(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    dataset = shapes.ten()
    answers = {c.query: sure_of((c.expected or ("(none)",))[0], 0.75) for c in dataset.cases}
    argv = ["route", *shapes.write_inputs(tmp_path, dataset), "--model", "m", "--choice", "json"]
    with serving(lambda b, n: ok(answers[asked_text(b)])) as service:
        argv += ["--base-url", service.base_url, "--logprobs", "4"]
        assert run(argv) == 0
        text = capsys.readouterr().out
        assert service.bodies[0]["top_logprobs"] == 4
        assert run([*argv, "--json"]) == 0
    assert "Expected calibration error 0.250" in text
    assert "If only the surest answers were acted on" in text
    data = json.loads(capsys.readouterr().out)
    assert data["calibration"]["n"] == 10
    assert data["abstention"]["points"][-1]["coverage"] == 1.0


def test_the_baselines_are_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    report, _ = asked(logprobs=2)
    rows = frame(report, table="baselines")
    assert list(rows["picker"]) == ["m", *(row.name for row in report.baselines)]
    assert rows["difference"].isna().tolist() == [True] + [False] * len(report.baselines)
    assert frame(run_baseline("bm25", shapes.ten(), shapes.source()), table="baselines")[
        "baseline"
    ].tolist() == [True]
