"""The benchmarks run, agree with the slow ways, and print what they promise. No test looks at a time."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import asking, measuring, run, scoring, sixteen
from benchmarks.service import serving


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "QUICK_TURNS", 6)
    monkeypatch.setattr(run, "QUICK_SKILLS", 20)
    monkeypatch.setattr(run, "QUICK_SESSIONS", 20)
    monkeypatch.setattr(sixteen, "QUICK_SKILLS", 5)
    monkeypatch.setattr(scoring, "QUICK_CASES", 8)
    monkeypatch.setattr(scoring, "PLAIN_CASES", 4)
    monkeypatch.setattr(measuring, "REPEATS", 1)
    monkeypatch.setattr(asking, "QUICK_REQUESTS", 70)
    monkeypatch.setattr(asking, "MEAN_S", 0.01)
    monkeypatch.setattr(asking, "QUICK_CPU_REQUESTS", 2)
    monkeypatch.setattr(asking, "versions", lambda _: {})  # whoever runs the tests may have the peers


@pytest.mark.parametrize(
    "name", ["measure_session", "prefix_session", "pool", "discovery", "sixteen", "scoring", "makespan"]
)
def test_a_benchmark_gives_a_ratio_and_says_of_what(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main([name, "--quick", "--json"]) == 0
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert list(data) == [name]
    assert set(data[name]) == {"ratio", "what", "detail"}
    assert data[name]["ratio"] > 0
    assert name not in ("measure_session", "prefix_session") or data[name]["detail"]["floor_ratio"] > 0


def test_the_session_is_the_same_in_every_run() -> None:
    assert run.session_requests(4) == run.session_requests(4)


def test_the_full_session_has_the_size_that_is_promised() -> None:
    from tohlab.tokens import measure

    requests = run.session_requests(run.TURNS)
    assert len(requests) == 500
    assert 180_000 < measure(requests[-1]).total_tokens < 220_000


def test_two_ways_that_disagree_give_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    from tohlab.tokens import TiktokenMeter

    monkeypatch.setattr(TiktokenMeter, "count", lambda _, text: len(text))
    with pytest.raises(run.MismatchError):
        run.measure_session(quick=True)


def test_a_plain_way_with_other_texts_gives_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = sixteen.read_plainly

    def last_left_out(folder: str, parse: Any) -> list[Any]:
        return plain(folder, parse)[:-1]

    monkeypatch.setattr(sixteen, "read_plainly", last_left_out)
    with pytest.raises(run.MismatchError, match="agent-skills: together and naively differ"):
        sixteen.sixteen(quick=True)


def test_sixteen_says_what_it_is_faster_than() -> None:
    result = sixteen.sixteen(quick=True)
    assert "yaml.safe_load" in result["what"]
    detail = result["detail"]
    assert result["ratio"] == detail["naive_s"] / detail["ours_s"]
    assert detail["ratio_to_each_alone"] == detail["alone_s"] / detail["ours_s"]


def test_an_unknown_name_lists_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run.main(["speed"])
    assert f"there are: {', '.join(run.BENCHMARKS)}" in capsys.readouterr().err


def test_a_plain_way_that_scores_otherwise_gives_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    made = scoring.builders

    def without_the_last_skill(catalog: Any) -> Any:
        by_session, by_prompter, names = made(catalog)
        return by_session, by_prompter, names[:-1]

    monkeypatch.setattr(scoring, "builders", without_the_last_skill)
    with pytest.raises(measuring.MismatchError, match="different reports"):
        scoring.scoring(quick=True)


def test_the_ideal_gives_each_request_to_the_first_worker_that_is_free() -> None:
    assert asking.list_schedule([3, 1, 1, 1, 2], 2) == 5  # 3, 2 | 1, 1, 1
    assert asking.list_schedule([3, 1, 1, 1, 2], 1) == 8
    assert asking.list_schedule([3, 1], 64) == 3


def test_latencies_are_recorded_ones_to_scale_and_the_same_in_every_run() -> None:
    drawn, recorded = asking.delays(200), asking.recorded_latencies()
    assert drawn == asking.delays(200)
    assert sum(drawn) / 200 == pytest.approx(asking.MEAN_S)
    scale = max(drawn) / min(drawn)
    assert scale <= max(recorded) / min(recorded) * 1.001


def test_a_process_of_its_own_asks_and_its_time_is_counted(tmp_path: Path) -> None:
    data = {
        "catalog": "c",
        "tool": {"type": "function", "function": {"name": "skill"}},
        "queries": ["a", "b"],
    }
    path = tmp_path / "data.json"
    path.write_text(json.dumps(data), "utf-8")
    with serving([0], asking.REPLY) as base_url:
        assert asking.cpu_of(sys.executable, "openai", base_url, path, 2) > 0


def test_a_runner_that_is_not_installed_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    each_s = {"tohlab": 0.003, "tohlab_store": 0.004, "openai": 0.002}
    monkeypatch.setattr(asking, "cpu_of", lambda _, way, __, ___, count: each_s[way] * count)
    result = asking.asking_cpu(quick=True)
    assert result["ratio"] == pytest.approx(1.5)
    detail = result["detail"]
    assert detail["tohlab_store_beyond_openai_ms"] == pytest.approx(2)
    assert "install the group `peers`" in detail["missing"]
    assert "inspect_ms" not in detail
    assert {"tohlab_ms", "tohlab_store_ms", "openai_ms"} <= detail.keys()


def test_a_runner_that_does_not_get_its_answers_gives_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(asking.REPLY["choices"][0], "message", {"role": "assistant", "content": "no"})
    with pytest.raises(measuring.MismatchError, match="tohlab did not get its 2 answers"):
        asking.asking_cpu(quick=True)
    with pytest.raises(measuring.MismatchError, match="answers that the service gave"):
        asking.makespan(quick=True)
