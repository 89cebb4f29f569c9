"""A class for each method. Made by tools/generate.py: `make generate` writes it anew."""

from __future__ import annotations

from ._described import Described

__all__ = [
    "EASE",
    "ItemKNN",
    "OverallOnly",
    "Popularity",
]


class OverallOnly(Described):
    """CA-GF on the overall ratings alone: what the other criteria are worth shows beside it.

    ``solver``
        How filters of second order are computed where many items are linked: exact, fast (by the
        leading directions of the graph), or auto: exact, or on large data fast if that changes at
        most 1 in 2,000 places of a sample of lists, or if links are left out. One of auto, exact,
        fast.
    ``neighbours``
        Links kept per item, the strongest; 0: all, or 400 where all would be too many for memory
        or time.
    """

    _method = "overall-only"

    def __init__(self, solver: str = "auto", neighbours: int | None = None) -> None:
        self.solver = solver
        self.neighbours = neighbours


class EASE(Described):
    """EASE^R: weights between all items by ridge regression in closed form.

    ``lambda_``
        Strength of the ridge: the larger, the less a rarely rated item counts.
    ``input``
        binary: what was rated counts 1. raw: ratings count as they are. One of binary, raw.
    ``stacked``
        Learns from the ratings on every criterion, stacked, instead of from the overall ratings
        alone.
    """

    _method = "ease"

    def __init__(
        self,
        lambda_: float = 250.0,
        input: str = "binary",
        stacked: bool = False,
    ) -> None:
        self.lambda_ = lambda_
        self.input = input
        self.stacked = stacked


class ItemKNN(Described):
    """The items most like those that someone rated, by the overall ratings.

    ``neighbours``
        Most similar items kept per item.
    ``shrink``
        Added to the product of norms: damps similarities of rarely rated items.
    ``similarity``
        cosine of the ratings, or Pearson's correlation over all people. One of cosine, pearson.
    """

    _method = "item-knn"

    def __init__(
        self,
        neighbours: int = 100,
        shrink: float = 0.0,
        similarity: str = "cosine",
    ) -> None:
        self.neighbours = neighbours
        self.shrink = shrink
        self.similarity = similarity


class Popularity(Described):
    """Items by how many people rated them overall: the least that a method has to beat."""

    _method = "popularity"

    def __init__(self) -> None:
        pass
