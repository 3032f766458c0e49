"""A dated price table: what each class of tokens costs, and who said so when.

The table lies in `prices.toml` beside this module and is read on first use; a table of your own replaces or
extends it. A model without a price is an error that names the nearest, never 0.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from tohlab.errors import PriceError, UnknownPrice
from tohlab.tokens.price_files import parse_prices
from tohlab.tokens.price_values import PER_TOKENS, CacheRules, Day, Peak, Price, PriceStatus, Rates

__all__ = [
    "PER_TOKENS",
    "CacheRules",
    "Day",
    "Peak",
    "Price",
    "PriceStatus",
    "PriceTable",
    "Rates",
    "default_prices",
    "price_for",
]


class PriceTable:
    """Prices by model name, and the rules that families share.

    Args:
        prices: in any order; of two with one name the later counts.
        rules: likewise.
    """

    def __init__(self, prices: Iterable[Price], rules: Iterable[CacheRules] = ()) -> None:
        self._prices = {price.model: price for price in prices}
        self.rules: Mapping[str, CacheRules] = MappingProxyType({rule.name: rule for rule in rules})
        """How each family prices its cache, also for models whose list price is not here."""

    def __iter__(self) -> Iterator[Price]:
        return iter(self._prices.values())

    def __len__(self) -> int:
        return len(self._prices)

    @property
    def models(self) -> tuple[str, ...]:
        """The names that have a price, in the table's order."""
        return tuple(self._prices)

    def extended(self, other: PriceTable | Iterable[Price]) -> PriceTable:
        """Return both tables in one; where both have a model, `other` counts."""
        rules = other.rules.values() if isinstance(other, PriceTable) else ()
        return PriceTable((*self, *other), (*self.rules.values(), *rules))

    def price(self, model: str) -> Price:
        """Return the price of exactly that model.

        Raises:
            UnknownPrice: there is none; the message names the nearest.
        """
        if model in self._prices:
            return self._prices[model]
        bare = model.rsplit("/", 1)[-1]
        near = tuple(
            dict.fromkeys(
                [
                    *(n for n in self._prices if bare.startswith(n)),
                    *difflib.get_close_matches(bare, self._prices),
                ]
            )
        )[:3]
        hint = f" Near: {', '.join(near)}; a version's price may differ from its family's." if near else ""
        raise UnknownPrice(
            f"there is no price of {model!r}.{hint}",
            model=model,
            nearest=near,
            known=self.models,
            remedy="Give one with PriceTable.from_file() or Price().",
        )

    @classmethod
    def from_file(cls, path: str | Path) -> PriceTable:
        """Return the table in a TOML or JSON file of the same shape as `tohlab/tokens/prices.toml`.

        Rows may name the `rules` of this file and those that come with tohlab. A row needs `model`, `input`,
        `output` and `date`; `source` defaults to the file, `status` to `own`.

        Raises:
            PriceError: the file cannot be read, or a row is wrong; the message has file and row.
        """
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise PriceError(f"{path}: cannot be read: {error}") from error
        return cls(*parse_prices(text, str(path), default_prices().rules, is_json=path.suffix == ".json"))


@functools.lru_cache(maxsize=1)
def default_prices() -> PriceTable:
    """Return the table that comes with tohlab; read once."""
    path = Path(__file__).with_name("prices.toml")
    return PriceTable(*parse_prices(path.read_text(encoding="utf-8"), path.name, {}, is_json=False))


def price_for(model: str, table: PriceTable | None = None) -> Price:
    """Return the price of a model, by its exact name.

    Args:
        model: as the API names it, such as `claude-opus-5`; a dated version has a price of its own.
        table: where to look; the table that comes with tohlab unless told otherwise.

    Raises:
        UnknownPrice: it has no price there; the message names the nearest.
    """
    return (table or default_prices()).price(model)
