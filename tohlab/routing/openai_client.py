"""The client for every OpenAI-compatible service, over the openai package.

openai is imported with the first request, and speaks HTTP by aiohttp, which takes less CPU time than its
other transport. One call is one attempt: retries are the runner's, so that they are counted once
(`max_retries=0`). Services differ in what they say when they fail; here each failure becomes an
`EndpointError` of one kind, with what to do.
"""

from __future__ import annotations

import asyncio
import email.utils
import ipaddress
import json
import os
import re
import ssl
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from tohlab.ecma import json_int, to_well_formed
from tohlab.errors import EndpointError, MissingExtra
from tohlab.routing.client import ChatReply, ChatRequest

KEY_VARIABLES: Final = ("TOHLAB_API_KEY", "OPENAI_API_KEY")
_NO_KEY: Final = "no-key-needed-on-this-machine"
_CONTEXT: Final = re.compile(
    r"context[_ ](length|window|size)|maximum context|exceeds? the (available )?context|too many tokens"
    r"|prompt is too long",
    re.IGNORECASE,
)
_RAW: Final = "X-Stainless-Raw-Response"
"""What makes the openai package return the response as it came."""
_NOT_SENT: Final = tuple(
    f"X-Stainless-{name}"
    for name in ("Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version", "Async")
)
"""What the openai package would tell each service about this machine, in the headers of its client."""
_NOT_SENT_EACH: Final = ("X-Stainless-Retry-Count", "X-Stainless-Read-Timeout")
"""The same, in the headers of each request."""
_UNREACHED: Final = "ClientConnectorError"
"""What aiohttp calls it when there was no connection; what stands above it takes it for a time-out."""
_BROKEN_OFF: Final = frozenset(
    {
        *("DecodingError", "ReadError", "RemoteProtocolError", "WriteError"),  # httpx's, and aiohttp's:
        *("ClientOSError", "ClientPayloadError", "ClientResponseError", "ServerDisconnectedError"),
    }
)
"""What the HTTP libraries below openai call it when there was a connection and something else failed."""
_QUOTA: Final = re.compile(r"insufficient_quota|quota|billing|credit|payment|spend", re.IGNORECASE)
_FILTER: Final = re.compile(r"content_filter|content management policy", re.IGNORECASE)


def is_loopback(base_url: str) -> bool:
    """Return whether an address is on this machine.

    Raises:
        EndpointError: it is no http address.
    """
    host = _parts(base_url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def endpoint_of(base_url: str) -> str:
    """Return host and port of an address as the store's keys have it; empty for this machine.

    Raises:
        EndpointError: it is no http address.
    """
    return "" if is_loopback(base_url) else _parts(base_url).netloc.rpartition("@")[2].lower()


def _parts(base_url: str) -> SplitResult:
    try:
        parts = urlsplit(base_url)
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:  # reading it checks it
            return parts
    except ValueError:
        pass
    raise _no_base_url()


def _no_base_url() -> EndpointError:
    # the address is not repeated: there may be a password in it
    return EndpointError(
        "bad_request",
        "the base URL must look like http://127.0.0.1:8080/v1, without a user or password in it",
    )


class OpenAIClient:
    """Asks one OpenAI-compatible service.

    Args:
        base_url: its address, such as `http://127.0.0.1:8080/v1`.
        api_key: the key; by default `TOHLAB_API_KEY` or else `OPENAI_API_KEY` of the environment. An address
            on this machine needs none.
        timeout_s: the deadline of one attempt, from connecting to the last byte, in seconds.

    Raises:
        EndpointError: `base_url` is no http address, or there is no key for a service elsewhere.
    """

    def __init__(self, base_url: str, api_key: str | None = None, timeout_s: float = 600.0) -> None:
        parts = _parts(base_url)
        if parts.username is not None:
            raise _no_base_url()
        self.base_url = base_url.rstrip("/")
        self._address = f"{self.base_url}/chat/completions"
        self.timeout_s = timeout_s
        self._local = is_loopback(base_url)
        self.endpoint = endpoint_of(base_url)
        key = api_key or next((value for name in KEY_VARIABLES if (value := os.environ.get(name))), "")
        key = key.strip()
        if not key and not self._local:
            raise EndpointError(
                "auth",
                f"there is no key for {parts.hostname}; set {' or '.join(KEY_VARIABLES)} in the environment",
            )
        if not (key.isascii() and key.isprintable()):
            raise EndpointError(
                "auth",
                "the key has characters that no HTTP header can carry (not ASCII, or not printable); copy it "
                f"again into {' or '.join(KEY_VARIABLES)}",
            )
        self._key = key or _NO_KEY
        self._client: Any = None
        self._headers: dict[str, Any] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def __repr__(self) -> str:
        return f"OpenAIClient({self.base_url!r})"

    @property
    def local(self) -> bool:
        """Whether the service is on this machine."""
        return self._local

    async def aclose(self) -> None:
        """Close the connections; the next request opens new ones."""
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.close()

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the answer to one request; one attempt.

        Raises:
            EndpointError: of the kind that says what went wrong.
            MissingExtra: openai or aiohttp is not installed.
        """
        try:
            import aiohttp
            import openai
        except ImportError as error:
            raise MissingExtra(error.name or "openai", "eval") from error
        content = self._content(request)
        client = self._opened(openai)
        start = time.perf_counter()
        try:
            async with asyncio.timeout(self.timeout_s):
                # As `chat.completions.with_raw_response.create(**body)` does it, without looking through the
                # body for parameters to rename, putting the address together and telling the service about
                # this machine: that takes a good part of a request's time.
                response = await client.post(
                    self._address, content=content, cast_to=object, options={"headers": self._headers}
                )
        except openai.APIStatusError as error:
            raise self._status_error(error.response) from None
        except (TimeoutError, openai.APIConnectionError, aiohttp.ClientError) as error:
            raise self._connection_error(error) from None
        except openai.OpenAIError as error:
            raise EndpointError("garbage", f"{self.base_url}: {self._hide(str(error))}") from None
        text = self._hide(_decoded(response))
        latency_s = round(time.perf_counter() - start, 4)
        try:
            raw = json.loads(text, parse_int=json_int)
        except (ValueError, RecursionError):
            raise EndpointError(
                "garbage",
                f"{self.base_url} answered with something that is not JSON: {text[:120]!r}. "
                "Check that this is the address of an OpenAI-compatible API (it often ends in /v1).",
                status=response.status_code,
            ) from None
        return ChatReply.from_raw(raw, latency_s)

    def _content(self, request: ChatRequest) -> bytes:
        """What this service is sent for a request."""
        body = request.body()
        if self.endpoint.endswith("openai.com") and "max_tokens" in body:
            body["max_completion_tokens"] = body.pop("max_tokens")  # its newer models refuse the older name
        try:
            return _utf8(body)
        except UnicodeEncodeError:  # half a character
            return _utf8(_well_formed(body))

    def _opened(self, openai: Any) -> Any:
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            # A proxy from the environment must not stand between this program and this machine.
            # Reading the certificates of this system takes a tenth of a second; over plain HTTP none is
            # asked for. (A redirect to HTTPS then finds no certificate good.)
            plain = self.base_url.startswith("http://")
            verify = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else True
            http = openai.DefaultAioHttpClient(
                trust_env=not self._local, timeout=self.timeout_s, verify=verify
            )
            self._client = openai.AsyncOpenAI(
                base_url=self.base_url,
                api_key=self._key,
                max_retries=0,
                timeout=self.timeout_s,
                http_client=http,
                default_headers=dict.fromkeys(_NOT_SENT, openai.Omit()),
            )
            self._headers = {_RAW: "true", **dict.fromkeys(_NOT_SENT_EACH, openai.Omit())}
            self._loop = loop
        return self._client

    def _hide(self, text: str) -> str:
        return text.replace(self._key, "[key]") if len(self._key) > 3 else text

    def _connection_error(self, error: BaseException) -> EndpointError:
        """The error for an attempt that ended without a status; what is below says why."""
        import openai

        cause = error.__cause__ or error
        why = self._hide(" ".join(str(cause).split())) or type(cause).__name__
        names = set(_names(error))
        if _UNREACHED not in names and not _BROKEN_OFF.isdisjoint(names):
            return EndpointError(
                "server",
                f"{self.base_url} was reached and gave no whole answer ({why}). Its log may say why; check "
                "also that --base-url is an OpenAI-compatible API. The same command later asks only what is "
                "missing.",
            )
        if _UNREACHED not in names and isinstance(error, TimeoutError | openai.APITimeoutError):
            return EndpointError(
                "timeout",
                f"{self.base_url} did not answer within {self.timeout_s:g} s; allow more with --timeout",
            )
        return EndpointError(
            "connection",
            f"{self.base_url} cannot be reached ({why}). "
            "Start the server (`tohlab model start`), or correct --base-url.",
        )

    def _status_error(self, response: Any) -> EndpointError:
        status = int(response.status_code)
        text = self._hide(_decoded(response))
        said = " ".join(_message(text).split())[:300] or "nothing more"
        wait = retry_after(response.headers)
        kind, remedy = _classify(status, text)
        return EndpointError(
            kind, f"{self.base_url} answered {status}: {said}. {remedy}", status=status, retry_after_s=wait
        )


def _names(error: BaseException | None) -> Iterator[str]:
    """The classes of an error and of those that it came from, with their bases."""
    while error is not None:
        yield from (kind.__name__ for kind in type(error).__mro__)
        error = error.__cause__


def _utf8(body: Any) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")


def _well_formed(value: Any) -> Any:
    """What can be sent as UTF-8: half a character (a description cut inside one) becomes U+FFFD, which is
    also what a tokenizer makes of it. The store's keys have the request as it was meant."""
    if isinstance(value, str):
        return to_well_formed(value)
    if isinstance(value, Mapping):
        return {_well_formed(key): _well_formed(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_well_formed(inner) for inner in value]
    return value


def _decoded(response: Any) -> str:
    """The body as text: JSON is UTF-8 (RFC 8259), whatever a service's Content-Type says."""
    data: bytes = response.content
    return data.decode("utf-8", "replace")


def _classify(status: int, text: str) -> tuple[str, str]:
    if status == 402 or (status == 429 and _QUOTA.search(text)):
        return "quota", "The account's quota is used up; the same command later asks only what is missing."
    if status in (401, 403):
        return "auth", f"Set a valid key in {' or '.join(KEY_VARIABLES)}."
    if status == 429:
        return "rate_limit", "Fewer requests at once (--concurrency 1) help."
    if status in (408, 504):
        return "timeout", "The service was too slow; try again later."
    if status >= 500 or status == 409:
        return (
            "server",
            "The service failed; its log may say why. The same command later asks only what is missing.",
        )
    if status == 413 or _CONTEXT.search(text):
        return (
            "context_length",
            "The catalog does not fit the model's context; use fewer skills or a longer context.",
        )
    if _FILTER.search(text):
        return "content_filter", "The service's content filter refused the request."
    if status == 404:
        return (
            "bad_request",
            "Check the model's name, and that the base URL ends where the API begins (often /v1).",
        )
    return (
        "bad_request",
        "The service does not take such a request; see --choice, --temperature and --max-tokens.",
    )


def _message(text: str) -> str:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return text
    error = data.get("error", data) if isinstance(data, Mapping) else None
    message = error.get("message", error) if isinstance(error, Mapping) else error
    return message if isinstance(message, str) else text


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return how long a service asks to wait, in seconds, from its response headers; None if it does not say.

    Reads `retry-after-ms`, and `Retry-After` both as seconds and as a date (RFC 9110, section 10.2.3).
    """
    for name, factor in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) * factor
        except ValueError:
            try:
                date = email.utils.parsedate_to_datetime(value)
            except (ValueError, OverflowError):  # no date, or of a year that none has
                continue
            date = date if date.tzinfo else date.replace(tzinfo=UTC)
            seconds = (date - datetime.now(UTC)).total_seconds()
        if seconds == seconds and seconds != float("inf"):
            return max(0.0, seconds)
    return None
