"""Text to tokens, requests to costs: encodings that work offline, meters, `measure`, usage and prices.

A count always names its meter and its renderer. Nothing here is estimated unless its name says so
(`toh_estimate`).
"""

from __future__ import annotations

from tohlab.tokens.cost import Cost, CostPart, cost_usd
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
from tohlab.tokens.prices import CacheRules, Price, PriceTable, Rates, default_prices, price_for
from tohlab.tokens.rendered import (
    PieceCost,
    RenderedCost,
    ToolsCost,
    compare_renderers,
    encode_rendered,
    measure_rendered,
    measure_tools,
)
from tohlab.tokens.usage import Usage, usage_from

__all__ = [
    "DEFAULT_ENCODING",
    "AskCost",
    "CacheRules",
    "CatalogCost",
    "CatalogRow",
    "Cost",
    "CostPart",
    "EncodingSource",
    "PieceCost",
    "Price",
    "PriceTable",
    "Rates",
    "RenderedCost",
    "RequestCost",
    "SegmentCost",
    "TiktokenMeter",
    "TokenMeter",
    "ToolsCost",
    "Usage",
    "compare_renderers",
    "cost_usd",
    "default_prices",
    "encode_rendered",
    "get_meter",
    "load_encoding",
    "measure",
    "measure_ask",
    "measure_catalog",
    "measure_rendered",
    "measure_tools",
    "price_for",
    "share_out",
    "usage_from",
]
