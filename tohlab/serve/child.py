"""The process that holds the model: llama.cpp's HTTP server on loopback, until it is ended.

Run by path (`python -P child.py ...`), so it imports nothing of tohlab. It prints one line,
`tohlab: listening on http://127.0.0.1:PORT`, when the model is loaded. All that it and the engine print goes
wherever its own streams were directed, which is the log.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from pathlib import Path


def main(argv: list[str]) -> int:
    """Serve until ended; with `--parent PID` also end when that process is gone."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--gguf", required=True)
    parser.add_argument("--alias", required=True)
    parser.add_argument("--template", type=Path)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--ctx", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--parent", type=int)
    parser.add_argument("--slots", type=int, default=1)
    parser.add_argument("--cache-ram", type=int, default=0)
    parser.add_argument("--cache-reuse", type=int, default=0)
    parser.add_argument("--slot-similarity", type=float, default=0.1)
    parser.add_argument("--unified", action="store_true")
    parser.add_argument("--swa-full", action="store_true")
    wanted = parser.parse_args(argv)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)

    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = wanted.gguf
    params.model_alias = {wanted.alias}
    params.n_ctx = (
        wanted.ctx if wanted.unified else wanted.ctx * wanted.slots
    )  # the engine divides it among slots
    params.n_parallel = wanted.slots
    params.kv_unified = wanted.unified
    params.cache_ram_mib = wanted.cache_ram
    params.n_cache_reuse = wanted.cache_reuse
    params.slot_prompt_similarity = wanted.slot_similarity
    params.swa_full = wanted.swa_full
    params.hostnames = ["127.0.0.1"]
    params.port = wanted.port
    params.cpuparams.n_threads = wanted.threads
    params.cpuparams_batch.n_threads = wanted.threads
    params.use_jinja = True
    params.endpoint_slots = True
    params.endpoint_metrics = True
    params.ui = False
    params.verbosity = 1  # only errors: silent when all is well, and the reason when a model cannot be loaded
    params.cors_origins = "http://127.0.0.1"  # pages in a browser have no business here; the default is all
    if wanted.template:
        params.chat_template = wanted.template.read_text(encoding="utf-8")
    try:
        server = xllamacpp.Server(params)
    except RuntimeError as error:
        print(f"tohlab: the engine could not start: {error}", flush=True)
        return 1
    print(f"tohlab: listening on {server.listening_address}", flush=True)
    while wanted.parent is None or os.getppid() == wanted.parent:
        time.sleep(0.5)
    return 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    if code:
        sys.exit(code)  # a normal exit, since only that waits for the thread that writes the engine's log
    sys.stdout.flush()
    os._exit(code)  # the threads of a running engine would keep a normal exit waiting
