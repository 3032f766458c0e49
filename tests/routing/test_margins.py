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
    RoutingCase,
    RoutingReport,
    Trial,
    load_report,
    run_baseline,
    run_routing,
)
from tohlab.routing.aggregate import make_report
from tohlab.routing.calibration import abstention, calibration, first_right
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


# Calibration and abstention.


def made(pairs: Sequence[tuple[float, bool]], replicates: int = 1) -> list[Trial]:
    """Answers with such a share, right or not, each to a case of its own."""
    trials = []
    for i, (share, right) in enumerate(pairs):
        case = RoutingCase(id=f"c{i // replicates}", query=f"q {i // replicates}", expected=(PDF,))
        margin = Margin(
            name=PDF if right else SQL, share=share, probability=share, runner_up=DOCX,
            runner_up_share=1 - share, ambiguous=0.0, unseen=0.0, n_tokens=1,
        )  # fmt: skip
        trials.append(
            Trial(
                case=case,
                label="ok" if right else "wrong_skill",
                loaded=(margin.name,),
                margin=margin,
                replicate=i % replicates,
            )
        )
    return trials


def test_the_error_is_the_mean_distance_of_share_and_rate_over_bins_of_equal_mass() -> None:
    sure = [(0.9, i < 8) for i in range(10)]  # 0.9 said, 0.8 right
    unsure = [(0.5, i < 2) for i in range(11)]  # 0.5 said, 2 of 11 right
    found = calibration(made([*sure, *unsure]), bins=2, resamples=99)
    assert found is not None
    assert [row.right.n for row in found.bins] == [10, 11]
    # The 21 answers are cut in the middle of equal shares: ten of 0.5, then one of 0.5 and ten of 0.9.
    assert found.bins[0].confidence == pytest.approx(0.5)
    assert found.bins[1].confidence == pytest.approx((0.5 + 9.0) / 11)
    first = abs(sum(ok for _, ok in unsure[:10]) - 5.0) / 21
    second = abs(8 + unsure[10][1] - 9.5) / 21
    assert found.ece == pytest.approx(first + second)
    assert found.low <= found.high
    assert (found.n, found.n_cases, found.n_without) == (21, 21, 0)


def test_a_bin_has_ten_answers_or_there_are_fewer_bins() -> None:
    few = calibration(made([(0.7, True)] * 19), resamples=19)
    many = calibration(made([(0.7, True)] * 205), resamples=19)
    assert few is not None
    assert many is not None
    assert (len(few.bins), len(many.bins)) == (1, 10)
    assert {row.right.n for row in many.bins} == {20, 21}
    assert calibration(made([])) is None
    with pytest.raises(RoutingError, match="at least one bin"):
        calibration(made([(0.7, True)]), bins=0)


def test_a_calibrated_model_is_not_said_to_be_uncalibrated_and_an_overconfident_one_is() -> None:
    rng = random.Random(3)
    shares = [0.3 + 0.7 * rng.random() for _ in range(300)]
    honest = calibration(made([(p, rng.random() < p) for p in shares]), resamples=299)
    proud = calibration(made([(p, rng.random() < p - 0.25) for p in shares]), resamples=299)
    assert honest is not None
    assert proud is not None
    assert "no evidence" in honest.sentence
    assert "it is not calibrated" in proud.sentence
    assert proud.ece == pytest.approx(0.25, abs=0.08)
    assert 0 < honest.ece_if_calibrated < honest.ece_if_calibrated_high < proud.low


def test_calibrated_models_are_called_uncalibrated_in_about_five_of_a_hundred() -> None:
    rng = random.Random(8)
    wrong = 0
    for _ in range(100):
        pairs = [(p, rng.random() < p) for p in (rng.random() for _ in range(60))]
        found = calibration(made(pairs), resamples=99)
        assert found is not None
        wrong += found.ece > found.ece_if_calibrated_high
    assert wrong <= 13  # above 13 would happen to an honest 5 % in fewer than 1 of 1,000 tries


def test_answers_to_one_case_are_drawn_together() -> None:
    rng = random.Random(5)
    by_case = [(0.6 + 0.3 * (i % 2), rng.random() < 0.6) for i in range(30)]
    alone = calibration(made(by_case), bins=1, resamples=499)
    repeated = calibration(made([p for p in by_case for _ in range(5)], replicates=5), bins=1, resamples=499)
    assert alone is not None
    assert repeated is not None
    assert repeated.n_cases == alone.n_cases == 30
    # Five times the same answer is no new knowledge: the interval is as wide as before.
    assert repeated.high - repeated.low == pytest.approx(alone.high - alone.low, rel=0.2)
    assert calibration(made(by_case), bins=1, resamples=99) == calibration(
        made(by_case), bins=1, resamples=99
    )


def test_the_curve_keeps_the_surest_first_and_equal_ones_together() -> None:
    curve = abstention(made([(0.9, True), (0.9, False), (0.8, True), (0.6, False)]))
    assert curve is not None
    assert [round(p.coverage, 2) for p in curve.points] == [0.5, 0.75, 1.0]
    assert [p.exact.value for p in curve.points] == [0.5, pytest.approx(2 / 3), 0.5]
    assert [round(p.threshold, 6) for p in curve.points] == [0.8, 0.6, 0.2]
    assert curve.at(0.6).coverage == 0.75
    by_share = abstention(made([(0.9, True)]), by="share")
    assert by_share is not None
    assert by_share.points[0].threshold == 0.9
    with pytest.raises(RoutingError, match="known: share, margin"):
        abstention(made([(0.9, True)]), by="size")  # type: ignore[arg-type]  # a wrong word is refused


def test_the_first_name_is_right_if_it_is_expected_or_a_twin_or_none_is_expected() -> None:
    def trial(name: str, *expected: str, **more: Any) -> Trial:
        margin = Margin(
            name=name, share=1.0, probability=1.0, runner_up=None, runner_up_share=0.0, ambiguous=0.0,
            unseen=0.0, n_tokens=1,
        )  # fmt: skip
        return Trial(case=shapes.case(0, *expected, **more), label="ok", margin=margin)

    assert first_right(trial(PDF, PDF, SQL))
    assert not first_right(trial(DOCX, PDF))
    assert first_right(trial("(none)"))
    assert not first_right(trial("(none)", PDF))
    assert first_right(trial(DOCX, PDF, aliases=((DOCX, PDF),)))
    assert first_right(trial(PDF, optional=(PDF,)))
    assert not first_right(trial(SQL, optional=(PDF,)))


def test_the_figures_show_what_was_computed() -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    rng = random.Random(1)
    trials = made([(p, rng.random() < p) for p in (rng.random() for _ in range(100))])
    report = make_report(trials, model="m", dataset="d", skills=shapes.NAMES, dialect="toh", choice="json")
    found = report.calibration()
    assert found is not None
    ax = report.plot_calibration()
    drawn = next(line for line in ax.get_lines() if line.get_marker() == "o")
    assert list(drawn.get_ydata()) == [row.right.value for row in found.bins]
    assert f"ECE {found.ece:.3f}" in ax.get_title()
    _, given = pyplot.subplots()
    assert report.plot_abstention(given) is given
    assert given.get_ylabel() == "exact set among those kept"
    pyplot.close("all")


def test_the_baselines_are_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    report, _ = asked(logprobs=2)
    rows = frame(report, table="baselines")
    assert list(rows["picker"]) == ["m", *(row.name for row in report.baselines)]
    assert rows["difference"].isna().tolist() == [True] + [False] * len(report.baselines)
    assert frame(run_baseline("bm25", shapes.ten(), shapes.source()), table="baselines")[
        "baseline"
    ].tolist() == [True]
