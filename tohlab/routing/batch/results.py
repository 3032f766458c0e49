"""The lines of a batch's output and error files, each read on its own: one broken line spoils no other."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tohlab.ecma import json_int
from tohlab.errors import EndpointError
from tohlab.routing.batch.ledger import EXPIRED
from tohlab.routing.client import ChatReply
from tohlab.routing.openai_client import _classify, _message

_CODES: Final = {"batch_expired": EXPIRED, "batch_cancelled": "cancelled", "request_timeout": "timeout"}
"""The codes of a request that never got an answer: `BatchRequestOutput.error` of OpenAI's own
specification, as the clients generated from it document it (openai-client-base 0.8.1, read on 2026-12-01)."""
_ID: Final = re.compile(rb'"custom_id"\s*:\s*"([0-9a-zA-Z_-]+)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What one line says."""

    custom_id: str | None
    """None: the line does not say."""
    raw: Mapping[str, Any] | None = None
    """The model's answer, as the service gives it live; None: there is none."""
    outcome: str = ""
    """Why there is no answer: `expired`, or as `EndpointError.kind` has it."""
    detail: str = ""
    whole: bool = True
    """Whether the line could be read as one."""


def read_results(data: bytes) -> Iterator[Result]:
    """Yield what each line of a file of results says; lines that are not whole are among them."""
    for number, line in enumerate(io.BytesIO(data), start=1):
        if line.strip():
            yield _result(line, number)


def other_model(asked: str, answered: Any) -> bool:
    """Return whether an answer's `model` is another one than was asked.

    A service may answer with a longer name (a dated snapshot, a path before it) or a shorter one; anything
    else is another model.
    """
    if not isinstance(answered, str) or not answered:
        return False
    one, other = (name.lower().rsplit("/", 1)[-1] for name in (asked, answered))
    return not (one.startswith(other) or other.startswith(one))


def _result(line: bytes, number: int) -> Result:
    try:
        row = json.loads(line.decode("utf-8"), parse_int=json_int)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, Mapping) or not isinstance(row.get("custom_id"), str):
        found = _ID.search(line)
        return Result(
            custom_id=found[1].decode("ascii") if found else None,
            outcome="garbage",
            detail=f"line {number} of the results is not whole",
            whole=False,
        )
    custom_id = row["custom_id"]
    response, error = row.get("response"), row.get("error")
    if isinstance(response, Mapping) and response.get("status_code") == 200:
        body = response.get("body")
        try:
            ChatReply.from_raw(body)
        except EndpointError as wrong:
            return Result(custom_id=custom_id, outcome=wrong.kind, detail=str(wrong))
        return Result(custom_id=custom_id, raw=body)
    if isinstance(error, Mapping) and isinstance(error.get("code"), str) and error["code"] in _CODES:
        return Result(custom_id=custom_id, outcome=_CODES[error["code"]], detail=_words(error))
    status = response.get("status_code") if isinstance(response, Mapping) else None
    text = json.dumps(response.get("body") if isinstance(response, Mapping) else None)
    said = _words(error) if isinstance(error, Mapping) else _message(text)
    if isinstance(status, int) and status >= 400:
        return Result(
            custom_id=custom_id,
            outcome=_classify(status, f"{text} {json.dumps(error)}")[0],
            detail=f"the service answered {status}: {_short(said)}",
        )
    # Without a status of its own it is the service's fault ("2000 completed, 0 failed" has had such lines).
    return Result(custom_id=custom_id, outcome="server", detail=f"the service gave no answer: {_short(said)}")


def _words(error: Mapping[str, Any]) -> str:
    return _short(": ".join(str(error[key]) for key in ("code", "message") if error.get(key)))


def _short(text: str) -> str:
    return " ".join(text.split())[:300] or "nothing more"
