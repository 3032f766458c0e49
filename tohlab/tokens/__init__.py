"""Text to tokens, requests to costs: encodings that work offline, meters, `measure`.

A count always names its meter and its renderer. Nothing here is estimated unless its name says so
(`toh_estimate`).
"""

from __future__ import annotations

from tohlab.tokens.encodings import DEFAULT_ENCODING, EncodingSource, load_encoding
from tohlab.tokens.measure import (
    AskCost,
    CatalogCost,
    CatalogRow,
    RequestCost,
    SegmentCost,
    measure,
    measure_ask,
    measure_catalog,
    share_out,
)
from tohlab.tokens.meter import TiktokenMeter, TokenMeter, get_meter
from tohlab.tokens.pieces import count_spans

__all__ = [
    "DEFAULT_ENCODING",
    "AskCost",
    "CatalogCost",
    "CatalogRow",
    "EncodingSource",
    "RequestCost",
    "SegmentCost",
    "TiktokenMeter",
    "TokenMeter",
    "count_spans",
    "get_meter",
    "load_encoding",
    "measure",
    "measure_ask",
    "measure_catalog",
    "share_out",
]
