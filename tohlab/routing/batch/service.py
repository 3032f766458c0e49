"""A service's files and batches, over the openai package; each call is one attempt."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tohlab.ecma import json_int
from tohlab.errors import EndpointError, MissingExtra
from tohlab.routing.client import ChatRequest
from tohlab.routing.openai_client import OpenAIClient, _decoded

URL: Final = "/v1/chat/completions"
"""What each line of a file asks, and what the batch is made for."""
OVER: Final = frozenset({"completed", "failed", "expired", "cancelled"})
"""The states in which nothing more happens to a batch; before them come `validating`, `in_progress`,
`finalizing` and `cancelling`."""
_MARK: Final = "tohlab"
_LIST_BACK_S: Final = 3600.0
"""How much older than our own note a batch in the service's list may be (clocks differ) to be looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteBatch:
    """A batch as the service tells of it."""

    id: str
    status: str
    input_file_id: str = ""
    output_file_id: str = ""
    """Empty: there is none (yet)."""
    error_file_id: str = ""
    total: int = 0
    completed: int = 0
    failed: int = 0
    errors: tuple[str, ...] = ()
    """What is wrong with the file, of a batch that failed: `code: message (line N)`."""

    @classmethod
    def from_raw(cls, raw: Any) -> RemoteBatch:
        """Read the service's JSON.

        Raises:
            EndpointError: kind `garbage`: it is no batch.
        """
        if not isinstance(raw, Mapping) or not isinstance(raw.get("id"), str) or not _text(raw, "status"):
            shown = json.dumps(raw, ensure_ascii=True, default=str)[:200]
            raise EndpointError("garbage", f"the service answered with something that is no batch: {shown}")
        counts = raw.get("request_counts")
        counts = counts if isinstance(counts, Mapping) else {}
        errors = raw.get("errors")
        listed = errors.get("data") if isinstance(errors, Mapping) else errors
        return cls(
            id=raw["id"],
            status=_text(raw, "status"),
            input_file_id=_text(raw, "input_file_id"),
            output_file_id=_text(raw, "output_file_id"),
            error_file_id=_text(raw, "error_file_id"),
            **{name: _count(counts.get(name)) for name in ("total", "completed", "failed")},
            errors=tuple(map(_said, listed)) if isinstance(listed, list) else (),
        )

    @property
    def over(self) -> bool:
        """Whether nothing more happens to it."""
        return self.status in OVER


class BatchClient(OpenAIClient):
    """Asks an OpenAI-compatible service, one request at a time (as `OpenAIClient`) and by its Batch API.

    Only OpenAI's shape of a batch is built (files, batches, an output and an error file; also that of Azure's
    v1 API, Groq, DeepInfra and others that copy it). Anthropic's Message Batches and Gemini's batch mode have
    other shapes, and are not built.

    Args:
        base_url: as in `OpenAIClient`.
        api_key: as there.
        timeout_s: the deadline of one call in seconds; an upload may be 200 MB.

    Raises:
        EndpointError: as there.
    """

    def __init__(self, base_url: str, api_key: str | None = None, timeout_s: float = 600.0) -> None:
        super().__init__(base_url, api_key, timeout_s)
        self._api: Any = None

    def line(self, custom_id: str, request: ChatRequest) -> bytes:
        """Return a request as a line of a batch file: the same body that a live request has."""
        body = json.loads(self._content(request))
        row = {"custom_id": custom_id, "method": "POST", "url": URL, "body": body}
        # ASCII, so that no service can take a line separator inside a text for the end of a line.
        return (json.dumps(row, ensure_ascii=True, separators=(",", ":"), allow_nan=False) + "\n").encode(
            "ascii"
        )

    def upload(self, path: Path) -> str:
        """Send a batch file; return the id that the service gave it."""
        raw = self._json(lambda api: api.files.with_raw_response.create(file=path, purpose="batch"))
        if not isinstance(raw, Mapping) or not _text(raw, "id"):
            raise EndpointError("garbage", f"{self.base_url} took the file and gave it no id")
        return _text(raw, "id")

    def create(self, file_id: str, mark: str, window: str) -> RemoteBatch:
        """Make a batch of an uploaded file; `mark` is kept with it, so that it can be found again."""
        return RemoteBatch.from_raw(
            self._json(
                lambda api: api.batches.with_raw_response.create(
                    input_file_id=file_id, endpoint=URL, completion_window=window, metadata={_MARK: mark}
                )
            )
        )

    def find(self, file_id: str, mark: str, since_s: float) -> RemoteBatch | None:
        """Return the batch that was made of this file or has this mark, or None; the newest are looked at
        first.

        Args:
            file_id: the uploaded file.
            mark: what `create` was given.
            since_s: when it was planned, in seconds since 1970; older ones are not looked at.
        """
        after: str | None = None
        while True:
            raw = self._page(after)
            page = raw.get("data") if isinstance(raw, Mapping) else None
            if not isinstance(page, list):
                raise EndpointError("garbage", f"{self.base_url} gave no list of its batches")
            for row in page:
                found = RemoteBatch.from_raw(row)
                metadata = row.get("metadata")
                if found.input_file_id == file_id or (
                    isinstance(metadata, Mapping) and metadata.get(_MARK) == mark
                ):
                    return found
            oldest = _count(page[-1].get("created_at")) if page else 0
            if not page or not raw.get("has_more") or 0 < oldest < since_s - _LIST_BACK_S:
                return None
            after = page[-1]["id"]

    def _page(self, after: str | None) -> Any:
        more = {} if after is None else {"after": after}
        return self._json(lambda api: api.batches.with_raw_response.list(limit=100, **more))

    def retrieve(self, batch_id: str) -> RemoteBatch:
        """Return where a batch is."""
        return RemoteBatch.from_raw(self._json(lambda api: api.batches.with_raw_response.retrieve(batch_id)))

    def stop(self, batch_id: str) -> RemoteBatch:
        """Ask the service to stop a batch; what it has answered until then can be collected."""
        return RemoteBatch.from_raw(self._json(lambda api: api.batches.with_raw_response.cancel(batch_id)))

    def content(self, file_id: str) -> bytes:
        """Return a file of results, whole."""
        data: bytes = self._call(lambda api: api.files.with_raw_response.content(file_id)).content
        return data.replace(self._key.encode("ascii"), b"[key]") if len(self._key) > 3 else data

    def _json(self, call: Callable[[Any], Any]) -> Any:
        text = self._hide(_decoded(self._call(call)))
        try:
            return json.loads(text, parse_int=json_int)
        except (ValueError, RecursionError):
            raise EndpointError(
                "garbage",
                f"{self.base_url} answered with something that is not JSON: {text[:120]!r}. "
                "Check that this is the address of an API with OpenAI's batches (it often ends in /v1).",
            ) from None

    @contextmanager
    def session(self) -> Iterator[Any]:
        """Keep the connection for the calls inside; each call alone opens one of its own.

        Raises:
            MissingExtra: openai is not installed.
        """
        if self._api is not None:
            yield self._api
            return
        try:
            import openai
        except ImportError as error:
            raise MissingExtra("openai", "eval") from error
        http = openai.DefaultHttpxClient(trust_env=not self.local, timeout=self.timeout_s)
        with openai.OpenAI(
            base_url=self.base_url, api_key=self._key, max_retries=0, timeout=self.timeout_s, http_client=http
        ) as api:
            self._api = api
            try:
                yield api
            finally:
                self._api = None

    def _call(self, call: Callable[[Any], Any]) -> Any:
        with self.session() as api:
            import openai

            try:
                return call(api)
            except openai.APIStatusError as error:
                raise self._status_error(error.response) from None
            except openai.APIConnectionError as error:
                raise self._connection_error(error) from None
            except openai.OpenAIError as error:
                raise EndpointError("garbage", f"{self.base_url}: {self._hide(str(error))}") from None


def _text(raw: Mapping[str, Any], key: str) -> str:
    value = raw.get(key)
    return value if isinstance(value, str) else ""


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _said(error: Any) -> str:
    if not isinstance(error, Mapping):
        return str(error)[:300]
    line = f" (line {error['line']})" if isinstance(error.get("line"), int) else ""
    code = f"{error['code']}: " if isinstance(error.get("code"), str) else ""
    return f"{code}{str(error.get('message'))[:300]}{line}"
