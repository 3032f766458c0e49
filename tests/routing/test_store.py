"""The store keeps every reply under its whole request, and gives it back unchanged."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.routing.service import completion
from tohlab.errors import ReplayMiss, StoreError
from tohlab.routing import ChatReply, ChatRequest, ReplyStore
from tohlab.routing.store import request_key

CATALOG = "Skills: " + "a long description of a skill. " * 200
TOOL = {"type": "function", "function": {"name": "skill", "parameters": {"type": "object"}}}


def request(query: str = "q", **more: Any) -> ChatRequest:
    messages = ({"role": "user", "content": CATALOG}, {"role": "user", "content": query})
    return ChatRequest(model="m", messages=messages, tools=(TOOL,), tool_choice="auto", **more)


def reply(*names: str) -> ChatReply:
    return ChatReply.from_raw(completion(*names), 1.25)


def test_a_reply_comes_back_as_it_was(tmp_path: Path) -> None:
    with ReplyStore(tmp_path / "s.sqlite") as store:
        assert store.get(request()) is None
        store.put(request(), reply("a"), attempts=("server 500",))
        found = store.get(request())
        assert found is not None
        assert found.reply == reply("a")
        assert found.attempts == ("server 500",)
    with ReplyStore(tmp_path / "s.sqlite") as store:
        assert len(store) == 1


@pytest.mark.parametrize(
    "other",
    [
        request("other"),
        replace(request(), model="n"),
        replace(request(), tools=()),
        replace(request(), tool_choice=None),
        replace(request(), temperature=0.5),
        replace(request(), temperature=None),
        replace(request(), seed=1),
        replace(request(), max_tokens=9),
        replace(request(), logprobs=3),
        replace(request(), response_format={"type": "json_object"}),
        replace(request(), messages=tuple(reversed(request().messages))),
        replace(request(), messages=({"role": "user", "content": CATALOG + "."}, *request().messages[1:])),
    ],
)
def test_every_part_of_the_request_is_in_the_key(other: ChatRequest) -> None:
    assert request_key(other) != request_key(request())
    assert request_key(request(), "api.example.com") != request_key(request())


def test_replicates_are_different_replies() -> None:
    with ReplyStore(":memory:") as store:
        for number in range(5):
            store.put(request(), reply(f"skill-{number}"), number)
        found = [store.get(request(), number) for number in range(6)]
    assert [f.reply.tool_calls[0].arguments for f in found if f] == [
        f'{{"name": "skill-{i}"}}' for i in range(5)
    ]
    assert found[5] is None


def test_a_long_text_is_kept_once(tmp_path: Path) -> None:
    with ReplyStore(":memory:") as store:
        for number in range(200):
            store.put(request(f"request {number}"), reply("a"))
        store.export(tmp_path / "r.jsonl")
    assert (tmp_path / "r.jsonl").read_text().count(CATALOG) == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("attempts", 5), ("attempts", None), ("attempts", [1]), ("latency_s", 10**400), ("latency_s", None),
        ("latency_s", float("nan")), ("latency_s", True), ("replicate", 2**70), ("replicate", -1),
        ("replicate", 0.5), ("raw", None), ("raw", []), ("key", None),
    ],
)  # fmt: skip
def test_a_recorded_reply_with_a_value_of_another_kind_is_refused(
    tmp_path: Path, field: str, value: Any
) -> None:
    path = tmp_path / "r.jsonl"
    with ReplyStore(":memory:") as store:
        store.put(request(), reply("a"))
        store.export(path)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    lines[-1][field] = value
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    with (
        ReplyStore(":memory:") as store,
        pytest.raises(StoreError, match=rf"r\.jsonl:{len(lines)}: not a line of a recording .*{field}"),
    ):
        store.import_(path)


def test_an_export_goes_where_a_link_points_and_into_a_pipe(tmp_path: Path) -> None:
    target, link, pipe = (tmp_path / name for name in ("target.jsonl", "link.jsonl", "pipe"))
    link.symlink_to(target)
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    with ReplyStore(":memory:") as store:
        store.put(request(), reply("a"))
        store.export(link)
        store.export(pipe)
    reader.join(timeout=30)
    assert link.is_symlink()
    assert pipe.is_fifo()
    assert read == [target.read_bytes()]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.jsonl", "pipe", "target.jsonl"]


def test_a_recording_gives_the_same_store_again_byte_for_byte(tmp_path: Path) -> None:
    with ReplyStore(":memory:") as store, ReplyStore(":memory:") as other:
        for number in (3, 1, 2):
            store.put(request(f"request {number}"), reply("a"), endpoint="api.example.com")
        assert store.export(tmp_path / "a.jsonl.gz") == 3
        assert other.import_(tmp_path / "a.jsonl.gz") == 3
        assert other.export(tmp_path / "b.jsonl.gz") == 3
        assert other.get(request("request 2"), endpoint="api.example.com") is not None
        assert other.endpoints("m") == ("api.example.com",)
        assert other.models() == ("m",)
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()


def test_importing_keeps_what_is_there(tmp_path: Path) -> None:
    with ReplyStore(":memory:") as store, ReplyStore(":memory:") as other:
        store.put(request(), reply("recorded"))
        store.export(tmp_path / "a.jsonl")
        other.put(request(), reply("mine"))
        other.import_(tmp_path / "a.jsonl")
        found = other.get(request())
    assert found is not None
    assert found.reply == reply("mine")


def test_a_recording_whose_request_was_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with ReplyStore(":memory:") as store:
        store.put(request("the query"), reply("a"))
        store.export(path)
        for old, new, message in (
            ("the query", "another", "key it stands under"),
            ("a long description", "a short description", "hash it stands under"),
            ('"tohlab-replies"', '"something"', "no recording of replies"),
            ('"format":1', '"format":99', "has format 99"),
            ('"kind":"reply"', '"kind":"reply', "not JSON"),
            ('"raw":', '"row":', "not a line of a recording"),
        ):
            text = path.read_text()
            changed = tmp_path / "b.jsonl"
            changed.write_text(text.replace(old, new))
            assert changed.read_text() != text
            with ReplyStore(":memory:") as other, pytest.raises(StoreError, match=message):
                other.import_(changed)


def test_a_file_that_is_no_store_or_recording_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello, this is not a database at all\n" * 50)
    with pytest.raises(StoreError, match="cannot be used"):
        ReplyStore(tmp_path / "x")
    with pytest.raises(StoreError, match="cannot be used"):
        ReplyStore(tmp_path)
    (tmp_path / "bad.jsonl.gz").write_bytes(gzip.compress(b"{}" * 1000)[:30])
    (tmp_path / "worse.jsonl.gz").write_bytes(gzip.compress(b"{}")[:10] + b"x" * 50)
    lines = [{"kind": "tohlab-replies", "format": 1}, {"kind": "reply", "key": [1], "replicate": 0}]
    lines[1] |= {"latency_s": 0.0, "attempts": [], "raw": {}}
    (tmp_path / "key.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (tmp_path / "deep.jsonl").write_text(json.dumps(lines[0]) + "\n" + "[" * 100_000)
    with ReplyStore(":memory:") as store:
        with pytest.raises(StoreError, match="cannot be read"):
            store.import_(tmp_path / "bad.jsonl.gz")
        with pytest.raises(StoreError, match="cannot be read"):
            store.import_(tmp_path / "worse.jsonl.gz")
        with pytest.raises(StoreError, match=r"key\.jsonl:2: not a line of a recording"):
            store.import_(tmp_path / "key.jsonl")
        with pytest.raises(StoreError, match=r"deep\.jsonl:2: not JSON"):
            store.import_(tmp_path / "deep.jsonl")
        with pytest.raises(StoreError, match="there is no recording"):
            store.import_(tmp_path / "none.jsonl")


@pytest.mark.parametrize(
    ("name", "said"), [(".", "it is a folder"), ("folder", "it is a folder"), ("none/r.jsonl", "no folder")]
)
def test_a_recording_that_cannot_be_written_says_why(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "folder").mkdir()
    with ReplyStore(":memory:") as store, pytest.raises(StoreError, match=f"cannot be written: .*{said}"):
        store.export(tmp_path / name)


def test_a_store_of_another_format_is_refused(tmp_path: Path) -> None:
    with ReplyStore(tmp_path / "s.sqlite"):
        pass
    db = sqlite3.connect(tmp_path / "s.sqlite")
    db.execute("UPDATE meta SET value = '99'")
    db.commit()
    db.close()
    with pytest.raises(StoreError, match="format 99"):
        ReplyStore(tmp_path / "s.sqlite")


def test_a_miss_names_the_nearest_request_and_what_differs() -> None:
    with ReplyStore(":memory:") as store:
        store.put(request("fill in the tax form"), reply("a"))
        store.put(request("something else entirely"), reply("b"))
        miss = store.miss(request("fill in the tax forms"))
        assert isinstance(miss, ReplayMiss)
        assert miss.nearest_key == request_key(request("fill in the tax form"))
        assert miss.difference[-2:] == (
            "-messages[1].content: fill in the tax form",
            "+messages[1].content: fill in the tax forms",
        )
        assert "fill in the tax forms" in str(miss)
        other = store.miss(request("fill in the tax form"), 3, endpoint="api.example.com")
        assert "+replicate: 3" in other.difference
        assert "+endpoint: api.example.com" in other.difference
    with ReplyStore(":memory:") as store:
        assert store.miss(request()).nearest_key is None


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=300)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(query=st.text(max_size=400), tool=json_values, extra=json_values)
def test_any_request_and_reply_survive_the_store_and_a_recording(
    tmp_path_factory: pytest.TempPathFactory, query: str, tool: Any, extra: Any
) -> None:
    asked = replace(request(query), tools=({"type": "function", "function": tool},))
    answer = ChatReply.from_raw({**completion("a", content="\ud835 \U0001d4b3"), "extra": extra})
    path = tmp_path_factory.mktemp("r") / "r.jsonl"
    with ReplyStore(":memory:") as store, ReplyStore(":memory:") as other:
        store.put(asked, answer)
        store.export(path)
        other.import_(path)
        for where in (store, other):
            found = where.get(asked)
            assert found is not None
            assert json.dumps(found.reply.raw) == json.dumps(answer.raw)
            assert "no recorded answer" in str(where.miss(replace(asked, seed=7)))
