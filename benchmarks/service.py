"""A chat completions service on loopback that answers after given times; a process of its own.

`python benchmarks/service.py` reads one JSON line, `{"delays_s": [...], "reply": {...}}`, prints its port,
and answers the n-th request it gets with `reply` after the n-th delay (from the first one again at the end).
It does as little as an HTTP server can, so that the machine is left to who asks.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any


async def serve(delays_s: Sequence[float], reply: bytes) -> None:
    """Answer until nobody holds the standard input any more."""
    delays = itertools.cycle(delays_s)
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(reply)}\r\n\r\n"
    answer = head.encode("ascii") + reply

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                lines = (await reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
                length = next(line for line in lines if line.startswith(b"content-length:"))
                await reader.readexactly(int(length.split(b":")[1]))
                if delay_s := next(delays):
                    await asyncio.sleep(delay_s)
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client has gone
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.close()


@contextmanager
def serving(delays_s: Sequence[float], reply: dict[str, Any]) -> Iterator[str]:
    """Yield the base URL of such a service while it runs."""
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).resolve())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps({"delays_s": list(delays_s), "reply": reply}) + "\n")
        process.stdin.flush()
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


if __name__ == "__main__":
    told = json.loads(sys.stdin.readline())
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(told["delays_s"], json.dumps(told["reply"]).encode()))
